#include "lib/problem/rotary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/nearest.h"
#include "lib/problem/call_text.h"
#include "lib/problem/fields.h"

namespace ropewalk {
namespace {

// Every field with its key, in the order of the print: the one list that printing and reading go by.
constexpr auto visit_fields = [](auto& problem, auto&& visit) {
  visit("B", problem.batch);
  visit("T", problem.tokens);
  visit("H", problem.heads);
  visit("D", problem.head_dim);
  visit("key_heads", problem.key_heads);
  visit("key_batch", problem.key_batch);
  visit("rotary_dim", problem.rotary_dim);
  visit("layout", problem.layout);
  visit("dtype", problem.dtype);
  visit("cache_dtype", problem.cache_dtype);
  visit("cache_rows", problem.cache_rows);
  visit("offset", problem.offset);
  visit("offsets", problem.offsets);
  visit("cu_seqlens", problem.cu_seqlens);
  visit("positions", problem.positions);
  visit("inplace", problem.inplace);
  visit("backward", problem.backward);
  visit("row_gap", problem.row_gap);
  visit("token_gap", problem.token_gap);
  visit("out_gap", problem.out_gap);
  visit("seed", problem.seed);
  visit("input", problem.input);
  visit("theta", problem.theta);
  visit("given_frequencies", problem.given_frequencies);
  visit("rounding", problem.rounding);
};

// What differs from problem to problem in how fields are read and printed.
struct Values {
  static std::string text(RotaryLayout layout) { return std::string(name_of(layout)); }
  static std::string text(RotaryRounding rounding) { return std::string(name_of(rounding)); }
  template <class Value>
  static std::string text(const Value& value) {
    return value_text(value);
  }
  static bool read(std::string_view given, RotaryLayout& out, std::string* what) {
    return read_word(given, "a layout", {RotaryLayout::Half, RotaryLayout::Interleaved}, out, what);
  }
  static bool read(std::string_view given, RotaryRounding& out, std::string* what) {
    return read_word(given, "a rounding", {RotaryRounding::Once, RotaryRounding::Steps}, out, what);
  }
  template <class Value>
  static bool read(std::string_view given, Value& out, std::string* what) {
    return read_value(given, out, what);
  }

 private:
  template <class Word>
  static bool read_word(std::string_view given, const char* kind, std::initializer_list<Word> all, Word& out,
                        std::string* what) {
    std::vector<std::string> names;
    for (const Word word : all) {
      names.emplace_back(name_of(word));
      if (names.back() != given) continue;
      out = word;
      return true;
    }
    *what = fmt::format("{}; {}", kind, did_you_mean(given, names));
    return false;
  }
};

constexpr FieldFormat<RotaryProblem, decltype(visit_fields), Values> format{
    "rotary", {"B", "T", "H", "D"}, visit_fields};

}  // namespace

std::string_view name_of(RotaryRounding rounding) { return rounding == RotaryRounding::Once ? "once" : "steps"; }

std::string_view name_of(RotaryLayout layout) { return layout == RotaryLayout::Half ? "half" : "interleaved"; }

i64 RotaryProblem::table_rows() const {
  if (cache_rows) return cache_rows;
  i64 rows = 1;
  for (const i64 position : positions) rows = std::max(rows, position + 1);
  if (!positions.empty()) return rows;
  for (i64 sequence = 0; sequence < sequences(); ++sequence) {
    rows = std::max(rows, offset_of_sequence(sequence) + tokens_of_sequence(sequence));
    if (!varlen() && offsets.empty()) break;  // all sequences are alike
  }
  return rows;
}

double RotaryProblem::largest_angle() const {
  const double last_pair = -2.0 * double(pairs() - 1) / double(width());
  const double frequency = theta < 1 ? std::pow(theta, last_pair) : 1;
  return frequency * double(std::max<i64>(table_rows() - 1, 1));
}

std::vector<std::string> rotary_keys() { return format.keys(); }

std::string text_of(const RotaryProblem& problem) { return format.print(problem); }

RotaryProblem parse_rotary(std::string_view text) {
  const RotaryProblem problem = format.read(text);
  require_input(text, problem.input, {"normal", "integers", "large"});
  return problem;
}

}  // namespace ropewalk
