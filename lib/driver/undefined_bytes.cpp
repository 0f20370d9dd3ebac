#include "lib/driver/undefined_bytes.h"

#include <algorithm>

#include "lib/base/bits.h"
#include "lib/machine/handlers/struct_holes.h"

namespace ropewalk::driver {

namespace {

// Which of bytes [first, last) are written, as a bitmap of their own.
std::vector<u64> bits_of(const u64* written, u64 first, u64 last) {
  std::vector<u64> out((last - first + 63) / 64);
  for (u64 n = first; n < last; ++n) {
    if (all_bits(written, n, n + 1)) set_bits(out.data(), n - first, n - first + 1);
  }
  return out;
}

}  // namespace

void UndefinedBytes::add(Part part) {
  const auto id_of = [](const Part& one) { return one.stored->front().finding.id; };
  const auto same = std::ranges::find(parts_, id_of(part), id_of);
  if (same == parts_.end())
    parts_.push_back(std::move(part));
  else
    *same = {same->bytes.united(part.bytes), std::move(part.stored)};
}

std::vector<std::shared_ptr<const UndefinedStored>> UndefinedBytes::used(const Written& written, u64 first,
                                                                         u64 last) const {
  std::vector<std::shared_ptr<const UndefinedStored>> out;
  std::vector<u64> bits;
  const auto is_used = [&](u64 byte) {
    if (all_bits(written.bits, byte, byte + 1)) return false;
    if (bits.empty()) bits = bits_of(written.bits, first, last);
    return !machine::careful::is_struct_hole(bits.data(), last - first, byte - first, 2, written.widest);
  };
  for (const Part& part : parts_) {
    const bool some = part.bytes.any_range(first, last, [&](u64 begin, u64 end) {
      for (u64 byte = begin; byte < end; ++byte) {
        if (is_used(byte)) return true;
      }
      return false;
    });
    if (some) out.push_back(part.stored);
  }
  return out;
}

std::vector<UndefinedBytes::Part> UndefinedBytes::moved(u64 first, u64 last, u64 to) const {
  std::vector<Part> out;
  for (const Part& part : parts_) {
    Part there{{}, part.stored};
    part.bytes.any_range(first, last, [&](u64 begin, u64 end) {
      there.bytes.add(begin - first + to, end - first + to);
      return false;
    });
    if (!there.bytes.empty()) out.push_back(std::move(there));
  }
  return out;
}

}  // namespace ropewalk::driver
