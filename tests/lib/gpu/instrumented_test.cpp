// Rewritten kernels on the machine, whose own checks are off, against the machine's checks on the kernels as they are.
#include "lib/gpu/instrumented.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/family.h"
#include "lib/base/bits.h"
#include "lib/launch/allowed.h"
#include "lib/launch/launch_file.h"
#include "lib/machine/machine.h"
#include "tests/kernels/rotary_problems.h"
#include "tests/lib/machine/launch_cases.h"

namespace ropewalk {
namespace {

RunOptions options_of_comparison() {
  RunOptions options;
  options.checks = CheckSet();
  for (const Check check : {Check::Bounds, Check::Fields, Check::Alignment, Check::Index}) options.checks.add(check);
  options.threads = 1;
  return options;
}

// Records that are kept; of a launch with more bad accesses only the numbers agree.
constexpr u32 most_records = 1 << 17;

u64 accesses_of(const Outcome& outcome) {
  u64 sum = 0;
  for (const Finding& finding : outcome.findings) sum += finding.occurrences.accesses;
  return sum;
}

// Everything that is told of accesses.
std::vector<std::string> told(const Outcome& outcome, bool with_places) {
  std::vector<std::string> out;
  for (const Finding& finding : outcome.findings) {
    nlohmann::json facts = facts_of(finding);
    facts["id"] = finding.id;
    if (!with_places) {
      out.push_back(finding.id + " " + std::to_string(finding.occurrences.accesses));
      continue;
    }
    facts["message"] = finding.message;
    facts["instruction"] = finding.location ? finding.location->instruction : "";
    facts["occurrences"] = {finding.occurrences.accesses, finding.occurrences.threads, finding.occurrences.blocks};
    if (finding.thread) facts["thread"] = {finding.thread->block, finding.thread->thread};
    facts["elements"] = finding.footprint.elements;
    out.push_back(facts.dump());
  }
  return out;
}

// The first tensor whose elements differ; empty: none.
std::string difference(const Launch& launch, const Outcome& a, const Outcome& b) {
  for (std::size_t n = 0; n < launch.tensors.size(); ++n) {
    const u64 bytes = launch.tensors[n].bytes();
    if (bytes > u64(1) << 26) continue;
    std::vector<u64> meant(bytes / 64 + 1);
    mark_allowed(launch.tensors[n], nullptr, meant.data());
    for (u64 at = 0; at < bytes; ++at) {
      if (!all_bits(meant.data(), at, at + 1) || a.tensors[n].bytes[at] == b.tensors[n].bytes[at]) continue;
      return fmt::format("{}, byte {}", launch.tensors[n].name, at);
    }
  }
  return "";
}

// Runs a launch both ways. is_defined: what it computes does not depend on anything undefined.
void expect_the_same(const Launch& launch, const std::string& what, bool is_defined, Executor& machine,
                     Executor& checked) {
  const RunOptions options = options_of_comparison();
  const Outcome plain = machine.run(launch, options);
  const Outcome instrumented = checked.run(launch, options);
  ASSERT_EQ(instrumented.kind == OutcomeKind::NotRun, plain.kind == OutcomeKind::NotRun) << what << instrumented.reason;
  const bool with_places = accesses_of(plain) <= most_records;
  EXPECT_EQ(told(instrumented, with_places), told(plain, with_places)) << what;
  if (!is_defined || !plain.findings.empty() || plain.kind == OutcomeKind::NotRun) return;
  ASSERT_EQ(instrumented.tensors.size(), plain.tensors.size()) << what;
  EXPECT_EQ(difference(launch, plain, instrumented), "") << what;
}

class Instrumented : public testing::TestWithParam<LaunchCase> {};

TEST_P(Instrumented, finds_the_accesses_that_the_machine_finds) {
  const auto machine = machine::make_machine(), checked = gpu::make_instrumented(machine::make_machine(), most_records);
  const LaunchCase& one = GetParam();
  expect_the_same(read_launch_file(one.path()), one.name, one.want["findings"].empty(), *machine, *checked);
}

INSTANTIATE_TEST_SUITE_P(Checks, Instrumented, testing::ValuesIn(launch_cases("tests/data/machine/checks")),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(General, Instrumented, testing::ValuesIn(launch_cases("tests/kernels/general")),
                         [](const auto& info) { return info.param.name; });

constexpr const char* attention_problems[] = {
    "attention(B=1,Tq=5,Tk=5,H=2,D=16)",
    "attention(B=2,Tq=7,Tk=9,H=4,D=8)",
    "attention(B=1,Tq=5,Tk=35,H=2,D=16,dtype=f16)",
    "attention(B=1,Tq=5,Tk=5,H=1,D=9,dtype=f16)",
};

class InstrumentedFamily : public testing::TestWithParam<std::string> {};

TEST_P(InstrumentedFamily, agrees_with_the_machine) {
  const KernelFamily& family = family_named(GetParam());
  const auto machine = machine::make_machine(), checked = gpu::make_instrumented(machine::make_machine(), most_records);
  u32 launches = 0;
  const auto add = [&](const Problem& problem) {
    if (!family.reject(problem).empty()) return;
    ++launches;
    const bool is_defined = family.healthy();
    expect_the_same(family.launch(problem), family.name + " on " + text_of(problem), is_defined, *machine, *checked);
  };
  if (family.problem_kind == "rotary") {
    for (const char* problem : bad_rotary_problems) add(parse_problem(problem));
    for (const char* kind : {"rotary/apply", "rotary/qk", "rotary/cache"}) {
      for (u64 seed = 0; seed < 4; ++seed) add(good_rotary_problem(Random(seed), kind));
    }
  } else {
    for (const char* problem : attention_problems) add(parse_problem(problem));
  }
  EXPECT_GT(launches, 0u);
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const KernelFamily& family : all_families()) names.push_back(family.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Kernels, InstrumentedFamily, testing::ValuesIn(family_names()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

TEST(InstrumentedRecords, that_find_no_room_are_counted) {
  const Launch launch = family_named("faulty/rotary-apply-unguarded").launch(parse_problem(bad_rotary_problems[0]));
  const RunOptions options = options_of_comparison();
  const Outcome whole = gpu::make_instrumented(machine::make_machine())->run(launch, options);
  const Outcome bounded = gpu::make_instrumented(machine::make_machine(), 4)->run(launch, options);
  EXPECT_GT(accesses_of(whole), 100u);
  EXPECT_EQ(accesses_of(bounded), accesses_of(whole));
}

}  // namespace
}  // namespace ropewalk
