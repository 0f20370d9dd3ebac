#include "lib/families/attention/ring_hypotheses.h"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <numeric>

#include "lib/families/attention/ring_walk.h"
#include "lib/problem/attention.h"

namespace ropewalk::attention {

using compare::RankedName;
using diagnose::OutputHypothesis;

namespace {

// Where a sequence is in the tensors of a rank that holds several.
struct InRank {
  i64 first = 0;   // token
  i64 tokens = 0;  // of the rank
};

// Of a problem without cu_seqlens, or of one sequence of a problem with them.
class RingHypotheses {
 public:
  RingHypotheses(const RankedName& output, const AttentionCase& right, const std::optional<InRank>& packed)
      : output_(output),
        right_(right),
        packed_(packed),
        order_(RingOrder::of(right.problem, 0)),
        is_of_keys_(output.tensor == "dk" || output.tensor == "dv"),
        parts_(right),
        all_(u64(order_.ranks)) {
    std::iota(all_.begin(), all_.end(), 0);
  }

  std::vector<OutputHypothesis> all() {
    if (!right_.backward()) of_lse();
    if (order_.ranks < 2) return std::move(hypotheses_);
    of_steps();
    of_orders();
    if (!right_.backward()) of_merges();
    return std::move(hypotheses_);
  }

 private:
  void add(const std::string& cause, const std::string& text, const std::string& advice, const RingWalk& walk) {
    auto outputs = is_of_keys_         ? parts_.keys_backward(walk, output_.rank)
                   : right_.backward() ? parts_.queries_backward(walk, output_.rank)
                                       : parts_.forward(walk, output_.rank);
    const auto found = outputs.find(output_.tensor);
    if (found != outputs.end()) hypotheses_.push_back({cause, text, advice, std::move(found->second)});
  }

  RingWalk walk() const {
    RingWalk right;
    right.steps = all_;
    return right;
  }

  // Whose keys a rank meets in a step, or whose queries its keys meet.
  std::string meets(i64 step) const {
    const i64 rank = output_.rank;
    return is_of_keys_
               ? fmt::format("the keys of rank {} meet the queries of rank {}", rank, order_.visitor_of(rank, step))
               : fmt::format("the queries of rank {} meet the keys of rank {}", rank, order_.source_of(rank, step));
  }

  void of_steps() {
    const char* const advice =
        "a ring of R ranks has R steps, 0 to R - 1, and each rank meets every other in one of them";
    for (const i64 step : all_) {
      RingWalk without = walk(), twice = walk();
      without.steps.erase(without.steps.begin() + step);
      twice.steps.push_back(step);
      add("ring-step-missing", fmt::format("step {} is left out, in which {}", step, meets(step)), advice, without);
      add("ring-step-twice", fmt::format("step {} counts twice, in which {}", step, meets(step)), advice, twice);
    }
    if (order_.ranks < 3) return;
    RingWalk own = walk();
    own.steps = {0};
    add("ring-step-missing",
        fmt::format("steps 1 to {} are left out: rank {} meets itself alone", order_.ranks - 1, output_.rank), advice,
        own);
  }

  void of_orders() {
    const i64 ranks = order_.ranks, rank = output_.rank;
    const char* const advice =
        "masks and distances go by positions in the whole sequence, of the rank that a token comes from";
    const RingOrder order = order_;
    RingOrder other = order_;
    other.zigzag = !other.zigzag;
    const bool has_other = order_.tokens % 2 == 0;
    const char* const dealt =
        order_.zigzag ? "dealt out in zigzag, for contiguous chunks" : "in contiguous chunks, for dealt out in zigzag";
    const auto placed = [&](const char* how, const std::function<i64(i64 of, i64 token)>& position) {
      RingWalk both = walk(), keys = walk(), queries = walk();
      both.query_position = queries.query_position = position;
      both.key_position =
          keys.key_position = [position](i64, i64 source, i64 token) { return position(source, token); };
      add("rank-order", fmt::format("rank {} takes tokens, {}", rank, how), advice, both);
      add("rank-order", fmt::format("rank {} takes keys, {}", rank, how), advice, keys);
      add("rank-order", fmt::format("rank {} takes queries, {}", rank, how), advice, queries);
    };
    if (has_other) placed(dealt, [other](i64 of, i64 token) { return other.position_of(of, token); });
    if (packed_) {
      const InRank packed = *packed_;
      const RingOrder all{ranks, packed.tokens, order_.zigzag};
      placed("dealt out sequence by sequence, for dealt out of all rows at once",
             [=](i64 of, i64 token) { return all.position_of(of, packed.first + token) - packed.first * ranks; });
    }
    // Whose keys a rank takes those of `source` for.
    const auto taken = [&](const std::string& text, const std::function<i64(i64 self, i64 source)>& as) {
      RingWalk keys = walk();
      keys.key_position = [order, as](i64 self, i64 source, i64 token) {
        return order.position_of(as(self, source), token);
      };
      add("rank-order", text, advice, keys);
    };
    taken(fmt::format("keys that come to rank r in step s are taken for those of rank r + s, not r - s, modulo {}",
                      ranks),
          [ranks](i64 self, i64 source) { return (2 * self + ranks - source) % ranks; });
    taken("keys of all ranks are taken for those of the rank that meets them", [](i64 self, i64) { return self; });
    taken("keys of rank n are taken for those of rank n + 1",
          [ranks](i64, i64 source) { return (source + 1) % ranks; });
    taken("keys of rank n are taken for those of rank n - 1",
          [ranks](i64, i64 source) { return (source + ranks - 1) % ranks; });
    taken("ranks are counted from the last one on", [ranks](i64, i64 source) { return ranks - 1 - source; });
    // Of a group that is not the ring's: pairs of ranks are one, or the second half of the ranks begins again.
    const auto in_group = [&](const char* text, const std::function<i64(i64)>& as) {
      RingWalk group = walk();
      group.query_position = [order, as](i64 self, i64 token) { return order.position_of(as(self), token); };
      group.key_position = [order, as](i64, i64 source, i64 token) { return order.position_of(as(source), token); };
      add("rank-order", text, "count ranks in the group that the sequence is dealt out to", group);
    };
    in_group("ranks are counted in another group, where ranks 2 n and 2 n + 1 are one", [](i64 of) { return of / 2; });
    in_group("ranks are counted in another group of half as many", [ranks](i64 of) { return of % ((ranks + 1) / 2); });
    RingWalk local = walk();
    local.query_position = [order](i64, i64 token) { return order.position_of(0, token); };
    add("rank-order", fmt::format("queries of rank {} are taken for those of rank 0", rank), advice, local);
  }

