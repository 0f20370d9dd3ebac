#include "lib/driver/undefined_bytes.h"

#include <algorithm>

#include "lib/base/bits.h"
#include "lib/machine/handlers/struct_holes.h"

namespace ropewalk::driver {

namespace {

// Looks for bytes among [first, last) that nobody wrote up to now and that do not pad structs.
class Unwritten {
 public:
  Unwritten(const UndefinedBytes::Written& written, u64 first, u64 last)
      : written_(written), first_(first), last_(last) {}

  // The first of them; none: there is none.
  std::optional<u64> first_of(const UndefinedBytes::Part& part) {
    std::optional<u64> found;
    part.bytes.any_range(first_, last_, [&](u64 begin, u64 end) {
      for (u64 byte = begin; byte < end; ++byte) {
        if (all_bits(written_.bits, byte, byte + 1) || is_padding(byte, part.pads_to)) continue;
        found = byte;
        return true;
      }
      return false;
    });
    return found;
  }

 private:
  bool is_padding(u64 byte, u64 widest) {
    if (own_.empty()) take_bits();
    return machine::careful::is_struct_hole(own_.data(), last_ - first_, byte - first_, 2,
                                            std::min(widest, written_.widest));
  }
  // As memory of its own.
  void take_bits() {
    own_.resize((last_ - first_ + 63) / 64);
    for (u64 n = 0; n < own_.size(); ++n) {
      const u64 at = first_ + 64 * n, shift = at % 64;
      const u64 low = shared_word(written_.bits, at / 64) >> shift;
      own_[n] = shift && at + 64 - shift < last_ ? low | shared_word(written_.bits, at / 64 + 1) << (64 - shift) : low;
    }
  }

  const UndefinedBytes::Written written_;
  const u64 first_, last_;
  std::vector<u64> own_;
};

}  // namespace

void UndefinedBytes::add(Part part) {
  const auto id_of = [](const Part& one) { return one.stored->front().finding.id; };
  const auto same = std::ranges::find(parts_, id_of(part), id_of);
  if (same == parts_.end())
    parts_.push_back(std::move(part));
  else
    *same = {same->bytes.united(part.bytes), std::move(part.stored), part.is_result, part.pads_to};
}

void UndefinedBytes::look_at() {
  for (Part& part : parts_) part.is_result = false;
}

std::vector<std::shared_ptr<const UndefinedStored>> UndefinedBytes::used(const Written& written, u64 first, u64 last,
                                                                         bool as_results) const {
  std::vector<std::shared_ptr<const UndefinedStored>> out;
  Unwritten unwritten(written, first, last);
  for (const Part& part : parts_) {
    if ((part.is_result || !as_results) && unwritten.first_of(part)) out.push_back(part.stored);
  }
  return out;
}

std::vector<UndefinedBytes::Part> UndefinedBytes::moved(u64 first, u64 last, u64 to) const {
  std::vector<Part> out;
  for (const Part& part : parts_) {
    Part there{{}, part.stored, part.is_result, part.pads_to};
    part.bytes.any_range(first, last, [&](u64 begin, u64 end) {
      there.bytes.add(begin - first + to, end - first + to);
      return false;
    });
    if (!there.bytes.empty()) out.push_back(std::move(there));
  }
  return out;
}

std::optional<u64> first_unwritten(const UndefinedBytes::Written& written, u64 first, u64 last) {
  if (all_bits(written.bits, first, last)) return {};
  return Unwritten(written, first, last).first_of({ByteSet(first, last), {}});
}

void forget(UndefinedBits& bits, const std::vector<std::pair<u64, u64>>& ranges) {
  std::erase_if(bits, [&](const auto& entry) {
    const auto behind = std::ranges::upper_bound(ranges, entry.first, {}, &std::pair<u64, u64>::first);
    return behind != ranges.begin() && entry.first < std::prev(behind)->second;
  });
}

}  // namespace ropewalk::driver
