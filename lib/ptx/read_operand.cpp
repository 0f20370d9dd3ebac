// Operands: registers, constants, addresses, vectors.
#include <algorithm>

#include "lib/ptx/body.h"
#include "lib/ptx/constant.h"
#include "lib/ptx/special.h"

namespace ropewalk::ptx {

using Kind = Operand::Kind;

Operand BodyReader::operand_or_pair() {
  const Operand first = operand();
  if (lexer_.peek() != '|') return first;
  const Mark mark = lexer_.mark();
  lexer_.advance(1);
  const u64 start = scratch_.size();
  scratch_.push_back(first);
  scratch_.push_back(operand());
  for (u64 i = start; i < scratch_.size(); ++i) {
    if (scratch_[i].kind != Kind::Register && scratch_[i].kind != Kind::Sink) {
      lexer_.fail_at(mark, "'|' stands between two results, expected registers or \"_\" on both sides");
    }
  }
  return parts(Kind::Pair, start);
}

Operand BodyReader::operand() {
  const char c = lexer_.peek();
  if (c == '[') return address();
  if (c == '{') {
    lexer_.advance(1);
    return vector('}');
  }
  if (c == '!') {
    lexer_.advance(1);
    lexer_.peek();
    const Mark mark = lexer_.mark();
    if (!lexer_.at_word()) lexer_.fail_at(mark, "expected a predicate behind '!'");
    Operand negated = operand();
    if (negated.kind != Kind::Register || negated.negated) lexer_.fail_at(mark, "expected a predicate behind '!'");
    negated.negated = true;
    return negated;
  }
  if (starts_constant(c)) return constant(true);
  if (lexer_.at_word()) return named();
  lexer_.fail("an operand");
}

Operand BodyReader::parts(Kind kind, u64 first) {
  Operand operand;
  operand.kind = kind;
  operand.first = u32(function_.operands.size());
  operand.count = u32(scratch_.size() - first);
  for (u64 i = first; i < scratch_.size(); ++i) {
    if (scratch_[i].kind == Kind::Label) {
      const Waiting& waiting = waiting_[scratch_[i].id];
      lexer_.fail_at(waiting.mark, "\"" + std::string(waiting.name.substr(0, 200)) +
                                       "\" is not declared here, expected a register or a variable");
    }
  }
  function_.operands.insert(function_.operands.end(), scratch_.begin() + i64(first), scratch_.end());
  scratch_.resize(first);
  return operand;
}

Operand BodyReader::vector(char close) {
  if (++nesting_ > 8)
    lexer_.fail_at(lexer_.mark(), "braces are nested too deeply in this operand, expected 8 levels at most");
  const u64 first = scratch_.size();
  if (!lexer_.accept(close)) {
    do {
      scratch_.push_back(operand());
    } while (lexer_.accept(','));
    lexer_.expect(close, "or ',' in a list of operands");
  }
  --nesting_;
  return parts(Kind::Vector, first);
}

i64 BodyReader::address_offset() {
  const char c = lexer_.peek();
  if (c != '+' && c != '-') return 0;
  return i64(read_integer(lexer_, "an offset in bytes"));
}

Operand BodyReader::address() {
  lexer_.expect('[', "of an address");
  if (++nesting_ > 8)
    lexer_.fail_at(lexer_.mark(), "brackets are nested too deeply in this operand, expected 8 levels at most");
  const u64 first = scratch_.size();
  i64 offset = 0;
  const char c = lexer_.peek();
  if (starts_constant(c)) {
    offset = i64(read_integer(lexer_, "an address"));
  } else {
    const Mark mark = lexer_.mark();
    Operand base = operand();
    if (base.kind == Kind::Variable) {
      offset = base.value;
      base.value = 0;
    } else if (base.kind == Kind::Register && !base.negated) {
      offset = address_offset();
    } else if (base.kind != Kind::Label) {
      lexer_.fail_at(mark, "expected a register, a variable or an integer as address");
    }
    scratch_.push_back(base);
  }
  while (lexer_.accept(',')) {
    if (scratch_.size() == first) lexer_.fail("']', an absolute address has no coordinates");
    scratch_.push_back(operand());
  }
  lexer_.expect(']', "or an offset in an address");
  --nesting_;
  Operand address = parts(Kind::Address, first);
  address.value = offset;
  return address;
}

Operand BodyReader::constant(bool whole_expression) {
  const Constant constant = whole_expression ? read_expression(lexer_) : read_constant(lexer_);
  Operand operand;
  operand.kind = constant.kind == Constant::Kind::Integer ? Kind::Integer
                 : constant.kind == Constant::Kind::Float ? Kind::Float
                                                          : Kind::Float32;
  operand.value = i64(constant.bits);
  return operand;
}

Operand BodyReader::named() {
  const Mark mark = lexer_.mark();
  const std::string_view name = lexer_.cut_word();
  Operand operand;
  if (name == "_") return operand;
  if (const Symbol* symbol = scopes_.find(name)) {
    switch (symbol->kind) {
      case Symbol::Kind::Register:
        if (lexer_.here() == '.') return selected(*symbol, name, mark);
        operand.kind = Kind::Register;
        operand.id = symbol->id;
        return operand;
      case Symbol::Kind::VectorRegister:
        return selected(*symbol, name, mark);
      case Symbol::Kind::Variable:
        operand.kind = Kind::Variable;
        operand.id = variable_base_ + symbol->id;
        operand.value = address_offset();
        return operand;
      case Symbol::Kind::Label:
      case Symbol::Kind::Table:
        return reference(name, mark);
    }
  }
  if (name[0] == '%') return special(name, mark);
  if (const NameTable::Entry* entry = state_.names.find(name)) {
    const bool is_variable = entry->number % 2 == 1;
    operand.kind = is_variable ? Kind::Variable : Kind::Function;
    operand.id = entry->number / 2;
    if (is_variable) operand.value = address_offset();
    return operand;
  }
  if (name == "WARP_SZ") {
    operand.kind = Kind::Integer;
    operand.value = 32;
    return operand;
  }
  return reference(name, mark);
}

Operand BodyReader::reference(std::string_view name, Mark mark) {
  Operand operand;
  operand.kind = Kind::Label;
  operand.id = u32(waiting_.size());
  waiting_.push_back(Waiting{name, mark});
  return operand;
}

Operand BodyReader::text(std::string text) {
  Operand operand;
  operand.kind = Kind::Text;
  operand.id = u32(function_.texts.size());
  function_.texts.push_back(std::move(text));
  return operand;
}

Operand BodyReader::special(std::string_view name, Mark mark) {
  if (lexer_.here() == '.') {
    const std::string_view member = lexer_.cut_modifiers();
    name = {name.data(), name.size() + member.size()};
  }
  Operand operand;
  operand.kind = Kind::Special;
  const Special special = special_named(name);
  operand.id = u32(special);
  if (special != Special::Unknown) return operand;
  if (const std::string range = scopes_.range_missed_by(name); !range.empty()) {
    lexer_.fail_at(
        mark, "register \"" + std::string(name.substr(0, 200)) + "\" is not declared, " + range + " ends before it");
  }
  if (!scopes_.reserve(name)) {
    lexer_.fail_at(mark, "register \"" + std::string(name.substr(0, 200)) + "\" belongs to a scope that ended");
  }
  operand.value = i64(function_.texts.size());
  function_.texts.emplace_back(name);
  return operand;
}

// "%v.x" of a vector register, all of one, or "%r1.b0" of a video instruction.
Operand BodyReader::selected(const Symbol& symbol, std::string_view name, Mark mark) {
  Operand operand;
  operand.kind = Kind::Register;
  if (symbol.kind == Symbol::Kind::VectorRegister && lexer_.here() != '.') {
    const u64 first = scratch_.size();
    const u32 width = symbol.width;
    for (u32 i = 0; i < width; ++i) {
      operand.id = scopes_.find(Scopes::element_name(name, i))->id;
      scratch_.push_back(operand);
    }
    return parts(Kind::Vector, first);
  }
  const std::string_view member = lexer_.cut_modifiers();
  if (symbol.kind == Symbol::Kind::Register) {
    return text(function_.registers[symbol.id].name + std::string(member));
  }
  const u64 element = member.size() == 2
                          ? std::min(std::string_view("xyzw").find(member[1]), std::string_view("rgba").find(member[1]))
                          : std::string_view::npos;
  if (element >= symbol.width) {
    lexer_.fail_at(mark, "\"" + std::string(name.substr(0, 60)) + "\" has no element \"" +
                             std::string(member.substr(0, 60)) + "\"");
  }
  operand.id = scopes_.find(Scopes::element_name(name, u32(element)))->id;
  return operand;
}

}  // namespace ropewalk::ptx
