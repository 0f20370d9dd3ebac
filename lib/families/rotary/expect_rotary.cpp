#include "lib/families/rotary/expect_rotary.h"

#include "lib/compare/elements.h"
#include "lib/compare/named_tensors.h"
#include "reference/rotary.h"

namespace ropewalk::rotary {

using compare::expect_of;
using compare::initial_values;
using compare::tensor_of;
using reference::ExpectedValues;

namespace {

void expect_tables(const RotaryProblem& problem, Launch& launch) {
  std::vector<double> frequencies;
  if (problem.given_frequencies) frequencies = initial_values(tensor_of(launch, "frequencies"));
  expect_of(launch, "cos", [&](ExpectedValues cosine) {
    expect_of(launch, "sin", [&](ExpectedValues sine) {
      reference::rotary_cache(problem, frequencies.empty() ? nullptr : frequencies.data(), cosine, sine);
    });
  });
}

}  // namespace

void expect_answer_of(const RotaryProblem& problem, Launch& launch) {
  const bool is_packed = launch.tensor_named("cos_sin") >= 0;
  if (!is_packed && tensor_of(launch, "cos").output) return expect_tables(problem, launch);
  const std::vector<double> cosine = initial_values(tensor_of(launch, is_packed ? "cos_sin" : "cos"));
  const std::vector<double> sine = is_packed ? std::vector<double>{} : initial_values(tensor_of(launch, "sin"));
  const reference::RotaryTable table{cosine.data(), is_packed ? cosine.data() + cosine.size() / 2 : sine.data()};
  if (launch.tensor_named("q") < 0) {
    const std::vector<double> x = initial_values(tensor_of(launch, "x"));
    return expect_of(launch, problem.inplace ? "x" : "out",
                     [&](ExpectedValues out) { reference::rotary_apply(problem, x.data(), table, out); });
  }
  std::vector<i64> positions;
  for (const double position : initial_values(tensor_of(launch, "positions"))) positions.push_back(i64(position));
  for (const char* name : {"q", "k"}) {
    if (launch.tensor_named(name) < 0) continue;
    const LaunchTensor& tensor = tensor_of(launch, name);
    const std::vector<double> x = initial_values(tensor);
    const i64 heads = tensor.shape[1];
    expect_of(launch, name, [&](ExpectedValues out) {
      reference::rotary_at_positions(problem, heads, x.data(), positions.data(), table, out);
    });
  }
}

}  // namespace ropewalk::rotary
