// mma.sync: gathers the fragments of a warp, multiplies small matrices, scatters the result; a function for each row of
// the table of forms (lib/ptx/matrix_forms.h).
//
// How a tensor core rounds its sums is not promised: here products are summed in binary32 (f64: binary64), each sum
// rounded, from k = 0 upwards, beginning with c. Sums of integers are exact; d wraps, or is the nearest that 32 bits
// can hold.
#include <utility>

#include "lib/base/half.h"
#include "lib/machine/handlers/warp.h"
#include "lib/machine/program.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

using ptx::MatrixElement, ptx::MatrixForm, ptx::MatrixIndex;

template <MatrixElement E>
constexpr u32 per_register = ptx::facts_of(E).per_register();

constexpr u32 most_inputs = 16, most_outputs = 4;

// What a register holds, and what is computed with.
template <MatrixElement E>
using Register = std::conditional_t<E == MatrixElement::F64, u64, u32>;
template <MatrixElement Sum>
using Number =
    std::conditional_t<Sum == MatrixElement::F64, double, std::conditional_t<Sum == MatrixElement::S32, i32, float>>;

// The i-th element of a register.
template <MatrixElement E>
inline auto element_of(Register<E> bits, u32 i) {
  using enum MatrixElement;
  constexpr ptx::MatrixElementFacts facts = ptx::facts_of(E);
  const Register<E> first = bits >> (facts.bits * i);
  if constexpr (E == F16) return f16_to_f32(u16(first));
  if constexpr (E == BF16) return bf16_to_f32(u16(first));
  if constexpr (E == TF32 || E == F32) return bits_to_f32(first & u32(facts.read));
  if constexpr (E == F64) return __builtin_bit_cast(double, first);
  if constexpr (E == E4M3) return e4m3_to_f32(u8(first));
  if constexpr (E == E5M2) return e5m2_to_f32(u8(first));
  if constexpr (E == S8 || E == S4 || E == S32) return i32(first << (32 - facts.bits)) >> (32 - facts.bits);
  if constexpr (E == U8 || E == U4) return i32(first & facts.read);
}

// body(lane, register, i, element) for all elements of an operand. The elements of a register are widened for all lanes
// at once.
template <MatrixElement E, class Body>
inline void for_elements(const void* const* registers, u32 count, Body body) {
  alignas(64) decltype(element_of<E>(0, 0)) wide[per_register<E>][lanes_per_warp];
  for (u32 n = 0; n < count; ++n) {
    const Register<E>* const bits = static_cast<const Register<E>*>(registers[n]);
    for (u32 i = 0; i < per_register<E>; ++i) {
      for (u32 lane = 0; lane < lanes_per_warp; ++lane) wide[i][lane] = element_of<E>(bits[lane], i);
    }
    for (u32 group = 0; group < lanes_per_warp; group += 4) {
#pragma GCC unroll 4
      for (u32 lane = group; lane < group + 4; ++lane) {
        for (u32 i = 0; i < per_register<E>; ++i) body(lane, n, i, wide[i][lane]);
      }
    }
  }
}

template <u32 Row, MatrixElement E, class Numbers>
inline void gather_a(const void* const* registers, Numbers& a) {
  constexpr u32 rows = ptx::matrix_rows[Row].rows, count = rows * ptx::matrix_rows[Row].depth / 32 / per_register<E>;
  for_elements<E>(registers, count, [&](u32 lane, u32 n, u32 i, auto element) {
    const MatrixIndex at = ptx::index_in_a(rows, per_register<E>, lane, n, i);
    a[at.row][at.column] = element;
  });
}

template <u32 Row, MatrixElement E, class Numbers>
inline void gather_b(const void* const* registers, Numbers& b) {
  constexpr u32 count = ptx::matrix_rows[Row].depth / 4 / per_register<E>;
  for_elements<E>(registers, count, [&](u32 lane, u32 n, u32 i, auto element) {
    const MatrixIndex at = ptx::index_in_b(per_register<E>, lane, n, i);
    b[at.row][at.column] = element;
  });
}

template <u32 Row, MatrixElement E, class Numbers>
inline void gather_sum(const void* const* registers, Numbers& c) {
  for_elements<E>(registers, ptx::matrix_rows[Row].rows / 4 / per_register<E>,
                  [&](u32 lane, u32 n, u32 i, auto element) {
                    const MatrixIndex at = ptx::index_in_sum(per_register<E>, lane, n, i);
                    c[at.row][at.column] = element;
                  });
}

