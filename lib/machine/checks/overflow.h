// 32-bit index arithmetic that overflowed and whose result became an address.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

class OverflowCheck : public Checker {
 public:
  void on_access(const AccessEvent& event, Verdict& verdict) override;
};

}  // namespace ropewalk::machine
