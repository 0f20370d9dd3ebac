// Mistakes in bounds and conditions.
#include <map>

#include "tests/mutants/operators.h"

namespace ropewalk::mutants {
namespace {

// Comparisons with and without equality; those of unsigned numbers and of unordered ones have names of their own.
const std::map<std::string, std::string>& relaxed_names() {
  static const std::map<std::string, std::string> names = {
      {"lt", "le"}, {"le", "lt"}, {"gt", "ge"},   {"ge", "gt"},   {"lo", "ls"},   {"ls", "lo"},
      {"hi", "hs"}, {"hs", "hi"}, {"ltu", "leu"}, {"leu", "ltu"}, {"gtu", "geu"}, {"geu", "gtu"}};
  return names;
}

bool compares(const Site& site) { return site.opcode().stem == "setp" || site.opcode().stem == "set"; }

Change rename(const Site& site, const std::string& old, const std::string& other) {
  const std::string text = with_modifier(site.opcode(), old, other);
  return {old + " becomes " + other, [text](Editor& editor, u32 n) { editor.set_opcode(n, text); }};
}

}  // namespace

std::vector<Change> relaxed_comparison(const Site& site) {
  if (!compares(site)) return {};
  const std::string& comparison = site.opcode().modifiers.front();
  const auto found = relaxed_names().find(comparison);
  if (found == relaxed_names().end()) return {};
  return {rename(site, comparison, found->second)};
}

// In the direction that is not the same as to relax the comparison.
std::vector<Change> shifted_bound(const Site& site) {
  if (!compares(site)) return {};
  const std::string& comparison = site.opcode().modifiers.front();
  const ptx::Type type = site.type();
  const bool whole = type == ptx::Type::S32 || type == ptx::Type::U32 || type == ptx::Type::S64 ||
                     type == ptx::Type::U64 || type == ptx::Type::S16 || type == ptx::Type::U16;
  if (!whole || !relaxed_names().count(comparison)) return {};
  const bool down = comparison == "lt" || comparison == "ge" || comparison == "lo" || comparison == "hs";
  const i64 step = down ? -1 : 1;
  const std::string add = "add." + std::string(ptx::name_of(type));
  return {{down ? "the bound less one" : "the bound and one", [=](Editor& editor, u32 n) {
             const ptx::Operand bound = editor.operand(n, 2);
             const ptx::Operand shifted = editor.new_register(type);
             editor.insert_before(n, add, {shifted, bound, whole_number(step)});
             editor.operand(n + 1, 2) = shifted;
           }}};
}

std::vector<Change> negated_condition(const Site& site) {
  if (!compares(site)) return {};
  const std::string& comparison = site.opcode().modifiers.front();
  if (comparison == "eq") return {rename(site, "eq", "ne")};
  if (comparison == "ne") return {rename(site, "ne", "eq")};
  return {};
}

}  // namespace ropewalk::mutants
