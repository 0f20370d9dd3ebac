// How soon a campaign finds each seeded bug of the atlas: the program is started cold, once for each fault and seed,
// on two cores, and must tell the fault's rule, tensor, line and cause before its budget ends.
//
//   seeded_bugs PROGRAM SEEDS [FAMILY...]      PROGRAM: the path of rope-check or attn-fuzz
//                                                 SEEDS: "3" for 1, 2 and 3, or "4-20"
//
// Prints a line for each fault: how many of the seeds found it, and the median and the longest time of the program,
// from its start to the report. Exit code 1 where a fault was not found in time, a finding has a cause that is none of
// its kernel's, or the median of all runs is a second or more (which one seed alone is not asked for).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>

#include "kernels/atlas.h"
#include "kernels/kernels.h"
#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/problem/rotary.h"
#include "reports/json.h"
#include "tools/atlas/judge.h"
#include "tools/options/program.h"

namespace {

using namespace ropewalk;
namespace fs = std::filesystem;

constexpr double budget = 30;

struct Seeds {
  u64 first = 1, last = 1;
};

Seeds seeds_of(const std::string& text) {
  const size_t dash = text.find('-');
  if (dash == std::string::npos) return {1, std::stoull(text)};
  return {std::stoull(text.substr(0, dash)), std::stoull(text.substr(dash + 1))};
}

// The causes that findings of a kernel may have: those that the atlas knows of it.
std::set<std::string> causes_of(const std::string& kernel) {
  std::set<std::string> causes;
  for (const kernels::AtlasEntry& entry : kernels::all_atlas_entries()) {
    if (entry.kernel == kernel) causes.insert(entry.found.cause);
  }
  return causes;
}

// What is wrong with the problem itself, where preconditions let pass what they must reject: causes beside the seeded
// one.
std::set<std::string> causes_of_problem(const std::string& text) {
  const Problem problem = families::parse_problem(text);
  std::set<std::string> causes;
  if (!problem.as<RotaryProblem>()) return causes;
  const auto& rotary = problem.get<RotaryProblem>();
  if (rotary.width() > rotary.head_dim) causes.insert({"model-width-for-head-dim", "width-over-head-dim"});
  if (rotary.width() % 2) causes.insert("odd-rotary-dim");
  if (rotary.varlen() && rotary.cu_seqlens.front() > 0) causes.insert("rows-skipped");
  return causes;
}

struct Run {
  bool found = false;
  double seconds = 0;
  std::vector<std::string> wrong;  // findings with another cause
};

std::string text_of(const Finding& finding) {
  return fmt::format("{} by {} in {} ({})", name_of(finding.rule), finding.cause->id, finding.case_text,
                     finding.minimal_case);
}

// The id of the finding that the entry expects, by the atlas's own report.
std::string id_of(const kernels::AtlasEntry& entry, const reports::Report& atlas) {
  for (const Finding& finding : atlas.findings) {
    const bool of_row = finding.related.front() == fmt::format("atlas:{}", entry.row);
    if (of_row && tools::is_expected(finding, entry.found, kernels::kernel_named(entry.kernel).source))
      return finding.id;
  }
  return "";
}

reports::Report run_program(const std::string& command, const std::string& report_path) {
  fs::remove(report_path);
  const std::string line = fmt::format("{} --report '{}' --quiet >/dev/null 2>&1", command, report_path);
  const int status = std::system(line.c_str());
  if (fs::exists(report_path)) return reports::parse_json_report(MappedFile(report_path).text(), report_path);
  throw InputError(fmt::format("no report (status {}): {}", status, command));
}

// By the name of the program's file.
const tools::Program& program_at(const std::string& path) {
  return fs::path(path).filename() == tools::attn_fuzz_program.name ? tools::attn_fuzz_program
                                                                    : tools::rope_check_program;
}

Run run(const std::string& program, const kernels::AtlasEntry& entry, const std::string& id, u64 seed,
        const std::string& report_path) {
  const std::string command = fmt::format("'{}' fuzz {} --seed {} --jobs 2 --budget {}s --stop-at {},{}", program,
                                          entry.kernel, seed, budget, id, entry.found.cause);
  const auto start = std::chrono::steady_clock::now();
  const reports::Report report = run_program(command, report_path);
  Run run{false, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), {}};
  const std::set<std::string> causes = causes_of(entry.kernel);
  for (const Finding& finding : report.findings) {
    run.found |= tools::is_expected(finding, entry.found, kernels::kernel_named(entry.kernel).source);
    // What preconditions let pass wrongly is reported by the argument, whatever the kernel makes of it.
    if (!finding.cause || finding.rule == Rule::BadArgumentAccepted || causes.contains(finding.cause->id)) continue;
    if (causes_of_problem(finding.case_text).contains(finding.cause->id)) continue;
    run.wrong.push_back(fmt::format("seed {}: {}", seed, text_of(finding)));
  }
  run.found &= run.seconds <= budget;
  return run;
}

