// Reads of bytes that nobody wrote, and registers that nobody wrote where their value matters.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

class UninitializedCheck : public Checker {
 public:
  void on_access(const AccessEvent& event, Verdict& verdict) override;
  void on_undefined_use(const Context& context, const Step& step, u32 step_index, u32 warp, u32 lane,
                        const char* what) override;
};

}  // namespace ropewalk::machine
