// The attention forward kernels.
#pragma once
#include <string>
#include <vector>

#include "kernels/checked_in_ptx.h"
#include "lib/family/kernel.h"

namespace ropewalk::kernels {

// How the blocks lie over the query tiles of all heads of all sequences.
enum class ForwardGrid : u8 {
  Tiles,             // along x
  PairsOfSequences,  // along x; with cu_seqlens for an even number of sequences
  HeadsInY           // tiles along x, heads of sequences along y
};

// One forward kernel: how its launches differ from those of kernels/attention/forward.cu.
struct ForwardKernel {
  PtxEntries entries;
  bool few = false;          // one entry: f32 (on tensor cores f16), columns up to 64
  bool checks_lists = true;  // asks whether cu_seqlens begin at 0, rise, and end within the rows
  ForwardGrid grid = ForwardGrid::Tiles;
  bool tensor_cores = false;  // f16 and bf16 alone, entries by the wider of D and Dv, a block has four query tiles
};

// `counterpart` as in Kernel.
Kernel attention_forward_kernel(const std::string& name, const std::string& description, const std::string& source,
                                const ForwardKernel& kernel, const std::string& counterpart);

std::vector<Kernel> attention_forward_kernels();

}  // namespace ropewalk::kernels
