// Warp-wide operations that read a lane which does not take part in them.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

class LanesCheck : public Checker {
 public:
  void on_inactive_lane(const Context& context, u32 step, u32 warp, u32 lane, u32 from) override;
  void on_undefined_use(const Context& context, u32 step, u32 warp, u32 lane, u32 source, const char* what) override;
};

// The source of a value that a lane read from one which does not take part and need not: it is a finding where it
// matters.
u32 source_of_inactive_lane(const Context& context, u32 step, u32 warp, u32 lane, u32 from);

}  // namespace ropewalk::machine
