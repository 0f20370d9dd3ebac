#include "tests/lib/diagnose/races_of.h"

#include "lib/machine/machine.h"
#include "lib/ptx/read_module.h"

namespace ropewalk::diagnose {

std::vector<Cause> causes_of_races_of(const Launch& launch) {
  std::vector<Finding> findings = machine::make_machine()->run(launch, {}).findings;
  diagnose(findings, launch);
  std::vector<Cause> causes;
  for (const Finding& finding : findings) {
    if (finding.rule == Rule::SharedRace || finding.rule == Rule::GlobalRace)
      causes.push_back(finding.cause.value_or(Cause()));
  }
  return causes;
}

Launch launch_of(const std::string& ptx, std::vector<LaunchTensor> tensors, u32 blocks, u32 threads) {
  Launch launch;
  launch.module = std::make_shared<const ptx::Module>(ptx::read_module(ptx, "k.ptx"));
  launch.entry = "k";
  launch.grid = {blocks, 1, 1};
  launch.block = {threads, 1, 1};
  launch.tensors = std::move(tensors);
  for (u32 n = 0; n < launch.tensors.size(); ++n) launch.arguments.push_back(TensorArgument{n});
  return launch;
}

}  // namespace ropewalk::diagnose
