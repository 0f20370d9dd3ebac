#include "lib/rope/merge_files.h"

namespace ropewalk::rope {
namespace {

// The one table of a file that holds one function alone; null for other files.
const CacheTable* half_of(const FileTables& file) {
  if (file.tables.size() != 1 || !file.frequencies.empty()) return nullptr;
  const CacheTable& table = file.tables.front();
  return table.planes.size() == 1 && !table.planes[0].holds_both() ? &table : nullptr;
}

}  // namespace

std::vector<FileTables> merged_files(std::vector<FileTables> files) {
  std::vector<FileTables> merged;
  const bool are_two = files.size() == 2;  // then names need not say that they belong together
  for (FileTables& file : files) {
    bool taken = false;
    const CacheTable* const half = half_of(file);
    for (FileTables& earlier : merged) {
      const CacheTable* const other = half ? half_of(earlier) : nullptr;
      if (!other || (other->module != half->module && !are_two) || other->planes[0].trig == half->planes[0].trig ||
          other->rows != half->rows || other->pairs() != half->pairs()) {
        continue;
      }
      CacheTable& table = earlier.tables.front();
      table.planes.push_back(half->planes[0]);
      if (table.planes[1].trig == Trig::Cos) std::swap(table.planes[0], table.planes[1]);
      table.name = readable_name(table);
      earlier.path += ", " + file.path;
      taken = true;
      break;
    }
    if (!taken) merged.push_back(std::move(file));
  }
  return merged;
}

}  // namespace ropewalk::rope
