// Handlers of operations that work on each lane alone, made from a scalar function by a template.
//
// This file and those that use it are compiled once for each instruction set of the processor (see CMakeLists.txt),
// each time in a namespace of its own.
#pragma once
#include <type_traits>

#include "lib/machine/context.h"
#include "lib/machine/handlers/form.h"

#ifndef RW_INSTRUCTION_SET
#error "compile this with -DRW_INSTRUCTION_SET=generic, v3 or v4"
#endif

namespace ropewalk::machine::RW_INSTRUCTION_SET {

// Lane by lane, where this set of handlers need not be fast but quickly compiled.
#ifdef RW_PLAIN_LANES
constexpr bool plain_lanes = true;
#else
constexpr bool plain_lanes = false;
#endif

struct Absent {};

// Function has the member types Result, A and perhaps B, C and D (the fourth operand, e of an Op), and a static apply.
template <class Function>
concept Binary = requires {
  typename Function::B;
};
template <class Function>
concept Ternary = requires {
  typename Function::C;
};
template <class Function>
concept Quaternary = requires {
  typename Function::D;
};

template <class Function>
struct OperandB {
  using type = Absent;
};
template <Binary Function>
struct OperandB<Function> {
  using type = typename Function::B;
};
template <class Function>
struct OperandC {
  using type = Absent;
};
template <Ternary Function>
struct OperandC<Function> {
  using type = typename Function::C;
};
template <class Function>
struct OperandE {
  using type = Absent;
};
template <Quaternary Function>
struct OperandE<Function> {
  using type = typename Function::D;
};

template <class Type>
constexpr u8 lane_size() {
  if constexpr (std::is_same_v<Type, Absent>)
    return 0;
  else
    return sizeof(Type);
}

template <class Function, class A, class B, class C, class E>
[[gnu::always_inline]] inline typename Function::Result apply(const A* a, const B* b, const C* c, const E* e, u32 i) {
  if constexpr (Quaternary<Function>)
    return Function::apply(a[i], b[i], c[i], e[i]);
  else if constexpr (Ternary<Function>)
    return Function::apply(a[i], b[i], c[i]);
  else if constexpr (Binary<Function>)
    return Function::apply(a[i], b[i]);
  else
    return Function::apply(a[i]);
}

// The bit of a lane in a mask, in the width of the values that the mask chooses: a loop over lanes then compares values
// of one width, which becomes vector code on every instruction set.
template <class Mask>
struct LaneBits {
  Mask bit[lanes_per_warp];
  constexpr LaneBits() : bit() {
    for (u32 i = 0; i < lanes_per_warp; ++i) bit[i] = Mask(1) << i;
  }
};
static constexpr LaneBits<u32> lane_bits_32;
static constexpr LaneBits<u64> lane_bits_64;

// For the active lanes of every warp. Operands may be the destination itself, but never overlap it otherwise.
template <class Function>
const Op* vector_handler(Context& context, const Op* op) {
  using Result = typename Function::Result;
  using A = typename Function::A;
  using B = typename OperandB<Function>::type;
  using C = typename OperandC<Function>::type;
  using E = typename OperandE<Function>::type;
  std::byte* const registers = context.registers;
  const u32 warps = context.warps;
  // Kept apart from the operation, which the compiler must expect to be overwritten by results.
  const std::size_t step_d = op->step_d, step_a = op->step_a, step_b = op->step_b, step_c = op->step_c,
                    step_e = op->step_e;
  std::byte* at_d = registers + op->d;
  const std::byte *at_a = registers + op->a, *at_b = registers + op->b, *at_c = registers + op->c,
                  *at_e = registers + op->e;
  for (u32 warp = 0; warp < warps;
       ++warp, at_d += step_d, at_a += step_a, at_b += step_b, at_c += step_c, at_e += step_e) {
    const u32 bits = context.bits[warp];
    auto* d = reinterpret_cast<Result*>(at_d);
    const auto* a = reinterpret_cast<const A*>(at_a);
    const auto* b = reinterpret_cast<const B*>(at_b);
    const auto* c = reinterpret_cast<const C*>(at_c);
    const auto* e = reinterpret_cast<const E*>(at_e);
    if constexpr (plain_lanes) {
      for (u32 i = 0; i < lanes_per_warp; ++i) {
        if ((bits >> i) & 1u) d[i] = apply<Function>(a, b, c, e, i);
      }
    } else if (bits == 0xffffffffu) {
#pragma GCC ivdep
      for (u32 i = 0; i < lanes_per_warp; ++i) d[i] = apply<Function>(a, b, c, e, i);
    } else if (bits != 0) {
      const u8* lanes = context.lanes + warp * lanes_per_warp;
#pragma GCC ivdep
      for (u32 i = 0; i < lanes_per_warp; ++i) {
        const Result result = apply<Function>(a, b, c, e, i);
        bool active;
        if constexpr (sizeof(Result) == 8)
          active = (lane_bits_64.bit[i] & bits) != 0;
        else if constexpr (sizeof(Result) == 4)
          active = (lane_bits_32.bit[i] & bits) != 0;
        else
          active = lanes[i] != 0;
        d[i] = active ? result : d[i];
      }
    }
  }
  return op + 1;
}

// Once, for a result that is the same in all lanes.
template <class Function>
const Op* uniform_handler(Context& context, const Op* op) {
  using Result = typename Function::Result;
  std::byte* const registers = context.registers;
  auto* d = reinterpret_cast<Result*>(registers + op->d);
  const auto* a = reinterpret_cast<const typename Function::A*>(registers + op->a);
  const auto* b = reinterpret_cast<const typename OperandB<Function>::type*>(registers + op->b);
  const auto* c = reinterpret_cast<const typename OperandC<Function>::type*>(registers + op->c);
  const auto* e = reinterpret_cast<const typename OperandE<Function>::type*>(registers + op->e);
  const Result result = apply<Function>(a, b, c, e, 0);
  for (u32 i = 0; i < lanes_per_warp; ++i) d[i] = result;
  return op + 1;
}

// The form of an instruction that Function computes.
template <class Function>
constexpr Form form_of() {
  Form form;
  form.vector = &vector_handler<Function>;
  form.uniform = &uniform_handler<Function>;
  form.size_d = lane_size<typename Function::Result>();
  form.size_a = lane_size<typename Function::A>();
  form.size_b = lane_size<typename OperandB<Function>::type>();
  form.size_c = lane_size<typename OperandC<Function>::type>();
  form.size_e = lane_size<typename OperandE<Function>::type>();
  return form;
}

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
