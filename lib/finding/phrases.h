// Phrases of messages by which causes are known: what the machine saw, and no other field of a finding says.
#pragma once
#include <string_view>

namespace ropewalk {

// Of a global race: what a load that is not coherent reads after a store of the same kernel.
inline constexpr std::string_view stale_load =
    "written, and then read by ld.global.nc, which may return what was there before the kernel";
// Of a shared race, and of a read of what nobody wrote: bytes are read that an asynchronous copy has not yet arrived
// in.
inline constexpr std::string_view copy_under_way = "a cp.async into these bytes has not been waited for";
// The same, as a message goes on where that copy was started too early.
inline constexpr std::string_view copy_over_unread =
    "a cp.async into these bytes has not been waited for, and what the copy before it brought was not yet read when it "
    "started";
// Of a race between lanes of one warp that load, compute and store.
inline constexpr std::string_view change_lost = "both change what is there, and one of the changes is lost";
// Of a race of strong accesses: two threads load, compute and store, and none of the three steps is an atomic one.
inline constexpr std::string_view update_in_two_steps =
    "each stores what it made of what it loaded there, in two steps, so that an update may be lost";
// Of a global race: bytes are written that an asynchronous copy may still read.
inline constexpr std::string_view read_under_way =
    "written while a cp.async that reads it has not been waited for, which may copy either value";

}  // namespace ropewalk
