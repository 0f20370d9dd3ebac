#include <fmt/format.h>

#include "kernels/family.h"
#include "tools/bench/measure.h"

namespace ropewalk {

std::vector<MeasuredLaunch> kernel_subjects(const std::string& problem_kind) {
  std::vector<MeasuredLaunch> subjects;
  for (const KernelFamily& family : all_families()) {
    if (!family.healthy() || family.problem_kind != problem_kind) continue;
    for (const char* dtype : {"f32", "bf16"}) {
      const Problem problem = parse_problem(
          problem_kind == "rotary" ? fmt::format("rotary(B=2,T=128,H=8,D=128,dtype={},cache_dtype={})", dtype, dtype)
                                   : fmt::format("attention(B=1,Tq=128,Tk=128,H=4,D=64,dtype={})", dtype));
      if (family.reject(problem).empty()) {
        subjects.push_back({fmt::format("{} {}", family.name, dtype), family.launch(problem)});
      }
    }
  }
  return subjects;
}

}  // namespace ropewalk
