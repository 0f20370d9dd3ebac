// The tensors of a cache: k and v with what belongs to no sequence left out, and the lists that say where keys are.
#pragma once
#include "kernels/attention/attention_launch.h"
#include "lib/problem/attention.h"

namespace ropewalk::kernels {

// k or v as key_rows has them, or, of a problem with pages, [pages, page_size, heads, columns]. Rows behind a
// sequence's keys and pages of no sequence are in no region of it.
LaunchTensor cache_rows(const AttentionProblem& p, const char* name, i64 columns, i64 row_gap, i64 token_gap);

// i32 [B], and [B, entries] whose entries past the end of a sequence's last page are in no region of it.
LaunchTensor key_length_list(const AttentionProblem& p);
LaunchTensor block_table_tensor(const AttentionProblem& p);

// The parts of out, f32 [splits, B, Tq, H, Dv], and of lse, f32 [splits, B, H, Tq]; no contents.
LaunchTensor out_parts(const AttentionProblem& p);
LaunchTensor lse_parts(const AttentionProblem& p);

}  // namespace ropewalk::kernels
