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

struct Absent {};

// Function has the member types Result, A and perhaps B, C and D (the fourth operand, e of an Op), and a static apply.
template <class Function>
concept Binary = requires { typename Function::B; };
template <class Function>
concept Ternary = requires { typename Function::C; };
template <class Function>
concept Quaternary = requires { typename Function::D; };

template <class Function> struct OperandB { using type = Absent; };
template <Binary Function> struct OperandB<Function> { using type = typename Function::B; };
template <class Function> struct OperandC { using type = Absent; };
template <Ternary Function> struct OperandC<Function> { using type = typename Function::C; };
template <class Function> struct OperandE { using type = Absent; };
template <Quaternary Function> struct OperandE<Function> { using type = typename Function::D; };

template <class Type>
constexpr u8 lane_size() {
  if constexpr (std::is_same_v<Type, Absent>) return 0;
  else return sizeof(Type);
}

template <class Function, class A, class B, class C, class E>
[[gnu::always_inline]] inline typename Function::Result apply(const A* a, const B* b, const C* c, const E* e, u32 i) {
  if constexpr (Quaternary<Function>) return Function::apply(a[i], b[i], c[i], e[i]);
  else if constexpr (Ternary<Function>) return Function::apply(a[i], b[i], c[i]);
  else if constexpr (Binary<Function>) return Function::apply(a[i], b[i]);
  else return Function::apply(a[i]);
}

// For the active lanes of every warp. Operands may be the destination itself, but never overlap it otherwise.
template <class Function>
const Op* vector_handler(Context& context, const Op* op) {
  using Result = typename Function::Result;
  using A = typename Function::A;
  using B = typename OperandB<Function>::type;
  using C = typename OperandC<Function>::type;
  using E = typename OperandE<Function>::type;
  std::byte* const registers = context.registers;
  for (u32 warp = 0; warp < context.warps; ++warp) {
    const u32 bits = context.bits[warp];
    if (bits == 0) continue;
    auto* d = reinterpret_cast<Result*>(registers + op->d + warp * op->step_d);
    const auto* a = reinterpret_cast<const A*>(registers + op->a + warp * op->step_a);
    const auto* b = reinterpret_cast<const B*>(registers + op->b + warp * op->step_b);
    const auto* c = reinterpret_cast<const C*>(registers + op->c + warp * op->step_c);
    const auto* e = reinterpret_cast<const E*>(registers + op->e + warp * op->step_e);
    if (bits == 0xffffffffu) {
#pragma GCC ivdep
      for (u32 i = 0; i < lanes_per_warp; ++i) d[i] = apply<Function>(a, b, c, e, i);
    } else {
      const u8* lanes = context.lanes + warp * lanes_per_warp;
#pragma GCC ivdep
      for (u32 i = 0; i < lanes_per_warp; ++i) {
        const Result result = apply<Function>(a, b, c, e, i);
        d[i] = lanes[i] ? result : d[i];
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
