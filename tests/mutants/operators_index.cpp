// Mistakes in the arithmetic of indices.
#include <algorithm>
#include <set>

#include "tests/mutants/operators.h"

namespace ropewalk::mutants {
namespace {

bool is_64_bits_wide(ptx::Type type) {
  return type == ptx::Type::S64 || type == ptx::Type::U64 || type == ptx::Type::B64;
}

bool multiplies(const ptx::Opcode& opcode) { return opcode.stem == "mul" || opcode.stem == "mad"; }

// The parameters of 64 bits that something is multiplied by, as strides are; in the order of the parameters.
std::vector<u32> strides_of(const Site& site) {
  std::set<u32> factors;
  for (u32 n = 0; n < site.function.instructions.size(); ++n) {
    const Site other{site.module, site.function, site.parameters, n};
    if (!multiplies(other.opcode()) || !is_64_bits_wide(other.type())) continue;
    for (const u32 k : {1u, 2u}) {
      if (other.operand(k).kind == ptx::Operand::Kind::Register) factors.insert(other.operand(k).id);
    }
  }
  std::vector<u32> strides;
  for (const ParameterRegister& one : site.parameters) {
    if (is_64_bits_wide(one.type) && factors.count(one.number)) strides.push_back(one.number);
  }
  return strides;
}

}  // namespace

// By the strides before and behind it among the parameters.
std::vector<Change> swapped_stride(const Site& site) {
  if (!multiplies(site.opcode()) || !is_64_bits_wide(site.type())) return {};
  const std::vector<u32> strides = strides_of(site);
  std::vector<Change> changes;
  for (const u32 k : {1u, 2u}) {
    if (site.operand(k).kind != ptx::Operand::Kind::Register) continue;
    const auto found = std::find(strides.begin(), strides.end(), site.operand(k).id);
    if (found == strides.end()) continue;
    const u64 number = u64(found - strides.begin());
    std::set<u32> others;
    for (const u64 step : {u64(1), strides.size() - 1}) others.insert(strides[(number + step) % strides.size()]);
    others.erase(*found);
    for (const u32 other : others) {
      changes.push_back({site.function.registers[*found].name + " becomes " + site.function.registers[other].name,
                         [=](Editor& editor, u32 n) { editor.operand(n, k).id = other; }});
    }
  }
  return changes;
}

std::vector<Change> int32_for_int64(const Site& site) {
  const ptx::Opcode& opcode = site.opcode();
  const bool wide = multiplies(opcode) && opcode.has("wide") && ptx::size_of(site.type()) == 4;
  const bool whole = (multiplies(opcode) || opcode.stem == "shl") && is_64_bits_wide(site.type());
  if ((!wide && !whole) || opcode.has("hi")) return {};
  return {{"its low 32 bits, sign-extended", [](Editor& editor, u32 n) {
             const ptx::Operand result = editor.operand(n, 0);
             const ptx::Operand low = editor.new_register(ptx::Type::B32);
             editor.insert_after(n, "cvt.u32.u64", {low, result});
             editor.insert_after(n + 1, "cvt.s64.s32", {result, low});
           }}};
}

std::vector<Change> wrong_axis(const Site& site) {
  std::vector<Change> changes;
  for (u32 k = 0; k < site.instruction().operand_count; ++k) {
    const ptx::Operand& operand = site.operand(k);
    if (operand.kind != ptx::Operand::Kind::Special || operand.id > u32(ptx::Special::NctaidZ)) continue;
    const u32 axis = operand.id % 3, other = axis == 0 ? operand.id + 1 : operand.id - 1;
    const char* const names[] = {"x becomes y", "y becomes x", "z becomes y"};
    changes.push_back({names[axis], [=](Editor& editor, u32 n) { editor.operand(n, k).id = other; }});
  }
  return changes;
}

std::vector<Change> half_element(const Site& site) {
  if (site.opcode().stem != "shl" || site.operand(2).kind != ptx::Operand::Kind::Integer) return {};
  if (site.operand(2).value < 1) return {};
  return {{"shifted by one less", [](Editor& editor, u32 n) { --editor.operand(n, 2).value; }}};
}

}  // namespace ropewalk::mutants
