// Loads, stores, atomics, asynchronous copies and hints.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "lib/machine/decode/decoder.h"
#include "lib/machine/decode/grid_wait.h"

namespace ropewalk::machine {

using ptx::Operand;
using ptx::Type;
using Kind = ptx::Operand::Kind;

namespace {

// The space that an opcode names; Generic where it names none.
MemorySpace space_of(const ptx::Opcode& opcode) {
  constexpr std::array of_ptx{MemorySpace::Generic, MemorySpace::Constant,  MemorySpace::Global,
                              MemorySpace::Local,   MemorySpace::Parameter, MemorySpace::Shared};
  return of_ptx[opcode.spaces.empty() ? 0 : u64(opcode.spaces[0])];
}

Strength strength_of(const ptx::Opcode& opcode) {
  if (opcode.has("acq_rel")) return Strength::AcquireRelease;
  if (opcode.has("acquire")) return Strength::Acquire;
  if (opcode.has("release")) return Strength::Release;
  if (opcode.has("volatile") || opcode.has("relaxed") || opcode.has("mmio")) return Strength::Relaxed;
  return Strength::Weak;
}

// Which blocks are of one cluster is not followed: where there may be several, all of the device are.
Scope scope_of(Decoder& decoder, Scope otherwise) {
  const ptx::Opcode& opcode = decoder.opcode();
  if (opcode.has("cta")) return Scope::Block;
  if (opcode.has("cluster")) return decoder.function().cluster_blocks() > 1 ? Scope::Device : Scope::Block;
  if (opcode.has("gpu") || opcode.has("gl")) return Scope::Device;
  if (opcode.has("sys")) return Scope::System;
  return otherwise;
}

const Operand& element(Decoder& decoder, const Operand& operand, u32 n) {
  return operand.kind == Kind::Vector ? decoder.part(operand, n) : operand;
}

std::unique_ptr<MemoryStep> describe(Decoder& decoder, const Operand& address) {
  auto memory = std::make_unique<MemoryStep>();
  memory->type = decoder.type();
  memory->space = space_of(decoder.opcode());
  memory->element_bytes = u8(ptx::size_of(decoder.type()));
  memory->count = u8(decoder.opcode().vector);
  memory->strength = strength_of(decoder.opcode());
  memory->scope = scope_of(decoder, Scope::System);
  decoder.set_address(address, memory->space, memory->address, memory->offset);
  return memory;
}

bool is_supported(const MemoryStep& memory) { return memory.element_bytes >= 1 && memory.element_bytes <= 8; }

// Races are looked for by granules as wide as the narrowest access.
void note_width(Decoder& decoder, const MemoryStep& memory) {
  Code& code = decoder.code();
  const bool is_generic = memory.space == MemorySpace::Generic;
  if (is_generic || memory.space == MemorySpace::Shared)
    code.shared_granule = std::min(code.shared_granule, u32(memory.element_bytes));
  if (is_generic || memory.space == MemorySpace::Global)
    code.global_granule = std::min(code.global_granule, u32(memory.element_bytes));
}

// The bytes of a vector that compilers say a load is made for (PTX ISA, .pragma "used_bytes_mask").
u64 used_bytes(const Decoder& decoder) {
  constexpr std::string_view name = "used_bytes_mask ";
  const auto& pragmas = decoder.function().pragmas;
  const u32 here = u32(&decoder.instruction() - decoder.function().instructions.data());
  auto at = std::lower_bound(pragmas.begin(), pragmas.end(), here,
                             [](const ptx::Pragma& one, u32 n) { return one.instruction < n; });
  for (; at != pragmas.end() && at->instruction == here; ++at) {
    if (at->text.starts_with(name)) return std::strtoull(at->text.c_str() + name.size(), nullptr, 0);
  }
  return ~u64(0);
}

void load(Decoder& decoder) {
  auto memory = describe(decoder, decoder.operand(1));
  memory->used_bytes = used_bytes(decoder);
  memory->is_noncoherent = decoder.opcode().has("nc");
  if (!is_supported(*memory)) return decoder.refuse(fmt::format("{} is not supported", decoder.opcode().text));
  const Operand& targets = decoder.operand(0);
  const Type type = decoder.type();
  memory->sign_extend = type == Type::S8 || type == Type::S16 || type == Type::S32 || type == Type::S64;
  // A register at least as wide as the element takes it, extended; floats and bits are not extended by sign.
  std::vector<u32> outputs;
  for (u32 i = 0; i < memory->count; ++i) {
    const Operand& target = element(decoder, targets, i);
    if (target.kind == Kind::Sink) continue;
    if (target.kind != Kind::Register) {
      return decoder.refuse(fmt::format("{} into something that is no register", decoder.opcode().text));
    }
    const u32 size = decoder.size_of_value(target.id);
    if (size > 8 || size < memory->element_bytes || decoder.code().values[target.id].is_predicate) {
      return decoder.refuse(fmt::format("{} into a register of {} bits", decoder.opcode().text, 8 * size));
    }
    memory->values[i] = target.id;
    outputs.push_back(target.id);
  }
  note_width(decoder, *memory);
  Step& step = decoder.append(StepKind::Load);
  step.outputs = outputs;
  step.memory = std::move(memory);
}

void store(Decoder& decoder) {
  auto memory = describe(decoder, decoder.operand(0));
  if (!is_supported(*memory)) return decoder.refuse(fmt::format("{} is not supported", decoder.opcode().text));
  std::vector<u32> inputs;
  for (u32 i = 0; i < memory->count; ++i) {
    const Operand& from = element(decoder, decoder.operand(1), i);
    // A register wider than the element gives its low bytes; sources of other kinds become constants.
    const u32 value = from.kind == Kind::Register ? from.id : decoder.source(from, memory->element_bytes);
    const u32 size = decoder.size_of_value(value);
    if (size > 8 || size < memory->element_bytes || decoder.code().values[value].is_predicate) {
      return decoder.refuse(fmt::format("{} of a register of {} bits", decoder.opcode().text, 8 * size));
    }
    memory->values[i] = value;
    inputs.push_back(value);
  }
  note_width(decoder, *memory);
  Step& step = decoder.append(StepKind::Store);
  step.inputs = inputs;
  step.memory = std::move(memory);
}

// The n-th element of an atomic operation, each of which is one by itself (PTX ISA, atom, red: vector operations). Its
// result, where there is one, goes to `result`.
bool atomic_element(Decoder& decoder, bool has_result, u32 n, u32 result) {
  auto memory = describe(decoder, decoder.operand(has_result ? 1 : 0));
  if (n == 0 && memory->count > 1) memory->vector_bytes = u8(memory->count * memory->element_bytes);
  memory->count = 1;
  memory->offset += i64(n) * memory->element_bytes;
  memory->has_result = result != no_value;
  const auto operation = decoder.mode<AtomicOperation>();
  if (!operation) return false;
  memory->operation = *operation;
  if (!memory->is_strong()) memory->strength = Strength::Relaxed;
  memory->scope = scope_of(decoder, Scope::Device);
  const u32 size = memory->element_bytes;
  const Type type = memory->type;
  const bool is_half = type == Type::F16 || type == Type::BF16 || type == Type::F16x2 || type == Type::BF16x2;
  using enum AtomicOperation;
  const bool is_number = memory->operation == Add || memory->operation == Min || memory->operation == Max;
  if (size < 2 || size > 8 || (is_half && !is_number)) {
    decoder.refuse(fmt::format("{} is not supported", decoder.opcode().text));
    return false;
  }
  std::vector<u32> inputs;
  const u32 first = has_result ? 2 : 1;
  memory->values[0] = decoder.source(element(decoder, decoder.operand(first), n), size);
  inputs.push_back(memory->values[0]);
  if (memory->operation == CompareAndSwap) {
    memory->second_operand = decoder.source(decoder.operand(first + 1), size);
    inputs.push_back(memory->second_operand);
  }
  note_width(decoder, *memory);
  if (memory->space != MemorySpace::Shared) decoder.code().has_global_atomics = true;
  Step& step = decoder.append(StepKind::Atomic);
  step.d = result;
  step.inputs = inputs;
  if (result != no_value) step.outputs = {result};
  step.memory = std::move(memory);
  return true;
}

void atomic(Decoder& decoder) {
  const bool has_result = decoder.opcode().op == "atom"_op;
  const u32 count = decoder.opcode().vector, size = ptx::size_of(decoder.type());
  // A register of the results may be one of the operands: all are taken before the first is written.
  std::vector<std::pair<u32, u32>> moves;
  for (u32 n = 0; n < count; ++n) {
    u32 result = no_value;
    if (has_result && element(decoder, decoder.operand(0), n).kind != Kind::Sink) {
      const u32 target = decoder.destination(element(decoder, decoder.operand(0), n), size);
      result = count == 1 ? target : decoder.temporary(size);
      if (count > 1) moves.emplace_back(target, result);
    }
    if (!atomic_element(decoder, has_result, n, result)) return;
  }
  for (const auto& [target, result] : moves) decoder.compute(fmt::format("%move.u{}", 8 * size), target, result);
}

// cp.async.{ca,cg}.shared.global [dst], [src], cp-size{, src-size}{, cache-policy}; or with ignore-src, a predicate.
void copy_async(Decoder& decoder) {
  auto memory = std::make_unique<MemoryStep>();
  memory->space = MemorySpace::Shared;
  decoder.set_address(decoder.operand(0), memory->space, memory->address, memory->offset);
  MemorySpace source_space = MemorySpace::Global;
  decoder.set_address(decoder.operand(1), source_space, memory->source_address, memory->source_offset);
  memory->element_bytes = u8(decoder.operand(2).value);
  if (memory->element_bytes != 4 && memory->element_bytes != 8 && memory->element_bytes != 16) {
    return decoder.refuse(fmt::format("{} of {} bytes", decoder.opcode().text, decoder.operand(2).value));
  }
  std::vector<u32> inputs;
  if (decoder.operand_count() > 3) {
    const Operand& third = decoder.operand(3);
    const bool is_predicate = third.kind == Kind::Register && decoder.function().registers[third.id].type == Type::Pred;
    const bool is_policy = decoder.opcode().has("L2::cache_hint") && decoder.operand_count() == 4;
    if (is_predicate)
      inputs.push_back(memory->ignore_source = decoder.predicate(third));
    else if (!is_policy)
      inputs.push_back(memory->source_size = decoder.source(third, 4));
  }
  Step& step = decoder.append(StepKind::AsyncCopy);
  step.inputs = inputs;
  step.memory = std::move(memory);
}

bool decode_async(Decoder& decoder) {
  const ptx::Opcode& opcode = decoder.opcode();
  if (opcode.has("bulk")) return false;
  if (opcode.has("mbarrier")) return decode_mbarrier(decoder);
  if (decoder.modifier(0) != "async") return false;
  if (opcode.has("commit_group")) {
    decoder.append(StepKind::AsyncCommit);
  } else if (const auto mode = mode_of<AsyncWaitMode>(opcode)) {
    Step& step = decoder.append(StepKind::AsyncWait);
    step.mode = *mode;
    if (*mode == AsyncWaitMode::Groups) step.immediate = u64(decoder.operand(0).value);
  } else {
    copy_async(decoder);
  }
  return true;
}

}  // namespace

bool decode_memory(Decoder& decoder) {
  const ptx::Opcode& opcode = decoder.opcode();
  switch (opcode.facts().access) {
    case ptx::Access::Load:
      return load(decoder), true;
    case ptx::Access::Store:
      return !opcode.has("async") && (store(decoder), true);
    case ptx::Access::Atomic:
      return !opcode.has("async") && (atomic(decoder), true);
    case ptx::Access::Copy:
      return decode_async(decoder);
    default:
      break;
  }
  if (opcode.op == "griddepcontrol"_op) {
    decoder.append(StepKind::GridControl).immediate = opcode.has("wait") ? grid_wait : grid_trigger;
    return true;
  }
  // Fences of proxies and of the initialisation of mbarriers order nothing between threads, nor do hints.
  const bool is_fence =
      opcode.op == "membar"_op || (opcode.op == "fence"_op && !opcode.has("proxy") && !opcode.has("mbarrier_init"));
  decoder.append(is_fence ? StepKind::Fence : StepKind::Nothing).immediate = u64(scope_of(decoder, Scope::System));
  return true;
}

}  // namespace ropewalk::machine
