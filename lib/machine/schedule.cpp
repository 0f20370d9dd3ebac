#include "lib/machine/schedule.h"

#include <algorithm>
#include <set>

#include "lib/base/random.h"
#include "lib/machine/clock_looks.h"
#include "lib/machine/device_time.h"
#include "lib/machine/hang.h"
#include "lib/machine/limits.h"

namespace ropewalk::machine {

namespace {

class Turns {
 public:
  Turns(LaunchState& state, const BlockList& blocks, const Schedule& schedule, Collector& collector)
      : state_(state),
        blocks_(blocks),
        schedule_(schedule),
        collector_(collector),
        random_(schedule.seed),
        most_(resident_blocks(state.launch, *state.code)),
        at_once_(schedule.eager_until || schedule.holds ? std::min(most_, affordable(state)) : 1) {}

  Scheduled run() {
    fill();
    while (!running_.empty() && result_.end == Worker::End::None) {
      bool progress = pass(false);
      if (progress) start_beside_long_ones();
      if (progress || result_.end != Worker::End::None || release()) continue;
      // Everybody waits: another block may be what they wait for, or as many again, for each change makes all of them
      // look again.
      const std::size_t waiting = running_.size(), before = next_;
      while (running_.size() < 2 * waiting && next_ < blocks_.size() && running_.size() < most_) start();
      if (next_ != before) continue;
      wait_in_vain();
    }
    for (auto& worker : running_) take(*worker);
    for (auto& worker : idle_) take(*worker);
    return std::move(result_);
  }

 private:
  static constexpr u64 long_run = 64;  // slices of the budget

  // Whoever runs on and on may wait, in a way that is not seen, for a block that has not begun.
  void start_beside_long_ones() {
    const auto is_long = [](const auto& it) { return it->slices() > long_run; };
    if (next_ < blocks_.size() && running_.size() < most_ && std::ranges::all_of(running_, is_long)) start();
  }

  // Lets one that is held go on. False: nobody is.
  bool release() {
    std::vector<Worker*> holding;
    for (const auto& it : running_) {
      if (it->is_held()) holding.push_back(it.get());
    }
    if (holding.empty()) return false;
    holding[random_.below(holding.size())]->release();
    return true;
  }

  // Those that count or sleep while they wait may still go on by themselves, and those that look at the clock in time.
  void wait_in_vain() {
    const u64 version = state_.order->version;
    const std::size_t running = running_.size(), next = next_;
    const auto has_changed = [&] {
      return result_.end != Worker::End::None || state_.order->version != version || running_.size() != running ||
             next_ != next;
    };
    const auto look_again = [&] {
      for (const auto& it : running_) it->look_again();
    };
    std::set<u64> seen;
    const auto is_new = [&] {
      if (state_.code->is_time.empty()) return false;
      u64 all = 0;
      for (const auto& it : running_) all = mix(all ^ it->state_but_time());
      return seen.insert(all).second;
    };
    // As long as they come to something else, they wait for one time after the other.
    while (is_new()) {
      look_again();
      for (bool progress = pass(true); progress && !has_changed();) progress = pass(false);
      if (has_changed()) return;
    }
    const TimeStands still;
    look_again();
    for (;;) {
      const bool progress = pass(true);
      if (has_changed()) return;
      if (progress) continue;
      if (!std::all_of(running_.begin(), running_.end(), [](const auto& it) { return it->is_stuck(); })) return;
      if (is_new()) device_time.begin_leaps();
      if (!state_.code->reads_clock || !device_time.leap(!state_.code->is_time.empty())) break;
      look_again();
    }
    report_hang(running_, *state_.order, blocks_.size(), next_);
    end(*running_.front(), Worker::End::Hang);
  }

  // Blocks that may be kept at once before memory runs short; where all of them wait, more start all the same.
  static u64 affordable(const LaunchState& state) {
    constexpr u64 memory = u64(1) << 28;
    const u64 warps = (state.launch.block.count() + lanes_per_warp - 1) / lanes_per_warp;
    const u64 shared = state.code->dynamic_shared_offset + state.launch.dynamic_shared_bytes;
    return std::max<u64>(16, memory / (warps * state.careful->register_bytes * 2 + shared * 16 + 4096));
  }

