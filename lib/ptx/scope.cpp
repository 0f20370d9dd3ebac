#include "lib/ptx/scope.h"

#include <charconv>

namespace ropewalk::ptx {

namespace {

constexpr u32 deepest = 256;
constexpr u64 most_ranges = 1000;  // a name that is met first is looked for in each

// The number that `name` has behind `prefix`, none where it is not written as a range's register is.
u64 number_behind(std::string_view name, std::string_view prefix) {
  constexpr u64 no_number = ~u64(0);
  if (name.size() <= prefix.size() || name.substr(0, prefix.size()) != prefix) return no_number;
  const std::string_view digits = name.substr(prefix.size());
  if (digits.size() > 10 || (digits.size() > 1 && digits[0] == '0')) return no_number;
  u64 number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : no_number;
}

// The parameters of a function are in the scope of its body.
bool is_one_scope(u32 depth, u32 other) { return std::max(depth, 1u) == std::max(other, 1u); }

}  // namespace

Scopes::Scopes(Lexer& lexer, Function& function, NameTable& outside)
    : lexer_(lexer), function_(function), outside_(outside), open_(1) {}

void Scopes::enter() {
  if (open_.size() > deepest) {
    lexer_.fail_at(lexer_.mark(), "scopes are nested too deeply, expected 256 levels at most");
  }
  open_.push_back(Scope{NameTable::none, ranges_.size(), references_.size()});
}

void Scopes::leave() {
  const Scope scope = open_.back();
  u64 kept = scope.first_reference;
  for (u64 i = scope.first_reference; i < references_.size(); ++i) {
    if (!resolve(references_[i])) references_[kept++] = references_[i];
  }
  references_.resize(kept);
  for (u32 at = scope.first_symbol; at != NameTable::none; at = symbols_[at].next) {
    names_.find(symbols_[at].name)->number = symbols_[at].shadowed;
  }
  ranges_.resize(scope.first_range);
  open_.pop_back();
}

void Scopes::finish() {
  if (references_.empty()) return;
  const Reference& reference = references_.front();
  lexer_.fail_at(reference.mark, "\"" + std::string(reference.name.substr(0, 200)) +
                                     "\" is not declared here, expected a register, variable, function or label");
}

bool Scopes::resolve(const Reference& reference) {
  const NameTable::Entry* entry = names_.find(reference.name);
  if (!entry || entry->number == NameTable::none) return false;
  const Symbol& symbol = symbols_[entry->number];
  const bool is_label = symbol.kind == Symbol::Kind::Label;
  if (symbol.depth != depth() || (!is_label && symbol.kind != Symbol::Kind::Table)) return false;
  if (reference.table != NameTable::none) {
    if (!is_label) lexer_.fail_at(reference.mark, "this names a table, expected a label");
    function_.tables[reference.table].labels[reference.operand] = symbol.id;
    return true;
  }
  Operand& operand = function_.operands[reference.operand];
  operand.kind = is_label ? Operand::Kind::Label : Operand::Kind::Text;
  operand.id = symbol.id;
  if (!is_label) {
    operand.id = u32(function_.texts.size());
    function_.texts.push_back(function_.tables[symbol.id].name);
  }
  return true;
}

void Scopes::refer(std::string_view name, Mark mark, u32 operand, u32 table) {
  references_.push_back(Reference{name, mark, operand, table});
}

bool Scopes::reserve(std::string_view name) {
  NameTable::Entry* entry = names_.insert(name);
  if (entry->repeats == 0) {
    entry->repeats = 1;
    entry->is_reserved = true;
  }
  return entry->is_reserved;
}

std::string Scopes::unused_name(std::string_view name) {
  NameTable::Entry* entry = names_.insert(name);
  if (entry->repeats == 0 && !outside_.find(name)) {
    entry->repeats = 1;
    return std::string(name);
  }
  u32 n = entry->repeats ? entry->repeats : 1;
  while (true) {
    std::string candidate = std::string(name) + "$" + std::to_string(++n);
    if (names_.find(candidate) || outside_.find(candidate)) continue;
    names_.find(name)->repeats = n;
    renamed_.push_back(std::move(candidate));
    names_.insert(renamed_.back())->repeats = 1;
    return renamed_.back();
  }
}

void Scopes::fail_twice(std::string_view name, Mark mark) const {
  lexer_.fail_at(mark, "\"" + std::string(name.substr(0, 200)) + "\" is declared twice in one scope");
}

void Scopes::expect_in_no_range(std::string_view name, Mark mark) const {
  for (u64 i = ranges_.size(); i-- > 0 && ranges_[i].depth == depth();) {
    if (number_behind(name, ranges_[i].prefix) < ranges_[i].count) fail_twice(name, mark);
  }
}

Symbol& Scopes::add(std::string_view name, Symbol::Kind kind, u32 depth, Mark mark) {
  NameTable::Entry* entry = names_.insert(name);
  if (entry->number != NameTable::none && is_one_scope(symbols_[entry->number].depth, depth)) fail_twice(name, mark);
  Scope& scope = open_[depth];
  Symbol symbol;
  symbol.kind = kind;
  symbol.depth = depth;
  symbol.name = name;
  symbol.shadowed = entry->number;
  symbol.next = scope.first_symbol;
  scope.first_symbol = entry->number = u32(symbols_.size());
  symbols_.push_back(symbol);
  return symbols_.back();
}

void Scopes::declare_register(std::string_view name, Type type, u8 width, Mark mark) {
  expect_in_no_range(name, mark);
  if (width == 1) {
    Symbol& symbol = add(name, Symbol::Kind::Register, depth(), mark);
    symbol.made = false;
    symbol.type = type;
    return;
  }
  add(name, Symbol::Kind::VectorRegister, depth(), mark).width = width;
  for (u8 i = 0; i < width; ++i) {
    renamed_.push_back(element_name(name, i));
    declare_register(renamed_.back(), type, 1, mark);
  }
}

std::string Scopes::element_name(std::string_view vector, u32 element) {
  return std::string(vector) + "$" + "xyzw"[element];
}

void Scopes::expect_none_in_range(std::string_view prefix, u32 count, Mark mark) const {
  for (u32 at = depth(); is_one_scope(at, depth()); --at) {
    for (u32 n = open_[at].first_symbol; n != NameTable::none; n = symbols_[n].next) {
      const Symbol& symbol = symbols_[n];
      const bool is_label = symbol.kind == Symbol::Kind::Label || symbol.kind == Symbol::Kind::Table;
      if (!is_label && !symbol.is_of_range && number_behind(symbol.name, prefix) < count) fail_twice(symbol.name, mark);
    }
    if (at == 0) return;
  }
}

void Scopes::declare_registers(std::string_view name, Type type, u32 count, Mark mark) {
  if (ranges_.size() == most_ranges) {
    lexer_.fail_at(mark, "too many ranges of registers are in sight, expected 1000 at most");
  }
  for (const Range& range : ranges_) {
    if (range.depth != depth() || range.prefix != name || std::min(range.count, count) == 0) continue;
    fail_twice(std::string(name) + "0", mark);
  }
  expect_none_in_range(name, count, mark);
  ranges_.push_back(Range{name, type, count, depth()});
}

std::string Scopes::declare(std::string_view name, Symbol::Kind kind, u32 id, Mark mark) {
  if (kind == Symbol::Kind::Variable) expect_in_no_range(name, mark);
  add(name, kind, depth(), mark).id = id;
  return unused_name(name);
}

void Scopes::make(Symbol& symbol) {
  symbol.made = true;
  symbol.id = u32(function_.registers.size());
  function_.registers.push_back(Register{unused_name(symbol.name), symbol.type});
}

const Scopes::Range* Scopes::range_of(std::string_view name) const {
  for (u64 i = ranges_.size(); i-- > 0;) {
    if (number_behind(name, ranges_[i].prefix) < ranges_[i].count) return &ranges_[i];
  }
  return nullptr;
}

const Symbol* Scopes::find(std::string_view name) {
  const NameTable::Entry* entry = names_.find(name);
  Symbol* symbol = entry && entry->number != NameTable::none ? &symbols_[entry->number] : nullptr;
  // A range that was declared further in than the symbol hides it.
  if (!symbol || (!ranges_.empty() && ranges_.back().depth > symbol->depth)) {
    const Range* range = range_of(name);
    if (range && (!symbol || range->depth > symbol->depth)) {
      symbol = &add(name, Symbol::Kind::Register, range->depth, Mark{});
      symbol->type = range->type;
      symbol->made = false;
      symbol->is_of_range = true;
    }
  }
  if (symbol && !symbol->made) make(*symbol);
  return symbol;
}

std::string Scopes::range_missed_by(std::string_view name) const {
  for (u64 i = ranges_.size(); i-- > 0;) {
    if (number_behind(name, ranges_[i].prefix) != ~u64(0)) {
      return std::string(ranges_[i].prefix) + "<" + std::to_string(ranges_[i].count) + ">";
    }
  }
  return "";
}

}  // namespace ropewalk::ptx
