// Findings that a launch makes again and again. Once it is known that they are many, what was found at an instruction
// is reported no more: the fast tier executes it, so that a finding that is seen for the thousandth time costs next to
// nothing. Its count is then a lower bound, and what a block writes after it met such a finding is lost, for nobody
// follows which of it comes from there.
#pragma once
#include <map>
#include <set>
#include <tuple>

#include "lib/launch/launch.h"
#include "lib/machine/collector.h"
#include "lib/machine/handlers/fast_access.h"

namespace ropewalk::machine {

class Settled {
 public:
  // What the handlers of a step may do.
  struct AtStep {
    SettledAccess access;
    bool unwatched = false;  // a computation of which no check has more to say
    bool operator==(const AtStep&) const = default;
  };

  // Takes up what was found where no other finding can come of it: what such an access yields must not decide an
  // address, a branch, or what lanes do together. True: something is new.
  bool take(const Collector& found, const Launch& launch, const Code& code);
  // Takes up one, whatever comes of it. met: set where the step lets it pass. False: it is not known how to, or
  // something is settled at the step already.
  bool take_one(const Occurrence& finding, const Code& code, u8* met);
  // Whether a finding is reported no more.
  bool has(const Occurrence& finding) const;
  bool operator==(const Settled&) const = default;
  // nullptr: nothing is settled at the step.
  const AtStep* at(u32 step) const {
    const auto found = steps_.find(step);
    return found == steps_.end() ? nullptr : &found->second;
  }

 private:
  std::map<u32, AtStep> steps_;
  std::set<std::tuple<Rule, u32, u32>> reported_;  // by step and window
};

}  // namespace ropewalk::machine
