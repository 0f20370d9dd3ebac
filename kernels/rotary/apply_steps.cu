// The rotary embedding of kernels/rotary/apply.cu as operators compute it that run one by one: cos and sin, each
// product and the sum are stored in the dtype of x, and rounded to it. No product is fused into the sum.
#include "kernels/rotary/apply.cuh"

struct StepRules : ApplyRules {
  template <class X>
  static __device__ __forceinline__ Pair turned(Pair x, float cosine, float sine, float direction) {
    const auto stored = [](float value) { return to_float(from_float<X>(value)); };
    const float c = stored(cosine), s = stored(sine) * direction;
    return {stored(__fsub_rn(stored(__fmul_rn(x.first, c)), stored(__fmul_rn(x.second, s)))),
            stored(__fadd_rn(stored(__fmul_rn(x.first, s)), stored(__fmul_rn(x.second, c))))};
  }
};

ROTARY_FEW_ENTRIES(ROTARY_APPLY, rotary_apply_steps, StepRules)
