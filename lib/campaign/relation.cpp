#include "lib/campaign/relation.h"

#include <cmath>
#include <limits>

#include "lib/base/bits.h"
#include "lib/base/error.h"
#include "lib/compare/elements.h"
#include "lib/compare/expect.h"

namespace ropewalk::campaign {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

const LaunchTensor& tensor_of(const Launch& launch, const std::string& name) {
  const i64 number = launch.tensor_named(name);
  if (number < 0) throw InternalError("the launch of " + launch.kernel_name + " has no tensor " + name);
  return launch.tensors[u64(number)];
}

}  // namespace

RelationScene::RelationScene(const Trial& trial, const Launch& launch, const Outcome& outcome, Executor& executor,
                             const RunOptions& options)
    : trial_(trial), launch_(launch), outcome_(outcome), executor_(executor), options_(options) {
  options_.coverage = options_.count = false;
}

const LaunchTensor& RelationScene::tensor(const std::string& name) const { return tensor_of(launch_, name); }

std::vector<double> RelationScene::input(const std::string& name) const {
  return compare::initial_values(tensor(name));
}

BoundedOutput RelationScene::output_of(const Launch& launch, const Outcome& outcome, const std::string& name) {
  const LaunchTensor& tensor = tensor_of(launch, name);
  const u32 number = u32(launch.tensor_named(name));
  const TensorAfter& after = outcome.tensors[number];
  const compare::ElementView view(tensor, after);
  BoundedOutput output;
  output.value.resize(u64(view.count()));
  output.bound.assign(u64(view.count()), unbounded);
  for (i64 row = 0; row < view.rows(); ++row) {
    compare::read_elements(view.bytes + view.row_offset(row) * size_of(view.dtype), view.dtype, view.strides.back(),
                           view.columns(), output.value.data() + row * view.columns());
  }
  for (const Expectation& expectation : launch.expectations) {
    if (expectation.tensor != number || !expectation.bound) continue;
    compare::read_elements(expectation.bound->bytes.data(), Dtype::F64, 1, view.count(), output.bound.data());
  }
  return output;
}

std::optional<std::vector<BoundedOutput>> RelationScene::run(const Problem& problem,
                                                             const std::vector<std::string>& outputs,
                                                             const std::function<void(Launch&)>& change) const {
  if (!trial_.kernel.reject(problem).empty()) return std::nullopt;
  Launch launch = trial_.kernel.launch(problem);
  if (change) change(launch);
  if (!compare::expect_answer(trial_.kernel, problem, launch).empty()) return std::nullopt;
  Outcome outcome = executor_.run(launch, options_);
  if (outcome.kind != OutcomeKind::Agreed) return std::nullopt;
  std::vector<BoundedOutput> results;
  for (const std::string& name : outputs) results.push_back(output_of(launch, outcome, name));
  return results;
}

void set_input(Launch& launch, const std::string& name, const std::vector<double>& values) {
  LaunchTensor& tensor = launch.tensors[u64(launch.tensor_named(name))];
  tensor.init = Given{std::make_shared<Array>(Array::of(tensor.dtype, tensor.shape, values)), ""};
}

std::vector<u64> reversed(const Shape& shape, u64 dimension) {
  std::vector<u64> numbers(u64(element_count(shape)));
  i64 inner = 1;
  for (u64 n = dimension + 1; n < shape.size(); ++n) inner *= shape[n];
  const i64 extent = shape[dimension];
  for (i64 n = 0; n < i64(numbers.size()); ++n) {
    const i64 at = n / inner % extent;
    numbers[u64(n)] = u64(n + (extent - 1 - 2 * at) * inner);
  }
  return numbers;
}

RelationJudge::RelationJudge(const LaunchTensor& tensor) : tensor_(tensor) {
  judgement_.footprint.tensor = tensor.name;
  judgement_.footprint.shape = tensor.shape;
}

void RelationJudge::compare(i64 n, double got, double expected, double bound) {
  if (!(bound < unbounded) || !std::isfinite(expected)) return;
  ++judgement_.compared;
  const double error = std::abs(got - expected);
  if (error <= bound) return;
  const compare::WrongElement element{index_of(tensor_.shape, n), got, expected, bound};
  if (!judgement_.wrong++) judgement_.first = element;
  if (!judgement_.worst || !(error - bound <= judgement_.largest_error)) {
    judgement_.worst = element;
    judgement_.largest_error = error - bound;
  }
  auto& elements = judgement_.footprint.elements;
  if (elements.empty() || elements.back() < n) elements.push_back(n);
}

}  // namespace ropewalk::campaign
