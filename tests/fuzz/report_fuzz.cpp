// Any bytes as the JSON of a report: they are refused with one line, or read, written, read again and written the same.
// A report that was read has a text in every format, waives its own findings as a baseline, and merges with nothing.
#include "lib/base/error.h"
#include "reports/baseline.h"
#include "reports/format.h"
#include "reports/json.h"
#include "reports/merge.h"
#include "tests/fuzz/require.h"

namespace {

using namespace ropewalk;
using namespace ropewalk::reports;

void require_known_to_itself(const Report& report, const std::string& text) {
  Report again = report;
  for (Finding& finding : again.findings) finding.waiver.reset();
  waive_known(again, report, "before.json");
  for (const Finding& finding : again.findings) {
    require(finding.waiver.has_value(), "a finding is not in its own baseline", text);
  }
}

void require_merges(const Report& report, const std::string& text) {
  try {
    const Report one = merged({{"input.json", report}});
    require(one.summary.cases == report.summary.cases, "cases are lost where one report is merged", text);
    require(one.findings.size() <= report.findings.size(), "more findings than there were", text);
  } catch (const InputError& error) {
    require_message(error.what(), "input.json");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  Report report;
  try {
    report = parse_json_report({reinterpret_cast<const char*>(data), size}, "input.json");
  } catch (const InputError& error) {
    require_message(error.what(), "input.json");
    return 0;
  }
  const std::string text = json_of(report);
  try {
    require(json_of(parse_json_report(text, "written.json")) == text, "the written report reads as another one", text);
  } catch (const InputError& error) {
    require(false, error.what(), text);
  }
  // One of them each time: pages with pictures take longer than all the rest.
  const Format& format = all_formats()[size % all_formats().size()];
  require(!format.write(report).empty(), "a format without a text", text);
  require_known_to_itself(report, text);
  require_merges(report, text);
  return 0;
}
