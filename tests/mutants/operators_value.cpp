// Mistakes in the arithmetic of values.
#include "tests/mutants/operators.h"

namespace ropewalk::mutants {

std::vector<Change> swapped_sum(const Site& site) {
  const ptx::Opcode& opcode = site.opcode();
  if (opcode.stem != "add" && opcode.stem != "sub") return {};
  std::string text = opcode.text;
  text.replace(0, 3, opcode.stem == "add" ? "sub" : "add");
  return {{opcode.stem == "add" ? "+ becomes -" : "- becomes +",
           [text](Editor& editor, u32 n) { editor.set_opcode(n, text); }}};
}

std::vector<Change> dropped_term(const Site& site) {
  if (site.opcode().stem != "mad" && site.opcode().stem != "fma") return {};
  if (ptx::size_of(site.type()) < 4) return {};
  ptx::Operand zero = whole_number(0);
  if (site.opcode().stem == "fma") zero.kind = ptx::Operand::Kind::Float;
  return {{"nothing is added", [zero](Editor& editor, u32 n) { editor.operand(n, 3) = zero; }}};
}

std::vector<Change> dropped_sign(const Site& site) {
  if (site.opcode().stem != "neg") return {};
  const std::string text = "mov.b" + std::to_string(8 * ptx::size_of(site.type()));
  return {{"the value as it is", [text](Editor& editor, u32 n) { editor.set_opcode(n, text); }}};
}

}  // namespace ropewalk::mutants
