#include "lib/machine/hang.h"

#include <algorithm>
#include <map>

namespace ropewalk::machine {

namespace {

// A warp that waits for a change of memory.
struct Waiting {
  Worker* worker = nullptr;
  const Context* context = nullptr;
  const Polled& polled() const { return context->polled; }
  bool is_known() const { return polled().step != no_value; }
  bool has(u32 thread) const {
    const u32 warp = (thread - context->first_thread) / lanes_per_warp;
    return thread >= context->first_thread && warp < context->warps &&
           ((context->bits[warp] >> (thread % lanes_per_warp)) & 1u);
  }
};

class Waits {
 public:
  Waits(const std::vector<std::unique_ptr<Worker>>& running, const order::Order& order) : order_(order) {
    for (const auto& worker : running) {
      Block& block = blocks_[worker->block().number];
      block.worker = worker.get();
      for (const Context* const it : worker->waiting()) {
        block.waiting.push_back(waiting_.size());
        waiting_.push_back({worker.get(), it});
      }
    }
    for (const Waiting& it : waiting_) writer_.push_back(it.is_known() ? writer_of(it.polled().location) : nobody);
  }

  void report(Stuck stuck) const {
    if (waiting_.empty()) return;
    const u64 first = first_to_name();
    const auto add = [&](const Waiting& it) {
      const u64 location = it.polled().location;
      if (it.is_known() && std::ranges::count(stuck.polled, location, &Polled::location) == 0)
        stuck.polled.push_back(with_writer(it.polled()));
    };
    u64 next = first;
    for (u64 n = 0; n < most_named && next != nobody; ++n, next = writer_[next]) add(waiting_[next]);
    for (u64 n = 0; n < waiting_.size() && !stuck.polled.empty(); ++n) add(waiting_[n]);
    for (const auto& [number, block] : blocks_) stuck.threads_at_barriers += block.worker->threads_at_barriers();
    waiting_[first].worker->report_hang(*waiting_[first].context, stuck);
  }

 private:
  static constexpr u64 nobody = ~u64(0), most_named = 16;
  struct Block {
    const Worker* worker = nullptr;
    std::vector<u64> waiting;
  };

  u64 first_to_name() const {
    const auto unwritten = std::ranges::find_if(
        waiting_, [&](const Waiting& it) { return it.is_known() && !order_.may_be_written(it.polled().location); });
    return unwritten != waiting_.end() ? u64(unwritten - waiting_.begin()) : first_of_ring();
  }

  // 0 where there is no ring. Each leads to one other at most: a walk that comes to who was seen on it ends in a ring.
  u64 first_of_ring() const {
    std::vector<u64> walk(waiting_.size(), nobody);
    for (u64 n = 0; n < waiting_.size(); ++n) {
      u64 at = n;
      for (; at != nobody && walk[at] == nobody; at = writer_[at]) walk[at] = n;
      if (at != nobody && walk[at] == n) return at;
    }
    return 0;
  }

  // Who of those that wait stored last at a location.
  u64 writer_of(u64 location) const {
    const order::Order::Writer* const writer = order_.last_writer(location);
    const auto block = writer ? blocks_.find(writer->block) : blocks_.end();
    if (block == blocks_.end()) return nobody;
    const auto& waiting = block->second.waiting;
    const auto it = std::ranges::find_if(waiting, [&](u64 n) { return waiting_[n].has(writer->thread); });
    return it == waiting.end() ? nobody : *it;
  }

  Polled with_writer(Polled polled) const {
    polled.is_written = order_.may_be_written(polled.location);
    const order::Order::Writer* const writer = order_.last_writer(polled.location);
    if (!writer) return polled;
    const auto block = blocks_.find(writer->block);
    const LastWriter::Now now =
        block == blocks_.end() ? LastWriter::Now::Ended : block->second.worker->now(writer->thread);
    polled.writer = {now, writer->block, writer->thread};
    const u64 other = writer_of(polled.location);
    if (other != nobody && waiting_[other].is_known()) polled.writer.polls = waiting_[other].polled().location;
    return polled;
  }

  const order::Order& order_;
  std::vector<Waiting> waiting_;
  std::map<u64, Block> blocks_;  // by number
  std::vector<u64> writer_;      // by number of who waits: which of them stored last what it waits for
};

}  // namespace

void report_hang(const std::vector<std::unique_ptr<Worker>>& running, const order::Order& order, u64 blocks,
                 u64 begun) {
  Waits(running, order).report({.blocks = blocks, .ended = begun - running.size(), .not_begun = blocks - begun});
}

}  // namespace ropewalk::machine
