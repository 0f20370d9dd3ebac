// The report as GitLab's Code Quality JSON, which merge requests show beside the lines: a list of objects with the
// properties of "Code Quality report format" (docs.gitlab.com/ci/testing/code_quality).
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lib/base/hash.h"
#include "reports/facts.h"
#include "reports/printable.h"
#include "reports/readable.h"
#include "reports/report.h"

namespace ropewalk::reports {
namespace {

using OrderedJson = nlohmann::ordered_json;

const char* severity_of(const Finding& finding) {
  if (finding.severity == Severity::Error) return "critical";
  return finding.severity == Severity::Warning ? "minor" : "info";
}

// GitLab looks for paths in the repository, without "./" in front.
OrderedJson issue(const std::string& description, std::string_view check, const std::string& fingerprint,
                  const char* severity, std::string path, u64 line) {
  while (path.starts_with("./")) path.erase(0, 2);
  return {{"description", printable(readable(description))},
          {"check_name", check},
          {"fingerprint", fingerprint},
          {"severity", severity},
          {"location", {{"path", printable(path)}, {"lines", {{"begin", line ? line : 1}}}}}};
}

OrderedJson issue_of(const Finding& finding) {
  const FindingLocation location = finding.location.value_or(FindingLocation{});
  // What has no location, such as a grid that is too large, is reported at the case that asked for it, or at the
  // kernel.
  const std::string paths[] = {location.file, location.ptx_file, finding.case_text, kernel_of(finding), "."};
  const auto path = std::ranges::find_if(paths, [](const std::string& one) { return !one.empty(); });
  return issue(sentences_of(finding), name_of(finding.rule), finding.id, severity_of(finding), *path,
               location.file.empty() ? location.ptx_line : location.line);
}

}  // namespace

// Findings that are not waived, whose ids are the fingerprints by which GitLab compares two branches; and each case
// that did not run, so that an empty list means clean.
std::string gitlab_of(const Report& report) {
  OrderedJson issues = OrderedJson::array();
  for (const Finding& finding : report.findings) {
    if (!finding.waiver) issues.push_back(issue_of(finding));
  }
  for (const NotRunCase& left : report.not_run) {
    const std::string text = fmt::format("not run: {}: {}", left.case_text, left.reason);
    issues.push_back(issue(text, "not-run", fmt::format("{:016x}", hash_of(text)), "major", left.case_text, 1));
  }
  return issues.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace ropewalk::reports
