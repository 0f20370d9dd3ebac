#include "lib/machine/machine.h"

#include <fmt/format.h>

#include <map>
#include <numeric>
#include <set>
#include <thread>
#include <tuple>

#include "lib/base/error.h"
#include "lib/base/random.h"
#include "lib/machine/attempt.h"
#include "lib/machine/decode/code.h"
#include "lib/machine/decode/undefined.h"
#include "lib/machine/describe.h"
#include "lib/machine/judge.h"
#include "lib/machine/limits.h"
#include "lib/machine/outputs.h"
#include "lib/ptx/header.h"

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

class Machine : public Executor {
 public:
  std::string_view name() const override { return "machine"; }
  Outcome run(const Launch& launch, const RunOptions& options) override;

 private:
  Decoded& decode(const Launch& launch, bool contract);
  void execute(Outcome& outcome, const Launch& launch, const RunOptions& options, Decoded& decoded);

  std::map<std::tuple<const ptx::Module*, std::string, bool>, Decoded> decoded_;
};

Decoded& Machine::decode(const Launch& launch, bool contract) {
  Decoded& decoded = decoded_[{launch.module.get(), launch.entry, contract}];
  if (decoded.code) return decoded;
  const ptx::Function* entry = launch.module->entry(launch.entry);
  if (!entry) throw InputError(fmt::format("{}: there is no kernel entry {}", launch.module->path, launch.entry));
  if (!entry->has_body) {
    throw InputError(Place{launch.module->path, entry->line, 0, {}},
                     fmt::format("the entry {} is declared here and has no body", entry->name));
  }
  decoded.module = launch.module;
  decoded.code = make_code(launch.module, *entry, contract);
  decoded.may_be_undefined = registers_read_before_written(*decoded.code);
  return decoded;
}

