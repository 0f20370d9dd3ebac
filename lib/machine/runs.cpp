#include "lib/machine/runs.h"

#include <fmt/format.h>

#include <numeric>
#include <set>
#include <utility>

#include "lib/base/cores.h"
#include "lib/base/random.h"
#include "lib/finding/phrases.h"
#include "lib/machine/describe.h"
#include "lib/machine/judge.h"
#include "lib/machine/outputs.h"

namespace ropewalk::machine {

namespace {

// Which blocks of a launch run, in which order.
BlockList blocks_of(const Launch& launch, u64 order_seed) {
  const u64 total = launch.grid.count();
  const bool is_sampled = launch.blocks.count != 0 && launch.blocks.count < total;
  if (!is_sampled && !order_seed) return BlockList(total);
  std::vector<u64> blocks;
  if (!is_sampled) {
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
  return BlockList(std::move(blocks));
}

}  // namespace

BlockList blocks_to_judge(const BlockList& blocks, const Collector& found) {
  constexpr u64 most = 8;
  if (blocks.size() <= most) return blocks;
  std::set<u64> chosen;
  for (u64 n = 0; n < most / 2; ++n) chosen.insert(blocks[n]);
  for (const auto& [key, it] : found.found()) {
    if (chosen.size() > most) break;
    chosen.insert(it.example.block);
    if (it.example.other_step != no_value) chosen.insert(it.example.other_block);
  }
  return BlockList({chosen.begin(), chosen.end()});
}

Runs::Runs(const Launch& launch, const RunOptions& options, Decoded& decoded)
    : launch_(launch),
      options_(options),
      decoded_(&decoded),
      blocks_(blocks_of(launch, options.block_order_seed)),
      before_(launch, *decoded.code) {
  // Atomics on global memory take their order from the blocks': one worker keeps it the same in every run.
  wants_.threads = decoded.code->has_global_atomics ? 1 : threads_for(options.threads);
  wants_.ordered = decoded.code->needs_order;
  wants_.logged = decoded.logged;
}

Attempt Runs::attempt(Wants& wants, const BlockList& some) {
  wants.orders_shared |= decoded_->orders_shared || code().synchronises_in_shared || wants.judge;
  Attempt run = from_the_start(wants, some);
  if (run.needs_shared_order && !keeps_what_is_sure(run)) {
    wants.orders_shared = decoded_->orders_shared = true;
    run.memory.reset();
    run = from_the_start(wants, some);
  }
  if (run.end != Worker::End::ManyFindings) return run;
  wants.settles = true;
  run_again(run, wants, some);
  return run;
}

// Of a run that is stopped from outside no other one comes that would decide about its races. Whether it was.
bool Runs::keeps_what_is_sure(Attempt& run) const {
  if (was_stopped(run)) run.collector.drop(is_race);
  return was_stopped(run);
}

bool Runs::is_known(const Occurrence& found, const Attempt& run) const {
  return options_.reported && decoded_->known.has(found, *options_.reported, launch_, run.memory->windows());
}

bool Runs::has_new_race(const Attempt& run) const {
  return std::ranges::any_of(run.collector.found(), [&](const auto& entry) {
    return is_race(entry.second.example) && !is_known(entry.second.example, run);
  });
}

// What was reported of earlier launches is let pass where nothing else is found.
Attempt Runs::first_attempt() {
  KnownFindings& known = decoded_->known;
  const bool passes = options_.reported && !wants_.ordered && known.may_pass(*options_.reported);
  if (!passes) return attempt(wants_, blocks_);
  Wants wants = wants_;
  wants.passes_known = true;
  Attempt run = from_the_start(wants, blocks_);
  const auto has_known_alone = [&](const Attempt& it) {
    return it.end == Worker::End::None && std::ranges::all_of(it.collector.found(), [&](const auto& entry) {
             return is_known(entry.second.example, it);
           });
  };
  if (has_known_alone(run)) return run;
  run.memory.reset();
  run = attempt(wants_, blocks_);
  if (has_known_alone(run)) known.give_up();
  return run;
}

// For the same findings with better wording. A run that is stopped from outside knows less than the one before.
void Runs::run_again(Attempt& run, const Wants& wants, const BlockList& some) {
  Attempt again = from_the_start(wants, some);
  if (was_stopped(again))
    run.end = Worker::End::Unfinished;
  else
    run = std::move(again);
}

Attempt Runs::from_the_start(const Wants& wants, const BlockList& some) {
  if (std::exchange(has_run_, true)) before_.restore();
  Attempt run = machine::attempt(launch_, options_, *decoded_, some, wants, before_);
  seconds_ += run.seconds;
  return run;
}

// Whether the cheap evidence, which proves most launches innocent, left something undecided. What is asked for then is
// asked for from the start the next time.
bool Runs::asks_for_more(const Attempt& run) {
  if (wants_.ordered) return false;
  const bool is_logged_next = !(run.stored_twice.empty() && run.needs_rerun.empty());
  const bool is_open = code().synchronises && (is_logged_next || run.has_race());
  if (run.end == Worker::End::NeedsOrder || is_open || (code().exchanges && run.has_race_in_a_warp())) {
    wants_.ordered = true;
  } else if (run.end == Worker::End::NeedsRerun) {
    decoded_->reads_by_chunk = false;
  } else if (run.end != Worker::End::Unfinished && is_logged_next) {
    // Those that are logged are not named again. What is stored twice is so by the kernel; owners meet in a chunk by
    // the shape of a tensor, so that the next launch may well need no rerun.
    decoded_->logged.insert(run.stored_twice.begin(), run.stored_twice.end());
    wants_.logged.insert(run.stored_twice.begin(), run.stored_twice.end());
    wants_.logged.insert(run.needs_rerun.begin(), run.needs_rerun.end());
  } else {
    return false;
  }
  return true;
}

void Runs::with_memory_kept(const std::function<void()>& body) {
  Storage storage;
  const std::vector<SavedBytes> after = before_.stored(storage);
  body();
  before_.restore();
  for (const SavedBytes& bytes : after) bytes.put_back();
}

namespace {

// Whether another order of turns shows what this run does not, or leaves undefined what somebody may use later.
bool has_something_new(const Attempt& other, const Attempt& run) {
  const auto has_more = [](const auto& ours, const auto& theirs) {
    return std::ranges::any_of(ours, [&](const auto& entry) { return !theirs.contains(entry.first); });
  };
  return has_more(other.collector.found(), run.collector.found()) ||
         has_more(other.undefined_stores.all(), run.undefined_stores.all());
}

// Another run in place of this one, with what both found, but for what the other judges better.
template <class IsJudged>
void replace(Attempt& run, Attempt other, IsJudged is_judged) {
  Collector before = std::move(run.collector);
  before.drop(is_judged);
  run = std::move(other);
  run.collector.merge_new(std::move(before));
}

}  // namespace

// Whether these eager turns show nothing new up to where they end.
bool Runs::starts_with_nothing_new(Wants eager, const Attempt& run) {
  eager.schedule.ends_at = eager.schedule.eager_until;
  bool is_new = false;
  with_memory_kept([&] {
    const Attempt start = attempt(eager, blocks_);
    const bool can_go_on = start.end == Worker::End::None || start.end == Worker::End::Unfinished;
    is_new = !can_go_on || has_something_new(start, run);
  });
  return !is_new;
}

// Who looks without waiting finds what it looks for where all others were done before: once more, with hands that
// change wherever threads synchronise, and where that is not long, at points that are drawn: the more often the less of
// them there are. Of a launch that is large, or synchronises often, the beginning has to do. A warning, or a race that
// may not matter, is no reason to stop looking. Where many wait for one another, each change makes all of them look
// again: an order that takes far more turns than this one is left there, and the launch has what this one showed.
void Runs::try_other_orders(Attempt& run) {
  constexpr u64 large = u64(1) << 14;  // threads
  constexpr u64 few = u64(1) << 14, very_few = u64(1) << 10;
  constexpr u64 most_turns = u64(1) << 16;
  const bool has_many_threads = blocks_.size() * launch_.block.count() > large;
  const bool is_large = has_many_threads || run.synchronised >= few;
  const bool draws = options_.schedule == 0 && !is_large;
  const auto order_of = [](u64 seed, bool holds) { return Schedule{.seed = seed, .holds = holds}; };
  std::vector<Schedule> orders{order_of(options_.schedule, false)};
  if (!is_large) orders.push_back(order_of(options_.schedule, true));
  if (draws) orders.insert(orders.end(), {order_of(1, false), order_of(2, false), order_of(1, true)});
  if (draws && run.synchronised < very_few) {
    for (u64 seed = 3; seed <= 8; ++seed) orders.push_back(order_of(seed, seed > 6));
  }
  for (const Schedule& order : orders) {
    if (!wants_.ordered || run.synchronised == 0 || run.end != Worker::End::None) return;
    Wants wants = wants_;
    wants.schedule = order;
    if (!order.holds) wants.schedule.eager_until = run.synchronised / (has_many_threads ? 2 : 1) + 1;
    if (is_large && starts_with_nothing_new(wants, run)) continue;
    const u64 eager_until = std::min(16 * run.synchronised, most_turns) + most_turns;
    if (!order.holds) wants.schedule.eager_until = eager_until;
    wants.schedule.ends_at = 2 * eager_until;
    bool is_new = true;
    with_memory_kept([&] {
      const Attempt other = attempt(wants, blocks_);
      const bool is_left = other.end == Worker::End::Unfinished && !was_stopped(other);
      is_new = !(is_left || other.end == Worker::End::None) || has_something_new(other, run);
    });
    if (!is_new) continue;
    wants.schedule.ends_at = ~u64(0);
    replace(run, attempt(wants, blocks_), is_race);  // they are found in every order
    wants_ = wants;
    return;
  }
}

// Whether the first of many blocks are enough to tell that threads are missed wherever some were missing: the run has
// the findings then.
bool Runs::are_surely_missed(Attempt& run) {
  constexpr u64 first = 64;
  if (wants_.ordered || blocks_.size() < 8 * first) return false;
  std::vector<u64> some(first);
  for (u64 n = 0; n < first; ++n) some[n] = blocks_[n];
  Collector found;
  with_memory_kept([&] { found = attempt(wants_, BlockList(std::move(some))).collector; });
  found.drop([&](const Occurrence& it) { return !run.missed_at.contains(it.step) || it.severity != Severity::Error; });
  found.mark_bounds([](const Occurrence&) { return true; });
  std::set<u32> missed_at;
  for (const auto& [key, it] : found.found()) missed_at.insert(it.example.step);
  if (missed_at != run.missed_at) return false;
  run.collector.merge_findings(std::move(found));
  return true;
}

namespace {

// A read that races may not matter, which was not found out.
void warn_of_unjudged(Attempt& run, const char* end) {
  run.collector.soften(
      [](const Occurrence& it) { return is_race(it) && it.of_read; },
      fmt::format("one reads, one writes, and the launch {} before it was known whether that matters", end));
}

}  // namespace

// Runs such a launch for a judge of the races that were found.
Runs::Judged Runs::ask(RaceJudge& judge, Wants wants, const BlockList& some, const Collector& found) {
  wants.ordered = true;
  wants.judge = &judge;
  Attempt first = attempt(wants, some);
  first.memory.reset();
  if (first.end == Worker::End::Unfinished) return Judged::Cut;
  const bool hangs = first.end == Worker::End::Hang;
  if ((first.end != Worker::End::None && !hangs) || judge.all_are_writes(found)) return Judged::AllMatter;
  judge.follow();
  // Of threads that hang nobody knows what they would have used.
  if (hangs) {
    judge.decide(nullptr);
    return Judged::Hung;
  }
  // Who waits for what only a doubtful branch stores waits for ever: following values takes thirty times as long at
  // most.
  wants.seconds = 1 + 30 * first.seconds;
  const Attempt followed = attempt(wants, some);
  if (was_stopped(followed)) return Judged::Cut;
  judge.decide(followed.end == Worker::End::None ? &followed.collector : nullptr);
  return Judged::Each;
}

// What other orders of turns show of races that changed nothing in this one: the first round of a loop may store what
// is there already, and a later round races only where others are slower.
std::vector<RaceJudge> Runs::ask_in_other_orders(const Attempt& run, const RaceJudge& judge) {
  constexpr u64 few = u64(1) << 14;
  std::vector<RaceJudge> others;
  const bool asks = wants_.ordered && run.synchronised != 0 && run.synchronised < few &&
                    std::ranges::any_of(run.collector.found(), [&](const auto& entry) {
                      const Occurrence& it = entry.second.example;
                      return is_race(it) && judge.of(it) == RaceVerdict::Unchanged;
                    });
  for (u64 seed = 0; asks && seed < 3; ++seed) {
    Wants wants = wants_;
    wants.schedule = {.eager_until = 32 * run.synchronised + few, .seed = seed};
    wants.schedule.ends_at = 2 * wants.schedule.eager_until;
    RaceJudge other;
    if (ask(other, wants, blocks_, run.collector) == Judged::Each) others.push_back(std::move(other));
  }
  return others;
}

namespace {

bool is_error(RaceVerdict verdict) { return verdict == RaceVerdict::Matters || verdict == RaceVerdict::LosesUpdate; }

// Why a race with this verdict is no error; nullptr: it is one, or is none at all.
const char* why_warning(RaceVerdict verdict) {
  switch (verdict) {
    case RaceVerdict::InOneWarp:
      return "what matters of it is between lanes of one warp, which today's hardware runs one after the other";
    case RaceVerdict::UsedElsewhere:
      return "what is read in the race nobody uses; what the same instruction reads at other times is used";
    case RaceVerdict::Repeated:
      return "one reads, one writes, and both make the same change: their order does not matter";
    case RaceVerdict::Unchanged:
      return "one reads, one writes what was there already";
    default:
      return nullptr;
  }
}

}  // namespace

void Runs::drop_idle(Attempt& run, const RaceJudge& judge) {
  run.collector.drop([&](const Occurrence& it) { return is_race(it) && judge.of(it) >= RaceVerdict::Rounding; });
}

// Drops the races that do not matter, notes those of lanes that differ by rounding, and warns of those that do not
// matter for these values.
void Runs::judge_races(Attempt& run, Outcome& outcome) {
  RaceJudge judge;
  const BlockList some = code().needs_order ? blocks_ : blocks_to_judge(blocks_, run.collector);
  const Judged judged = ask(judge, wants_, some, run.collector);
  if (judged == Judged::Cut) return warn_of_unjudged(run, "was cut");
  if (judged == Judged::AllMatter) return;
  const std::vector<RaceJudge> others = ask_in_other_orders(run, judge);
  const auto matters_in_others = [&](const Occurrence& it) {
    return std::ranges::any_of(others, [&](const RaceJudge& other) { return is_error(other.of(it)); });
  };
  run.collector.for_each([&](Collected& collected) {
    Occurrence& it = collected.example;
    if (!is_race(it)) return;
    const RaceVerdict verdict = judge.of(it);
    if (verdict == RaceVerdict::Rounding) {
      outcome.notes.push_back(describe_refusal(
          "lanes of one instruction store values to one address that differ by rounding alone", it.step, code()));
    }
    if (verdict == RaceVerdict::LosesUpdate && it.severity == Severity::Warning) {
      it.severity = Severity::Error;
      it.detail = change_lost;
    }
    const bool depends_on_values = verdict == RaceVerdict::Repeated || verdict == RaceVerdict::Unchanged;
    const char* const why = why_warning(verdict);
    const bool is_known = verdict == RaceVerdict::InOneWarp && it.severity == Severity::Warning;
    if (!why || is_known || (depends_on_values && matters_in_others(it))) return;
    it.severity = Severity::Warning;
    it.detail = why;
  });
  if (judged == Judged::Hung) warn_of_unjudged(run, "hung");
  drop_idle(run, judge);
  if (judged == Judged::Each && others.empty())
    judge.narrow(run.collector, wants_.ordered, some.size() < blocks_.size());
}

// Where the first NaN or infinity came from; races are judged already.
void Runs::find_origins(Attempt& run) {
  wants_.origins = true;
  wants_.threads = 1;
  Attempt again = attempt(wants_, blocks_);
  again.collector.drop(is_race);
  replace(run, std::move(again), [](const Occurrence& it) { return it.rule == Rule::NonfiniteOrigin; });
}

Attempt Runs::take(Outcome& outcome) {
  Attempt run = first_attempt();
  while (asks_for_more(run)) {
    if (keeps_what_is_sure(run)) break;
    run.memory.reset();  // nobody asks for it, and the next run finds it touched
    run = attempt(wants_, blocks_);
  }
  try_other_orders(run);
  // Threads had left before a barrier, or lanes before an operation of their warp, that one can go round: whether they
  // did.
  const CheckSet& checks = options_.checks;
  wants_.trails = !run.missed_at.empty() && (checks.has(Check::Barriers) || checks.has(Check::Lanes));
  if (wants_.trails && !are_surely_missed(run)) replace(run, attempt(wants_, blocks_), is_race);
  // What blocks do that race with each other depends on the workers: in block order it is the same in every run.
  if (wants_.threads > 1 && !wants_.ordered && has_new_race(run) && run.collector.has(Rule::GlobalRace) &&
      !run.races_are_settled) {
    wants_.threads = 1;
    run_again(run, wants_, blocks_);
  }
  const auto is_whole = [&] { return run.end == Worker::End::None; };
  if (run.end == Worker::End::Unfinished && !options_.strict) warn_of_unjudged(run, "was cut");
  const bool can_be_judged = is_whole() || run.end == Worker::End::Hang;
  if (!options_.strict && can_be_judged && has_new_race(run)) with_memory_kept([&] { judge_races(run, outcome); });
  if (checks.has(Check::Nonfinite) && is_whole() && has_nonfinite_output(launch_, *run.memory)) find_origins(run);
  if (options_.evidence) find_evidence(run);
  run.memory->end_poison();
  return run;
}

}  // namespace ropewalk::machine
