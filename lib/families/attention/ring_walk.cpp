#include "lib/families/attention/ring_walk.h"

#include <algorithm>
#include <cmath>

#include "reference/merged_parts.h"
#include "reference/rounding.h"

namespace ropewalk::attention {

using diagnose::Expected;

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

// Out and lse of a row while parts are merged into it.
struct Row {
  double lse = nothing, lse_bound = 0;
  std::vector<double> out, bound;
  i64 parts = 0;  // that saw anything

  explicit Row(i64 columns) : out(u64(columns)), bound(u64(columns)) {}

  void merge(const Row& part, RingMerge rule) {
    if (part.lse == nothing) return;
    ++parts;
    const double largest = std::max(lse, part.lse);
    const double merged = largest + std::log(std::exp(lse - largest) + std::exp(part.lse - largest));
    const double right_kept = std::exp(lse - merged), right_share = std::exp(part.lse - merged);
    double kept = right_kept, share = right_share;
    if (rule == RingMerge::Summed) kept = share = 1;
    if (rule == RingMerge::NotRescaled) kept = 1;
    if (rule == RingMerge::NotWeighted) share = 1;
    if (rule == RingMerge::Mean) share = 1 / double(parts), kept = 1 - share;
    if (rule == RingMerge::Last) kept = 0, share = 1;
    for (u64 n = 0; n < out.size(); ++n) {
      out[n] = kept * out[n] + share * part.out[n];
      bound[n] = kept * bound[n] + share * part.bound[n];
    }
    lse = merged;
    lse_bound = std::max(lse_bound, part.lse_bound);
  }
};

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

RingParts::RingParts(const AttentionCase& right)
    : right_(right), problem_(right.problem), order_(RingOrder::of(right.problem, 0)) {}

template <class Taken>
std::vector<RingParts::Run> RingParts::runs_of(i64 rank, Taken taken) const {
  std::vector<Run> runs;
  for (i64 token = 0; token < order_.tokens; ++token) {
    const i64 position = order_.position_of(rank, token), taken_position = taken(token);
    Run* const last = runs.empty() ? nullptr : &runs.back();
    if (last && position == last->position + last->count && taken_position == last->taken + last->count) {
      ++last->count;
    } else {
      runs.push_back({token, 1, position, taken_position});
    }
  }
  return runs;
}

std::vector<RingParts::Run> RingParts::query_runs(const RingWalk& walk, i64 rank) const {
  return runs_of(rank, [&](i64 token) {
    return walk.query_position ? walk.query_position(rank, token) : order_.position_of(rank, token);
  });
}

std::vector<RingParts::Run> RingParts::key_runs(const RingWalk& walk, i64 rank, i64 source) const {
  std::vector<Run> runs = runs_of(source, [&](i64 token) {
    return walk.key_position ? walk.key_position(rank, source, token) : order_.position_of(source, token);
  });
  const i64 end = order_.ranks * order_.tokens;
  for (Run& run : runs) run.count = std::min(run.count, end - run.taken);
  std::erase_if(runs, [](const Run& run) { return run.count <= 0; });
  return runs;
}

// The run's tokens of a tensor of `outer` x all tokens x something.
std::vector<double> RingParts::cut(const std::vector<double>& whole, i64 outer, const Run& run) const {
  return cut_tokens(whole, outer, order_.tokens * order_.ranks, run.position, run.count);
}

const std::map<std::string, Expected>& RingParts::part(const Run& queries, const Run& keys) {
  const i64 distance = queries.taken - keys.taken;
  auto& known = parts_[{queries.position, keys.position, queries.count, keys.count, distance}];
  if (!known.empty()) return known;
  AttentionCase one;
  one.problem = problem_;
  one.problem.query_tokens = queries.count;
  one.problem.key_tokens = keys.count;
  one.problem.ranks = 1;
  one.problem.dtype = Dtype::F32;  // parts are not rounded, and add up to what is
  const i64 batch = problem_.batch, rows = batch * problem_.heads;
  one.q = cut(right_.q, batch, queries);
  one.k = cut(right_.k, batch, keys);
  one.v = cut(right_.v, batch, keys);
  one.slopes = right_.slopes;
  if (right_.backward()) {
    one.dout = cut(right_.dout, batch, queries);
    one.lse = cut(right_.lse, rows, queries);
    one.delta = cut(right_.delta, rows, queries);
  }
  one.hypothesis.own_key = [distance](i64 query, i64, i64) { return query + distance; };
  return known = one.expected();
}

void RingParts::round(Expected& expected) const {
  if (problem_.dtype == Dtype::F32) return;
  const reference::Rounding rounding = reference::Rounding::of(problem_.dtype);
  for (u64 n = 0; n < expected.value.size(); ++n) {
    const double reach = std::abs(expected.value[n]) + expected.bound[n];
    expected.bound[n] = reach < rounding.overflow ? expected.bound[n] + rounding.error(reach) : diagnose::anything;
  }
}

std::map<std::string, Expected> RingParts::forward(const RingWalk& walk, i64 rank) {
  const i64 heads = problem_.heads, columns = problem_.columns_of_values(), tokens = order_.tokens;
  Expected out = Expected::of_size(problem_.batch * tokens * heads * columns),
           lse = Expected::of_size(problem_.batch * heads * tokens);
  const double largest_value = largest_of(right_.v);
  for (const Run& queries : query_runs(walk, rank)) {
    const i64 rows = problem_.batch * queries.count * heads;
    for (i64 n = 0; n < rows; ++n) {
      const i64 head = n % heads, query = n / heads % queries.count, sequence = n / heads / queries.count;
      const i64 in_part = (sequence * heads + head) * queries.count + query;
      const double sink = right_.sinks.empty() ? nothing : right_.sinks[u64(head)];
      const auto empty = [&](bool with_sink) {
        Row row(columns);
        if (with_sink) row.lse = sink;
        return row;
      };
      Row all = empty(!walk.sink_in_steps);
      bool is_number = true;
      for (const i64 step : walk.steps) {
        const i64 source = order_.source_of(rank, step);
        Row of_step = empty(walk.sink_in_steps);
        for (const Run& keys : key_runs(walk, rank, source)) {
          const std::map<std::string, Expected>& known = part(queries, keys);
          const Expected &part_out = known.at("out"), &part_lse = known.at("lse");
          Row piece(columns);
          piece.lse = part_lse.value[u64(in_part)];
          piece.lse_bound = part_lse.bound[u64(in_part)];
          std::copy_n(part_out.value.begin() + n * columns, columns, piece.out.begin());
          std::copy_n(part_out.bound.begin() + n * columns, columns, piece.bound.begin());
          of_step.merge(piece, RingMerge::Right);
        }
        const bool is_blind = of_step.lse == nothing;
        if (is_blind && (walk.nan_of_blind_steps || (walk.nan_of_blind_start && all.lse == nothing))) is_number = false;
        if (!is_blind) of_step.lse *= walk.lse_factor;
        all.merge(of_step, walk.merge);
      }
      const i64 token = queries.first + query, to = ((sequence * tokens + token) * heads + head) * columns;
      const i64 lse_at = (sequence * heads + head) * tokens + token;
      const reference::MergingError error =
          reference::merging_error(all.lse == nothing ? 0 : all.lse, i64(walk.steps.size()) + 1, problem_.key_tokens);
      lse.value[u64(lse_at)] = is_number ? all.lse : NAN;
      lse.bound[u64(lse_at)] = std::max(1.0, walk.lse_factor) * all.lse_bound + error.lse;
      for (i64 column = 0; column < columns; ++column) {
        out.value[u64(to + column)] = is_number ? all.out[u64(column)] : NAN;
        out.bound[u64(to + column)] = all.bound[u64(column)] + error.weight * largest_value;
      }
    }
  }
  round(out);
  return {{"out", std::move(out)}, {"lse", std::move(lse)}};
}

namespace {

// Adds rows of a run [B, count, inner] to those of the rank [B, tokens, inner].
void add_run(Expected& sum, const Expected& run, i64 batch, i64 first, i64 count) {
  const i64 inner = i64(run.value.size()) / (batch * count), tokens = i64(sum.value.size()) / (batch * inner);
  for (i64 n = 0; n < i64(run.value.size()); ++n) {
    const i64 sequence = n / (count * inner), within = n % (count * inner);
    const u64 to = u64((sequence * tokens + first) * inner + within);
    sum.value[to] += run.value[u64(n)];
    sum.bound[to] += run.bound[u64(n)];
  }
}

}  // namespace

std::map<std::string, Expected> RingParts::queries_backward(const RingWalk& walk, i64 rank) {
  Expected dq = Expected::of_size(i64(right_.q.size()) / order_.ranks);
  for (const i64 step : walk.steps) {
    for (const Run& queries : query_runs(walk, rank)) {
      for (const Run& keys : key_runs(walk, rank, order_.source_of(rank, step))) {
        add_run(dq, part(queries, keys).at("dq"), problem_.batch, queries.first, queries.count);
      }
    }
  }
  round(dq);
  return {{"dq", std::move(dq)}};
}

std::map<std::string, Expected> RingParts::keys_backward(const RingWalk& walk, i64 rank) {
  Expected dk = Expected::of_size(i64(right_.k.size()) / order_.ranks),
           dv = Expected::of_size(i64(right_.v.size()) / order_.ranks);
  for (const i64 step : walk.steps) {
    const i64 visitor = order_.visitor_of(rank, step);
    for (const Run& queries : query_runs(walk, visitor)) {
      for (const Run& keys : key_runs(walk, visitor, rank)) {
        const std::map<std::string, Expected>& known = part(queries, keys);
        add_run(dk, known.at("dk"), problem_.batch, keys.first, keys.count);
        add_run(dv, known.at("dv"), problem_.batch, keys.first, keys.count);
      }
    }
  }
  round(dk);
  round(dv);
  return {{"dk", std::move(dk)}, {"dv", std::move(dv)}};
}

}  // namespace ropewalk::attention
