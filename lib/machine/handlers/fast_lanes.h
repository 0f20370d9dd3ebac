// How the addresses of a warp lie: what the fast tier's memory handlers have in common.
#pragma once
#include <utility>

#include "lib/base/bits.h"
#include "lib/machine/handlers/fast_access.h"
#include "lib/machine/handlers/lane_words.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

[[gnu::always_inline]] inline const FastAccess& access_of(const Op* op) {
  return *static_cast<const FastAccess*>(op->extra);
}

// Stops the context before the operation: the careful tier runs it.
[[gnu::noinline]] inline const Op* stop_careful(Context& context, const Op* op) {
  context.stop = Stop::Careful;
  context.op = op;
  return nullptr;
}

// Whether an access of `width` bytes, a power of two, may start there.
[[gnu::always_inline]] inline bool is_aligned(u64 address, u32 width) { return (address & (width - 1)) == 0; }

// The lanes' addresses of one warp, with the offset added.
[[gnu::always_inline]] inline void load_addresses(const Context& context, const FastAccess& access, u32 warp, u64* to) {
  if (access.absolute) {
    for (u32 i = 0; i < lanes_per_warp; ++i) to[i] = u64(access.offset);
    return;
  }
  const std::byte* from = context.registers + access.address + warp * access.address_pitch;
  if (access.narrow) {
    const u32* addresses = reinterpret_cast<const u32*>(from);
    const u32 offset = u32(access.offset);
    for (u32 i = 0; i < lanes_per_warp; ++i) to[i] = u32(addresses[i] + offset);
  } else {
    const u64* addresses = reinterpret_cast<const u64*>(from);
    const u64 offset = u64(access.offset);
    for (u32 i = 0; i < lanes_per_warp; ++i) to[i] = addresses[i] + offset;
  }
}

// Where the lanes' addresses of one warp stand, to each of which `offset` is still to be added.
struct Addresses {
  const u64* of;
  u64 offset;
  u64 operator[](u32 lane) const { return of[lane] + offset; }
};

// `room` takes 32 addresses, aligned to 64 bytes, where registers do not hold them as they are.
[[gnu::always_inline]] inline Addresses addresses_of(const Context& context, const FastAccess& access, u32 warp,
                                                     u64* room) {
  if (!access.absolute && !access.narrow) {
    return {reinterpret_cast<const u64*>(context.registers + access.address + warp * access.address_pitch),
            u64(access.offset)};
  }
  load_addresses(context, access, warp, room);
  return {room, 0};
}

// Whether all lanes of all warps are active and lie side by side, warp after warp.
[[gnu::always_inline]] inline bool group_contiguous(const Context& context, const FastAccess& access, u64 width,
                                                    u64& base) {
  if (access.absolute || access.narrow || access.address_pitch == 0) return false;
  u32 bits = 0xffffffffu;
  for (u32 warp = 0; warp < context.warps; ++warp) bits &= context.bits[warp];
  if (bits != 0xffffffffu) return false;
  const u64* addresses = reinterpret_cast<const u64*>(context.registers + access.address);
  base = addresses[0] + u64(access.offset);
  const u32 shift = u32(__builtin_ctzll(width)), last = context.warps * lanes_per_warp - 1;
  if (addresses[last] != addresses[0] + (u64(last) << shift)) return false;
  const EightWords ramp = EightWords::ramp(width);
  Vector<u64> apart{};
  u64 start = addresses[0];
  for (const u64* eight = addresses; eight <= addresses + last; eight += 8, start += 8 * width)
    apart |= EightWords::load(eight).apart(ramp, start);
  return !any_set(apart);
}

// Lanes [first, first + lanes) of a warp, side by side or all at one address.
struct Piece {
  u64 offset;
  u8 first, lanes;
  bool repeated;
};

