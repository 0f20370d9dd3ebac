// What replay shows again: findings of all commands, from the report alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "lib/base/json.h"
#include "tests/tools/program.h"

namespace ropewalk::tools {
namespace {

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

// By id: the rules, causes and lines of the findings that have it.
std::multimap<std::string, std::string> report_of(const reports::Report& report) {
  std::multimap<std::string, std::string> all;
  for (const Finding& one : report.findings) {
    all.emplace(one.id, std::string(name_of(one.rule)) + " " + (one.cause ? one.cause->id : "no cause") + " " +
                            (one.location ? std::to_string(one.location->line) : "nowhere"));
  }
  return all;
}

struct Replayed {
  std::string path;  // of the report
  Reported before, again;
};

// A report whose only finding has this replay.
std::string report_with_replay(const std::string& name, const std::string& replay) {
  const std::string path = scratch(name + ".json");
  rope_check("case faulty/rotary-apply-unguarded --shape 2,128,8,64 --rotary-dim 512 --quiet --report '" + path + "'");
  Json report = parse_json(content_of(path), path);
  EXPECT_FALSE(report["findings"].empty());
  for (auto& finding : report["findings"]) finding["replay"] = replay;
  std::ofstream(path) << report.dump();
  return path;
}

TEST(Replay, ACommandThatShowsNothingIsNoCrash) {
  for (const char* replay : {"rope-check launch nosuch1.json nosuch2.json", "rope-check list", "rope-check --version",
                             "rope-check bench", "rope-check explain hang", "rope-check trace -- true"}) {
    const ProgramResult result = rope_check("replay '" + report_with_replay("odd-replay", replay) + "'");
    EXPECT_EQ(result.exit_code, 2) << replay << result.output << result.errors;
  }
}

Replayed replayed(const std::string& command, const std::string& name) {
  Replayed result;
  result.path = scratch(name + ".json");
  result.before = rope_check_report(command + " --quiet");
  rope_check(command + " --quiet --report '" + result.path + "'");
  result.again = rope_check_report("replay '" + result.path + "'");
  return result;
}

void expect_the_same(const Replayed& replayed) {
  EXPECT_EQ(replayed.again.program.exit_code, 1) << replayed.again.program.errors;
  EXPECT_GT(replayed.before.report.findings.size(), 0u);
  EXPECT_EQ(report_of(replayed.again.report), report_of(replayed.before.report));
  for (const std::string& note : replayed.again.report.notes) {
    EXPECT_EQ(note.find("changed"), std::string::npos) << note;
    EXPECT_EQ(note.find("any more"), std::string::npos) << note;
  }
}

TEST(Replay, shows_the_findings_of_a_campaign) {
  const Replayed all = replayed("fuzz faulty/rotary-apply-table-mask --budget 150", "many");
  expect_the_same(all);
  // Several causes at one location are several findings, each with an id of its own, and each is shown by that.
  const auto shared = std::find_if(all.before.report.findings.begin(), all.before.report.findings.end(),
                                   [](const Finding& one) { return !one.shared_id.empty(); });
  ASSERT_NE(shared, all.before.report.findings.end())
      << "no location with several causes: the campaign is too short for this test";
  const Reported one = rope_check_report("replay '" + all.path + "' --finding " + shared->id);
  ASSERT_EQ(one.report.findings.size(), 1u) << one.program.errors;
  EXPECT_EQ(one.report.findings[0].cause ? one.report.findings[0].cause->id : "",
            shared->cause ? shared->cause->id : "");
  EXPECT_EQ(defect_id(one.report.findings[0]), shared->shared_id);
  for (const auto& [id, text] : report_of(all.before.report))
    EXPECT_EQ(report_of(all.before.report).count(id), 1u) << id;
}

TEST(Replay, shows_what_caches_and_initialisations_did) {
  const Replayed cache = replayed(
      "cache tests/data/rope/rank0.npy tests/data/rope/rank1.npy "
      "--config tests/data/rope/config.json",
      "cache");
  expect_the_same(cache);
  EXPECT_EQ(cache.again.report.executor, "none") << "no machine ran";
  expect_the_same(replayed("init lib/init/plans/growth-under-graph.broken.json", "init"));
}

TEST(Replay, says_that_a_kernel_has_changed_and_runs_it) {
  const std::string folder = scratch("changing");
  std::filesystem::create_directory(folder);
  for (const char* name : {"kernels.ptx", "gather_past_the_end.json"}) {
    std::filesystem::copy_file(std::string(ROPEWALK_SOURCE_DIR "/tests/tools/launches/") + name, folder + "/" + name);
  }
  const Replayed before = replayed("launch '" + folder + "/gather_past_the_end.json'", "launch");
  expect_the_same(before);

  // Another kernel of the same module has one more instruction at its end.
  std::string ptx = content_of(folder + "/kernels.ptx");
  const u64 end = ptx.rfind("\tret;");
  ASSERT_NE(end, std::string::npos);
  ptx.insert(end, "\tmembar.gl;\n");
  std::ofstream(folder + "/kernels.ptx") << ptx;
  const Reported after = rope_check_report("replay '" + before.path + "'");
  EXPECT_EQ(after.program.exit_code, 1) << after.program.errors;
  EXPECT_EQ(report_of(after.report), report_of(before.before.report));
  ASSERT_EQ(after.report.notes.size(), 1u);
  EXPECT_NE(after.report.notes[0].find("has changed since finding"), std::string::npos) << after.report.notes[0];
  EXPECT_NE(after.program.output.find("has changed since finding"), std::string::npos) << after.program.output;
}

TEST(Replay, of_our_kernels_says_so_too_and_what_is_gone) {
  const std::string path = scratch("ours.json");
  rope_check("fuzz faulty/rotary-cache-unguarded --budget 60 --quiet --report '" + path + "'");
  Json report = parse_json(content_of(path), path);
  ASSERT_FALSE(report["findings"].empty());
  for (Json& finding : report["findings"]) {
    ASSERT_TRUE(finding.at("kernel").contains("ptx_hash"));
    finding["kernel"]["ptx_hash"] = "0123456789abcdef";
    // As if the kernel had been mended: its command is one that finds nothing.
    finding["replay"] = "rope-check fuzz rotary/cache --case 'rotary(T=3,D=8)'";
  }
  std::ofstream(path) << report;
  const Reported again = rope_check_report("replay '" + path + "'");
  EXPECT_EQ(again.program.exit_code, 0) << again.program.output;
  std::string notes;
  for (const std::string& note : again.report.notes) notes += note + "\n";
  EXPECT_NE(notes.find("its PTX was 0123456789abcdef"), std::string::npos) << notes;
  EXPECT_NE(notes.find("does not show any more"), std::string::npos) << notes;
}

}  // namespace
}  // namespace ropewalk::tools
