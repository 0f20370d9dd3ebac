#include "reports/report.h"

#include <algorithm>

#include "lib/finding/merge.h"

namespace ropewalk::reports {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Clean:
      return "clean";
    case Verdict::Findings:
      return "findings";
    case Verdict::NotRun:
      return "not-run";
  }
  return "not-run";
}

std::optional<Verdict> verdict_named(std::string_view name) {
  for (const Verdict verdict : {Verdict::Clean, Verdict::Findings, Verdict::NotRun}) {
    if (name_of(verdict) == name) return verdict;
  }
  return std::nullopt;
}

SeverityCounts count_severities(const std::vector<Finding>& findings) {
  SeverityCounts counts;
  for (const Finding& finding : findings) {
    if (finding.waiver) {
      ++(finding.waiver->by == Waiver::By::Baseline ? counts.known : counts.suppressed);
      continue;
    }
    switch (finding.severity) {
      case Severity::Error:
        ++counts.errors;
        break;
      case Severity::Warning:
        ++counts.warnings;
        break;
      case Severity::Note:
        ++counts.notes;
        break;
    }
  }
  return counts;
}

bool fails(const Finding& finding, bool strict) {
  if (finding.waiver) return false;
  return finding.severity == Severity::Error || (strict && finding.severity == Severity::Warning);
}

bool ran_unchecked(const Report& report) {
  return report.executor != "none" && report.coverage.checks.empty() && report.not_run.empty();
}

void conclude(Report& report, bool strict) {
  make_ids_unique(report.findings);
  report.strict = strict;
  Summary& summary = report.summary;
  summary.findings = report.findings.size();
  summary.not_run = report.not_run.size();
  const bool failed = std::any_of(report.findings.begin(), report.findings.end(),
                                  [&](const Finding& finding) { return fails(finding, strict); });
  const bool nothing_ran = (summary.passed == 0 && report.findings.empty()) || ran_unchecked(report);
  if (failed) {
    summary.verdict = Verdict::Findings;
  } else if (summary.not_run || nothing_ran) {
    summary.verdict = Verdict::NotRun;
  } else {
    summary.verdict = Verdict::Clean;
  }
}

}  // namespace ropewalk::reports
