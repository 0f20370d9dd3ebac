// Tries a mutant: a campaign's cases, looked at as a campaign looks at them, until one shows that something is wrong.
#pragma once
#include <optional>

#include "tests/mutants/mutant.h"
#include "tests/mutants/reached.h"
#include "tests/mutants/target.h"

namespace ropewalk::mutants {

struct Verdict {
  std::optional<Rule> killed_by;
  std::string message;    // of the finding
  std::string case_text;  // that showed it
  std::string not_run;    // why the mutant could not be run; it is no mutant then
  u64 cases = 0;          // that were run, the last one included
  double seconds = 0;
};

// On all of the target's cases.
Verdict try_mutant(const Target& target, const Mutant& mutant);
// On one problem of the family's.
Verdict try_case(const Target& target, const Mutant& mutant, const std::string& problem, u64 blocks);

// The instructions of the healthy entry that all the target's cases execute together. Throws InternalError where a case
// finds something.
std::vector<bool> reached_by(const Target& target);

}  // namespace ropewalk::mutants
