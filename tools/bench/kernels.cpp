#include "kernels/kernels.h"

#include <fmt/format.h>

#include "tools/bench/measure.h"

namespace ropewalk::tools {

std::vector<MeasuredLaunch> kernel_subjects(const std::string& family) {
  std::vector<MeasuredLaunch> subjects;
  for (const Kernel& kernel : kernels::all_kernels()) {
    if (!kernel.is_correct() || kernel.family->name != family) continue;
    for (const char* dtype : {"f32", "bf16"}) {
      const Problem problem = families::parse_problem(
          family == "rotary" ? fmt::format("rotary(B=2,T=128,H=8,D=128,dtype={},cache_dtype={})", dtype, dtype)
                             : fmt::format("attention(B=1,Tq=128,Tk=128,H=4,D=64,dtype={})", dtype));
      if (kernel.reject(problem).empty()) {
        subjects.push_back({fmt::format("{} {}", kernel.name, dtype), kernel.launch(problem)});
      }
    }
  }
  return subjects;
}

}  // namespace ropewalk::tools
