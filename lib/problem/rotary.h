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

struct RotaryProblem {
  i64 batch = 1, tokens = 16, heads = 1, head_dim = 64;  // x is [B, T, H, D]; with cu_seqlens [total, H, D], B ignored
  i64 key_heads = 0;   // of the fused q and k forms; 0: no k
  i64 rotary_dim = 0;  // 0: head_dim
  RotaryLayout layout = RotaryLayout::Half;
  Dtype dtype = Dtype::F32;        // of x and out
  Dtype cache_dtype = Dtype::F32;  // of cos and sin
  i64 cache_rows = 0;              // 0: as many as needed
  i64 offset = 0;                  // added to every position
  std::vector<i64> offsets;        // one a sequence; empty: `offset` for all
  std::vector<i64> cu_seqlens;     // varlen: sequence b owns the rows [cu_seqlens[b], cu_seqlens[b + 1])
  std::vector<i64> positions;      // of the fused form with a positions array: one a token
  bool inplace = false;
  bool backward = false;           // rotate by the negative angle
  i64 row_gap = 0;                 // elements of padding between rows (token x head), poisoned
  i64 token_gap = 0;               // elements of padding between tokens
  u64 seed = 1;
  std::string input = "normal";    // normal, integers, large
  double theta = 10000;

  i64 width() const { return rotary_dim ? rotary_dim : head_dim; }
  bool varlen() const { return !cu_seqlens.empty(); }
  bool operator==(const RotaryProblem&) const = default;
};

// "rotary(B=2,T=128,...)": every field that differs from the default, in a fixed order.
std::string text_of(const RotaryProblem& problem);
// Reads what text_of prints. Throws InputError that names the key and the nearest known one.
RotaryProblem parse_rotary(std::string_view text);

}  // namespace ropewalk