template <u32 Row, MatrixElement E, class Numbers>
inline void scatter_sum(const Numbers& d, void* const* registers) {
  for (u32 n = 0; n < ptx::matrix_rows[Row].rows / 4 / per_register<E>; ++n) {
    Register<E>* const out = static_cast<Register<E>*>(registers[n]);
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      Register<E> bits = 0;
      for (u32 i = 0; i < per_register<E>; ++i) {
        const MatrixIndex at = ptx::index_in_sum(per_register<E>, lane, n, i);
        if constexpr (E == MatrixElement::F16)
          bits |= u32(f32_to_f16(d[at.row][at.column])) << (16 * i);
        else
          bits = __builtin_bit_cast(Register<E>, d[at.row][at.column]);
      }
      out[lane] = bits;
    }
  }
}

inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline i32 fused(i32 a, i32 b, i32 c) { return a * b + c; }  // c is a sum of few products

inline i32 integer_sum(i32 c, i32 products, bool saturates) {
  const i64 sum = i64(c) + products;
  return !saturates || sum == i32(sum) ? i32(sum) : sum < 0 ? INT32_MIN : INT32_MAX;
}

template <u32 Row>
void multiply_warp(const MatrixForm& form, const void* const* inputs, void* const* outputs) {
  constexpr const ptx::MatrixRow& row = ptx::matrix_rows[Row];
  constexpr MatrixForm largest{Row, row.factors[0], row.factors[0], row.sums[0], false};
  static_assert(largest.registers_of_a() + largest.registers_of_b() + largest.registers_of_sum() <= most_inputs);
  static_assert(largest.registers_of_sum() <= most_outputs && (row.rows == 8 || row.rows == 16));
  using N = Number<row.sums[0]>;
  alignas(64) N a[row.rows][row.depth], b[row.depth][8], c[row.rows][8];
  const void* const* const of_b = inputs + form.registers_of_a();
  const void* const* const of_c = of_b + form.registers_of_b();
  form.a == row.factors[0] ? gather_a<Row, row.factors[0]>(inputs, a) : gather_a<Row, row.factors[1]>(inputs, a);
  form.b == row.factors[0] ? gather_b<Row, row.factors[0]>(of_b, b) : gather_b<Row, row.factors[1]>(of_b, b);
  form.sum == row.sums[0] ? gather_sum<Row, row.sums[0]>(of_c, c) : gather_sum<Row, row.sums[1]>(of_c, c);
  for (u32 m = 0; m < row.rows; ++m) {
    N start[8];  // of integers, whose products are summed alone
    if constexpr (row.is_integer()) {
      for (u32 n = 0; n < 8; ++n) start[n] = std::exchange(c[m][n], 0);
    }
    for (u32 k = 0; k < row.depth; ++k) {
      const N factor = a[m][k];
#pragma GCC unroll 1
      for (u32 n = 0; n < 8; ++n)
        c[m][n] = fused(factor, b[k][n], c[m][n]);  // a vector, which is not to be taken apart
    }
    if constexpr (row.is_integer()) {
      for (u32 n = 0; n < 8; ++n) c[m][n] = integer_sum(start[n], c[m][n], form.saturates);
    }
  }
  form.sum == row.sums[0] ? scatter_sum<Row, row.sums[0]>(c, outputs) : scatter_sum<Row, row.sums[1]>(c, outputs);
}

using MultiplyWarp = void (*)(const MatrixForm&, const void* const*, void* const*);
constexpr auto all_rows = []<std::size_t... Row>(std::index_sequence<Row...>) {
  return std::array<MultiplyWarp, sizeof...(Row)>{multiply_warp<Row>...};
}
(std::make_index_sequence<ptx::matrix_rows.size()>());

}  // namespace

const Op* multiply_matrix(Context& context, const Op* op) {
  if (!warp_wide::whole_warps(context, op)) return nullptr;
  const Step& step = context.program->code->steps[op->step];
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    const void* inputs[most_inputs];
    void* outputs[most_outputs];
    for (u32 i = 0; i < step.inputs.size(); ++i) {
      inputs[i] = context.program->lanes<u8>(context.registers, step.inputs[i], warp);
    }
    for (u32 i = 0; i < step.outputs.size(); ++i) {
      outputs[i] = context.program->lanes<u8>(context.registers, step.outputs[i], warp);
    }
    all_rows[step.matrix.row](step.matrix, inputs, outputs);
  }
  return op + 1;
}

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
