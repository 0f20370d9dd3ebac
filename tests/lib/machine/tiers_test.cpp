// However a launch is run (fast tier or careful tier alone, one worker or two), it finds the same and leaves the same
// bits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "kernels/kernels.h"
#include "lib/launch/launch_file.h"
#include "lib/machine/machine.h"
#include "tests/kernels/rotary_problems.h"
#include "tests/lib/machine/launch_cases.h"

namespace ropewalk {
namespace {

// Of a tensor, byte by byte. More would cost a minute of every run of these tests, and find the same.
constexpr u64 most_bytes_compared = u64(1) << 18;

bool is_hang(const Outcome& outcome) {
  return std::any_of(outcome.findings.begin(), outcome.findings.end(),
                     [](const Finding& finding) { return finding.rule == Rule::Hang; });
}

// Everything that is reported of a launch. A loop without end stops somewhere: of a hang only that it was one.
std::vector<std::string> report_of(const Outcome& outcome) {
  std::vector<std::string> out{std::string(name_of(outcome.kind)), outcome.reason};
  for (const Finding& finding : outcome.findings) {
    if (finding.rule == Rule::Hang) {
      out.push_back("hang");
      continue;
    }
    nlohmann::json facts = facts_of(finding);
    facts["id"] = finding.id;
    facts["message"] = finding.message;
    facts["instruction"] = finding.location ? finding.location->instruction : "";
    facts["occurrences"] = {finding.occurrences.accesses, finding.occurrences.threads, finding.occurrences.blocks};
    if (finding.thread) facts["thread"] = {finding.thread->block, finding.thread->thread};
    facts["elements"] = std::hash<std::string>()(nlohmann::json(finding.footprint.elements).dump());
    out.push_back(facts.dump());
  }
  for (const std::string& line : outcome.printed) out.push_back(line);
  return out;
}

// A flag a byte, of the first ones: whether it belongs to an element, and not to a gap, whose bytes mean nothing.
std::vector<bool> bytes_of_elements(const LaunchTensor& tensor) {
  const u64 size = size_of(tensor.dtype);
  std::vector<bool> out(std::min(tensor.bytes(), most_bytes_compared));
  std::vector<i64> index(tensor.shape.size());
  for (i64 n = element_count(tensor.shape); n > 0; --n) {
    const u64 first = u64(offset_of(tensor.strides, index)) * size;
    if (first + size > out.size()) break;  // where a later one lies before it, it is not compared
    for (u64 at = first; at < first + size; ++at) out[at] = true;
    for (std::size_t d = index.size(); d-- > 0 && ++index[d] == tensor.shape[d];) index[d] = 0;
  }
  return out;
}

bool bit(const u64* bits, u64 n) { return !bits || ((bits[n / 64] >> (n % 64)) & 1u); }

constexpr int lost = -2, unwritten = -1;

// A byte of a tensor after a run, or what became of it.
int state_of(const TensorAfter& tensor, u64 at) {
  if (tensor.poisoned && bit(tensor.poisoned, at)) return lost;
  return bit(tensor.initialized, at) ? int(tensor.bytes[at]) : unwritten;
}

// The first byte in which two runs of a launch differ; empty: none. Bytes that hold no value are not compared, but both
// runs have to leave them so. may_lose: the second may have lost the value of any.
std::string difference(const Launch& launch, const Outcome& a, const Outcome& b, bool may_lose = false) {
  if (a.tensors.size() != b.tensors.size()) return "one was not run";
  for (std::size_t n = 0; n < a.tensors.size(); ++n) {
    const TensorAfter &left = a.tensors[n], &right = b.tensors[n];
    const u64 bytes = std::min(launch.tensors[n].bytes(), most_bytes_compared);
    const std::vector<bool> meant = bytes_of_elements(launch.tensors[n]);
    for (u64 at = 0; at < bytes; ++at) {
      if (!meant[at]) continue;
      const int ours = state_of(left, at), theirs = state_of(right, at);
      if (ours != theirs && !(may_lose && theirs == lost)) {
        return fmt::format("{}, byte {}: {} and {} ({} is lost, {} unwritten)", launch.tensors[n].name, at, ours,
                           theirs, lost, unwritten);
      }
    }
  }
  return "";
}

// Runs a launch in every way, each on a machine of its own.
void expect_the_same_in_every_way(const Launch& launch, RunOptions options, const std::string& what) {
  options.budget = 4'000'000;
  options.seconds = 600;
  options.settle_after = 0;
  options.threads = 1;
  const Outcome first = machine::make_machine()->run(launch, options);
  const auto compare = [&](const char* way) {
    const Outcome other = machine::make_machine()->run(launch, options);
    EXPECT_EQ(report_of(other), report_of(first)) << what << ", " << way;
    if (!is_hang(first) && first.kind != OutcomeKind::NotRun) {
      EXPECT_EQ(difference(launch, first, other), "") << what << ", " << way;
    }
  };
  options.threads = 2;
  compare("two workers");
  options.threads = 1;
  options.careful_only = true;
  compare("careful tier alone");
}

std::string location_text(const Finding& finding) {
  return fmt::format("{} {} at PTX line {} of {}", finding.id, name_of(finding.rule),
                     finding.location ? finding.location->ptx_line : 0, finding.access ? finding.access->tensor : "");
}

std::vector<std::string> locations(const Outcome& outcome) {
  std::vector<std::string> out;
  for (const Finding& finding : outcome.findings) out.push_back(location_text(finding));
  return out;
}

// Findings that are settled are the same, and so is all that does not come of them. True: some were settled.
bool expect_the_same_when_settled(const Launch& launch, RunOptions options, const std::string& what) {
  options.seconds = 600;
  options.threads = 1;
  options.settle_after = 0;
  const Outcome all = machine::make_machine()->run(launch, options);
  options.settle_after = 1;
  const Outcome settled = machine::make_machine()->run(launch, options);
  if (all.kind == OutcomeKind::NotRun) return false;
  EXPECT_EQ(settled.kind, all.kind) << what;
  EXPECT_EQ(locations(settled), locations(all)) << what;
  const bool is_left_to_chance = std::any_of(all.findings.begin(), all.findings.end(),
                                             [](const Finding& it) { return it.rule == Rule::GlobalRace; });
  if (!is_left_to_chance) {
    EXPECT_EQ(difference(launch, all, settled, true), "") << what;
  }
  bool is_settled = false;
  for (const Finding& finding : settled.findings) {
    const auto same = std::find_if(all.findings.begin(), all.findings.end(),
                                   [&](const Finding& it) { return location_text(it) == location_text(finding); });
    if (same == all.findings.end()) continue;
    if (finding.rule == Rule::GlobalRace) continue;  // counted by ranges, which depend on the tier
    EXPECT_LE(finding.occurrences.accesses, same->occurrences.accesses) << what << ", " << finding.message;
    if (!finding.occurrences.at_least) {
      EXPECT_EQ(finding.occurrences.accesses, same->occurrences.accesses) << what;
    }
    is_settled |= finding.occurrences.at_least;
  }
  options.threads = 2;
  EXPECT_EQ(report_of(machine::make_machine()->run(launch, options)), report_of(settled)) << what << ", two workers";
  return is_settled;
}

class Tiers : public testing::TestWithParam<const char*> {};

TEST_P(Tiers, agree_on_launch_files) {
  for (const LaunchCase& launch_case : launch_cases(GetParam())) {
    RunOptions options;
    options.strict = launch_case.strict();
    expect_the_same_in_every_way(read_launch_file(launch_case.path()), options, launch_case.name);
  }
}

TEST_P(Tiers, agree_when_findings_are_settled) {
  u32 settled = 0;
  for (const LaunchCase& launch_case : launch_cases(GetParam())) {
    RunOptions options;
    options.strict = launch_case.strict();
    settled += expect_the_same_when_settled(read_launch_file(launch_case.path()), options, launch_case.name);
  }
  EXPECT_GT(settled, 3u);
}

INSTANTIATE_TEST_SUITE_P(Machine, Tiers, testing::Values("tests/data/machine/checks", "tests/kernels/general"));

// Lanes that wait have values that are alive for them alone.
TEST(Tiers, agree_where_lanes_wait_while_others_forget) {
  expect_the_same_in_every_way(read_launch_file("tests/data/machine/kernels/diverged_lanes.json"), {},
                               "diverged_lanes");
}

// body(launch, what) for each kernel and some problems.
template <class Body>
void for_family_launches(Body body) {
  for (const Kernel& kernel : kernels::all_kernels()) {
    if (kernel.family->name != "rotary") continue;
    const auto run = [&](const Problem& problem) {
      if (kernel.reject(problem).empty()) body(kernel.launch(problem), kernel.name + " on " + text_of(problem));
    };
    for (const char* problem : kernels::bad_rotary_problems) run(families::parse_problem(problem));
    for (const char* kind : {"rotary/apply", "rotary/qk", "rotary/cache"})
      run(kernels::good_rotary_problem(Random(0), kind));
  }
}

TEST(Tiers, agree_on_kernel_families) {
  u32 launches = 0;
  for_family_launches([&](const Launch& launch, const std::string& what) {
    ++launches;
    expect_the_same_in_every_way(launch, {}, what);
  });
  EXPECT_GT(launches, 100u);
}

TEST(Tiers, agree_on_kernel_families_when_findings_are_settled) {
  u32 settled = 0;
  for_family_launches([&](const Launch& launch, const std::string& what) {
    settled += expect_the_same_when_settled(launch, {}, what);
  });
  EXPECT_GT(settled, 20u);
}

}  // namespace
}  // namespace ropewalk
