#include "kernels/attention/attention_preconditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/attention/cache_preconditions.h"
#include "kernels/attention/ring_arguments.h"
#include "kernels/reasons.h"
#include "lib/problem/ring_order.h"

namespace ropewalk::kernels {
namespace {

constexpr i64 most_columns = 256;  // of a head

class AttentionReasons : ReasonList {
 public:
  AttentionReasons(const AttentionProblem& problem, const AttentionTakes& takes) : problem_(problem), takes_(takes) {}

  std::vector<std::string> all() {
    sizes();
    dtypes();
    numbers();
    window();
    layout();
    lists();
    for (std::string& reason : cache_reasons(problem_, takes_)) reasons_.push_back(std::move(reason));
    if (reasons_.empty()) volume();
    return std::move(reasons_);
  }

 private:
  void sizes() {
    const AttentionProblem& p = problem_;
    between("B", p.batch, 1, int_limit);
    between("Tq", p.query_tokens, 1, row_limit);
    between("Tk", p.key_tokens, 1, row_limit);
    between("H", p.heads, 1, int_limit);
    between("key_heads", p.key_heads, 0, int_limit);
    between("D", p.head_dim, 1, most_columns);
    between("value_dim", p.value_dim, 0, most_columns);
    for (const auto& [name, gap] : {std::pair{"q_gap", p.q_gap},
                                    {"k_gap", p.k_gap},
                                    {"v_gap", p.v_gap},
                                    {"out_gap", p.out_gap},
                                    {"token_gap", p.token_gap}}) {
      between(name, gap, 0, int_limit);
    }
    if (p.heads > 0 && p.key_heads > 0 && p.heads % p.key_heads) {
      say("{} heads of q cannot share {} heads of k and v evenly: {} is no multiple of {}", p.heads, p.key_heads,
          p.heads, p.key_heads);
    }
  }

  void dtypes() {
    const Dtype q = problem_.dtype, k = problem_.key_dtype.value_or(q);
    if (q != Dtype::F32 && q != Dtype::F16 && q != Dtype::BF16) {
      say("dtype is {}, kernels are there for f32, f16 and bf16", name_of(q));
    } else if (k != q) {
      say("unequal dtypes: q is {}, k and v are {}; all three must be of one dtype", name_of(q), name_of(k));
    }
  }

  void numbers() {
    const double softcap = problem_.softcap, scale = problem_.scale;
    if (softcap != 0 && !(softcap >= 0x1p-10 && softcap <= 0x1p20)) {
      say("softcap is {}, it must be 0 (none) or from 2^-10 to 2^20", softcap);
    }
    if (scale != 0 && !(scale >= 0x1p-20 && scale <= 0x1p20)) {
      say("scale is {}, it must be 0 (1 / sqrt(D)) or from 2^-20 to 2^20", scale);
    }
  }

  void window() {
    const std::vector<i64>& window = problem_.window;
    if (window.empty()) return;
    if (window.size() != 2) {
      say("window has {} entries, it must have 2: keys to the left and to the right", window.size());
      return;
    }
    for (u64 side = 0; side < 2; ++side) {
      if (window[side] < -1 || window[side] > row_limit) {
        say("window[{}] is {}, it must be a number of keys up to 2^30, or -1 for all", side, window[side]);
      }
    }
  }

  void layout() {
    const AttentionProblem& p = problem_;
    if (!takes_.lists && p.varlen()) say("cu_seqlens are given, this kernel takes sequences of one length alone");
    if (takes_.ranks) ring();
    if (!takes_.ranks && p.ranks != 1) say("ranks is {}, this kernel has no ring", p.ranks);
    if (!takes_.ranks && p.zigzag) say("zigzag goes with ranks, this kernel has no ring");
  }

  // A ring's ranks have as many tokens each of every sequence, and every query has a key of its own.
  void ring() {
    const AttentionProblem& p = problem_;
    between("ranks", p.ranks, 1, most_ranks);
    if (p.query_tokens != p.key_tokens) {
      say("Tq is {} and Tk is {}: a ring deals out the tokens of one sequence, as many queries as keys", p.query_tokens,
          p.key_tokens);
    }
    if (p.cu_seqlens_q.size() == p.cu_seqlens_k.size() && p.cu_seqlens_q != p.cu_seqlens_k) {
      say("cu_seqlens_q and cu_seqlens_k differ: a ring deals out the tokens of each sequence, as many queries as "
          "keys");
    }
    if (p.ranks < 1 || p.ranks > most_ranks || p.query_tokens < 1) return;
    evenly(p.query_tokens, "");
    for (i64 n = 0; p.varlen() && n < p.sequences(); ++n) {
      if (!evenly(p.queries_of(n), fmt::format(" of sequence {}", n))) break;
    }
  }

