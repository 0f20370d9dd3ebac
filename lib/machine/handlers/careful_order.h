// What accesses do to the order of events (lib/machine/order), and where hands change.
#pragma once
#include "lib/base/random.h"
#include "lib/machine/checks/check.h"
#include "lib/machine/order/seen.h"

namespace ropewalk::machine::careful {

// What a strong read saw, lane by lane, as one number: who sees the same again at the same place waits.
struct Sight {
  u64 seen = 0;
  Polled first;  // of a lane that read
  void add(u64 address, u64 value) { seen = mix(seen ^ mix(address) ^ (value + 0x9e3779b97f4a7c15ull)); }
  void add(const AccessEvent& event, u64 value);
};

// After an access that synchronises: others may go on first.
const Op* after_strong(Context& context, const Op* op, const Sight& sight, bool changed);

// After a read or a write was made.
void order_read(const AccessEvent& event, order::Reader reader = order::Reader::Load);
void order_write(const AccessEvent& event, bool changes = true);  // what is there
// After the last arrival of an mbarrier's phase, and after a wait that found a phase over.
void end_phase(const AccessEvent& event);
void after_phase(const AccessEvent& event);

// fence and membar; nanosleep; griddepcontrol, of which the launch takes note.
const Op* fence(Context& context, const Op* op);
const Op* sleep(Context& context, const Op* op);
const Op* grid_control(Context& context, const Op* op);

}  // namespace ropewalk::machine::careful
