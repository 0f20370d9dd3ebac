// What the kernels of one family come to.
#pragma once
#include <vector>

#include "kernels/atlas.h"
#include "lib/families/list.h"
#include "lib/family/kernel.h"

namespace ropewalk::kernels {

struct FamilyKernels {
  std::vector<Kernel> correct, faulty;
  std::vector<AtlasEntry> atlas;
};

#define RW_FAMILY(name, program) FamilyKernels name##_family_kernels();
ROPEWALK_FAMILIES(RW_FAMILY)
#undef RW_FAMILY

// Those of all families, in the order of their list.
const std::vector<FamilyKernels>& kernels_by_family();

// The elements of several vectors, one vector after the other.
template <class T>
std::vector<T> joined(std::initializer_list<std::vector<T>> parts) {
  std::vector<T> all;
  for (const std::vector<T>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace ropewalk::kernels
