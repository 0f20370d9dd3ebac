#include "kernels/faulty/rotary_kernels.h"

#include <fmt/format.h>

#include "kernels/faulty/entry_prefix.h"
#include "kernels/rotary/apply_kernel.h"
#include "kernels/rotary/cache_kernels.h"
#include "kernels/rotary/qk_kernels.h"
#include "lib/problem/rotary.h"

namespace ropewalk::kernels {
namespace {

// A faulty form of `healthy`, "apply", by the file that it is in and its name: "row-mask" of rotary_masks.cu is
// faulty/rotary-apply-row-mask.
PtxEntries faulty_entries(const std::string& healthy, const std::string& file, const std::string& words) {
  return {"rotary_" + file, entry_prefix(fmt::format("rotary_{}_", healthy), words)};
}

Kernel faulty_apply(const std::string& file, const std::string& words, const std::string& description,
                    const MissingPreconditions& missing = {}, ApplyKernel kernel = {}) {
  kernel.entries = faulty_entries("apply", file, words);
  kernel.few_dtypes = words != "unguarded";
  return apply_kernel("faulty/rotary-apply-" + words, description, faulty_source("rotary_" + file), kernel,
                      "rotary/apply-general", missing);
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

std::vector<Kernel> faulty_apply_kernels() {
  const RotaryPreconditions cache_preconditions{RotaryPrecondition::Rows, RotaryPrecondition::Offsets};
  return {
      faulty_apply("widths", "unguarded",
                   "no preconditions: width, cache rows, offsets and cu_seqlens are taken as given",
                   {all_preconditions({}), {}}),
      faulty_apply("masks", "row-mask",
                   "rows past the end of a sequence are rotated where the cache has rows to spare"),
      faulty_apply("masks", "column-mask", "lanes past the last pair of columns are not masked"),
      faulty_apply("masks", "table-mask", "lanes past the last pair read cos and sin, and do nothing with them"),
      faulty_apply("masks", "tail-turned", "lanes run to a power of two of pairs, and rotate columns past the width"),
      faulty_apply("masks", "head-mask", "the mask of the last tile of heads is in the tile's own numbers"),
      faulty_apply("masks", "tile-mask", "the mask of the last tile of tokens is used for every tile"),
      faulty_apply("masks", "wide-read", "rows are read by whole warps, whatever their width"),
      faulty_apply("strides", "grid-z", "sequences go along z of the grid, which ends at 65,535", {},
                   with_grid(ApplyGrid::SequencesInZ)),
      faulty_apply("strides", "int32", "sequence x batch stride is a product of 32-bit integers", {},
                   without_sequences()),
      faulty_apply("strides", "int32-rows", "row x token stride is a product of 32-bit integers"),
      faulty_apply("strides", "one-stride", "the strides of x are used for out as well"),
      faulty_apply("strides", "tail-stride", "columns past the width are copied by the strides of out on both sides"),
      faulty_apply("strides", "table-stride", "rows of cos and sin are taken to be half of head_dim wide"),
      faulty_apply("strides", "packed-table",
                   "sin is looked for after the longest cache, not after the one that there is", {},
                   with_packed_table()),
      faulty_apply("positions", "dead-tokens", "rows after the last sequence are rotated as its tokens", {},
                   with_grid(ApplyGrid::Rows)),
      faulty_apply("widths", "swapped-layout", "pairs of columns are those of the other layout"),
      faulty_apply("widths", "pair-offset", "the second column is half of head_dim away, not half of the width"),
      faulty_apply("positions", "one-document", "positions go on from one packed sequence to the next"),
      faulty_apply("positions", "one-token", "a sequence of one token is rotated as if it had no offset"),
      faulty_apply("masks", "rows-skipped",
                   "tokens at positions outside of the cache are left unwritten, and nothing rejects them",
                   {cache_preconditions, {}}),
      faulty_apply("positions", "identity",
                   "tokens at positions outside of the cache are left as they are, and nothing rejects them",
                   {cache_preconditions, {}}),
      faulty_apply("positions", "wrap", "positions wrap at the rows of the cache, and nothing rejects them",
                   {{RotaryPrecondition::Rows}, {}}),
  };
}

// Faults of the side that launches: the kernels are the healthy ones.
std::vector<Kernel> faulty_launchers() {
  ApplyKernel vectors{{"rotary_apply"}, faulty_entries("apply", "vectors", "wide-table")};
  vectors.few_dtypes = true;
  ApplyKernel entry_by_x{{"rotary_apply"}};
  entry_by_x.entry_by_x = true;
  const auto not_the_first = [](const RotaryProblem& problem) {
    return problem.layout != RotaryLayout::Half || problem.dtype != Dtype::F32;
  };
  const ApplyKernel fused{.entries = {"rotary_apply"}, .few_dtypes = true, .rounding = RotaryRounding::Steps};
  const ApplyKernel steps{.entries = {"rotary_apply_steps"}, .few_dtypes = true};
  return {
      apply_kernel("faulty/rotary-apply-fused",
                   "stands for operators that run one by one, and keeps in f32 what they round between the steps",
                   "kernels/rotary/apply.cu", fused, "rotary/apply-steps"),
      apply_kernel("faulty/rotary-apply-steps", "promises f32 arithmetic, and rounds every step to x's dtype",
                   "kernels/rotary/apply_steps.cu", steps, "rotary/apply-general"),
      apply_kernel("faulty/rotary-apply-wide-table", "the interleaved branch reads twice the vectors of cos and sin",
                   faulty_source("rotary_vectors"), vectors, "rotary/apply"),
      apply_kernel("faulty/rotary-apply-one-guard",
                   "one launcher, of f32 in halves, asks whether the width fits a head; the others do not",
                   "kernels/rotary/apply.cu", {{"rotary_apply"}}, "rotary/apply-general",
                   {{RotaryPrecondition::Width}, not_the_first}),
      apply_kernel("faulty/rotary-apply-table-dtype",
                   "the entry is chosen by the dtype of x alone, and reads cos and sin as f32",
                   "kernels/rotary/apply.cu", entry_by_x, "rotary/apply-general"),
  };
}

Kernel faulty_qk(const std::string& words, const std::string& description, bool few_dtypes,
                 const RotaryPreconditions& missing = {}) {
  return qk_kernel("faulty/rotary-qk-" + words, description, faulty_source("rotary_qk_heads"),
                   {faulty_entries("qk", "qk_heads", words), few_dtypes}, "rotary/qk", missing);
}

std::vector<Kernel> faulty_qk_kernels() {
  return {
      faulty_qk(
          "unguarded",
          "rotary/qk without any precondition: positions past the cache and a width over head_dim are taken as given",
          false, all_preconditions({true, false, ""})),
      faulty_qk("one-stride", "the head stride of q is used for k as well", true),
      faulty_qk("key-heads", "k is taken to have as many heads as q", true),
      qk_kernel("faulty/rotary-qk-key-batch", "nothing asks whether k has as many batches as q", "kernels/rotary/qk.cu",
                {{"rotary_qk"}}, "rotary/qk", {RotaryPrecondition::Batches}),
  };
}

Kernel faulty_cache(const std::string& words, const std::string& description, const RotaryPreconditions& missing = {}) {
  return cache_kernel("faulty/rotary-cache-" + words, description, faulty_source("rotary_caches"),
                      faulty_entries("cache", "caches", words), "rotary/cache", missing);
}

std::vector<Kernel> faulty_cache_kernels() {
  return {
      faulty_cache("unguarded",
                   "rotary/cache without its precondition: an odd width is taken, and has a pair more than the table",
                   all_preconditions({false, true, ""})),
      faulty_cache("rounded-positions", "positions are rounded to bf16 on their way to the angle"),
  };
}

}  // namespace

std::vector<Kernel> faulty_rotary_kernels() {
  std::vector<Kernel> all;
  for (const auto& some : {faulty_apply_kernels(), faulty_launchers(), faulty_qk_kernels(), faulty_cache_kernels()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace ropewalk::kernels