  bool evenly(i64 tokens, const std::string& of) {
    const i64 chunks = RingOrder::chunks_of(problem_);
    if (tokens % chunks == 0) return true;
    say("{} tokens{} cannot be dealt out evenly to {} ranks{}: {} is no multiple of {}", tokens, of, problem_.ranks,
        problem_.zigzag ? " of two chunks each" : "", tokens, chunks);
    return false;
  }

  void lists() {
    const auto& q = problem_.cu_seqlens_q;
    const auto& k = problem_.cu_seqlens_k;
    list("q", q, problem_.query_tokens, problem_.max_seqlen_q);
    list("k", k, problem_.key_tokens, problem_.max_seqlen_k);
    if (q.empty() != k.empty()) {
      say("cu_seqlens_{} is missing: q and k must both be of varying lengths, or neither", q.empty() ? "q" : "k");
    } else if (q.size() != k.size()) {
      say("cu_seqlens_q has {} entries and cu_seqlens_k {}: they must be of the same sequences", q.size(), k.size());
    }
  }

  void list(const char* of, const std::vector<i64>& cu, i64 rows, i64 longest) {
    if (longest != 0 && cu.empty()) {
      say("max_seqlen_{} goes with cu_seqlens_{}, which is missing", of, of);
    }
    if (longest < 0) say("max_seqlen_{} is {}, it must be at least 0", of, longest);
    if (cu.empty()) return;
    if (cu.size() == 1) {
      say("cu_seqlens_{} has 1 entry, it must have one more than there are sequences: at least 2", of);
      return;
    }
    if (!takes_.checks_lists) return;
    if (cu.front() != 0) {
      say("cu_seqlens_{} starts at {}, it must start at 0: rows before it belong to no sequence", of, cu.front());
    }
    const auto drop = std::adjacent_find(cu.begin(), cu.end(), [](i64 a, i64 b) { return a > b; });
    if (drop != cu.end()) {
      say("cu_seqlens_{} decreases from {} to {} at entry {}", of, *drop, *(drop + 1), drop - cu.begin() + 1);
    }
    const auto largest = std::max_element(cu.begin(), cu.end());
    if (*largest > rows) {
      say("cu_seqlens_{}[{}] is {}, past the {} rows of {}", of, largest - cu.begin(), *largest, rows, of);
    }
    for (u64 n = 0; longest > 0 && n + 1 < cu.size(); ++n) {
      if (cu[n + 1] - cu[n] <= longest) continue;
      say("sequence {} has {} rows of {}, more than max_seqlen_{} = {}", n, cu[n + 1] - cu[n], of, of, longest);
      break;
    }
  }

  // After all single numbers were found good.
  void volume() {
    const AttentionProblem& p = problem_;
    const __int128 batch = p.varlen() ? 1 : p.batch;
    const auto bytes = [&](i64 tokens, i64 heads, i64 columns, i64 gap) {
      return batch * tokens * (__int128(heads) * (columns + gap) + p.token_gap) * size_of(p.dtype);
    };
    const i64 columns = std::max(p.head_dim, p.columns_of_values());
    const i64 gap = std::max({p.q_gap, p.k_gap, p.v_gap, p.out_gap});
    if (bytes(std::max(p.query_tokens, p.key_tokens), p.heads, columns, gap) > byte_limit) {
      say("a tensor is larger than 2^40 bytes, the largest that is kept apart from its neighbours");
    }
    const i64 tiles = p.longest_queries() / 16 + (takes_.ranks ? p.ranks : 1);
    if (__int128(p.sequences()) * p.heads * tiles > int_limit) {
      say("{} sequences x {} heads x {} tiles of 16 queries are more than the {} blocks of a grid", p.sequences(),
          p.heads, tiles, int_limit);
    }
  }

  const AttentionProblem& problem_;
  const AttentionTakes& takes_;
};

}  // namespace

std::vector<std::string> attention_reasons(const AttentionProblem& problem, const AttentionTakes& takes) {
  return AttentionReasons(problem, takes).all();
}

}  // namespace ropewalk::kernels
