#include "lib/machine/attempt.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "lib/base/cores.h"
#include "lib/base/stopwatch.h"
#include "lib/machine/checks/unit.h"
#include "lib/machine/clock_looks.h"
#include "lib/machine/outputs.h"
#include "lib/machine/reach.h"
#include "lib/machine/settled.h"

namespace ropewalk::machine {

namespace {

// Runs blocks of a launch on some workers.
class Crew {
 public:
  Crew(LaunchState& state, const BlockList& blocks, u32 threads, bool settles)
      : state_(state),
        blocks_(blocks),
        is_bounded_(!settles && state.fast && state.options.settle_after),
        workers_(std::min<u64>(threads, std::max<u64>(1, blocks.size() / 8))),
        ended_(workers_.size()) {}

  // Runs the blocks up to that one which have not run, or until one has to stop.
  void run_until(u64 end) {
    next_ = std::exchange(end_, end);  // workers that found nothing left have counted on
    if (workers_.size() == 1 || end - next_ == 1) return work(0);
    on_workers(u32(workers_.size()), [this](u32 n) { work(n); });
  }
  bool has_stopped() const { return stop_; }
  // Stops where the blocks that have run show already that accesses must be logged.
  void stop_if_stored_twice() {
    if (stop_ || count_stores().empty()) return;
    ended_[0] = {Worker::End::StoredTwice, blocks_[end_ - 1]};
    stop_ = true;
  }
  const std::vector<std::unique_ptr<Worker>>& workers() const { return workers_; }
  void gather(Attempt& result);

 private:
  struct Ended {
    Worker::End end = Worker::End::None;
    u64 block = ~u64(0);
  };

  // The tensors that must be logged for what all workers stored.
  std::set<i32> count_stores() const {
    std::vector<u64> stored(state_.memory.windows().size()), atomic = stored;  // bytes, by window
    for (const auto& worker : workers_) {
      for (std::size_t i = 0; worker && i < stored.size(); ++i) {
        stored[i] += worker->block().stored_bytes[i];
        atomic[i] += worker->block().atomic_bytes[i];
      }
    }
    return state_.memory.tensors_to_log(stored, atomic);
  }

  void work(u32 n) {
    try {
      if (!workers_[n]) workers_[n] = std::make_unique<Worker>(state_);
      Worker& worker = *workers_[n];
      ClockLooks looks;
      while (!stop_.load(std::memory_order_relaxed)) {
        const u64 i = next_.fetch_add(1);
        if (i >= end_) break;
        if (looks.is_over(state_)) {
          ended_[n] = {Worker::End::Unfinished, blocks_[i]};
          stop_ = true;
          break;
        }
        Worker::End end = worker.run(blocks_[i]);
        if (end == Worker::End::None && stores_twice(worker)) end = Worker::End::StoredTwice;
        if (is_bounded_ && end == Worker::End::None && is_beyond_bounds(worker)) end = Worker::End::ManyFindings;
        if (end == Worker::End::None) continue;
        ended_[n] = {end, blocks_[i]};
        stop_ = true;
      }
    } catch (...) {
      stop_ = true;
      throw;
    }
  }

  // Whether more was stored to a tensor than it holds, which a look at what was stored when all have run would find,
  // too.
  bool stores_twice(Worker& worker) const {
    const Memory& memory = state_.memory;
    return std::ranges::any_of(memory.counted(),
                               [&](u32 n) { return worker.block().stored_bytes[n] > memory.windows()[n].bytes; });
  }

  // Whether all blocks together did more than a launch with findings should: the same for any number of workers.
  bool is_beyond_bounds(Worker& worker) {
    if (!worker.collector().empty()) some_found_ = true;
    const u64 steps = worker.take_careful_steps();
    return (careful_steps_ += steps) > state_.options.settle_after && some_found_;
  }

