#include "lib/family/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/nearest.h"

namespace ropewalk {

Kernels::Kernels(std::vector<Kernel> all) : all_(std::move(all)) {
  std::stable_partition(all_.begin(), all_.end(), [](const Kernel& kernel) { return kernel.is_correct(); });
  for (Kernel& kernel : all_) {
    if (kernel.is_correct()) continue;
    const auto correct = std::ranges::find(all_, kernel.counterpart, &Kernel::name);
    if (correct == all_.end()) throw InternalError(kernel.name + " has no counterpart " + kernel.counterpart);
    kernel.correct = &*correct;
  }
}

const Kernel& Kernels::named(std::string_view name) const {
  std::vector<std::string> names;
  for (const Kernel& kernel : all_) {
    if (kernel.name == name) return kernel;
    names.push_back(kernel.name);
  }
  throw InputError(fmt::format("no kernel \"{}\", {}", name, did_you_mean(name, names)));
}

std::vector<std::string> unanswerable(const Kernel& kernel, const Problem& problem) {
  std::vector<std::string> reasons = kernel.reject(problem);
  if (reasons.empty() && kernel.correct) reasons = kernel.correct->reject(problem);
  return reasons;
}

}  // namespace ropewalk
