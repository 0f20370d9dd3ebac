#include "lib/machine/atomics.h"

#include <bit>

#include "lib/base/half.h"
#include "lib/machine/mbarrier.h"

namespace ropewalk::machine {

namespace {

using ptx::Type;
using enum AtomicOperation;

template <class Number>
Number smaller(Number a, Number b) {
  return b < a ? b : a;
}
template <class Number>
Number larger(Number a, Number b) {
  return a < b ? b : a;
}

float widen(u16 bits, bool is_bf16) { return is_bf16 ? bf16_to_f32(bits) : f16_to_f32(bits); }
u16 narrow(double value, bool is_bf16) { return is_bf16 ? f64_to_bf16(value) : f64_to_f16(value); }

u16 half_result(AtomicOperation operation, bool is_bf16, u16 before, u16 operand) {
  const double a = widen(before, is_bf16), b = widen(operand, is_bf16);
  if (operation == Add) return narrow(a + b, is_bf16);
  if (a != a) return operand;
  if (b != b) return before;
  return operation == Min ? (b < a ? operand : before) : (a < b ? operand : before);
}

}  // namespace

u64 atomic_result(AtomicOperation operation, Type type, u64 before, u64 operand, u64 second) {
  if (operation == Exchange) return operand;
  if (operation == Arrive || operation == ArriveAndDrop)
    return mbarrier::arrived(before, operand, operation == ArriveAndDrop);
  if (operation == CompareAndSwap) return before == operand ? second : before;
  if (operation == And) return before & operand;
  if (operation == Or) return before | operand;
  if (operation == Xor) return before ^ operand;
  if (operation == Increment) return u32(before) >= u32(operand) ? 0 : u32(before) + 1;
  if (operation == Decrement) return u32(before) == 0 || u32(before) > u32(operand) ? u32(operand) : u32(before) - 1;
  switch (type) {
    case Type::F32:
      if (operation == Add) return f32_to_bits(bits_to_f32(u32(before)) + bits_to_f32(u32(operand)));
      break;
    case Type::F64:
      if (operation == Add) return std::bit_cast<u64>(std::bit_cast<double>(before) + std::bit_cast<double>(operand));
      break;
    case Type::F16:
    case Type::BF16:
      return half_result(operation, type == Type::BF16, u16(before), u16(operand));
    case Type::F16x2:
    case Type::BF16x2:
      return u32(half_result(operation, type == Type::BF16x2, u16(before), u16(operand))) |
             u32(half_result(operation, type == Type::BF16x2, u16(before >> 16), u16(operand >> 16))) << 16;
    default:
      break;
  }
  if (operation == Add) return before + operand;
  const bool is_min = operation == Min;
  switch (type) {
    case Type::S32:
      return u32(is_min ? smaller(i32(before), i32(operand)) : larger(i32(before), i32(operand)));
    case Type::S64:
      return u64(is_min ? smaller(i64(before), i64(operand)) : larger(i64(before), i64(operand)));
    case Type::U64:
    case Type::B64:
      return is_min ? smaller(before, operand) : larger(before, operand);
    default:
      return is_min ? smaller(u32(before), u32(operand)) : larger(u32(before), u32(operand));
  }
}

}  // namespace ropewalk::machine
