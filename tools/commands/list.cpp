#include <fmt/format.h>

#include <algorithm>

#include "kernels/kernels.h"
#include "tools/commands/answer.h"

namespace ropewalk::tools {

std::string answer(const ListOptions& options) {
  size_t width = 0;
  const auto is_meant = [&](const Kernel& kernel) {
    return std::ranges::find(options.families, kernel.family->name) != options.families.end() &&
           (kernel.is_correct() || options.faulty);
  };
  for (const Kernel& kernel : kernels::all_kernels()) {
    if (is_meant(kernel)) width = std::max(width, kernel.name.size());
  }
  std::string out;
  for (const Kernel& kernel : kernels::all_kernels()) {
    if (!is_meant(kernel)) continue;
    out += fmt::format("{:<{}}  {}", kernel.name, width, kernel.description);
    out += kernel.is_correct() ? fmt::format("  ({})\n", kernel.source)
                               : fmt::format("  ({}; correct counterpart: {})\n", kernel.source, kernel.counterpart);
  }
  return out;
}

}  // namespace ropewalk::tools
