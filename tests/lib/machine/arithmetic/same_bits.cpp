// Compiled three times, with RW_HASHES as the name of the function and the flags of an instruction set.
#include "tests/lib/machine/arithmetic/same_bits.h"

#include "lib/machine/arithmetic/approximate_half.h"
#include "lib/machine/arithmetic/bits.h"
#include "lib/machine/arithmetic/compare.h"
#include "lib/machine/arithmetic/convert_small.h"
#include "lib/machine/arithmetic/divide.h"
#include "lib/machine/arithmetic/dot.h"
#include "lib/machine/arithmetic/float64.h"
#include "lib/machine/arithmetic/half.h"
#include "lib/machine/arithmetic/logic.h"
#include "lib/machine/arithmetic/permute.h"
#include "lib/machine/arithmetic/shift.h"

namespace ropewalk::machine::arithmetic {
namespace {

constexpr u32 lanes = 32;

// Raw operands of 8 bytes a lane, the same for all instruction sets. One in four is small, so that shifts and fields
// see sensible amounts; the others are any bits, which as floats have all exponents and some NaN.
struct Operands {
  u64 a[lanes], b[lanes], c[lanes], d[lanes];
};
u64 next(u64& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  const u64 bits = state ^ (state >> 29);
  const u64 middle = 0x3f003f003f003f00u | (bits & 0x80ff80ff80ff80ffu);  // around 1 in every float format
  return (state >> 60) < 4 ? bits & 63 : (state >> 60) < 8 ? middle : bits;
}
void fill(Operands& operands, u64& state) {
  for (u32 i = 0; i < lanes; ++i) {
    operands.a[i] = next(state), operands.b[i] = next(state), operands.c[i] = next(state), operands.d[i] = next(state);
  }
}

template <class T>
void spread(T (&to)[lanes], const u64 (&from)[lanes]) {
  for (u32 i = 0; i < lanes; ++i) {
    if constexpr (sizeof(T) == 1) {
      to[i] = from[i] & 1 ? 0xff : 0;
    } else {
      __builtin_memcpy(&to[i], &from[i], sizeof(T));
    }
  }
}
template <class Op>
auto third_type() {
  if constexpr (requires { typename Op::C; })
    return typename Op::C();
  else
    return u32();
}
template <class Op>
auto second_type() {
  if constexpr (requires { typename Op::B; })
    return typename Op::B();
  else
    return u32();
}

template <class Op>
u64 hash_of() {
  using R = typename Op::Result;
  alignas(64) typename Op::A a[lanes];
  alignas(64) decltype(second_type<Op>()) b[lanes];
  alignas(64) decltype(third_type<Op>()) c[lanes];
  alignas(64) R results[lanes];
  u64 state = 12345, hash = 0;
  for (u32 round = 0; round < 400; ++round) {
    Operands operands;
    fill(operands, state);
    spread(a, operands.a), spread(b, operands.b), spread(c, operands.c);
    for (u32 i = 0; i < lanes; ++i) {
      if constexpr (requires { typename Op::C; }) {
        results[i] = Op::apply(a[i], b[i], c[i]);
      } else if constexpr (requires { typename Op::B; }) {
        results[i] = Op::apply(a[i], b[i]);
      } else {
        results[i] = Op::apply(a[i]);
      }
    }
    for (u32 i = 0; i < lanes; ++i) {
      u64 bits = 0;
      // Which NaN a double operation keeps is not promised.
      if constexpr (R(0.5) != R(0)) {
        if (results[i] != results[i] && sizeof(R) == 8) results[i] = 0;
      }
      __builtin_memcpy(&bits, &results[i], sizeof(R));
      hash = (hash ^ bits) * 0x100000001b3u + (hash >> 37);
    }
  }
  return hash;
}

}  // namespace

Hashes RW_HASHES() {
  using enum Rounding;
  using namespace type;
  Hashes hashes{};
#define RW_HASH(...) hashes.names[hashes.count] = #__VA_ARGS__, hashes.values[hashes.count++] = hash_of<__VA_ARGS__>()
  RW_HASH(AddF32<Nearest, false, false>);
  RW_HASH(AddF32<Nearest, true, true>);
  RW_HASH(AddF32<Down, false, false>);
  RW_HASH(MulF32<Nearest, true, false>);
  RW_HASH(MulF32<Up, false, false>);
  RW_HASH(FmaF32<Nearest, false, false>);
  RW_HASH(FmaF32<Nearest, true, false>);
  RW_HASH(FmaF32<Zero, false, false>);
  RW_HASH(DivF32<Nearest, false>);
  RW_HASH(DivF32<Zero, false>);
  RW_HASH(SqrtF32<Up, false>);
  RW_HASH(MinF32<false, false, false>);
  RW_HASH(MaxF32<true, true, true>);
  RW_HASH(FmaF64<Nearest>);
  RW_HASH(FmaF64<Down>);
  RW_HASH(DivF64<Up>);
  RW_HASH(MinF64);
  RW_HASH(Setp<Relation::Lt, F32>);
  RW_HASH(Setp<Relation::Geu, F32, true>);
  RW_HASH(Setp<Relation::Ne, F64>);
  RW_HASH(Setp<Relation::Le, S32>);
  RW_HASH(Setp<Relation::Gt, U64>);
  RW_HASH(Setp<Relation::Eq, U16>);
  RW_HASH(SetHalves<Relation::Le, U16, F16>);
  RW_HASH(SlctF32<u32, true>);
  RW_HASH(Selp<double>);
  RW_HASH(MulLo<S16>);
  RW_HASH(MulHi<S32>);
  RW_HASH(MulHi<U64>);
  RW_HASH(MadWide<U32>);
  RW_HASH(MadLo<S64>);
  RW_HASH(AddSatS32);
  RW_HASH(Div<S32>);
  RW_HASH(Div<U32>);
  RW_HASH(Rem<U32>);
  RW_HASH(Div<S16>);
  RW_HASH(Rem<S64>);
  RW_HASH(Dp4a<true, false>);
  RW_HASH(Popc<u64>);
  RW_HASH(Clz<u32>);
  RW_HASH(Bfind<S64, true>);
  RW_HASH(Bfe<S32>);
  RW_HASH(Bfe<U64>);
  RW_HASH(Fns);
  RW_HASH(Shl<U16>);
  RW_HASH(Shr<S32>);
  RW_HASH(Shr<U64>);
  RW_HASH(ShfL<false>);
  RW_HASH(Prmt);
  RW_HASH(AddHalf<F16>);
  RW_HASH(MulHalf<BF16>);
  RW_HASH(FmaHalf<F16>);
  RW_HASH(FmaHalf<BF16, true>);
  RW_HASH(Halves3<FmaHalf<BF16>>);
  RW_HASH(MaxHalf<F16>);
  RW_HASH(ConvertFloat<F16, F32>);
  RW_HASH(ConvertFloat<BF16, F32, Zero>);
  RW_HASH(ConvertFloat<F16, F64, Up>);
  RW_HASH(ConvertFloat<F32, F64, Down>);
  RW_HASH(ConvertFloat<F32, F16>);
  RW_HASH(ConvertFloat<F32, F32, Down, FloatModifiers{.integral = true}>);
  RW_HASH(Pack<ConvertFloat<BF16, F32>>);
  RW_HASH(IntegerToFloat<F32, U32, Nearest>);
  RW_HASH(IntegerToFloat<F32, S64, Nearest>);
  RW_HASH(IntegerToFloat<F32, U64, Zero>);
  RW_HASH(IntegerToFloat<F16, S32, Nearest>);
  RW_HASH(IntegerToFloat<F64, U64, Up>);
  RW_HASH(FloatToInteger<S32, F32, Zero>);
  RW_HASH(FloatToInteger<U32, F32, Nearest>);
  RW_HASH(FloatToInteger<U64, F32, Up>);
  RW_HASH(FloatToInteger<S8, F64, Down>);
  RW_HASH(ConvertTf32<Tf32Rounding::Away>);
  RW_HASH(ConvertFp8<E4M3>);
  RW_HASH(Ex2ApproxF32<true>);
  RW_HASH(Ex2ApproxF32<false>);
  RW_HASH(Lg2ApproxF32<false>);
  RW_HASH(SinApproxF32<true>);
  RW_HASH(CosApproxF32<false>);
  RW_HASH(TanhApproxF32);
  RW_HASH(RsqrtApproxF32<true>);
  RW_HASH(DivApproxF32<false>);
  RW_HASH(Ex2ApproxHalf<F16, false>);
  RW_HASH(TanhApproxHalf<BF16>);
#undef RW_HASH
  return hashes;
}

}  // namespace ropewalk::machine::arithmetic
