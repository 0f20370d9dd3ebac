#include "kernels/atlas.h"

#include <algorithm>

#include "kernels/faulty/attention_atlas.h"
#include "kernels/faulty/cache_store_atlas.h"
#include "kernels/faulty/decode_atlas.h"
#include "kernels/faulty/rotary_atlas.h"

namespace ropewalk {

const std::vector<AtlasEntry>& all_atlas_entries() {
  static const std::vector<AtlasEntry> entries = [] {
    std::vector<AtlasEntry> all = rotary_atlas_of_widths();
    for (AtlasEntry& entry : rotary_atlas_of_positions()) all.push_back(std::move(entry));
    for (AtlasEntry& entry : attention_atlas()) all.push_back(std::move(entry));
    for (AtlasEntry& entry : decode_atlas()) all.push_back(std::move(entry));
    for (AtlasEntry& entry : cache_store_atlas()) all.push_back(std::move(entry));
    for (AtlasEntry& entry : ring_atlas()) all.push_back(std::move(entry));
    std::stable_sort(all.begin(), all.end(), [](const AtlasEntry& a, const AtlasEntry& b) { return a.row < b.row; });
    return all;
  }();
  return entries;
}

}  // namespace ropewalk
