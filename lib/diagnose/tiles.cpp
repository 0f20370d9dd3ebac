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

// " (blockDim.x)", where the kernel looks at that: one that does not has tiles of its own.
std::string name_of_block(const Launch& launch, i32 axis, const std::string& name) {
  const ptx::Function* const entry = launch.module ? launch.module->entry(launch.entry) : nullptr;
  const u32 extent = u32(ptx::Special::NtidX) + u32(axis);
  const bool is_read = !entry || std::ranges::any_of(entry->operands, [&](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::Special && operand.id == extent;
  });
  return is_read ? fmt::format(" ({})", name) : "";
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
        name_of_block(launch, axis, each == 1 ? name : fmt::format("{} of each of {} threads", each, name)));
  }
  for (Tile& tile : tiles) tile.each = each;
  const std::pair<i64, char> grid[] = {{launch.grid.x, 'x'}, {launch.grid.y, 'y'}, {launch.grid.z, 'z'}};
  for (i64 size = 2; size <= 1024; size *= 2) {
    const i64 padded = round_up(extent, size), count = padded / size;
    const auto axis = std::find_if(std::begin(grid), std::end(grid), [&](const auto& of) { return of.first == count; });
    // Where the grid has a block for each of them, they are in no tiles.
    const bool is_each = std::ranges::count(grid, padded, [](const auto& of) { return of.first; }) > 0;
    const bool of_grid = count > 1 && axis != std::end(grid) && !is_each;
    add(tiles, extent, size, -1, of_grid, of_grid ? fmt::format(" (gridDim.{} = {})", axis->second, count) : "");
    if (is_each && !tiles.empty() && tiles.back().size == size) tiles.back().text.clear();
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
  add(tiles, columns, launch.block.x, 0, true, name_of_block(launch, 0, "blockDim.x"));
  if (columns > 0) add(tiles, columns, i64(std::bit_ceil(u64(columns))), -1, false, " (the next power of two)");
  return tiles;
}

}  // namespace ropewalk::diagnose
