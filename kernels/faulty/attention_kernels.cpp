#include "kernels/faulty/attention_kernels.h"

#include <fmt/format.h>

#include "kernels/attention/backward_kernels.h"
#include "kernels/attention/forward_kernels.h"
#include "kernels/attention/ring_kernels.h"
#include "kernels/faulty/entry_prefix.h"

namespace ropewalk::kernels {
namespace {

// A faulty form of forward.cu by the file it is in and its name: "window-left" is faulty/attention-window-left.
Kernel faulty_forward(const std::string& file, const std::string& words, const std::string& description,
                      ForwardGrid grid = ForwardGrid::Tiles) {
  ForwardKernel kernel{{"attention_" + file, entry_prefix("attention_", words)}};
  kernel.few = true;
  kernel.grid = grid;
  return attention_forward_kernel("faulty/attention-" + words, description,
                                  fmt::format("kernels/faulty/attention_{}.cu", file), kernel, "attention/forward");
}

// Of forward_mma.cu.
Kernel faulty_on_tensor_cores(const std::string& words, const std::string& description) {
  ForwardKernel kernel{{"attention_mma", entry_prefix("attention_mma_", words)}, true};
  kernel.tensor_cores = true;
  return attention_forward_kernel("faulty/attention-mma-" + words, description, "kernels/faulty/attention_mma.cu",
                                  kernel, "attention/forward-mma");
}

Kernel faulty_backward(const std::string& words, const std::string& description) {
  BackwardKernel kernel{{"attention_gradients", entry_prefix("attention_gradient_", words)}, true};
  return attention_backward_kernel("faulty/attention-gradient-" + words, description,
                                   "kernels/faulty/attention_gradients.cu", kernel, "attention/backward");
}

Kernel faulty_ring(const std::string& file, const std::string& words, const std::string& description) {
  const bool backward = file == "gradients";
  RingKernel kernel{{"attention_ring_" + file, entry_prefix("attention_ring_", words)}, backward, true};
  return attention_ring_kernel("faulty/attention-ring-" + words, description,
                               fmt::format("kernels/faulty/attention_ring_{}.cu", file), kernel,
                               backward ? "attention/ring-backward" : "attention/ring");
}

// The kernel is the healthy one.
Kernel without_preconditions() {
  ForwardKernel kernel{{"attention_forward"}};
  kernel.few = true;
  kernel.checks_lists = false;
  return attention_forward_kernel("faulty/attention-any-lists", "cu_seqlens are taken as given",
                                  "kernels/attention/forward.cu", kernel, "attention/forward");
}

}  // namespace

std::vector<Kernel> faulty_attention_kernels() {
  return {
      faulty_forward("scores", "scale-missing", "products of q and k are taken for scores"),
      faulty_forward("scores", "scale-doubled", "scores are scaled twice"),
      faulty_forward("scores", "softcap-missing", "the cap of scores is left out"),
      faulty_forward("scores", "slope-sign", "the distance is added to scores, not subtracted"),
      faulty_forward("scores", "slope-of-head", "slopes are worked out from the head's number, counted from 0"),
      faulty_forward("scores", "sink-missing", "sinks are left out"),
      faulty_forward("scores", "lse-base", "lse is in base 2"),
      faulty_forward("scores", "lse-without-largest", "lse lacks the maximum that was subtracted from the scores"),
      faulty_forward("masks", "causal-top-left", "the causal mask begins at the first key"),
      faulty_forward("masks", "window-left", "a window has one key too many to the left"),
      faulty_forward("masks", "window-right", "a window has one key too few to the right"),
      faulty_forward("masks", "window-minus-one", "-1, an open side of a window, is taken for a number of keys"),
      faulty_forward("masks", "window-zero", "0 keys to the left are taken for all"),
      faulty_forward("masks", "mask-sentinel", "masked keys have a score of -5e4"),
      faulty_forward("masks", "masked-rows", "rows that see no key become NaN"),
      faulty_forward("masks", "tail-tile", "keys past the last whole tile of 32 are left out"),
      faulty_forward("places", "head-mapping", "head h of q has the keys of head h % Hk"),
      faulty_forward("places", "batch-stride", "the queries of sequence b begin at token b"),
      faulty_forward("places", "key-batch", "every sequence has the keys and values of the first"),
      faulty_forward("places", "value-stride", "rows of v are as far apart as those of k"),
      faulty_forward("places", "int32", "rows of k and v are found by products of 32-bit integers"),
      faulty_forward("places", "value-tail", "the last tile of v is loaded whole"),
      faulty_forward("sequences", "no-keys", "rows of sequences without keys are not written"),
      faulty_forward("sequences", "single-query",
                     "where no sequence has two queries, sequence b is taken to have row b"),
      faulty_forward("sequences", "wasted-tile", "blocks of no sequence look their sequence up",
                     ForwardGrid::PairsOfSequences),
      faulty_forward("sequences", "grid-y", "heads of all sequences go along y of the grid, which ends at 65,535",
                     ForwardGrid::HeadsInY),
      faulty_on_tensor_cores("values-not-waited-for", "the last tile of v is used while it is still being copied"),
      faulty_on_tensor_cores("keys-too-early", "the next tile of k is copied over the one that other warps still use"),
      without_preconditions(),
      faulty_backward("softcap", "the backward knows nothing of the cap of scores"),
      faulty_backward("softcap-dq", "dq lacks the slope of the cap of scores, dk has it"),
      faulty_backward("scale", "dq and dk lack the scale of scores"),
      faulty_backward("top-left", "the causal mask of the backward begins at the first key"),
      faulty_backward("group", "dk and dv are of the last head alone of those that share a head of k"),
      faulty_backward("int32", "the start of a gradient is a product of 32-bit integers"),
      faulty_backward("int32-rows", "row x stride of the gradient of out is a product of 32-bit integers"),
      faulty_ring("steps", "last-step", "the last step of a ring is left out"),
      faulty_ring("steps", "step-twice", "a rank's own keys are merged once more when they are back"),
      faulty_ring("steps", "contiguous", "tokens in zigzag are taken for contiguous chunks"),
      faulty_ring("steps", "packed", "packed sequences are taken for one that all rows were dealt out of"),
      faulty_ring("steps", "rank-order", "keys of the previous rank are taken for those of the next one"),
      faulty_ring("steps", "own-places", "keys of all ranks are taken to be at the positions of the rank's own"),
      faulty_ring("steps", "other-group", "ranks are counted in another group, where two of them are one"),
      faulty_ring("merges", "not-rescaled", "the output of the steps before is not rescaled"),
      faulty_ring("merges", "summed", "outputs of the steps are added without weights"),
      faulty_ring("merges", "masked-step", "a step that sees nothing is merged as any other"),
      faulty_ring("merges", "lse-base", "lse in base 2 are merged as if they were in base e"),
      faulty_ring("gradients", "gradient-own", "dk and dv are of the queries of their own rank alone"),
      faulty_ring("gradients", "gradient-last-step", "dq lacks the last step of the ring"),
      faulty_ring("gradients", "gradient-contiguous", "the backward takes tokens in zigzag for contiguous chunks"),
  };
}

}  // namespace ropewalk::kernels
