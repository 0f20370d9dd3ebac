#include "lib/families/attention/attention_steps.h"

#include "lib/problem/ring_order.h"
#include "lib/shrink/steps.h"

namespace ropewalk::attention {

using shrink::smaller_numbers;

namespace {

using Attention = AttentionProblem;

class Steps : public shrink::ProblemSteps<Attention> {
 public:
  using ProblemSteps::ProblemSteps;

  // All that is no size and no list goes at once, for the many findings that need none of it.
  void all_but_sizes() {
    make_bare(add());
    if (problem_.page_size == 0 && problem_.splits == 1 && problem_.key_lengths.empty()) return;
    // A cache goes as far down as it can be one.
    Attention& small = add();
    make_bare(small);
    small.spare_pages = 0;
    small.block_table.clear();
    small.heads = small.query_tokens = small.head_dim = 1;
    small.key_heads = small.value_dim = 0;
    small.splits = std::min<i64>(small.splits, 2);
  }

  void words_and_flags() {
    clear(&Attention::dtype);
    clear(&Attention::key_dtype);
    clear(&Attention::causal);
    clear(&Attention::softcap);
    clear(&Attention::alibi);
    clear(&Attention::sink);
    clear(&Attention::scale);
    clear(&Attention::input);
    clear(&Attention::seed);
    clear(&Attention::zigzag);
    clear(&Attention::key_lengths);
    clear(&Attention::block_table);
    Attention& no_pages = add();
    no_pages.page_size = no_pages.spare_pages = 0;
    no_pages.block_table.clear();
  }

  // Both lists go away, or a sequence goes away with its queries and keys.
  void sequences() {
    if (problem_.cu_seqlens_q.empty() && problem_.cu_seqlens_k.empty()) return;
    Attention& plain = add();
    plain.cu_seqlens_q.clear();
    plain.cu_seqlens_k.clear();
    if (problem_.cu_seqlens_q.size() != problem_.cu_seqlens_k.size() || problem_.cu_seqlens_q.size() < 3) return;
    for (u64 n = 1; n < problem_.cu_seqlens_q.size(); ++n) {
      Attention& fewer = add();
      fewer.cu_seqlens_q = without(problem_.cu_seqlens_q, n);
      fewer.cu_seqlens_k = without(problem_.cu_seqlens_k, n);
    }
  }

  // A sequence goes away with its length and its pages.
  void cached_sequences() {
    const i64 batch = problem_.batch, columns = batch > 0 ? i64(problem_.block_table.size()) / batch : 0;
    if (problem_.key_lengths.empty() && problem_.block_table.empty()) return;
    for (i64 n = 0; n < batch && batch > 1; ++n) {
      Attention& fewer = add();
      --fewer.batch;
      if (i64(fewer.key_lengths.size()) > n) fewer.key_lengths.erase(fewer.key_lengths.begin() + n);
      const auto row = fewer.block_table.begin() + n * columns;
      fewer.block_table.erase(row, row + columns);
    }
  }

  // The room for keys comes down to the longest sequence, and further with those that no longer fit.
  void room_for_keys() {
    for (const i64 room : smaller_numbers(problem_.key_tokens, 1)) {
      Attention& smaller = add();
      smaller.key_tokens = room;
      for (i64& keys : smaller.key_lengths) keys = std::min(keys, room);
      smaller.block_table.clear();
    }
  }

  // Every key length becomes smaller.
  void key_lengths() {
    for (u64 n = 0; n < problem_.key_lengths.size(); ++n) {
      for (const i64 keys : smaller_numbers(problem_.key_lengths[n], 0)) add().key_lengths[n] = keys;
    }
  }

  // A sequence becomes shorter by one, and those behind it begin one earlier.
  void lengths(std::vector<i64> Attention::*field) {
    const std::vector<i64>& cu = problem_.*field;
    for (u64 n = 1; n < cu.size(); ++n) {
      for (const i64 length : smaller_numbers(cu[n] - cu[n - 1], 0)) {
        if (cu[n] < cu[n - 1]) break;
        begin_earlier(add().*field, n, cu[n] - cu[n - 1] - length);
      }
    }
  }

  // Ranks have fewer tokens each, of all sequences or of one, or there are fewer of them with as many tokens.
  void ranks() {
    if (problem_.ranks < 1 || (problem_.ranks == 1 && !problem_.zigzag)) return;
    const i64 chunks = RingOrder::chunks_of(problem_), tokens = problem_.query_tokens;
    for (const i64 fewer : smaller_numbers(problem_.ranks, 1)) {
      Attention& smaller = add();
      smaller.ranks = fewer;
      const auto share = [&](i64& all) { all = all / problem_.ranks * fewer; };
      share(smaller.query_tokens);
      share(smaller.key_tokens);
      for (i64& row : smaller.cu_seqlens_q) share(row);
      for (i64& row : smaller.cu_seqlens_k) share(row);
    }
    for (const i64 fewer : smaller_numbers(tokens / chunks, 1)) {
      Attention& smaller = add();
      smaller.query_tokens = smaller.key_tokens = fewer * chunks;
    }
    if (problem_.cu_seqlens_q != problem_.cu_seqlens_k) return;
    for (u64 n = 1; n < problem_.cu_seqlens_q.size(); ++n) {
      const i64 length = problem_.queries_of(i64(n) - 1);
      for (const i64 fewer : smaller_numbers(length / chunks, 0)) {
        if (length >= 0) shorten(add(), n, length - fewer * chunks);
      }
    }
  }

