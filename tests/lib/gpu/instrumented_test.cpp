// Rewritten kernels on the machine, whose own checks are off, against the machine's checks on the kernels as they are.
#include "lib/gpu/instrumented.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/atlas.h"
#include "kernels/kernels.h"
#include "lib/base/bits.h"
#include "lib/generate/case_plan.h"
#include "lib/launch/allowed.h"
#include "lib/launch/launch_file.h"
#include "lib/machine/machine.h"
#include "tests/kernels/rotary_problems.h"
#include "tests/lib/machine/launch_cases.h"

namespace ropewalk {

using families::parse_problem;

namespace {

RunOptions options_of_comparison() {
  RunOptions options;
  options.checks = CheckSet();
  for (const Check check : {Check::Bounds, Check::Fields, Check::Alignment, Check::Index}) options.checks.add(check);
  options.threads = 1;
  options.seconds = 600;  // sanitizers slow it down
  return options;
}

// Records that are kept; of a launch with more bad accesses only the numbers agree.
constexpr u32 most_records = 1 << 17;

u64 accesses_of(const Outcome& outcome) {
  u64 sum = 0;
  for (const Finding& finding : outcome.findings) sum += finding.occurrences.accesses;
  return sum;
}

// Everything that is reported of accesses.
std::vector<std::string> report_of(const Outcome& outcome, bool with_locations) {
  std::vector<std::string> out;
  for (const Finding& finding : outcome.findings) {
    nlohmann::json facts = facts_of(finding);
    facts["id"] = finding.id;
    if (!with_locations) {
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

// A bad load: what it should have brought is lost to the machine and zero to a rewritten kernel, which goes on with it.
bool has_bad_load(const Outcome& outcome) {
  return std::ranges::any_of(outcome.findings, [](const Finding& finding) {
    return finding.rule == Rule::OutOfBoundsRead || finding.rule == Rule::IndexOutOfField;
  });
}

// Everything that the machine found is among what the rewritten kernel found.
void expect_no_less(const Outcome& instrumented, const Outcome& plain, const std::string& what) {
  for (const Finding& finding : plain.findings) {
    const auto is_it = [&](const Finding& other) { return other.id == finding.id; };
    EXPECT_TRUE(std::ranges::any_of(instrumented.findings, is_it)) << what << ": " << finding.message;
  }
}

// Runs a launch both ways. is_defined: what it computes does not depend on anything undefined.
// may_follow: a bad load may lead a rewritten kernel to further findings.
void expect_the_same(const Launch& launch, const std::string& what, bool is_defined, Executor& machine,
                     Executor& checked, bool may_follow = false) {
  const RunOptions options = options_of_comparison();
  const Outcome plain = machine.run(launch, options);
  const Outcome instrumented = checked.run(launch, options);
  ASSERT_EQ(instrumented.kind == OutcomeKind::NotRun, plain.kind == OutcomeKind::NotRun) << what << instrumented.reason;
  if (may_follow && has_bad_load(plain)) return expect_no_less(instrumented, plain, what);
  const bool with_locations = accesses_of(plain) <= most_records;
  EXPECT_EQ(report_of(instrumented, with_locations), report_of(plain, with_locations)) << what;
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
// Those that a driver takes: it refuses what is beyond a limit of the device.
std::vector<LaunchCase> general_cases() {
  std::vector<LaunchCase> cases = launch_cases("tests/kernels/general");
  std::erase_if(cases, [](const LaunchCase& one) {
    return one.want["findings"].dump().find("launch-limit") != std::string::npos;
  });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(General, Instrumented, testing::ValuesIn(general_cases()),
                         [](const auto& info) { return info.param.name; });

constexpr u64 cases_of_campaign = 4;
constexpr u64 most_bytes = u64(1) << 19;  // of a launch: a bit a byte is kept for some

constexpr const char* attention_problems[] = {
    "attention(B=1,Tq=5,Tk=5,H=2,D=16)",
    "attention(B=2,Tq=7,Tk=9,H=4,D=8)",
    "attention(B=1,Tq=5,Tk=35,H=2,D=16,dtype=f16)",
    "attention(B=1,Tq=5,Tk=5,H=1,D=9,dtype=f16)",
};

class InstrumentedFamily : public testing::TestWithParam<std::string> {};

TEST_P(InstrumentedFamily, agrees_with_the_machine) {
  const Kernel& kernel = kernels::kernel_named(GetParam());
  const auto machine = machine::make_machine(), checked = gpu::make_instrumented(machine::make_machine(), most_records);
  u32 launches = 0;
  const auto add = [&](const Problem& problem, bool may_follow = false) {
    if (!kernel.reject(problem).empty()) return;
    const Launch launch = kernel.launch(problem);
    u64 bytes = 0;
    for (const LaunchTensor& tensor : launch.tensors) bytes += tensor.bytes();
    if (bytes > most_bytes) return;
    ++launches;
    const bool is_defined = kernel.is_correct();
    expect_the_same(launch, kernel.name + " on " + text_of(problem), is_defined, *machine, *checked, may_follow);
  };
  if (kernel.family->name == "rotary") {
    for (const char* problem : kernels::bad_rotary_problems) add(parse_problem(problem));
    for (const char* kind : {"rotary/apply", "rotary/qk", "rotary/cache"}) {
      for (u64 seed = 0; seed < 4; ++seed) add(kernels::good_rotary_problem(Random(seed), kind));
    }
  } else if (kernel.family->name == "attention") {
    for (const char* problem : attention_problems) add(parse_problem(problem));
  }
  // The problem that shows the seeded bug, for it and for its correct counterpart, and what a campaign begins with.
  for (const kernels::AtlasEntry& entry : kernels::all_atlas_entries()) {
    if (entry.kernel == kernel.name || kernels::kernel_named(entry.kernel).counterpart == kernel.name) {
      add(parse_problem(entry.problem), true);
    }
  }
  const generate::CasePlan plan(kernel, 1);
  for (u64 n = 0; n < cases_of_campaign; ++n) add(plan.at(n * plan.guiding_cases() / cases_of_campaign).problem, true);
  EXPECT_GT(launches, 0u);
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Kernel& kernel : kernels::all_kernels()) names.push_back(kernel.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Kernels, InstrumentedFamily, testing::ValuesIn(family_names()), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

TEST(InstrumentedRecords, that_find_no_room_are_counted) {
  const Launch launch =
      kernels::kernel_named("faulty/rotary-apply-unguarded").launch(parse_problem(kernels::bad_rotary_problems[0]));
  const RunOptions options = options_of_comparison();
  const Outcome whole = gpu::make_instrumented(machine::make_machine())->run(launch, options);
  const Outcome bounded = gpu::make_instrumented(machine::make_machine(), 4)->run(launch, options);
  EXPECT_GT(accesses_of(whole), 100u);
  EXPECT_EQ(accesses_of(bounded), accesses_of(whole));
}

}  // namespace
}  // namespace ropewalk
