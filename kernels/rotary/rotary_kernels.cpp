#include "kernels/faulty/rotary_kernels.h"

#include "kernels/family_kernels.h"
#include "kernels/faulty/rotary_atlas.h"
#include "kernels/rotary/apply_kernels.h"
#include "kernels/rotary/cache_kernels.h"
#include "kernels/rotary/qk_kernels.h"

namespace ropewalk::kernels {

FamilyKernels rotary_family_kernels() {
  return {.correct = joined({rotary_apply_kernels(), rotary_qk_kernels(), rotary_cache_kernels()}),
          .faulty = faulty_rotary_kernels(),
          .atlas = joined({rotary_atlas_of_widths(), rotary_atlas_of_positions()})};
}

}  // namespace ropewalk::kernels