double median_of(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return (seconds[seconds.size() / 2] + seconds[(seconds.size() - 1) / 2]) / 2;
}

int measure(const std::string& program, Seeds seeds, const std::set<std::string>& kernels) {
  const fs::path report = fs::temp_directory_path() / fmt::format("seeded-faults-{}.json", std::random_device()());
  const reports::Report atlas = run_program(fmt::format("'{}' atlas", program), report.string());
  std::vector<double> all;
  u64 found = 0, wrong = 0;
  fmt::print("{:>3}  {:<38}{:<26}{:>7}{:>9}{:>9}\n", "row", "seeded bug", "cause", "found", "median", "longest");
  for (const kernels::AtlasEntry& entry : kernels::all_atlas_entries()) {
    if (!kernels.empty() && !kernels.contains(entry.kernel)) continue;
    if (!program_at(program).is_about(kernels::kernel_named(entry.kernel).family->name)) continue;
    std::vector<double> seconds;
    std::vector<std::string> remarks;
    u64 times = 0;
    for (u64 seed = seeds.first; seed <= seeds.last; ++seed) {
      Run one = run(program, entry, id_of(entry, atlas), seed, report.string());
      times += one.found;
      seconds.push_back(one.seconds);
      if (!one.found) remarks.push_back(fmt::format("seed {}: not found as the atlas says", seed));
      remarks.insert(remarks.end(), one.wrong.begin(), one.wrong.end());
      wrong += one.wrong.size();
    }
    fmt::print("{:>3}  {:<38}{:<26}{:>7}{:>7.2f} s{:>7.2f} s\n", entry.row, entry.kernel, entry.found.cause,
               fmt::format("{}/{}", times, seconds.size()), median_of(seconds),
               *std::max_element(seconds.begin(), seconds.end()));
    for (const std::string& remark : remarks) fmt::print("     {}\n", remark);
    std::fflush(stdout);
    found += times;
    all.insert(all.end(), seconds.begin(), seconds.end());
  }
  fs::remove(report);
  if (all.empty()) return fmt::print(stderr, "no seeded bug of these names\n"), 2;
  const double median = median_of(all);
  fmt::print("{} of {} found, median {:.2f} s, longest {:.2f} s, {} findings with another cause\n", found, all.size(),
             median, *std::max_element(all.begin(), all.end()), wrong);
  return found == all.size() && wrong == 0 && (median < 1 || seeds.first == seeds.last) ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return std::fputs("seeded_bugs PROGRAM SEEDS [FAMILY...]\n", stderr), 2;
  try {
    return measure(words[1], seeds_of(words[2]), std::set<std::string>(words + 3, words + count));
  } catch (const InputError& error) {
    return fmt::print(stderr, "seeded_bugs: {}\n", error.what()), 2;
  }
}
