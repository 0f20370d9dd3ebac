#include "kernels/atlas.h"

#include <fmt/format.h>

#include "kernels/faulty/rotary_atlas.h"
#include "lib/base/error.h"

namespace ropewalk {

const std::vector<AtlasEntry>& all_atlas_entries() {
  static const std::vector<AtlasEntry> entries = [] {
    std::vector<AtlasEntry> all = rotary_atlas_of_widths();
    for (AtlasEntry& entry : rotary_atlas_of_positions()) all.push_back(std::move(entry));
    return all;
  }();
  return entries;
}

std::vector<const AtlasEntry*> atlas_row(std::string_view row) {
  std::vector<const AtlasEntry*> found;
  std::string known;
  int last = 0;
  for (const AtlasEntry& entry : all_atlas_entries()) {
    if (std::to_string(entry.row) == row) found.push_back(&entry);
    if (entry.row != last) known += fmt::format("{}{}", last ? ", " : "", entry.row);
    last = entry.row;
  }
  if (found.empty()) throw InputError(fmt::format("the atlas has no row \"{}\"; its rows are {}", row, known));
  return found;
}

}  // namespace ropewalk
