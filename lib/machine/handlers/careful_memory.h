// Memory operations of the careful tier: lane by lane, each access shown to the checks.
#pragma once
#include <functional>

#include "lib/machine/checks/check.h"

namespace ropewalk::machine::careful {

const Op* load(Context& context, const Op* op);
const Op* store(Context& context, const Op* op);
const Op* atomic(Context& context, const Op* op);
const Op* copy_async(Context& context, const Op* op);
const Op* commit_async(Context& context, const Op* op);
const Op* wait_async(Context& context, const Op* op);
const Op* index_statement(Context& context, const Op* op);

// The copies for which that holds arrive, in the order of issue.
void land_copies(Block& block, const std::function<bool(const PendingCopy&)>& lands);

// The first cp.async that nobody has waited for and that may still write some of these bytes of shared memory; nullptr:
// there is none.
const PendingCopy* copy_into(const Block& block, u64 first, u64 end);

// Whether copies brought all that is in the bytes which a thread starts to copy to, and it was not read yet, or by
// threads that are not known to be through.
bool is_over_unread(const Context& context, u64 first, u64 bytes, u32 thread);

// Whether a cp.async that nobody has waited for may still read some of these addresses, and which.
bool is_read_late(const Block& block, u64 first, u64 last, const PendingCopy*& by);

// An access of one lane by the step of an operation, before it is resolved.
AccessEvent make_event(Context& context, const Op* op, u32 warp, u32 lane, AccessKind kind, u64 address, u32 bytes);
// An address made of what nobody wrote is a finding; the access is then not performed.
bool address_is_defined(AccessEvent& event, u32 value);
// The same, but that an access is performed which is known to stay inside wherever its address is: `source` is then
// where the address comes from. What is loaded is undefined,
bool address_is_known(AccessEvent& event, u32 value, u32& source);
// and so is all that a store or an atomic to the block's memory may have stored to (maybe_stored.h). Others would see a
// store elsewhere, or one that synchronises.
bool may_store_at(AccessEvent& event, u32 value, u32& source);
// Appends to the block's log what other threads may conflict with, or claims it for the thread.
void log_access(const AccessEvent& event);
// The bytes of an access that was judged innocent.
void read_bytes(const AccessEvent& event, std::byte* to);
void write_bytes(AccessEvent& event, const std::byte* from);
// Tells the checks that an undefined value matters here, unless some of it comes from an access that was reported.
void note_use(const Context& context, u32 step, u32 warp, u32 lane, const Mark& mark, const char* what);
// Where an access of a lane goes: fills space, window, offset, extent and data of the event from its address.
void resolve(AccessEvent& event, MemorySpace space);
// Asks all checks.
Verdict judge(AccessEvent& event);

}  // namespace ropewalk::machine::careful
