#include "lib/machine/program.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "lib/base/error.h"
#include "lib/machine/handlers/control.h"
#include "lib/machine/handlers/tier.h"
#include "lib/machine/limits.h"
#include "lib/machine/settled.h"

namespace ropewalk::machine {

namespace {

// Blocks at which lanes that took different ways meet again: post-dominators of branches that can split a warp.
std::vector<bool> joins_of(const Code& code, const std::vector<bool>& uniform) {
  std::vector<bool> joins(code.function.instructions.size() + 1, false);
  for (const Step& step : code.steps) {
    const bool splits = (step.kind == StepKind::Branch && step.predicate != no_value && !uniform[step.predicate]) ||
                        (step.kind == StepKind::BranchTable && !uniform[step.a]);
    if (!splits) continue;
    const u32 block = code.flow.post_dominator[code.flow.block_of[step.instruction]];
    if (block != code.flow.exit) joins[code.flow.blocks[block].first] = true;
  }
  return joins;
}

// The operation index where the sides of a branch meet; the end of the program where they never do.
u32 join_of(const Program& program, const Step& step) {
  const ptx::Flow& flow = program.code->flow;
  const u32 block = flow.post_dominator[flow.block_of[step.instruction]];
  return block == flow.exit ? u32(program.ops.size() - 1) : program.op_of_instruction[flow.blocks[block].first];
}

// Gives each value its offset in the register area. In the fast tier registers whose lives do not meet share one, where
// they have the same size and each lane its own value: an area that stays in the cache is worth more than anything
// else.
void place_values(Program& program, const std::vector<bool>& uniform) {
  const Code& code = *program.code;
  const auto& values = code.values;
  program.offset.resize(values.size());
  program.pitch.resize(values.size());
  std::vector<u32> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  if (program.tier == Tier::Fast) {
    std::stable_sort(order.begin(), order.end(), [&](u32 a, u32 b) { return code.live[a].first < code.live[b].first; });
  }
  struct Taken {
    u32 last, offset;
  };
  std::map<u32, std::vector<Taken>> shared;  // by size: offsets, and the last point at which each is in use
  u32 at = 0;
  for (const u32 i : order) {
    const u32 bytes = values[i].size * lanes_per_warp;
    program.pitch[i] = uniform[i] ? 0 : u16(bytes);
    const bool is_register =
        values[i].source == Value::Source::Register || values[i].source == Value::Source::Temporary;
    const bool shares = program.tier == Tier::Fast && is_register && !uniform[i];
    if (shares) {
      auto& offsets = shared[values[i].size];
      const auto free =
          std::find_if(offsets.begin(), offsets.end(), [&](const Taken& it) { return it.last < code.live[i].first; });
      if (free != offsets.end()) {
        *free = {code.live[i].last, free->offset};
        program.offset[i] = free->offset;
        continue;
      }
      offsets.push_back({code.live[i].last, at});
    }
    program.offset[i] = at;
    at += uniform[i] ? bytes : bytes * program.warps;
    at = (at + 63) / 64 * 64;
  }
  program.register_bytes = at;
}

constexpr u32 multiprocessor = 3, no_dimension = 4;

// Which dimension of the block's index a special register holds; or the number of its multiprocessor, or neither.
u32 dimension_of(ptx::Special special) {
  using ptx::Special;
  if (special == Special::Smid) return multiprocessor;
  if (special >= Special::CtaidX && special <= Special::CtaidZ) return u32(special) - u32(Special::CtaidX);
  if (special >= Special::ClusteridX && special <= Special::ClusteridZ) return u32(special) - u32(Special::ClusteridX);
  return no_dimension;
}

void find_block_indices(Program& program) {
  const auto& values = program.code->values;
  for (u32 i = 0; i < values.size(); ++i) {
    const u32 dimension = values[i].source == Value::Source::Special ? dimension_of(values[i].special) : no_dimension;
    if (dimension == no_dimension) continue;
    const u32 lanes = program.pitch[i] ? program.warps * lanes_per_warp : lanes_per_warp;
    program.block_indices.push_back({program.offset[i], values[i].size, u8(dimension), u16(lanes)});
  }
}

// At the beginning of a basic block: who is here gets to its end, or leaves there.
void add_landmark(Program& program, u32 number) {
  if (program.landmarks.empty()) program.landmarks = landmarks_of(*program.code);
  const Landmark& landmark = program.landmarks[number];
  if (!landmark.is_noted) return;
  Op note;
  note.run = control::note_trail;
  note.step = program.code->first_step[program.code->flow.blocks[number].first];
  note.extra = &landmark;
  program.ops.push_back(note);
}

}  // namespace

std::shared_ptr<const Program> make_program(std::shared_ptr<const Code> code_pointer, Tier tier, u32 warps,
                                            const std::vector<bool>& uniform, Observed observed,
                                            const Settled* settled) {
  auto program = std::make_shared<Program>();
  program->code = code_pointer;
  program->tier = tier;
  program->warps = warps;
  const Code& code = *code_pointer;
  place_values(*program, uniform);
  find_block_indices(*program);
  const std::vector<bool> joins = joins_of(code, uniform);
  const u32 instructions = u32(code.function.instructions.size());
  program->op_of_instruction.resize(instructions + 1);
  program->op_of_step.resize(code.steps.size());
  program->ops.reserve(code.steps.size() + instructions / 8);

  const auto put = [&](u32 value, u32& offset, u16& pitch) {
    if (value == no_value) return;
    offset = program->offset[value];
    pitch = program->pitch[value];
  };
  for (u32 i = 0; i < instructions; ++i) {
    program->op_of_instruction[i] = u32(program->ops.size());
    if (joins[i]) {
      Op join;
      join.run = control::join;
      join.step = code.first_step[i];
      program->ops.push_back(join);
    }
    const ptx::Block& block = code.flow.blocks[code.flow.block_of[i]];
    if (observed.trails && block.first == i) add_landmark(*program, code.flow.block_of[i]);
    if (observed.branches && block.first == i) {
      Op count;
      count.run = control::count;
      count.step = code.first_step[i];
      count.immediate = block.last - i;
      program->ops.push_back(count);
    }
    for (u32 s = code.first_step[i]; s < code.first_step[i + 1]; ++s) {
      const Step& step = code.steps[s];
      Op op;
      op.step = s;
      op.immediate = step.immediate;
      put(step.d, op.d, op.step_d);
      put(step.a, op.a, op.step_a);
      put(step.b, op.b, op.step_b);
      put(step.c, op.c, op.step_c);
      put(step.e, op.e, op.step_e);
      set_handler(*program, op, step, uniform, settled);
      const bool own_predicate = step.kind == StepKind::Branch || step.kind == StepKind::Exit;
      if (step.predicate != no_value) {
        if (own_predicate) {
          put(step.predicate, op.a, op.step_a);
        } else {
          op.inner = op.run;
          op.run = uniform[step.predicate] ? control::predicated_uniform : control::predicated;
        }
      }
      if (observed.branches && step.kind == StepKind::Branch && step.predicate != no_value) {
        Op observe;
        observe.run = control::observe;
        observe.step = s;
        put(step.predicate, observe.a, observe.step_a);
        program->ops.push_back(observe);
      }
      program->op_of_step[s] = u32(program->ops.size());
      program->ops.push_back(op);
    }
  }
  program->op_of_instruction[instructions] = u32(program->ops.size());
  Op end;
  end.run = control::end;
  end.step = code.steps.empty() ? 0 : u32(code.steps.size() - 1);
  program->ops.push_back(end);

  for (Op& op : program->ops) {
    if (control::is_marker(op)) continue;
    const Step& step = code.steps[op.step];
    if (step.kind == StepKind::Branch) {
      op.target = program->op_of_instruction[step.target];
      op.immediate = join_of(*program, step);
    } else if (step.kind == StepKind::BranchTable) {
      op.immediate = join_of(*program, step);
    }
  }
  return program;
}

namespace {

u32 multiprocessors_of(const Launch& launch, const Code& code) {
  return device_limits(launch.target.empty() ? code.module->target : launch.target).multiprocessors;
}

u64 special_of_lane(ptx::Special special, u32 thread, const Launch& launch, const Code& code) {
  using ptx::Special;
  const Dim3 &block = launch.block, &grid = launch.grid;
  const u32 lane = thread % lanes_per_warp;
  switch (special) {
    case Special::TidX:
      return thread % block.x;
    case Special::TidY:
      return thread / block.x % block.y;
    case Special::TidZ:
      return thread / (block.x * block.y);
    case Special::NtidX:
      return block.x;
    case Special::NtidY:
      return block.y;
    case Special::NtidZ:
      return block.z;
    case Special::NctaidX:
      return grid.x;
    case Special::NctaidY:
      return grid.y;
    case Special::NctaidZ:
      return grid.z;
    case Special::Laneid:
      return lane;
    case Special::Warpid:
      return thread / lanes_per_warp;
    case Special::Nwarpid:
      return (block.count() + lanes_per_warp - 1) / lanes_per_warp;
    case Special::Nsmid:
      return multiprocessors_of(launch, code);
    case Special::LanemaskEq:
      return u64(1) << lane;
    case Special::LanemaskLt:
      return (u64(1) << lane) - 1;
    case Special::LanemaskLe:
      return (u64(2) << lane) - 1;
    case Special::LanemaskGe:
      return u32(~((u64(1) << lane) - 1));
    case Special::LanemaskGt:
      return u32(~((u64(2) << lane) - 1));
    case Special::DynamicSmemSize:
      return launch.dynamic_shared_bytes;
    case Special::TotalSmemSize:
      return code.static_shared_bytes + launch.dynamic_shared_bytes;
    case Special::AggrSmemSize:
      return code.static_shared_bytes + launch.dynamic_shared_bytes + reserved_shared_memory;
    case Special::ReservedSmemEnd:
    case Special::ReservedSmemCap:
      return reserved_shared_memory;
    case Special::ReservedSmem1:
      return reserved_shared_memory / 2;
    // Without clusters every block is a cluster of its own.
    case Special::NclusteridX:
      return grid.x;
    case Special::NclusteridY:
      return grid.y;
    case Special::NclusteridZ:
      return grid.z;
    case Special::ClusterNctaidX:
    case Special::ClusterNctaidY:
    case Special::ClusterNctaidZ:
    case Special::ClusterNctarank:
      return 1;
    default:
      return 0;
  }
}

void write_lane(std::byte* at, u32 size, u64 bits) { __builtin_memcpy(at, &bits, size); }

}  // namespace

void Program::prepare(std::byte* registers, u32 first_thread, const Launch& launch) const {
  for (u32 i = 0; i < code->values.size(); ++i) {
    const Value& value = code->values[i];
    if (value.source != Value::Source::Constant && value.source != Value::Source::Special) continue;
    const u32 lanes = pitch[i] ? warps * lanes_per_warp : lanes_per_warp;
    for (u32 lane = 0; lane < lanes; ++lane) {
      const u64 bits = value.source == Value::Source::Constant
                           ? value.constant
                           : special_of_lane(value.special, first_thread + lane, launch, *code);
      write_lane(registers + offset[i] + lane * value.size, value.size, bits);
    }
  }
}

void Program::enter_block(std::byte* registers, const u32 (&block)[3], u64 number, const Launch& launch) const {
  for (const BlockIndex& it : block_indices) {
    const u32 index =
        it.dimension == multiprocessor ? u32(number % multiprocessors_of(launch, *code)) : block[it.dimension];
    if (it.size == 4)
      std::fill_n(reinterpret_cast<u32*>(registers + it.offset), it.lanes, index);
    else
      for (u32 lane = 0; lane < it.lanes; ++lane) write_lane(registers + it.offset + lane * it.size, it.size, index);
  }
}

}  // namespace ropewalk::machine
