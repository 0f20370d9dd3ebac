// Two threads that touch the same bytes, one of them writing, where neither access happens before the other: races in
// launches whose order of events is followed.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

class OrderCheck : public Checker {
 public:
  // strict: two writes of the same value are a race too.
  explicit OrderCheck(bool strict) : strict_(strict) {}
  void on_access(const AccessEvent& event, Verdict& verdict) override;

 private:
  bool strict_;
};

}  // namespace ropewalk::machine
