#include "lib/machine/shadow.h"

namespace ropewalk::machine {

Shadow::Shadow(const Program& laid_out, bool track_origins) : program(laid_out) {
  const std::size_t cells = laid_out.code->values.size() * laid_out.warps * lanes_per_warp;
  taints.assign(cells, clean);
  if (track_origins) origins.assign(cells, 0);
}

}  // namespace ropewalk::machine
