// The entries of seeded bugs of the decode kernel and of the merge: f32, Dv up to 64.
#pragma once
#include "kernels/attention/decode.cuh"
#include "kernels/attention/merge.cuh"

#define DECODE_FAULT(name, Rules) ATTENTION_DECODE(name##_f32_64, Rules, float, 1)
#define MERGE_FAULT(name, Rules) ATTENTION_MERGE(name##_f32_64, Rules, float, 1)
