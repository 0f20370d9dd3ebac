#include "lib/machine/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/bits.h"
#include "lib/machine/checks/unit.h"
#include "lib/machine/checks/wording.h"
#include "lib/machine/nonfinite.h"

namespace ropewalk::machine {

namespace {

bool in_regions(const LaunchTensor& tensor, i64 n) {
  if (tensor.regions.empty()) return true;
  const i64 columns = tensor.shape.empty() ? 1 : tensor.shape.back();
  const i64 row = n / columns, column = n % columns;
  for (const Region& region : tensor.regions) {
    if (row >= region.first_row && row < region.last_row && column >= region.first_column &&
        column < region.last_column) {
      return true;
    }
  }
  return false;
}

// Elements that lie behind each other without gaps: a row, or one element where columns have gaps.
struct Piece {
  i64 first = 0;   // element in row-major order
  u64 offset = 0;  // in bytes
  u64 count = 0;
};

// body(piece) for every piece, until it returns false.
template <class Body>
void for_pieces(const LaunchTensor& tensor, Body body) {
  const i64 count = element_count(tensor.shape);
  const i64 size = size_of(tensor.dtype);
  const u64 rank = tensor.shape.size(), inner = rank && tensor.strides.back() == 1 ? 1 : 0;
  const i64 together = inner ? tensor.shape.back() : 1;
  std::vector<i64> index(rank - inner, 0);
  i64 offset = 0;
  for (i64 n = 0; n < count; n += together) {
    if (!body(Piece{n, u64(offset * size), u64(together)})) return;
    for (i64 d = i64(index.size()) - 1; d >= 0; --d) {
      offset += tensor.strides[d];
      if (++index[d] < tensor.shape[d]) break;
      offset -= tensor.strides[d] * tensor.shape[d];
      index[d] = 0;
    }
  }
}

// The last step of an entry is a return: the location of a kernel as a whole is where it begins.
Occurrence about_output(Rule rule, const Window& window, u64 offset, u32 bytes) {
  Occurrence out;
  out.rule = rule;
  out.step = no_value;
  out.window = window.index;
  out.has_access = true;
  out.offset = i64(offset);
  out.bytes = bytes;
  return out;
}

// Whether one of `count` elements has an exponent of all ones: none does in healthy outputs, so this is what is asked
// first, and fast.
template <class Bits>
bool any_exponent_full(const std::byte* data, u64 count, Bits exponent) {
  constexpr u64 lowest = ~u64(0) / Bits(-1), highest = lowest << (8 * sizeof(Bits) - 1);
  const u64 exponents = lowest * exponent, carry = lowest * (exponent & -exponent);
  typedef u64 Words __attribute__((vector_size(64)));
  Words found_in{};
  const u64 bytes = count * sizeof(Bits);
  u64 found = 0, at = 0;
  // As many elements as 64 bytes hold: one more in the exponent's last place carries where all its bits are set.
  for (; at + sizeof(Words) <= bytes; at += sizeof(Words)) {
    Words bits;
    __builtin_memcpy(&bits, data + at, sizeof(Words));
    found_in |= ((bits & exponents) + carry) & highest;
  }
  for (u32 i = 0; i < sizeof(Words) / sizeof(u64); ++i) found |= found_in[i];
  for (; at < bytes; at += sizeof(Bits)) {
    Bits bits;
    __builtin_memcpy(&bits, data + at, sizeof(Bits));
    found |= u64((bits & exponent) == exponent);
  }
  return found != 0;
}

bool may_hold_nonfinite(Dtype dtype, const std::byte* data, u64 bytes) {
  switch (dtype) {
    case Dtype::F32:
    case Dtype::TF32:
      return any_exponent_full<u32>(data, bytes / 4, 0x7f800000u);
    case Dtype::BF16:
      return any_exponent_full<u16>(data, bytes / 2, 0x7f80);
    case Dtype::F16:
      return any_exponent_full<u16>(data, bytes / 2, 0x7c00);
    case Dtype::F64:
      return any_exponent_full<u64>(data, bytes / 8, 0x7ff0000000000000ull);
    default:
      return is_floating(dtype);
  }
}

// body(offset) for elements that are NaN or infinite, hold a value, and (in a sparse tensor) may have been stored.
template <class Body>
void for_nonfinite(const LaunchTensor& tensor, const Window& window, Body body) {
  const u32 size = size_of(tensor.dtype);
  const auto look = [&](u64 offset) {
    if (window.initialized && !all_bits(window.initialized, offset, offset + size)) return true;
    if (std::isfinite(load_as_double(window.data + offset, tensor.dtype))) return true;
    return bool(body(offset));
  };
  bool go_on = true;
  const auto look_through = [&](u64 first, u64 last) {
    if (!go_on || !may_hold_nonfinite(tensor.dtype, window.data + first, last - first)) return;
    for (u64 offset = first; offset < last && go_on; offset += size) go_on = look(offset);
  };
  if (tensor.strides == contiguous_strides(tensor.shape)) return for_touched(window, look_through);
  for_pieces(tensor, [&](const Piece& piece) {
    look_through(piece.offset, piece.offset + piece.count * size);
    return go_on;
  });
}

}  // namespace

void check_written(const LaunchTensor& tensor, const Window& window, Collector& collector) {
  const u64* written = window.initialized;
  if (!written || !std::holds_alternative<Uninitialized>(tensor.init)) return;
  const u32 size = size_of(tensor.dtype);
  if (tensor.regions.empty() && all_bits(written, 0, window.bytes)) return;
  // Once there are more than are listed, the others are counted, and elements that share a word, or a chunk that nobody
  // touched, at once.
  constexpr u64 listed = 2 * Collector::most_offsets, word = 64;
  u64 found = 0, unlisted = 0, first_unlisted = 0;
  const bool all_count = tensor.regions.empty() && !window.poisoned && word % size == 0;
  const auto unwritten_from = [&](u64 offset, u64 left) -> u64 {
    const bool starts_chunk = window.touched && offset % touched_chunk == 0 && left >= touched_chunk / size;
    if (starts_chunk && !window.touched[offset / touched_chunk]) return touched_chunk / size;
    return offset % word == 0 && left >= word / size && written[offset / word] == 0 ? word / size : 0;
  };
  const auto note = [&](u64 offset, u64 count) {
    found += count;
    if (found <= listed) return collector.report(about_output(Rule::OutputNotWritten, window, offset, size));
    if (unlisted == 0) first_unlisted = offset;
    unlisted += count;
  };
  for_pieces(tensor, [&](const Piece& piece) {
    if (all_bits(written, piece.offset, piece.offset + piece.count * size)) return true;
    for (u64 n = 0; n < piece.count;) {
      const u64 offset = piece.offset + n * size;
      if (const u64 together = all_count && found >= listed ? unwritten_from(offset, piece.count - n) : 0) {
        note(offset, together);
        n += together;
        continue;
      }
      ++n;
      if (all_bits(written, offset, offset + size) || !in_regions(tensor, piece.first + i64(n) - 1)) continue;
      if (window.poisoned && any_bit(window.poisoned, offset, offset + size)) continue;
      note(offset, 1);
    }
    return true;
  });
  if (unlisted == 0) return;
  Occurrence others = about_output(Rule::OutputNotWritten, window, first_unlisted, size);
  others.count = unlisted;
  collector.report(others);
}

bool has_nonfinite_output(const Launch& launch, const Memory& memory) {
  bool found = false;
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    if (!launch.tensors[n].finite) continue;
    for_nonfinite(launch.tensors[n], memory.tensor(n), [&](u64) { return !(found = true); });
  }
  return found;
}

