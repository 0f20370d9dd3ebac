#include "kernels/attention/cache_preconditions.h"

#include <algorithm>

#include "kernels/reasons.h"
#include "lib/problem/attention.h"
#include "lib/problem/pages.h"

namespace ropewalk::kernels {
namespace {

constexpr i64 page_limit = i64(1) << 24;  // pages of a pool, whose table is made at once

class CacheReasons : ReasonList {
 public:
  CacheReasons(const AttentionProblem& problem, const AttentionTakes& takes) : problem_(problem), takes_(takes) {}

  std::vector<std::string> all() {
    splits();
    lengths();
    pages();
    return std::move(reasons_);
  }

 private:
  // Whether the sizes that all else is counted in are sizes at all; what they are otherwise is checked elsewhere.
  bool has_sizes() const {
    const AttentionProblem& p = problem_;
    return p.batch > 0 && p.query_tokens > 0 && p.key_tokens > 0 && p.heads > 0 && p.head_dim > 0 && p.key_heads >= 0;
  }

  void splits() {
    const AttentionProblem& p = problem_;
    if (!takes_.splits) {
      if (p.splits != 1) say("splits is {}, this kernel takes all keys at once", p.splits);
      return;
    }
    if (p.splits < 1 || p.splits > most_splits) {
      say("splits is {}, it must be from 1 to {}: parts that the keys are split into", p.splits, most_splits);
      return;
    }
    if (!has_sizes()) return;
    const __int128 rows = __int128(p.query_tokens) * (p.heads / p.heads_of_keys());
    if (rows > row_limit) {
      say("{} queries x {} heads that share a head of k are more than the 2^30 rows that are counted", p.query_tokens,
          p.heads / p.heads_of_keys());
    } else if (__int128(p.batch) * p.heads_of_keys() * p.splits * (i64(rows) / 16 + 1) > int_limit) {
      say("{} sequences x {} heads of k x {} splits are more than the {} blocks of a grid", p.batch, p.heads_of_keys(),
          p.splits, int_limit);
    }
    const __int128 row = __int128(p.columns_of_values()) + p.out_gap;
    if (p.splits > 1 && row * p.splits * p.batch * p.query_tokens * p.heads * 4 > byte_limit) {
      say("{} parts of out are larger than 2^40 bytes, the largest that is kept apart from its neighbours", p.splits);
    }
  }

  void lengths() {
    const AttentionProblem& p = problem_;
    if (p.key_lengths.empty()) return;
    if (!takes_.lengths) {
      say("key_lengths are given, this kernel takes sequences that all have Tk keys");
      return;
    }
    if (i64(p.key_lengths.size()) != p.batch) {
      say("key_lengths has {} entries, it must have one for each of {} sequences", p.key_lengths.size(), p.batch);
      return;
    }
    for (u64 n = 0; takes_.checks_tables && n < p.key_lengths.size(); ++n) {
      if (p.key_lengths[n] >= 0 && p.key_lengths[n] <= p.key_tokens) continue;
      say("key_lengths[{}] is {}, it must be from 0 to Tk = {}, the keys that there is room for", n, p.key_lengths[n],
          p.key_tokens);
      return;
    }
  }

  void pages() {
    const AttentionProblem& p = problem_;
    if (!takes_.pages) {
      if (p.page_size != 0) say("page_size is {}, this kernel takes k and v without pages", p.page_size);
    } else if (p.page_size < 0 || p.page_size > row_limit) {
      say("page_size is {}, it must be a number of tokens up to 2^30, or 0 for no pages", p.page_size);
    }
    if (p.spare_pages < 0) say("spare_pages is {}, it must be at least 0", p.spare_pages);
    if (p.page_size == 0 && p.spare_pages > 0) say("spare_pages goes with page_size, which is missing");
    if (p.page_size == 0 && !p.block_table.empty()) say("block_table goes with page_size, which is missing");
    if (!reasons_.empty() || p.page_size <= 0 || !has_sizes()) return;
    const __int128 pool = __int128(p.batch) * pages_of_capacity(p) + p.spare_pages;
    if (pool > page_limit) {
      say("{} sequences of {} pages and {} spare ones are more than the 2^24 pages of a pool", p.batch,
          pages_of_capacity(p), p.spare_pages);
      return;
    }
    const __int128 row = __int128(std::max(p.head_dim, p.columns_of_values())) + std::max(p.k_gap, p.v_gap);
    if (pool * p.page_size * (p.heads_of_keys() * row + p.token_gap) * 4 > byte_limit) {
      say("a pool of pages is larger than 2^40 bytes, the largest that is kept apart from its neighbours");
    }
    table();
  }

  void table() {
    const AttentionProblem& p = problem_;
    if (p.block_table.empty()) return;
    if (i64(p.block_table.size()) % p.batch) {
      say("block_table has {} entries, it must have as many for each of {} sequences", p.block_table.size(), p.batch);
      return;
    }
    if (!takes_.checks_tables) return;
    const i64 columns = table_columns(p), pool = pages_in_pool(p);
    for (i64 sequence = 0; sequence < p.batch; ++sequence) {
      const i64 pages = pages_of(p, sequence);
      if (pages > columns) {
        say("block_table has {} pages of {} tokens for sequence {}, which has {} keys: it needs {} pages", columns,
            p.page_size, sequence, p.keys_of(sequence), pages);
        return;
      }
      for (i64 page = 0; page < pages; ++page) {
        const i64 id = p.block_table[u64(sequence * columns + page)];
        if (id >= 0 && id < pool) continue;
        say("block_table[{}, {}] is {}, there are pages 0 to {}", sequence, page, id, pool - 1);
        return;
      }
    }
  }

  const AttentionProblem& problem_;
  const AttentionTakes& takes_;
};

}  // namespace

std::vector<std::string> cache_reasons(const AttentionProblem& problem, const AttentionTakes& takes) {
  return CacheReasons(problem, takes).all();
}

}  // namespace ropewalk::kernels
