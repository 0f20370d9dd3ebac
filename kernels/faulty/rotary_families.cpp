#include "kernels/faulty/rotary_families.h"

#include <algorithm>

#include "kernels/rotary/apply_kernel.h"
#include "kernels/rotary/cache_contract.h"
#include "kernels/rotary/qk_contract.h"

namespace ropewalk {
namespace {

// A faulty copy of apply.cu by its stem's last words: "row_mask" is faulty/rotary-apply-row-mask.
KernelFamily faulty_apply(std::string words, const std::string& description, const MissingGuards& missing = {},
                          ApplyKernel kernel = {}) {
  kernel.stem = "rotary_apply_" + words;
  kernel.few_dtypes = words != "unguarded";
  const std::string source = "kernels/faulty/" + kernel.stem + ".cu";
  std::replace(words.begin(), words.end(), '_', '-');
  return apply_family("faulty/rotary-apply-" + words, description, source, kernel, "rotary/apply-general", missing);
}

ApplyKernel with_grid(ApplyGrid grid) {
  ApplyKernel kernel;
  kernel.grid = grid;
  kernel.no_sequences = grid == ApplyGrid::SequencesInZ;
  return kernel;
}

ApplyKernel without_sequences() {
  ApplyKernel kernel;
  kernel.no_sequences = true;
  return kernel;
}

ApplyKernel with_packed_table() {
  ApplyKernel kernel;
  kernel.packed_table = true;
  return kernel;
}

std::vector<KernelFamily> faulty_apply_families() {
  const RotaryGuards cache_guards{RotaryGuard::Rows, RotaryGuard::Offsets};
  return {
      faulty_apply("unguarded", "no guard at all: width, cache rows, offsets and cu_seqlens are taken as given",
                   {all_guards({}), {}}),
      faulty_apply("row_mask", "rows behind the end of a sequence are turned where the cache has rows to spare"),
      faulty_apply("column_mask", "lanes behind the last pair of columns are not masked"),
      faulty_apply("table_mask", "lanes behind the last pair read cos and sin, and do nothing with them"),
      faulty_apply("tail_turned", "lanes run to a power of two of pairs, and turn columns behind the width"),
      faulty_apply("head_mask", "the mask of the last tile of heads is in the tile's own numbers"),
      faulty_apply("tile_mask", "the mask of the last tile of tokens is used for every tile"),
      faulty_apply("wide_read", "rows are read by whole warps, whatever their width"),
      faulty_apply("grid_z", "sequences go along z of the grid, which ends at 65,535", {},
                   with_grid(ApplyGrid::SequencesInZ)),
      faulty_apply("int32", "sequence x batch stride is a product of 32-bit integers", {}, without_sequences()),
      faulty_apply("int32_rows", "row x token stride is a product of 32-bit integers"),
      faulty_apply("one_stride", "the strides of x are used for out as well"),
      faulty_apply("tail_stride", "columns behind the width are copied by the strides of out on both sides"),
      faulty_apply("table_stride", "rows of cos and sin are taken to be half of head_dim wide"),
      faulty_apply("packed_table", "sin is looked for behind the longest cache, not behind the one that there is", {},
                   with_packed_table()),
      faulty_apply("dead_tokens", "rows behind the last sequence are turned as its tokens", {},
                   with_grid(ApplyGrid::Rows)),
      faulty_apply("swapped_layout", "pairs of columns are those of the other layout"),
      faulty_apply("pair_offset", "the second column is half of head_dim away, not half of the width"),
      faulty_apply("one_document", "positions go on from one packed sequence to the next"),
      faulty_apply("one_token", "a sequence of one token is turned as if it had no offset"),
      faulty_apply("rows_skipped",
                   "tokens at positions outside of the cache are left unwritten, and nothing rejects them",
                   {cache_guards, {}}),
      faulty_apply("identity",
                   "tokens at positions outside of the cache are left as they are, and nothing rejects them",
                   {cache_guards, {}}),
      faulty_apply("wrap", "positions wrap at the rows of the cache, and nothing rejects them",
                   {{RotaryGuard::Rows}, {}}),
  };
}

// Faults of the side that launches: the kernels are the healthy ones.
std::vector<KernelFamily> faulty_launchers() {
  ApplyKernel vectors{"rotary_apply", "rotary_apply_wide_table"};
  vectors.few_dtypes = true;
  ApplyKernel entry_by_x{"rotary_apply"};
  entry_by_x.entry_by_x = true;
  const auto not_the_first = [](const RotaryProblem& problem) {
    return problem.layout != RotaryLayout::Half || problem.dtype != Dtype::F32;
  };
  return {
      apply_family("faulty/rotary-apply-wide-table", "the interleaved branch reads twice the vectors of cos and sin",
                   "kernels/faulty/rotary_apply_wide_table.cu", vectors, "rotary/apply"),
      apply_family("faulty/rotary-apply-one-guard",
                   "one launcher, of f32 in halves, asks whether the width fits a head; the others do not",
                   "kernels/rotary/apply.cu", {"rotary_apply"}, "rotary/apply-general",
                   {{RotaryGuard::Width}, not_the_first}),
      apply_family("faulty/rotary-apply-table-dtype",
                   "the entry is chosen by the dtype of x alone, and reads cos and sin as f32",
                   "kernels/rotary/apply.cu", entry_by_x, "rotary/apply-general"),
  };
}

std::vector<KernelFamily> faulty_qk_families() {
  const auto all = all_guards({true, false, ""});
  return {
      qk_family("faulty/rotary-qk-unguarded",
                "rotary/qk without any guard: positions past the cache and a width over head_dim are taken as given",
                "kernels/faulty/rotary_qk_unguarded.cu", {"rotary_qk_unguarded"}, "rotary/qk", all),
      qk_family("faulty/rotary-qk-one-stride", "the head stride of q is used for k as well",
                "kernels/faulty/rotary_qk_one_stride.cu", {"rotary_qk_one_stride", true}, "rotary/qk"),
      qk_family("faulty/rotary-qk-key-heads", "k is taken to have as many heads as q",
                "kernels/faulty/rotary_qk_key_heads.cu", {"rotary_qk_key_heads", true}, "rotary/qk"),
      qk_family("faulty/rotary-qk-key-batch", "nothing asks whether k has as many batches as q", "kernels/rotary/qk.cu",
                {"rotary_qk"}, "rotary/qk", {RotaryGuard::Batches}),
  };
}

std::vector<KernelFamily> faulty_cache_families() {
  return {
      cache_family("faulty/rotary-cache-unguarded",
                   "rotary/cache without its guard: an odd width is taken, and has a pair more than the table",
                   "kernels/faulty/rotary_cache_unguarded.cu", "rotary_cache_unguarded", "rotary/cache",
                   all_guards({false, true, ""})),
      cache_family("faulty/rotary-cache-rounded-positions", "positions are rounded to bf16 on their way to the angle",
                   "kernels/faulty/rotary_cache_rounded_positions.cu", "rotary_cache_rounded_positions",
                   "rotary/cache"),
  };
}

}  // namespace

std::vector<KernelFamily> faulty_rotary_families() {
  std::vector<KernelFamily> all;
  for (const auto& some :
       {faulty_apply_families(), faulty_launchers(), faulty_qk_families(), faulty_cache_families()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace ropewalk
