#include "tests/reports/example.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

namespace ropewalk::testing {
namespace {

Finding out_of_bounds() {
  Finding finding;
  finding.rule = Rule::OutOfBoundsWrite;
  finding.severity = Severity::Error;
  finding.message = "writes 2 bytes just past the end of out";
  finding.kernel_name = "faulty/rotary/apply";
  finding.kernel_entry = "rotary_apply_half_bf16";
  FindingLocation location;
  location.file = "kernels/rotary/apply.cu";
  location.line = 41;
  location.column = 5;
  location.inlined = {{"kernels/rotary/apply.cu", 41, 5, "_Z6rotateI13__nv_bfloat16EvPT_PKS1_"},
                      {"kernels/rotary/apply.cu", 77, 3, ""}};
  location.ptx_file = "kernels/ptx/rotary_apply.ptx";
  location.ptx_line = 212;
  location.instruction = "st.global.b16 [%rd9], %rs4";
  finding.location = location;
  Access access;
  access.space = "global";
  access.bytes = 2;
  access.tensor = "out";
  access.argument = 0;
  access.index = {{2, 0, 0, 0}};
  access.shape = {2, 128, 8, 64};
  access.dtype = "bf16";
  access.byte_offset = 262144;
  access.bytes_past_end = 0;
  finding.access = access;
  finding.thread = ThreadId{{127, 7, 1}, {32, 0, 0}};
  finding.occurrences = {448, 448, 1, 1};
  finding.cause = Cause{"model-width-for-head-dim",
                        "rotary_dim 512 = 8 heads x 64: the model width was passed for head_dim",
                        {"rotary_dim 512 is wider than head_dim 64", "512 = H 8 x D 64"},
                        "pass rotary_dim <= 64"};
  finding.case_text = "rotary(B=2,T=128,H=8,D=64,rotary_dim=512,dtype=bf16)";
  finding.replay =
      "rope-check case faulty/rotary/apply --problem 'rotary(B=2,T=128,H=8,D=64,rotary_dim=512,dtype=bf16)'";
  finding.related = {"fla-org/flash-linear-attention#180"};
  finding.footprint.tensor = "out";
  finding.footprint.shape = {2, 128, 8, 64};
  for (i64 n = 0; n < 448; ++n) finding.footprint.elements.push_back(131072 + n);
  identify(finding);
  return finding;
}

Finding race() {
  Finding finding;
  finding.rule = Rule::SharedRace;
  finding.severity = Severity::Warning;
  finding.message = "two threads of a block write the same shared word without a barrier between them";
  finding.kernel_entry = "block_sum";
  FindingLocation location;
  location.ptx_file = "sum.ptx";
  location.ptx_line = 30;
  location.instruction = "st.shared.f32 [%r2], %f1";
  finding.location = location;
  location.ptx_line = 42;
  location.instruction = "ld.shared.f32 %f2, [%r3]";
  finding.other_location = location;
  Access access;
  access.space = "shared";
  access.bytes = 4;
  access.tensor = "partial";
  access.byte_offset = 128;
  finding.access = access;
  finding.thread = ThreadId{{0, 0, 0}, {32, 0, 0}};
  finding.other_thread = ThreadId{{0, 0, 0}, {0, 0, 0}};
  finding.occurrences = {1, 2, 1, 3};
  finding.evidence = {"the barrier at PTX line 36 is passed by the first warp alone"};
  identify(finding);
  return finding;
}

Finding mismatch() {
  Finding finding;
  finding.rule = Rule::OutputMismatch;
  finding.severity = Severity::Error;
  finding.message = "out differs from the reference in 3 of 64 elements";
  finding.kernel_name = "rotary/apply";
  finding.kernel_entry = "rotary_apply_half_f32";
  Access access;
  access.tensor = "out";
  access.shape = {64};
  access.dtype = "f32";
  finding.access = access;
  finding.numbers = Numbers{std::numeric_limits<double>::quiet_NaN(), 1.25, 0.004, {{5}}};
  finding.occurrences = {3, 0, 0, 1};
  finding.footprint = {"out", {64}, {5, 6, 40}, false};
  finding.minimal_case = "rotary(T=1,D=64)";
  identify(finding);
  return finding;
}

Finding limit() {
  Finding finding;
  finding.rule = Rule::LaunchLimit;
  finding.severity = Severity::Error;
  finding.message = "grid y is 70000; the largest is 65535";
  finding.kernel_entry = "rows";
  finding.occurrences = {0, 0, 0, 1};
  identify(finding);
  return finding;
}

Finding waived(Waiver::By by, const std::string& entry, const std::string& reason) {
  Finding finding = limit();
  finding.kernel_entry = entry;
  finding.waiver = Waiver{by, reason};
  identify(finding);
  return finding;
}

}  // namespace

reports::Report example_report() {
  reports::Report report;
  report.tool = "rope-check";
  report.version = "0.1.0";
  report.command = "rope-check case faulty/rotary/apply --shape 2,128,8,64 --rotary-dim 512 --dtype bf16";
  report.seed = 1;
  report.executor = "machine";
  report.duration_s = 0.25;
  report.summary.cases = 5;
  report.coverage = {64, 2048, 123456, {"bounds", "races"}};
  report.findings = {out_of_bounds(),
                     race(),
                     mismatch(),
                     limit(),
                     waived(Waiver::By::Baseline, "columns", "in the baseline old.json"),
                     waived(Waiver::By::Suppression, "heads", "nobody launches so many heads")};
  report.not_run = {{"launch.json", "tcgen05.mma.cta_group::1.kind::f16 at a.ptx:9 is not known to the machine", ""}};
  report.notes = {"64 of 2048 blocks were run"};
  report.printed = {"hello from thread 3"};
  report.sources["kernels/rotary/apply.cu"] = {{39, "  if (pair < half) {"},
                                               {40, "    const float rotated = x * cos - y * sin;"},
                                               {41, "    out[row + pair] = rotated;"},
                                               {42, "  }"},
                                               {77, "  rotate(out, x);"}};
  reports::conclude(report, false);
  return report;
}

std::optional<std::string> example_source_line(const std::string& file, u64 line) {
  if (file == "kernels/rotary/apply.cu" && line == 41) return "    out[row + pair] = rotated;";
  return std::nullopt;
}

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(ROPEWALK_SOURCE_DIR) + "/tests/reports/golden/" + name;
  const char* const update = std::getenv("ROPEWALK_UPDATE_GOLDEN");
  if (update && std::string(update) == "1") {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::ostringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(expected.str(), text) << "from " << path << "; ROPEWALK_UPDATE_GOLDEN=1 writes it again";
}

}  // namespace ropewalk::testing
