#include "lib/machine/machine.h"

#include <fmt/format.h>

#include <atomic>
#include <map>
#include <numeric>
#include <set>
#include <thread>
#include <tuple>

#include "lib/base/error.h"
#include "lib/base/random.h"
#include "lib/base/stopwatch.h"
#include "lib/machine/decode/code.h"
#include "lib/machine/decode/undefined.h"
#include "lib/machine/decode/uniformity.h"
#include "lib/machine/checks/recorder.h"
#include "lib/machine/describe.h"
#include "lib/machine/limits.h"
#include "lib/machine/outputs.h"
#include "lib/machine/worker.h"
#include "lib/ptx/header.h"

namespace ropewalk::machine {

namespace {

struct Decoded {
  std::shared_ptr<const ptx::Module> module;  // keeps the key alive
  std::shared_ptr<const Code> code;
  std::vector<u32> may_be_undefined;
  bool reads_by_chunk = true;  // of shared memory, until a launch needs to know more
  std::set<i32> logged;  // tensors whose accesses are logged from the start, because some launch stored twice
  std::map<std::vector<u32>, std::shared_ptr<const Program>> programs;
};

// Which blocks of a launch run, in which order.
std::vector<u64> blocks_of(const Launch& launch, u64 order_seed) {
  const u64 total = launch.grid.count();
  std::vector<u64> blocks;
  if (launch.blocks.count == 0 || launch.blocks.count >= total) {
    blocks.resize(total);
    std::iota(blocks.begin(), blocks.end(), u64(0));
  } else {
    std::set<u64> chosen{0, total - 1};
    for (u64 n = 0; chosen.size() < std::max<u64>(2, launch.blocks.count); ++n) {
      chosen.insert(u64((static_cast<unsigned __int128>(random_bits(launch.blocks.seed, n)) * total) >> 64));
    }
    blocks.assign(chosen.begin(), chosen.end());
  }
  if (order_seed) {
    for (u64 i = blocks.size(); i > 1; --i) std::swap(blocks[i - 1], blocks[random_bits(order_seed, i) % i]);
  }
  return blocks;
}

struct Run {
  Worker::End end = Worker::End::None;
  u64 end_block = ~u64(0);
  std::string refusal;
  u32 refusal_step = 0;
  u64 thread_instructions = 0;
  std::vector<u8> branches;  // by step, as in Block
  std::set<i32> stored_twice;  // or stored and loaded: tensors whose accesses must be logged
  std::set<i32> disputed;      // the same, by their chunks' owners
};

class Machine : public Executor {
 public:
  std::string_view name() const override { return "machine"; }
  Outcome run(const Launch& launch, const RunOptions& options) override;

 private:
  Decoded& decode(const Launch& launch, bool contract);
  std::shared_ptr<const Program> program(Decoded& decoded, Tier tier, const Launch& launch, bool observed);
  void execute(Outcome& outcome, const Launch& launch, const RunOptions& options, Decoded& decoded);

