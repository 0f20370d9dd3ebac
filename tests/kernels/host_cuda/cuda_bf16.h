#pragma once
#include "cuda_fp16.h"

struct __nv_bfloat16 {
  ropewalk::u16 bits;
};
inline float __bfloat162float(__nv_bfloat16 value) { return ropewalk::bf16_to_f32(value.bits); }
inline __nv_bfloat16 __float2bfloat16_rn(float value) { return {ropewalk::f32_to_bf16(value)}; }
