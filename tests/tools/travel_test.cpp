// Findings travel: a baseline and suppressions of one checkout mean the same in another, wherever that lies.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/tools/program.h"

namespace ropewalk::tools {
namespace {

namespace fs = std::filesystem;

using testing::ProgramResult;
using testing::Reported;
using testing::rope_check;
using testing::rope_check_report;
using testing::scratch;

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void write(const std::string& path, const std::string& text) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
}

constexpr const char* launches[] = {"gather_past_the_end.json", "gather_before_the_start.json", "reverse_race.json",
                                    "mark_overflow.json"};

// A checkout of the launches, whose PTX names its source as nvcc does: absolutely.
std::string checkout(const std::string& name, const std::string& source_root = "") {
  const std::string root = scratch(name);
  fs::remove_all(root);
  const std::string from = ROPEWALK_SOURCE_DIR "/tests/tools/launches/";
  fs::create_directories(root + "/.git");
  write(root + "/csrc/kernels.cu", content_of(from + "kernels.cu"));
  for (const char* file : launches) write(root + "/launches/" + file, content_of(from + file));
  write(root + "/launches/kernels.ptx",
        std::regex_replace(content_of(from + "kernels.ptx"), std::regex("\"tests/tools/launches/kernels.cu\""),
                           "\"" + (source_root.empty() ? root : source_root) + "/csrc/kernels.cu\""));
  return root;
}

std::string run_of(const std::string& root) { return "launch '" + root + "/launches' "; }

std::set<std::string> ids_of(const reports::Report& report) {
  std::set<std::string> ids;
  for (const Finding& finding : report.findings) ids.insert(finding.id);
  return ids;
}

TEST(Travel, IdsDoNotDependOnWhereTheCheckoutLies) {
  const Reported here = rope_check_report(run_of(checkout("here"))),
                 there = rope_check_report(run_of(checkout("far/there")));
  ASSERT_GE(here.report.findings.size(), 3u);
  EXPECT_EQ(ids_of(here.report), ids_of(there.report));
  EXPECT_EQ(here.report.findings[0].ptx_hash, there.report.findings[0].ptx_hash);
  for (const Finding& finding : there.report.findings) {
    EXPECT_EQ(finding.location->file, "csrc/kernels.cu");
    EXPECT_EQ(finding.location->ptx_file, "launches/kernels.ptx");
    EXPECT_TRUE(finding.case_text.starts_with("launches/")) << finding.case_text;
  }
  EXPECT_FALSE(there.report.sources.at("csrc/kernels.cu").empty());
}

TEST(Travel, ABaselineOfAnotherCheckoutKnowsTheSameFindings) {
  const std::string baseline = scratch("travel-baseline.json"), here = checkout("here");
  EXPECT_EQ(rope_check(run_of(here) + "--report " + baseline).exit_code, 1);
  for (const std::string& other : {checkout("other/place"), checkout("copied", here)}) {
    const Reported again = rope_check_report(run_of(other) + "--baseline " + baseline);
    EXPECT_EQ(again.program.exit_code, 0) << again.program.output;
    EXPECT_EQ(again.program.output.find("not seen again"), std::string::npos) << again.program.output;
  }
  // The folder that it was copied from is gone: its paths are still those of this checkout, and that is reported.
  const std::string copied = checkout("copied", here);
  fs::remove_all(here);
  const ProgramResult gone = rope_check(run_of(copied) + "--baseline " + baseline);
  EXPECT_EQ(gone.exit_code, 0) << gone.output;
  EXPECT_NE(gone.output.find("note: sources in " + here + " are taken for those of " + copied), std::string::npos);
}

TEST(Travel, ABaselineThatHasAbsolutePathsIsUnderstood) {
  const std::string here = checkout("here"), baseline = scratch("old-baseline.json");
  EXPECT_EQ(rope_check(run_of(here) + "--report " + baseline).exit_code, 1);
  std::string old =
      std::regex_replace(content_of(baseline), std::regex("\"csrc/kernels.cu\""), "\"/old/csrc/kernels.cu\"");
  old = std::regex_replace(old, std::regex("\"id\": \"......"), "\"id\": \"000000");
  write(baseline, old);
  EXPECT_EQ(rope_check(run_of(here) + "--baseline " + baseline + " --map /old=.").exit_code, 0);
  EXPECT_EQ(rope_check(run_of(here) + "--baseline " + baseline + " --map /other=.  --map /old=elsewhere").exit_code, 1);
}

TEST(Travel, SuppressionsFitPathsInTheCheckout) {
  const std::string suppressions = scratch("travel-suppressions.json");
  write(suppressions,
        "{\"schema\": \"ropewalk.suppressions/1\", \"suppressions\": [{\"location\": \"csrc/*.cu\", "
        "\"reason\": \"not ours\"}]}");
  EXPECT_EQ(rope_check(run_of(checkout("far/there")) + "--suppress " + suppressions).exit_code, 0);
}

TEST(Travel, RootAndMapAreTheUsers) {
  const std::string here = checkout("here");
  const auto file_of = [&](const std::string& more) {
    return rope_check_report(run_of(here) + more).report.findings.at(0).location->file;
  };
  EXPECT_EQ(file_of("--root '" + here + "/csrc'"), "kernels.cu");
  EXPECT_EQ(file_of("--root '" + fs::path(here).parent_path().string() + "'"), "here/csrc/kernels.cu");
  EXPECT_EQ(file_of("--map '" + here + "/csrc=third_party'"), "third_party/kernels.cu");
  // Where a path was mapped away the source is still shown, and the replay maps as well.
  const Reported mapped = rope_check_report(run_of(here) + "--map '" + here + "/csrc=third_party'");
  EXPECT_NE(mapped.program.output.find(" | "), std::string::npos);
  EXPECT_EQ(mapped.report.sources.count("third_party/kernels.cu"), 1u);
  EXPECT_NE(mapped.report.findings[0].replay.find("--map " + here + "/csrc=third_party"), std::string::npos);
}

}  // namespace
}  // namespace ropewalk::tools
