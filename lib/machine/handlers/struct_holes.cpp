#include "lib/machine/handlers/struct_holes.h"

#include "lib/base/bits.h"

namespace ropewalk::machine::careful {

namespace {

constexpr u64 largest_struct = 256;
// Memory no larger than this may be a single struct.
constexpr u64 largest_single = 64;

// The hole at the end of a word, from `hole` to the word's end.
class Hole {
 public:
  Hole(const u64* written, u64 bytes, u64 offset, u64 width)
      : written_(written), bytes_(bytes), width_(width), word_(offset / width * width), end_(word_ + width) {
    is_one_ = end_ <= bytes && is_written(word_, 1) && !any_bit(written, offset, end_);
    if (!is_one_) return;
    for (hole_ = offset; hole_ > word_ + 1 && !is_written(hole_ - 1, 1);) --hole_;
  }

  bool is_one() const { return is_one_; }

  // Whether structs of this size that lie side by side have it.
  bool is_in_structs_of(u64 size, bool with_scalar = true) const {
    return is_in_struct_at(word_ / size * size, size, with_scalar) ||
           (end_ >= size && is_in_struct_at(end_ - size, size, with_scalar));
  }

  // Of an array of numbers of two bytes and more no part ends at an odd byte.
  bool is_in_single_struct() const {
    const bool is_sure = hole_ % 2 == 1 || width_ == 8;
    return bytes_ <= largest_single && bytes_ % width_ == 0 && is_sure && has_scalar(0, bytes_);
  }

 private:
  bool is_written(u64 first, u64 count) const { return all_bits(written_, first, first + count); }

  bool has_scalar(u64 first, u64 size) const {
    for (u64 at = (first + width_ - 1) / width_ * width_; at + width_ <= first + size; at += width_) {
      if (is_written(at, width_)) return true;
    }
    return false;
  }

  bool is_in_struct_at(u64 first, u64 size, bool with_scalar) const {
    if (first > word_ || first + size < end_ || first + size > bytes_) return false;
    if (with_scalar && !has_scalar(first, size)) return false;
    return (first >= size && is_alike(first - size, first, size)) ||
           (first + 2 * size <= bytes_ && is_alike(first + size, first, size));
  }

  bool is_alike(u64 a, u64 b, u64 size) const {
    for (u64 n = 0; n < size; ++n) {
      if (is_written(a + n, 1) != is_written(b + n, 1)) return false;
    }
    return true;
  }

  const u64* written_;
  const u64 bytes_, width_, word_, end_;
  u64 hole_ = 0;
  bool is_one_ = false;
};

}  // namespace

bool is_struct_hole(const u64* written, u64 bytes, u64 offset, u64 narrowest, u64 widest) {
  for (u64 width = narrowest; width <= widest; width *= 2) {
    const Hole hole(written, bytes, offset, width);
    if (!hole.is_one()) continue;
    for (u64 size = 2 * width; size <= largest_struct; size += width) {
      if (hole.is_in_structs_of(size)) return true;
    }
    if (hole.is_in_single_struct()) return true;
  }
  return false;
}

bool is_aligned_hole(const u64* written, u64 bytes, u64 offset, u64 alignment) {
  const Hole hole(written, bytes, offset, alignment);
  if (!hole.is_one()) return false;
  for (u64 size = alignment; size <= largest_struct; size += alignment) {
    if (hole.is_in_structs_of(size, false)) return true;
  }
  return bytes == alignment;  // a single one
}

}  // namespace ropewalk::machine::careful
