// What all blocks of one launch share.
#pragma once
#include <unordered_map>

#include "lib/launch/outcome.h"
#include "lib/machine/checks/check.h"
#include "lib/machine/memory.h"
#include "lib/machine/program.h"

namespace ropewalk::machine {

struct LaunchState {
  const Launch& launch;
  const RunOptions& options;
  std::shared_ptr<const Code> code;
  std::shared_ptr<const Program> careful;
  std::shared_ptr<const Program> fast;  // null: everything runs carefully
  Memory& memory;
  Checkers checkers;
  bool reads_by_chunk = false;  // of shared memory (SharedShadow)
  bool track_origins = false;  // of NaN and infinity: one worker then
  std::unordered_map<u64, u64> origins;  // by address: the origin of the NaN or infinity there (see nonfinite.h)
  std::vector<u32> may_be_undefined;  // registers that some path reads before it writes them
};

}  // namespace ropewalk::machine