// Cuts the lanes of a full warp into up to four pieces: its quarters, joined where they go on. 0: they lie otherwise.
[[gnu::always_inline]] inline u32 cut_quarters(const Addresses& addresses, u32 bits, u32 width, Piece* pieces) {
  if (bits != 0xffffffffu) return 0;
  const EightWords ramp = EightWords::ramp(width);
  const u64 start = addresses.of[0];
  if (addresses.of[lanes_per_warp - 1] == start + u64(width) * (lanes_per_warp - 1)) {
    Vector<u64> any{};
    for (u32 lane = 0; lane < lanes_per_warp; lane += 8)
      any |= EightWords::load(addresses.of + lane).apart(ramp, start + u64(width) * lane);
    if (!any_set(any)) return pieces[0] = {addresses[0], 0, lanes_per_warp, false}, 1;
  }
  Vector<u64> apart[4], some{};
  for (u32 quarter = 0; quarter < 4; ++quarter) {
    const u64* of = addresses.of + quarter * 8;
    apart[quarter] = EightWords::load(of).apart(ramp, of[0]);
    some |= apart[quarter];
  }
  const bool all_apart = !any_set(some);
  u32 count = 0;
  for (u32 quarter = 0; quarter < 4; ++quarter) {
    const u64* of = addresses.of + quarter * 8;
    const bool repeated = !all_apart && any_set(apart[quarter]);
    if (repeated && any_set(EightWords::load(of).apart(EightWords::ramp(0), of[0]))) return 0;
    if (count) {
      Piece& last = pieces[count - 1];
      if (last.repeated == repeated &&
          addresses[quarter * 8] == (repeated ? last.offset : last.offset + u64(last.lanes) * width)) {
        last.lanes = u8(last.lanes + 8);
        continue;
      }
    }
    pieces[count++] = {addresses[quarter * 8], u8(quarter * 8), 8, repeated};
  }
  return count;
}

// Cuts the active lanes into pieces, lane by lane where nothing else is to be seen. Returns how many.
[[gnu::always_inline]] inline u32 cut(const Addresses& addresses, u32 bits, u32 width, Piece* pieces) {
  if (const u32 few = cut_quarters(addresses, bits, width, pieces)) return few;
  u32 count = 0;
  for (u32 rest = bits; rest; rest &= rest - 1) {
    const u32 lane = u32(__builtin_ctz(rest));
    if (count && !pieces[count - 1].repeated && pieces[count - 1].first + pieces[count - 1].lanes == lane &&
        pieces[count - 1].offset + u64(pieces[count - 1].lanes) * width == addresses[lane]) {
      ++pieces[count - 1].lanes;
      continue;
    }
    pieces[count++] = {addresses[lane], u8(lane), 1, false};
  }
  return count;
}

// Into how many pieces the active lanes fall, where those that lie side by side are one.
[[gnu::always_inline]] inline u32 count_pieces(const Addresses& addresses, u32 bits, u32 width) {
  u32 count = bits & 1u;
  for (u32 i = 1; i < lanes_per_warp; ++i) {
    const bool goes_on = (bits >> (i - 1) & 1u) && addresses.of[i] == addresses.of[i - 1] + width;
    count += (bits >> i & 1u) && !goes_on;
  }
  return count;
}

// Each lane by itself.
inline u32 cut_lanes(const Addresses& addresses, u32 bits, Piece* pieces) {
  u32 count = 0;
  for (u32 rest = bits; rest; rest &= rest - 1) {
    const u32 lane = u32(__builtin_ctz(rest));
    pieces[count++] = {addresses[lane], u8(lane), 1, false};
  }
  return count;
}

// Copies what the lanes of a piece access to (or from) their offsets in a row of one access after the other.
[[gnu::always_inline]] inline void gather_piece(std::byte* row, const std::byte* from, const Piece& piece, u32 width) {
  std::byte* to = row + piece.first * width;
  if (piece.lanes > 1 && !piece.repeated) {
    __builtin_memcpy(to, from, u64(piece.lanes) * width);
    return;
  }
  for (u32 lane = 0; lane < piece.lanes; ++lane, to += width) {
    switch (width) {
      case 4:
        __builtin_memcpy(to, from, 4);
        break;
      case 2:
        __builtin_memcpy(to, from, 2);
        break;
      case 8:
        __builtin_memcpy(to, from, 8);
        break;
      case 16:
        __builtin_memcpy(to, from, 16);
        break;
      default:
        __builtin_memcpy(to, from, width);
        break;
    }
  }
}

