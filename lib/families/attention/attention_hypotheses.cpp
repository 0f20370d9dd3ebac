#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

#include "lib/families/attention/attention_case.h"
#include "lib/families/attention/page_hypotheses.h"
#include "lib/families/attention/ring_hypotheses.h"

namespace ropewalk::attention {

using diagnose::Expected;

namespace {

using Range = AttentionProblem::Range;
using Outputs = std::map<std::string, Expected>;

// A hypothesis before its output is computed.
struct Draft {
  std::string cause, text, advice;
  AttentionCase read;
};

class Drafts {
 public:
  Drafts(const AttentionCase& right, const Launch& launch) : right_(right), problem_(right.problem), launch_(launch) {}

  std::vector<Draft> all() {
    of_scores();
    of_slopes();
    of_causal();
    of_windows();
    of_masked_keys();
    of_tiles();
    of_heads();
    of_batches();
    of_sequences();
    of_lse();
    of_gradients();
    of_pages();
    of_parts();
    of_sizes();
    return std::move(drafts_);
  }

 private:
  // Adds a hypothesis that is the right one as yet.
  AttentionCase& add(const std::string& cause, const std::string& text, const std::string& advice) {
    drafts_.push_back({cause, text, advice, right_});
    return drafts_.back().read;
  }

  void of_scores() {
    const double scale = problem_.score_scale();
    add("scale-missing", fmt::format("scores are not scaled by {:.6g}", scale), "multiply q.k by the scale, once")
        .problem.scale = 1;
    add("scale-doubled", fmt::format("scores are scaled by {:.6g} twice", scale), "multiply q.k by the scale, once")
        .problem.scale = scale * scale;
    if (problem_.softcap > 0) {
      add(right_.backward() ? "softcap-missing-in-backward" : "softcap-missing",
          fmt::format("scores are not capped at {:.6g}", problem_.softcap),
          "score = softcap tanh(score / softcap), before masks and biases")
          .problem.softcap = 0;
    }
    if (problem_.sink && !right_.backward() && problem_.splits == 1) {
      add("sink-missing", "the sink of each head is left out",
          "add exp(sink) to the sum of each row's exponentials, and to its lse")
          .sinks.clear();
    }
  }

  void of_slopes() {
    if (!problem_.alibi) return;
    const char* const advice = "subtract 2^(-8 (head + 1) / heads) times the distance";
    for (double& slope : add("alibi-slope", "the distance is added to scores, not subtracted", advice).slopes) {
      slope = -slope;
    }
    add("alibi-slope", "the slopes are left out", advice).slopes.clear();
    std::vector<double>& reversed = add("alibi-slope", "the slopes of the heads are in the other order", advice).slopes;
    std::reverse(reversed.begin(), reversed.end());
    std::vector<double>& shifted =
        add("alibi-slope", "heads are counted from 0 in the exponent of the slope", advice).slopes;
    for (u64 head = 0; head < shifted.size(); ++head)
      shifted[head] = std::exp2(-8.0 * double(head) / double(problem_.heads));
  }

  void of_causal() {
    if (problem_.causal == Causal::TopLeft) return;
    add("causal-top-left", "the first query is at the position of the first key, not the last at that of the last",
        "query i of Tq is at the position of key i + Tk - Tq")
        .hypothesis.own_key = [](i64 query, i64, i64) { return query; };
  }

  // Adds a hypothesis of a window [own - left, own + right]; -1 stands for itself.
  void window(const std::string& cause, const std::string& text, const std::string& advice, bool any_left, i64 left,
              bool any_right, i64 right) {
    add(cause, text, advice).hypothesis.visible = [=](i64 own, i64 keys) {
      return Range{any_left ? 0 : std::max<i64>(0, own - left), any_right ? keys : std::min(keys, own + right + 1)};
    };
  }

  void of_windows() {
    const i64 left = problem_.window_left(), right = problem_.window_right();
    const bool any_left = left < 0, any_right = right < 0;
    const char* const advice =
        "a query sees its own key, `left` keys before it and `right` behind it; -1 is all of them";
    for (const i64 more : {1, -1}) {
      const char* const word = more > 0 ? "many" : "few";
      if (!any_left)
        window("window-off-by-one", fmt::format("a query sees one key too {} to the left", word), advice, false,
               left + more, any_right, right);
      if (!any_right)
        window("window-off-by-one", fmt::format("a query sees one key too {} to the right", word), advice, any_left,
               left, false, right + more);
    }
    const char* const number = "-1, which leaves the {} open, is taken for a number of keys";
    if (any_left)
      window("window-sentinel", fmt::format(fmt::runtime(number), "left"), advice, false, -1, any_right, right);
    if (any_right)
      window("window-sentinel", fmt::format(fmt::runtime(number), "right"), advice, any_left, left, false, -1);
    if (any_left && any_right)
      window("window-sentinel", "(-1, -1), which is no window, is taken for numbers of keys", advice, false, -1, false,
             -1);
    if (left == 0)
      window("window-sentinel", "0 keys to the left are taken for all of them", advice, true, 0, any_right, right);
    if (right == 0)
      window("window-sentinel", "0 keys to the right are taken for all of them", advice, any_left, left, true, 0);
  }

