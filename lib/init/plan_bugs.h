// Known bugs of the field that are about the order of an initialisation, each as a plan and its repaired form.
#pragma once
#include <string>
#include <vector>

#include "lib/init/plan.h"

namespace ropewalk::init {

struct PlanBug {
  int row = 0;  // the bug's number in the field's list
  std::string title;
  std::string broken, repaired;  // names of plans that come with the suite
  std::string culprit;           // name of the event at which it is found
  std::string cause;             // id; empty: an exception that has none
};

const std::vector<PlanBug>& plan_bugs();

// A plan that comes with the suite, by its name.
Plan shipped_plan(const std::string& name);

}  // namespace ropewalk::init
