#include "lib/machine/handlers/tier.h"

#include <array>

#include "lib/machine/checks/unit.h"
#include "lib/machine/handlers/careful_matrix.h"
#include "lib/machine/handlers/careful_memory.h"
#include "lib/machine/handlers/careful_order.h"
#include "lib/machine/handlers/control.h"
#include "lib/machine/handlers/fast_access.h"
#include "lib/machine/handlers/fast_memory.h"
#include "lib/machine/handlers/shuffle_source.h"
#include "lib/machine/handlers/table.h"
#include "lib/machine/handlers/warp.h"

namespace ropewalk::machine {

const FastHandlers& fast_handlers() {
  static const FastHandlers best = [] {
    const std::string_view name = instruction_set_name();
#ifdef RW_HAVE_V4
    if (name == "v4") return v4::fast_handlers();
#endif
#ifdef RW_HAVE_V3
    if (name == "v3") return v3::fast_handlers();
#endif
    return generic::fast_handlers();
  }();
  return best;
}

namespace {

Handler branch_handler(const Step& step, const std::vector<bool>& uniform) {
  if (step.predicate == no_value) return control::jump;
  return uniform[step.predicate] ? control::branch_uniform : control::branch;
}

// What both tiers run the same way.
Handler plain_handler(const Step& step, const std::vector<bool>& uniform) {
  switch (step.kind) {
    case StepKind::Compute:
      return step.vector;
    case StepKind::Branch:
      return branch_handler(step, uniform);
    case StepKind::BranchTable:
      return control::branch_table;
    case StepKind::Exit:
      return control::exit_lanes;
    case StepKind::Barrier:
      return warp_wide::barrier;
    case StepKind::WarpBarrier:
      return warp_wide::warp_barrier;
    case StepKind::Shuffle:
      return warp_wide::shuffle;
    case StepKind::Vote:
      return warp_wide::vote;
    case StepKind::Match:
      return warp_wide::match;
    case StepKind::Reduce:
      return warp_wide::reduce;
    case StepKind::ActiveMask:
      return warp_wide::active_mask;
    case StepKind::Elect:
      return warp_wide::elect;
    case StepKind::MoveMatrix:
      return warp_wide::move_matrix;
    case StepKind::MultiplyMatrix:
      return fast_handlers().multiply_matrix;
    case StepKind::Print:
      return warp_wide::print;
    case StepKind::Assert:
      return warp_wide::assert_fail;
    case StepKind::Trap:
      return control::trap;
    case StepKind::StrayCall:
      return control::call_astray;
    case StepKind::Unsupported:
      return control::refuse;
    case StepKind::AsyncCommit:
      return careful::commit_async;
    case StepKind::AsyncWait:
      return careful::wait_async;
    case StepKind::GridControl:
      return careful::grid_control;
    default:
      return control::nothing;
  }
}

Handler careful_handler(const Step& step, const std::vector<bool>& uniform) {
  switch (step.kind) {
    case StepKind::Load:
      return careful::load;
    case StepKind::Store:
      return careful::store;
    case StepKind::Atomic:
      return careful::atomic;
    case StepKind::AsyncCopy:
      return careful::copy_async;
    case StepKind::LoadMatrix:
      return careful::load_matrix;
    case StepKind::StoreMatrix:
      return careful::store_matrix;
    case StepKind::IndexStatement:
      return careful::index_statement;
    case StepKind::Fence:
      return careful::fence;
    case StepKind::Sleep:
      return careful::sleep;
    default:
      return plain_handler(step, uniform);
  }
}

FastAccess access_for(const Program& program, const Step& step, const std::vector<bool>& uniform) {
  const MemoryStep& memory = *step.memory;
  const Code& code = *program.code;
  FastAccess out;
  out.absolute = memory.address == no_value;
  if (!out.absolute) {
    out.address = program.offset[memory.address];
    out.address_pitch = program.pitch[memory.address];
    out.narrow = code.values[memory.address].size == 4;
  }
  out.offset = memory.offset;
  out.element_bytes = memory.element_bytes;
  out.count = memory.count;
  out.sign_extend = memory.sign_extend;
  out.is_strong = memory.is_strong();
  out.is_noncoherent = memory.is_noncoherent;
  out.is_early = memory.is_early;
  out.space = memory.space;
  out.first_byte = memory.first_byte;
  out.last_byte = memory.last_byte;
  for (u32 i = 0; i < memory.count; ++i) {
    if (memory.values[i] == no_value) continue;
    out.value[i] = program.offset[memory.values[i]];
    out.value_pitch[i] = program.pitch[memory.values[i]];
    out.value_bytes[i] = code.values[memory.values[i]].size;
  }
  // Every register of a vector: one of them may be kept lane by lane because of what else is written to it.
  out.uniform = step.kind == StepKind::Load && memory.values[0] != no_value;
  for (u32 i = 0; i < memory.count; ++i) {
    if (memory.values[i] != no_value) out.uniform &= bool(uniform[memory.values[i]]);
  }
  return out;
}

// The same operand in shared or local memory, for a generic address that turns out to be there.
FastAccess moved(FastAccess access, MemorySpace space, u64 window) {
  access.space = space;
  access.offset -= i64(generic_base(window));
  return access;
}

void set_fast_memory(Program& program, Op& op, const Step& step, const std::vector<bool>& uniform,
                     const Settled* settled) {
  const FastHandlers& fast = fast_handlers();
  FastAccess access = access_for(program, step, uniform);
  const Settled::AtStep* const here = settled ? settled->at(op.step) : nullptr;
  if (here) access.settled = here->access;
  const MemorySpace space = step.memory->space;
  const bool is_load = step.kind == StepKind::Load;
  if (space == MemorySpace::Generic && step.kind != StepKind::LoadMatrix) {
    auto three = std::make_shared<std::array<FastAccess, 3>>(std::array<FastAccess, 3>{
        access, moved(access, MemorySpace::Shared, shared_window), moved(access, MemorySpace::Local, local_window)});
    op.extra = three->data();
    op.run = is_load ? fast.load_generic : settled ? fast.store_generic_settled : fast.store_generic;
    program.extras.push_back(std::move(three));
    return;
  }
  auto one = std::make_shared<FastAccess>(access);
  op.extra = one.get();
  program.extras.push_back(std::move(one));
  if (step.kind == StepKind::LoadMatrix)
    op.run = fast.load_matrix;
  else if (here && space == MemorySpace::Shared)
    op.run = is_load ? fast.load_shared_settled : fast.store_shared_settled;
  else if (here && is_load)
    op.run = access.uniform ? fast.load_uniform_settled : fast.load_global_settled;
  else if (space == MemorySpace::Shared)
    op.run = is_load ? fast.load_shared : fast.store_shared;
  else if (space == MemorySpace::Local)
    op.run = is_load ? fast.load_local : fast.store_local;
  else if (space == MemorySpace::Parameter)
    op.run = is_load ? (access.uniform ? fast.load_parameter : fast.stop) : fast.stop;
  else if (is_load)
    op.run = access.uniform ? fast.load_uniform : fast.load_global;
  else
    op.run = settled ? fast.store_global_settled : fast.store_global;
}

// shfl.sync of whole warps with operands that are constants: where each lane reads is known now (PTX ISA, shfl.sync),
// or is when the distance is.
bool set_shuffle(Program& program, Op& op, const Step& step) {
  const auto put = [&](u32 value, u32& offset, u16& pitch) {
    offset = program.offset[value];
    pitch = program.pitch[value];
  };
  const auto constant = [&](u32 input, u32& bits) {
    const u32 value = program.code->constant_of[step.inputs[input]];
    if (value == no_value) return false;
    bits = u32(program.code->values[value].constant);
    return true;
  };
  const auto mode = std::get<ShuffleMode>(step.mode);
  u32 distance = 0, limits = 0, members = 0;
  if (!constant(2, limits) || !constant(3, members) || members != 0xffffffffu) return false;
  put(step.inputs[0], op.a, op.step_a);
  if (step.d2 != no_value) put(step.d2, op.b, op.step_b);
  op.immediate = reinterpret_cast<u64>(&warp_wide::shuffle);
  if (!constant(1, distance)) {
    put(step.inputs[1], op.c, op.step_c);
    op.target = (limits & 0x1f1f) | u32(step.d2 != no_value) << 16;
    op.run = fast_handlers().shuffle(mode);
    return true;
  }
  auto table = std::make_shared<std::array<u8, 64>>();
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    const ShuffleSource source = shuffle_source(mode, lane, distance, limits);
    (*table)[lane] = u8(source.lane);
    (*table)[32 + lane] = source.inside ? 0xff : 0;
  }
  op.extra = table->data();
  op.target = step.d2 != no_value;
  op.run = fast_handlers().shuffle_fixed;
  program.extras.push_back(std::move(table));
  return true;
}

}  // namespace

