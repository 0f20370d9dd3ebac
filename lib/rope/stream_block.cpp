#include "lib/rope/stream_block.h"

#include <cmath>
#include <cstring>

#include "lib/base/half.h"

// The loop stands once and is compiled for three instruction sets; which one runs is decided on the machine. Products
// and sums are fused where the set has it.
namespace ropewalk::rope {
namespace {

#define RW_INLINE [[gnu::always_inline]] inline

struct F32Element {
  using Bits = float;
  RW_INLINE static double widen(Bits bits) { return double(bits); }
};
struct F64Element {
  using Bits = double;
  RW_INLINE static double widen(Bits bits) { return bits; }
};
struct F16Element {
  using Bits = u16;
  RW_INLINE static double widen(Bits bits) { return double(f16_to_f32(bits)); }
};
struct Bf16Element {
  using Bits = u16;
  RW_INLINE static double widen(Bits bits) { return double(bf16_to_f32(bits)); }
};

template <class Element, RowParts parts>
RW_INLINE void judge_rows(const std::byte* data, i64 rows, double position, StreamColumns& columns, i64* wrong) {
  using Bits = typename Element::Bits;
  const size_t width = columns.value.size();
  double* const __restrict value = columns.value.data();
  double* const __restrict quarter = columns.quarter.data();
  const double* const __restrict step_cos = columns.step_cos.data();
  const double* const __restrict step_sin = columns.step_sin.data();
  const double* const __restrict slope = columns.slope.data();
  const double constant = columns.constant, relative = columns.relative, largest = columns.largest;
  constexpr bool two = parts != RowParts::One;
  for (i64 row = 0; row < rows; ++row) {
    const Bits* const __restrict got =
        reinterpret_cast<const Bits*>(data + size_t(row) * (two ? 2 : 1) * width * sizeof(Bits));
    const double at = position + double(row);
    i64 outside = 0;
#pragma GCC ivdep
    for (size_t k = 0; k < width; ++k) {
      const double expected = value[k], other = quarter[k];
      const double moved = slope[k] * at;
      const double allowed = (moved < largest ? moved : largest) + constant;
      Bits bits, more;
      std::memcpy(&bits, got + k, sizeof bits);
      std::memcpy(&more, got + (two ? width : 0) + k, sizeof more);
      const double second = parts == RowParts::TwoFunctions ? other : expected;
      const double error = std::fabs(Element::widen(bits) - expected);
      const double its_error = std::fabs(Element::widen(more) - second);
      outside += error <= allowed + relative * std::fabs(expected) ? 0 : 1;
      if (two) outside += its_error <= allowed + relative * std::fabs(second) ? 0 : 1;
      value[k] = expected * step_cos[k] - other * step_sin[k];
      quarter[k] = other * step_cos[k] + expected * step_sin[k];
    }
    wrong[row] = outside;
  }
}

template <class Element>
RW_INLINE void judge_parts(const std::byte* data, i64 rows, double position, StreamColumns& columns, i64* wrong) {
  switch (columns.parts) {
    case RowParts::One:
      return judge_rows<Element, RowParts::One>(data, rows, position, columns, wrong);
    case RowParts::Twice:
      return judge_rows<Element, RowParts::Twice>(data, rows, position, columns, wrong);
    case RowParts::TwoFunctions:
      return judge_rows<Element, RowParts::TwoFunctions>(data, rows, position, columns, wrong);
  }
}

RW_INLINE void judge_any(const std::byte* data, Dtype dtype, i64 rows, double position, StreamColumns& columns,
                         i64* wrong) {
  switch (dtype) {
    case Dtype::F16:
      return judge_parts<F16Element>(data, rows, position, columns, wrong);
    case Dtype::BF16:
      return judge_parts<Bf16Element>(data, rows, position, columns, wrong);
    case Dtype::F64:
      return judge_parts<F64Element>(data, rows, position, columns, wrong);
    default:
      return judge_parts<F32Element>(data, rows, position, columns, wrong);
  }
}

using Judge = void (*)(const std::byte*, Dtype, i64, double, StreamColumns&, i64*);

void judge_plain(const std::byte* data, Dtype dtype, i64 rows, double position, StreamColumns& columns, i64* wrong) {
  judge_any(data, dtype, rows, position, columns, wrong);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void judge_avx2(const std::byte* data, Dtype dtype, i64 rows, double position,
                                            StreamColumns& columns, i64* wrong) {
  judge_any(data, dtype, rows, position, columns, wrong);
}
[[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,prefer-vector-width=512")]] void judge_avx512(
    const std::byte* data, Dtype dtype, i64 rows, double position, StreamColumns& columns, i64* wrong) {
  judge_any(data, dtype, rows, position, columns, wrong);
}
#endif

Judge best_judge() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    return judge_avx512;
  }
  if (__builtin_cpu_supports("avx2")) return judge_avx2;
#endif
  return judge_plain;
}

}  // namespace

void stream_block(const std::byte* data, Dtype dtype, i64 rows, double position, StreamColumns& columns, i64* wrong) {
  static const Judge judge = best_judge();
  judge(data, dtype, rows, position, columns, wrong);
}

}  // namespace ropewalk::rope
