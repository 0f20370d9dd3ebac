#include "lib/machine/handlers/tier.h"

#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/handlers/control.h"
#include "lib/machine/handlers/fast_memory.h"
#include "lib/machine/handlers/matrix.h"
#include "lib/machine/handlers/warp.h"

namespace ropewalk::machine {

namespace {

Handler branch_handler(const Step& step, const std::vector<bool>& uniform) {
  if (step.guard == no_value) return control::jump;
  return uniform[step.guard] ? control::branch_uniform : control::branch;
}

Handler careful_handler(const Step& step) {
  switch (step.kind) {
    case StepKind::Load: return careful::load;
    case StepKind::Store: return careful::store;
    case StepKind::Atomic: return careful::atomic;
    case StepKind::AsyncCopy: return careful::copy_async;
    case StepKind::AsyncCommit: return careful::commit_async;
    case StepKind::AsyncWait: return careful::wait_async;
    case StepKind::LoadMatrix: return careful::load_matrix;
    case StepKind::StoreMatrix: return careful::store_matrix;
    case StepKind::IndexStatement: return careful::index_statement;
    default: return nullptr;
  }
}

}  // namespace

Handler handler_of(const Step& step, Tier tier, const std::vector<bool>& uniform) {
  if (tier == Tier::Fast) {
    if (const Handler handler = fast_handler(step, uniform)) return handler;
  }
  if (const Handler handler = careful_handler(step)) return handler;
  switch (step.kind) {
    case StepKind::Compute: return step.vector;
    case StepKind::Branch: return branch_handler(step, uniform);
    case StepKind::BranchTable: return control::branch_table;
    case StepKind::Exit: return control::exit_lanes;
    case StepKind::Barrier: return warp_wide::barrier;
    case StepKind::WarpBarrier: return warp_wide::warp_barrier;
    case StepKind::Shuffle: return warp_wide::shuffle;
    case StepKind::Vote: return warp_wide::vote;
    case StepKind::Match: return warp_wide::match;
    case StepKind::Reduce: return warp_wide::reduce;
    case StepKind::ActiveMask: return warp_wide::active_mask;
    case StepKind::Elect: return warp_wide::elect;
    case StepKind::MoveMatrix: return warp_wide::move_matrix;
    case StepKind::MultiplyMatrix: return multiply_matrix_handler();
    case StepKind::Print: return warp_wide::print;
    case StepKind::Assert: return warp_wide::assert_fail;
    case StepKind::Trap: return control::trap;
    case StepKind::Unsupported: return control::refuse;
    default: return control::nothing;
  }
}

}  // namespace ropewalk::machine
