#include "tools/atlas/judge.h"

#include <fmt/format.h>

#include <algorithm>

namespace ropewalk::tools {
namespace {

std::string tensor_of(const Finding& finding) { return finding.access ? finding.access->tensor : ""; }
std::string cause_of(const Finding& finding) { return finding.cause ? finding.cause->id : ""; }

bool is_at(const Finding& finding, const std::string& file, u64 line) {
  if (line == 0) return !finding.location || finding.location->line == 0;
  if (!finding.location) return false;
  // What a helper of the kernel does is done at the line that calls it.
  const auto is_there = [&](const auto& location) { return location.file == file && location.line == line; };
  const std::vector<SourcePosition>& callers = finding.location->inlined;
  return is_there(*finding.location) || std::any_of(callers.begin(), callers.end(), is_there);
}

std::string text_of(std::string_view rule, const std::string& tensor, const std::string& file, u64 line,
                    const std::string& cause) {
  std::string text(rule);
  if (!tensor.empty()) text += " of " + tensor;
  if (line) text += fmt::format(" at {}:{}", file, line);
  return text + (cause.empty() ? " without a cause" : " by " + cause);
}

std::string text_of(const Finding& finding) {
  const FindingLocation location = finding.location.value_or(FindingLocation{});
  return text_of(name_of(finding.rule), tensor_of(finding), location.file, location.line, cause_of(finding));
}

}  // namespace

bool is_expected(const Finding& finding, const kernels::ExpectedFinding& expected, const std::string& source) {
  return finding.rule == expected.rule && tensor_of(finding) == expected.tensor &&
         is_at(finding, source, expected.line) && cause_of(finding) == expected.cause;
}

namespace {

void judge_counterpart(const CaseResult& counterpart, const std::string& name, std::vector<std::string>& unlike) {
  if (!counterpart.not_run.empty())
    unlike.push_back(fmt::format("{} was not run to its end: {}", name, counterpart.not_run));
  for (const Finding& finding : counterpart.findings) {
    if (finding.waiver) continue;
    unlike.push_back(fmt::format("{}, the correct counterpart, is not silent: {}", name, text_of(finding)));
  }
}

}  // namespace

AtlasJudgement judge(const AtlasRun& run) {
  const AtlasBug& bug = *run.bug;
  const kernels::ExpectedFinding& expected = bug.found;
  AtlasJudgement judgement;
  std::string others;
  for (const Finding& finding : run.faulty.findings) {
    if (!judgement.found && is_expected(finding, expected, bug.source)) judgement.found = &finding;
    others += (others.empty() ? "" : "; ") + text_of(finding);
    // What preconditions let pass has a cause of its own: it speaks of the argument, not of what the kernel makes of
    // it.
    const bool of_preconditions =
        finding.rule == Rule::BadArgumentAccepted && expected.rule != Rule::BadArgumentAccepted;
    if (finding.cause && finding.cause->id != expected.cause && !of_preconditions && !finding.waiver) {
      judgement.unlike.push_back("another cause is named: " + text_of(finding));
    }
  }
  // A launch over the limits is found and, rightly, not run.
  if (!run.faulty.not_run.empty() && !judgement.found) {
    judgement.unlike.push_back(fmt::format("{} was not run to its end: {}", bug.faulty, run.faulty.not_run));
  }
  if (!judgement.found) {
    const std::string wanted =
        text_of(name_of(expected.rule), expected.tensor, bug.source, expected.line, expected.cause);
    judgement.unlike.push_back(
        fmt::format("expected {}, found {}", wanted, others.empty() ? std::string("nothing") : others));
  }
  if (run.counterpart) judge_counterpart(*run.counterpart, bug.counterpart, judgement.unlike);
  return judgement;
}

}  // namespace ropewalk::tools
