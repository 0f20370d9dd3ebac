// Runs blocks of a launch, one after the other. Each worker thread has one.
#pragma once
#include <memory>
#include <vector>

#include "lib/machine/collector.h"
#include "lib/machine/global_race.h"
#include "lib/machine/launch_state.h"

namespace ropewalk::machine {

class Worker {
 public:
  explicit Worker(LaunchState& launch);
  ~Worker();

  // Why running blocks has to end.
  enum class End : u8 {
    None, Refused, Hang, Trap,
    Disputed  // reads of shared memory must be noted by granule: the launch has to run again
  };
  // Runs the block with this linear number.
  End run(u64 block);

  Collector& collector() { return collector_; }
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

  void enter(u64 number);
  void start_contexts();
  void start_carefully(Context& context, Group& group);
  // From the fast tier to the careful one, at the operation where it stopped.
  void continue_carefully(Context& context);
  // And back, where nothing is marked (worker_tiers.cpp).
  void continue_fast(Context& context);
  bool may_go_back() const;
  void run_context(Context& context);
  // What a context that stopped needs before others can go on; End::None: go on.
  End settle(Context& context);
  // Gives every warp of a context a context of its own.
  void split(std::size_t context);
  void arrive(std::size_t context);
  // Opens barriers to which everybody has come. False: nobody can go on.
  bool open_barriers();
  void open_barrier(u32 number, const std::vector<Context*>& waiting);
  void meet(const std::vector<Context*>& waiting);
  void reduce_at_barrier(const std::vector<Context*>& waiting);
  void report_absent(const Context& first);
  void report_partial(u32 step, u32 thread, const std::string& what);
  Group& group_of(const Context& context) { return groups_[context.first_thread / (lanes_per_warp * warps_per_group_)]; }
  void report_hang(const Context& context);
  void report_trap(const Context& context);

  LaunchState& launch_;
  Collector collector_;
  GlobalRaces races_;
  Owners owners_;
  Block block_;
  u32 warps_per_group_ = 1;
  std::vector<Group> groups_;
  std::vector<std::unique_ptr<Context>> contexts_;
  std::vector<std::unique_ptr<Context>> spare_;
  u32 arrived_ahead_[16] = {};  // threads that did bar.arrive and went on, by barrier
  double deadline_ = 0;
  i64 instructions_left_ = 0;
};

// Warps a group for a block of this many warps.
u32 warps_per_group(u32 block_warps);

}  // namespace ropewalk::machine
