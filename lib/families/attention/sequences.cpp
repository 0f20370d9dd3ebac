#include "lib/families/attention/sequences.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/compare/ring_tensors.h"
#include "lib/diagnose/attention_facts.h"
#include "lib/diagnose/touched.h"
#include "lib/problem/attention.h"
#include "lib/problem/ring_order.h"

namespace ropewalk::attention {

using diagnose::attention_problem;
using diagnose::Scene;
using diagnose::tensor_of;

namespace {

// The queries, as rows of q, of sequences without keys.
std::vector<i64> queries_without_keys(const AttentionProblem& problem) {
  std::vector<i64> rows;
  for (i64 sequence = 0; problem.varlen() && sequence < problem.sequences(); ++sequence) {
    if (problem.keys_of(sequence) != 0) continue;
    for (i64 n = 0; n < problem.queries_of(sequence); ++n) rows.push_back(problem.first_query_of(sequence) + n);
  }
  return rows;
}

std::optional<Cause> not_written(const Finding& finding, const LaunchTensor& tensor, const AttentionProblem& problem) {
  const std::vector<i64> queries = queries_without_keys(problem);
  if (queries.empty() || !finding.footprint.complete) return std::nullopt;
  std::vector<i64> missing;
  // out is [rows, H, Dv], lse [H, rows].
  const u64 dimension = tensor.name == "lse" ? tensor.shape.size() - 1 : 0;
  for (const i64 element : finding.footprint.elements) missing.push_back(index_of(tensor.shape, element)[dimension]);
  diagnose::sort_unique(missing);
  if (missing != queries) return std::nullopt;
  return Cause{"empty-sequence",
               fmt::format("the {} queries of sequences without keys are not written", queries.size()),
               {fmt::format("exactly the rows of {} of sequences without keys are missing, the first is {}",
                            tensor.name, queries.front())},
               "a query that sees no key has out = 0 and lse = -inf, also where its sequence has no keys"};
}

// Rows past the end are those that sequences would have had with one each.
std::optional<Cause> one_row_each(const LaunchTensor& tensor, const AttentionProblem& problem, const Scene& scene) {
  if (problem.longest_queries() != 1 || !diagnose::has_sound_lists(scene)) return std::nullopt;
  // q and out are [rows, H, columns], lse [H, rows].
  const u64 dimension = tensor.shape.size() == 2 ? 1 : 0;
  const i64 sequences = problem.sequences(), rows = tensor.shape[dimension], stride = tensor.strides[dimension];
  const diagnose::Outside outside = diagnose::outside_of(tensor, scene);
  const i64 over = (sequences - rows) * stride;
  if (sequences <= rows || !outside.only_past() || outside.reach() > over) return std::nullopt;
  if (outside.complete && outside.reach() != over) return std::nullopt;
  return Cause{"empty-sequence",
               fmt::format("sequence b is taken to have row b, and of {} sequences only {} have one", sequences,
                           problem.cu_seqlens_q.back()),
               {diagnose::reach_text(tensor, outside),
                fmt::format("{} sequences x {} elements a row less {} rows = {}", sequences, stride, rows, over)},
               "a sequence's rows begin at its entry of cu_seqlens, also where none has more than one"};
}

// Queries that see no key at all.
i64 blind_queries_of(const AttentionProblem& problem) {
  i64 blind = 0;
  for (i64 sequence = 0; sequence < problem.sequences(); ++sequence) {
    const i64 queries = problem.queries_of(sequence), keys = problem.keys_of(sequence);
    for (i64 query = 0; query < queries; ++query) {
      const AttentionProblem::Range seen = problem.visible_keys(query, queries, keys);
      blind += seen.last <= seen.first;
    }
  }
  return blind;
}

// Of a sequence of a ring: how often a query sees no key of a rank.
i64 blind_steps_of(const AttentionProblem& problem, i64 sequence) {
  const RingOrder order = RingOrder::of(problem, sequence);
  const i64 tokens = problem.keys_of(sequence);
  std::vector<i64> rank_of(tokens, 0);
  for (i64 rank = 0; rank < order.ranks; ++rank) {
    for (i64 token = 0; token < order.tokens; ++token) rank_of[u64(order.position_of(rank, token))] = rank;
  }
  i64 blind = 0;
  for (i64 query = 0; query < tokens; ++query) {
    const AttentionProblem::Range seen = problem.keys_around(query, tokens);
    std::vector<i64> met(rank_of.begin() + seen.first, rank_of.begin() + std::max(seen.first, seen.last));
    diagnose::sort_unique(met);
    blind += order.ranks - i64(met.size());
  }
  return blind;
}

i64 blind_steps_of(const AttentionProblem& problem) {
  i64 blind = 0;
  for (i64 n = 0; problem.ranks > 1 && n < problem.sequences(); ++n) blind += blind_steps_of(problem, n);
  return blind;
}

}  // namespace

std::optional<Cause> empty_sequence(const Finding& finding, const Scene& scene) {
  const AttentionProblem* problem = attention_problem(scene);
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (!problem || !tensor || !problem->varlen()) return std::nullopt;
  if (finding.rule == Rule::OutputNotWritten) return not_written(finding, *tensor, *problem);
  const bool of_queries = tensor->name == "q" || tensor->name == "out" || tensor->name == "lse";
  return diagnose::is_out_of_bounds(finding) && of_queries ? one_row_each(*tensor, *problem, scene) : std::nullopt;
}

std::optional<Cause> block_without_sequence(const Finding& finding, const Scene& scene) {
  const AttentionProblem* problem = attention_problem(scene);
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (!problem || !tensor || !problem->varlen() || finding.rule != Rule::OutOfBoundsRead) return std::nullopt;
  if (!tensor->name.starts_with("cu_seqlens")) return std::nullopt;
  const Dim3& grid = scene.launch.grid;
  const i64 blocks = i64(grid.x) * grid.y * grid.z, rows = problem->sequences() * problem->heads;
  const diagnose::Outside outside = diagnose::outside_of(*tensor, scene);
  if (blocks <= rows || blocks % problem->heads || !outside.only_past()) return std::nullopt;
  const i64 more = blocks / problem->heads - problem->sequences();
  if (outside.reach() > more) return std::nullopt;
  return Cause{
      "block-without-sequence",
      fmt::format("there are blocks for {} sequences, and {} sequences", blocks / problem->heads, problem->sequences()),
      {fmt::format("{}: the entries of sequences that do not exist", diagnose::reach_text(*tensor, outside))},
      "hold a block's sequence against the number of sequences before its entries are read"};
}

std::optional<Cause> nan_of_blind_rows(const Finding& finding, const Scene& scene) {
  const AttentionProblem* problem = attention_problem(scene);
  // A NaN that an input had is none of these rows', and a backward is given lse: what it makes of -inf, hypotheses
  // tell.
  if (!problem || finding.rule != Rule::NonfiniteOrigin || problem->sink || compare::is_backward(scene.launch) ||
      finding.message.ends_with("taken over from an input")) {
    return std::nullopt;
  }
  if (const i64 steps = blind_steps_of(*problem)) {
    return Cause{"masked-nan",
                 "rows that see no key in a step become NaN",
                 {fmt::format("of {} steps of {} ranks, {} queries see no key of the rank whose turn it is: lse is "
                              "-inf, and -inf - -inf is NaN",
                              problem->ranks, problem->ranks, steps)},
                 "a step that sees nothing has lse = -inf and leaves what was merged before it as it is"};
  }
  const i64 blind = blind_queries_of(*problem);
  if (blind == 0) return std::nullopt;
  return Cause{
      "masked-nan",
      "rows that see no key become NaN",
      {fmt::format("{} queries see no key: the largest of their scores is -inf, and -inf - -inf is NaN", blind)},
      "a row that sees no key has out = 0 and lse = -inf"};
}

std::optional<Cause> values_behind_keys(const Finding& finding, const Scene& scene) {
  const AttentionProblem* problem = attention_problem(scene);
  const LaunchTensor* tensor = tensor_of(finding, scene);
  const bool outside_region = finding.rule == Rule::IndexOutOfField && !diagnose::broken_statement(finding);
  if (!problem || !tensor || diagnose::is_of_cache(*tensor, scene) || tensor->name != "v" ||
      (!diagnose::is_out_of_bounds(finding) && !outside_region))
    return std::nullopt;
  // A kernel that reads k too far as well lacks a mask of rows.
  const bool keys_too = std::any_of(scene.findings.begin(), scene.findings.end(), [&](const Finding& other) {
    const LaunchTensor* of = tensor_of(other, scene);
    return of && of->name == "k";
  });
  const i64 keys = problem->varlen() ? problem->cu_seqlens_k.back() : problem->key_tokens * problem->batch;
  const i64 token = tensor->strides[tensor->strides.size() - 3];
  const diagnose::Outside outside = diagnose::outside_of(*tensor, scene);
  constexpr i64 largest_tile = 128;
  if (keys_too || !outside.before.empty() || outside.reach() > largest_tile * token) return std::nullopt;
  const i64 last_keys = problem->keys_of(problem->sequences() - 1);
  for (i64 tile = 16; tile <= largest_tile && diagnose::is_out_of_bounds(finding); tile *= 2) {
    const i64 rows = (last_keys + tile - 1) / tile * tile - last_keys;
    const i64 rows_past = (outside.reach() + token - 1) / token;
    if (rows == 0 ||
        rows_past != rows - (element_count(tensor->shape) / (tensor->shape.back() * problem->heads_of_keys()) - keys))
      continue;
    return Cause{"masked-nan",
                 fmt::format("v is read {} rows past the last key, up to the end of a tile of {}", rows, tile),
                 {fmt::format("{}, k is not", diagnose::reach_text(*tensor, outside)),
                  "weights of 0 do not mask what is there: 0 x NaN is NaN"},
                 "load rows of v past the last key as zeros, as those of k"};
  }
  return std::nullopt;
}

}  // namespace ropewalk::attention