void set_handler(Program& program, Op& op, const Step& step, const std::vector<bool>& uniform, const Settled* settled) {
  if (program.tier == Tier::Careful) {
    // What is plainly innocent is done as the fast tier does it (careful_plain.h).
    if (step.kind == StepKind::Load || step.kind == StepKind::Store) {
      set_fast_memory(program, op, step, uniform, nullptr);
      const bool is_parameter = step.memory->space == MemorySpace::Parameter;
      op.immediate = is_parameter || op.run == fast_handlers().stop ? 0 : reinterpret_cast<u64>(op.run);
      if (!op.immediate) op.extra = nullptr;
    }
    if (step.kind == StepKind::Compute) op.extra = precheck_of(*program.code, step, false).unit;
    op.run = careful_handler(step, uniform);
    return;
  }
  const FastHandlers& fast = fast_handlers();
  const Settled::AtStep* const here = settled ? settled->at(op.step) : nullptr;
  switch (step.kind) {
    case StepKind::Load:
    case StepKind::Store:
    case StepKind::LoadMatrix:
      return set_fast_memory(program, op, step, uniform, settled);
    case StepKind::Atomic:
      op.run = fast_atomic;
      if (settled) {
        program.extras.push_back(std::make_shared<SettledAccess>(here ? here->access : SettledAccess()));
        op.extra = program.extras.back().get();
      }
      return;
    case StepKind::AsyncCopy:
      op.run = fast_copy_async;
      return;
    case StepKind::StoreMatrix:
      op.run = fast.stop;
      return;
    case StepKind::IndexStatement:
      op.run = here ? control::nothing : fast.index_statement;
      return;
    case StepKind::Shuffle:
      if (here) {
        op.run = warp_wide::shuffle_settled;
        return;
      }
      if (set_shuffle(program, op, step)) return;
      break;
    case StepKind::Compute: {
      const bool once = uniform[step.d];
      op.run = once ? step.uniform : step.vector;
      const Precheck precheck = precheck_of(*program.code, step, once);
      if (!precheck.handler || (here && here->unwatched)) return;
      op.extra = reinterpret_cast<const void*>(op.run);
      op.run = precheck.handler;
      return;
    }
    default:
      break;
  }
  op.run = plain_handler(step, uniform);
}

}  // namespace ropewalk::machine