  void of_masked_keys() {
    for (const double sentinel : {-1e4, -5e4, -65504.0, -1e9, -1e30}) {
      add("mask-sentinel", fmt::format("masked keys have a score of {:g}, not -inf", sentinel),
          "a masked key has a weight of 0, whatever the other scores are; a row that sees nothing has out = 0, lse = "
          "-inf")
          .hypothesis.masked_score = sentinel;
    }
    if (right_.backward()) return;
    // The largest of no scores is -inf, and -inf - -inf is no number.
    add("masked-nan", "rows that see no key become NaN", "a row that sees no key has out = 0 and lse = -inf")
        .afterwards = [columns = u64(problem_.columns_of_values()), rows = lse_rows(), out = right_.out_name(),
                       of_lse = right_.lse_name()](Outputs& all) {
      std::vector<double>& lse = all[of_lse].value;
      for (u64 row = 0; row < rows.size(); ++row) {
        if (lse[rows[row]] != -HUGE_VAL) continue;
        lse[rows[row]] = NAN;
        std::fill_n(&all[out].value[row * columns], columns, NAN);
      }
    };
  }

  // By row of out (part x token x head): its index in lse.
  std::vector<u64> lse_rows() const {
    const i64 heads = problem_.heads, tokens = problem_.query_tokens, batch = problem_.varlen() ? 1 : problem_.batch;
    std::vector<u64> rows;
    for (i64 n = 0; n < problem_.splits * batch * tokens * heads; ++n) {
      const i64 head = n % heads, token = n / heads % tokens, sequence = n / heads / tokens;
      rows.push_back(u64((sequence * heads + head) * tokens + token));
    }
    return rows;
  }

  void of_tiles() {
    for (const i64 tile : {16, 32, 64, 128}) {
      if (problem_.longest_keys() % tile == 0 && !problem_.varlen()) continue;
      add("tail-tile-dropped", fmt::format("keys past the last whole tile of {} are left out", tile),
          "round the number of tiles up, and mask the keys past the last one")
          .hypothesis.visible = [tile, problem = problem_](i64 own, i64 keys) {
        Range seen = problem.keys_around(own, keys);
        seen.last = std::min(seen.last, keys / tile * tile);
        return seen;
      };
    }
  }

  // k and v as if head h of q had those of `head_of(h)`.
  void of_heads() {
    const i64 heads = problem_.heads, key_heads = problem_.heads_of_keys();
    if (key_heads == heads || key_heads == 1 || right_.backward()) return;
    AttentionCase& hypothesis =
        add("gqa-head-mapping",
            fmt::format("head h of q has the keys of head h % {}, not h / {}", key_heads, heads / key_heads),
            "heads of q that share a head of k are neighbours: h / (H / Hk)");
    hypothesis.problem.key_heads = 0;
    const auto dealt_out = [&](const std::vector<double>& from, i64 columns) {
      std::vector<double> all;
      for (i64 token = 0; token < i64(from.size()) / (key_heads * columns); ++token) {
        for (i64 head = 0; head < heads; ++head) {
          const auto row = from.begin() + (token * key_heads + head % key_heads) * columns;
          all.insert(all.end(), row, row + columns);
        }
      }
      return all;
    };
    hypothesis.k = dealt_out(right_.k, problem_.head_dim);
    hypothesis.v = dealt_out(right_.v, problem_.columns_of_values());
  }

  // Rows of all sequences as those from `first(sequence)` on, in tokens.
  template <class First>
  std::vector<double> moved(const std::vector<double>& from, i64 tokens, First first) const {
    const i64 token = i64(from.size()) / (problem_.batch * tokens);
    std::vector<double> all;
    for (i64 sequence = 0; sequence < problem_.batch; ++sequence) {
      const auto start = from.begin() + first(sequence) * token;
      all.insert(all.end(), start, start + tokens * token);
    }
    return all;
  }