void check_outputs(LaunchState& state, Collector& collector, bool incomplete, bool with_origins) {
  const Launch& launch = state.launch;
  for (u32 n = 0; n < launch.tensors.size(); ++n) {
    const LaunchTensor& tensor = launch.tensors[n];
    const Window& window = state.memory.tensor(n);
    if (tensor.output && !incomplete && state.options.checks.has(Check::Outputs))
      check_written(tensor, window, collector);
    if (!tensor.finite || !with_origins) continue;
    for_nonfinite(tensor, window, [&](u64 offset) {
      Occurrence out = about_output(Rule::NonfiniteOrigin, window, offset, size_of(tensor.dtype));
      if (const auto at = state.origins.find(window.base + offset); at != state.origins.end()) {
        const Origin origin = unpack_origin(at->second);
        out.step = origin.step;
        out.block = origin.block;
        out.thread = origin.thread;
      }
      out.detail = fmt::format("{}", load_as_double(window.data + offset, tensor.dtype));
      collector.report(out);
      return true;
    });
  }
}

template <>
const CheckUnit& unit<Check::Outputs>() {
  static const CheckUnit unit{
      .rules = {{Rule::OutputMismatch, "Output that differs from the expected one",
                 "An element of an output differs from the expected value by more than the bound that rounding allows.",
                 "The model still runs and gives plausible text, only worse, which is the most expensive kind of "
                 "defect to find.",
                 "Usually the layout of the pairs, the sign of sin, a position, a scale or a mask differs from the "
                 "definition; the cause names the one that fits, if one does."},
                {Rule::OutputNotWritten, "Output element that nobody wrote",
                 "The launch ended without having written every element of a tensor that is declared an output.",
                 "The element keeps what was in the memory before, often a plausible old result.",
                 "Usually the grid has too few blocks, a tail tile is dropped, or a mask is too narrow by one."}},
      .words =
          [](const Wording& wording) {
            const u64 count = wording.collected.accesses;
            return fmt::format("{} of the output {} never written, the first is {}",
                               count == 1 ? "1 element" : fmt::format("{} elements", count),
                               wording.access.tensor + (count == 1 ? " was" : " were"), wording.element());
          },
      .why_vacuous =
          [](const Launch& launch) {
            const bool some = std::ranges::any_of(launch.tensors, [](const auto& tensor) { return tensor.output; });
            return std::string(some || !launch.expectations.empty() ? "" : "no output, and nothing is expected");
          },
  };
  return unit;
}

}  // namespace ropewalk::machine
