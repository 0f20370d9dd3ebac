#include "tests/fuzz/ptx_mutator.h"

#include <array>
#include <vector>

#include "lib/base/random.h"

namespace ropewalk {

namespace {

constexpr std::array types{"b8",    "b16",    "b32", "b64", "b128", "u8",     "u16",   "u32",    "u64",
                           "s8",    "s16",    "s32", "s64", "f16",  "bf16",   "f16x2", "bf16x2", "tf32",
                           "f32x2", "e4m3x2", "f32", "f64", "pred", "u1e308", "s7"};
constexpr std::array modifiers{"rn",       "rz",     "rzi",        "ftz",     "sat",   "lo",     "hi",   "wide",
                               "cc",       "global", "shared",     "local",   "param", "const",  "v2",   "v4",
                               "v8",       "to",     "sync",       "aligned", "uni",   "approx", "full", "volatile",
                               "relaxed",  "nc",     "and",        "or",      "add",   "cas",    "exch", "min",
                               "lt",       "ne",     "geu",        "wrap",    "clamp", "bfly",   "idx",  "ballot",
                               "async",    "popc",   "arrive",     "x4",      "trans", "relu",   "NaN",  "shared::cta",
                               "L2::128B", "cg",     "wait_group", "pack",    "",      "weird"};
constexpr std::array opcodes{
    "add",    "sub",       "mul",   "mad",      "fma",     "div",   "rem",        "min",  "abs",  "neg",   "and",
    "not",    "lop3",      "shl",   "shf",      "bfe",     "bfi",   "prmt",       "popc", "setp", "selp",  "slct",
    "set",    "mov",       "cvt",   "cvta",     "ld",      "st",    "ldu",        "atom", "red",  "shfl",  "vote",
    "match",  "redux",     "elect", "bar",      "barrier", "bra",   "brx",        "call", "ret",  "exit",  "trap",
    "ex2",    "rcp",       "cp",    "ldmatrix", "mma",     "addc",  "madc",       "dp4a", "vadd", "vset4", "isspacep",
    "membar", "nanosleep", "testp", "copysign", "tex",     "wgmma", "activemask", "foo"};
constexpr std::array operands{"0",
                              "1",
                              "-1",
                              "31",
                              "32",
                              "4294967295",
                              "18446744073709551615",
                              "9223372036854775807",
                              "0f7FC00000",
                              "0d7FF0000000000000",
                              "1.5",
                              "1e308",
                              "%tid.x",
                              "%ctaid.x",
                              "%clock64",
                              "%laneid",
                              "%foo",
                              "_",
                              "WARP_SZ",
                              "{}",
                              "{%r1,%r2}",
                              "[%rd1]",
                              "[%rd1+2147483648]",
                              "[0]",
                              "!%p1",
                              "%p1|%p2",
                              "%r1",
                              "%rd1",
                              "%f1",
                              "%rs1",
                              "%p1",
                              "%fd1"};

struct Token {
  std::size_t at = 0, size = 0;
  bool is_space = false;
};

bool is_word_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '%' ||
         c == '$' || c == ':';
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    const bool is_space = text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r';
    if (is_word_part(text[at])) {
      while (end < text.size() && is_word_part(text[end])) ++end;
    }
    out.push_back({at, end - at, is_space});
    at = end;
  }
  return out;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    out.push_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  return out;
}

class Mutator {
 public:
  Mutator(std::string_view text, std::string_view other, u64 seed) : text_(text), other_(other), seed_(seed) {}

  std::string run() {
    for (u64 n = 1 + draw(4); n > 0; --n) draw(3) == 0 ? change_lines() : change_token();
    return text_;
  }

 private:
  u64 draw(u64 below) { return below ? random_bits(seed_, ++drawn_) % below : 0; }
  template <std::size_t size>
  std::string one_of(const std::array<const char*, size>& words) {
    return words[draw(size)];
  }

  // A line of the text or of the other one goes somewhere, is left out, or changes places.
  void change_lines() {
    std::vector<std::string_view> lines = lines_of(text_), others = lines_of(other_);
    if (lines.empty()) return;
    const std::size_t at = draw(lines.size()), from = draw(lines.size());
    switch (draw(4)) {
      case 0:
        lines.erase(lines.begin() + i64(at));
        break;
      case 1:
        lines.insert(lines.begin() + i64(at), lines[from]);
        break;
      case 2:
        std::swap(lines[at], lines[from]);
        break;
      default:
        if (!others.empty()) lines.insert(lines.begin() + i64(at), others[draw(others.size())]);
        break;
    }
    std::string out;
    for (const std::string_view line : lines) out += line;
    text_ = out;
  }

  void change_token() {
    const std::vector<Token> tokens = tokens_of(text_);
    if (tokens.empty()) return;
    Token token = tokens[draw(tokens.size())];
    for (int tries = 0; token.is_space && tries < 8; ++tries) token = tokens[draw(tokens.size())];
    const std::string_view old = std::string_view(text_).substr(token.at, token.size);
    const bool after_dot = token.at > 0 && text_[token.at - 1] == '.';
    const bool is_operand = old[0] == '%' || (old[0] >= '0' && old[0] <= '9');
    const Token& second = tokens[draw(tokens.size())];
    std::string other;
    switch (draw(6)) {
      case 0:
        break;  // left out
      case 1:
        other = std::string(old) + std::string(old);
        break;
      case 2:
        other = text_.substr(second.at, second.size);
        break;
      default:
        other = after_dot    ? (draw(2) ? one_of(types) : one_of(modifiers))
                : is_operand ? one_of(operands)
                             : one_of(opcodes);
        break;
    }
    text_ = text_.substr(0, token.at) + other + text_.substr(token.at + token.size);
  }

  std::string text_;
  std::string_view other_;
  u64 seed_, drawn_ = 0;
};

}  // namespace

std::string mutated_ptx(std::string_view text, std::string_view other, u64 seed) {
  return Mutator(text, other, seed).run();
}

}  // namespace ropewalk
