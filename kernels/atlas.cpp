#include "kernels/atlas.h"

#include <algorithm>

#include "kernels/family_kernels.h"

namespace ropewalk::kernels {

const std::vector<AtlasEntry>& all_atlas_entries() {
  static const std::vector<AtlasEntry> entries = [] {
    std::vector<AtlasEntry> all;
    for (const FamilyKernels& some : kernels_by_family()) all.insert(all.end(), some.atlas.begin(), some.atlas.end());
    std::ranges::stable_sort(all, {}, &AtlasEntry::row);
    return all;
  }();
  return entries;
}

}  // namespace ropewalk::kernels
