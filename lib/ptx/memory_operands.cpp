#include "lib/ptx/memory_operands.h"

#include <algorithm>
#include <array>

namespace ropewalk::ptx {

namespace {

// The spaces that the opcode names, in its order.
std::vector<Space> spaces_of(const Opcode& opcode) {
  std::vector<Space> out;
  for (const std::string& modifier : opcode.modifiers) {
    const std::string name = modifier.substr(0, modifier.find("::"));
    for (const Space space : {Space::Const, Space::Global, Space::Local, Space::Param, Space::Shared}) {
      if (name == name_of(space)) out.push_back(space);
    }
  }
  return out;
}

// Shared memory of another block of the cluster lies where this block's bounds say nothing.
bool is_remote(const Opcode& opcode) { return opcode.has("shared::cluster"); }

u32 bytes_of(const Opcode& opcode) {
  u32 bytes = 0;
  for (const std::string& modifier : opcode.modifiers) {
    if (const Type type = type_named(modifier); type != Type::None) bytes = size_of(type);
  }
  for (const auto& [name, count] : {std::pair{"v2", 2u}, std::pair{"v4", 4u}, std::pair{"v8", 8u}}) {
    if (opcode.has(name)) bytes *= count;
  }
  return bytes;
}

bool is_async_copy(const Opcode& opcode) {
  return opcode.stem == "cp" && !opcode.modifiers.empty() && opcode.modifiers[0] == "async" && !opcode.has("bulk") &&
         opcode.has("global") && !opcode.has("mbarrier") && !opcode.has("reduce");
}

std::vector<MemoryOperand> plain(const Opcode& opcode, Site::Kind kind, u32 operand) {
  const std::vector<Space> spaces = spaces_of(opcode);
  MemoryOperand out;
  out.operand = operand;
  out.kind = kind;
  out.space = spaces.empty() ? Space::Generic : spaces[0];
  out.bytes = bytes_of(opcode);
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
  MemoryOperand out{is_load ? 1u : 0u, is_load ? Site::Kind::Load : Site::Kind::Store, Space::Shared, 16};
  out.lanes = 8 * matrices;
  return {out};
}

}  // namespace

std::vector<MemoryOperand> memory_operands(const Module& module, const Function& function, const Instruction& it) {
  const Opcode& opcode = module.opcode(it);
  const std::string& stem = opcode.stem;
  if (is_unchecked(opcode)) return {};
  if (stem == "ld" || stem == "ldu") return plain(opcode, Site::Kind::Load, 1);
  if (stem == "st") return plain(opcode, Site::Kind::Store, 0);
  if (stem == "atom") return plain(opcode, Site::Kind::Atomic, 1);
  if (stem == "red") return plain(opcode, Site::Kind::Atomic, 0);
  if (stem == "ldmatrix" || stem == "stmatrix") return matrix(opcode, stem == "ldmatrix");
  if (is_async_copy(opcode)) return copy(function, it);
  return {};
}

bool is_unchecked(const Opcode& opcode) {
  constexpr std::array stems{"wmma", "multimem", "tex",   "tld4",    "suld",
                             "sust", "sured",    "wgmma", "tcgen05", "mbarrier"};
  if (std::ranges::find(stems, opcode.stem) != stems.end()) {
    // Of these only some forms touch memory.
    if (opcode.stem == "wmma" || opcode.stem == "tcgen05")
      return opcode.has("load") || opcode.has("store") || opcode.has("cp");
    return !opcode.has("fence") && !opcode.has("commit_group") && !opcode.has("wait_group");
  }
  if (opcode.stem == "cp") {
    return !is_async_copy(opcode) && !opcode.has("commit_group") && !opcode.has("wait_group") &&
           !opcode.has("wait_all");
  }
  const bool touches = opcode.stem == "ld" || opcode.stem == "st" || opcode.stem == "atom" || opcode.stem == "red";
  if (touches && (is_remote(opcode) || opcode.has("async"))) return true;
  return (opcode.stem == "ldmatrix" || opcode.stem == "stmatrix") && (!opcode.has("m8n8") || spaces_of(opcode).empty());
}

}  // namespace ropewalk::ptx
