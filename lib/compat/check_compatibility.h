// Does this caller's call bind to that provider's function, and does it mean the same?
#pragma once
#include <string>
#include <vector>

#include "lib/compat/caller.h"
#include "lib/compat/judge_call.h"
#include "lib/compat/provider.h"
#include "lib/finding/answer.h"

namespace ropewalk::compat {

// A problem of one call.
struct JudgedProblem {
  Call call;
  CallProblem problem;
};

struct PairVerdict {
  u64 calls = 0, healthy = 0;  // calls of functions that the provider has
  std::vector<JudgedProblem> problems;
  std::vector<MissingName> missing;  // that nothing catches
  std::vector<Answer::NotJudged> not_judged;
  std::vector<std::string> unknown;  // functions that are called and that the provider's table does not know
  std::vector<std::string> notes;
};
// Holds every call of the caller against the provider's signatures.
PairVerdict judge_pair(const Caller& caller, const Provider& provider);

// Versions of `all`, which ascend, as ranges of neighbours: "2.1.1 to 2.5.9.post1, 2.6.2".
std::string ranges_of(const std::vector<PackageVersion>& all, const std::vector<PackageVersion>& chosen);

// A case is a call, or the pair where nothing could be judged. Equal problems of several calls of one function are one
// finding.
Answer check_compatibility(const Caller& caller, const Provider& provider);

// The provider's versions (of the shipped table) that the caller calls without a problem, as "2.1.1 to 2.5.9.post1";
// empty: none, or the provider is in no table. `used`: it calls at all.
struct WorkingVersions {
  std::string working, used;
};
WorkingVersions working_versions(const Caller& caller, const Provider& provider);

}  // namespace ropewalk::compat
