// The plans that come with the suite, lib/init/plans, inside the programs.
#pragma once
#include <string>
#include <vector>

namespace ropewalk::init {

struct ShippedPlan {
  std::string name;  // "litgpt.broken"
  std::string text;

  // From the root of the repository.
  std::string path() const { return "lib/init/plans/" + name + ".json"; }
};

const std::vector<ShippedPlan>& shipped_plans();

}  // namespace ropewalk::init
