#include "lib/ptx/constant.h"

#include <bit>
#include <charconv>
#include <string>

namespace ropewalk::ptx {

namespace {

using ConstantKind = Constant::Kind;

constexpr u32 deepest = 64;

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// The value of `digits` in `base`; fails at `mark`.
u64 integer_of(const Lexer& lexer, Mark mark, std::string_view digits, u32 base) {
  u64 value = 0;
  if (digits.empty()) lexer.fail_at(mark, "this number has no digits, expected an integer");
  for (const char c : digits) {
    const u32 digit = u32(digit_of(c));
    if (digit >= base) {
      lexer.fail_at(
          mark, "found \"" + std::string(1, c) + "\" in a number, expected a digit of base " + std::to_string(base));
    }
    u64 next;
    if (__builtin_mul_overflow(value, u64(base), &next) || __builtin_add_overflow(next, u64(digit), &value)) {
      lexer.fail_at(mark, "this integer does not fit 64 bits");
    }
  }
  return value;
}

Constant number_of(const Lexer& lexer, Mark mark, std::string_view text) {
  const char form = text.size() > 1 && text[0] == '0' ? char(text[1] | 0x20) : '\0';
  if (form == 'f' || form == 'd') {
    const u64 digits = form == 'f' ? 8 : 16;
    if (text.size() != digits + 2) {
      lexer.fail_at(mark, "a constant that begins with \"" + std::string(text.substr(0, 2)) + "\" has " +
                              std::to_string(text.size() - 2) + " digits, expected " + std::to_string(digits));
    }
    return {form == 'f' ? ConstantKind::Float32 : ConstantKind::Float, false,
            integer_of(lexer, mark, text.substr(2), 16)};
  }
  if (form != 'x' && form != 'b' && text.find_first_of(".eE") != text.npos) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      lexer.fail_at(mark, "this is no number that fits binary64, expected digits with a point or an exponent");
    }
    return {ConstantKind::Float, false, std::bit_cast<u64>(value)};
  }
  Constant constant;
  if (text.back() == 'U' || text.back() == 'u') {
    constant.is_unsigned = true;
    text.remove_suffix(1);
  }
  if (form == 'x') {
    constant.bits = integer_of(lexer, mark, text.substr(2), 16);
  } else if (form == 'b') {
    constant.bits = integer_of(lexer, mark, text.substr(2), 2);
  } else if (text.size() > 1 && text[0] == '0') {
    constant.bits = integer_of(lexer, mark, text.substr(1), 8);
  } else {
    constant.bits = integer_of(lexer, mark, text, 10);
  }
  constant.is_unsigned |= constant.bits >> 63 != 0;
  return constant;
}

Constant negated(Constant constant) {
  if (constant.kind == ConstantKind::Float32) {
    constant.bits ^= 0x80000000u;
  } else if (constant.kind == ConstantKind::Float) {
    constant.bits ^= u64(1) << 63;
  } else {
    constant.bits = 0 - constant.bits;
    constant.is_unsigned = false;
  }
  return constant;
}