// Bytes between an element in memory and the register that takes or gives it.
[[gnu::always_inline]] inline u64 widened(const std::byte* from, u32 bytes, bool sign_extend) {
  u64 bits = 0;
  switch (bytes) {
    case 1: {
      u8 v;
      __builtin_memcpy(&v, from, 1);
      bits = sign_extend ? u64(i64(i8(v))) : v;
      break;
    }
    case 2: {
      u16 v;
      __builtin_memcpy(&v, from, 2);
      bits = sign_extend ? u64(i64(i16(v))) : v;
      break;
    }
    case 4: {
      u32 v;
      __builtin_memcpy(&v, from, 4);
      bits = sign_extend ? u64(i64(i32(v))) : v;
      break;
    }
    default:
      __builtin_memcpy(&bits, from, 8);
      break;
  }
  return bits;
}

// Where the lanes of a warp find their bytes: lane i at quarter[i / 8] + i * pitch.
struct Rows {
  const std::byte* quarter[4];
  u64 pitch;
  Rows(const std::byte* data, u64 of_pitch) : quarter{data, data, data, data}, pitch(of_pitch) {}
  const std::byte* lane(u32 i) const { return quarter[i / 8] + i * pitch; }
};

// The rows of the pieces of a warp, the i-th of which lies at data[i]: where they are, or else gathered.
[[gnu::always_inline]] inline Rows rows_of(const FastAccess& access, const Piece* pieces, u32 count,
                                           const std::byte* const* data, std::byte* gathered) {
  const u32 width = access.element_bytes * access.count;
  if (count == 1 && pieces[0].lanes == lanes_per_warp) return Rows(data[0], pieces[0].repeated ? 0 : width);
  // Vectors are taken apart up to 64 bytes at a time.
  const u32 least = access.count == 1 || width >= 8 ? 8 : 64 / width;
  Rows rows(gathered, width);
  u32 lanes = 0;
  for (u32 i = 0; i < count && i < 4; ++i) {
    const Piece& piece = pieces[i];
    if (piece.repeated || ((piece.first | piece.lanes) & (least - 1)) != 0) break;
    for (u32 q = piece.first / 8; q < (piece.first + piece.lanes) / 8u; ++q)
      rows.quarter[q] = data[i] - piece.first * width;
    lanes += piece.lanes;
  }
  if (lanes == lanes_per_warp) return rows;
  for (u32 i = 0; i < count; ++i) gather_piece(gathered, data[i], pieces[i], width);
  return Rows(gathered, width);
}

// Puts the element that lies `at` bytes into each lane's into the registers of the active lanes.
template <class Element>
[[gnu::always_inline]] inline void take_lanes(const Rows& rows, u64 at, Element* to, u32 bits, const u8* lanes) {
  if (bits == 0xffffffffu) {
    if (rows.pitch == sizeof(Element) && rows.quarter[0] == rows.quarter[1] && rows.quarter[0] == rows.quarter[2] &&
        rows.quarter[0] == rows.quarter[3]) {
      copy_row<sizeof(Element) * lanes_per_warp>(to, rows.quarter[0] + at);
      return;
    }
    if (rows.pitch == 0) {
      Element element;
      __builtin_memcpy(&element, rows.quarter[0] + at, sizeof(Element));
      for (u32 i = 0; i < lanes_per_warp; ++i) to[i] = element;
      return;
    }
    for (u32 first = 0; first < lanes_per_warp; first += 8) {
      const std::byte* data = rows.lane(first) + at;
      if (rows.pitch == sizeof(Element)) {
        __builtin_memcpy(to + first, data, sizeof(Element) * 8);
      } else {
        for (u32 i = 0; i < 8; ++i) __builtin_memcpy(&to[first + i], data + i * rows.pitch, sizeof(Element));
      }
    }
    return;
  }
  for (u32 i = 0; i < lanes_per_warp; ++i) {
    if (lanes[i]) __builtin_memcpy(&to[i], rows.lane(i) + at, sizeof(Element));
  }
}

// A vector of elements, and the permutations that take pairs of them apart and put them together again.
template <class Element>
struct Pack {
  using Vector = RW_INSTRUCTION_SET::Vector<Element>;
  static constexpr u32 count = vector_bytes / sizeof(Element);