  void of_batches() {
    if (problem_.varlen() || problem_.batch < 2 || right_.backward()) return;
    const char* const advice = "a sequence begins at its number times the batch stride of each tensor";
    const i64 queries = problem_.query_tokens, keys = problem_.key_tokens;
    const auto none = [](i64) { return i64(0); };
    const auto token = [](i64 sequence) { return sequence; };
    const auto k = [&](auto first) { return moved(right_.k, keys, first); };
    const auto v = [&](auto first) { return moved(right_.v, keys, first); };
    add("batch-stride", "all sequences have the queries of the first", advice).q = moved(right_.q, queries, none);
    add("batch-stride", "the queries of sequence b begin at token b", advice).q = moved(right_.q, queries, token);
    if (problem_.page_size) return;  // pages are of_pages's
    add("batch-stride", "all sequences have the keys of the first", advice).k = k(none);
    add("batch-stride", "all sequences have the values of the first", advice).v = v(none);
    AttentionCase& both = add("batch-stride", "all sequences have the keys and values of the first", advice);
    both.k = k(none);
    both.v = v(none);
    AttentionCase& tokens = add("batch-stride", "the keys and values of sequence b begin at token b", advice);
    tokens.k = k(token);
    tokens.v = v(token);
  }

  void of_sequences() {
    if (!problem_.varlen() || problem_.longest_queries() != 1) return;
    std::vector<i64>& list =
        add("empty-sequence", "sequence b is taken to have row b, as if each had one",
            "a sequence's rows begin at its entry of cu_seqlens, also where none has more than one")
            .problem.cu_seqlens_q;
    for (i64 n = 0; n < i64(list.size()); ++n) list[u64(n)] = std::min(n, problem_.cu_seqlens_q.back());
  }

  void of_lse() {
    const char* const advice = "lse = largest + log(sum), in base e: multiply one in base 2 by log(2)";
    if (right_.backward()) {
      for (double& lse : add("lse-base", "lse is taken to be in base 2", advice).lse) lse *= std::numbers::ln2;
      return;
    }
    add("lse-base", "lse is in base 2", advice).afterwards = [lse = right_.lse_name()](Outputs& all) {
      multiply(all[lse], std::numbers::log2e);
    };
    add("lse-without-maximum", "lse lacks the largest score, which is subtracted before the exponentials", advice)
        .hypothesis.lse_lacks_largest = true;
  }

  static void multiply(Expected& expected, double factor) {
    for (double& value : expected.value) value *= factor;
    for (double& bound : expected.bound) bound *= factor;
  }

  void of_gradients() {
    if (!right_.backward()) return;
    const double scale = problem_.score_scale();
    const auto scaled = [&](const char* cause, const std::string& text, double factor) {
      add(cause, text, "dq = scale sum ds k and dk = scale sum ds q").afterwards = [=](Outputs& all) {
        multiply(all["dq"], factor);
        multiply(all["dk"], factor);
      };
    };
    scaled("scale-missing", fmt::format("dq and dk lack the factor {:.6g}, the scale", scale), 1 / scale);
    scaled("scale-doubled", fmt::format("dq and dk have the factor {:.6g}, the scale, twice", scale), scale);
    if (problem_.softcap > 0) {
      add("softcap-missing-in-backward", "the slope of the cap, 1 - tanh^2, is left out of the gradient",
          "multiply the gradient of a score by 1 - tanh^2(score / softcap), for dq and for dk")
          .hypothesis.softcap_slope_lost = true;
    }
    std::vector<double>& delta = add("delta-missing", "delta is left out: the weights' sum is taken to be free",
                                     "subtract delta, dout.out of the row, from dout.v")
                                     .delta;
    std::fill(delta.begin(), delta.end(), 0.0);
    const i64 group = problem_.heads / problem_.heads_of_keys();
    for (const i64 kept : {i64(0), group - 1}) {
      if (group > 1) one_of_group(kept, group);
    }
  }

  // dk and dv of one head of q alone of those that share a head of k: others have no gradient.
  void one_of_group(i64 kept, i64 group) {
    AttentionCase& hypothesis = add(
        "gqa-accumulation",
        fmt::format("of the {} heads that share a head of k the {} alone is kept", group, kept == 0 ? "first" : "last"),
        "dk and dv are sums over all heads of q that share the head of k");
    const i64 columns = problem_.columns_of_values(), heads = problem_.heads;
    for (i64 n = 0; n < i64(hypothesis.dout.size()); ++n) {
      if (n / columns % heads % group != kept) hypothesis.dout[u64(n)] = 0;
    }
    const i64 tokens = problem_.query_tokens;
    for (i64 n = 0; n < i64(hypothesis.delta.size()); ++n) {
      if (n / tokens % heads % group != kept) hypothesis.delta[u64(n)] = 0;
    }
    hypothesis.afterwards = [](Outputs& all) {
      std::fill(all["dq"].bound.begin(), all["dq"].bound.end(), diagnose::anything);
    };
  }

