// mma.sync: gathers the fragments of a warp, multiplies small matrices, scatters the result.
//
// Fragment layouts are those of the PTX ISA (mma.m16n8k4, k8, k16). How a tensor core rounds its sums is not promised:
// here products are summed in binary32, each sum rounded, from k = 0 upwards, beginning with c.
#include "lib/base/half.h"
#include "lib/machine/program.h"

namespace ropewalk::machine::RW_INSTRUCTION_SET {

namespace {

enum class Element { F16, BF16, TF32 };

template <Element Kind>
inline float widen(u16 bits) {
  if constexpr (Kind == Element::F16) return f16_to_f32(bits);
  else return __builtin_bit_cast(float, u32(bits) << 16);
}

// tf32 has 10 bits of fraction: the low 13 of a binary32 are dropped.
inline float widen_tf32(u32 bits) { return __builtin_bit_cast(float, bits & 0xffffe000u); }

// One register of 32 lanes as floats: its two halves, or the one tf32 number.
template <Element Kind>
inline void widen_lanes(const u32* bits, float* low, float* high) {
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    if constexpr (Kind == Element::TF32) {
      low[lane] = widen_tf32(bits[lane]);
    } else {
      low[lane] = widen<Kind>(u16(bits[lane]));
      high[lane] = widen<Kind>(u16(bits[lane] >> 16));
    }
  }
}

// a[16][K], b[K][8] as floats, from the registers of 32 lanes.
template <Element Kind, u32 K>
void gather(const u32* const* registers, float (&a)[16][16], float (&b)[16][8]) {
  constexpr u32 a_registers = Kind == Element::TF32 ? 16 * K / 32 : 16 * K / 64;
  constexpr u32 b_registers = a_registers / 2;
  alignas(64) float low[lanes_per_warp], high[lanes_per_warp];
  for (u32 r = 0; r < a_registers; ++r) {
    widen_lanes<Kind>(registers[r], low, high);
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      const u32 row = lane / 4 + (r % 2) * 8, thread = lane % 4;
      if constexpr (Kind == Element::TF32) {
        a[row][thread + (r / 2) * 4] = low[lane];
      } else {
        a[row][thread * 2 + (r / 2) * 8] = low[lane];
        a[row][thread * 2 + (r / 2) * 8 + 1] = high[lane];
      }
    }
  }
  for (u32 r = 0; r < b_registers; ++r) {
    widen_lanes<Kind>(registers[a_registers + r], low, high);
    for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
      const u32 column = lane / 4, thread = lane % 4;
      if constexpr (Kind == Element::TF32) {
        b[thread + r * 4][column] = low[lane];
      } else {
        b[thread * 2 + r * 8][column] = low[lane];
        b[thread * 2 + r * 8 + 1][column] = high[lane];
      }
    }
  }
}

template <Element Kind, u32 K>
void multiply_warp(const u32* const* inputs, u32* const* outputs, bool half_result) {
  alignas(64) float a[16][16], b[16][8], d[16][8];
  gather<Kind, K>(inputs, a, b);
  constexpr u32 a_registers = Kind == Element::TF32 ? 16 * K / 32 : 16 * K / 64;
  const u32* const* c = inputs + a_registers + a_registers / 2;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    const u32 group = lane / 4, column = lane % 4 * 2;
    for (u32 half = 0; half < 2; ++half) {
      if (half_result) {
        d[group + half * 8][column] = f16_to_f32(u16(c[half][lane]));
        d[group + half * 8][column + 1] = f16_to_f32(u16(c[half][lane] >> 16));
      } else {
        d[group + half * 8][column] = __builtin_bit_cast(float, c[half * 2][lane]);
        d[group + half * 8][column + 1] = __builtin_bit_cast(float, c[half * 2 + 1][lane]);
      }
    }
  }
  for (u32 row = 0; row < 16; ++row) {
    for (u32 k = 0; k < K; ++k) {
      const float factor = a[row][k];
      for (u32 n = 0; n < 8; ++n) d[row][n] = __builtin_fmaf(factor, b[k][n], d[row][n]);
    }
  }
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) {
    const u32 group = lane / 4, column = lane % 4 * 2;
    for (u32 half = 0; half < 2; ++half) {
      const float low = d[group + half * 8][column], high = d[group + half * 8][column + 1];
      if (half_result) {
        outputs[half][lane] = u32(f32_to_f16(low)) | u32(f32_to_f16(high)) << 16;
      } else {
        outputs[half * 2][lane] = __builtin_bit_cast(u32, low);
        outputs[half * 2 + 1][lane] = __builtin_bit_cast(u32, high);
      }
    }
  }
}

}  // namespace

const Op* multiply_matrix(Context& context, const Op* op) {
  const Step& step = context.program->code->steps[op->step];
  const bool half_result = step.result_float == ptx::Type::F16;
  const char kind = step.text[0];
  for (u32 warp = 0; warp < context.warps; ++warp) {
    if (context.bits[warp] == 0) continue;
    const u32* inputs[16];
    u32* outputs[4];
    for (u32 i = 0; i < step.inputs.size(); ++i) {
      inputs[i] = context.program->lanes<u32>(context.registers, step.inputs[i], warp);
    }
    for (u32 i = 0; i < step.outputs.size(); ++i) {
      outputs[i] = context.program->lanes<u32>(context.registers, step.outputs[i], warp);
    }
    if (kind == 't' && op->immediate == 8) multiply_warp<Element::TF32, 8>(inputs, outputs, false);
    else if (kind == 't') multiply_warp<Element::TF32, 4>(inputs, outputs, false);
    else if (kind == 'b' && op->immediate == 16) multiply_warp<Element::BF16, 16>(inputs, outputs, false);
    else if (kind == 'b') multiply_warp<Element::BF16, 8>(inputs, outputs, false);
    else if (op->immediate == 16) multiply_warp<Element::F16, 16>(inputs, outputs, half_result);
    else multiply_warp<Element::F16, 8>(inputs, outputs, half_result);
  }
  return op + 1;
}

}  // namespace ropewalk::machine::RW_INSTRUCTION_SET
