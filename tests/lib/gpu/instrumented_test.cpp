// Rewritten kernels on the machine, whose own checks are off, against the machine's checks on the kernels as they are.
#include "lib/gpu/instrumented.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/family.h"
#include "lib/launch/launch_file.h"
#include "lib/machine/machine.h"
#include "tests/kernels/rotary_problems.h"
#include "tests/lib/machine/launch_cases.h"

namespace ropewalk {
namespace {

constexpr Check compared[] = {Check::Bounds, Check::Fields, Check::Alignment, Check::Index};

RunOptions options_with(std::initializer_list<Check> more) {
  RunOptions options;
  options.checks = CheckSet();
  for (const Check check : compared) options.checks.add(check);
  for (const Check check : more) options.checks.add(check);
  options.threads = 1;
  return options;
}

// Everything that is told of accesses.
std::vector<std::string> told(const Outcome& outcome) {
  std::vector<std::string> out;
  for (const Finding& finding : outcome.findings) {
    nlohmann::json facts = facts_of(finding);
    facts["id"] = finding.id;
    facts["message"] = finding.message;
    facts["instruction"] = finding.location ? finding.location->instruction : "";
    facts["occurrences"] = {finding.occurrences.accesses, finding.occurrences.threads, finding.occurrences.blocks};
    if (finding.thread) facts["thread"] = {finding.thread->block, finding.thread->thread};
    facts["elements"] = finding.footprint.elements;
    out.push_back(facts.dump());
  }
  return out;
}

bool is_limit(const Outcome& outcome) { return outcome.tensors.empty(); }

void expect_the_same(const Launch& launch, const std::string& what) {
  const RunOptions options = options_with({});
  const Outcome machine = machine::make_machine()->run(launch, options);
  const Outcome instrumented = gpu::make_instrumented(machine::make_machine())->run(launch, options);
  ASSERT_EQ(instrumented.kind == OutcomeKind::NotRun, machine.kind == OutcomeKind::NotRun) << what << instrumented.reason;
  EXPECT_EQ(told(instrumented), told(machine)) << what;
  if (!machine.findings.empty() || is_limit(machine)) return;
  // What no check at all finds something in leaves the same bits.
  if (!machine::make_machine()->run(launch, {}).findings.empty()) return;
  ASSERT_EQ(instrumented.tensors.size(), machine.tensors.size()) << what;
  for (std::size_t n = 0; n < launch.tensors.size(); ++n) {
    const u64 bytes = launch.tensors[n].bytes();
    if (bytes > u64(1) << 26) continue;
    EXPECT_EQ(std::memcmp(instrumented.tensors[n].bytes, machine.tensors[n].bytes, bytes), 0)
        << what << ", " << launch.tensors[n].name;
  }
}

class Instrumented : public testing::TestWithParam<LaunchCase> {};

TEST_P(Instrumented, finds_the_accesses_that_the_machine_finds) {
  expect_the_same(read_launch_file(GetParam().path()), GetParam().name);
}

INSTANTIATE_TEST_SUITE_P(Checks, Instrumented, testing::ValuesIn(launch_cases("tests/data/machine/checks")),
                         [](const auto& info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(General, Instrumented, testing::ValuesIn(launch_cases("tests/kernels/general")),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace ropewalk