  // Elements first, first + jump, first + step, first + step + jump, ... of a and, behind them, b.
  template <u32 first, u32 step, u32 jump, u32... i>
  static Vector picked(Vector a, Vector b, std::integer_sequence<u32, i...>) {
    return __builtin_shufflevector(a, b, (first + i / 2 * step + i % 2 * jump)...);
  }
  template <u32 first, u32 step, u32 jump>
  static Vector picked(Vector a, Vector b) {
    return picked<first, step, jump>(a, b, std::make_integer_sequence<u32, count>());
  }
  static Vector load(const std::byte* from) { return load_vector<Element>(from); }
  static void store(std::byte* to, Vector v) { __builtin_memcpy(to, &v, vector_bytes); }
  // Elements 0, 2, 4, ... of a, then of b; and 1, 3, 5, ...
  static Vector even(Vector a, Vector b) { return picked<0, 4, 2>(a, b); }
  static Vector odd(Vector a, Vector b) { return picked<1, 4, 2>(a, b); }
  // a0 b0 a1 b1 ...: the lower half, and the upper one.
  static Vector low(Vector a, Vector b) { return picked<0, 1, count>(a, b); }
  static Vector high(Vector a, Vector b) { return picked<count / 2, 1, count>(a, b); }
};

// Takes vectors of `count` elements apart into the registers of all 32 lanes, where these have the element's size.
template <class Element, u32 count>
[[gnu::always_inline]] inline bool take_vectors(Context& context, const FastAccess& access, u32 warp,
                                                const Rows& rows) {
  if (context.bits[warp] != 0xffffffffu) return false;
  std::byte* to[count];
  for (u32 n = 0; n < count; ++n) {
    if (access.value_bytes[n] != sizeof(Element)) return false;
    to[n] = context.registers + access.value[n] + warp * access.value_pitch[n];
  }
  using P = Pack<Element>;
  for (u32 lane = 0; lane < lanes_per_warp; lane += P::count) {
    // A vector has the bytes of lanes that lie side by side (rows_of).
    const auto part = [&](u32 n) { return rows.lane(lane + n * P::count / count); };
    const u64 at = lane * sizeof(Element);
    const auto a = P::load(part(0)), b = P::load(part(1));
    if constexpr (count == 2) {
      P::store(to[0] + at, P::even(a, b));
      P::store(to[1] + at, P::odd(a, b));
    } else {
      const auto c = P::load(part(2)), d = P::load(part(3));
      const auto e0 = P::even(a, b), o0 = P::odd(a, b), e1 = P::even(c, d), o1 = P::odd(c, d);
      P::store(to[0] + at, P::even(e0, e1));
      P::store(to[1] + at, P::even(o0, o1));
      P::store(to[2] + at, P::odd(e0, e1));
      P::store(to[3] + at, P::odd(o0, o1));
    }
  }
  return true;
}

inline void take_any_elements(Context& context, const FastAccess& access, u32 warp, const Rows& rows);

// Puts what the rows hold into the registers of the active lanes of a warp.
[[gnu::always_inline]] inline void take_elements(Context& context, const FastAccess& access, u32 warp,
                                                 const Rows& rows) {
  if (access.count != 1 || access.element_bytes != 4 || access.value_bytes[0] != 4)
    return take_any_elements(context, access, warp, rows);
  std::byte* to = context.registers + access.value[0] + warp * access.value_pitch[0];
  take_lanes(rows, 0, reinterpret_cast<u32*>(to), context.bits[warp], context.lanes + warp * lanes_per_warp);
}

inline void take_any_elements(Context& context, const FastAccess& access, u32 warp, const Rows& rows) {
  const u32 bits = context.bits[warp];
  const u8* lanes = context.lanes + warp * lanes_per_warp;
  if (access.count > 1 && rows.pitch == u64(access.element_bytes) * access.count) {
    bool done = false;
    switch (access.element_bytes * 16 + access.count) {
      case 2 * 16 + 2:
        done = take_vectors<u16, 2>(context, access, warp, rows);
        break;
      case 2 * 16 + 4:
        done = take_vectors<u16, 4>(context, access, warp, rows);
        break;
      case 4 * 16 + 2:
        done = take_vectors<u32, 2>(context, access, warp, rows);
        break;
      case 4 * 16 + 4:
        done = take_vectors<u32, 4>(context, access, warp, rows);
        break;
      case 8 * 16 + 2:
        done = take_vectors<u64, 2>(context, access, warp, rows);
        break;
      default:
        break;
    }
    if (done) return;
  }
  for (u32 n = 0; n < access.count; ++n) {
    if (access.value_bytes[n] == 0) continue;
    std::byte* to = context.registers + access.value[n] + warp * access.value_pitch[n];
    const u64 at = n * access.element_bytes;
    if (access.value_bytes[n] == access.element_bytes) {
      switch (access.element_bytes) {
        case 2:
          take_lanes(rows, at, reinterpret_cast<u16*>(to), bits, lanes);
          continue;
        case 4:
          take_lanes(rows, at, reinterpret_cast<u32*>(to), bits, lanes);
          continue;
        case 8:
          take_lanes(rows, at, reinterpret_cast<u64*>(to), bits, lanes);
          continue;
        default:
          break;
      }
    }
    for (u32 i = 0; i < lanes_per_warp; ++i) {
      if (!lanes[i]) continue;
      const u64 value = widened(rows.lane(i) + at, access.element_bytes, access.sign_extend);
      __builtin_memcpy(to + i * access.value_bytes[n], &value, access.value_bytes[n]);
    }
  }
}

