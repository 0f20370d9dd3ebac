// Why a call does not fit: what the shipped table tells of the versions around.
#pragma once
#include "lib/compat/check_compatibility.h"
#include "lib/finding/finding.h"

namespace ropewalk::compat {

// The versions of the table in which the function has the parameter or, without one, in which there is the function.
struct TableSpan {
  std::optional<PackageVersion> first;
  // The last one before the provider's version, and whether that has it as well: sources may be others than they say.
  std::optional<PackageVersion> last_before;
  bool here = false;
  std::string ranges;  // all of them
};
TableSpan span_of(const std::string& function, const std::string& parameter,
                  const std::optional<PackageVersion>& version);

// Where a call that lacks an argument counts the positions of another version, which takes it: the first of them at
// which another parameter stands now. nullopt: there is no such version, or no such position.
std::optional<u64> first_shift(const JudgedProblem& one, const Provider& provider);

// The cause with its text, and what the table adds to the evidence. That a call is written for another version is
// claimed where a version of the table takes this very call.
Cause cause_of(const JudgedProblem& one, const Provider& provider);

}  // namespace ropewalk::compat
