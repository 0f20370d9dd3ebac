// Mistakes in what is left out, repeated and waited for.
#include "tests/mutants/operators.h"

namespace ropewalk::mutants {
namespace {

Change removal(const std::string& what) {
  return {what, [](Editor& editor, u32 n) { editor.remove(n); }};
}

bool is_predicated_branch(const Site& site) {
  return site.opcode().stem == "bra" && site.instruction().predicate != ptx::Instruction::no_predicate;
}

bool leads_back(const Site& site) { return site.function.labels[site.operand(0).id].instruction <= site.number; }

}  // namespace

std::vector<Change> missing_mask(const Site& site) {
  if (is_predicated_branch(site)) {
    if (leads_back(site)) return {};
    return {removal("the branch round it is never taken")};
  }
  if (site.instruction().predicate == ptx::Instruction::no_predicate) return {};
  return {{"its predicate is missing", [](Editor& editor, u32 n) { editor.drop_predicate(n); }}};
}

std::vector<Change> cut_loop(const Site& site) {
  if (!is_predicated_branch(site) || !leads_back(site)) return {};
  return {removal("the branch back is never taken")};
}

std::vector<Change> dropped_barrier(const Site& site) {
  const ptx::Opcode& opcode = site.opcode();
  if (opcode.stem == "bar" || opcode.stem == "barrier") return {removal("the barrier is missing")};
  const bool waits = opcode.stem == "cp" && (opcode.has("wait_group") || opcode.has("wait_all"));
  if (waits) return {removal("the wait is missing")};
  return {};
}

}  // namespace ropewalk::mutants
