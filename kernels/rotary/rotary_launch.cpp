#include "kernels/rotary/rotary_launch.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/rotary/rotary_inputs.h"
#include "lib/base/error.h"

namespace ropewalk::kernels {

const RotaryProblem& rotary_of(const Problem& problem, const std::string& family) {
  if (const auto* rotary = problem.as<RotaryProblem>()) return *rotary;
  throw InputError(fmt::format("{} answers rotary problems, not {}", family, text_of(problem)));
}

std::string rotary_entry(const std::string& prefix, const RotaryProblem& problem) {
  return fmt::format("{}_{}_{}_{}", prefix, name_of(problem.layout), name_of(problem.dtype),
                     name_of(problem.cache_dtype));
}

Dim3 rotary_block(i64 pairs, i64 tokens) {
  constexpr i64 threads = 128;
  const i64 lanes = pairs <= 32 ? 32 : pairs <= 64 ? 64 : threads;
  return {u32(lanes), u32(std::clamp<i64>(tokens, 1, threads / lanes)), 1};
}

u32 head_tiles(i64 blocks, i64 heads_at_a_time, i64 heads) {
  constexpr i64 enough_blocks = 256;
  const i64 steps = (heads + heads_at_a_time - 1) / heads_at_a_time;
  return u32(std::clamp<i64>(enough_blocks / std::max<i64>(blocks, 1), 1, std::min<i64>(steps, 65535)));
}

void add_tables(Launch& launch, const RotaryProblem& problem, u32* cosine, u32* sine) {
  const i64 rows = problem.table_rows(), pairs = problem.pairs();
  const RotaryTables tables = rotary_tables(rows, problem.width(), problem.theta, problem.cache_dtype);
  const auto add = [&](const char* name, const std::shared_ptr<const Array>& values) {
    LaunchTensor tensor{name, problem.cache_dtype, {rows, pairs}, contiguous_strides({rows, pairs})};
    tensor.init = Given{values, ""};
    return add_tensor(launch, std::move(tensor));
  };
  *cosine = add("cos", tables.cosine);
  *sine = add("sin", tables.sine);
}

LaunchTensor row_tensor(const RotaryProblem& problem, const std::string& name, i64 heads, i64 row_gap, i64 token_gap,
                        Init init) {
  LaunchTensor tensor{name, problem.dtype, {problem.tokens, heads, problem.head_dim}};
  const i64 head_stride = problem.head_dim + row_gap, token_stride = heads * head_stride + token_gap;
  tensor.strides = {token_stride, head_stride, 1};
  if (!problem.varlen()) {
    tensor.shape.insert(tensor.shape.begin(), problem.batch);
    tensor.strides.insert(tensor.strides.begin(), problem.tokens * token_stride);
  }
  tensor.init = std::move(init);
  if (row_gap || token_gap) {
    const i64 rows = element_count(tensor.shape) / problem.head_dim;
    tensor.regions = {{name, 0, rows, 0, problem.head_dim}};
  }
  return tensor;
}

void mark_output(LaunchTensor& tensor, const RotaryProblem& problem, bool partly) {
  tensor.output = tensor.finite = true;
  const i64 head_rows = element_count(tensor.shape) / problem.head_dim;
  // Rows past the last sequence belong to nobody.
  const i64 rows = problem.varlen()
                       ? std::clamp<i64>(problem.cu_seqlens.back(), 0, problem.tokens) * (head_rows / problem.tokens)
                       : head_rows;
  const i64 columns = partly ? std::min(problem.width(), problem.head_dim) : problem.head_dim;
  if (rows < head_rows || columns < problem.head_dim) tensor.regions = {{tensor.name, 0, rows, 0, columns}};
}

}  // namespace ropewalk::kernels
