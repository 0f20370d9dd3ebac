// Launch files with what must be found in each: the folder's expected.json.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/launch/outcome.h"

namespace ropewalk {

struct LaunchCase {
  std::string name;    // the launch file is NAME.json
  std::string folder;  // from the root of the repository
  nlohmann::json
      want;  // {"kind": "found", "counterpart": "...", "strict": true, "findings": [{"rule": ..., "line": ...}]}

  std::string path() const { return folder + "/" + name + ".json"; }
  bool strict() const { return want.value("strict", false); }
};

void PrintTo(const LaunchCase& launch_case, std::ostream* out);

// Every launch file that the folder's expected.json names. Throws InputError where there is none.
std::vector<LaunchCase> launch_cases(const std::string& folder);

// What expected.json may name of a finding: rule, severity, file, line, tensor, space, field, argument, index,
// byte_offset, bytes_past_end, bytes_before_start; null where the finding has no such thing.
nlohmann::json facts_of(const Finding& finding);

// What is wrong with the findings: those that are missing (no finding has all the facts that are named) and those that
// nobody expects (no expectation has their rule, line and tensor). Empty: nothing.
std::string complaints(const LaunchCase& launch_case, const std::vector<Finding>& findings);

}  // namespace ropewalk