  void fill() {
    while (next_ < blocks_.size() && running_.size() < at_once_) start();
  }

  void start() {
    std::unique_ptr<Worker> worker;
    if (idle_.empty()) {
      worker = std::make_unique<Worker>(state_);
    } else {
      worker = std::move(idle_.back());
      idle_.pop_back();
    }
    worker->start(blocks_[next_++]);
    running_.push_back(std::move(worker));
  }

  // Gives each block a turn, or, where hands change late, as many as it can use. False: all of them wait.
  bool pass(bool again) {
    bool progress = false;
    for (const u32 n : sequence()) {
      Worker& worker = *running_[n];
      if (looks_.is_over(state_) || state_.order->synchronised >= schedule_.ends_at) {
        end(worker, Worker::End::Unfinished);
        return true;
      }
      Worker::Turn turn = worker.turn(again);
      while (!state_.order->is_eager() && turn == Worker::Turn::Ran && worker.slices() <= long_run) {
        progress = true;
        note_turn();
        turn = worker.turn(false);
      }
      progress |= turn == Worker::Turn::Ran || turn == Worker::Turn::Done;
      if (turn == Worker::Turn::Ended) {
        end(worker, worker.end());
        return true;
      }
      if (turn == Worker::Turn::Done) done_.push_back(n);
    }
    std::sort(done_.begin(), done_.end());
    for (auto n = done_.rbegin(); n != done_.rend(); ++n) {
      idle_.push_back(std::move(running_[*n]));
      running_.erase(running_.begin() + *n);
    }
    done_.clear();
    fill();
    note_turn();
    return progress;
  }

  void note_turn() {
    if (!state_.code->reads_clock || !quiet_.add(state_.order->version + state_.order->slices)) return;
    if (!device_time.stands()) return;
    for (const auto& it : running_) it->look_again();
  }

  std::vector<u32> sequence() {
    std::vector<u32> out(running_.size());
    for (u32 n = 0; n < out.size(); ++n) out[n] = state_.order->is_eager() ? u32(out.size()) - 1 - n : n;
    if (schedule_.seed) {
      for (u64 i = out.size(); i > 1; --i) std::swap(out[i - 1], out[random_.below(i)]);
    }
    return out;
  }

  void end(const Worker& worker, Worker::End why) {
    result_.end = why;
    result_.end_block = worker.block().number;
    result_.refusal = worker.block().refusal;
    result_.refusal_step = worker.block().refusal_step;
  }

  void take(Worker& worker) {
    collector_.merge(std::move(worker.collector()));
    result_.undefined_stores.merge(std::move(worker.undefined_stores()));
    result_.thread_instructions += worker.block().thread_instructions;
    result_.branches.resize(worker.block().branches.size());
    for (std::size_t i = 0; i < result_.branches.size(); ++i) result_.branches[i] |= worker.block().branches[i];
  }

  LaunchState& state_;
  const BlockList& blocks_;
  Schedule schedule_;
  Collector& collector_;
  Random random_;
  ClockLooks looks_;
  QuietTurns quiet_;
  u64 most_, at_once_;
  std::size_t next_ = 0;
  std::vector<std::unique_ptr<Worker>> running_, idle_;
  std::vector<u32> done_;
  Scheduled result_;
};

}  // namespace

Scheduled run_in_turns(LaunchState& state, const BlockList& blocks, const Schedule& schedule, Collector& collector) {
  return Turns(state, blocks, schedule, collector).run();
}

u64 resident_blocks(const Launch& launch, const Code& code) {
  const DeviceLimits device = device_limits(launch.target.empty() ? code.module->target : launch.target);
  const u64 threads = (launch.block.count() + lanes_per_warp - 1) / lanes_per_warp * lanes_per_warp;
  const u64 shared = code.dynamic_shared_offset - code.reserved_shared_bytes + launch.dynamic_shared_bytes;
  u64 blocks = std::min<u64>(device.blocks, device.threads / std::max<u64>(1, threads));
  if (shared) blocks = std::min(blocks, device.shared_bytes / (shared + reserved_shared_memory));
  return std::max<u64>(1, blocks) * device.multiprocessors;
}

}  // namespace ropewalk::machine
