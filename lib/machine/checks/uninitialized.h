// Reads of bytes and registers that nobody wrote, where their value matters: it is an address, decides a branch, or is
// stored where others can read it.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

class UninitializedCheck : public Checker {
 public:
  void on_access(const AccessEvent& event, Verdict& verdict) override;
  void on_undefined_use(const Context& context, u32 step, u32 warp, u32 lane, u32 source, const char* what) override;
};

}  // namespace ropewalk::machine
