// Tries a mutant: a campaign's cases, looked at as a campaign looks at them, until one shows that something is wrong.
#pragma once
#include <optional>

#include "tests/mutants/mutant.h"
#include "tests/mutants/reached.h"
#include "tests/mutants/target.h"

namespace ropewalk::mutants {

struct Verdict {
  std::optional<Rule> killed_by;
  bool strict = false;    // under --strict alone
  std::string message;    // of the finding
  std::string case_text;  // that showed it
  std::string not_run;    // why the mutant could not be run; it is no mutant then
  u64 cases = 0;          // that were run, the last one included
  double seconds = 0;
};

// On all of the target's cases; where none shows anything, once more under --strict.
Verdict try_mutant(const Target& target, const Mutant& mutant);

// The instructions of the healthy entry that all the target's cases execute together. Throws InternalError where a case
// finds something.
std::vector<bool> reached_by(const Target& target);

}  // namespace ropewalk::mutants
