// Control flow of contexts: branches, joins, predicates, exits.
#pragma once
#include "lib/machine/context.h"

namespace ropewalk::machine::control {

// A branch on a value that is the same in all lanes; with immediate: unconditional.
const Op* jump(Context& context, const Op* op);
const Op* branch_uniform(Context& context, const Op* op);
// A branch that may split the lanes: they meet again at the operation op->immediate.
const Op* branch(Context& context, const Op* op);
const Op* branch_table(Context& context, const Op* op);
// Where the sides of a split meet: runs the waiting side, or goes on with all.
const Op* join(Context& context, const Op* op);
// Runs op->inner for the lanes whose predicate holds.
const Op* predicated(Context& context, const Op* op);
const Op* predicated_uniform(Context& context, const Op* op);
// The active lanes (under the predicate, where there is one) leave the kernel.
const Op* exit_lanes(Context& context, const Op* op);
// These lanes leave; the others go on after `op`.
const Op* leave(Context& context, const u32 (&leaving)[max_warps], const Op* op);
// The end of the program, which only lanes reach that forgot to return.
const Op* end(Context& context, const Op* op);
// Of observed programs: counts the instructions of the basic block that begins here (op->immediate of them) for the
// active lanes; notes which way the branch that follows goes.
const Op* count(Context& context, const Op* op);
const Op* observe(Context& context, const Op* op);
// And that the active lanes are in the basic block of the Landmark in op->extra (Block::trails).
const Op* note_trail(Context& context, const Op* op);
// Whether an operation only marks a position and stands for no instruction of its own.
inline bool is_marker(const Op& op) {
  return op.run == join || op.run == end || op.run == count || op.run == observe || op.run == note_trail;
}
const Op* nothing(Context& context, const Op* op);
const Op* trap(Context& context, const Op* op);
const Op* refuse(Context& context, const Op* op);
// A call of an address to which no function here belongs that it could go to.
const Op* call_astray(Context& context, const Op* op);

// No lane is active: makes the waiting side of the innermost split active, or those that wait at its join, and returns
// where they go on; nullptr with Stop::Done where nobody is left.
const Op* resume(Context& context);

// Lets other lanes of the context's warp run, for `at` cannot be passed yet. Merged: others have come to `at`, and all
// of them are active there. Switched: others are active, and those of `at` wait. Alone: nobody else can run. `parked`:
// the lanes need others of their warp; else they can run again at any time.
enum class Yielded : u8 { Merged, Switched, Alone };
Yielded yield(Context& context, const Op* at, bool parked);

// Lanes of each warp for which a predicate (negated or not) holds and that are active.
void active_where(const Context& context, u32 offset, u32 pitch, bool negated, u32 (&bits)[max_warps]);

// Makes only the lanes in `active` active; `before` gets those that were. False, and nothing changed, when there are
// none.
bool narrow(Context& context, const u32 (&active)[max_warps], u32 (&before)[max_warps]);
void widen(Context& context, const u32 (&before)[max_warps]);

}  // namespace ropewalk::machine::control
