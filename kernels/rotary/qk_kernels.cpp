#include "kernels/rotary/qk_kernels.h"

#include <cstddef>

#include "kernels/checked_in_ptx.h"
#include "kernels/rotary/arguments.h"
#include "kernels/rotary/rotary_inputs.h"
#include "kernels/rotary/rotary_launch.h"
#include "kernels/rotary/rotary_preconditions.h"
#include "lib/base/error.h"
#include "lib/families/rotary/rotary_family.h"
#include "lib/problem/rotary.h"

namespace ropewalk::kernels {
namespace {

// As the problem gives them, or offset + token of each sequence.
std::vector<i64> positions_of(const RotaryProblem& problem) {
  if (!problem.positions.empty()) return problem.positions;
  std::vector<i64> positions;
  positions.reserve(u64(problem.batch * problem.tokens));
  for (i64 batch = 0; batch < problem.batch; ++batch) {
    for (i64 token = 0; token < problem.tokens; ++token) positions.push_back(problem.offset + token);
  }
  return positions;
}

// q or k as [tokens, heads, D]: the batch is part of the tokens, whose stride is the same throughout.
LaunchTensor flat_tensor(RotaryProblem problem, const std::string& name, i64 batch, i64 heads, i64 row_gap,
                         u64 stream) {
  problem.batch = batch;
  LaunchTensor tensor = row_tensor(problem, name, heads, row_gap, problem.token_gap, Uninitialized{});
  tensor.shape = {tensor.shape[0] * tensor.shape[1], tensor.shape[2], tensor.shape[3]};
  tensor.strides.erase(tensor.strides.begin());
  tensor.init = rotary_input(problem, tensor.shape, stream);
  mark_output(tensor, problem, true);
  return tensor;
}

Launch qk_launch(const std::string& name, const PtxEntries& entries, const RotaryProblem& problem) {
  Launch launch;
  launch.module = checked_in_module(entries.stem);
  launch.entry = rotary_entry(entries.prefix, problem);
  launch.kernel_name = name;

  const i64 tokens = problem.batch * problem.tokens;
  const u32 q = add_tensor(launch, flat_tensor(problem, "q", problem.batch, problem.heads, problem.row_gap, 0));
  Argument k_argument = NullArgument{};
  Strides k_strides{0, 0, 1};
  if (problem.key_heads) {
    // k's rows have no gaps of their own, so that the head strides of q and k differ where q's have.
    const u32 k = add_tensor(launch, flat_tensor(problem, "k", problem.batch_of_keys(), problem.key_heads, 0, 1));
    k_argument = TensorArgument{k};
    k_strides = launch.tensors[k].strides;
  }
  u32 cosine = 0, sine = 0;
  add_tables(launch, problem, &cosine, &sine);
  LaunchTensor positions{"positions", Dtype::I64, {tokens}, {1}};
  positions.init = given_integers(Dtype::I64, positions_of(problem));
  const u32 positions_number = add_tensor(launch, std::move(positions));

  launch.block = rotary_block(problem.pairs(), tokens);
  const i64 blocks = (tokens + launch.block.y - 1) / launch.block.y;
  launch.grid = {u32(blocks), head_tiles(blocks, 1, problem.heads + problem.key_heads), 1};
  using A = RotaryQkArguments;
  const Strides& q_strides = launch.tensors[q].strides;
  StructArgument packed{sizeof(A), {}};
  packed.parts = {{offsetof(A, positions), TensorArgument{positions_number}},
                  {offsetof(A, tokens), argument_i32(tokens)},
                  {offsetof(A, query_heads), argument_i32(problem.heads)},
                  {offsetof(A, key_heads), argument_i32(problem.key_heads)},
                  {offsetof(A, head_dim), argument_i32(problem.head_dim)},
                  {offsetof(A, width), argument_i32(problem.width())},
                  {offsetof(A, cache_rows), argument_i32(problem.table_rows())},
                  {offsetof(A, direction), argument_f32(problem.backward ? -1.0f : 1.0f)},
                  {offsetof(A, q_token), argument_i64(q_strides[0])},
                  {offsetof(A, q_head), argument_i64(q_strides[1])},
                  {offsetof(A, k_token), argument_i64(k_strides[0])},
                  {offsetof(A, k_head), argument_i64(k_strides[1])}};
  launch.arguments = {TensorArgument{q}, k_argument, TensorArgument{cosine}, TensorArgument{sine}, packed};
  return launch;
}

}  // namespace

Kernel qk_kernel(const std::string& name, const std::string& description, const std::string& source,
                 const QkKernel& kernel, const std::string& counterpart, const RotaryPreconditions& missing) {
  const RotaryForm form{true, false, name, kernel.few_dtypes};
  RotaryPreconditions preconditions = all_preconditions(form);
  for (const RotaryPrecondition precondition : missing) std::erase(preconditions, precondition);
  Kernel made{name, description, source, &rotary::family(), counterpart};
  made.reject = [=](const Problem& problem) {
    const RotaryProblem& rotary = rotary_of(problem, name);
    std::vector<std::string> reasons = form_reasons(rotary, form);
    if (reasons.empty()) reasons = precondition_reasons(rotary, form, preconditions);
    return reasons;
  };
  made.launch = [=](const Problem& problem) {
    const auto reasons = made.reject(problem);
    if (!reasons.empty()) throw InputError(name + ": " + reasons.front());
    return qk_launch(name, kernel.entries, rotary_of(problem, name));
  };
  return made;
}

std::vector<Kernel> rotary_qk_kernels() {
  return {qk_kernel("rotary/qk", "rotates q and k in place, each token at a position of its own",
                    "kernels/rotary/qk.cu", {{"rotary_qk"}}, "")};
}

}  // namespace ropewalk::kernels
