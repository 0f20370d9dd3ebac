#include "tools/commands/planned_cases.h"

#include "tools/parse/parse.h"
#include "tools/run/executor.h"

namespace ropewalk::tools {

std::vector<std::string> words_of_case(const Program& program, const std::string& kernel, const std::string& problem) {
  if (program.is_about("rotary")) return {"case", kernel, "--problem", problem};
  return {"case", problem, "--kernel", kernel};
}

std::vector<std::string> replay_options(const SharedOptions& shared) {
  std::vector<std::string> words;
  if (shared.checks != CheckSet::all()) words.insert(words.end(), {"--checks", text_of(shared.checks)});
  if (shared.guards != gpu::Guards::End) {
    words.insert(words.end(),
                 {"--executor", name_of(shared.executor), "--guards", gpu::guard_names[size_t(shared.guards)]});
  }
  if (shared.strict) words.push_back("--strict");
  if (shared.fp_contract) words.push_back("--fp-contract");
  if (shared.block_order) words.insert(words.end(), {"--block-order", std::to_string(shared.block_order)});
  if (shared.schedule) words.insert(words.end(), {"--schedule", std::to_string(shared.schedule)});
  if (shared.root_given) words.insert(words.end(), {"--root", shared.root});
  for (const auto& [from, to] : shared.maps) words.insert(words.end(), {"--map", from + "=" + to});
  return words;
}

std::string replay_line(const SharedOptions& shared, std::vector<std::string> words) {
  const std::vector<std::string> more = replay_options(shared);
  words.insert(words.end(), more.begin(), more.end());
  return quoted_line(shared.program->name, words);
}

}  // namespace ropewalk::tools
