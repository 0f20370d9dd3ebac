#include "tools/run/excuse.h"

#include "lib/base/mapped_file.h"
#include "reports/baseline.h"
#include "reports/json.h"
#include "reports/suppress.h"

namespace ropewalk {

void excuse_findings(Report& report, const SharedOptions& options) {
  const std::string &baseline = options.baseline, &suppressions = options.suppressions;
  if (!suppressions.empty()) {
    suppress(report, read_suppressions(MappedFile(suppressions).text(), suppressions), suppressions, today_in_utc());
  }
  if (!baseline.empty()) {
    excuse_known(report, parse_json_report(MappedFile(baseline).text(), baseline), baseline);
  }
  if (!suppressions.empty() || !baseline.empty()) conclude(report, report.strict);
}

}  // namespace ropewalk
