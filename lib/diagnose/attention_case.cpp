#include "lib/diagnose/attention_case.h"

#include "lib/compare/elements.h"

namespace ropewalk {
namespace {

const double* data_of(const std::vector<double>& values) { return values.empty() ? nullptr : values.data(); }

Expected of_size(i64 count) { return {std::vector<double>(u64(count)), std::vector<double>(u64(count))}; }

}  // namespace

Expected AttentionCase::expected(const std::string& output) const {
  const i64 rows = (problem.varlen() ? 1 : problem.batch) * problem.query_tokens * problem.heads;
  Expected out = of_size(rows * problem.columns_of_values()), lse = of_size(rows);
  const AttentionInputs inputs{q.data(), k.data(), v.data(), data_of(slopes), data_of(sinks), reading};
  attention_forward(problem, inputs, {out.value.data(), out.bound.data()}, {lse.value.data(), lse.bound.data()});
  if (afterwards) afterwards(out, lse);
  return output == "out" ? out : lse;
}

std::optional<AttentionCase> attention_case(const AttentionProblem& problem, const Launch& launch) {
  AttentionCase one{problem, {}, {}, {}, {}, {}, {}, {}};
  const auto read = [&](const char* name, std::vector<double>& into) {
    const i64 number = launch.tensor_named(name);
    if (number >= 0) into = initial_values(launch.tensors[u64(number)]);
    return number >= 0;
  };
  if (!read("q", one.q) || !read("k", one.k) || !read("v", one.v)) return std::nullopt;
  read("slopes", one.slopes);
  read("sinks", one.sinks);
  return one;
}

}  // namespace ropewalk
