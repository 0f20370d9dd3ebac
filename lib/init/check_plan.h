// A plan file to findings.
#pragma once
#include "lib/family/kernel.h"
#include "lib/finding/answer.h"
#include "lib/init/natural.h"
#include "lib/init/plan.h"

namespace ropewalk::init {

// The case is the plan. Not judged are buffers that something is done to and that no forward uses, and what a search
// that was cut left out. Notes say how many orders there are, were run, are good.
struct PlanAnswer : Answer {
  Natural orders, good;
  bool cut = false;  // not all of them were explored
  u64 states = 0;    // distinct ones that were reached
  u64 runs = 0;      // steps that were executed
  u64 launches = 0;  // of kernels, on the machine
};

PlanAnswer check_plan(const Plan& plan, const Kernels& kernels);

}  // namespace ropewalk::init
