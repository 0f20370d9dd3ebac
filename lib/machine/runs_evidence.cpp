// What more a launch runs for once its findings are known: evidence of what they come from.
#include <utility>

#include "lib/machine/decode/undefined.h"
#include "lib/machine/index_sources.h"
#include "lib/machine/judge.h"
#include "lib/machine/missing_barrier.h"
#include "lib/machine/missing_order.h"
#include "lib/machine/runs.h"

namespace ropewalk::machine {

namespace {

constexpr u64 most_work = u64(1) << 24;  // for the evidence of a launch whose threads wait for each other

bool is_at_a_bad_address(const Occurrence& it) {
  return it.has_access && it.step != no_value &&
         (it.rule == Rule::OutOfBoundsRead || it.rule == Rule::OutOfBoundsWrite || it.rule == Rule::IndexOutOfField);
}

// f(collected) for what is reported, now or where somebody uses what is stored.
template <class F>
void for_each_found(Attempt& run, F f) {
  run.collector.for_each(f);
  run.undefined_stores.for_each_found(f);
}

}  // namespace

// About what a run in turns costs: each thread comes to a part of the code, and where it synchronises its warp's lanes
// are looked at one by one.
u64 Runs::work_of(const Attempt& run) const {
  return blocks_.size() * launch_.block.count() * (code().steps.size() / 4 + 1) + 64 * run.synchronised;
}

// What the addresses of accesses outside were computed from: the block of the example once more, alone, or all blocks
// where these depend on each other, if there is not too much of them.
void Runs::find_index_sources(Attempt& run) {
  constexpr u32 most = 8;  // findings of a launch
  if (wants_.ordered && work_of(run) > most_work / most) return;
  u32 traced = 0;
  run.collector.for_each([&](Collected& it) {
    if (!is_at_a_bad_address(it.example) || is_known(it.example, run) || traced == most) return;
    const std::map<u32, u32> loads = loads_of_address(code(), it.example.step);
    if (loads.empty()) return;
    ++traced;
    Wants wants = wants_.ordered ? wants_ : Wants();
    wants.first_check = [&] { return std::make_unique<IndexSources>(loads, it.example, it.computed_from); };
    const BlockList some = wants_.ordered ? blocks_ : BlockList(std::vector<u64>{it.example.block});
    with_memory_kept([&] { from_the_start(wants, some); });
  });
}

// What would order those that race, where threads hand values to each other: tried out, in the order of turns that
// showed the races and in others, which an order by chance would not outlast. Of a long launch less is tried.
void Runs::find_missing_orders(Attempt& run) {
  constexpr u64 most_runs = 400;
  const u64 turns = 16 * run.synchronised + 1024;
  std::vector<Schedule> orders{wants_.schedule, Schedule{}};
  for (u64 seed = 0; seed < 4; ++seed) {
    orders.push_back({.eager_until = turns, .seed = seed, .turns_warps = true});
    orders.push_back({.seed = seed, .holds = true});
  }
  // Races that do not matter are judged where all that may be missing leaves some.
  std::optional<bool> leaves_some;
  const auto races_of = [&](const std::vector<u8>& assumed, u32 order) -> std::optional<std::vector<Occurrence>> {
    if (options_.is_stopped()) return std::nullopt;
    Wants wants = wants_;
    wants.assumed = assumed;
    wants.schedule = orders[order];
    if (order > 0) wants.schedule.ends_at = 2 * turns;
    std::optional<std::vector<Occurrence>> races;
    with_memory_kept([&] {
      Attempt other = attempt(wants, blocks_);
      if (other.end != Worker::End::None && (order == 0 || other.end != Worker::End::Unfinished)) return;
      if (!leaves_some) leaves_some = other.has_race();
      if (*leaves_some && other.has_race() && !options_.strict) {
        other.memory.reset();
        RaceJudge judge;
        if (ask(judge, wants, blocks_, other.collector) == Judged::Each) drop_idle(other, judge);
      }
      races.emplace();
      for (const auto& [key, it] : other.collector.found()) {
        if (is_race(it.example)) races->push_back(it.example);
      }
    });
    return races;
  };
  OrderSearch search(code(), u32(orders.size()), u32(std::min(most_runs, most_work / work_of(run))), races_of);
  run.collector.for_each([&](Collected& it) {
    const Occurrence& race = it.example;
    if (!is_race(race) || race.severity != Severity::Error || race.other_step == no_value || is_known(race, run))
      return;
    it.missing_orders = search.find(race);
  });
}

// What some blocks find with barriers at these points; nullopt: they do not run to their end.
std::optional<std::vector<Occurrence>> Runs::found_with(const std::vector<BarrierPoint>& points,
                                                        const BlockList& some) {
  Decoded changed;
  changed.code = with_barriers(code(), points, options_.fp_contract, launch_.is_cooperative);
  if (!changed.code) return std::nullopt;
  changed.module = changed.code->module;
  changed.may_be_undefined = registers_read_before_written(*changed.code);
  Decoded* const ours = std::exchange(decoded_, &changed);
  const Wants wants = wants_;
  constexpr u64 most_instructions = u64(1) << 25;  // of warps
  wants_.budget = most_instructions / (some.size() * (launch_.block.count() / lanes_per_warp + 1));
  std::optional<std::vector<Occurrence>> found;
  with_memory_kept([&] {
    Attempt run = attempt(wants_, some);
    while (asks_for_more(run)) {
      run.memory.reset();
      run = attempt(wants_, some);
    }
    if (run.end == Worker::End::None && !run.missed_at.empty()) {  // whether threads go round one of the barriers
      wants_.trails = true;
      run.memory.reset();
      run = attempt(wants_, some);
    }
    if (run.end != Worker::End::None) return;
    found.emplace();
    for_each_found(run, [&](const Collected& it) { found->push_back(it.example); });
  });
  wants_ = wants;
  decoded_ = ours;
  if (!found) return std::nullopt;
  for (Occurrence& it : *found) {
    for (u32* const step : {&it.step, &it.other_step}) *step = step_without(points, *step, *changed.code, code());
  }
  return found;
}

// Where a barrier ends the races between threads of a block: tried in some of the blocks.
void Runs::find_missing_barriers(Attempt& run) {
  if (wants_.ordered && work_of(run) > most_work / 16) return;
  std::vector<Collected*> races, reads;
  for_each_found(run, [&](Collected& it) {
    const Occurrence& found = it.example;
    const bool is_read = found.rule == Rule::UninitializedRead && found.space == MemorySpace::Shared;
    if (is_read) reads.push_back(&it);
    if (!is_race(found) || it.across_blocks || found.other_step == no_value || is_across_blocks(found)) return;
    // Its own copies a thread waits for.
    if (found.block == found.other_block && found.thread == found.other_thread) return;
    if (it.missing_orders.empty() && !is_known(found, run)) races.push_back(&it);
  });
  if (races.empty()) return;
  const BlockList some = blocks_to_judge(blocks_, run.collector);
  BarrierSearch(code(), [&](const auto& points) { return found_with(points, some); }).find(std::move(races), reads);
}

void Runs::find_evidence(Attempt& run) {
  const bool is_whole = run.end == Worker::End::None;
  if (run.end != Worker::End::Unfinished) find_index_sources(run);
  if (wants_.ordered && is_whole && has_new_race(run)) find_missing_orders(run);
  if (is_whole && has_new_race(run)) find_missing_barriers(run);
}

}  // namespace ropewalk::machine
