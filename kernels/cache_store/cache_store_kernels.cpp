#include "kernels/faulty/cache_store_kernels.h"

#include "kernels/cache_store/store_kernels.h"
#include "kernels/family_kernels.h"
#include "kernels/faulty/cache_store_atlas.h"

namespace ropewalk::kernels {

FamilyKernels cache_store_family_kernels() {
  return {.correct = cache_store_kernels(), .faulty = faulty_cache_store_kernels(), .atlas = cache_store_atlas()};
}

}  // namespace ropewalk::kernels
