#include "kernels/rotary/apply_contract.h"

#include <algorithm>
#include <cstddef>

#include "kernels/kept_module.h"
#include "kernels/rotary/arguments.h"
#include "kernels/rotary/rotary_guards.h"
#include "kernels/rotary/rotary_inputs.h"
#include "kernels/rotary/rotary_launch.h"
#include "lib/base/error.h"

namespace ropewalk {
namespace {

// How the blocks of one of the kernels lie over the problem.
struct Tiling {
  Dim3 block;
  i64 heads_at_a_time = 1;
};

// One kernel file of this contract.
struct ApplyKernel {
  std::string stem;             // of its PTX, and the prefix of its entries
  bool takes_vectors = false;   // apply_vector.cu is used where the problem is aligned
  bool few_dtypes = false;      // f32 and bf16 with an f32 cache
  bool sequences_in_z = false;  // the grid is (token tiles, head tiles, sequences)
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
         problem.row_gap % elements == 0 && problem.token_gap % elements == 0 && pairs / elements <= 128;
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

Launch apply_launch(const std::string& name, const ApplyKernel& kernel, const RotaryProblem& problem) {
  const bool vectors = kernel.takes_vectors && is_aligned(problem);
  const std::string stem = vectors ? "rotary_apply_vector" : kernel.stem;
  Launch launch;
  launch.module = kept_module(stem);
  launch.entry = rotary_entry(stem, problem);
  launch.kernel_name = name;

  LaunchTensor x = row_tensor(problem, "x", problem.heads, problem.row_gap, problem.token_gap, Uninitialized{});
  x.init = rotary_input(problem, x.shape, 0);
  if (problem.inplace) mark_output(x, problem, true);
  const u32 x_number = add_tensor(launch, std::move(x));
  u32 out_number = x_number;
  if (!problem.inplace) {
    LaunchTensor out = row_tensor(problem, "out", problem.heads, 0, 0, Uninitialized{});
    mark_output(out, problem, false);
    out_number = add_tensor(launch, std::move(out));
  }
  u32 cosine = 0, sine = 0;
  add_tables(launch, problem, &cosine, &sine);
  std::variant<TensorArgument, ScalarArgument, NullArgument> offsets = NullArgument{}, cu_seqlens = NullArgument{};
  const auto add_integers = [&](const char* tensor_name, const std::vector<i64>& values) {
    LaunchTensor tensor{tensor_name, Dtype::I32, {i64(values.size())}, {1}};
    tensor.init = given_integers(Dtype::I32, values);
    return TensorArgument{add_tensor(launch, std::move(tensor))};
  };
  if (!problem.offsets.empty()) offsets = add_integers("offsets", problem.offsets);
  if (problem.varlen()) cu_seqlens = add_integers("cu_seqlens", problem.cu_seqlens);

  const i64 tokens = longest_sequence(problem);
  const Tiling tiling = vectors ? vector_tiling(problem, tokens) : Tiling{rotary_block(problem.pairs(), tokens)};
  const i64 token_tiles = (tokens + tiling.block.y - 1) / tiling.block.y;
  const i64 blocks = problem.sequences() * token_tiles;
  launch.block = tiling.block;
  launch.grid = {u32(blocks), head_tiles(blocks, tiling.heads_at_a_time, problem.heads), 1};
  if (kernel.sequences_in_z) launch.grid = {u32(token_tiles), launch.grid.y, u32(problem.sequences())};
  launch.arguments = {TensorArgument{out_number}, TensorArgument{x_number}, TensorArgument{cosine},
                      TensorArgument{sine},
                      pack_arguments(problem, launch.tensors[x_number], launch.tensors[out_number], offsets, cu_seqlens,
                                     tokens, token_tiles)};
  return launch;
}

KernelFamily apply_family(const std::string& name, const std::string& description, const std::string& source,
                          const ApplyKernel& kernel, const std::string& healthy_twin,
                          const std::vector<RotaryGuard>& missing = {}) {
  const RotaryForm form{false, false, name, kernel.few_dtypes};
  RotaryGuards guards = all_guards(form);
  for (const RotaryGuard guard : missing) std::erase(guards, guard);
  KernelFamily family{name, description, source, "rotary", healthy_twin};
  family.reject = [=](const Problem& problem) {
    const RotaryProblem& rotary = rotary_of(problem, name);
    std::vector<std::string> reasons = form_reasons(rotary, form);
    if (reasons.empty() && kernel.sequences_in_z && rotary.varlen()) reasons.push_back(name + " has no cu_seqlens");
    if (reasons.empty()) reasons = guard_reasons(rotary, form, guards);
    return reasons;
  };
  family.launch = [=](const Problem& problem) {
    const auto reasons = family.reject(problem);
    if (!reasons.empty()) throw InputError(name + ": " + reasons.front());
    return apply_launch(name, kernel, rotary_of(problem, name));
  };
  return family;
}

// A faulty copy of apply.cu by its stem's last words: "row_mask" is faulty/rotary-apply-row-mask.
KernelFamily faulty_family(std::string words, const std::string& description, const RotaryGuards& missing = {}) {
  const std::string stem = "rotary_apply_" + words;
  std::replace(words.begin(), words.end(), '_', '-');
  return apply_family("faulty/rotary-apply-" + words, description, "kernels/faulty/" + stem + ".cu",
                      {stem, false, words != "unguarded", words == "grid-z"}, "rotary/apply-general", missing);
}

}  // namespace

std::vector<KernelFamily> rotary_apply_families() {
  return {
      apply_family("rotary/apply", "rotates x by the angles of its tokens, 16 bytes at a time where rows are aligned",
                   "kernels/rotary/apply_vector.cu", {"rotary_apply", true}, ""),
      apply_family("rotary/apply-general", "rotates x of any shape and strides, one pair of columns at a time",
                   "kernels/rotary/apply.cu", {"rotary_apply", false}, ""),
      faulty_family("unguarded", "no guard at all: width, cache rows, offsets and cu_seqlens are taken as given",
                    all_guards({})),
      faulty_family("row_mask", "rows behind the end of a sequence are turned where the cache has rows to spare"),
      faulty_family("column_mask", "lanes behind the last pair of columns are not masked"),
      faulty_family("head_mask", "the mask of the last tile of heads is in the tile's own numbers"),
      faulty_family("grid_z", "sequences go along z of the grid, which ends at 65,535"),
      faulty_family("int32", "sequence x batch stride is a product of 32-bit integers"),
      faulty_family("one_stride", "the strides of x are used for out as well"),
      faulty_family("swapped_layout", "pairs of columns are those of the other layout"),
      faulty_family("pair_offset", "the second column is half of head_dim away, not half of the width"),
      faulty_family("rows_skipped",
                    "tokens at positions outside of the cache are left unwritten, and nothing rejects them",
                    {RotaryGuard::Rows, RotaryGuard::Offsets}),
  };
}

}  // namespace ropewalk
