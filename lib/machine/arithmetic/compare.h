// Comparison and selection (PTX ISA, "Comparison and Selection Instructions"): setp, set, slct, testp.
//
// On unsigned integers lo, ls, hi, hs are lt, le, gt, ge; on .b types only eq and ne exist.
#pragma once
#include "lib/machine/arithmetic/float_lane.h"

namespace ropewalk::machine::arithmetic {

// The operators; those that end in u are true as well when an operand is NaN.
enum class Relation { Eq, Ne, Lt, Le, Gt, Ge, Equ, Neu, Ltu, Leu, Gtu, Geu, Num, Nan };

template <Relation R, class V>
RW_LANE bool holds(V a, V b) {
  if constexpr (R == Relation::Eq) return a == b;
  if constexpr (R == Relation::Ne) return a < b || a > b;  // of numbers only
  if constexpr (R == Relation::Lt) return a < b;
  if constexpr (R == Relation::Le) return a <= b;
  if constexpr (R == Relation::Gt) return a > b;
  if constexpr (R == Relation::Ge) return a >= b;
  if constexpr (R == Relation::Equ) return !(a < b || a > b);
  if constexpr (R == Relation::Neu) return a != b;
  if constexpr (R == Relation::Ltu) return !(a >= b);
  if constexpr (R == Relation::Leu) return !(a > b);
  if constexpr (R == Relation::Gtu) return !(a <= b);
  if constexpr (R == Relation::Geu) return !(a < b);
  if constexpr (R == Relation::Num) return a == a && b == b;
  if constexpr (R == Relation::Nan) return a != a || b != b;
}

// The condition behind setp and set. Ftz flushes f32 operands (also f16 ones, where it is allowed).
template <Relation R, class Type, bool Ftz = false>
struct Condition {
  using A = typename Type::Storage;
  using B = A;
  RW_LANE bool test(A a, A b) {
    if constexpr (Type::is_integer) {
      // Integers have no NaN: an inequality is one instruction.
      constexpr Relation plain = R == Relation::Ne ? Relation::Neu : R;
      return holds<plain>(Type::load(a), Type::load(b));
    } else if constexpr (sizeof(A) == 8) {
      return holds<R>(a, b);
    } else if constexpr (sizeof(A) == 4) {
      return holds<R>(flushed<Ftz>(a), flushed<Ftz>(b));
    } else {
      const A x = Ftz && (a & Type::infinity) == 0 ? A(0) : a, y = Ftz && (b & Type::infinity) == 0 ? A(0) : b;
      return holds<R>(Type::load(x), Type::load(y));
    }
  }
};

// setp: the predicate. The second predicate of p|q is its complement: NotPredicate of the same.
template <Relation R, class Type, bool Ftz = false>
struct Setp {
  using Result = u8;
  using A = typename Type::Storage;
  using B = A;
  RW_LANE u8 apply(A a, B b) { return predicate(Condition<R, Type, Ftz>::test(a, b)); }
};
// setp of f16x2 and bf16x2 sets two predicates, for the low and the high halves; Type is F16 or BF16.
template <Relation R, class Type, bool High, bool Ftz = false>
struct SetpHalf {
  using Result = u8;
  using A = u32;
  using B = u32;
  RW_LANE u8 apply(u32 a, u32 b) {
    constexpr u32 shift = High ? 16 : 0;
    return predicate(Condition<R, Type, Ftz>::test(u16(a >> shift), u16(b >> shift)));
  }
};
// The Boolean operator of setp and set combines the comparison with a third predicate.
enum class Boolean { And, Or, Xor };
template <Boolean Operator>
RW_LANE bool combined(bool condition, u8 other) {
  const bool second = other != 0;
  return Operator == Boolean::And  ? condition & second
         : Operator == Boolean::Or ? condition | second
                                   : condition ^ second;
}
template <Boolean Operator, Relation R, class Type, bool Ftz = false>
struct SetpWith {
  using Result = u8;
  using A = typename Type::Storage;
  using B = A;
  using C = u8;
  RW_LANE u8 apply(A a, B b, u8 c) { return predicate(combined<Operator>(Condition<R, Type, Ftz>::test(a, b), c)); }
  // The second predicate of p|q: the complement of the comparison, combined.
  struct Complement {
    using Result = u8;
    using A = typename Type::Storage;
    using B = A;
    using C = u8;
    RW_LANE u8 apply(A a, B b, u8 c) { return predicate(combined<Operator>(!Condition<R, Type, Ftz>::test(a, b), c)); }
  };
};

// What set stores for a condition: all ones or zero in an integer type, 1.0 or 0.0 in a floating one.
template <class Type>
RW_LANE typename Type::Storage set_value(bool condition) {
  using Storage = typename Type::Storage;
  if constexpr (Type::is_integer) {
    return condition ? Storage(-1) : Storage(0);
  } else {
    return condition ? Type::one : Storage(0);
  }
}
// set.dtype.stype: Destination and Type are tags.
template <Relation R, class Destination, class Type, bool Ftz = false>
struct Set {
  using Result = typename Destination::Storage;
  using A = typename Type::Storage;
  using B = A;
  RW_LANE Result apply(A a, B b) { return set_value<Destination>(Condition<R, Type, Ftz>::test(a, b)); }
};
template <Boolean Operator, Relation R, class Destination, class Type, bool Ftz = false>
struct SetWith {
  using Result = typename Destination::Storage;
  using A = typename Type::Storage;
  using B = A;
  using C = u8;
  RW_LANE Result apply(A a, B b, u8 c) {
    return set_value<Destination>(combined<Operator>(Condition<R, Type, Ftz>::test(a, b), c));
  }
};
// set.dtype.f16x2/.bf16x2: each half of the result tells of its halves, 0xffff for a dtype of u32 or s32 (Destination
// U16), 1.0 for f16x2 and bf16x2 (Destination F16, BF16).
template <Relation R, class Destination, class Type, bool Ftz = false>
using SetHalves = Halves2<Set<R, Destination, Type, Ftz>>;

// slct: a where c >= 0, else b. Of an f32 c, NaN chooses b and -0 chooses a; Ftz flushes it. T is a's storage type.
template <class T>
struct SlctS32 {
  using Result = T;
  using A = T;
  using B = T;
  using C = u32;
  RW_LANE T apply(T a, T b, u32 c) { return i32(c) >= 0 ? a : b; }
};
template <class T, bool Ftz>
struct SlctF32 {
  using Result = T;
  using A = T;
  using B = T;
  using C = float;
  RW_LANE T apply(T a, T b, float c) { return flushed<Ftz>(c) >= 0.0f ? a : b; }
};

// testp. A zero counts as normal; infinity is a number.
enum class Property { Finite, Infinite, Number, NotANumber, Normal, Subnormal };
template <Property P, class Bits>
RW_LANE bool has_property(Bits magnitude, Bits infinity) {
  const Bits smallest_normal = infinity & (~infinity + 1);  // the lowest exponent bit
  if constexpr (P == Property::Finite) return magnitude < infinity;
  if constexpr (P == Property::Infinite) return magnitude == infinity;
  if constexpr (P == Property::Number) return magnitude <= infinity;
  if constexpr (P == Property::NotANumber) return magnitude > infinity;
  if constexpr (P == Property::Normal) return magnitude == 0 || (magnitude >= smallest_normal && magnitude < infinity);
  if constexpr (P == Property::Subnormal) return magnitude != 0 && magnitude < smallest_normal;
}
template <Property P>
struct TestpF32 {
  using Result = u8;
  using A = float;
  RW_LANE u8 apply(float a) { return predicate(has_property<P, u32>(f32_to_bits(a) & 0x7fffffffu, 0x7f800000u)); }
};
template <Property P>
struct TestpF64 {
  using Result = u8;
  using A = double;
  RW_LANE u8 apply(double a) {
    return predicate(has_property<P, u64>(f64_to_bits(a) & ~(u64(1) << 63), u64(0x7ff) << 52));
  }
};

}  // namespace ropewalk::machine::arithmetic
