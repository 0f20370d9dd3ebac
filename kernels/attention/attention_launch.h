// Parts that the launches of attention kernels are put together from.
#pragma once
#include <functional>
#include <string>

#include "kernels/attention/attention_preconditions.h"
#include "lib/family/kernel.h"
#include "lib/problem/attention.h"

namespace ropewalk::kernels {

inline constexpr i64 few_columns = 64;  // up to which kernels have entries of their own

// A tensor of the problem's queries x heads, or keys x heads of k, x columns, with the gaps of its strides, and no
// contents. Rows past the last sequence are in no region of it.
LaunchTensor query_rows(const AttentionProblem& p, const char* name, i64 columns, i64 row_gap, i64 token_gap);
LaunchTensor key_rows(const AttentionProblem& p, const char* name, i64 columns, i64 row_gap, i64 token_gap);
// f32 [B, H, Tq], with cu_seqlens [H, rows].
LaunchTensor number_by_query(const AttentionProblem& p, const char* name);
// Whether no gradient is rightly infinite: those of large inputs are larger than f16 holds.
bool has_finite_gradients(const AttentionProblem& p);
// The tensor as an output.
LaunchTensor output_of(LaunchTensor tensor, bool finite);
// Numbers of q (stream 0), k (1), v (2) and dout (4), by the problem's `input`.
Init attention_input(const AttentionProblem& problem, const Shape& shape, u64 stream);

// Numbers of a launch's tensors; `out` is the one whose strides AttentionArguments call those of out.
struct AttentionTensors {
  u32 q = 0, k = 0, v = 0, out = 0, lse = 0;
};
// Adds q, k and v.
AttentionTensors add_attention_inputs(Launch& launch, const AttentionProblem& p);

// The score of each head's sink.
std::vector<double> drawn_sinks(const AttentionProblem& p);

// Tiles of 16 for so many rows, at least one; and for those of the longest sequence.
i64 tiles_of(i64 rows);
i64 query_tiles_of(const AttentionProblem& p);
i64 key_tiles_of(const AttentionProblem& p);

// Fills in AttentionArguments at the beginning of `packed`, and adds the tensors that they point to.
void add_attention_arguments(Launch& launch, StructArgument& packed, const AttentionProblem& p,
                             const AttentionTensors& tensors);
// Batch, token and head strides of a tensor as three members that follow each other.
void add_strides(StructArgument& packed, u64 at, const Strides& strides);

// "PREFIX_bf16_64": the entry for rows of so many columns.
std::string attention_entry(const std::string& prefix, const AttentionProblem& p, i64 columns);

// The wider of D and Dv.
i64 widest_head(const AttentionProblem& p);

// What a kernel takes.
struct AttentionForm {
  bool few = false;                                     // one entry: f32 (with `halves` f16), up to 64 columns
  std::function<i64(const AttentionProblem&)> columns;  // that choose the entry
  bool halves = false;                                  // entries for f16 and bf16 alone
  AttentionTakes takes = {};
};

// The described kernel with its preconditions; `launch` is asked for problems alone that are not rejected.
Kernel attention_kernel(const Kernel& described, const AttentionForm& form,
                        const std::function<Launch(const AttentionProblem&)>& launch);

}  // namespace ropewalk::kernels
