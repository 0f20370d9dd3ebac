// Warp-wide operations that read a lane which does not take part in them.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

class LanesCheck : public Checker {
 public:
  void on_inactive_lane(const Context& context, u32 step, u32 warp, u32 lane, u32 from) override;
};

}  // namespace ropewalk::machine
