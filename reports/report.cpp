#include "reports/report.h"

namespace ropewalk {

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

void conclude(Report& report, bool strict) {
  Summary& summary = report.summary;
  summary.findings = report.findings.size();
  summary.not_run = report.not_run.size();
  const SeverityCounts counts = count_severities(report.findings);
  const bool nothing_ran = summary.passed == 0 && report.findings.empty();
  if (counts.errors || (strict && counts.warnings)) {
    summary.verdict = Verdict::Findings;
  } else if (summary.not_run || nothing_ran) {
    summary.verdict = Verdict::NotRun;
  } else {
    summary.verdict = Verdict::Clean;
  }
}

}  // namespace ropewalk
