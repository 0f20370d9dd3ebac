#include <fmt/format.h>

#include <algorithm>

#include "kernels/family.h"
#include "tools/commands/answer.h"

namespace ropewalk {

std::string answer(const ListOptions& options) {
  size_t width = 0;
  const auto is_meant = [&](const KernelFamily& family) {
    return family.problem_kind == options.problem_kind && (family.healthy() || options.faulty);
  };
  for (const KernelFamily& family : all_families()) {
    if (is_meant(family)) width = std::max(width, family.name.size());
  }
  std::string out;
  for (const KernelFamily& family : all_families()) {
    if (!is_meant(family)) continue;
    out += fmt::format("{:<{}}  {}", family.name, width, family.description);
    out += family.healthy() ? fmt::format("  ({})\n", family.source)
                            : fmt::format("  ({}; healthy twin: {})\n", family.source, family.healthy_twin);
  }
  return out;
}

}  // namespace ropewalk
