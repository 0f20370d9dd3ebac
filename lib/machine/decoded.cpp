#include "lib/machine/decoded.h"

#include "lib/machine/decode/uniformity.h"

namespace ropewalk::machine {

std::shared_ptr<const Program> Decoded::program(Tier tier, const Launch& launch, u32 warps, bool observed) {
  std::vector<u32> key{u32(tier), warps, u32(observed)};
  for (const bool uniform : uniform_thread_indices(launch.block, warps)) key.push_back(uniform);
  auto& program = programs[key];
  if (!program) {
    const std::vector<bool> uniform =
        tier == Tier::Fast ? uniform_values(*code, launch.block, warps) : constant_values(*code, launch.block, warps);
    program = make_program(code, tier, warps, uniform, observed);
  }
  return program;
}

}  // namespace ropewalk::machine