  // Keys from other rows of the pages, as far as the table says of them.
  void of_pages() {
    for (const PageHypothesis& hypothesis : page_hypotheses(problem_, launch_)) {
      if (hypothesis.values_alone) continue;
      AttentionCase& read = add(hypothesis.cause, hypothesis.text, hypothesis.advice);
      if (hypothesis.all_keys) read.problem.key_lengths.clear();
      if (problem_.page_size) read.take_keys_from(cached_rows_of(hypothesis, problem_, launch_));
    }
  }

  void of_parts() {
    if (problem_.splits == 1) return;
    const i64 splits = problem_.splits;
    add("split-range", fmt::format("keys behind {} equal parts are in none", splits),
        "round the size of a part up, so that the last one is the shorter")
        .parts.part_of = [splits](i64 split, i64 keys) {
      const i64 most = keys / splits;
      return Range{split * most, (split + 1) * most};
    };
    if (problem_.sink) {
      add("sink-in-every-part", fmt::format("each of {} parts counts the sink", splits),
          "count the sink once: in the merge, or in one part")
          .parts.with_sink = true;
    }
  }

  // Keys that are left where the bytes of all of a sequence's are counted in 32 bits.
  void of_sizes() {
    const i64 number = launch_.tensor_named("k");
    if (number < 0 || problem_.page_size) return;
    const LaunchTensor& k = launch_.tensors[u64(number)];
    const i64 of_key = k.strides[k.strides.size() - 3] * i64(size_of(k.dtype));
    const auto counted = [of_key](i64 keys) { return std::max<i64>(0, i32(u32(u64(keys * of_key)))) / of_key; };
    const i64 longest = problem_.longest_keys();
    if (counted(longest) == longest) return;
    AttentionCase& hypothesis = add("int32-overflow",
                                    fmt::format("{} keys of {} bytes are {} bytes, of which 32 bits leave {} keys",
                                                longest, of_key, longest * of_key, counted(longest)),
                                    "count bytes in 64 bits");
    if (problem_.splits > 1) {
      hypothesis.parts.part_of = [counted, splits = problem_.splits](i64 split, i64 keys) {
        const i64 left = counted(keys), most = (left + splits - 1) / splits;
        return Range{std::min(left, split * most), std::min(left, (split + 1) * most)};
      };
      return;
    }
    hypothesis.hypothesis.visible = [counted, problem = problem_](i64 own, i64 keys) {
      Range seen = problem.keys_around(own, keys);
      seen.last = std::min(seen.last, counted(keys));
      return seen;
    };
  }

  const AttentionCase& right_;
  const AttentionProblem& problem_;
  const Launch& launch_;
  std::vector<Draft> drafts_;
};

Expected part_of(const Expected& whole, const std::vector<u64>& elements) {
  Expected part;
  for (const u64 element : elements) {
    part.value.push_back(whole.value[element]);
    part.bound.push_back(whole.bound[element]);
  }
  return part;
}

}  // namespace

std::vector<diagnose::OutputHypothesis> attention_hypotheses(const LaunchTensor& output,
                                                             const AttentionProblem& problem,
                                                             const diagnose::Scene& scene) {
  const auto right = attention_case(problem, scene.launch);
  if (!right) return merge_hypotheses(output, problem, scene);
  const compare::RankedName name = compare::ranked_name(output.name).value_or(compare::RankedName{output.name, 0});
  std::vector<u64> elements;  // of a ring: of the rank's part in the whole
  if (right->ring) {
    elements = compare::RingPositions(problem).elements(output.shape, name.rank);
  }
  std::vector<diagnose::OutputHypothesis> hypotheses;
  for (const Draft& draft : Drafts(*right, scene.launch).all()) {
    Outputs all = draft.read.expected();
    if (!all.contains(name.tensor)) return {};
    Expected& whole = all[name.tensor];
    hypotheses.push_back(
        {draft.cause, draft.text, draft.advice, right->ring ? part_of(whole, elements) : std::move(whole)});
  }
  if (right->ring) std::ranges::move(ring_hypotheses(name, *right), std::back_inserter(hypotheses));
  return hypotheses;
}

}  // namespace ropewalk::attention