  std::map<std::tuple<const ptx::Module*, std::string, bool>, Decoded> decoded_;
};

Decoded& Machine::decode(const Launch& launch, bool contract) {
  Decoded& decoded = decoded_[{launch.module.get(), launch.entry, contract}];
  if (decoded.code) return decoded;
  const ptx::Function* entry = launch.module->entry(launch.entry);
  if (!entry) throw InputError(fmt::format("{}: there is no kernel entry {}", launch.module->path, launch.entry));
  if (!entry->has_body) {
    throw InputError(Place{launch.module->path, entry->line, 0, {}}, fmt::format("the entry {} is declared here and has no body", entry->name));
  }
  decoded.module = launch.module;
  decoded.code = make_code(launch.module, *entry, contract);
  decoded.may_be_undefined = registers_read_before_written(*decoded.code);
  return decoded;
}

std::shared_ptr<const Program> Machine::program(Decoded& decoded, Tier tier, const Launch& launch, bool observed) {
  const u32 threads = u32(launch.block.count());
  const u32 warps = warps_per_group((threads + lanes_per_warp - 1) / lanes_per_warp);
  std::vector<u32> key{u32(tier), warps, u32(observed)};
  for (const bool uniform : uniform_thread_indices(launch.block, warps)) key.push_back(uniform);
  auto& program = decoded.programs[key];
  if (!program) {
    const std::vector<bool> uniform = tier == Tier::Fast ? uniform_values(*decoded.code, launch.block, warps)
                                                         : constant_values(*decoded.code, launch.block, warps);
    program = make_program(decoded.code, tier, warps, uniform, observed);
  }
  return program;
}

// Runs the blocks on as many workers as that pays for. The block with the lowest number that had to stop decides.
Run run_blocks(LaunchState& state, const std::vector<u64>& blocks, u32 threads, Collector& collector) {
  const u32 workers = u32(std::min<u64>(threads, std::max<u64>(1, blocks.size() / 8)));
  std::vector<std::unique_ptr<Worker>> all(workers);
  std::vector<Run> runs(workers);
  std::vector<std::string> failures(workers);
  std::atomic<u64> next{0};
  std::atomic<bool> stop{false};
  const auto work = [&](u32 n) {
    try {
      all[n] = std::make_unique<Worker>(state);
      Worker& worker = *all[n];
      while (!stop.load(std::memory_order_relaxed)) {
        const u64 i = next.fetch_add(1);
        if (i >= blocks.size()) break;
        const Worker::End end = worker.run(blocks[i]);
        if (end == Worker::End::None) continue;
        runs[n] = {end, blocks[i], worker.block().refusal, worker.block().refusal_step, 0, {}, {}};
        stop = true;
      }
    } catch (const std::exception& error) {
      failures[n] = error.what();
      stop = true;
    }
  };
  if (workers == 1) {
    work(0);
  } else {
    std::vector<std::thread> pool;
    for (u32 n = 0; n < workers; ++n) pool.emplace_back(work, n);
    for (std::thread& thread : pool) thread.join();
  }
  for (const std::string& failure : failures) {
    if (!failure.empty()) throw InternalError(failure);
  }
  Run result;
  GlobalRaces races;
  u64 instructions = 0;
  std::vector<u8> branches;
  std::vector<u64> stored_bytes(state.memory.windows().size());
  for (u32 n = 0; n < workers; ++n) {
    const bool earlier = runs[n].end != Worker::End::None && runs[n].end_block <= result.end_block;
    if (runs[n].end == Worker::End::Disputed || (earlier && result.end != Worker::End::Disputed)) result = runs[n];
    for (std::size_t i = 0; i < stored_bytes.size(); ++i) stored_bytes[i] += all[n]->block().stored_bytes[i];
    instructions += all[n]->block().thread_instructions;
    branches.resize(all[n]->block().branches.size());
    for (std::size_t i = 0; i < branches.size(); ++i) branches[i] |= all[n]->block().branches[i];
    collector.merge(std::move(all[n]->collector()));
    races.merge(std::move(all[n]->races()));
    if (n > 0) all[0]->owners().merge(all[n]->owners(), state.memory);
  }
  result.stored_twice = state.memory.tensors_to_log(stored_bytes);
  result.disputed = all[0]->owners().disputed(state.memory);
  result.thread_instructions = instructions;
  result.branches = std::move(branches);
  if (state.options.checks.has(Check::Races)) races.finish(collector, state);
  return result;
}

bool has_race(const Collector& collector) {
  for (const auto& [key, found] : collector.found()) {
    if (std::get<0>(key) == Rule::GlobalRace) return true;
  }
  return false;
}

BranchCoverage coverage_of(const Code& code, const std::vector<u8>& branches) {
  BranchCoverage coverage;
  for (u32 s = 0; s < branches.size(); ++s) {
    if (code.steps[s].kind != StepKind::Branch || code.steps[s].guard == no_value) continue;
    coverage.branches.push_back({code.instruction_of(code.steps[s]).line, (branches[s] & Block::branch_taken) != 0,
                                 (branches[s] & Block::branch_not_taken) != 0,
                                 (branches[s] & Block::branch_divergent) != 0});
  }
  return coverage;
}

struct Stored {
  std::unique_ptr<Memory> memory;
};

void Machine::execute(Outcome& outcome, const Launch& launch, const RunOptions& options, Decoded& decoded) {
  const std::vector<u64> blocks = blocks_of(launch, options.block_order_seed);
  const bool sampled = blocks.size() < launch.grid.count();
  u32 threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  // Atomics on global memory take their order from the blocks': one worker keeps it the same in every run.
  if (decoded.code->has_global_atomics) threads = 1;

  auto stored = std::make_shared<Stored>();
  Collector collector;
  AccessRecords recorded;
  Run run;
  double seconds = 0;
  bool wants_last_steps = false;
  const bool observed = options.count || options.coverage;
  std::set<i32> logged = decoded.logged;
  const auto attempt = [&](u32 workers, bool track_origins, bool track_last_steps = false) {
    collector = Collector();
    stored->memory = std::make_unique<Memory>(launch, *decoded.code, options, logged);
    LaunchState state{.launch = launch, .options = options, .code = decoded.code, .memory = *stored->memory};
    state.careful = program(decoded, Tier::Careful, launch, observed);
    const bool careful_only = options.careful_only || options.record_accesses;
    if (!track_origins && !track_last_steps && decoded.may_be_undefined.empty() && !careful_only) {
      state.fast = program(decoded, Tier::Fast, launch, observed);
    }
    state.checkers = make_checkers(options.checks, options.strict);
    if (options.record_accesses) {
      recorded = AccessRecords();
      state.checkers.push_back(std::make_unique<AccessRecorder>(recorded));
    }
    state.may_be_undefined = decoded.may_be_undefined;
    state.track_origins = track_origins;
    state.reads_by_chunk = decoded.reads_by_chunk;
    state.track_last_steps = track_last_steps;
    const Stopwatch watch;
    run = run_blocks(state, blocks, workers, collector);
    seconds += watch.seconds();
    wants_last_steps = state.wants_last_steps;
    if (run.end == Worker::End::None || run.end == Worker::End::Trap) {
      // What a launch that was cut short would have written is not known; a device ends one at a failed assertion, too.
      const bool cut_short = run.end == Worker::End::Trap || collector.has(Rule::DeviceAssert);
      check_outputs(state, collector, sampled || cut_short, track_origins);
    }
  };
  // What proves most launches innocent leaves some undecided: more is asked for then, and from the start the next time.
  for (;;) {
    attempt(threads, false);
    if (run.end == Worker::End::Disputed) {
      decoded.reads_by_chunk = false;
    } else if (run.end != Worker::End::Hang && !(run.stored_twice.empty() && run.disputed.empty())) {
      // Those that are logged are not named again. What is stored twice is so by the kernel; owners meet in a chunk by
      // the shape of a tensor, so that the next launch may well be undisputed.
      decoded.logged.insert(run.stored_twice.begin(), run.stored_twice.end());
      logged.merge(run.stored_twice);
      logged.merge(run.disputed);
    } else {
      break;
    }
  }
  // Threads had left before a barrier that one can go round: whether they did.
  const bool looks_round = options.checks.has(Check::Barriers) && wants_last_steps;
  if (looks_round) attempt(threads, false, true);
  // What blocks do that race with each other depends on the workers: in block order it is the same in every run.
  if (threads > 1 && has_race(collector)) attempt(1, false, looks_round);
  // Where the first NaN or infinity came from is asked for only when an output holds one.
  if (options.checks.has(Check::Nonfinite) && has_nonfinite_output(launch, *stored->memory)) attempt(1, true, looks_round);
  outcome.statistics.seconds = seconds;
  outcome.statistics.thread_instructions = options.count ? run.thread_instructions : 0;
  if (options.coverage) outcome.coverage = coverage_of(*decoded.code, run.branches);
  outcome.statistics.blocks = blocks.size();
  outcome.statistics.blocks_total = launch.grid.count();

  if (launch.place.is_given()) {
    outcome.notes.push_back("the machine has one memory: the device and the stream of a launch are not looked at");
  }
  if (std::string note = ptx::newer_text(launch.module->version, launch.module->target); !note.empty()) {
    outcome.notes.push_back(std::move(note));
  }
  outcome.findings = describe(collector, launch, *decoded.code, stored->memory->windows());
  outcome.printed = collector.printed();
  outcome.accesses = recorded.by_instruction(*decoded.code);
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    const Window& window = stored->memory->tensor(n);
    outcome.tensors.push_back({window.data, window.written, window.initialized, window.poisoned});
  }
  outcome.storage = stored;
  if (run.end == Worker::End::Refused) {
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason = describe_refusal(run.refusal, run.refusal_step, *decoded.code);
  } else if (!outcome.findings.empty()) {
    outcome.kind = OutcomeKind::Found;
  }
}

Outcome Machine::run(const Launch& launch, const RunOptions& options) {
  Outcome outcome;
  Decoded& decoded = decode(launch, options.contract);
  if (options.checks.has(Check::Limits)) {
    outcome.findings = check_limits(launch, *decoded.code);
    if (!outcome.findings.empty()) {
      outcome.kind = OutcomeKind::Found;
      outcome.statistics.blocks_total = launch.grid.count();
      return outcome;
    }
  }
  if (launch.block.count() == 0 || launch.block.count() > 1024 || launch.grid.count() == 0) {
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason = fmt::format("a launch of {} blocks with {} threads cannot run", launch.grid.count(), launch.block.count());
    return outcome;
  }
  constexpr u64 most_shared = u64(2) << 20;  // far beyond any GPU's
  if (decoded.code->dynamic_shared_offset + launch.dynamic_shared_bytes > most_shared) {
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason = fmt::format("a launch with {} bytes of dynamic shared memory cannot run", launch.dynamic_shared_bytes);
    return outcome;
  }
  execute(outcome, launch, options, decoded);
  return outcome;
}

}  // namespace

std::unique_ptr<Executor> make_machine() { return std::make_unique<Machine>(); }

}  // namespace ropewalk::machine
