#include "kernels/rotary/rotary_preconditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/reasons.h"

namespace ropewalk::kernels {
namespace {

constexpr i64 integer_limit = i64(1) << 20;  // elements of an input of whole numbers
constexpr i64 position_limit = i64(1) << 24;
constexpr i64 table_limit = i64(1) << 27;  // elements of cos
constexpr double angle_limit = 1e38;       // of a position and a pair: f32 has numbers for it

using RotaryReasons = std::vector<std::string>;

bool has_kernel(Dtype dtype) { return dtype == Dtype::F32 || dtype == Dtype::F16 || dtype == Dtype::BF16; }

void require_between(RotaryReasons& reasons, const char* name, i64 value, i64 low, i64 high) {
  if (value < low) {
    reasons.push_back(fmt::format("{} is {}, it must be at least {}", name, value, low));
  } else if (value > high) {
    reasons.push_back(fmt::format("{} is {}, more than the {} that the kernel's integers hold", name, value, high));
  }
}

void require_all_between(RotaryReasons& reasons, const char* name, const std::vector<i64>& values, i64 low, i64 high) {
  for (u64 n = 0; n < values.size(); ++n) {
    if (values[n] >= low && values[n] <= high) continue;
    require_between(reasons, fmt::format("{}[{}]", name, n).c_str(), values[n], low, high);
    return;
  }
}

void size_reasons(RotaryReasons& reasons, const RotaryProblem& problem, const RotaryForm& form) {
  const i64 int_low = -int_limit - 1;
  if (!form.cache_only) {
    require_between(reasons, "B", problem.batch, 1, int_limit);
    require_between(reasons, "H", problem.heads, 1, int_limit);
    require_between(reasons, "row_gap", problem.row_gap, 0, int_limit);
    require_between(reasons, "token_gap", problem.token_gap, 0, int_limit);
    require_between(reasons, "out_gap", problem.out_gap, 0, int_limit);
  }
  require_between(reasons, "T", problem.tokens, 1, int_limit);
  require_between(reasons, "D", problem.head_dim, 1, int_limit);
  require_between(reasons, "rotary_dim", problem.rotary_dim, 0, int_limit);
  require_between(reasons, "cache_rows", problem.cache_rows, 0, int_limit);
  require_between(reasons, "offset", problem.offset, int_low, int_limit);
  require_all_between(reasons, "offsets", problem.offsets, int_low, int_limit);
  require_all_between(reasons, "cu_seqlens", problem.cu_seqlens, int_low, int_limit);
  require_all_between(reasons, "positions", problem.positions, int_low, int_limit);
  if (!(problem.theta > 0 && std::isfinite(problem.theta))) {
    reasons.push_back(fmt::format("theta is {}, it must be a number larger than 0", problem.theta));
  }
}

void dtype_reasons(RotaryReasons& reasons, const RotaryProblem& problem, const RotaryForm& form) {
  const Dtype x = problem.dtype, cache = problem.cache_dtype;
  if (!form.cache_only && !has_kernel(x)) {
    reasons.push_back(fmt::format("dtype is {}, kernels are there for f32, f16 and bf16", name_of(x)));
  }
  if (!has_kernel(cache)) {
    reasons.push_back(fmt::format("cache_dtype is {}, kernels are there for f32, f16 and bf16", name_of(cache)));
  } else if (!form.cache_only && has_kernel(x) && cache != x && cache != Dtype::F32) {
    reasons.push_back(
        fmt::format("unequal dtypes: cos and sin are {} and x is {}; the cache must be of x's dtype or f32",
                    name_of(cache), name_of(x)));
  }
}

void few_dtypes_reasons(RotaryReasons& reasons, const RotaryProblem& problem, const RotaryForm& form) {
  if (!form.few_dtypes || !reasons.empty()) return;
  if (problem.dtype == Dtype::F16 || problem.cache_dtype != Dtype::F32) {
    reasons.push_back(form.name + " is there for f32 and bf16 with cos and sin in f32 alone");
  }
}

void rounding_reasons(RotaryReasons& reasons, const RotaryProblem& problem, const RotaryForm& form) {
  if (problem.rounding == form.rounding) return;
  reasons.push_back(
      fmt::format("rounding is {}, and {} promises {}", name_of(problem.rounding), form.name,
                  form.rounding == RotaryRounding::Once ? "to round once, at the end" : "to round in every step"));
}

void array_reasons(RotaryReasons& reasons, const RotaryProblem& problem) {
  if (problem.cu_seqlens.size() == 1) {
    reasons.push_back("cu_seqlens has 1 entry, it must have one more than there are sequences: at least 2");
    return;
  }
  if (!problem.offsets.empty() && i64(problem.offsets.size()) != problem.sequences()) {
    reasons.push_back(fmt::format("offsets has {} entries for {} sequences{}", problem.offsets.size(),
                                  problem.sequences(), problem.varlen() ? " of cu_seqlens" : ""));
  }
}

void foreign_field_reasons(RotaryReasons& reasons, const RotaryProblem& problem, const RotaryForm& form) {
  const auto foreign = [&](bool given, const char* field, const char* where) {
    if (given) reasons.push_back(fmt::format("{} has no {}, that belongs to {}", form.name, field, where));
  };
  if (form.cache_only || !form.keys) {
    foreign(problem.key_heads != 0, "k (key_heads)", "rotary/qk");
    foreign(problem.key_batch != 0, "k (key_batch)", "rotary/qk");
    foreign(!problem.positions.empty(), "positions", "rotary/qk");
  }
  if (form.cache_only || form.keys) {
    foreign(problem.out_gap != 0, "out", "rotary/apply");
    foreign(problem.varlen(), "cu_seqlens", "rotary/apply");
    foreign(!problem.offsets.empty(), "offsets", "rotary/apply");
  }
  if (!form.cache_only) foreign(problem.given_frequencies, "frequencies", "rotary/cache");
  if (form.keys) {
    require_between(reasons, "key_heads", problem.key_heads, 0, int_limit);
    require_between(reasons, "key_batch", problem.key_batch, 0, int_limit);
    const __int128 tokens = __int128(problem.batch) * problem.tokens;
    if (tokens > int_limit) {
      reasons.push_back(fmt::format("B x T is more than the {} tokens that the kernel's integers hold", int_limit));
    } else if (tokens > position_limit) {
      reasons.push_back(fmt::format("B x T is more than the {} tokens that positions are made for", position_limit));
    } else if (!problem.positions.empty() && i64(problem.positions.size()) != i64(tokens)) {
      reasons.push_back(fmt::format("positions has {} entries for {} tokens", problem.positions.size(), i64(tokens)));
    }
  }
}

void angle_reasons(RotaryReasons& reasons, const RotaryProblem& problem) {
  const double largest = problem.largest_angle();
  if (largest <= angle_limit) return;
  reasons.push_back(fmt::format("theta {} makes angles of up to {:.3g}, which f32 does not hold; they may reach {:.3g}",
                                problem.theta, largest, angle_limit));
}

// After all single numbers were found good.
void volume_reasons(RotaryReasons& reasons, const RotaryProblem& problem, const RotaryForm& form) {
  const __int128 heads = std::max(problem.heads, problem.key_heads);
  const __int128 batch = problem.varlen() ? 1 : std::max(problem.batch, problem.key_batch);
  const __int128 elements = batch * problem.tokens * (heads * (problem.head_dim + problem.row_gap) + problem.token_gap);
  const __int128 of_out = batch * problem.tokens * heads * (problem.head_dim + problem.out_gap);
  if (!form.cache_only && elements * size_of(problem.dtype) > byte_limit) {
    reasons.push_back("x is larger than 2^40 bytes, the largest tensor that is kept apart from its neighbours");
  }
  if (problem.out_gap && problem.inplace) reasons.push_back("out_gap is for an out of its own, in place out is x");
  if (!form.cache_only && of_out * size_of(problem.dtype) > byte_limit) {
    reasons.push_back("out is larger than 2^40 bytes, the largest tensor that is kept apart from its neighbours");
  }
  angle_reasons(reasons, problem);
  i64 longest = problem.tokens;
  for (i64 n = 0; problem.varlen() && n < problem.sequences(); ++n) {
    longest = std::max(longest, problem.tokens_of_sequence(n));
  }
  if (!form.cache_only && __int128(problem.sequences()) * longest > int_limit) {
    reasons.push_back(fmt::format("{} sequences x {} tokens are more than the {} blocks of a grid", problem.sequences(),
                                  longest, int_limit));
  }
  if (!form.cache_only && problem.input == "integers" &&
      batch * problem.tokens * heads * problem.head_dim > integer_limit) {
    reasons.push_back(fmt::format("input=integers is made for tensors of up to {} elements", integer_limit));
  }
  if (__int128(problem.table_rows()) * problem.pairs() > table_limit) {
    reasons.push_back(fmt::format("cos and sin of {} rows x {} pairs are larger than the 2^27 elements that are made",
                                  problem.table_rows(), problem.pairs()));
  }
}

std::string width_message(const RotaryProblem& problem) {
  std::string text = fmt::format("rotary_dim {} is larger than head_dim {}", problem.width(), problem.head_dim);
  if (problem.width() == problem.heads * problem.head_dim) {
    text += fmt::format(" ({} = {} heads x {}: was the model width passed?)", problem.width(), problem.heads,
                        problem.head_dim);
  }
  return text;
}

void rows_reasons(RotaryReasons& reasons, const RotaryProblem& problem) {
  if (!problem.cache_rows) return;
  for (i64 sequence = 0; sequence < problem.sequences(); ++sequence) {
    const i64 offset = problem.offset_of_sequence(sequence), tokens = problem.tokens_of_sequence(sequence);
    if (offset + tokens > problem.cache_rows) {
      reasons.push_back(
          fmt::format("{} {} + {} tokens{} need {} rows of cos and sin, the cache has {}",
                      problem.offsets.empty() ? "offset" : "offsets:", offset, tokens,
                      problem.varlen() || !problem.offsets.empty() ? fmt::format(" of sequence {}", sequence) : "",
                      offset + tokens, problem.cache_rows));
      return;
    }
    if (!problem.varlen() && problem.offsets.empty()) return;  // all sequences are alike
  }
}

void offset_reasons(RotaryReasons& reasons, const RotaryProblem& problem) {
  const char* means = "it would read before the first row of cos and sin";
  if (problem.offsets.empty()) {
    if (problem.offset < 0) reasons.push_back(fmt::format("offset {} is negative: {}", problem.offset, means));
    return;
  }
  const auto negative = std::find_if(problem.offsets.begin(), problem.offsets.end(), [](i64 n) { return n < 0; });
  if (negative != problem.offsets.end()) {
    reasons.push_back(
        fmt::format("offsets[{}] is {}, which is negative: {}", negative - problem.offsets.begin(), *negative, means));
  }
}

void sequence_reasons(RotaryReasons& reasons, const RotaryProblem& problem) {
  const auto& cu = problem.cu_seqlens;
  if (cu.empty()) return;
  if (cu.front() != 0) {
    reasons.push_back(
        fmt::format("cu_seqlens starts at {}, it must start at 0: rows before it belong to no sequence", cu.front()));
  }
  const auto drop = std::adjacent_find(cu.begin(), cu.end(), [](i64 a, i64 b) { return a > b; });
  if (drop != cu.end()) {
    reasons.push_back(
        fmt::format("cu_seqlens decreases from {} to {} at entry {}", *drop, *(drop + 1), drop - cu.begin() + 1));
  }
  const auto largest = std::max_element(cu.begin(), cu.end());
  if (*largest > problem.tokens) {
    reasons.push_back(
        fmt::format("cu_seqlens[{}] is {}, past the {} rows of x", largest - cu.begin(), *largest, problem.tokens));
  }
}

void position_reasons(RotaryReasons& reasons, const RotaryProblem& problem) {
  const auto& positions = problem.positions;
  const i64 rows = problem.table_rows();
  const auto outside = std::find_if(positions.begin(), positions.end(), [&](i64 p) { return p < 0 || p >= rows; });
  if (outside == positions.end()) return;
  const auto n = outside - positions.begin();
  reasons.push_back(*outside < 0
                        ? fmt::format("positions[{}] is {}, which is negative", n, *outside)
                        : fmt::format("positions[{}] is {}, past the {} rows of cos and sin", n, *outside, rows));
}

}  // namespace

std::vector<std::string> form_reasons(const RotaryProblem& problem, const RotaryForm& form) {
  RotaryReasons reasons;
  size_reasons(reasons, problem, form);
  dtype_reasons(reasons, problem, form);
  few_dtypes_reasons(reasons, problem, form);
  rounding_reasons(reasons, problem, form);
  array_reasons(reasons, problem);
  foreign_field_reasons(reasons, problem, form);
  if (reasons.empty()) volume_reasons(reasons, problem, form);
  return reasons;
}

std::vector<std::string> precondition_reasons(const RotaryProblem& problem, const RotaryForm& form,
                                              const RotaryPreconditions& preconditions) {
  RotaryReasons reasons;
  const auto has = [&](RotaryPrecondition precondition) {
    return std::find(preconditions.begin(), preconditions.end(), precondition) != preconditions.end();
  };
  if (has(RotaryPrecondition::Width) && problem.width() > problem.head_dim) reasons.push_back(width_message(problem));
  if (has(RotaryPrecondition::EvenWidth) && problem.width() % 2) {
    reasons.push_back(fmt::format("rotary_dim {} is odd, columns are rotated in pairs", problem.width()));
  }
  if (has(RotaryPrecondition::Batches) && problem.batch_of_keys() != problem.batch) {
    reasons.push_back(fmt::format("q has {} batches and k has {}", problem.batch, problem.batch_of_keys()));
  }
  const bool by_positions = form.keys && !problem.positions.empty();
  if (has(RotaryPrecondition::Offsets) && !by_positions) offset_reasons(reasons, problem);
  if (has(RotaryPrecondition::Sequences)) sequence_reasons(reasons, problem);
  if (has(RotaryPrecondition::Rows) && !by_positions) rows_reasons(reasons, problem);
  if (has(RotaryPrecondition::Positions) && by_positions) position_reasons(reasons, problem);
  return reasons;
}

RotaryPreconditions all_preconditions(const RotaryForm& form) {
  if (form.cache_only) return {RotaryPrecondition::EvenWidth};
  if (form.keys) {
    return {RotaryPrecondition::Width,   RotaryPrecondition::EvenWidth, RotaryPrecondition::Rows,
            RotaryPrecondition::Offsets, RotaryPrecondition::Batches,   RotaryPrecondition::Positions};
  }
  return {RotaryPrecondition::Width, RotaryPrecondition::EvenWidth, RotaryPrecondition::Rows,
          RotaryPrecondition::Offsets, RotaryPrecondition::Sequences};
}

}  // namespace ropewalk::kernels
