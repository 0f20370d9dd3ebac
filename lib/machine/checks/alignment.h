// Addresses that are no multiple of the access's size: a fault on every GPU.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

class AlignmentCheck : public Checker {
 public:
  void on_access(const AccessEvent& event, Verdict& verdict) override;
};

}  // namespace ropewalk::machine