// Puts them together again, in all lanes.
template <class Element, u32 count>
[[gnu::always_inline]] inline bool give_vectors(const Context& context, const FastAccess& access, u32 warp,
                                                std::byte* data) {
  const std::byte* from[count];
  for (u32 n = 0; n < count; ++n) {
    if (access.value_bytes[n] != sizeof(Element)) return false;
    from[n] = context.registers + access.value[n] + warp * access.value_pitch[n];
  }
  using P = Pack<Element>;
  if constexpr (count == 1) {
    copy_row<lanes_per_warp * sizeof(Element)>(data, from[0]);
    return true;
  } else {
    for (u32 lane = 0; lane < lanes_per_warp; lane += P::count) {
      std::byte* to = data + lane * count * sizeof(Element);
      const u64 at = lane * sizeof(Element);
      const auto a = P::load(from[0] + at), b = P::load(from[1] + at);
      if constexpr (count == 2) {
        P::store(to, P::low(a, b));
        P::store(to + vector_bytes, P::high(a, b));
      } else {
        const auto c = P::load(from[2] + at), d = P::load(from[3] + at);
        const auto p0 = P::low(a, c), p1 = P::high(a, c), q0 = P::low(b, d), q1 = P::high(b, d);
        P::store(to, P::low(p0, q0));
        P::store(to + vector_bytes, P::high(p0, q0));
        P::store(to + 2 * vector_bytes, P::low(p1, q1));
        P::store(to + 3 * vector_bytes, P::high(p1, q1));
      }
    }
    return true;
  }
}

// The bytes that lane i stores, at to[i * element_bytes * count].
inline void give_elements(const Context& context, const FastAccess& access, u32 warp, std::byte* to) {
  const u32 width = access.element_bytes * access.count;
  bool done = false;
  switch (access.element_bytes * 16 + access.count) {
    case 2 * 16 + 1:
      done = give_vectors<u16, 1>(context, access, warp, to);
      break;
    case 2 * 16 + 2:
      done = give_vectors<u16, 2>(context, access, warp, to);
      break;
    case 2 * 16 + 4:
      done = give_vectors<u16, 4>(context, access, warp, to);
      break;
    case 4 * 16 + 1:
      done = give_vectors<u32, 1>(context, access, warp, to);
      break;
    case 4 * 16 + 2:
      done = give_vectors<u32, 2>(context, access, warp, to);
      break;
    case 4 * 16 + 4:
      done = give_vectors<u32, 4>(context, access, warp, to);
      break;
    case 8 * 16 + 1:
      done = give_vectors<u64, 1>(context, access, warp, to);
      break;
    case 8 * 16 + 2:
      done = give_vectors<u64, 2>(context, access, warp, to);
      break;
    default:
      break;
  }
  if (done) return;
  for (u32 n = 0; n < access.count; ++n) {
    const std::byte* from = context.registers + access.value[n] + warp * access.value_pitch[n];
    for (u32 i = 0; i < lanes_per_warp; ++i) {
      __builtin_memcpy(to + i * width + n * access.element_bytes, from + i * access.value_bytes[n],
                       access.element_bytes);
    }
  }
}

// body(first lane, lanes) for every run of neighbouring active lanes.
template <class Body>
[[gnu::always_inline]] inline void for_runs(u32 bits, Body body) {
  while (bits) {
    const u32 first = u32(__builtin_ctz(bits));
    const u32 rest = bits >> first;
    const u32 length = rest == 0xffffffffu ? 32 : u32(__builtin_ctz(~rest));
    body(first, length);
    bits = first + length >= 32 ? 0 : bits & (~u32(0) << (first + length));
  }
}

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
