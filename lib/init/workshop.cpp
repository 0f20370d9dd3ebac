#include "lib/init/workshop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lib/base/error.h"
#include "lib/family/kernel.h"
#include "lib/machine/machine.h"
#include "lib/problem/rotary.h"
#include "reference/rope_table.h"

namespace ropewalk::init {
namespace {

double rounded(double value, Dtype dtype) {
  std::byte bytes[8];
  store_from_double(bytes, dtype, value);
  return load_as_double(bytes, dtype);
}

std::string text_of(const Recipe& recipe) {
  return fmt::format("{}.{}.{}.{}.{}", recipe.scaled, recipe.frequencies, recipe.given,
                     recipe.constructor ? int(*recipe.constructor) : -1, recipe.rounds_positions);
}

// Without the scaling that the configuration asks for.
RopeFormula unscaled(RopeFormula formula) {
  formula.type = RopeType::Default;
  return formula;
}

std::shared_ptr<const Array> output_of(const Launch& launch, const Outcome& outcome, const char* name) {
  const size_t number = size_t(launch.tensor_named(name));
  const LaunchTensor& tensor = launch.tensors[number];
  auto array = std::make_shared<Array>(Array::zeros(tensor.dtype, tensor.shape));
  std::memcpy(array->bytes.data(), outcome.tensors[number].bytes, array->bytes.size());
  return array;
}

}  // namespace

Workshop::Workshop(const Plan& plan, const Kernels& kernels)
    : formula_(plan.formula),
      records_(plan.streams.size() > 1),
      kernels_(kernels),
      machine_(machine::make_machine()),
      contents_(1),
      accesses_{{"", true, {}}, {"", false, {}}} {}

Workshop::~Workshop() = default;

u32 Workshop::keep(Content content) {
  contents_.push_back(std::move(content));
  return u32(contents_.size() - 1);
}

// In f32, as models compute them; or, where constructors are forced to a short format, rounded after each step of
// 1 / theta^(arange(0, d, 2) / d).
std::vector<double> Workshop::frequencies_of(const Recipe& recipe, i64 length) const {
  const RopeFormula formula = recipe.scaled ? formula_ : unscaled(formula_);
  std::vector<double> frequencies = reference::rope_frequencies(formula, length).frequency;
  const std::vector<double> plain = reference::rope_frequencies(unscaled(formula), length).frequency;
  for (size_t pair = 0; pair < frequencies.size(); ++pair) {
    if (recipe.constructor && recipe.rounds_positions) {
      const auto step = [&](double value) { return rounded(value, *recipe.constructor); };
      const double exponent = step(step(2.0 * double(pair)) / double(formula.rotary_dim));
      const double by_steps = step(1 / step(std::pow(formula.theta, exponent)));
      frequencies[pair] = step(frequencies[pair] / plain[pair] * by_steps);
    }
    frequencies[pair] = rounded(frequencies[pair], Dtype::F32);
  }
  return frequencies;
}

u32 Workshop::build_frequencies(const Recipe& recipe, Dtype dtype) {
  const auto [known, is_new] = made_.emplace(fmt::format("w{}.{}", text_of(recipe), int(dtype)), 0);
  if (!is_new) return known->second;
  const i64 length = formula_.max_positions ? formula_.max_positions : 1;
  const std::vector<double> values = frequencies_of(recipe, length);
  auto array = std::make_shared<Array>(Array::of(dtype, {i64(values.size())}, values));
  return known->second = keep({std::move(array), nullptr});
}

Outcome Workshop::execute(const Launch& launch) {
  RunOptions options;
  options.threads = 1;
  options.record_accesses = records_;
  ++launches_;
  return machine_->run(launch, options);
}

u32 Workshop::build_table(const Recipe& recipe, i64 rows, Dtype dtype) {
  if (recipe.given && !contents_[recipe.frequencies].cosine) return 0;
  const auto [known, is_new] = made_.emplace(fmt::format("t{}.{}.{}", text_of(recipe), rows, int(dtype)), 0);
  if (!is_new) return known->second;
  std::vector<double> values;
  if (recipe.given) {
    const Array& from = *contents_[recipe.frequencies].cosine;
    for (i64 n = 0; n < from.count(); ++n) values.push_back(from.at(n));
  } else {
    values = frequencies_of(recipe, rows);
  }
  RotaryProblem problem;
  problem.tokens = 1;
  problem.head_dim = problem.rotary_dim = 2 * i64(values.size());
  problem.cache_rows = rows;
  const RopeFormula formula = recipe.scaled ? formula_ : unscaled(formula_);
  const bool multiplied = formula.xpos_scale_base || reference::rope_attention(formula) != 1;
  problem.cache_dtype = multiplied ? Dtype::F32 : dtype;
  problem.given_frequencies = true;
  const bool short_positions = recipe.constructor && recipe.rounds_positions && *recipe.constructor == Dtype::BF16;
  const char* const kernel = short_positions ? "faulty/rotary-cache-rounded-positions" : "rotary/cache";
  Launch launch = kernels_.named(kernel).launch(problem);
  launch.tensors[size_t(launch.tensor_named("frequencies"))].init =
      Given{std::make_shared<Array>(Array::of(Dtype::F32, {i64(values.size())}, values)), ""};
  const Outcome outcome = execute(launch);
  if (outcome.kind == OutcomeKind::NotRun) throw InputError("the cache kernel did not run: " + outcome.reason);
  Content content{output_of(launch, outcome, "cos"), output_of(launch, outcome, "sin")};
  content.frequencies_read_by = keep_accesses("rotary/cache", launch, outcome, {"frequencies"});
  if (multiplied) {
    content.cosine = scaled(*content.cosine, formula, dtype);
    content.sine = scaled(*content.sine, formula, dtype);
  } else {
    content.written_by = keep_accesses("rotary/cache", launch, outcome, {"cos", "sin"});
  }
  return known->second = keep(std::move(content));
}

std::shared_ptr<const Array> Workshop::scaled(const Array& values, const RopeFormula& formula, Dtype dtype) const {
  auto result = std::make_shared<Array>(Array::zeros(dtype, values.shape));
  const double attention = rounded(reference::rope_attention(formula), Dtype::F32);
  const i64 rows = values.shape[0], pairs = values.shape[1];
  for (i64 row = 0; row < rows; ++row) {
    for (i64 pair = 0; pair < pairs; ++pair) {
      double value = values.at(row * pairs + pair);
      if (attention != 1) value = rounded(value * attention, Dtype::F32);
      if (formula.xpos_scale_base) {
        value =
            rounded(value * rounded(reference::xpos_scale(formula, pair, double(row), rows), Dtype::F32), Dtype::F32);
      }
      result->set(row * pairs + pair, value);
    }
  }
  return result;
}

u32 Workshop::keep_accesses(const char* kernel, const Launch& launch, const Outcome& outcome,
                            const std::vector<std::string>& tensors) {
  BufferAccesses kept{kernel, false, {}};
  for (const InstructionAccesses& one : outcome.accesses) {
    const std::string& name = launch.tensors[one.tensor].name;
    if (std::find(tensors.begin(), tensors.end(), name) != tensors.end()) kept.instructions.push_back({name, one});
  }
  accesses_.push_back(std::move(kept));
  return u32(accesses_.size() - 1);
}

u32 Workshop::cast(u32 content, Dtype dtype) {
  if (!contents_[content].cosine) return 0;
  const auto [known, is_new] = made_.emplace(fmt::format("c{}.{}", content, int(dtype)), 0);
  if (!is_new) return known->second;
  const auto converted = [&](const std::shared_ptr<const Array>& from) -> std::shared_ptr<const Array> {
    if (!from) return nullptr;
    auto to = std::make_shared<Array>(Array::zeros(dtype, from->shape));
    for (i64 n = 0; n < from->count(); ++n) to->set(n, from->at(n));
    return to;
  };
  return known->second = keep({converted(contents_[content].cosine), converted(contents_[content].sine)});
}

i32 Workshop::forward(const TableInUse& table, i64 first_position, i64 positions, Dtype wanted) {
  const std::string key = fmt::format("{}.{}.{}.{}.{}.{}.{}", table.content, table.rows, table.freed, table.elsewhere,
                                      first_position, positions, int(wanted));
  const auto [known, is_new] = forwards_.emplace(key, 0);
  if (!is_new) return known->second;
  runs_.push_back(run_forward(table, first_position, positions, wanted));
  return known->second = i32(runs_.size() - 1);
}

namespace {

// What the formula's own table, with the error that an honest one may have, makes of x.
struct Expected {
  std::vector<double> value, bound;
};

Expected expected_output(const RopeFormula& formula, const RotaryProblem& problem, const Array& x, Dtype wanted) {
  const i64 rows = problem.cache_rows, pairs = problem.width() / 2;
  const size_t axes = size_t(axes_of(formula.axes));  // a text's positions are the same on all of them
  std::vector<double> positions(size_t(rows) * axes);
  for (size_t n = 0; n < positions.size(); ++n) positions[n] = double(n / axes);
  const size_t entries = size_t(rows * pairs);
  std::vector<double> cosine(entries), sine(entries), cosine_bound(entries), sine_bound(entries);
  reference::rope_table(formula, positions, wanted, {cosine.data(), cosine_bound.data()},
                        {sine.data(), sine_bound.data()});
  std::vector<double> input(size_t(x.count()));
  for (i64 n = 0; n < x.count(); ++n) input[size_t(n)] = x.at(n);
  Expected expected{std::vector<double>(input.size()), std::vector<double>(input.size())};
  reference::rotary_apply(problem, input.data(), {cosine.data(), sine.data()},
                          {expected.value.data(), expected.bound.data()});
  for (i64 token = 0; token < problem.tokens; ++token) {
    for (i64 pair = 0; pair < pairs; ++pair) {
      const size_t first = size_t(token * problem.head_dim + pair), second = first + size_t(pairs);
      const size_t entry = size_t((problem.offset + token) * pairs + pair);
      const double a = std::abs(input[first]), b = std::abs(input[second]);
      // The kernel's own rounding, of products of a table that is off by so much, stays within its bound and 2^-20.
      constexpr double margin = 1 + 0x1p-20;
      expected.bound[first] += (a * cosine_bound[entry] + b * sine_bound[entry]) * margin;
      expected.bound[second] += (b * cosine_bound[entry] + a * sine_bound[entry]) * margin;
    }
  }
  return expected;
}

// A pointer into memory that is mapped nowhere on this device.
constexpr u64 not_here = u64(0x7) << 56;

}  // namespace

ForwardRun Workshop::run_forward(const TableInUse& table, i64 first_position, i64 positions, Dtype wanted) {
  ForwardRun result;
  const Kernel& kernel = kernels_.named("rotary/apply");
  RotaryProblem problem;
  problem.tokens = positions;
  problem.head_dim = problem.rotary_dim = 2 * reference::rope_frequencies(formula_, table.rows).pairs();
  problem.cache_rows = table.rows;
  problem.cache_dtype = Dtype::F32;
  problem.offset = first_position;
  if (const std::vector<std::string> reasons = kernel.reject(problem); !reasons.empty()) {
    result.refusal = reasons.front();
    return result;
  }
  Launch launch = kernel.launch(problem);
  const Content& content = contents_[table.content];
  const auto put = [&](const char* name, const std::shared_ptr<const Array>& values, size_t argument) {
    LaunchTensor& tensor = launch.tensors[size_t(launch.tensor_named(name))];
    tensor.init = values ? Init(Given{values, ""}) : Init(Uninitialized{});
    tensor.freed = table.freed;
    if (table.elsewhere) launch.arguments[argument] = ScalarArgument{Dtype::U64, not_here};
  };
  put("cos", content.cosine, 2);
  put("sin", content.sine, 3);
  const Outcome outcome = execute(launch);
  result.findings = outcome.findings;
  result.accesses = keep_accesses("rotary/apply", launch, outcome, {"cos", "sin"});
  if (outcome.kind == OutcomeKind::NotRun) result.refusal = outcome.reason;
  if (!result.findings.empty() || !result.refusal.empty()) return result;

  const LaunchTensor& input = launch.tensors[size_t(launch.tensor_named("x"))];
  Array x = Array::zeros(input.dtype, input.shape);
  write_values(input.init, 0, x.count(), x.dtype, x.bytes.data());
  const Expected expected = expected_output(formula_, problem, x, wanted);
  const std::shared_ptr<const Array> out = output_of(launch, outcome, "out");
  result.elements = u64(out->count());
  double furthest = 1;
  for (i64 n = 0; n < out->count(); ++n) {
    const double got = out->at(n), value = expected.value[size_t(n)], bound = expected.bound[size_t(n)];
    const double distance = std::abs(got - value);
    if (distance <= bound) continue;
    ++result.wrong;
    if (!result.worst || distance / bound > furthest) {
      furthest = distance / bound;
      result.worst = Numbers{got, value, bound, index_of(input.shape, n)};
    }
  }
  return result;
}

}  // namespace ropewalk::init
