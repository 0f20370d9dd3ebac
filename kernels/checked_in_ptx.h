// The PTX of our kernels, which is built into the programs.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/types.h"
#include "lib/ptx/module.h"

namespace ropewalk::kernels {

struct EmbeddedPtx {
  std::string_view stem;      // "rotary_apply", of kernels/ptx/rotary_apply.ptx
  std::string_view deflated;  // its text, as zlib packs it
  u64 size = 0;               // of the text, in bytes
};

// Entries of one module that begin alike, "rotary_apply_row_mask" of the stem rotary_masks.
struct PtxEntries {
  std::string stem;
  std::string prefix = stem;
};

// All of kernels/ptx, by stem (the body is generated when the suite is built).
const std::vector<EmbeddedPtx>& embedded_ptx();
// The module of that stem, read once and then shared; its path is that in the repository. Throws InternalError where
// there is no such stem.
std::shared_ptr<const ptx::Module> checked_in_module(std::string_view stem);

}  // namespace ropewalk::kernels
