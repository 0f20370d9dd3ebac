// One file of kernels that rotate one tensor: how its launches differ from those of kernels/rotary/apply.cu.
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "kernels/checked_in_ptx.h"
#include "kernels/rotary/rotary_preconditions.h"
#include "lib/family/kernel.h"
#include "lib/problem/rotary.h"

namespace ropewalk::kernels {

// How the blocks lie over the tokens; heads go along y.
enum class ApplyGrid : u8 {
  Tiles,         // sequences x token tiles along x
  SequencesInZ,  // token tiles along x, sequences along z
  Rows           // tiles of all rows along x; cu_seqlens always; the number of sequences is one more argument
};

struct ApplyKernel {
  PtxEntries entries;
  std::optional<PtxEntries> vectors;  // used where rows are aligned
  bool few_dtypes = false;            // f32 and bf16 with an f32 cache
  ApplyGrid grid = ApplyGrid::Tiles;
  bool packed_table = false;  // cos and sin are halves of one tensor; the configured length is one more argument
  bool no_sequences = false;  // no cu_seqlens: all sequences are of one length
  RotaryRounding rounding = RotaryRounding::Once;  // that it promises
  bool entry_by_x = false;                         // the entry for a cache in f32 is taken, whatever the cache's dtype
};

// Preconditions that a family lacks, perhaps for some problems only.
struct MissingPreconditions {
  RotaryPreconditions preconditions;
  std::function<bool(const RotaryProblem&)> where;  // empty: everywhere
};

Kernel apply_kernel(const std::string& name, const std::string& description, const std::string& source,
                    const ApplyKernel& kernel, const std::string& counterpart,
                    const MissingPreconditions& missing = {});

}  // namespace ropewalk::kernels
