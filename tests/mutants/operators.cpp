#include "tests/mutants/operators.h"

#include <algorithm>

namespace ropewalk::mutants {

const std::vector<Operator>& operators() {
  static const std::vector<Operator> all = {
      {"relaxed-comparison", "<= for <, and the like", relaxed_comparison},
      {"shifted-bound", "the bound of a comparison is off by one", shifted_bound},
      {"negated-condition", "== for !=", negated_condition},
      {"missing-mask", "what a condition leaves out is done all the same", missing_mask},
      {"cut-loop", "the first round of a loop is its only one", cut_loop},
      {"dropped-barrier", "a barrier or a wait is missing", dropped_barrier},
      {"half-vector", "half the vector width", half_vector},
      {"shifted-address", "the element behind the right one", shifted_address},
      {"dropped-store", "a store is missing", dropped_store},
      {"swapped-stride", "a stride in place of another", swapped_stride},
      {"int32-for-int64", "an index of 64 bits is kept in 32", int32_for_int64},
      {"wrong-axis", "x for y, and the reverse", wrong_axis},
      {"half-element", "half the number of bytes of an element", half_element},
      {"swapped-sum", "- for +, and the reverse", swapped_sum},
      {"dropped-term", "the product alone, without what is added to it", dropped_term},
      {"dropped-sign", "a sign is missing", dropped_sign},
  };
  return all;
}

ptx::Type Site::type() const {
  const auto& modifiers = opcode().modifiers;
  for (auto modifier = modifiers.rbegin(); modifier != modifiers.rend(); ++modifier) {
    const ptx::Type type = ptx::type_named(*modifier);
    if (type != ptx::Type::None) return type;
  }
  return ptx::Type::None;
}

bool Site::accesses_memory() const {
  const ptx::Opcode& code = opcode();
  if (code.stem != "ld" && code.stem != "st" && code.stem != "atom" && code.stem != "red") return false;
  return !code.has("param") && !code.has("local") && !code.has("const");
}

std::vector<ParameterRegister> parameter_registers(const ptx::Module& module, const ptx::Function& function) {
  u32 end = u32(function.instructions.size());
  for (const ptx::Label& label : function.labels) end = std::min(end, label.instruction);
  std::vector<ParameterRegister> all;
  for (u32 n = 0; n < end; ++n) {
    const Site site{module, function, {}, n};
    if (site.opcode().stem == "bra") break;
    if (site.opcode().stem != "ld" || !site.opcode().has("param")) continue;
    const ptx::Operand& target = site.operand(0);
    const ptx::Operand& address = site.operand(1);
    const ptx::Operand& base = function.operands[address.first];
    if (address.count != 1 || base.kind != ptx::Operand::Kind::Variable) continue;
    const bool vector = target.kind == ptx::Operand::Kind::Vector;
    for (u32 part = 0; part < (vector ? target.count : 1); ++part) {
      const ptx::Operand& one = vector ? function.operands[target.first + part] : target;
      if (one.kind != ptx::Operand::Kind::Register) continue;
      all.push_back({one.id, site.type(), base.id, address.value + i64(part * ptx::size_of(site.type()))});
    }
  }
  std::sort(all.begin(), all.end(), [](const ParameterRegister& a, const ParameterRegister& b) {
    return std::pair(a.parameter, a.offset) < std::pair(b.parameter, b.offset);
  });
  return all;
}

std::string with_modifier(const ptx::Opcode& opcode, const std::string& old, const std::string& other) {
  std::string text = opcode.stem;
  bool replaced = false;
  for (const std::string& modifier : opcode.modifiers) {
    const bool here = !replaced && modifier == old;
    replaced |= here;
    const std::string& part = here ? other : modifier;
    if (!part.empty()) text += "." + part;
  }
  return text;
}

}  // namespace ropewalk::mutants
