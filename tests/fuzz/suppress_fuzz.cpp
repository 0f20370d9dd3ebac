// Any bytes as a suppression file: they are refused with one line, or every one of its suppressions has a reason and
// fits the findings of a report or is reported to fit none.
#include "lib/base/error.h"
#include "reports/suppress.h"
#include "tests/fuzz/require.h"

namespace {

using namespace ropewalk;
using namespace ropewalk::reports;

Report fixed_report() {
  Report report;
  Finding finding;
  finding.id = "6f1c2a9e";
  finding.rule = Rule::SharedRace;
  finding.kernel_name = "old/rotary";
  finding.kernel_entry = "rotary";
  finding.location = FindingLocation{};
  finding.location->file = "kernels/rotary.cu";
  finding.location->line = 41;
  finding.access = Access{};
  finding.access->tensor = "out";
  report.findings = {finding, finding};
  report.findings.back().location.reset();
  report.findings.back().access.reset();
  return report;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::vector<Suppression> all;
  try {
    all = read_suppressions(text, "input.json");
  } catch (const InputError& error) {
    require_message(error.what(), "input.json");
    return 0;
  }
  const Date today{std::chrono::year(2026), std::chrono::month(6), std::chrono::day(15)};
  for (const Suppression& one : all) {
    require(!one.reason.empty(), "a suppression without a reason", text);
    require(!one.until || one.until->ok(), "a suppression until a day that there is not", text);
    Report report = fixed_report();
    suppress(report, {one}, "input.json", today);
    bool waives = false;
    for (const Finding& finding : report.findings) waives |= finding.waiver.has_value();
    require(waives == report.notes.empty(), "a suppression neither counts nor is reported not to", text);
  }
  return 0;
}
