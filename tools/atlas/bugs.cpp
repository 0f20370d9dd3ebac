#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "tools/atlas/bug.h"

namespace ropewalk::tools {
namespace {

std::vector<AtlasBug> all_bugs(const Request& request) {
  std::vector<AtlasBug> all;
  const auto add = [&](std::vector<AtlasBug> (*kind)(const Request&)) {
    for (AtlasBug& bug : kind(request)) all.push_back(std::move(bug));
  };
  add(kernel_bugs);
  // Caches, initialisations and programs are those of rotary embeddings, libraries that call each other those of
  // attention.
  if (request.shared.program->is_about("rotary")) {
    add(cache_bugs);
    add(plan_bugs);
    add(device_bugs);
  } else {
    add(compat_bugs);
  }
  std::stable_sort(all.begin(), all.end(), [](const AtlasBug& a, const AtlasBug& b) { return a.row < b.row; });
  return all;
}

std::string rows_of(const std::vector<AtlasBug>& bugs) {
  std::string rows;
  int last = 0;
  for (const AtlasBug& bug : bugs) {
    if (bug.row != last) rows += fmt::format("{}{}", last ? ", " : "", bug.row);
    last = bug.row;
  }
  return rows;
}

}  // namespace

CaseResult result_of(Answer answer, const char* check, const std::string& case_text, const std::string& replay,
                     const Stopwatch& watch) {
  CaseResult result{true, answer.not_judged.empty() ? "" : answer.not_judged.front().reason,
                    std::move(answer.findings)};
  result.checks.made = {check};
  for (Finding& finding : result.findings) {
    finding.case_text = case_text;
    finding.replay = replay;
    if (finding.id.empty()) identify(finding);
  }
  result.seconds = watch.seconds();
  return result;
}

std::vector<AtlasBug> atlas_bugs(const std::vector<std::string>& rows, const Request& request) {
  const std::vector<AtlasBug> all = all_bugs(request);
  if (rows.empty()) return all;
  std::vector<AtlasBug> chosen;
  for (const std::string& row : rows) {
    if (std::ranges::count(rows, row) > 1) throw InputError("atlas: the row " + row + " is named twice");
    const size_t before = chosen.size();
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
                 [&](const AtlasBug& bug) { return std::to_string(bug.row) == row; });
    if (chosen.size() == before) {
      throw InputError(fmt::format("the atlas has no row \"{}\"; its rows are {}", row, rows_of(all)));
    }
  }
  return chosen;
}

}  // namespace ropewalk::tools
