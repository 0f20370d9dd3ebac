#include "lib/families/attention/attention_case.h"

#include "lib/compare/arithmetic.h"
#include "lib/compare/elements.h"
#include "lib/compare/ring_tensors.h"
#include "lib/problem/attention.h"
#include "reference/merged_parts.h"

namespace ropewalk::attention {

using diagnose::Expected;

namespace {

const double* data_of(const std::vector<double>& values) { return values.empty() ? nullptr : values.data(); }

}  // namespace

std::vector<double> cut_tokens(const std::vector<double>& whole, i64 outer, i64 tokens, i64 first, i64 count) {
  const i64 inner = i64(whole.size()) / (outer * tokens);
  std::vector<double> some;
  for (i64 n = 0; n < outer && inner > 0; ++n) {
    const auto start = whole.begin() + (n * tokens + first) * inner;
    some.insert(some.end(), start, start + count * inner);
  }
  return some;
}

std::map<std::string, Expected> AttentionCase::expected() const {
  const i64 batch = problem.varlen() ? 1 : problem.batch, rows = batch * problem.query_tokens * problem.heads;
  const reference::AttentionInputs inputs{q.data(),       k.data(),   v.data(),    data_of(slopes),
                                          data_of(sinks), hypothesis, tensor_cores};
  std::map<std::string, Expected> all;
  const auto room = [&](const std::string& name, i64 count) {
    Expected& one = all[name] = Expected::of_size(count);
    return reference::ExpectedValues{one.value.data(), one.bound.data()};
  };
  if (backward()) {
    const reference::AttentionGradients to{room("dq", i64(q.size())), room("dk", i64(k.size())),
                                           room("dv", i64(v.size()))};
    reference::attention_backward(problem, inputs, dout.data(), {lse.data(), delta.data()}, to);
  } else {
    const i64 all_rows = rows * problem.splits;
    const reference::ExpectedValues out = room(out_name(), all_rows * problem.columns_of_values());
    const reference::ExpectedValues lse = room(lse_name(), all_rows);
    problem.splits > 1 ? reference::attention_parts(problem, inputs, parts, out, lse)
                       : reference::attention_forward(problem, inputs, out, lse);
    if (ring) reference::widen_by_merging(problem, problem.ranks, v.data(), out, lse);
  }
  if (afterwards) afterwards(all);
  return all;
}

AttentionCase AttentionCase::single(i64 sequence) const {
  AttentionCase one = *this;
  one.problem = problem.single(sequence);
  const auto of_queries = [&](const std::vector<double>& whole, i64 outer) {
    return cut_tokens(whole, outer, problem.query_tokens, problem.first_query_of(sequence),
                      problem.queries_of(sequence));
  };
  const auto of_keys = [&](const std::vector<double>& whole) {
    return cut_tokens(whole, 1, problem.key_tokens, problem.first_key_of(sequence), problem.keys_of(sequence));
  };
  one.q = of_queries(q, 1);
  one.k = of_keys(k);
  one.v = of_keys(v);
  one.dout = of_queries(dout, 1);
  one.lse = of_queries(lse, problem.heads);
  one.delta = of_queries(delta, problem.heads);
  return one;
}

void AttentionCase::take_keys_from(const KeyRow& row_of) {
  k = gathered(problem, k_pool, row_of);
  v = gathered(problem, v_pool, row_of);
}

std::optional<AttentionCase> attention_case(const AttentionProblem& problem, const Launch& launch) {
  AttentionCase one;
  one.problem = problem;
  one.ring = compare::is_ring(launch);
  one.tensor_cores = compare::uses_tensor_cores(launch);
  const auto read = [&](const char* name, std::vector<double>& into) {
    if (one.ring && launch.tensor_named(compare::name_of_rank(name, 0)) >= 0) {
      into = compare::RingPositions(problem).whole_values(launch, name);
      return true;
    }
    const i64 number = launch.tensor_named(name);
    if (number >= 0) into = compare::initial_values(launch.tensors[u64(number)]);
    return number >= 0;
  };
  if (!read("q", one.q) || !read("k", one.k) || !read("v", one.v)) return std::nullopt;
  if (problem.page_size) {
    one.k_pool = std::move(one.k);
    one.v_pool = std::move(one.v);
    one.take_keys_from(cached_rows(problem, launch));
  }
  read("slopes", one.slopes);
  read("sinks", one.sinks);
  if (compare::is_backward(launch)) {
    read("dout", one.dout);
    read("lse", one.lse);
    read("delta", one.delta);
  }
  return one;
}

}  // namespace ropewalk::attention
