#include "lib/compare/expect.h"

#include <fmt/format.h>

#include "lib/base/error.h"

namespace ropewalk::compare {

std::string expect_answer(const Kernel& kernel, const Problem& problem, Launch& launch, i64 most) {
  const std::vector<std::string> reasons = unanswerable(kernel, problem);
  if (!reasons.empty()) return "no result is defined: " + reasons.front();
  i64 elements = 0;
  for (const LaunchTensor& tensor : launch.tensors) elements += tensor.output ? element_count(tensor.shape) : 0;
  if (elements > most)
    return fmt::format("outputs of {} elements are more than the {} that are computed", elements, most);
  kernel.family->expect(problem, launch);
  return "";
}

}  // namespace ropewalk::compare
