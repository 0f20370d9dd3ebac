#include "lib/machine/owners.h"

namespace ropewalk::machine {

bool owner::claim_alone(u64* chunks, u32 chunk_shift, const Claim& it) {
  if ((it.width & (it.width - 1)) != 0 || it.block >= most_blocks) return false;
  const u32 shift = u32(__builtin_ctz(it.width));
  const u64 owner = (it.block + 1) << 33 | u64(it.thread + 1) << 22;
  for (u64 c = it.first >> chunk_shift; c <= (it.first + it.width - 1) >> chunk_shift; ++c) {
    const i64 lane = (i64(c << chunk_shift) - i64(it.first)) >> shift;
    const u64 key = owner | u64(i64(it.thread) + lane + 256) << 9 | u64(shift) << 6 | (it.first & (it.width - 1)) << 1;
    const u64 known = chunks[c], differs = known ^ key;
    const bool is_ordered = !(it.noncoherent && (known & wrote));
    if (known == 0) {
      chunks[c] = key | u64(it.write);
    } else if (is_ordered && (differs & ~(only_thread | wrote)) == 0) {
      chunks[c] = (differs & only_thread ? known & ~only_thread : known) | u64(it.write);
    } else if (is_ordered && differs >> 22 == 0) {
      chunks[c] = known | no_pattern | u64(it.write);
    } else if (it.write || ((known & wrote) && known != only_read)) {
      return false;
    } else {
      chunks[c] = only_read;
    }
  }
  return true;
}

Owners::Owners(const Launch& launch, const Memory& memory) {
  const std::vector<Window>& windows = memory.windows();
  all_chunks_.resize(windows.size());
  all_shifts_.resize(windows.size());
  all_needs_rerun_.resize(windows.size());
  shifts_ = all_shifts_.data();
  chunks_ = all_chunks_.data();
  needs_rerun_ = all_needs_rerun_.data();
  for (u32 n = 0; n < windows.size(); ++n) {
    if (!windows[n].owned) continue;
    const u32 size = size_of(launch.tensors[u32(windows[n].tensor)].dtype);
    all_shifts_[n] = u8(windows[n].bytes > owner::small_tensor ? owner::large_shift : u32(__builtin_ctz(size)));
    u64*& whole = all_chunks_[memory.whole(n)];
    if (!whole) whole = reinterpret_cast<u64*>(storage_.take(((windows[n].bytes >> all_shifts_[n]) + 1) * sizeof(u64)));
    all_chunks_[n] = whole;
  }
}

void Owners::merge(const Owners& other, const Memory& memory) {
  const auto written = [](u64 known) { return known != owner::only_read && (known & owner::wrote); };
  for (u32 n = 0; n < all_chunks_.size(); ++n) {
    all_needs_rerun_[n] |= other.all_needs_rerun_[n];
    const Window& window = memory.windows()[n];
    if (!all_chunks_[n] || window.region >= 0) continue;
    for_touched(window, [&](u64 first, u64 last) {
      for (u64 c = first >> all_shifts_[n]; first < last && c <= (last - 1) >> all_shifts_[n]; ++c) {
        const u64 theirs = other.all_chunks_[n][c];
        u64& ours = all_chunks_[n][c];
        if (theirs == 0) continue;
        if (ours != 0 && (written(ours) || written(theirs))) all_needs_rerun_[n] = 1;
        ours = ours == 0 ? theirs : owner::only_read;
      }
    });
  }
}

std::set<i32> Owners::needs_rerun(const Memory& memory) const {
  std::set<i32> tensors;
  for (u32 n = 0; n < all_needs_rerun_.size(); ++n) {
    if (all_needs_rerun_[n]) tensors.insert(memory.windows()[n].tensor);
  }
  return tensors;
}

}  // namespace ropewalk::machine
