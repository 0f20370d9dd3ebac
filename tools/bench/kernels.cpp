#include <fmt/format.h>

#include "kernels/family.h"
#include "tools/bench/measure.h"

namespace ropewalk {

std::vector<Subject> kernel_subjects() {
  std::vector<Subject> subjects;
  for (const KernelFamily& family : all_families()) {
    if (!family.healthy()) continue;
    for (const char* dtype : {"f32", "bf16"}) {
      const Problem problem =
          parse_problem(fmt::format("rotary(B=2,T=128,H=8,D=128,dtype={},cache_dtype={})", dtype, dtype));
      if (family.reject(problem).empty()) {
        subjects.push_back({fmt::format("{} {}", family.name, dtype), family.launch(problem)});
      }
    }
  }
  return subjects;
}

}  // namespace ropewalk
