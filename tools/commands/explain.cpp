#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/nearest.h"
#include "lib/finding/cause_info.h"
#include "reports/rules.h"
#include "tools/commands/answer.h"

namespace ropewalk::tools {
namespace {

constexpr size_t text_width = 100;

// The text in lines of at most `text_width` characters, each set in by two.
std::string wrapped(std::string_view text) {
  std::string out;
  size_t column = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (column > 0 && column + 1 + end > text_width) column = 0;
    if (column == 0) out += out.empty() ? "  " : "\n  ";
    if (column > 0) out += ' ';
    out += text.substr(0, end);
    column += end + (column > 0);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + "\n";
}

std::string list_of_all() {
  std::string out = "rules\n";
  for (const Rule rule : all_rules()) out += fmt::format("  {:<28} {}\n", name_of(rule), reports::info_of(rule).title);
  out += "\ncauses\n";
  for (const CauseInfo& cause : all_causes()) out += fmt::format("  {:<28} {}\n", cause.id, cause.title);
  return out;
}

}  // namespace

std::string answer(const ExplainOptions& options) {
  if (options.name.empty()) return list_of_all();
  if (const std::optional<Rule> rule = rule_named(options.name)) {
    const RuleInfo& info = reports::info_of(*rule);
    return fmt::format("{}: {}\n\n{}\n{}\n{}", name_of(*rule), info.title, wrapped(info.means), wrapped(info.hurts),
                       wrapped(info.causes));
  }
  if (const CauseInfo* cause = cause_named(options.name)) {
    return fmt::format("{}: {}\n\n{}\n{}\n{}", cause->id, cause->title, wrapped(cause->means),
                       wrapped(fmt::format("Claimed where: {}", cause->evidence)),
                       wrapped(fmt::format("What to do: {}", cause->advice)));
  }
  std::vector<std::string> names;
  for (const Rule rule : all_rules()) names.emplace_back(name_of(rule));
  for (const CauseInfo& cause : all_causes()) names.emplace_back(cause.id);
  throw InputError("explain: no rule and no cause is named \"" + options.name + "\"; " +
                   did_you_mean(options.name, names));
}

}  // namespace ropewalk::tools
