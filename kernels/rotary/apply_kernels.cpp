#include "kernels/rotary/apply_kernels.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "kernels/checked_in_ptx.h"
#include "kernels/rotary/apply_kernel.h"
#include "kernels/rotary/arguments.h"
#include "kernels/rotary/rotary_inputs.h"
#include "kernels/rotary/rotary_launch.h"
#include "kernels/rotary/rotary_preconditions.h"
#include "lib/base/error.h"
#include "lib/families/rotary/rotary_family.h"
#include "lib/problem/rotary.h"

namespace ropewalk::kernels {
namespace {

// How the blocks of one of the kernels lie over the problem.
struct Tiling {
  Dim3 block;
  i64 heads_at_a_time = 1;
};

i64 longest_sequence(const RotaryProblem& problem) {
  if (!problem.varlen()) return problem.tokens;
  i64 longest = 1;
  for (i64 sequence = 0; sequence < problem.sequences(); ++sequence) {
    longest = std::max(longest, problem.tokens_of_sequence(sequence));
  }
  return longest;
}

// What apply_vector.cu asks for.
bool is_aligned(const RotaryProblem& problem) {
  const i64 elements = 16 / size_of(problem.dtype);
  const i64 pairs = problem.width() / 2;
  return problem.width() % 2 == 0 && pairs % elements == 0 && problem.head_dim % elements == 0 &&
         problem.row_gap % elements == 0 && problem.token_gap % elements == 0 && problem.out_gap % elements == 0 &&
         pairs / elements <= 128;
}

Tiling vector_tiling(const RotaryProblem& problem, i64 tokens) {
  const i64 packs = problem.width() / 2 / (16 / size_of(problem.dtype));
  Tiling tiling{rotary_block(packs, tokens)};
  tiling.heads_at_a_time = tiling.block.x / packs;
  return tiling;
}

StructArgument pack_arguments(const RotaryProblem& problem, const LaunchTensor& x, const LaunchTensor& out,
                              std::variant<TensorArgument, ScalarArgument, NullArgument> offsets,
                              std::variant<TensorArgument, ScalarArgument, NullArgument> cu_seqlens, i64 tokens,
                              i64 token_tiles) {
  using A = RotaryArguments;
  const u64 first = x.strides.size() - 3;  // of token, head, column; a batch may come before
  const auto batch_stride = [&](const LaunchTensor& tensor) { return first ? tensor.strides[0] : 0; };
  StructArgument packed{sizeof(A), {}};
  packed.parts = {{offsetof(A, offsets), offsets},
                  {offsetof(A, cu_seqlens), cu_seqlens},
                  {offsetof(A, tokens), argument_i32(tokens)},
                  {offsetof(A, heads), argument_i32(problem.heads)},
                  {offsetof(A, head_dim), argument_i32(problem.head_dim)},
                  {offsetof(A, width), argument_i32(problem.width())},
                  {offsetof(A, cache_rows), argument_i32(problem.table_rows())},
                  {offsetof(A, offset), argument_i32(problem.offset)},
                  {offsetof(A, token_tiles), argument_i32(token_tiles)},
                  {offsetof(A, direction), argument_f32(problem.backward ? -1.0f : 1.0f)},
                  {offsetof(A, x_batch), argument_i64(batch_stride(x))},
                  {offsetof(A, x_token), argument_i64(x.strides[first])},
                  {offsetof(A, x_head), argument_i64(x.strides[first + 1])},
                  {offsetof(A, out_batch), argument_i64(batch_stride(out))},
                  {offsetof(A, out_token), argument_i64(out.strides[first])},
                  {offsetof(A, out_head), argument_i64(out.strides[first + 1])}};
  return packed;
}

// The tables as one tensor [2, rows, pairs]: cos, then sin.
TensorArgument add_packed_table(Launch& launch, const RotaryProblem& problem) {
  const i64 rows = problem.table_rows(), pairs = problem.pairs();
  const RotaryTables tables = rotary_tables(rows, problem.width(), problem.theta, problem.cache_dtype);
  auto both = std::make_shared<Array>(Array::zeros(problem.cache_dtype, {2, rows, pairs}));
  const auto half = std::copy(tables.cosine->bytes.begin(), tables.cosine->bytes.end(), both->bytes.begin());
  std::copy(tables.sine->bytes.begin(), tables.sine->bytes.end(), half);
  LaunchTensor table{"cos_sin", problem.cache_dtype, {2, rows, pairs}, contiguous_strides({2, rows, pairs})};
  table.init = Given{std::move(both), ""};
  table.regions = {{"cos", 0, rows, 0, pairs}, {"sin", rows, 2 * rows, 0, pairs}};
  return {add_tensor(launch, std::move(table))};
}

// The longest cache that a configuration allows for: a power of two.
i64 configured_rows(const RotaryProblem& problem) { return i64(std::bit_ceil(u64(problem.table_rows()))); }

// As given, or those of equal sequences, one behind the other; the last entry is where the last sequence ends.
std::vector<i64> sequence_starts(const RotaryProblem& problem) {
  if (problem.varlen()) return problem.cu_seqlens;
  std::vector<i64> starts;
  for (i64 sequence = 0; sequence <= problem.batch; ++sequence) starts.push_back(sequence * problem.tokens);
  return starts;
}

struct Grid {
  Dim3 blocks;
  i64 tokens = 0, token_tiles = 0;  // as arguments
};

Grid grid_of(const ApplyKernel& kernel, const RotaryProblem& problem, const Tiling& tiling, i64 longest) {
  Grid grid;
  const i64 rows = problem.varlen() ? problem.tokens : problem.batch * problem.tokens;
  grid.tokens = kernel.grid == ApplyGrid::Rows ? rows : longest;
  grid.token_tiles = (grid.tokens + tiling.block.y - 1) / tiling.block.y;
  const i64 blocks = grid.token_tiles * (kernel.grid == ApplyGrid::Rows ? 1 : problem.sequences());
  const u32 along_y = head_tiles(blocks, tiling.heads_at_a_time, problem.heads);
  grid.blocks = {u32(blocks), along_y, 1};
  if (kernel.grid == ApplyGrid::SequencesInZ) {
    grid.blocks = {u32(grid.token_tiles), along_y, u32(problem.sequences())};
  }
  return grid;
}

Launch apply_launch(const std::string& name, const ApplyKernel& kernel, const RotaryProblem& problem) {
  const bool vectors = kernel.vectors && is_aligned(problem);
  const PtxEntries& entries = vectors ? *kernel.vectors : kernel.entries;
  Launch launch;
  launch.module = checked_in_module(entries.stem);
  RotaryProblem of_entry = problem;
  if (kernel.entry_by_x) of_entry.cache_dtype = Dtype::F32;
  launch.entry = rotary_entry(entries.prefix, of_entry);
  launch.kernel_name = name;

  LaunchTensor x = row_tensor(problem, "x", problem.heads, problem.row_gap, problem.token_gap, Uninitialized{});
  x.init = rotary_input(problem, x.shape, 0);
  if (problem.inplace) mark_output(x, problem, true);
  const u32 x_number = add_tensor(launch, std::move(x));
  u32 out_number = x_number;
  if (!problem.inplace) {
    LaunchTensor out = row_tensor(problem, "out", problem.heads, problem.out_gap, 0, Uninitialized{});
    mark_output(out, problem, false);
    out_number = add_tensor(launch, std::move(out));
  }
  launch.arguments = {TensorArgument{out_number}, TensorArgument{x_number}};
  if (kernel.packed_table) {
    launch.arguments.push_back(add_packed_table(launch, problem));
  } else {
    u32 cosine = 0, sine = 0;
    add_tables(launch, problem, &cosine, &sine);
    launch.arguments.insert(launch.arguments.end(), {TensorArgument{cosine}, TensorArgument{sine}});
  }
  std::variant<TensorArgument, ScalarArgument, NullArgument> offsets = NullArgument{}, cu_seqlens = NullArgument{};
  const auto add_integers = [&](const char* tensor_name, const std::vector<i64>& values) {
    LaunchTensor tensor{tensor_name, Dtype::I32, {i64(values.size())}, {1}};
    tensor.init = given_integers(Dtype::I32, values);
    return TensorArgument{add_tensor(launch, std::move(tensor))};
  };
  if (!problem.offsets.empty()) offsets = add_integers("offsets", problem.offsets);
  if (problem.varlen() || kernel.grid == ApplyGrid::Rows) {
    cu_seqlens = add_integers("cu_seqlens", sequence_starts(problem));
  }

  const i64 longest = longest_sequence(problem);
  const Tiling tiling = vectors ? vector_tiling(problem, longest) : Tiling{rotary_block(problem.pairs(), longest)};
  const Grid grid = grid_of(kernel, problem, tiling, longest);
  launch.block = tiling.block;
  launch.grid = grid.blocks;
  launch.arguments.push_back(pack_arguments(problem, launch.tensors[x_number], launch.tensors[out_number], offsets,
                                            cu_seqlens, grid.tokens, grid.token_tiles));
  if (kernel.packed_table) launch.arguments.push_back(argument_i32(configured_rows(problem)));
  if (kernel.grid == ApplyGrid::Rows) launch.arguments.push_back(argument_i32(problem.sequences()));
  return launch;
}

}  // namespace

Kernel apply_kernel(const std::string& name, const std::string& description, const std::string& source,
                    const ApplyKernel& kernel, const std::string& counterpart, const MissingPreconditions& missing) {
  const RotaryForm form{false, false, name, kernel.few_dtypes, kernel.rounding};
  const RotaryPreconditions preconditions = all_preconditions(form);
  RotaryPreconditions fewer = preconditions;
  for (const RotaryPrecondition precondition : missing.preconditions) std::erase(fewer, precondition);
  Kernel made{name, description, source, &rotary::family(), counterpart};
  made.reject = [=](const Problem& problem) {
    const RotaryProblem& rotary = rotary_of(problem, name);
    std::vector<std::string> reasons = form_reasons(rotary, form);
    if (reasons.empty() && kernel.no_sequences && rotary.varlen()) reasons.push_back(name + " has no cu_seqlens");
    const bool all_here = missing.where && !missing.where(rotary);
    if (reasons.empty()) reasons = precondition_reasons(rotary, form, all_here ? preconditions : fewer);
    return reasons;
  };
  made.launch = [=](const Problem& problem) {
    const auto reasons = made.reject(problem);
    if (!reasons.empty()) throw InputError(name + ": " + reasons.front());
    return apply_launch(name, kernel, rotary_of(problem, name));
  };
  return made;
}

std::vector<Kernel> rotary_apply_kernels() {
  return {
      apply_kernel("rotary/apply", "rotates x by the angles of its tokens, 16 bytes at a time where rows are aligned",
                   "kernels/rotary/apply_vector.cu", {{"rotary_apply"}, PtxEntries{"rotary_apply_vector"}}, ""),
      apply_kernel("rotary/apply-general", "rotates x of any shape and strides, one pair of columns at a time",
                   "kernels/rotary/apply.cu", {{"rotary_apply"}}, ""),
      apply_kernel("rotary/apply-steps",
                   "rotates x as operators do that run one by one: every step is rounded to x's dtype",
                   "kernels/rotary/apply_steps.cu",
                   {.entries = {"rotary_apply_steps"}, .few_dtypes = true, .rounding = RotaryRounding::Steps}, ""),
  };
}

}  // namespace ropewalk::kernels
