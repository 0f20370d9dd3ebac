// Threads that are missing at a barrier because they have left the kernel.
//
// A barrier without a count waits for the threads of the block that have not exited (CUDA C++ Programming Guide,
// compute capability 7.x, independent thread scheduling: __syncthreads and bar.sync "will not succeed until reached by
// all non-exited threads in the block"). So a thread that returned early is not missed. One that went round the
// barrier, on the other side of a branch or out of a loop, and has then left is: had it stayed, nobody could go on.
#pragma once
#include <map>
#include <utility>

#include "lib/machine/code.h"

namespace ropewalk::machine {

// Answers that are asked for at every barrier of every block, each found once.
class Absences {
 public:
  explicit Absences(const Code& code) : code_(code) {}
  bool may_be_passed_by(u32 barrier_step);
  bool went_round(u32 barrier_step, u32 last_step);

 private:
  const Code& code_;
  std::map<u32, bool> passed_by_;
  std::map<std::pair<u32, u32>, bool> went_round_;
};

// Whether threads may come behind the barrier without having been at it: some branch goes round it, and something is
// done where the ways meet. Where not, those that are missing can only have returned early.
bool may_be_passed_by(const Code& code, u32 barrier_step);

// Whether a thread that is missing went round the barrier: what it did last comes after the barrier without another
// round of a loop, or is what everybody who passes the barrier comes to.
bool went_round(const Code& code, u32 barrier_step, u32 last_step);

}  // namespace ropewalk::machine