// Why a launch has no outcome to judge; "" where it has one.
std::string cut_short(Worker::End end, const RunOptions& options) {
  if (end == Worker::End::Unfinished) {
    return options.budget ? fmt::format("not finished: the budget of {} instructions is used up", options.budget)
                          : fmt::format("not finished after {:g} s", options.seconds);
  }
  if (end == Worker::End::Hang && !options.checks.has(Check::Hang))
    return "it hangs: nobody can go on, and the check for that is off";
  return "";
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

// Of many blocks, those that judge a race: whoever is named in a finding, and the first ones.
BlockList blocks_to_judge(const BlockList& blocks, const Collector& found) {
  constexpr u64 most = 16;
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

// Drops the races that do not matter, and notes those of lanes that differ by rounding.
void judge_races(Attempt& found, Outcome& outcome, const RaceJudge& judge, const Code& code) {
  for (const auto& [key, it] : found.collector.found()) {
    if (!is_race(it.example) || !judge.is_rounding(it.example)) continue;
    outcome.notes.push_back(describe_refusal(
        "lanes of one instruction store values to one address that differ by rounding alone", it.example.step, code));
  }
  found.collector.drop([&](const Occurrence& it) { return is_race(it) && judge.is_idle(it); });
}

void Machine::execute(Outcome& outcome, const Launch& launch, const RunOptions& options, Decoded& decoded) {
  const BlockList blocks = blocks_of(launch, options.block_order_seed);
  const u32 threads = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  double seconds = 0;
  const auto try_once = [&](Wants& wants, const BlockList& some) {
    Attempt out = attempt(launch, options, decoded, some, wants);
    seconds += out.seconds;
    if (out.end != Worker::End::ManyFindings) return out;
    wants.settles = true;
    out = attempt(launch, options, decoded, some, wants);
    seconds += out.seconds;
    return out;
  };
  Wants wants;
  // Atomics on global memory take their order from the blocks': one worker keeps it the same in every run.
  wants.threads = decoded.code->has_global_atomics ? 1 : threads;
  wants.ordered = decoded.code->needs_order;
  wants.logged = decoded.logged;
  Attempt run = try_once(wants, blocks);
  // What proves most launches innocent leaves some undecided: more is asked for then, and from the start the next time.
  while (!wants.ordered) {
    const bool is_logged_next = !(run.stored_twice.empty() && run.disputed.empty());
    if (run.end == Worker::End::NeedsOrder || (decoded.code->synchronises && (is_logged_next || run.has_race()))) {
      wants.ordered = true;
    } else if (run.end == Worker::End::Disputed) {
      decoded.reads_by_chunk = false;
    } else if (run.end != Worker::End::Unfinished && is_logged_next) {
      // Those that are logged are not named again. What is stored twice is so by the kernel; owners meet in a chunk by
      // the shape of a tensor, so that the next launch may well be undisputed.
      decoded.logged.insert(run.stored_twice.begin(), run.stored_twice.end());
      wants.logged.merge(run.stored_twice);
      wants.logged.merge(run.disputed);
    } else {
      break;
    }
    run = try_once(wants, blocks);
  }
  // Who looks without waiting finds what it looks for where all others were done before: once more, with hands that
  // change wherever threads synchronise, and where that is not long, at places that are drawn.
  constexpr u64 few = u64(1) << 14;
  std::vector<u64> seeds{options.schedule};
  if (options.schedule == 0 && run.synchronised < few) seeds.insert(seeds.end(), {1, 2});
  for (const u64 seed : seeds) {
    if (!wants.ordered || !run.is_clean()) break;
    Wants eager = wants;
    eager.schedule = {16 * run.synchronised + (u64(1) << 16), seed};
    Attempt other = try_once(eager, blocks);
    if (other.is_clean()) continue;
    run = std::move(other);
    wants = eager;
  }
  // Threads had left before a barrier, or lanes before an operation of their warp, that one can go round: whether they
  // did.
  wants.last_steps = run.wants_last_steps && (options.checks.has(Check::Barriers) || options.checks.has(Check::Lanes));
  if (wants.last_steps) run = try_once(wants, blocks);
  // What blocks do that race with each other depends on the workers: in block order it is the same in every run.
  if (wants.threads > 1 && !wants.ordered && run.collector.has(Rule::GlobalRace) && !run.races_are_settled) {
    wants.threads = 1;
    run = try_once(wants, blocks);
  }
  if (run.has_race() && !options.strict && run.end == Worker::End::None) {
    RaceJudge judge;
    Wants judged = wants;
    judged.ordered = true;
    judged.judge = &judge;
    const BlockList some = decoded.code->needs_order ? blocks : blocks_to_judge(blocks, run.collector);
    const bool is_judged = try_once(judged, some).end == Worker::End::None;
    if (is_judged && !judge.all_are_writes(run.collector)) {
      judge.follow();
      const Attempt followed = try_once(judged, some);
      if (followed.end == Worker::End::None) {
        judge.decide(followed.collector);
        judge_races(run, outcome, judge, *decoded.code);
      }
    }
  }
  // Where the first NaN or infinity came from is asked for only when an output holds one.
  if (options.checks.has(Check::Nonfinite) && run.end == Worker::End::None &&
      has_nonfinite_output(launch, *run.memory)) {
    // Races are judged already.
    Collector races = std::move(run.collector);
    races.drop([](const Occurrence& it) { return !is_race(it); });
    wants.origins = true;
    wants.threads = 1;
    run = try_once(wants, blocks);
    run.collector.drop(is_race);
    run.collector.merge(std::move(races));
  }
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
  outcome.findings = describe(run.collector, launch, *decoded.code, run.memory->windows());
  if (run.lost_stores) {
    outcome.notes.push_back(
        "stores whose addresses come from a finding were dropped: outputs that nobody wrote are not reported");
  }
  if (run.is_settled) {
    outcome.notes.push_back("findings that come again and again were counted in the first blocks alone");
  }
  outcome.printed = run.collector.printed();
  outcome.accesses = run.recorded.by_instruction(*decoded.code);
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    const Window& window = run.memory->tensor(n);
    outcome.tensors.push_back({window.data, window.written, window.initialized, window.poisoned});
  }
  outcome.storage = std::move(run.memory);
  if (run.end == Worker::End::Refused) {
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason = describe_refusal(run.refusal, run.refusal_step, *decoded.code);
  } else if (const std::string why = cut_short(run.end, options); !why.empty()) {
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason = describe_refusal(why, run.refusal_step, *decoded.code);
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
  if (launch.module->address_size != 64) {
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason = fmt::format("{}: addresses of {} bits are not supported, expected .address_size 64",
                                 launch.module->path, launch.module->address_size);
    return outcome;
  }
  if (launch.block.count() == 0 || launch.block.count() > 1024 || launch.grid.count() == 0) {
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason =
        fmt::format("a launch of {} blocks with {} threads cannot run", launch.grid.count(), launch.block.count());
    return outcome;
  }
  constexpr u64 most_shared = u64(2) << 20;  // far beyond any GPU's
  if (decoded.code->dynamic_shared_offset + launch.dynamic_shared_bytes > most_shared) {
    outcome.kind = OutcomeKind::NotRun;
    outcome.reason =
        fmt::format("a launch with {} bytes of dynamic shared memory cannot run", launch.dynamic_shared_bytes);
    return outcome;
  }
  execute(outcome, launch, options, decoded);
  return outcome;
}

}  // namespace

std::unique_ptr<Executor> make_machine() { return std::make_unique<Machine>(); }

}  // namespace ropewalk::machine
