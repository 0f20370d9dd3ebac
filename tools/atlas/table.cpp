#include "tools/atlas/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "reports/paint.h"

namespace ropewalk::tools {
namespace {

std::string found_by(const AtlasJudgement& judgement) {
  return judgement.found ? std::string(name_of(judgement.found->rule)) : "not found";
}

std::string cause_of(const AtlasJudgement& judgement) {
  return judgement.found && judgement.found->cause ? judgement.found->cause->id : "-";
}

bool is_silent(const CaseResult& counterpart) {
  return counterpart.not_run.empty() && std::all_of(counterpart.findings.begin(), counterpart.findings.end(),
                                                    [](const Finding& finding) { return finding.waiver.has_value(); });
}

double seconds_of(const AtlasRun& run) { return run.faulty.seconds + (run.counterpart ? run.counterpart->seconds : 0); }

}  // namespace

std::string atlas_table(const std::vector<AtlasRun>& runs, const std::vector<AtlasJudgement>& judgements, bool color) {
  const reports::Paint paint(color);
  size_t bug = 3, rule = 8, cause = 5;
  for (size_t n = 0; n < runs.size(); ++n) {
    bug = std::max(bug, runs[n].bug->title.size());
    rule = std::max(rule, found_by(judgements[n]).size());
    cause = std::max(cause, cause_of(judgements[n]).size());
  }
  std::string out = fmt::format("{:>3}  {:<{}}  {:<{}}  {:<{}}  {:<7}  {:>9}\n", "row", "bug", bug, "found by", rule,
                                "cause", cause, "counterpart", "time");
  for (size_t n = 0; n < runs.size(); ++n) {
    const AtlasRun& run = runs[n];
    const AtlasJudgement& judgement = judgements[n];
    const char* const counterpart = !run.counterpart ? "rejects" : is_silent(*run.counterpart) ? "silent" : "found";
    const std::string line =
        fmt::format("{:>3}  {:<{}}  {:<{}}  {:<{}}  {:<7}  {:>6.1f} ms", run.bug->row, run.bug->title, bug,
                    found_by(judgement), rule, cause_of(judgement), cause, counterpart, 1e3 * seconds_of(run));
    out += (judgement.as_expected() ? line : paint(reports::Ink::Error, line)) + "\n";
    for (const std::string& sentence : judgement.unlike) out += "     " + reports::printable(sentence) + "\n";
  }
  return out;
}

}  // namespace ropewalk::tools
