// A plan file to findings.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/family/kernel.h"
#include "lib/finding/finding.h"
#include "lib/init/natural.h"
#include "lib/init/plan.h"

namespace ropewalk::init {

struct PlanAnswer {
  std::vector<Finding> findings;
  std::vector<std::string> notes;  // how many orders there are, were run, are good
  Natural orders, good;
  std::vector<std::string> not_judged;  // buffers that something is done to and that no forward uses, in words
  bool cut = false;                     // not all of them were explored
  u64 states = 0;                       // distinct ones that were reached
  u64 runs = 0;                         // steps that were executed
  u64 launches = 0;                     // of kernels, on the machine
};

PlanAnswer check_plan(const Plan& plan, const Kernels& kernels);

}  // namespace ropewalk::init
