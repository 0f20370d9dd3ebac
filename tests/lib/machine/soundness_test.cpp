// Pairs of kernels that differ in one thing: the one that is right must be silent, the other must be found, for what it
// is. tests/data/machine/soundness/pair.h says how a pair is written.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "lib/finding/rule.h"
#include "lib/launch/launch_file.h"
#include "lib/machine/machine.h"
#include "reports/source.h"

namespace ropewalk {
namespace {

struct Pair {
  std::string name, source;
  u32 grid = 1, block = 32, shared = 0;
  std::vector<std::string> rules;  // of the wrong one, any of them
  std::string of_both;             // a rule that both may have findings of; "": the right one must be silent
  bool is_warning = false;         // these are warnings
  std::string lacks;               // what would order the races of the wrong one
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.source << ": " << pair.name; }

std::vector<Pair> pairs() {
  const std::filesystem::path folder = "tests/data/machine/soundness";
  const std::regex line(
      R"(// (\w+): grid (\d+) block (\d+)(?: shared (\d+))?; finds ([\w-]+(?: or [\w-]+)*)(?:; (warns|both) ([\w-]+))?(?:; lacks ([\w ]+))?)");
  const std::regex word(R"([\w-]+)");
  std::vector<Pair> out;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".cu") continue;
    std::ifstream in(file.path());
    for (std::string text; std::getline(in, text);) {
      std::smatch at;
      if (text.find(": grid ") == std::string::npos) continue;  // the others are many, and take long to match
      if (!std::regex_match(text, at, line)) continue;
      Pair pair{at[1],
                file.path().stem(),
                u32(std::stoul(at[2])),
                u32(std::stoul(at[3])),
                at[4].matched ? u32(std::stoul(at[4])) : 0,
                {},
                at[7],
                at[6] == "warns",
                at[8]};
      const std::string rules = at[5];
      for (std::sregex_iterator it(rules.begin(), rules.end(), word), end; it != end; ++it) {
        if (it->str() != "or") pair.rules.push_back(it->str());
      }
      out.push_back(pair);
    }
  }
  std::sort(out.begin(), out.end(),
            [](const Pair& a, const Pair& b) { return std::tie(a.source, a.name) < std::tie(b.source, b.name); });
  return out;
}

// has_region: the kernel is handed a region that is all of `work`.
Outcome run(const Pair& pair, const std::string& variant, u32 threads, bool has_region = false) {
  const std::string text = fmt::format(
      R"({{"schema": "ropewalk.launch/1", "ptx": "{}.ptx", "entry": "{}_{}", "grid": [{}, 1, 1], "block": [{}, 1, 1],
  "dynamic_shared_bytes": {}, "tensors": {{
  "in": {{"dtype": "i32", "shape": [4096], "init": {{"arange": {{"start": 0, "step": 1}}}}}},
  "out": {{"dtype": "i32", "shape": [4096], "init": "zeros", "output": true}},
  "work": {{"dtype": "i32", "shape": [4096], "init": "zeros"{}}}}},
  "args": [{{"tensor": "in"}}, {{"tensor": "out"}}, {{"tensor": "work"{}}}, {{"i32": {}}}]}})",
      pair.source, pair.name, variant, pair.grid, pair.block, pair.shared,
      has_region ? R"(, "fields": [{"name": "all", "rows": [0, 1], "columns": [0, 4096]}])" : "",
      has_region ? R"(, "field": "all")" : "", pair.block);
  RunOptions options;
  options.threads = threads;
  options.source_lines = reports::source_lines_from({});
  const Launch launch =
      read_launch(text, "tests/data/machine/soundness/" + pair.name + ".json", LaunchFiles::on_disk());
  return machine::make_machine()->run(launch, options);
}

std::string all_of(const Outcome& outcome) {
  std::string out = outcome.reason;
  for (const Finding& finding : outcome.findings) {
    out += fmt::format("{}: {} at {}\n", name_of(finding.rule), finding.message,
                       finding.location ? finding.location->line : 0);
  }
  return out;
}

bool is_of_both(const Pair& pair, const Finding& it) {
  return name_of(it.rule) == pair.of_both && (it.severity == Severity::Warning) == pair.is_warning;
}

class Soundness : public testing::TestWithParam<Pair> {};

TEST_P(Soundness, the_right_one_is_silent) {
  Outcome outcome = run(GetParam(), "right", 1);
  if (!GetParam().of_both.empty()) {
    EXPECT_EQ(outcome.reason, "");
    std::erase_if(outcome.findings, [](const Finding& it) { return is_of_both(GetParam(), it); });
  } else {
    EXPECT_EQ(name_of(outcome.kind), "agreed") << all_of(outcome);
  }
  EXPECT_EQ(all_of(outcome), "");
}

TEST_P(Soundness, the_wrong_one_is_found) {
  const Pair& pair = GetParam();
  const Outcome outcome = run(pair, "wrong", 1);
  EXPECT_EQ(name_of(outcome.kind), "found") << all_of(outcome);
  const auto is_expected = [&](const Finding& it) {
    return std::ranges::find(pair.rules, name_of(it.rule)) != pair.rules.end();
  };
  EXPECT_TRUE(std::ranges::any_of(outcome.findings, is_expected)) << all_of(outcome);
  for (const Finding& finding : outcome.findings)
    EXPECT_TRUE(is_expected(finding) || is_of_both(pair, finding)) << all_of(outcome);
}

std::string what_is_missing(const Outcome& outcome) {
  std::set<MissingOrder::Is> all;
  for (const Finding& finding : outcome.findings) {
    for (const MissingOrder& it : finding.missing_orders) all.insert(it.is);
  }
  std::vector<std::string_view> words;
  for (const MissingOrder::Is is : all)
    words.push_back(is == MissingOrder::Is::Release   ? "release"
                    : is == MissingOrder::Is::Acquire ? "acquire"
                                                      : "device");
  return fmt::to_string(fmt::join(words, " and "));
}

TEST_P(Soundness, what_would_order_a_race_is_known) {
  EXPECT_EQ(what_is_missing(run(GetParam(), "wrong", 1)), GetParam().lacks);
}

TEST_P(Soundness, a_region_of_all_is_judged_as_the_tensor) {
  for (const char* variant : {"right", "wrong"}) {
    EXPECT_EQ(all_of(run(GetParam(), variant, 1, true)), all_of(run(GetParam(), variant, 1))) << variant;
  }
}

TEST_P(Soundness, findings_do_not_depend_on_the_number_of_workers) {
  for (const char* variant : {"right", "wrong"}) {
    EXPECT_EQ(all_of(run(GetParam(), variant, 1)), all_of(run(GetParam(), variant, 3))) << variant;
  }
}

INSTANTIATE_TEST_SUITE_P(Machine, Soundness, testing::ValuesIn(pairs()),
                         [](const auto& info) { return info.param.source + "_" + info.param.name; });

}  // namespace
}  // namespace ropewalk
