// Whether two modules say the same.
#include <algorithm>
#include <unordered_map>

#include "lib/ptx/module.h"

namespace ropewalk::ptx {

namespace {

class Comparison {
 public:
  Comparison(const Module& a, const Module& b) : a_(a), b_(b) {}

  bool same() {
    if (a_.version != b_.version || a_.target != b_.target || a_.address_size != b_.address_size) return false;
    if (!same_files() || a_.variables != b_.variables || a_.functions.size() != b_.functions.size()) return false;
    std::unordered_map<std::string_view, const Function*> by_name;
    for (const Function& function : b_.functions) by_name[function.name] = &function;
    return std::ranges::all_of(a_.functions, [&](const Function& function) {
      const auto other = by_name.find(function.name);
      return other != by_name.end() && same(function, *other->second);
    });
  }

 private:
  bool same_files() const {
    for (u64 i = 0; i < std::max(a_.files.size(), b_.files.size()); ++i) {
      const std::string_view x = i < a_.files.size() ? std::string_view(a_.files[i]) : "";
      const std::string_view y = i < b_.files.size() ? std::string_view(b_.files[i]) : "";
      if (x != y) return false;
    }
    return true;
  }

  bool same(const Function& f, const Function& g) {
    if (f.is_entry != g.is_entry || f.has_body != g.has_body || f.linkage != g.linkage || f.alias != g.alias ||
        f.directives != g.directives || f.return_count != g.return_count || f.parameter_count != g.parameter_count ||
        f.variables != g.variables || f.registers != g.registers || f.pragmas != g.pragmas ||
        f.instructions.size() != g.instructions.size() || f.tables.size() != g.tables.size()) {
      return false;
    }
    const auto same_label = [](const Label& x, const Label& y) {
      return x.name == y.name && x.instruction == y.instruction;
    };
    if (!std::ranges::equal(f.labels, g.labels, same_label)) return false;
    for (u64 i = 0; i < f.tables.size(); ++i) {
      if (!same(f.tables[i], g.tables[i])) return false;
    }
    matched_.assign(f.locations.size(), 0);
    for (u64 i = 0; i < f.instructions.size(); ++i) {
      if (!same(f, f.instructions[i], g, g.instructions[i])) return false;
    }
    return true;
  }

  bool same(const LabelTable& x, const LabelTable& y) const {
    const auto same_function = [&](u32 i, u32 j) { return a_.functions[i].name == b_.functions[j].name; };
    return x.name == y.name && x.labels == y.labels && x.prototype == y.prototype &&
           std::ranges::equal(x.functions, y.functions, same_function);
  }

  bool same(const Function& f, const Instruction& x, const Function& g, const Instruction& y) {
    if (a_.opcode(x).text != b_.opcode(y).text || x.operand_count != y.operand_count || x.predicate != y.predicate ||
        x.predicate_negated != y.predicate_negated || !same_location(f, x.location, g, y.location)) {
      return false;
    }
    for (u32 i = 0; i < x.operand_count; ++i) {
      if (!same(f, f.operands[x.first_operand + i], g, g.operands[y.first_operand + i])) return false;
    }
    return true;
  }

  bool same(const Function& f, const Operand& x, const Function& g, const Operand& y) const {
    using Kind = Operand::Kind;
    if (x.kind != y.kind || x.negated != y.negated || x.count != y.count) return false;
    for (u32 i = 0; i < x.count; ++i) {
      if (!same(f, f.operands[x.first + i], g, g.operands[y.first + i])) return false;
    }
    switch (x.kind) {
      case Kind::Text:
        return f.texts[x.id] == g.texts[y.id];
      case Kind::Function:
        return a_.functions[x.id].name == b_.functions[y.id].name;
      case Kind::Special:
        if (x.id == u32(Special::Unknown) && y.id == x.id) return f.texts[u64(x.value)] == g.texts[u64(y.value)];
        break;
      default:
        break;
    }
    return x.id == y.id && x.value == y.value;
  }

  // Whole chains are compared: equal positions may be numbered differently.
  bool same_location(const Function& f, u32 x, const Function& g, u32 y) {
    if (x == 0 || y == 0) return x == y;
    if (matched_[x] == y) return true;
    const u32 first_x = x, first_y = y;
    for (; x != 0 && y != 0; x = f.locations[x].inlined_at, y = g.locations[y].inlined_at) {
      const Location &p = f.locations[x], &q = g.locations[y];
      if (p.file != q.file || p.line != q.line || p.column != q.column ||
          a_.inlined_functions[p.function] != b_.inlined_functions[q.function])
        return false;
    }
    if (x != y) return false;
    matched_[first_x] = first_y;
    return true;
  }

  const Module& a_;
  const Module& b_;
  std::vector<u32> matched_;  // by location of one function: the equal one of the other
};

}  // namespace

bool same(const Module& a, const Module& b) { return Comparison(a, b).same(); }

}  // namespace ropewalk::ptx
