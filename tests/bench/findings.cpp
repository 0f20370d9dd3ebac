// What many findings cost: for each rule a kernel that breaks it in every thread, beside the same work without a
// defect.
//
//   findings [FOLDER [WORDS]]   FOLDER holds findings.ptx: tests/bench; WORDS: only the rows whose names hold them
//
// Prints the seconds of both on one core, their ratio (at most 3, is the aim), and how often the finding was seen.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>

#include "lib/base/error.h"
#include "lib/machine/machine.h"
#include "lib/ptx/read.h"

namespace {

using namespace ropewalk;

constexpr i64 elements = i64(1) << 24;

struct Row {
  const char* what;
  const char* entry;
  Rule rule;
  Dim3 grid, block;
  Init clean, faulty;  // of the first tensor
  std::vector<i32> clean_numbers, faulty_numbers;
  i64 side = 0;  // of square tensors, in place of long ones
  bool has_input = true;
};

Launch launch_of(std::shared_ptr<const ptx::Module> module, const Row& row, bool is_faulty) {
  Launch launch;
  launch.module = std::move(module);
  launch.entry = row.entry;
  launch.grid = row.grid;
  launch.block = row.block;
  const auto add = [&](const char* name, Init init) {
    LaunchTensor tensor{.name = name, .dtype = Dtype::F32, .shape = {elements}, .strides = {1}, .init = init};
    if (row.side) tensor.shape = {row.side, row.side}, tensor.strides = {row.side, 1};
    launch.arguments.push_back(TensorArgument{u32(launch.tensors.size())});
    launch.tensors.push_back(tensor);
  };
  if (row.has_input) add("from", is_faulty ? row.faulty : row.clean);
  if (row.side) add("second", Fill{1});
  add("to", Fill{0});
  for (const i32 number : is_faulty ? row.faulty_numbers : row.clean_numbers) {
    launch.arguments.push_back(ScalarArgument{Dtype::I32, u32(number)});
  }
  return launch;
}

// Of processor time, which does not pass while others have the core.
double seconds_of(const Launch& launch, Outcome& outcome) {
  RunOptions options;
  options.threads = 1;
  options.seconds = 600;
  const std::clock_t before = std::clock();
  outcome = machine::make_machine()->run(launch, options);
  if (outcome.kind == OutcomeKind::NotRun) throw InputError("did not run: " + outcome.reason);
  return double(std::clock() - before) / CLOCKS_PER_SEC;
}

// The best of some runs, in turn: what others do on this machine only ever adds.
void measure(const std::shared_ptr<const ptx::Module>& module, const Row& row) {
  constexpr int runs = 5;
  const Launch without = launch_of(module, row, false), with = launch_of(module, row, true);
  Outcome outcome;
  double clean = 1e30, faulty = 1e30;
  for (int run = 0; run < runs; ++run) {
    clean = std::min(clean, seconds_of(without, outcome));
    if (!outcome.findings.empty()) throw InputError(fmt::format("{}: found {}", row.what, outcome.findings[0].message));
    faulty = std::min(faulty, seconds_of(with, outcome));
  }
  const auto at = std::ranges::find(outcome.findings, row.rule, &Finding::rule);
  if (at == outcome.findings.end()) throw InputError(fmt::format("{}: {} was not found", row.what, name_of(row.rule)));
  fmt::print("{:<44} {:>8.3f} s {:>8.3f} s {:>7.1f} times  {} seen {} times\n", row.what, clean, faulty, faulty / clean,
             name_of(row.rule), at->occurrences.accesses);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  const std::string folder = count > 1 ? words[1] : std::string(ROPEWALK_SOURCE_DIR) + "/tests/bench";
  const i32 n = i32(elements), far = n;
  const Dim3 blocks{u32(elements / 256), 1, 1}, threads{256, 1, 1};
  const auto product = [](const char* what, const char* entry) {
    return Row{what,  entry, Rule::UninitializedRead, {16, 16, 1}, {16, 16, 1}, Fill{1}, Uninitialized{}, {256},
               {256}, 256};
  };
  const auto tile = [&](const char* what, const char* entry, Rule rule) {
    return Row{what, entry, rule, {2048, 1, 1}, threads, Fill{1}, Fill{1}, {64, 0}, {64, 256}, 0, false};
  };
  const Row rows[] = {
      product("a matrix product of what nobody wrote", "multiply"),
      {"a copy of what nobody wrote",
       "copy",
       Rule::UninitializedRead,
       blocks,
       threads,
       Fill{1},
       Uninitialized{},
       {n, 0, 0},
       {n, 0, 0}},
      {"reads past the end", "copy", Rule::OutOfBoundsRead, blocks, threads, Fill{1}, Fill{1}, {n, 0, 0}, {n, far, 0}},
      {"writes past the end",
       "copy",
       Rule::OutOfBoundsWrite,
       blocks,
       threads,
       Fill{1},
       Fill{1},
       {n, 0, 0},
       {n, 0, far}},
      {"atomics past the end",
       "count",
       Rule::OutOfBoundsWrite,
       blocks,
       threads,
       Fill{1},
       Fill{1},
       {1 << 22, 0},
       {1 << 22, far}},
      {"atomics of what nobody wrote",
       "count",
       Rule::UninitializedRead,
       blocks,
       threads,
       Fill{1},
       Uninitialized{},
       {1 << 22, 0},
       {1 << 22, 0}},
      {"misaligned reads",
       "copy_bytes",
       Rule::MisalignedAccess,
       blocks,
       threads,
       Fill{1},
       Fill{1},
       {n - 256, 0},
       {n - 256, 2}},
      {"a race for shared memory in every round",
       "neighbours",
       Rule::SharedRace,
       {2048, 1, 1},
       threads,
       Fill{1},
       Fill{1},
       {64, 1},
       {64, 0},
       0,
       false},
      {"a race for global memory",
       "fold",
       Rule::GlobalRace,
       {16384, 1, 1},
       threads,
       Arange{},
       Arange{},
       {1 << 22, -1},
       {1 << 22, 1023}},
      {"a race at offsets all over a tensor",
       "scatter",
       Rule::GlobalRace,
       blocks,
       threads,
       Arange{},
       Arange{},
       {1 << 20, 40503 * 128, (1 << 20) - 1},
       {1 << 20, 40503 * 128, (1 << 16) - 1}},
      product("tiles of what nobody wrote", "multiply_tiles"),
      tile("shared memory that nobody wrote", "unwritten_tile", Rule::UninitializedRead),
      tile("reads past the end of shared memory", "past_the_tile", Rule::OutOfBoundsRead),
      {"shuffles with lanes that are elsewhere",
       "sums",
       Rule::InactiveLaneRead,
       blocks,
       threads,
       Fill{1},
       Fill{1},
       {1 << 22, 32},
       {1 << 22, 20}},
      {"32-bit indices that overflow",
       "strided",
       Rule::IndexOverflow,
       blocks,
       threads,
       Fill{1},
       Fill{1},
       {n, 1},
       {n, 1 << 24}},
      {"indices out of their own bounds",
       "indexed",
       Rule::IndexOutOfField,
       blocks,
       threads,
       Fill{1},
       Fill{1},
       {n, n},
       {n, 0}},
      {"a barrier that half a warp misses",
       "halves",
       Rule::BarrierDivergence,
       {4096, 1, 1},
       {32, 1, 1},
       Fill{1},
       Fill{1},
       {64, 1},
       {64, 0},
       0,
       false},
  };
  try {
    const auto module = std::make_shared<const ptx::Module>(ptx::read_file(folder + "/findings.ptx"));
    fmt::print("{:<44} {:>10} {:>10}\n", "", "without", "with");
    const std::string_view wanted = count > 2 ? words[2] : "";
    for (const Row& row : rows) {
      if (std::string_view(row.what).find(wanted) != std::string_view::npos) measure(module, row);
    }
  } catch (const InputError& error) {
    fmt::print(stderr, "findings: {}\n", error.what());
    return 2;
  }
  return 0;
}
