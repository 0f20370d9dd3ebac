#include <fmt/format.h>

#include <algorithm>

#include "kernels/family.h"
#include "tools/commands/answer.h"

namespace ropewalk {

std::string answer(const ListOptions& options) {
  size_t width = 0;
  for (const KernelFamily& family : all_families()) {
    if (family.healthy() || options.faulty) width = std::max(width, family.name.size());
  }
  std::string out;
  for (const KernelFamily& family : all_families()) {
    if (!family.healthy() && !options.faulty) continue;
    out += fmt::format("{:<{}}  {}", family.name, width, family.description);
    out += family.healthy() ? fmt::format("  ({})\n", family.source)
                            : fmt::format("  ({}; healthy twin: {})\n", family.source, family.healthy_twin);
  }
  return out;
}

}  // namespace ropewalk
