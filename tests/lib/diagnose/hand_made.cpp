#include "tests/lib/diagnose/hand_made.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lib/families/families.h"

namespace ropewalk::diagnose {

LaunchTensor& HandMade::tensor(const std::string& name, const Shape& shape, const Strides& strides) {
  launch.tensors.push_back({name, Dtype::F32, shape, strides.empty() ? contiguous_strides(shape) : strides});
  return launch.tensors.back();
}

void HandMade::integers(const std::string& name, const std::vector<i64>& values) {
  const Shape shape{i64(values.size())};
  LaunchTensor made{name, Dtype::I64, shape, {1}};
  const std::vector<double> doubles(values.begin(), values.end());
  made.init = Given{std::make_shared<Array>(Array::of(Dtype::I64, shape, doubles)), ""};
  launch.tensors.push_back(std::move(made));
}

Finding& HandMade::touches(Rule rule, const std::string& name, const std::vector<i64>& elements) {
  const LaunchTensor& of = launch.tensors.at(size_t(launch.tensor_named(name)));
  Finding finding;
  finding.rule = rule;
  finding.footprint = {name, of.shape, elements, true};
  Access access;
  access.space = "global";
  access.bytes = size_of(of.dtype);
  access.tensor = name;
  access.shape = of.shape;
  if (!elements.empty()) {
    const i64 first = elements.front();
    const i64 offset = first < 0 ? first : offset_of(of.strides, index_of(of.shape, first));
    access.index = index_of(of.shape, first);
    access.byte_offset = offset * i64(access.bytes);
    if (offset < 0) access.bytes_before_start = -*access.byte_offset;
    if (*access.byte_offset >= i64(of.bytes())) access.bytes_past_end = *access.byte_offset - i64(of.bytes());
  }
  finding.access = std::move(access);
  findings.push_back(std::move(finding));
  return findings.back();
}

Finding& HandMade::breaks(const std::string& statement, i64 value, i64 bound, u64 accesses) {
  Finding finding;
  finding.rule = Rule::IndexOutOfField;
  finding.message = fmt::format("breaks its own index statement: {0} is {1}, not in [0, {2})", statement, value, bound);
  Access access;
  access.region = statement;
  access.tensor = statement.substr(0, statement.find('.'));
  finding.access = std::move(access);
  finding.occurrences.accesses = accesses;
  findings.push_back(std::move(finding));
  return findings.back();
}

Finding& HandMade::overflows(const std::string& name, i64 exact) {
  Finding& finding = touches(Rule::IndexOverflow, name, {});
  finding.message = fmt::format(
      "32-bit index arithmetic overflows: {} does not fit, and the result becomes an address in {}", exact, name);
  return finding;
}

std::string HandMade::cause_of(size_t n) {
  diagnose(findings, launch, problem ? &families::family_of(*problem) : nullptr, problem ? &*problem : nullptr);
  for (const Finding& finding : findings) {
    if (!finding.cause) continue;
    // A cause is claimed on evidence that it prints, and says what to do.
    EXPECT_FALSE(finding.cause->evidence.empty()) << finding.cause->id;
    EXPECT_FALSE(finding.cause->text.empty()) << finding.cause->id;
    EXPECT_FALSE(finding.cause->advice.empty()) << finding.cause->id;
  }
  const auto& cause = findings.at(n).cause;
  return cause ? cause->id : "";
}

std::vector<i64> range(i64 first, i64 end) {
  std::vector<i64> values(size_t(std::max<i64>(end - first, 0)));
  std::iota(values.begin(), values.end(), first);
  return values;
}

HandMade rotary_launch(const std::string& problem) {
  HandMade made;
  made.launch.block = {32, 4, 1};
  made.launch.grid = {8, 4, 1};
  made.tensor("x", {2, 16, 4, 64});
  made.tensor("out", {2, 16, 4, 64});
  made.tensor("cos", {16, 32});
  made.tensor("sin", {16, 32});
  if (!problem.empty()) made.problem = families::parse_problem(problem);
  return made;
}

}  // namespace ropewalk::diagnose
