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

Texts texts_of(const std::vector<Cause>& causes) {
  Texts texts;
  for (const Cause& cause : causes) texts.insert(cause.id.empty() ? "" : cause.id + ": " + cause.text);
  return texts;
}

Launch launch_of_body(const std::string& body, u32 blocks) {
  const std::string ptx = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y) {
.reg .b32 %r<10>; .reg .b64 %rd<8>; .reg .pred %p<4>; .shared .align 4 .b8 tile[256];
mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mad.lo.u32 %r3, %r1, 4, %r2;
xor.b32 %r5, %r1, 63; mad.lo.u32 %r4, %r5, 4, %r2;
mov.u32 %r6, %ctaid.x; ld.param.u64 %rd1, [x]; mad.wide.u32 %rd2, %r6, 256, %rd1;
mad.wide.u32 %rd3, %r1, 4, %rd2; mad.wide.u32 %rd4, %r5, 4, %rd2; mov.u32 %r7, 0;
)" + body + R"(
ret;
}
.file 1 "k.cu"
)";
  const LaunchTensor x{
      .name = "x", .dtype = Dtype::I32, .shape = {64 * blocks + 1}, .strides = {1}, .init = Arange{}, .output = true};
  Launch launch = launch_of(ptx, {x}, blocks);
  launch.arguments.push_back(TensorArgument{0});
  return launch;
}
Texts causes_of_body(const std::string& body, u32 blocks) {
  return texts_of(causes_of_races_of(launch_of_body(body, blocks)));
}

}  // namespace ropewalk::diagnose
