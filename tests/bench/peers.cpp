// The machine beside Oclgrind, which executes OpenCL C on the CPU under checks: the same rotary kernel for each, with
// the same work for each thread, on one core each, and what an empty kernel costs subtracted on both sides.
//
//   peers [FOLDER]      FOLDER holds the kernels and launch files: tests/bench
//
// Prints the thread-instructions a second of an attention kernel too, which no family of ours has yet in f32 alone.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "lib/base/error.h"
#include "lib/launch/launch_file.h"
#include "lib/machine/machine.h"

namespace {

using namespace ropewalk;

constexpr u64 threads_of_rotary = 32 * 8 * 256;

double seconds_of(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The best of some runs: what others do on this machine only ever adds.
double best_of(int runs, const std::function<void()>& run) {
  double best = 1e30;
  for (int i = 0; i < runs; ++i) best = std::min(best, seconds_of(run));
  return best;
}

Outcome outcome_of(Executor& machine, const Launch& launch, const RunOptions& options) {
  Outcome outcome = machine.run(launch, options);
  if (outcome.kind == OutcomeKind::NotRun) throw InputError("did not run: " + outcome.reason);
  if (!outcome.findings.empty()) throw InputError("found: " + outcome.findings.front().message);
  return outcome;
}

RunOptions on_one_core(const char* checks) {
  RunOptions options;
  options.threads = 1;
  options.checks = parse_checks(checks);
  return options;
}

double nanoseconds_a_thread(Executor& machine, const std::string& folder, const RunOptions& options) {
  const Launch rotary = read_launch_file(folder + "/rotary_threads.json"),
               empty = read_launch_file(folder + "/empty.json");
  const auto best = [&](const Launch& launch) { return best_of(50, [&] { outcome_of(machine, launch, options); }); };
  return (best(rotary) - best(empty)) / threads_of_rotary * 1e9;
}

double peer_nanoseconds_a_thread(const std::string& folder, const std::string& options) {
  const auto seconds = [&](const std::string& simulation) {
    const std::string command =
        fmt::format("cd '{}' && oclgrind-kernel --num-threads 1 {} {} >/dev/null 2>&1", folder, options, simulation);
    return best_of(2, [&] {
      if (std::system(command.c_str()) != 0) throw InputError("failed: " + command);
    });
  };
  return (seconds("rotary.sim") - seconds("empty.sim")) / threads_of_rotary * 1e9;
}

void print_attention(Executor& machine, const std::string& folder) {
  const Launch attention = read_launch_file(folder + "/attention_f32.json");
  RunOptions counting = on_one_core("all");
  counting.count = true;
  const double instructions = double(outcome_of(machine, attention, counting).statistics.thread_instructions);
  for (const char* checks : {"all", "bounds"}) {
    double best = 1e30;
    for (int i = 0; i < 20; ++i) {
      best = std::min(best, outcome_of(machine, attention, on_one_core(checks)).statistics.seconds);
    }
    fmt::print("attention f32, {:<6} checks: {:5.2f} G thread-instructions a second on one core\n", checks,
               instructions / best / 1e9);
  }
}

}  // namespace

int main(int count, char** words) try {
  const std::string folder = count > 1 ? words[1] : std::string(ROPEWALK_SOURCE_DIR) + "/tests/bench";
  const std::unique_ptr<Executor> machine = machine::make_machine();
  print_attention(*machine, folder);
  if (std::system("oclgrind-kernel --version >/dev/null 2>&1") != 0) {
    fmt::print("Oclgrind: not measured, for oclgrind-kernel is not installed (Debian's package oclgrind)\n");
    return 0;
  }
  struct Comparison {
    const char *title, *ours, *theirs;
  };
  for (const Comparison& it :
       {Comparison{"bounds", "bounds", ""},
        Comparison{"bounds, races, uninitialized", "bounds,races,uninitialized", "--data-races --uninitialized"}}) {
    const double ours = nanoseconds_a_thread(*machine, folder, on_one_core(it.ours));
    const double theirs = peer_nanoseconds_a_thread(folder, it.theirs);
    fmt::print("rotary, {}: {:.2f} ns a thread; Oclgrind: {:.0f} ns; ratio {:.0f}\n", it.title, ours, theirs,
               theirs / ours);
  }
  return 0;
} catch (const std::exception& error) {
  fmt::print(stderr, "peers: {}\n", error.what());
  return 1;
}
