// What is known of bytes in memory besides their values.
//
// A byte of shared or local memory, or of a tensor that starts without values, is initialised or not (a bit each). Of
// one that is not, Block::undefined_bytes may know more: a value was stored there of which nobody wrote some bits, and
// where they come from.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine::careful {

// Whether a byte of an access is initialised; whether its value was lost by a finding; and makes one of shared or local
// memory a byte of which more is known.
bool is_initialized(const AccessEvent& event, u32 at);
bool is_poisoned(const AccessEvent& event, u32 at);
void unset_initialized(const AccessEvent& event, u32 at);

// The mark of a value of any size that comes from one source; of none: no mark.
Mark whole_mark(u32 source);
// The source of everything in a value that is marked; none: nothing is.
u32 source_of(Block& block, const Mark& mark);
// The source of what is computed with the value.
u32 computed_source(Block& block, const Mark& mark);
// The mark of a value that is marked wherever one of them is.
Mark joined(Block& block, const Mark& a, const Mark& b);
// Takes out the bytes that pad a struct: a bit for each.
u8 drop_padding(const Block& block, Mark& mark);
// The mark of some bytes of a value, as a value of their own; and of a value whose bytes stand further up in another.
Mark part_of(const Mark& mark, u32 first, u32 bytes);
Mark placed(const Mark& mark, u32 at);
// The mark of a value of so many bytes that is extended to eight.
Mark extended_mark(const Mark& mark, u32 bytes, bool is_signed);

// The mark of `bytes` bytes of a read, from its byte `at` on. Bytes that nobody wrote are given this read as their
// source.
Mark mark_read(AccessEvent& event, const Verdict& verdict, u32 at, u32 bytes);

// After bytes were stored: they hold a value with this mark.
void mark_stored(AccessEvent& event, u32 at, u32 bytes, const Mark& mark);

// After bytes were stored of which those are copies of what nobody wrote: in memory that outlives the launch nobody
// wrote the copies either.
void leave_unwritten(const AccessEvent& event, u32 at, u8 which);

// After a store that was not performed: the bytes of it that lie inside hold what nothing is known of.
void lose_stored(const AccessEvent& event);

// The same for a byte of shared memory that a cp.async fills.
void mark_copied(Block& block, const PendingCopy& copy);

}  // namespace ropewalk::machine::careful