  LaunchState& state_;
  const BlockList& blocks_;
  const bool is_bounded_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Ended> ended_;
  std::atomic<u64> next_{0};
  u64 end_ = 0;  // of the blocks to run
  std::atomic<bool> stop_{false}, some_found_{false};
  std::atomic<u64> careful_steps_{0};
};

// The block with the lowest number that had to stop decides.
void Crew::gather(Attempt& result) {
  GlobalRaces races;
  u64 instructions = 0;
  std::vector<u8> branches;
  result.stored_twice = count_stores();
  Worker* first = nullptr;
  for (u32 n = 0; n < workers_.size(); ++n) {
    if (!workers_[n]) continue;
    Worker& worker = *workers_[n];
    // The block with the lowest number decides, but where the launch has to run again in any case.
    const auto must_run_again = [](Worker::End end) {
      return end == Worker::End::StoredTwice || end == Worker::End::NeedsRerun || end == Worker::End::NeedsOrder ||
             end == Worker::End::ManyFindings;
    };
    const Ended& ended = ended_[n];
    const bool earlier = ended.end != Worker::End::None && ended.block <= result.end_block;
    if (must_run_again(ended.end) || (earlier && !must_run_again(result.end))) {
      result.end = ended.end;
      result.end_block = ended.block;
      result.refusal = worker.block().refusal;
      result.refusal_step = worker.block().refusal_step;
    }
    instructions += worker.block().thread_instructions;
    branches.resize(worker.block().branches.size());
    for (std::size_t i = 0; i < branches.size(); ++i) branches[i] |= worker.block().branches[i];
    result.collector.merge(std::move(worker.collector()));
    result.undefined_stores.merge(std::move(worker.undefined_stores()));
    races.merge(std::move(worker.races()));
    if (first)
      first->owners().merge(worker.owners(), state_.memory);
    else
      first = &worker;
  }
  result.needs_rerun = first->owners().needs_rerun(state_.memory);
  result.thread_instructions = instructions;
  result.branches = std::move(branches);
  if (state_.options.checks.has(Check::Races)) races.finish(result.collector, state_);
}

// Whether every access that may reach a window was found to race.
bool races_everywhere(const LaunchState& state, u32 number, const Collector& found) {
  const i32 tensor = state.memory.windows()[number].tensor;
  for (u32 s = 0; s < state.code->steps.size(); ++s) {
    const Step& step = state.code->steps[s];
    if (!step.memory || (step.memory->space != MemorySpace::Global && step.memory->space != MemorySpace::Generic &&
                         step.kind != StepKind::AsyncCopy)) {
      continue;
    }
    Reached reached(state.launch);
    reached.add(state.code->origins[step.instruction]);
    if (!reached.has(tensor)) continue;
    if (!found.found().contains({Rule::GlobalRace, s, number, ""})) return false;
  }
  return true;
}

// What races everywhere in the blocks that have run is not logged any more.
void settle_races(Crew& crew, LaunchState& state, std::set<u32>& windows) {
  Worker& worker = *crew.workers()[0];
  for (const auto& other : crew.workers()) {
    if (other && other.get() != &worker) worker.races().merge(std::move(other->races()));
  }
  worker.races().settle(worker.collector(), state, [&](u32 window, const Collector& found) {
    if (!races_everywhere(state, window, found)) return false;
    windows.insert(window);
    state.memory.stop_tracking(window);
    return true;
  });
}

// Runs the blocks on as many workers as that pays for. make_fast(settled) makes the fast tier's program.
template <class MakeFast>
void run_blocks(Attempt& result, LaunchState& state, const BlockList& blocks, const Wants& wants, MakeFast make_fast) {
  Crew crew(state, blocks, wants.threads, wants.settles);
  Settled settled;
  std::set<u32> raced;  // windows
  const bool settles = wants.settles && state.fast, is_logged = !wants.logged.empty() && state.options.settle_after;
  // The first blocks show what there is to settle, one, then ever more, and of a large launch whether it has to run
  // again in any case.
  constexpr u64 many = 1024;
  for (u64 end = settles ? 1 : is_logged ? 64 : many; end < blocks.size() && !crew.has_stopped(); end *= 4) {
    crew.run_until(end);
    if (!settles && end >= many) crew.stop_if_stored_twice();
    if (is_logged && end >= 64) settle_races(crew, state, raced);
    bool is_new = false;
    for (const auto& worker : crew.workers()) {
      is_new |= settles && worker && settled.take(worker->collector(), state.launch, *state.code);
    }
    if (!is_new) continue;
    state.fast = make_fast(settled);
    result.is_settled = true;
  }
  crew.run_until(blocks.size());
  crew.gather(result);
  result.collector.mark_bounds([&](const Occurrence& it) {
    return settled.has(it) || (it.rule == Rule::GlobalRace && raced.contains(it.window));
  });
  result.races_are_settled = !raced.empty();
  result.is_settled |= !raced.empty();
  for (const auto& [key, it] : result.collector.found()) {
    const Occurrence& race = it.example;
    if (race.rule != Rule::GlobalRace) continue;
    result.races_are_settled &= raced.contains(race.window) && !state.memory.windows()[race.window].loaded;
  }
  // What it holds is left to chance.
  for (const u32 window : raced) state.memory.lose_written(window);
}

// Runs the blocks in turns, with the order of events followed.
void run_ordered(Attempt& result, LaunchState& state, const BlockList& blocks, const Schedule& schedule) {
  order::Order order(state.memory.windows().size(), state.code->global_granule);
  order.eager_until = schedule.eager_until;
  order.seed = schedule.seed;
  order.holds = schedule.holds;
  order.turns_warps = schedule.turns_warps;
  state.order = &order;
  state.needs_no_order = needs_no_order(state.launch, *state.code, state.shared_by_barriers);
  Scheduled scheduled = run_in_turns(state, blocks, schedule, result.collector);
  state.order = nullptr;
  result.synchronised = order.synchronised;
  result.end = scheduled.end;
  result.end_block = scheduled.end_block;
  result.refusal = std::move(scheduled.refusal);
  result.refusal_step = scheduled.refusal_step;
  result.thread_instructions = scheduled.thread_instructions;
  result.branches = std::move(scheduled.branches);
  result.undefined_stores = std::move(scheduled.undefined_stores);
}

}  // namespace

Attempt attempt(const Launch& launch, const RunOptions& options, Decoded& decoded, const BlockList& blocks,
                const Wants& wants, Residents& residents) {
  Attempt out;
  out.memory = std::make_unique<Memory>(launch, *decoded.code, options, wants.logged, residents);
  LaunchState state{.launch = launch,
                    .options = options,
                    .code = decoded.code,
                    .memory = *out.memory,
                    .seconds = std::min(options.seconds, wants.seconds),
                    .budget = wants.budget && options.budget ? std::min(wants.budget, options.budget)
                                                             : std::max(wants.budget, options.budget)};
  // Whoever judges a race asks whether somebody may see it.
  if (wants.judge || !options.checks.has(Check::Uninitialized)) out.memory->end_privacy();
  const Observed observed{.branches = options.count || options.coverage, .trails = wants.trails};
  // Warps that wait for each other run each by itself.
  const u32 warps =
      wants.ordered ? 1 : warps_per_group((u32(launch.block.count()) + lanes_per_warp - 1) / lanes_per_warp);
  state.careful = decoded.program(Tier::Careful, launch, warps, observed);
  state.judges_all = options.careful_only || options.record_accesses || wants.first_check;
  const bool careful_only = state.judges_all || wants.ordered;
  if (!wants.origins && decoded.may_be_undefined.empty() && !careful_only) {
    state.fast = decoded.program(Tier::Fast, launch, warps, observed);
  }
  const auto make_fast = [&](const Settled& settled) { return decoded.program(settled, launch, warps, observed); };
  if (wants.passes_known && state.fast)
    state.fast = make_fast(decoded.known.settled(*options.reported, launch, *decoded.code, out.memory->windows()));
  CheckSet checks = options.checks;
  if (wants.judge) checks.add(Check::Uninitialized);  // what a race read is followed as what nobody wrote is
  state.shared_by_barriers = wants.ordered && !wants.orders_shared;
  state.checkers = make_checkers(
      checks, {.strict = options.strict, .ordered = wants.ordered, .by_barriers = state.shared_by_barriers});
  if (wants.first_check) state.checkers.insert(state.checkers.begin(), wants.first_check());
  if (options.record_accesses) state.checkers.push_back(std::make_unique<AccessRecorder>(out.recorded));
  state.may_be_undefined = decoded.may_be_undefined;
  state.assumed = wants.assumed;
  state.judge = wants.judge;
  state.track_origins = wants.origins;
  state.reads_by_chunk = decoded.reads_by_chunk;
  state.track_trails = wants.trails;
  const Stopwatch watch;
  if (wants.ordered)
    run_ordered(out, state, blocks, wants.schedule);
  else
    run_blocks(out, state, blocks, wants, make_fast);
  out.seconds = watch.seconds();
  out.grid_controls = state.grid_controls;
  out.missed_at = std::move(state.missed_at);
  out.needs_shared_order =
      state.shared_by_barriers && (state.needs_shared_order || out.collector.has(Rule::SharedRace));
  if (wants.passes_known) out.met = decoded.known.met();
  if (out.end == Worker::End::None || out.end == Worker::End::Trap) {
    // What a launch that was cut short would have written is not known; a device ends one at a failed assertion, too.
    const bool cut_short = out.end == Worker::End::Trap || out.collector.has(Rule::DeviceAssert) || state.gave_up;
    out.lost_stores = state.lost_stores;
    const bool sampled = blocks.size() < launch.grid.count();
    check_outputs(state, out.collector, sampled || cut_short || out.lost_stores, wants.origins);
  }
  return out;
}

}  // namespace ropewalk::machine
