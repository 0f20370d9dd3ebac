// An attention problem in the field's terms, as plain data that prints itself and is read back from its print.
//
//   attention(B=2,Tq=64,Tk=64,H=8,D=64,key_heads=2,dtype=bf16,causal=bottom-right,window=[16,0],softcap=30)
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/dtype.h"

namespace ropewalk {

// Which keys a query sees where it may not see later ones. The last query sees the last key (bottom-right), or the
// first query the first (top-left); the two are the same where there are as many queries as keys.
enum class Causal : u8 { None, BottomRight, TopLeft };
std::string_view name_of(Causal causal);

struct AttentionProblem {
  static constexpr std::string_view kind = "attention";
  // q is [B, Tq, H, D], k [B, Tk, Hk, D], v [B, Tk, Hk, Dv]; with cu_seqlens [rows, heads, D], B ignored.
  i64 batch = 1, query_tokens = 16, key_tokens = 16, heads = 1, head_dim = 64;
  i64 key_heads = 0;               // of k and v, each shared by heads / key_heads heads of q; 0: as many as q has
  i64 value_dim = 0;               // 0: head_dim
  Dtype dtype = Dtype::F32;        // of q, k, v and out
  std::optional<Dtype> key_dtype;  // of k and v where it is another one; no kernel takes that
  Causal causal = Causal::None;
  std::vector<i64>
      window;          // keys to the left and to the right of a query's own that it sees, -1: all; empty: no window
  double softcap = 0;  // scores become softcap tanh(score / softcap); 0: they stay
  bool alibi = false;  // a slope for each head times the distance is subtracted from its scores
  double scale = 0;    // of scores; 0: 1 / sqrt(D)
  bool sink = false;   // each head has one more score that no value belongs to
  std::vector<i64> cu_seqlens_q, cu_seqlens_k;  // varlen: sequence b owns the rows [cu_seqlens[b], cu_seqlens[b + 1])
  i64 max_seqlen_q = 0, max_seqlen_k = 0;       // what the caller says of the longest; 0: as it is
  i64 q_gap = 0, k_gap = 0, v_gap = 0, out_gap = 0;  // elements of poisoned padding between rows (token x head)
  i64 token_gap = 0;                                 // the same between tokens of q, k and v
  std::vector<i64> key_lengths;  // keys that each sequence has, of Tk that there is room for; empty: all have Tk
  i64 page_size = 0;             // tokens to a page of k and v, which a block table puts in order; 0: no pages
  i64 spare_pages = 0;           // pages that are there beside those that sequences of Tk keys need
  std::vector<i64> block_table;  // pages of each sequence, row by row; empty: drawn from the seed, no page twice
  i64 splits = 1;                // parts of the keys, each with an out and an lse of its own, that are merged by lse
  i64 ranks = 1;                 // of a ring, each with its part of the tokens
  bool zigzag =
      false;  // rank r has chunks r and 2 ranks - 1 - r of 2 ranks, so that all see as many keys; else chunk r
  u64 seed = 1;
  std::string input = "normal";  // normal, integers, large, low

  i64 heads_of_keys() const { return key_heads ? key_heads : heads; }
  i64 columns_of_values() const { return value_dim ? value_dim : head_dim; }
  double score_scale() const;
  bool varlen() const { return !cu_seqlens_q.empty(); }
  i64 sequences() const { return varlen() ? i64(cu_seqlens_q.size()) - 1 : batch; }
  // Queries and keys of one sequence, as cu_seqlens say (negative where they decrease).
  i64 queries_of(i64 sequence) const { return varlen() ? length(cu_seqlens_q, sequence) : query_tokens; }
  i64 keys_of(i64 sequence) const {
    if (varlen()) return length(cu_seqlens_k, sequence);
    return u64(sequence) < key_lengths.size() ? key_lengths[u64(sequence)] : key_tokens;
  }
  // Tokens before a sequence's first one in tensors of all sequences' tokens.
  i64 first_query_of(i64 sequence) const { return varlen() ? cu_seqlens_q[u64(sequence)] : sequence * query_tokens; }
  i64 first_key_of(i64 sequence) const { return varlen() ? cu_seqlens_k[u64(sequence)] : sequence * key_tokens; }
  // A sequence by itself, of a problem without pages.
  AttentionProblem single(i64 sequence) const;
  // The longest sequence, at least 0.
  i64 longest_queries() const;
  i64 longest_keys() const;

  // Keys [first, last) of `keys` that query `query` of `queries` sees; an empty range where last <= first.
  struct Range {
    i64 first = 0, last = 0;
  };
  Range visible_keys(i64 query, i64 queries, i64 keys) const {
    return keys_around(own_key(query, queries, keys), keys);
  }
  // The same of a query at the position of key `own`.
  Range keys_around(i64 own, i64 keys) const;
  // The key whose position a query has: the one that ALiBi's distance counts from.
  i64 own_key(i64 query, i64 queries, i64 keys) const {
    return causal == Causal::TopLeft ? query : query + keys - queries;
  }
  // Keys of part `split` of the parts that `keys` are split into: all of one size but the last ones, which may be
  // empty.
  Range keys_of_split(i64 split, i64 keys) const {
    const i64 most = (keys + splits - 1) / splits;
    return {std::min(keys, split * most), std::min(keys, (split + 1) * most)};
  }
  i64 window_left() const { return window.size() == 2 ? window[0] : -1; }
  // None to the right where it is causal.
  i64 window_right() const { return causal != Causal::None ? 0 : window.size() == 2 ? window[1] : -1; }
  bool operator==(const AttentionProblem&) const = default;

 private:
  static i64 length(const std::vector<i64>& cu, i64 sequence) {
    return sequence + 1 < i64(cu.size()) ? cu[u64(sequence) + 1] - cu[u64(sequence)] : 0;
  }
};

// ALiBi's slope of a head, 2^(-8 (head + 1) / heads), rounded to f32 (Press, Smith and Lewis, "Train Short, Test Long",
// ICLR 2022, for a number of heads that is a power of two; taken for every number here).
float alibi_slope(i64 head, i64 heads);

// "attention(B=2,Tq=64,...)": every field that differs from the default, in a fixed order.
std::string text_of(const AttentionProblem& problem);
// Reads what text_of prints. Throws InputError that names the key and the nearest known one.
AttentionProblem parse_attention(std::string_view text);
// The keys of the fields, in the order of the print.
std::vector<std::string> attention_keys();

}  // namespace ropewalk
