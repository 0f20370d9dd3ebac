// What all blocks of one launch share.
#pragma once
#include <atomic>
#include <mutex>
#include <set>
#include <unordered_map>

#include "lib/launch/outcome.h"
#include "lib/machine/checks/check.h"
#include "lib/machine/memory.h"
#include "lib/machine/program.h"

namespace ropewalk::machine {

class RaceJudge;

struct LaunchState {
  const Launch& launch;
  const RunOptions& options;
  std::shared_ptr<const Code> code;
  std::shared_ptr<const Program> careful;
  std::shared_ptr<const Program> fast;  // null: everything runs carefully
  Memory& memory;
  double seconds = 0;  // of processor time that a block may take, before the launch counts as not finished
  u64 budget = 0;      // the same in instructions of a warp; 0: the default
  Checkers checkers;
  order::Order* order = nullptr;          // followed where threads synchronise; blocks run in turns then (schedule.h)
  bool shared_by_barriers = false;        // but for shared memory,
  bool needs_shared_order = false;        // of which some access showed that more than barriers order it
  std::vector<bool> needs_no_order;       // by step, there (reach.h)
  std::vector<u8> assumed;                // by step, there: what it is taken for that it is not (Assumed); or empty
  RaceJudge* judge = nullptr;             // races are noted for it, and not reported
  bool judges_all = false;                // the checks see every access, innocent ones too
  bool reads_by_chunk = false;            // of shared memory (SharedShadow)
  bool track_origins = false;             // of NaN and infinity: one worker then
  std::unordered_map<u64, u64> origins;   // by address: the origin of the NaN or infinity there (see nonfinite.h)
  bool track_trails = false;              // of threads, for barriers that some may have gone round: see absence.h
  std::atomic<bool> lost_stores = false;  // some store was dropped because its address came from a finding
  std::atomic<bool> gave_up = false;      // some block came to what it never passes
  std::atomic<u8> grid_controls = 0;      // that somebody executed (GridControlBit)
  // The steps at which somebody was missing who has left, where trails are needed to judge that.
  std::set<u32> missed_at;
  std::mutex missed_mutex;
  std::vector<u32> may_be_undefined;  // registers that some path reads before it writes them

  u8 assumed_of(u32 step) const { return assumed.empty() ? u8(0) : assumed[step]; }
  void note_missed(u32 step) {
    const std::lock_guard lock(missed_mutex);
    missed_at.insert(step);
  }
};

}  // namespace ropewalk::machine
