// A check as one unit: its rules, who listens for it, and its words. A new one is a file here and a line in each list
// of lib/finding/list.h.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "lib/finding/check.h"
#include "lib/finding/rule.h"
#include "lib/launch/launch.h"
#include "lib/machine/checks/check.h"

namespace ropewalk::machine {

class Wording;

// How a launch is listened to.
struct Listening {
  bool is_asked_for = true;  // by --checks
  bool strict = false;       // two writes of the same value are a race
  bool ordered = false;      // races are judged by the order of events (LaunchState::order),
  bool by_barriers = false;  // but for those in shared memory, by the barriers of the whole block
};

// For checks that listen the same way to every launch.
template <class Listener>
std::unique_ptr<Checker> listens(const Listening&) {
  return std::make_unique<Listener>();
}

struct CheckUnit {
  std::vector<RuleInfo> rules;
  // The sentence of a finding of one of them; nullptr: the detail of the occurrence is one.
  std::string (*words)(const Wording& wording) = nullptr;

  // Who listens in the careful tier; nullptr: nobody has to.
  std::unique_ptr<Checker> (*listen)(const Listening& listening) = nullptr;
  bool listens_always = false;
  bool is_asked_first = false;  // before an access is known to be inside

  // The handler of the fast tier for a computation that the check watches: it runs the one in op->extra where no active
  // lane does what is looked for, else it stops for the careful tier (stop_careful). nullptr: this one is not watched.
  // is_uniform: the operands and the result are the same in all lanes.
  Handler (*precheck)(const Code& code, const Step& step, bool is_uniform) = nullptr;
  // Before the careful tier executes it: the sources (unwritten.h) of results that are undefined by it, by warp and
  // lane.
  void (*undefined_results)(const Context& context, const Op* op, LaneSources& sources) = nullptr;

  // Why a launch gives the check nothing to look at; empty: it does.
  std::string (*why_vacuous)(const Launch& launch) = nullptr;

  const RuleInfo* info_of(Rule rule) const;
};

// Each stands in the file of its check; the linker misses one that does not.
template <Check check>
const CheckUnit& unit();
#define RW_UNIT(name) \
  template <>         \
  const CheckUnit& unit<Check::name>();
ROPEWALK_CHECKS(RW_UNIT)
#undef RW_UNIT

const CheckUnit& unit_of(Check check);
// nullptr: the rule belongs to no check.
const CheckUnit* unit_of(Rule rule);

// The check that watches a computation, with its handler for the fast tier.
struct Precheck {
  const CheckUnit* unit = nullptr;
  Handler handler = nullptr;
};
Precheck precheck_of(const Code& code, const Step& step, bool is_uniform);

// The listeners for a set of checks, in the order in which they are asked.
Checkers make_checkers(CheckSet checks, Listening listening);

}  // namespace ropewalk::machine
