// Two threads of a block that touch the same shared bytes, one of them writing, with no barrier between.
#pragma once
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

class SharedRaceCheck : public Checker {
 public:
  // strict: two writes of the same value are a race too.
  explicit SharedRaceCheck(bool strict) : strict_(strict) {}
  void on_access(const AccessEvent& event, Verdict& verdict) override;

 private:
  void report(const AccessEvent& event, u32 other_word, u32 other_step, bool other_wrote) const;

  bool strict_;
};

// Reports an access to shared bytes that a cp.async may still write.
void report_copy_under_way(const AccessEvent& event);

}  // namespace ropewalk::machine