// Binary operators: the longer spelling of two that begin alike comes first.
struct Operator {
  std::string_view text;
  int precedence;
};
constexpr Operator operators[] = {{"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5},  {"==", 6},
                                  {"!=", 6}, {"<<", 8}, {">>", 8}, {"<=", 7}, {">=", 7}, {"<", 7},
                                  {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

const Operator* operator_at(Lexer& lexer) {
  const char first = lexer.peek();
  for (const Operator& candidate : operators) {
    if (first == candidate.text[0] && (candidate.text.size() == 1 || lexer.after() == candidate.text[1])) {
      return &candidate;
    }
  }
  return nullptr;
}

Constant combined(const Lexer& lexer, Mark mark, std::string_view op, Constant a, Constant b) {
  if (a.kind != ConstantKind::Integer || b.kind != ConstantKind::Integer) {
    lexer.fail_at(mark, "an operator stands between floating-point constants, expected integers");
  }
  const bool is_unsigned = a.is_unsigned || b.is_unsigned;
  const u64 x = a.bits, y = b.bits;
  const i64 sx = i64(x), sy = i64(y);
  const auto truth = [](bool value) { return Constant{ConstantKind::Integer, false, u64(value)}; };
  const auto value = [&](u64 bits) { return Constant{ConstantKind::Integer, is_unsigned, bits}; };
  if (op == "||") return truth(x || y);
  if (op == "&&") return truth(x && y);
  if (op == "==") return truth(x == y);
  if (op == "!=") return truth(x != y);
  if (op == "<=") return truth(is_unsigned ? x <= y : sx <= sy);
  if (op == ">=") return truth(is_unsigned ? x >= y : sx >= sy);
  if (op == "<") return truth(is_unsigned ? x < y : sx < sy);
  if (op == ">") return truth(is_unsigned ? x > y : sx > sy);
  if (op == "|") return value(x | y);
  if (op == "^") return value(x ^ y);
  if (op == "&") return value(x & y);
  if (op == "+") return value(x + y);
  if (op == "-") return value(x - y);
  if (op == "*") return value(x * y);
  if (op == "<<") return {ConstantKind::Integer, a.is_unsigned, y > 63 ? 0 : x << y};
  if (op == ">>")
    return {ConstantKind::Integer, a.is_unsigned, a.is_unsigned ? (y > 63 ? 0 : x >> y) : u64(sx >> (y > 63 ? 63 : y))};
  if (y == 0) lexer.fail_at(mark, "a constant is divided by zero");
  if (!is_unsigned && sy == -1) return value(op == "/" ? 0 - x : 0);
  if (op == "/") return value(is_unsigned ? x / y : u64(sx / sy));
  return value(is_unsigned ? x % y : u64(sx % sy));
}

Constant expression_at(Lexer& lexer, int lowest, u32 depth);

Constant unary_at(Lexer& lexer, u32 depth) {
  const char c = lexer.peek();
  const Mark mark = lexer.mark();
  if (depth > deepest) lexer.fail_at(mark, "this constant expression is nested too deeply, expected 64 levels at most");
  if (c >= '0' && c <= '9') return number_of(lexer, mark, lexer.cut_number());
  if (lexer.accept('-')) return negated(unary_at(lexer, depth + 1));
  if (lexer.accept('+')) return unary_at(lexer, depth + 1);
  if (lexer.accept('~') || lexer.accept('!')) {
    Constant constant = unary_at(lexer, depth + 1);
    if (constant.kind != ConstantKind::Integer) lexer.fail_at(mark, "this operator needs an integer");
    constant.bits = c == '~' ? ~constant.bits : u64(constant.bits == 0);
    return constant;
  }
  if (lexer.accept('(')) {
    // "(.s64)" and "(.u64)" are casts.
    if (const std::string_view type = lexer.directive(); !type.empty()) {
      if (type != "s64" && type != "u64")
        lexer.fail_at(mark, "expected \"(.s64)\" or \"(.u64)\" as cast of a constant");
      lexer.expect(')', "after the type of a cast");
      Constant constant = unary_at(lexer, depth + 1);
      constant.is_unsigned = type == "u64";
      return constant;
    }
    const Constant constant = expression_at(lexer, 0, depth + 1);
    lexer.expect(')', "at the end of a constant expression");
    return constant;
  }
  if (lexer.at_word()) {
    const std::string_view name = lexer.cut_word();
    if (name == "WARP_SZ") return {ConstantKind::Integer, false, 32};
    lexer.fail_at(mark, "found \"" + std::string(name.substr(0, 60)) + "\", expected a constant");
  }
  lexer.fail("a constant");
}

Constant expression_at(Lexer& lexer, int lowest, u32 depth) {
  Constant left = unary_at(lexer, depth);
  while (true) {
    const Operator* op = operator_at(lexer);
    if (!op || op->precedence <= lowest) break;
    const Mark mark = lexer.mark();
    lexer.advance(op->text.size());
    left = combined(lexer, mark, op->text, left, expression_at(lexer, op->precedence, depth + 1));
  }
  if (lowest == 0 && lexer.accept('?')) {
    const Constant yes = expression_at(lexer, 0, depth + 1);
    lexer.expect(':', "between the two values of a conditional constant");
    const Constant no = expression_at(lexer, 0, depth + 1);
    return left.bits ? yes : no;
  }
  return left;
}

}  // namespace

double Constant::as_double() const {
  if (kind == ConstantKind::Float) return std::bit_cast<double>(bits);
  if (kind == ConstantKind::Float32) return std::bit_cast<float>(u32(bits));
  return is_unsigned ? double(bits) : double(i64(bits));
}

Constant read_constant(Lexer& lexer) { return unary_at(lexer, 0); }

Constant read_expression(Lexer& lexer) { return expression_at(lexer, 0, 0); }

u64 read_integer(Lexer& lexer, const char* expected) {
  if (!starts_constant(lexer.peek()) && !lexer.at_word()) lexer.fail(expected);
  const Mark mark = lexer.mark();
  const Constant constant = read_expression(lexer);
  if (constant.kind != ConstantKind::Integer)
    lexer.fail_at(mark, std::string("found a floating-point constant, expected ") + expected);
  return constant.bits;
}

}  // namespace ropewalk::ptx
