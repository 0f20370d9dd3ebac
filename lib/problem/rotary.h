// A rotary problem in the field's terms, as plain data that prints itself and is read back from its print.
//
//   rotary(B=2,T=128,H=8,D=64,rotary_dim=64,layout=half,dtype=bf16,cache_rows=128)
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/dtype.h"

namespace ropewalk {

enum class RotaryLayout : u8 { Half, Interleaved };
std::string_view name_of(RotaryLayout layout);

// What a program promises of its arithmetic: one rounding to x's dtype, of the result (Once), or one in each step, as
// operators have it that run one by one: of cos and sin, of each product and of the sum (Steps).
enum class RotaryRounding : u8 { Once, Steps };
std::string_view name_of(RotaryRounding rounding);

struct RotaryProblem {
  static constexpr std::string_view kind = "rotary";
  i64 batch = 1, tokens = 16, heads = 1, head_dim = 64;  // x is [B, T, H, D]; with cu_seqlens [total, H, D], B ignored
  i64 key_heads = 0;                                     // of the fused q and k forms; 0: no k
  i64 key_batch = 0;                                     // batches of k where there are not `batch`; 0: there are
  i64 rotary_dim = 0;                                    // 0: head_dim
  RotaryLayout layout = RotaryLayout::Half;
  Dtype dtype = Dtype::F32;        // of x and out
  Dtype cache_dtype = Dtype::F32;  // of cos and sin
  i64 cache_rows = 0;              // 0: as many as needed
  i64 offset = 0;                  // added to every position
  std::vector<i64> offsets;        // one a sequence; empty: `offset` for all
  std::vector<i64> cu_seqlens;     // varlen: sequence b owns the rows [cu_seqlens[b], cu_seqlens[b + 1])
  std::vector<i64> positions;      // of the fused form with a positions array: one a token
  bool inplace = false;
  bool backward = false;  // rotate by the negative angle
  i64 row_gap = 0;        // elements of padding between rows (token x head), poisoned
  i64 token_gap = 0;      // elements of padding between tokens
  i64 out_gap = 0;        // elements of padding between rows of an out that is not x, poisoned
  u64 seed = 1;
  std::string input = "normal";  // normal, integers, large
  double theta = 10000;

  RotaryRounding rounding = RotaryRounding::Once;
  bool given_frequencies = false;  // of the cache form: inverse frequencies come as an f32 array, not from theta

  i64 width() const { return rotary_dim ? rotary_dim : head_dim; }
  // Columns of cos and sin: pairs (first, second) that a row rotates. An odd width has half a pair too many.
  i64 pairs() const { return (width() + 1) / 2; }
  i64 batch_of_keys() const { return key_batch ? key_batch : batch; }
  bool varlen() const { return !cu_seqlens.empty(); }
  i64 sequences() const { return varlen() ? i64(cu_seqlens.size()) - 1 : batch; }
  // Positions of one sequence start here; 0 where `offsets` is too short.
  i64 offset_of_sequence(i64 sequence) const {
    return offsets.empty() ? offset : sequence < i64(offsets.size()) ? offsets[u64(sequence)] : 0;
  }
  // Tokens of one sequence, as cu_seqlens say (negative where they decrease).
  i64 tokens_of_sequence(i64 sequence) const {
    return varlen() ? cu_seqlens[u64(sequence) + 1] - cu_seqlens[u64(sequence)] : tokens;
  }
  // Rows of the cos and sin cache: as given, or one more than the largest position that is used (at least 1).
  i64 table_rows() const;
  // The largest angle in the tables, position x frequency; infinite where theta is so small that it has no number.
  double largest_angle() const;
  // Strides of x in elements, with the gaps.
  i64 head_stride() const { return head_dim + row_gap; }
  i64 token_stride(i64 of_heads) const { return of_heads * head_stride() + token_gap; }
  bool operator==(const RotaryProblem&) const = default;
};

// "rotary(B=2,T=128,...)": every field that differs from the default, in a fixed order.
std::string text_of(const RotaryProblem& problem);
// Reads what text_of prints. Throws InputError that names the key and the nearest known one.
RotaryProblem parse_rotary(std::string_view text);
// The keys of the fields, in the order of the print.
std::vector<std::string> rotary_keys();

}  // namespace ropewalk
