// Mistakes in accesses.
#include "tests/mutants/operators.h"

namespace ropewalk::mutants {
namespace {

// Where the address of a load, store or atomic operation stands among its operands.
u32 address_of(const Site& site) {
  const std::string& stem = site.opcode().stem;
  return stem == "st" || stem == "red" ? 0 : 1;
}

}  // namespace

std::vector<Change> half_vector(const Site& site) {
  const ptx::Opcode& opcode = site.opcode();
  if (!site.accesses_memory() || (opcode.stem != "ld" && opcode.stem != "st")) return {};
  const u32 values = opcode.stem == "ld" ? 0 : 1;
  if (opcode.has("v4")) {
    const std::string half = with_modifier(opcode, "v4", "v2");
    return {{"v4 becomes v2", [=](Editor& editor, u32 n) {
               editor.set_opcode(n, half);
               editor.operand(n, values).count = 2;
             }}};
  }
  if (opcode.has("v2")) {
    const std::string one = with_modifier(opcode, "v2", "");
    const ptx::Operand first = site.function.operands[site.operand(values).first];
    return {{"v2 becomes one", [=](Editor& editor, u32 n) {
               editor.set_opcode(n, one);
               editor.operand(n, values) = first;
             }}};
  }
  return {};
}

std::vector<Change> shifted_address(const Site& site) {
  if (!site.accesses_memory()) return {};
  const u32 address = address_of(site);
  const i64 bytes = ptx::size_of(site.type());
  if (site.operand(address).kind != ptx::Operand::Kind::Address) return {};
  return {{"one element on", [=](Editor& editor, u32 n) { editor.operand(n, address).value += bytes; }}};
}

std::vector<Change> dropped_store(const Site& site) {
  if (!site.accesses_memory() || site.opcode().stem != "st") return {};
  return {{"the store is missing", [](Editor& editor, u32 n) { editor.remove(n); }}};
}

}  // namespace ropewalk::mutants
