#include "lib/diagnose/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

namespace ropewalk::diagnose {
namespace {

i64 round_up(i64 value, i64 multiple) { return (value + multiple - 1) / multiple * multiple; }

void add(std::vector<Tile>& tiles, i64 extent, i64 size, i32 axis, bool of_launch, const std::string& text) {
  if (size < 2 || extent < 1 || extent % size == 0) return;
  const auto known = std::find_if(tiles.begin(), tiles.end(),
                                  [&](const Tile& tile) { return tile.size == size && (tile.axis < 0) == (axis < 0); });
  if (known == tiles.end())
    tiles.push_back({size, round_up(extent, size), axis, of_launch, fmt::format("tiles of {}{}", size, text)});
}

}  // namespace

std::optional<bool> thread_is_behind(const Finding& finding, const Tile& tile, i64 extent) {
  if (!finding.thread || tile.axis < 0) return std::nullopt;
  return i64(finding.thread->thread[tile.axis]) * tile.each >= extent % tile.size;
}

std::vector<Tile> tiles_of(i64 extent, const Launch& launch, i64 each) {
  std::vector<Tile> tiles;
  const std::tuple<i64, i32, const char*> block[] = {
      {launch.block.y, 1, "blockDim.y"}, {launch.block.x, 0, "blockDim.x"}, {launch.block.z, 2, "blockDim.z"}};
  for (const auto& [threads, axis, name] : block) {
    add(tiles, extent, threads * each, axis, true,
        each == 1 ? fmt::format(" ({})", name) : fmt::format(" ({} of each of {} threads)", each, name));
  }
  for (Tile& tile : tiles) tile.each = each;
  const std::pair<i64, char> grid[] = {{launch.grid.x, 'x'}, {launch.grid.y, 'y'}, {launch.grid.z, 'z'}};
  for (i64 size = 2; size <= 1024; size *= 2) {
    const i64 count = round_up(extent, size) / size;
    const auto axis = std::find_if(std::begin(grid), std::end(grid), [&](const auto& of) { return of.first == count; });
    const bool of_grid = count > 1 && axis != std::end(grid);
    add(tiles, extent, size, -1, of_grid, of_grid ? fmt::format(" (gridDim.{} = {})", axis->second, count) : "");
  }
  return tiles;
}

bool are_of_blocks(const Tile& tile, const Finding& finding, const Launch& launch) {
  const Occurrences& seen = finding.occurrences;
  const u64 blocks = launch.grid.count(), tiles = u64(tile.padded / tile.size);
  const bool is_known = seen.blocks > 0 && !seen.at_least && launch.blocks.count == 0;
  if (blocks == 1 || (is_known && seen.blocks == blocks)) return true;
  const u32 grid[] = {launch.grid.x, launch.grid.y, launch.grid.z};
  for (u32 axis = 0; axis < 3; ++axis) {
    const bool is_last = !finding.thread || finding.thread->block[axis] + 1 == tiles;
    if (grid[axis] == tiles && is_last && (!is_known || seen.blocks == blocks / tiles)) return true;
  }
  return false;
}

std::vector<Tile> padded_columns(i64 columns, const Launch& launch) {
  std::vector<Tile> tiles;
  add(tiles, columns, launch.block.x, 0, true, " (blockDim.x)");
  if (columns > 0) add(tiles, columns, i64(std::bit_ceil(u64(columns))), -1, false, " (the next power of two)");
  return tiles;
}

}  // namespace ropewalk::diagnose
