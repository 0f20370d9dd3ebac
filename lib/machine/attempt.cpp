#include "lib/machine/attempt.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "lib/base/error.h"
#include "lib/base/stopwatch.h"
#include "lib/machine/outputs.h"

namespace ropewalk::machine {

namespace {

// Runs the blocks on as many workers as that pays for. The block with the lowest number that had to stop decides.
void run_blocks(Attempt& result, LaunchState& state, const std::vector<u64>& blocks, u32 threads) {
  const u32 workers = u32(std::min<u64>(threads, std::max<u64>(1, blocks.size() / 8)));
  std::vector<std::unique_ptr<Worker>> all(workers);
  struct Ended {
    Worker::End end = Worker::End::None;
    u64 block = ~u64(0);
  };
  std::vector<Ended> ended(workers);
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
        ended[n] = {end, blocks[i]};
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
  GlobalRaces races;
  u64 instructions = 0;
  std::vector<u8> branches;
  std::vector<u64> stored_bytes(state.memory.windows().size()), atomic_bytes = stored_bytes;
  for (u32 n = 0; n < workers; ++n) {
    // The block with the lowest number decides, but where the launch has to run again in any case.
    const auto must_run_again = [](Worker::End end) {
      return end == Worker::End::Disputed || end == Worker::End::NeedsOrder;
    };
    const bool earlier = ended[n].end != Worker::End::None && ended[n].block <= result.end_block;
    if (must_run_again(ended[n].end) || (earlier && !must_run_again(result.end))) {
      result.end = ended[n].end;
      result.end_block = ended[n].block;
      result.refusal = all[n]->block().refusal;
      result.refusal_step = all[n]->block().refusal_step;
    }
    for (std::size_t i = 0; i < stored_bytes.size(); ++i) {
      stored_bytes[i] += all[n]->block().stored_bytes[i];
      atomic_bytes[i] += all[n]->block().atomic_bytes[i];
    }
    instructions += all[n]->block().thread_instructions;
    branches.resize(all[n]->block().branches.size());
    for (std::size_t i = 0; i < branches.size(); ++i) branches[i] |= all[n]->block().branches[i];
    result.collector.merge(std::move(all[n]->collector()));
    races.merge(std::move(all[n]->races()));
    if (n > 0) all[0]->owners().merge(all[n]->owners(), state.memory);
  }
  result.stored_twice = state.memory.tensors_to_log(stored_bytes, atomic_bytes);
  result.disputed = all[0]->owners().disputed(state.memory);
  result.thread_instructions = instructions;
  result.branches = std::move(branches);
  if (state.options.checks.has(Check::Races)) races.finish(result.collector, state);
}

// Runs the blocks in turns, with the order of events followed.
void run_ordered(Attempt& result, LaunchState& state, const std::vector<u64>& blocks, const Schedule& schedule) {
  order::Order order(state.memory.windows().size(), state.code->global_granule);
  order.eager = schedule.eager;
  state.order = &order;
  Scheduled scheduled = run_in_turns(state, blocks, schedule, result.collector);
  state.order = nullptr;
  result.end = scheduled.end;
  result.end_block = scheduled.end_block;
  result.refusal = std::move(scheduled.refusal);
  result.refusal_step = scheduled.refusal_step;
  result.thread_instructions = scheduled.thread_instructions;
  result.branches = std::move(scheduled.branches);
}

}  // namespace

Attempt attempt(const Launch& launch, const RunOptions& options, Decoded& decoded, const std::vector<u64>& blocks,
                const Wants& wants) {
  Attempt out;
  out.memory = std::make_unique<Memory>(launch, *decoded.code, options, wants.logged);
  LaunchState state{.launch = launch, .options = options, .code = decoded.code, .memory = *out.memory};
  const bool observed = options.count || options.coverage;
  // Warps that wait for each other run each by itself.
  const u32 warps =
      wants.ordered ? 1 : warps_per_group((u32(launch.block.count()) + lanes_per_warp - 1) / lanes_per_warp);
  state.careful = decoded.program(Tier::Careful, launch, warps, observed);
  const bool careful_only = options.careful_only || options.record_accesses || wants.ordered;
  if (!wants.origins && !wants.last_steps && decoded.may_be_undefined.empty() && !careful_only) {
    state.fast = decoded.program(Tier::Fast, launch, warps, observed);
  }
  CheckSet checks = options.checks;
  if (wants.judge) checks.add(Check::Uninitialized);  // what a race read is followed as what nobody wrote is
  state.checkers = make_checkers(checks, options.strict, wants.ordered);
  if (options.record_accesses) state.checkers.push_back(std::make_unique<AccessRecorder>(out.recorded));
  state.may_be_undefined = decoded.may_be_undefined;
  state.judge = wants.judge;
  state.track_origins = wants.origins;
  state.reads_by_chunk = decoded.reads_by_chunk;
  state.track_last_steps = wants.last_steps;
  const Stopwatch watch;
  if (wants.ordered)
    run_ordered(out, state, blocks, wants.schedule);
  else
    run_blocks(out, state, blocks, wants.threads);
  out.seconds = watch.seconds();
  out.wants_last_steps = state.wants_last_steps;
  if (out.end == Worker::End::None || out.end == Worker::End::Trap) {
    // What a launch that was cut short would have written is not known; a device ends one at a failed assertion, too.
    const bool cut_short = out.end == Worker::End::Trap || out.collector.has(Rule::DeviceAssert) || state.gave_up;
    const bool sampled = blocks.size() < launch.grid.count();
    check_outputs(state, out.collector, sampled || cut_short, wants.origins);
  }
  return out;
}

}  // namespace ropewalk::machine
