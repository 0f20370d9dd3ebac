// Declarations of variables: kinds, names, extents and initialisers.
#include <algorithm>
#include <bit>
#include <cstring>

#include "lib/base/half.h"
#include "lib/ptx/constant.h"
#include "lib/ptx/reader.h"

namespace ropewalk::ptx {

namespace {

constexpr u64 largest_variable = u64(1) << 48;
constexpr u64 largest_initial = u64(256) << 20;
constexpr u64 most_extents = 32;

// The bytes of a number as a value of `type`, the lowest first.
u64 encoded(const Constant& constant, Type type) {
  const bool is_float = constant.kind != Constant::Kind::Integer;
  switch (type) {
    case Type::F64:
      return std::bit_cast<u64>(constant.as_double());
    case Type::F32:
      return constant.kind == Constant::Kind::Float32 ? constant.bits : std::bit_cast<u32>(float(constant.as_double()));
    case Type::F16:
      return is_float ? f64_to_f16(constant.as_double()) : constant.bits;
    case Type::BF16:
      return is_float ? f64_to_bf16(constant.as_double()) : constant.bits;
    default:
      return constant.bits;
  }
}

class InitialReader {
 public:
  InitialReader(ReadState& state, Variable& variable) : state_(state), variable_(variable), lexer_(state.lexer) {
    // The bytes that one step of each index spans, innermost last.
    spans_.push_back(size_of(variable.type));
    if (variable.vector > 1) spans_.push_back(spans_.back() * variable.vector);
    for (u64 i = variable.extents.size(); i-- > 0;) {
      // The first extent may be left to the initialiser.
      const bool open = i == 0 && variable.extents[0] == 0;
      spans_.push_back(open ? largest_variable : spans_.back() * variable.extents[i]);
    }
  }

  void read() {
    level(spans_.size() - 1, 0);
    join_masked();
    if (!variable_.extents.empty() && variable_.extents[0] == 0 && !variable_.initial.empty()) {
      const u64 inner = spans_[spans_.size() - 2];
      variable_.extents[0] = (variable_.initial.size() + inner - 1) / inner;
    }
  }

 private:
  // Elements of the `depth`-th span from `at` on, in braces or a single one.
  void level(u64 depth, u64 at) {
    const u64 end = at + spans_[depth];
    if (!lexer_.accept('{')) {
      if (depth > 0 && spans_[depth] != spans_[0]) lexer_.fail("'{' of an initialiser");
      return element(at);
    }
    if (depth == 0) lexer_.fail("a single value");
    if (lexer_.accept('}')) return;
    do {
      const bool nested = lexer_.peek() == '{';
      const u64 step = nested ? spans_[depth - 1] : spans_[0];
      if (at + step > end) lexer_.fail("'}', the variable has no more elements");
      if (nested) {
        level(depth - 1, at);
      } else {
        element(at);
      }
      at += step;
    } while (lexer_.accept(','));
    lexer_.expect('}', "or ',' in an initialiser");
  }

  void element(u64 at) {
    const u64 bytes = spans_[0];
    reserve(at + bytes);
    u64 value = 0;
    if (starts_constant(lexer_.peek())) {
      const Mark mark = lexer_.mark();
      const Constant constant = read_expression(lexer_);
      if (lexer_.accept('(')) {
        mask(mark, constant, at);
        return;
      }
      value = encoded(constant, variable_.type);
    } else if (lexer_.at_word()) {
      const Mark mark = lexer_.mark();
      if (bytes != 4 && bytes != 8)
        lexer_.fail_at(mark, "an address does not fit here, expected a type of 4 or 8 bytes");
      variable_.relocations.push_back(symbol(at));
    } else {
      lexer_.fail("a value or the name of a variable or function");
    }
    std::memcpy(variable_.initial.data() + at, &value, std::min<u64>(bytes, 8));
  }

  // "sym", "sym+8", "generic(sym)", "generic(sym)+8".
  Variable::Relocation symbol(u64 at) {
    Variable::Relocation relocation;
    relocation.at = at;
    Mark mark = lexer_.mark();
    std::string_view name = lexer_.word("the name of a variable or function");
    if (name == "generic" && lexer_.accept('(')) {
      relocation.generic = true;
      lexer_.peek();
      mark = lexer_.mark();
      name = lexer_.word("the name of a variable or function");
      relocation.offset = offset();
      lexer_.expect(')', "after the name");
    }
    relocation.symbol = name;
    relocation.offset += offset();
    state_.initialiser_symbols.emplace_back(relocation.symbol, mark);
    return relocation;
  }

  i64 offset() {
    const char c = lexer_.peek();
    return c == '+' || c == '-' ? i64(read_integer(lexer_, "an offset")) : 0;
  }

  // "0xFF00(sym)": one byte of an address. All eight must follow each other; join_masked() makes them one.
  void mask(Mark mark, const Constant& constant, u64 at) {
    const u64 byte = masked_.size() % 8;
    if (spans_[0] != 1) lexer_.fail_at(mark, "a masked address stands outside an array of bytes");
    if (constant.bits != u64(0xff) << (8 * byte) || (byte != 0 && masked_.back().at + 1 != at)) {
      lexer_.fail_at(mark, "the bytes of a masked address are out of order, expected all eight, the lowest first");
    }
    masked_.push_back(symbol(at));
    lexer_.expect(')', "after a masked address");
    const Variable::Relocation &first = masked_[masked_.size() - 1 - byte], &last = masked_.back();
    if (first.symbol != last.symbol || first.offset != last.offset || first.generic != last.generic) {
      lexer_.fail_at(mark, "the bytes of a masked address belong to different symbols");
    }
  }

