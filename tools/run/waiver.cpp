#include "tools/run/waiver.h"

#include "lib/base/mapped_file.h"
#include "reports/baseline.h"
#include "reports/json.h"
#include "reports/suppress.h"
#include "tools/run/sources.h"

namespace ropewalk::tools {
namespace {

// A baseline of a version that reported paths as they were knows the same locations.
void tell_paths(std::vector<Finding>& findings, const SourcePaths& paths) {
  for (Finding& finding : findings) {
    if (finding.location) finding.location->file = paths.of_source(finding.location->file);
  }
}

}  // namespace

void waive_findings(reports::Report& report, const SharedOptions& options) {
  const std::string &baseline = options.baseline, &suppressions = options.suppressions;
  if (!suppressions.empty()) {
    reports::suppress(report, reports::read_suppressions(MappedFile(suppressions).text(), suppressions), suppressions,
                      reports::today_in_utc());
  }
  if (!baseline.empty()) {
    reports::Report known = reports::parse_json_report(MappedFile(baseline).text(), baseline);
    tell_paths(known.findings, source_paths_of(options));
    reports::waive_known(report, known, baseline);
  }
  if (!suppressions.empty() || !baseline.empty()) reports::conclude(report, report.strict);
}

}  // namespace ropewalk::tools
