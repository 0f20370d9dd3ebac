// What races of two accesses have in common, wherever they are found: in shared memory by barriers (shared_race.cpp),
// in any memory by the order of events (order.cpp), in global memory by what was logged (global_race.cpp).
#pragma once
#include <memory>
#include <string>

#include "lib/machine/checks/check.h"
#include "lib/machine/code.h"

namespace ropewalk::machine {

// Of a race between two accesses of one block. Two lanes of a warp that go one way together, at different instructions:
// the warp executes these one after the other on today's hardware, though nothing promises it. Others may come in any
// order. Where both write, and nothing between the two instructions can read what the first wrote, that is lost in any
// order.
struct RacingAccesses {
  u32 step = 0, other_step = 0;
  bool both_write = false;
  bool are_in_one_warp = false, are_converged = false;
};
Severity severity_of_race(const RacingAccesses& pair, const Code& code);
// Whether a lane of the event's warp has come to the event's instruction with it, whatever its predicate says.
bool is_converged_with(const AccessEvent& event, u32 lane);

// Whether a store leaves what is there: with another such write it is a race only where --strict asks for it.
bool stores_the_same(const AccessEvent& event, bool strict);
// The same of a copy to shared memory, beside what others that are under way will bring.
bool copies_the_same(const AccessEvent& event, bool strict);

// Of two accesses that a barrier would have to part, the later one first.
std::string words_without_barrier(bool later_writes, bool earlier_wrote);

// Reports an access to shared bytes that a cp.async may still write: also another cp.async, unless it brings the same.
bool report_copy_under_way(const AccessEvent& event, bool strict);
// And a write of global memory that one of the same block may still read.
void report_read_under_way(const AccessEvent& event, bool strict);

// By barriers of the block alone, and by the order of events. strict: two writes of the same value are a race too.
std::unique_ptr<Checker> make_shared_race_check(bool strict);
// of_shared: who judges shared memory in its place; nullptr: nobody.
std::unique_ptr<Checker> make_order_check(bool strict, std::unique_ptr<Checker> of_shared);

}  // namespace ropewalk::machine
