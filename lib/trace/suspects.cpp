#include "lib/trace/suspects.h"

#include <fmt/format.h>

#include <algorithm>

namespace ropewalk::trace {

namespace {

constexpr u64 legacy = 0;

// How far streams have come, made to follow from each other.
class Progress {
 public:
  explicit Progress(const Snapshot& snapshot) : snapshot_(snapshot) {
    for (const TracedStream& stream : snapshot.streams) done_.push_back(std::max(stream.done, stream.done_operation));
    // An operation that was complete on one stream is a floor for others; each round may raise some of them.
    for (const TracedStream& stream : snapshot.streams) after_operation(stream, stream.done_operation);
    for (size_t round = 0; round <= snapshot.streams.size() + snapshot.waits.size() && changed_; ++round) {
      changed_ = false;
      for (const TracedLaunch& launch : snapshot.launches) {
        if (is_complete(launch)) after_operation(snapshot.streams[launch.stream], launch.order);
      }
    }
  }

  bool is_complete(const TracedLaunch& launch) const {
    return launch.returned && launch.result == 0 && launch.returned <= done_[launch.stream];
  }
  u64 done(u32 stream) const { return done_[stream]; }

 private:
  bool blocks_each_other(const TracedStream& a, const TracedStream& b) const {
    return a.context == b.context && (a.handle == legacy || b.handle == legacy) && !a.non_blocking && !b.non_blocking;
  }

  void raise(u32 stream, u64 order) {
    if (done_[stream] >= order) return;
    done_[stream] = order;
    changed_ = true;
  }

  // The stream has come so far, and with it those that it waits for by itself.
  void reached(const TracedStream& stream, u64 order) {
    for (u32 n = 0; n < snapshot_.streams.size(); ++n) {
      if (&snapshot_.streams[n] == &stream || blocks_each_other(stream, snapshot_.streams[n])) raise(n, order);
    }
  }

  // An operation that was put on the stream at that order is complete.
  void after_operation(const TracedStream& stream, u64 order) {
    if (!order) return;
    reached(stream, order);
    for (const StreamWait& wait : snapshot_.waits) {
      if (&snapshot_.streams[wait.stream] == &stream && wait.at <= order) {
        reached(snapshot_.streams[wait.source], wait.source_at);
      }
    }
  }

  const Snapshot& snapshot_;
  std::vector<u64> done_;
  bool changed_ = true;
};

}  // namespace

std::vector<bool> complete_launches(const Snapshot& snapshot) {
  const Progress progress(snapshot);
  std::vector<bool> out;
  for (const TracedLaunch& launch : snapshot.launches) out.push_back(progress.is_complete(launch));
  return out;
}

Suspects suspects_of(const Snapshot& snapshot, const TracedProcess& process) {
  Suspects out;
  if (!snapshot.is_fault && snapshot.launch) {
    for (u32 n = 0; n < snapshot.launches.size(); ++n) {
      if (snapshot.launches[n].number == snapshot.launch) out.launches.push_back(n);
    }
    out.how = snapshot.code ? fmt::format("{} refused it", snapshot.call) : "it was asked for";
    return out;
  }
  if (!snapshot.is_fault) {
    out.how = fmt::format("{} itself was refused; it is no launch", snapshot.call);
    return out;
  }
  const Progress progress(snapshot);
  for (u32 n = 0; n < snapshot.launches.size(); ++n) {
    const TracedLaunch& launch = snapshot.launches[n];
    // A call that tells of a fault tells of an earlier launch, unless the device was waited for in it.
    const bool is_candidate = launch.number == snapshot.launch ? snapshot.by_itself : launch.result <= 0;
    if (is_candidate && !launch.captured && snapshot.streams[launch.stream].context == snapshot.context &&
        !progress.is_complete(launch)) {
      out.launches.push_back(n);
    }
  }
  for (u32 n = 0; n < snapshot.streams.size(); ++n) {
    const TracedStream& stream = snapshot.streams[n];
    out.older_possible |= stream.context == snapshot.context && stream.lost > progress.done(n);
  }
  if (out.is_exact() && snapshot.by_itself) {
    out.how = process.serialized ? "the device was waited for after every launch"
                                 : "the device was waited for before and after this launch";
  } else if (out.is_exact()) {
    out.how = "it is the only launch that was not known to be complete";
  } else if (out.older_possible) {
    out.how = fmt::format(
        "launches older than the {} that are kept were not known to be complete either; --keep keeps more, "
        "--serialize tells the launch exactly",
        process.keep);
  } else if (out.launches.empty()) {
    out.how = "every launch that was seen was known to be complete: what failed is no launch that a trace sees";
  } else {
    out.how = "it is one of the launches that were not known to be complete; --serialize tells the launch exactly";
  }
  return out;
}

}  // namespace ropewalk::trace