  // Sequence n - 1 loses so many tokens of both lists, with the rows that held them.
  static void shorten(Attention& problem, u64 n, i64 less) {
    begin_earlier(problem.cu_seqlens_q, n, less);
    begin_earlier(problem.cu_seqlens_k, n, less);
    problem.query_tokens -= less;
    problem.key_tokens -= less;
  }

  // Queries and keys go down together, as do heads of q and of k.
  void together(i64 Attention::*one, i64 Attention::*other, i64 least) {
    for (const i64 value : smaller_numbers(problem_.*one, least)) {
      const i64 partner = problem_.*other - (problem_.*one - value);
      if (partner < least || value > problem_.*one) continue;
      Attention& smaller = add();
      smaller.*one = value;
      smaller.*other = partner;
    }
  }

  // Groups of heads: as many heads as keep their number to a group, or one group.
  void groups() {
    const i64 heads = problem_.heads, key_heads = problem_.heads_of_keys();
    if (key_heads < 1 || heads % key_heads) return;
    const i64 group = heads / key_heads;
    const auto of = [&](i64 new_group, i64 new_key_heads) {
      Attention& smaller = add();
      smaller.heads = new_group * new_key_heads;
      smaller.key_heads = new_group == 1 ? 0 : new_key_heads;
    };
    for (const i64 fewer : smaller_numbers(key_heads, 1)) of(group, fewer);
    for (const i64 fewer : smaller_numbers(group, 1)) of(fewer, key_heads);
  }

  // The window's sides come down to 0 or open.
  void window() {
    if (problem_.window.empty()) return;
    add().window.clear();
    for (u64 side = 0; side < problem_.window.size(); ++side) {
      if (problem_.window[side] != -1) add().window[side] = -1;
      for (const i64 keys : smaller_numbers(problem_.window[side], 0)) {
        if (problem_.window[side] > 0) add().window[side] = keys;
      }
    }
  }

 private:
  // The entries from the n-th on come down.
  static void begin_earlier(std::vector<i64>& cu, u64 n, i64 less) {
    for (u64 behind = n; behind < cu.size(); ++behind) cu[behind] -= less;
  }

  static void make_bare(Attention& bare) {
    const Attention plain;
    bare.dtype = plain.dtype;
    bare.key_dtype = plain.key_dtype;
    bare.causal = plain.causal;
    bare.window = plain.window;
    bare.softcap = plain.softcap;
    bare.alibi = plain.alibi;
    bare.scale = plain.scale;
    bare.sink = plain.sink;
    bare.q_gap = bare.k_gap = bare.v_gap = bare.out_gap = bare.token_gap = 0;
    bare.input = plain.input;
    bare.seed = plain.seed;
  }

  static std::vector<i64> without(const std::vector<i64>& cu, u64 sequence) {
    std::vector<i64> out;
    const i64 length = cu[sequence] - cu[sequence - 1];
    for (u64 n = 0; n < cu.size(); ++n) {
      if (n != sequence) out.push_back(n < sequence ? cu[n] : cu[n] - length);
    }
    return out;
  }
};

}  // namespace

std::vector<AttentionProblem> smaller_problems_of(const AttentionProblem& problem) {
  Steps steps(problem);
  steps.all_but_sizes();
  steps.sequences();
  steps.words_and_flags();
  steps.cached_sequences();
  steps.number(&Attention::batch, 1);
  steps.groups();
  steps.ranks();
  steps.together(&Attention::query_tokens, &Attention::key_tokens, 1);
  steps.number(&Attention::query_tokens, 1);
  steps.number(&Attention::key_tokens, 1);
  steps.lengths(&Attention::cu_seqlens_q);
  steps.lengths(&Attention::cu_seqlens_k);
  steps.number(&Attention::heads, 1);
  steps.number(&Attention::key_heads, 0);
  steps.number(&Attention::head_dim, 1);
  steps.number(&Attention::value_dim, 0);
  steps.window();
  steps.number(&Attention::max_seqlen_q, 0);
  steps.number(&Attention::max_seqlen_k, 0);
  steps.number(&Attention::q_gap, 0);
  steps.number(&Attention::k_gap, 0);
  steps.number(&Attention::v_gap, 0);
  steps.number(&Attention::out_gap, 0);
  steps.number(&Attention::token_gap, 0);
  steps.room_for_keys();
  steps.key_lengths();
  steps.number(&Attention::page_size, 0);
  steps.number(&Attention::spare_pages, 0);
  steps.number(&Attention::splits, 1);
  steps.number(&Attention::ranks, 1);
  return steps.take();
}

}  // namespace ropewalk::attention
