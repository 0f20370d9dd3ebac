#include "lib/compare/expect_attention.h"

#include "lib/compare/elements.h"
#include "lib/compare/named_tensors.h"
#include "reference/attention.h"

namespace ropewalk {

void expect_answer_of(const AttentionProblem& problem, Launch& launch) {
  const auto values_of = [&](const char* name) {
    return launch.tensor_named(name) < 0 ? std::vector<double>{} : initial_values(tensor_of(launch, name));
  };
  const std::vector<double> q = values_of("q"), k = values_of("k"), v = values_of("v");
  const std::vector<double> slopes = values_of("slopes"), sinks = values_of("sinks");
  AttentionInputs inputs{q.data(), k.data(), v.data()};
  if (!slopes.empty()) inputs.slopes = slopes.data();
  if (!sinks.empty()) inputs.sinks = sinks.data();
  expect_of(launch, "out", [&](ExpectedValues out) {
    expect_of(launch, "lse", [&](ExpectedValues lse) { attention_forward(problem, inputs, out, lse); });
  });
}

}  // namespace ropewalk
