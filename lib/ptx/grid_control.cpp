#include "lib/ptx/grid_control.h"

#include <algorithm>

#include "lib/ptx/flow.h"

namespace ropewalk::ptx {

std::vector<u32> grid_controls(const Module& module, const Function& function, std::string_view what) {
  std::vector<u32> out;
  for (u32 n = 0; n < function.instructions.size(); ++n) {
    const Opcode& opcode = module.opcode(function.instructions[n]);
    if (opcode.op == "griddepcontrol"_op && opcode.has(what)) out.push_back(n);
  }
  return out;
}

bool triggers_before_it_waits(const Module& module, const Function& function) {
  const std::vector<bool> is_late = reached(flow_of(module, function), grid_controls(module, function, "wait"));
  return std::ranges::any_of(grid_controls(module, function, "launch_dependents"),
                             [&](u32 trigger) { return !is_late[trigger]; });
}

}  // namespace ropewalk::ptx
