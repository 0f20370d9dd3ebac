#include "lib/machine/shadow.h"

#include <cstring>

#include "lib/machine/known_bits.h"
#include "lib/machine/unwritten.h"

namespace ropewalk::machine {

namespace {

constexpr u32 is_pattern = 0x80000000u;  // of a code: the rest is its number

u64 hash_of(const Mark& mark) {
  u64 hash = mark.bits;
  for (const u32 source : mark.sources) hash = (hash ^ source) * 0x9e3779b97f4a7c15ull + (hash >> 29);
  return hash;
}

u8 taint_of_source(u32 source) { return source == UnwrittenReads::a_finding ? u8(poisoned) : u8(undefined); }

}  // namespace

Shadow::Shadow(const Program& laid_out, bool track_origins) : program(laid_out) {
  const std::size_t cells = laid_out.code->values.size() * laid_out.warps * lanes_per_warp;
  taints.assign(cells, clean);
  if (track_origins) origins.assign(cells, 0);
}

bool Shadow::has(u32 value, u32 warp, u8 bits) const {
  const u8* row = taints.data() + cell(value, warp, 0);
  u64 found = 0;
  for (u32 at = 0; at < lanes_per_warp; at += 8) {
    u64 eight = 0;
    std::memcpy(&eight, row + at, 8);
    found |= eight;
  }
  return (found & (0x0101010101010101ull * bits)) != 0;
}

Shadow::Wrap Shadow::wrap_of(u32 value, u32 warp, u32 lane) const {
  const u64 at = cell(value, warp, lane);
  const u8 found = taints[at] & any_wrap;
  const auto known = found ? exact.find(at) : exact.end();
  return known == exact.end() ? Wrap() : Wrap{found, known->second};
}

void Shadow::add_wrap(u32 value, u32 warp, u32 lane, const Wrap& wrap) {
  if (wrap.taints == clean) return;
  add(value, warp, lane, wrap.taints);
  exact[cell(value, warp, lane)] = wrap.exact;
}

Mark Shadow::mark_of(u32 value, u32 warp, u32 lane) const {
  const u64 at = cell(value, warp, lane);
  if (!(taints[at] & (poisoned | undefined))) return {};
  const u32 code = codes_[at];
  if (code & is_pattern) return patterns_[code & ~is_pattern];
  Mark mark;
  const u32 size = program.code->values[value].size;
  mark.bits = bits_mask(8 * size);
  for (u32 byte = 0; byte < size; ++byte) mark.sources[byte] = code;
  return mark;
}

bool Shadow::is_whole(u32 value, u32 warp, u32 lane, u32& source) const {
  const u64 at = cell(value, warp, lane);
  if (!(taints[at] & (poisoned | undefined)) || (codes_[at] & is_pattern)) return false;
  source = codes_[at];
  return true;
}

void Shadow::set_base(u32 value, u32 warp, u32 lane, u32 base) {
  if (bases_.empty()) bases_.assign(taints.size(), 0);
  bases_[cell(value, warp, lane)] = base;
}

void Shadow::set_whole(u32 value, u32 warp, u32 lane, u32 source) {
  const u64 at = cell(value, warp, lane);
  if (codes_.empty()) codes_.assign(taints.size(), 0);
  if (!bases_.empty()) bases_[at] = 0;
  taints[at] = taint_of_source(source);
  codes_[at] = source;
  any = true;
}

void Shadow::set(u32 value, u32 warp, u32 lane, const Mark& mark) {
  const u64 at = cell(value, warp, lane);
  taints[at] = clean;
  if (!bases_.empty()) bases_[at] = 0;
  const u32 size = program.code->values[value].size;
  Mark kept;
  kept.bits = mark.bits & bits_mask(8 * size);
  if (kept.bits == 0) return;
  u8 taint = clean;
  bool is_uniform = kept.bits == bits_mask(8 * size);
  for (u32 byte = 0; byte < size; ++byte) {
    if (!((kept.bits >> (8 * byte)) & 0xff)) continue;
    kept.sources[byte] = mark.sources[byte];
    taint |= taint_of_source(mark.sources[byte]);
    is_uniform &= mark.sources[byte] == mark.sources[0];
  }
  if (is_uniform) return set_whole(value, warp, lane, kept.sources[0]);
  if (codes_.empty()) codes_.assign(taints.size(), 0);
  taints[at] = taint;
  any = true;
  const u64 hash = hash_of(kept);
  const auto [first, last] = pattern_numbers_.equal_range(hash);
  for (auto known = first; known != last; ++known) {
    if (patterns_[known->second] == kept) {
      codes_[at] = is_pattern | known->second;
      return;
    }
  }
  codes_[at] = is_pattern | u32(patterns_.size());
  pattern_numbers_.emplace(hash, u32(patterns_.size()));
  patterns_.push_back(kept);
}

}  // namespace ropewalk::machine
