#include "lib/machine/decoded.h"

#include "lib/machine/decode/uniformity.h"
#include "lib/machine/settled.h"

namespace ropewalk::machine {

namespace {

std::vector<u32> key_of(Tier tier, const Launch& launch, u32 warps, Observed observed) {
  std::vector<u32> key{u32(tier), warps, observed.branches, observed.trails};
  for (const bool uniform : uniform_thread_indices(launch.block, warps)) key.push_back(uniform);
  return key;
}

}  // namespace

std::shared_ptr<const Program> Decoded::program(Tier tier, const Launch& launch, u32 warps, Observed observed) {
  auto& program = programs[key_of(tier, launch, warps, observed)];
  if (!program) {
    const std::vector<bool> uniform =
        tier == Tier::Fast ? uniform_values(*code, launch.block, warps) : constant_values(*code, launch.block, warps);
    program = make_program(code, tier, warps, uniform, observed);
  }
  return program;
}

std::shared_ptr<const Program> Decoded::program(const Settled& settled, const Launch& launch, u32 warps,
                                                Observed observed) {
  std::vector<u32> key = key_of(Tier::Fast, launch, warps, observed);
  if (last_settled.program && last_settled.key == key && last_settled.settled == settled) return last_settled.program;
  last_settled = {settled, std::move(key), nullptr};
  return last_settled.program =
             make_program(code, Tier::Fast, warps, uniform_values(*code, launch.block, warps), observed, &settled);
}

}  // namespace ropewalk::machine