  // A ring of one rank merges its step with the sink.
  void of_lse() {
    RingWalk base = walk();
    base.lse_factor = std::numbers::log2e;
    add("lse-base",
        fmt::format("the lse of each step of rank {} is in base 2, and merged as one in base e", output_.rank),
        "multiply an lse in base 2 by log(2) before it is merged, or merge by powers of 2", base);
  }

  void of_merges() {
    const char* const advice =
        "merge by lse: lse' = log(exp(lse) + exp(lse_n)), out' = exp(lse - lse') out + exp(lse_n - lse') out_n";
    const auto merged = [&](RingMerge rule, const char* what) {
      RingWalk wrong = walk();
      wrong.merge = rule;
      add("merge-weights", fmt::format("rank {}: {}, from step 1 on", output_.rank, what), advice, wrong);
    };
    merged(RingMerge::Summed, "outputs of the steps are added as they are, without weights");
    merged(RingMerge::NotRescaled, "the output of the steps before is not rescaled when lse grows");
    merged(RingMerge::NotWeighted, "the output of a new step has no weight");
    merged(RingMerge::Mean, "outputs of the steps are averaged, whatever their lse is");
    merged(RingMerge::Last, "the output of a step replaces those before");
    if (!right_.sinks.empty()) {
      RingWalk sinks = walk();
      sinks.sink_in_steps = true;
      add("sink-in-every-part", fmt::format("each of the {} steps counts the sink", order_.ranks),
          "count the sink once: in one step, or as a part of its own", sinks);
    }
    for (const bool start : {false, true}) {
      RingWalk blind = walk();
      blind.nan_of_blind_steps = !start;
      blind.nan_of_blind_start = start;
      if (start) std::rotate(blind.steps.begin(), blind.steps.begin() + 1, blind.steps.end());
      add("masked-nan",
          start ? "rows that see no key until a later step become NaN" : "rows that see no key in a step become NaN",
          "a step that sees nothing has lse = -inf and leaves what was merged before it as it is", blind);
    }
  }

  const RankedName& output_;
  const AttentionCase& right_;
  const std::optional<InRank> packed_;
  const RingOrder order_;
  const bool is_of_keys_;
  RingParts parts_;
  std::vector<i64> all_;
  std::vector<OutputHypothesis> hypotheses_;
};

// Puts the tokens of a sequence where they are in the output of a rank: [T, ...], lse [H, T].
void place_sequence(const diagnose::Expected& one, const InRank& at, i64 tokens, i64 outer, diagnose::Expected& all) {
  const i64 inner = i64(one.value.size()) / (outer * tokens);
  for (i64 n = 0; n < outer; ++n) {
    const i64 from = n * tokens * inner, to = (n * at.tokens + at.first) * inner;
    std::copy_n(one.value.begin() + from, tokens * inner, all.value.begin() + to);
    std::copy_n(one.bound.begin() + from, tokens * inner, all.bound.begin() + to);
  }
}

// Whoever reads all sequences in one of the ways does so with each of them.
std::vector<OutputHypothesis> hypotheses_of_sequences(const RankedName& output, const AttentionCase& right) {
  const AttentionProblem part = part_of_rank(right.problem);
  const i64 outer = output.tensor == "lse" ? part.heads : 1;
  std::vector<OutputHypothesis> all;
  bool is_first = true;
  for (i64 sequence = 0; sequence < part.sequences(); ++sequence) {
    const i64 tokens = part.queries_of(sequence);
    if (tokens == 0) continue;
    const InRank at{part.first_query_of(sequence), part.query_tokens};
    const AttentionCase single = right.single(sequence);
    std::vector<OutputHypothesis> some = RingHypotheses(output, single, at).all();
    if (is_first) {
      for (const OutputHypothesis& one : some) {
        const i64 count = i64(one.expected.value.size()) / tokens * at.tokens;
        all.push_back({one.cause, one.text, one.advice, diagnose::Expected::of_size(count)});
        all.back().expected.bound.assign(u64(count), diagnose::anything);
      }
    }
    is_first = false;
    std::erase_if(all, [&](OutputHypothesis& whole) {
      const auto same = std::ranges::find(some, whole.text, &OutputHypothesis::text);
      if (same != some.end()) place_sequence(same->expected, at, tokens, outer, whole.expected);
      return same == some.end();
    });
  }
  return all;
}

}  // namespace

std::vector<OutputHypothesis> ring_hypotheses(const RankedName& output, const AttentionCase& right) {
  return right.problem.varlen() ? hypotheses_of_sequences(output, right)
                                : RingHypotheses(output, right, std::nullopt).all();
}

}  // namespace ropewalk::attention
