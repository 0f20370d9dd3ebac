#include "lib/families/attention/expect_attention.h"

#include "lib/compare/arithmetic.h"
#include "lib/compare/elements.h"
#include "lib/compare/named_tensors.h"
#include "lib/compare/ring_tensors.h"
#include "lib/families/attention/cached_keys.h"
#include "lib/families/attention/expect_ring.h"
#include "reference/attention.h"
#include "reference/attention_parts.h"

namespace ropewalk::attention {

using compare::expect_of;
using compare::initial_values;
using compare::tensor_of;
using reference::ExpectedValues;

namespace {

// Fills in lse and delta as the forward leaves them, and expects the gradients that come of these.
void expect_gradients(const AttentionProblem& problem, const reference::AttentionInputs& inputs, Launch& launch) {
  const std::vector<double> dout = initial_values(tensor_of(launch, "dout"));
  const Shape shape = tensor_of(launch, "lse").shape;
  std::vector<double> lse(u64(element_count(shape))), delta(lse.size());
  reference::attention_saved(problem, inputs, dout.data(), lse.data(), delta.data());
  const auto fill_in = [&](const char* name, const std::vector<double>& values) {
    Init& init = launch.tensors[u64(launch.tensor_named(name))].init;
    init = Given{std::make_shared<Array>(Array::of(Dtype::F32, shape, values)), ""};
    return initial_values(tensor_of(launch, name));
  };
  lse = fill_in("lse", lse);
  delta = fill_in("delta", delta);
  expect_of(launch, "dq", [&](ExpectedValues q) {
    expect_of(launch, "dk", [&](ExpectedValues k) {
      expect_of(launch, "dv", [&](ExpectedValues v) {
        reference::attention_backward(problem, inputs, dout.data(), {lse.data(), delta.data()}, {q, k, v});
      });
    });
  });
}

// Expects of a merge what becomes of its parts.
void expect_merged(const AttentionProblem& problem, const std::vector<double>& sinks, Launch& launch) {
  const std::vector<double> out_parts = initial_values(tensor_of(launch, "out_partial"));
  const std::vector<double> lse_parts = initial_values(tensor_of(launch, "lse_partial"));
  expect_of(launch, "out", [&](ExpectedValues out) {
    expect_of(launch, "lse", [&](ExpectedValues lse) {
      reference::attention_merge(problem, out_parts.data(), lse_parts.data(), sinks.empty() ? nullptr : sinks.data(),
                                 {}, out, lse);
    });
  });
}

}  // namespace

void expect_answer_of(const AttentionProblem& problem, Launch& launch) {
  if (compare::is_ring(launch)) return expect_ring_answer(problem, launch);
  const auto values_of = [&](const char* name) {
    return launch.tensor_named(name) < 0 ? std::vector<double>{} : initial_values(tensor_of(launch, name));
  };
  const std::vector<double> slopes = values_of("slopes"), sinks = values_of("sinks");
  if (launch.tensor_named("q") < 0) return expect_merged(problem, sinks, launch);
  const std::vector<double> q = values_of("q");
  const std::vector<double> k = keys_in_order(problem, launch, "k"), v = keys_in_order(problem, launch, "v");
  reference::AttentionInputs inputs{q.data(), k.data(), v.data()};
  if (!slopes.empty()) inputs.slopes = slopes.data();
  if (!sinks.empty()) inputs.sinks = sinks.data();
  inputs.tensor_cores = compare::uses_tensor_cores(launch);
  if (compare::is_backward(launch)) return expect_gradients(problem, inputs, launch);
  const bool in_parts = problem.splits > 1;
  expect_of(launch, in_parts ? "out_partial" : "out", [&](ExpectedValues out) {
    expect_of(launch, in_parts ? "lse_partial" : "lse", [&](ExpectedValues lse) {
      in_parts ? reference::attention_parts(problem, inputs, {}, out, lse)
               : reference::attention_forward(problem, inputs, out, lse);
    });
  });
}

}  // namespace ropewalk::attention
