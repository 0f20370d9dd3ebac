#include "lib/ptx/memory_operands.h"

#include "lib/ptx/instruction_table.h"

namespace ropewalk::ptx {

namespace {

// Shared memory of another block of the cluster lies where this block's bounds say nothing.
bool is_remote(const Opcode& opcode) { return opcode.has("shared::cluster"); }

bool is_async_copy(const Opcode& opcode) {
  return opcode.op == "cp"_op && !opcode.modifiers.empty() && opcode.modifiers[0] == "async" && !opcode.has("bulk") &&
         opcode.has("global") && !opcode.has("mbarrier") && !opcode.has("reduce");
}

std::vector<MemoryOperand> plain(const Opcode& opcode, Site::Kind kind) {
  MemoryOperand out;
  out.operand = opcode.facts().address;
  out.kind = kind;
  out.space = opcode.spaces.empty() ? Space::Generic : opcode.spaces[0];
  out.bytes = size_of(opcode.type) * opcode.vector;
  if (out.space == Space::Param || out.bytes == 0) return {};
  return {out};
}

std::vector<MemoryOperand> copy(const Function& function, const Instruction& it) {
  if (it.operand_count < 3) return {};
  const u32 bytes = u32(function.operands[it.first_operand + 2].value);
  if (bytes != 4 && bytes != 8 && bytes != 16) return {};
  MemoryOperand to{0, Site::Kind::Store, Space::Shared, bytes, false};
  MemoryOperand from{1, Site::Kind::Load, Space::Global, bytes, true};
  if (it.operand_count > 3) {
    // A cache policy is a register of 64 bits; what stands before it is a size or a predicate.
    const Operand& third = function.operands[it.first_operand + 3];
    const bool is_policy = third.kind == Operand::Kind::Register && size_of(function.registers[third.id].type) == 8;
    if (!is_policy) from.source_size = 3;
  }
  return {from, to};
}

std::vector<MemoryOperand> matrix(const Opcode& opcode, bool is_load) {
  if (!opcode.has("m8n8")) return {};
  const u32 matrices = opcode.has("x4") ? 4 : opcode.has("x2") ? 2 : 1;
  MemoryOperand out{opcode.facts().address, is_load ? Site::Kind::Load : Site::Kind::Store, Space::Shared, 16};
  out.lanes = 8 * matrices;
  return {out};
}

}  // namespace

std::vector<MemoryOperand> memory_operands(const Module& module, const Function& function, const Instruction& it) {
  const Opcode& opcode = module.opcode(it);
  if (is_unchecked(opcode)) return {};
  const Access access = opcode.facts().access;
  if (access == Access::Load) return plain(opcode, Site::Kind::Load);
  if (access == Access::Store) return plain(opcode, Site::Kind::Store);
  if (access == Access::Atomic) return plain(opcode, Site::Kind::Atomic);
  if (access == Access::LoadMatrix) return matrix(opcode, true);
  if (access == Access::StoreMatrix) return matrix(opcode, false);
  return is_async_copy(opcode) ? copy(function, it) : std::vector<MemoryOperand>{};
}

bool is_unchecked(const Opcode& opcode) {
  switch (opcode.facts().access) {
    case Access::Unseen:
      // Of these only some forms touch memory.
      if (opcode.op == "wmma"_op || opcode.op == "tcgen05"_op)
        return opcode.has("load") || opcode.has("store") || opcode.has("cp");
      return !opcode.has("fence") && !opcode.has("commit_group") && !opcode.has("wait_group");
    case Access::Copy:
      return !is_async_copy(opcode) && !opcode.has("commit_group") && !opcode.has("wait_group") &&
             !opcode.has("wait_all");
    case Access::LoadMatrix:
    case Access::StoreMatrix:
      return !opcode.has("m8n8") || opcode.spaces.empty();
    case Access::Load:
    case Access::Store:
    case Access::Atomic:
      return is_remote(opcode) || opcode.has("async");
    default:
      return false;
  }
}

}  // namespace ropewalk::ptx
