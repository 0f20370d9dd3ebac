// Accesses inside a tensor that leave the field they were meant for, or fall between its elements.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

class FieldsCheck : public Checker {
 public:
  void on_access(const AccessEvent& event, Verdict& verdict) override;
};

}  // namespace ropewalk::machine
