// Programmatic dependent launch: griddepcontrol.wait and griddepcontrol.launch_dependents.
#pragma once
#include <string_view>
#include <vector>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

// The instructions griddepcontrol.`what` of the function.
std::vector<u32> grid_controls(const Module& module, const Function& function, std::string_view what);

// Whether it has a griddepcontrol.launch_dependents that no way leads to from a griddepcontrol.wait.
bool triggers_before_it_waits(const Module& module, const Function& function);

}  // namespace ropewalk::ptx
