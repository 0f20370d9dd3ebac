// Runs blocks of a launch, one after the other. Each worker thread has one.
#pragma once
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "lib/base/stopwatch.h"
#include "lib/machine/absence.h"
#include "lib/machine/collector.h"
#include "lib/machine/global_race.h"
#include "lib/machine/launch_state.h"
#include "lib/machine/undefined_stores.h"

namespace ropewalk::machine {

class Worker {
 public:
  explicit Worker(LaunchState& launch);
  ~Worker();

  // Why running blocks has to end.
  enum class End : u8 {
    None,
    Refused,
    Trap,
    Hang,          // nobody can ever go on
    Unfinished,    // the budget or the time is used up
    StoredTwice,   // a tensor has more bytes stored to it than it has: its accesses must be logged, and the launch run
                   // again
    NeedsRerun,    // reads of shared memory must be noted by granule: the launch has to run again
    ManyFindings,  // what was found costs too much: the launch has to run again and settle it (settled.h)
    NeedsOrder     // what threads do must be ordered by events: the launch has to run again (LaunchState::order)
  };
  // Runs the block with this linear number.
  End run(u64 block);

  // The same in turns, where others run between them.
  enum class Turn : u8 {
    Ran,
    Waits,  // everybody waits for memory to change
    Done,
    Ended  // end() says why
  };
  void start(u64 block);
  // Lets each of the block's contexts that can run do so once; `again`: also those that wait, unless they are stuck.
  Turn turn(bool again);
  End end() const { return end_; }
  // Everybody who is left waits at a barrier, or for a change without which it never goes on.
  bool is_stuck() const;
  // Whether one of its warps is held (Stop::Held), and lets the first of them go on.
  bool is_held() const;
  void release();
  // Time stands still, or moved: those that wait come back to no state that they had before.
  void look_again();
  // Those that wait for a change of memory.
  std::vector<const Context*> waiting() const;
  // Notes a hang at one of them.
  void report_hang(const Context& context, const Stuck& stuck);
  // What its threads have come to, but for the time.
  u64 state_but_time() const;
  // Slices of the budget that the context has used up that has used most.
  u64 slices() const;
  u64 threads_at_barriers() const;
  // What a thread of the block, which cannot go on, waits for.
  LastWriter::Now now(u32 thread) const;

  Collector& collector() { return collector_; }
  UndefinedStores& undefined_stores() { return undefined_stores_; }
  // Steps that the careful tier ran since this was asked last.
  u64 take_careful_steps() { return std::exchange(careful_steps_, 0); }
  // What the blocks did to memory that others may touch.
  GlobalRaces& races() { return races_; }
  const Block& block() const { return block_; }
  Owners& owners() { return owners_; }

 private:
  // Warps that share a register area.
  struct Group {
    u32 first_thread = 0;
    std::unique_ptr<std::byte[], void (*)(void*)> fast{nullptr, nullptr}, careful{nullptr, nullptr};
    bool careful_prepared = false;
    std::unique_ptr<std::byte[]> local;
    std::vector<u64> local_initialized;
    std::unique_ptr<Shadow> shadow;  // of the block `shadow_of` (its number plus one)
    u64 shadow_of = 0;
  };

  // What a context may run before somebody looks at its budget and the clock, in instructions.
  i64 slice() const;
  void enter(u64 number);
  void start_contexts();
  void start_carefully(Context& context, Group& group);
  // From the fast tier to the careful one, at the operation where it stopped.
  void continue_carefully(Context& context);
  // And back, where nothing is marked (worker_tiers.cpp).
  void continue_fast(Context& context);
  bool may_go_back(const Context& context) const;
  void run_context(Context& context);
  // What a context that stopped needs before others can go on; End::None: go on.
  End settle(std::size_t context);
  End go_on(std::size_t context);
  void pass_time(const Context& context, bool is_new);
  // A context for each warp of one; they share nothing but the registers.
  std::vector<std::unique_ptr<Context>> parts_by_warp(const Context& whole) const;
  void split(std::size_t context);
  void arrive(std::size_t context);
  void arrive_in_part(std::size_t context);
  void gather_lanes(std::size_t context);
  bool meet_at_warp_barriers(Context& context);
  bool exchange_from_all_arms(Context& context);
  void give_up();
  void report_counts(u32 number, const std::vector<Context*>& waiting, u32 come);
  void wait_for_change(Context& context, bool goes_round = false);
  bool comes_back(Context& context);
  bool gets_on_in_time(Context& context) const;
  // Opens barriers to which everybody has come. False: nobody can go on.
  bool open_barriers();
  void open_barrier(u32 number, const std::vector<Context*>& waiting);
  void order_arrival(u32 number, const Context& context);
  // Reports arrivals that may be counted with those of another meeting at the barrier.
  void report_unordered(u32 number, const Context& context, u32 thread);
  void order_barrier(u32 number, const std::vector<Context*>& waiting, bool everybody);
  void reduce_at_barrier(const std::vector<Context*>& waiting);
  void note_crossings(const std::vector<Context*>& waiting);
  void report_crossed(const std::vector<Context*>& waiting);
  void report_absent(const std::vector<Context*>& waiting, bool of_their_warps);
  void report_partial(const Checker::PartialBarrier& at);
  void report_partial(u32 step, u32 thread, const std::string& what, Severity severity = Severity::Error);
  Group& group_of(const Context& context) {
    return groups_[context.first_thread / (lanes_per_warp * warps_per_group_)];
  }
  void report_trap(const Context& context);

  LaunchState& launch_;
  Collector collector_;
  UndefinedStores undefined_stores_;
  GlobalRaces races_;
  Owners owners_;
  Block block_;
  u32 warps_per_group_ = 1;
  std::vector<Group> groups_;
  std::vector<std::unique_ptr<Context>> contexts_;
  std::vector<std::unique_ptr<Context>> spare_;
  std::vector<Context*> waiting_[16];  // at a barrier, by its number
  // Where the order of events is followed: the first threads of the warps that come to a barrier, and when.
  struct Arrival {
    u32 thread = 0, time = 0;
  };
  // What a block did at one of its barriers.
  struct Meeting {
    u32 arrived_ahead = 0;          // threads that did bar.arrive and went on,
    u32 counted_ahead = 0;          // and the threads that they waited for
    std::vector<Arrival> arrivals;  // of those that come to the next meeting,
    std::vector<Arrival> met;       // and of those that met there last
  };
  Meeting meetings_[16];
  u32 used_barriers_ = 0;  // a bit for each that somebody of the block came to
  // Warps (a bit each) that were at one barrier instruction while others, whom they met, were at another.
  struct Crossing {
    u32 step = 0, here = 0, elsewhere = 0;
    bool operator==(const Crossing&) const = default;
  };
  std::vector<Crossing> crossings_;
  End end_ = End::None;
  i64 instructions_left_ = 0;
  Absences absences_;
  std::vector<u8> missed_at_;  // by step: whether somebody was missing at that barrier in some block
  u64 careful_steps_ = 0;
  std::optional<ThreadWatch> watch_;  // since the block used up a slice: the clock is a system call
};

// Warps a group for a block of this many warps.
u32 warps_per_group(u32 block_warps);

}  // namespace ropewalk::machine
