// Where a SARIF result says that a finding is.
#include <gtest/gtest.h>

#include "lib/base/json.h"
#include "reports/format.h"
#include "reports/report.h"

namespace ropewalk::reports {
namespace {

Json location_of(const Finding& finding) {
  Report report;
  report.findings = {finding};
  const Json sarif = parse_json(format_named("sarif").write(report), "report");
  return sarif["runs"][0]["results"][0]["locations"][0];
}

TEST(Sarif, AFindingOfNoKernelIsInItsFile) {
  Finding finding;
  finding.rule = Rule::CacheMismatch;
  finding.case_text = "rank0.safetensors";
  const Json location = location_of(finding);
  EXPECT_EQ(location["physicalLocation"]["artifactLocation"]["uri"], "rank0.safetensors");
  EXPECT_FALSE(location.contains("logicalLocations"));
  finding.kernel_entry = "rotate";
  const Json of_kernel = location_of(finding);
  EXPECT_EQ(of_kernel["logicalLocations"][0]["name"], "rotate");
  EXPECT_FALSE(of_kernel.contains("physicalLocation"));
}

}  // namespace
}  // namespace ropewalk::reports