  void join_masked() {
    if (masked_.size() % 8) lexer_.fail_at(lexer_.mark(), "a masked address is incomplete, expected all eight bytes");
    for (u64 i = 0; i < masked_.size(); i += 8) variable_.relocations.push_back(masked_[i]);
    std::ranges::stable_sort(variable_.relocations, {}, &Variable::Relocation::at);
  }

  void reserve(u64 size) {
    if (size <= variable_.initial.size()) return;
    state_.initial_bytes += size - variable_.initial.size();
    if (state_.initial_bytes > largest_initial) {
      lexer_.fail_at(lexer_.mark(), "the initialisers are too large, expected 256 MiB at most in a module");
    }
    variable_.initial.resize(size);
  }

  ReadState& state_;
  Variable& variable_;
  Lexer& lexer_;
  std::vector<u64> spans_;
  std::vector<Variable::Relocation> masked_;
};

void read_extents(Lexer& lexer, Variable& variable) {
  while (lexer.accept('[')) {
    const Mark mark = lexer.mark();
    u64 extent = 0;
    if (lexer.peek() != ']') extent = read_integer(lexer, "the extent of an array");
    if (lexer.here() == ']' && extent == 0 && !variable.extents.empty()) {
      lexer.fail_at(mark, "only the first extent of an array may be left out, expected a positive number");
    }
    lexer.expect(']', "after the extent of an array");
    if (variable.extents.size() == most_extents)
      lexer.fail_at(mark, "this array has too many dimensions, expected 32 at most");
    variable.extents.push_back(extent);
    u64 bytes = size_of(variable.type) * variable.vector;
    for (const u64 each : variable.extents) {
      if (each && (__builtin_mul_overflow(bytes, each, &bytes) || bytes > largest_variable)) {
        lexer.fail_at(mark, "this array is too large, expected 2^48 bytes at most");
      }
    }
  }
}

void read_pointer_attributes(Lexer& lexer, Variable& variable) {
  variable.is_pointer = true;
  while (true) {
    const Mark mark = lexer.mark();
    const std::string_view word = lexer.directive();
    Space space;
    if (word.empty()) return;
    if (word == "align") {
      variable.pointer_alignment = read_alignment(lexer);
    } else if (space_named(word, &space)) {
      variable.pointer_space = word;
    } else {
      lexer.fail_at(mark,
                    "found \"." + std::string(word.substr(0, 60)) + "\", expected a state space, \".align\" or a name");
    }
  }
}

}  // namespace

bool space_named(std::string_view directive, Space* space) {
  for (const Space each : {Space::Const, Space::Global, Space::Local, Space::Param, Space::Shared}) {
    if (directive == name_of(each)) {
      *space = each;
      return true;
    }
  }
  return false;
}

u32 read_alignment(Lexer& lexer) {
  lexer.peek();
  const Mark mark = lexer.mark();
  const u64 alignment = read_integer(lexer, "an alignment in bytes");
  if (alignment == 0 || alignment > 4096 || (alignment & (alignment - 1))) {
    lexer.fail_at(mark, "this is no alignment, expected a power of two up to 4096");
  }
  return u32(alignment);
}

Type read_type(Lexer& lexer) {
  lexer.peek();
  const Mark mark = lexer.mark();
  const std::string_view word = lexer.directive();
  if (word.empty()) lexer.fail("a type such as \".b32\"");
  const Type type = type_named(word);
  if (type == Type::None) {
    lexer.fail_at(mark, "found \"." + std::string(word.substr(0, 60)) + "\", expected a type such as \".b32\"");
  }
  return type;
}

Variable read_variable_kind(ReadState& state, Space space, const std::string& linkage) {
  Lexer& lexer = state.lexer;
  Variable variable;
  variable.space = space;
  variable.linkage = linkage;
  variable.is_extern = linkage == "extern";
  variable.type = Type::None;
  if (space == Space::Const && lexer.accept('[')) {
    // A bank of the constant space, as old PTX has it.
    read_integer(lexer, "a bank");
    lexer.expect(']', "after a bank");
  }
  while (lexer.peek() == '.') {
    const Mark mark = lexer.mark();
    const std::string_view word = lexer.directive();
    if (word == "align") {
      variable.alignment = read_alignment(lexer);
    } else if (word == "attribute") {
      lexer.expect('(', "after \".attribute\"");
      if (lexer.peek() == '.') variable.is_managed |= lexer.directive() == "managed";
      if (!lexer.jump_past(')')) lexer.fail("')' after an attribute");
    } else if (word == "v2" || word == "v4") {
      variable.vector = u32(word[1] - '0');
    } else if (word == "ptr" && variable.type != Type::None) {
      read_pointer_attributes(lexer, variable);
    } else if (const Type type = type_named(word); type != Type::None && type != Type::Pred) {
      variable.type = type;
    } else {
      lexer.fail_at(mark, "found \"." + std::string(word.substr(0, 60)) +
                              "\", expected \".align\", a vector size or a type of a variable");
    }
  }
  if (variable.type == Type::None) lexer.fail("the type of a variable, such as \".b32\"");
  return variable;
}

Variable read_variable_name(ReadState& state, Variable variable, bool may_initialise, Mark* mark) {
  Lexer& lexer = state.lexer;
  lexer.peek();
  *mark = lexer.mark();
  variable.name = lexer.word("the name of a variable");
  read_extents(lexer, variable);
  if (may_initialise && lexer.accept('=')) InitialReader(state, variable).read();
  return variable;
}

}  // namespace ropewalk::ptx
