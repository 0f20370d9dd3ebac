// Blocks that run in turns: those that a device of the launch's target would hold at the same time can all go on while
// others wait, and start in the order of their numbers.
#pragma once
#include <string>
#include <vector>

#include "lib/machine/block_list.h"
#include "lib/machine/worker.h"

namespace ropewalk::machine {

struct Scheduled {
  Worker::End end = Worker::End::None;
  u64 end_block = 0;
  std::string refusal;
  u32 refusal_step = 0;
  u64 thread_instructions = 0;
  std::vector<u8> branches;  // by step, as in Block
  UndefinedStores undefined_stores;
};

// How turns are given. Patient: a block runs until it waits; another starts when all do. Eager: all that fit start at
// once, and hands change at every access that synchronises, the later blocks first; after so many of these it is
// patient, for n threads that swap one word in turn do so n * n times. Holding: patient, but that all that fit start at
// once, and that some warps which synchronise go on only when all others wait: who runs ahead of them does so as far as
// it can. The seed draws who is next, and who is held.
struct Schedule {
  u64 eager_until = 0;
  u64 seed = 0;
  bool holds = false;
  bool turns_warps = false;  // eager ones: the warps of a block, too, take their turns in another order
  u64 ends_at = ~u64(0);     // unfinished, after so many of them
};

// Runs blocks of a launch whose state has an order, on one thread. What is found goes to the collector.
Scheduled run_in_turns(LaunchState& state, const BlockList& blocks, const Schedule& schedule, Collector& collector);

// Blocks of this launch that a device of its target holds at the same time, by threads, shared memory and blocks of a
// multiprocessor (CUDA C++ Programming Guide, technical specifications per compute capability).
u64 resident_blocks(const Launch& launch, const Code& code);

}  // namespace ropewalk::machine
