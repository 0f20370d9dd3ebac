// Who touched what of the tensors that a launch both loads and stores, in as few words as prove most launches innocent:
// one for each chunk of 64 bytes, and of small tensors, which have odd shapes, one for each element. Where every access
// to a chunk gives the same bytes to the same threads, or one thread alone comes to it, nobody raced there; where only
// reads met, neither. Anything else needs a precise rerun: the launch runs again with a log of every access.
#pragma once
#include <set>
#include <vector>

#include "lib/machine/memory.h"

namespace ropewalk::machine {

// Lanes side by side (or all at one address: `repeated`) that access a window.
struct Claim {
  u64 block = 0;   // number of the block
  u32 thread = 0;  // within the block, of the first lane
  u32 lanes = 1;
  u64 first = 0;  // byte of the window
  u32 width = 4;  // bytes of a lane: up to 32; of other than a power of two nothing is proved
  bool write = false;
  bool repeated = false;
  bool noncoherent = false;  // by ld.global.nc, which nothing orders behind a write, not even of the same thread
};

// What is known of a chunk: 0, that nobody touched it; `only_read`, that several threads did and none wrote. Else all
// who touched it are of one block, and one of two holds, or both:
// - They touched it by one pattern, which says whose every byte is: who would hold the first byte of the chunk if the
//   access went on to there.
// - They are one thread.
// bit 0: written; bits 1 to 5: first byte modulo width; 6 to 8: log2 of the width; 9 to 20: thread of the first byte +
// 256; 21: there is no pattern; 22 to 32: the only thread + 1, 0: several; 33 to 62: block + 1.
namespace owner {
constexpr u32 large_shift = 6;         // log2 of the bytes of a chunk,
constexpr u64 small_tensor = 1 << 16;  // of tensors larger than this
constexpr u64 wrote = 1, no_pattern = u64(1) << 21, only_thread = u64(0x7ff) << 22;
constexpr u64 only_read = ~u64(0);
constexpr u64 most_blocks = (u64(1) << 30) - 1;

// Both are false where somebody else touched one of the chunks. One lane by itself:
bool claim_alone(u64* chunks, u32 chunk_shift, const Claim& it);

// Several lanes. Static, as bits.h has it: the handlers are compiled for several instruction sets.
[[gnu::always_inline]] static inline bool claim(u64* chunks, u32 chunk_shift, const Claim& it) {
  if (it.lanes == 1) return claim_alone(chunks, chunk_shift, it);
  // Copies: the chunks might be the claim, for all that the compiler knows.
  const u64 first = it.first, write = it.write, width = it.width;
  const i64 thread = i64(it.thread) + 256;
  const bool repeated = it.repeated;
  if ((repeated && write) || (width & (width - 1)) != 0 || it.block >= most_blocks) return false;
  const u32 shift = u32(__builtin_ctzll(width));
  const u64 low = first >> chunk_shift, high = (first + (repeated ? width : it.lanes * width) - 1) >> chunk_shift;
  const u64 pattern = (it.block + 1) << 33 | u64(shift) << 6 | (first & (width - 1)) << 1;
  // What of a chunk's word has to be as those who have the pattern left it.
  const u64 of_owners = ~only_thread & (it.noncoherent ? ~u64(0) : ~wrote);
  for (u64 c = low; c <= high; ++c) {
    const i64 lane = (i64(c << chunk_shift) - i64(first)) >> shift;  // whose first byte that is, or would be
    const u64 key = pattern | u64(thread + lane) << 9;
    const u64 known = chunks[c];
    if (known == 0) {
      chunks[c] = repeated ? only_read : key | write;
    } else if (!repeated && (known & of_owners) == key) {
      chunks[c] = (known & ~only_thread) | write;
    } else if (write || ((known & wrote) && known != only_read)) {
      return false;
    } else {
      chunks[c] = only_read;
    }
  }
  return true;
}
}  // namespace owner

// What the blocks of one worker touched.
class Owners {
 public:
  // Room for the windows of which Memory says that they are owned.
  Owners(const Launch& launch, const Memory& memory);

  [[gnu::always_inline]] void claim(u32 window, const Claim& claim) {
    if (!owner::claim(chunks_[window], shifts_[window], claim)) needs_rerun_[window] = 1;
  }
  // Adds what another worker's blocks touched.
  void merge(const Owners& other, const Memory& memory);
  // The tensors for which somebody may have raced.
  std::set<i32> needs_rerun(const Memory& memory) const;

 private:
  Storage storage_;
  std::vector<u64*> all_chunks_;  // by window; the windows of a tensor's regions have the tensor's
  std::vector<u8> all_shifts_;    // log2 of the bytes of a chunk
  std::vector<u8> all_needs_rerun_;
  u64** chunks_ = nullptr;  // of all_chunks_: handlers must not call what the standard library's templates become
  u8* shifts_ = nullptr;
  u8* needs_rerun_ = nullptr;
};

}  // namespace ropewalk::machine
