#include "lib/problem/rotary.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/base/error.h"
#include "lib/base/nearest.h"
#include "lib/problem/call_text.h"

namespace ropewalk {
namespace {

// Every field with its key, in the order of the print: the one list that printing and reading go by.
template <class Problem, class Visit>
void visit_fields(Problem& problem, Visit&& visit) {
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
  visit("seed", problem.seed);
  visit("input", problem.input);
  visit("theta", problem.theta);
  visit("given_frequencies", problem.given_frequencies);
}

std::string value_text(RotaryLayout layout) { return std::string(name_of(layout)); }

bool read_value(std::string_view text, RotaryLayout& out, std::string* what) {
  for (const RotaryLayout layout : {RotaryLayout::Half, RotaryLayout::Interleaved}) {
    if (name_of(layout) == text) {
      out = layout;
      return true;
    }
  }
  *what = "a layout; " + did_you_mean(text, {"half", "interleaved"});
  return false;
}

bool always_printed(std::string_view key) { return key == "B" || key == "T" || key == "H" || key == "D"; }

}  // namespace

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

std::vector<std::string> rotary_keys() {
  std::vector<std::string> keys;
  const RotaryProblem problem;
  visit_fields(problem, [&](const char* key, const auto&) { keys.emplace_back(key); });
  return keys;
}

std::string text_of(const RotaryProblem& problem) {
  std::vector<std::string> fields, defaults;
  const RotaryProblem plain;
  visit_fields(plain, [&](const char*, const auto& value) { defaults.push_back(value_text(value)); });
  u64 n = 0;
  visit_fields(problem, [&](const char* key, const auto& value) {
    std::string text = value_text(value);
    if (text != defaults[n++] || always_printed(key)) fields.push_back(fmt::format("{}={}", key, text));
  });
  return fmt::format("rotary({})", fmt::join(fields, ","));
}

RotaryProblem parse_rotary(std::string_view text) {
  const CallText call = CallText::parse(text);
  if (call.name != "rotary") {
    throw InputError(call.place(), fmt::format("\"{}\" is not the problem \"rotary\"", one_line(call.name)));
  }
  RotaryProblem problem;
  for (const auto& field : call.fields) {
    bool known = false;
    visit_fields(problem, [&](std::string_view key, auto& value) {
      if (key != field.key) return;
      known = true;
      std::string expected;
      if (!read_value(field.value, value, &expected)) call.refuse(field, expected);
    });
    if (!known) {
      throw InputError(call.place(), fmt::format("column {}: no field \"{}\", {}", field.column, one_line(field.key),
                                                 did_you_mean(field.key, rotary_keys())));
    }
  }
  if (problem.input != "normal" && problem.input != "integers" && problem.input != "large") {
    throw InputError(call.place("input"), fmt::format("\"{}\" is no kind of input, {}", one_line(problem.input),
                                                      did_you_mean(problem.input, {"normal", "integers", "large"})));
  }
  return problem;
}

}  // namespace ropewalk
