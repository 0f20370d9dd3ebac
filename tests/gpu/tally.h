// What was compared, what differed, and what could not be run.
#pragma once
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk {

struct Tally {
  u64 compared = 0, not_run = 0;
  std::vector<std::string> differences;
  std::map<std::string, u64> reasons;  // why something was not run, and how often
  std::map<std::string, double> measured;

  void leave_out(const std::string& reason) {
    ++not_run;
    ++reasons[reason];
  }
  void add(const Tally& other) {
    compared += other.compared;
    not_run += other.not_run;
    differences.insert(differences.end(), other.differences.begin(), other.differences.end());
    for (const auto& [reason, count] : other.reasons) reasons[reason] += count;
    measured.insert(other.measured.begin(), other.measured.end());
  }
  nlohmann::json json() const {
    nlohmann::json out = {
        {"compared", compared}, {"not_run", not_run}, {"differences", differences}, {"not_run_reasons", reasons}};
    if (!measured.empty()) out["measured"] = measured;
    return out;
  }
};

}  // namespace ropewalk
