#include "lib/problem/attention.h"

#include <cmath>

#include "lib/base/nearest.h"
#include "lib/problem/call_text.h"
#include "lib/problem/fields.h"

namespace ropewalk {
namespace {

// Every field with its key, in the order of the print: the one list that printing and reading go by.
constexpr auto visit_fields = [](auto& problem, auto&& visit) {
  visit("B", problem.batch);
  visit("Tq", problem.query_tokens);
  visit("Tk", problem.key_tokens);
  visit("H", problem.heads);
  visit("D", problem.head_dim);
  visit("key_heads", problem.key_heads);
  visit("value_dim", problem.value_dim);
  visit("dtype", problem.dtype);
  visit("key_dtype", problem.key_dtype);
  visit("causal", problem.causal);
  visit("window", problem.window);
  visit("softcap", problem.softcap);
  visit("alibi", problem.alibi);
  visit("scale", problem.scale);
  visit("sink", problem.sink);
  visit("cu_seqlens_q", problem.cu_seqlens_q);
  visit("cu_seqlens_k", problem.cu_seqlens_k);
  visit("max_seqlen_q", problem.max_seqlen_q);
  visit("max_seqlen_k", problem.max_seqlen_k);
  visit("q_gap", problem.q_gap);
  visit("k_gap", problem.k_gap);
  visit("v_gap", problem.v_gap);
  visit("out_gap", problem.out_gap);
  visit("token_gap", problem.token_gap);
  visit("key_lengths", problem.key_lengths);
  visit("page_size", problem.page_size);
  visit("spare_pages", problem.spare_pages);
  visit("block_table", problem.block_table);
  visit("splits", problem.splits);
  visit("ranks", problem.ranks);
  visit("zigzag", problem.zigzag);
  visit("seed", problem.seed);
  visit("input", problem.input);
};

constexpr Causal all_causal[] = {Causal::None, Causal::BottomRight, Causal::TopLeft};

// What differs from problem to problem in how fields are read and printed.
struct Values {
  static std::string text(Causal causal) { return std::string(name_of(causal)); }
  static std::string text(const std::optional<Dtype>& dtype) {
    return dtype ? std::string(name_of(*dtype)) : "that of q";
  }
  template <class Value>
  static std::string text(const Value& value) {
    return value_text(value);
  }
  static bool read(std::string_view given, Causal& out, std::string* what) {
    std::vector<std::string> names;
    for (const Causal causal : all_causal) {
      names.emplace_back(name_of(causal));
      if (names.back() != given) continue;
      out = causal;
      return true;
    }
    *what = "a causal alignment; " + did_you_mean(given, names);
    return false;
  }
  static bool read(std::string_view given, std::optional<Dtype>& out, std::string* what) {
    Dtype dtype = Dtype::F32;
    if (!read_value(given, dtype, what)) return false;
    out = dtype;
    return true;
  }
  template <class Value>
  static bool read(std::string_view given, Value& out, std::string* what) {
    return read_value(given, out, what);
  }
};

constexpr FieldFormat<AttentionProblem, decltype(visit_fields), Values> format{
    "attention", {"B", "Tq", "Tk", "H", "D"}, visit_fields};

i64 longest(const AttentionProblem& problem, i64 (AttentionProblem::*length)(i64) const) {
  i64 most = 0;
  for (i64 sequence = 0; sequence < problem.sequences(); ++sequence) {
    most = std::max(most, (problem.*length)(sequence));
    if (!problem.varlen() && problem.key_lengths.empty()) break;  // all sequences are alike
  }
  return most;
}

}  // namespace

std::string_view name_of(Causal causal) {
  return causal == Causal::None ? "none" : causal == Causal::BottomRight ? "bottom-right" : "top-left";
}

double AttentionProblem::score_scale() const { return scale != 0 ? scale : 1 / std::sqrt(double(head_dim)); }

AttentionProblem AttentionProblem::single(i64 sequence) const {
  AttentionProblem one = *this;
  one.batch = 1;
  one.query_tokens = queries_of(sequence);
  one.key_tokens = keys_of(sequence);
  one.cu_seqlens_q.clear();
  one.cu_seqlens_k.clear();
  one.key_lengths.clear();
  one.max_seqlen_q = one.max_seqlen_k = 0;
  return one;
}

i64 AttentionProblem::longest_queries() const { return longest(*this, &AttentionProblem::queries_of); }
i64 AttentionProblem::longest_keys() const { return longest(*this, &AttentionProblem::keys_of); }

AttentionProblem::Range AttentionProblem::keys_around(i64 own, i64 keys) const {
  const i64 left = window_left(), right = window_right();
  return {left < 0 ? 0 : std::max<i64>(0, own - left), right < 0 ? keys : std::min(keys, own + right + 1)};
}

float alibi_slope(i64 head, i64 heads) { return float(std::exp2(-8.0 * double(head + 1) / double(heads))); }

std::vector<std::string> attention_keys() { return format.keys(); }

std::string text_of(const AttentionProblem& problem) { return format.print(problem); }

AttentionProblem parse_attention(std::string_view text) {
  const AttentionProblem problem = format.read(text);
  require_input(text, problem.input, {"normal", "integers", "large", "low"});
  return problem;
}

}  // namespace ropewalk
