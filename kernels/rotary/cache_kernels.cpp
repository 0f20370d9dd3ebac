#include "kernels/rotary/cache_kernels.h"

#include <fmt/format.h>

#include <cmath>

#include "kernels/checked_in_ptx.h"
#include "kernels/rotary/rotary_inputs.h"
#include "kernels/rotary/rotary_launch.h"
#include "kernels/rotary/rotary_preconditions.h"
#include "lib/base/error.h"
#include "lib/families/rotary/rotary_family.h"
#include "lib/problem/rotary.h"

namespace ropewalk::kernels {
namespace {

Launch cache_launch(const std::string& name, const PtxEntries& entries, const RotaryProblem& problem) {
  Launch launch;
  launch.module = checked_in_module(entries.stem);
  launch.entry = fmt::format("{}_{}", entries.prefix, name_of(problem.cache_dtype));
  launch.kernel_name = name;

  // What an allocation of the caller has: half of the width, also where that is odd.
  const i64 rows = problem.table_rows(), columns = problem.width() / 2;
  const auto add_table = [&](const char* table_name) {
    LaunchTensor table{table_name, problem.cache_dtype, {rows, columns}, contiguous_strides({rows, columns})};
    table.init = Uninitialized{};
    table.output = table.finite = true;
    return TensorArgument{add_tensor(launch, std::move(table))};
  };
  const TensorArgument cosine = add_table("cos"), sine = add_table("sin");
  Argument frequencies = NullArgument{};
  if (problem.given_frequencies) {
    LaunchTensor given{"frequencies", Dtype::F32, {problem.pairs()}, {1}};
    given.init = given_values(Dtype::F32, inverse_frequencies(problem.width(), problem.theta));
    frequencies = TensorArgument{add_tensor(launch, std::move(given))};
  }
  launch.block = rotary_block(problem.pairs(), rows);
  launch.grid = {u32((rows + launch.block.y - 1) / launch.block.y), 1, 1};
  launch.arguments = {cosine,
                      sine,
                      frequencies,
                      argument_i32(rows),
                      argument_i32(problem.width()),
                      argument_f64(std::log2(problem.theta))};
  return launch;
}

}  // namespace

Kernel cache_kernel(const std::string& name, const std::string& description, const std::string& source,
                    const PtxEntries& entries, const std::string& counterpart, const RotaryPreconditions& missing) {
  const RotaryForm form{false, true, name};
  RotaryPreconditions preconditions = all_preconditions(form);
  for (const RotaryPrecondition precondition : missing) std::erase(preconditions, precondition);
  Kernel kernel{name, description, source, &rotary::family(), counterpart};
  kernel.reject = [=](const Problem& problem) {
    const RotaryProblem& rotary = rotary_of(problem, name);
    std::vector<std::string> reasons = form_reasons(rotary, form);
    if (reasons.empty()) reasons = precondition_reasons(rotary, form, preconditions);
    if (reasons.empty() && rotary.width() < 2) reasons.push_back("rotary_dim 1 has no pair of columns");
    return reasons;
  };
  kernel.launch = [=](const Problem& problem) {
    const auto reasons = kernel.reject(problem);
    if (!reasons.empty()) throw InputError(name + ": " + reasons.front());
    return cache_launch(name, entries, rotary_of(problem, name));
  };
  return kernel;
}

std::vector<Kernel> rotary_cache_kernels() {
  return {cache_kernel("rotary/cache", "builds cos and sin from theta or from given inverse frequencies",
                       "kernels/rotary/cache.cu", {"rotary_cache"}, "")};
}

}  // namespace ropewalk::kernels
