#include "kernels/kernels.h"

#include "kernels/family_kernels.h"

namespace ropewalk::kernels {

const std::vector<FamilyKernels>& kernels_by_family() {
#define RW_FAMILY(name, program) name##_family_kernels(),
  static const std::vector<FamilyKernels> all{ROPEWALK_FAMILIES(RW_FAMILY)};
#undef RW_FAMILY
  return all;
}

const Kernels& shipped_kernels() {
  static const Kernels kernels([] {
    std::vector<Kernel> all;
    for (const FamilyKernels& some : kernels_by_family()) {
      all.insert(all.end(), some.correct.begin(), some.correct.end());
    }
    for (const FamilyKernels& some : kernels_by_family()) {
      all.insert(all.end(), some.faulty.begin(), some.faulty.end());
    }
    return all;
  }());
  return kernels;
}

}  // namespace ropewalk::kernels
