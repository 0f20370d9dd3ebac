// Products fused with the sums that they go into, as the GPU's assembler may do.
#pragma once
#include "lib/machine/code.h"

namespace ropewalk::machine {

// Turns mul and add (or sub) without a rounding modifier into fma, which rounds once. The PTX ISA allows it (mul:
// "mul/add and mul/sub sequences with no rounding modifiers may be optimized"); which sequences are fused is what ptxas
// 13.0 does for sm_80 and sm_90 at -O3, found by looking at its output for each type:
//  - both instructions have the same type (f32, f64, f16, f16x2, bf16, bf16x2) and the same .ftz, the product no .sat;
//  - every use of the product is such a sum, in the same basic block; a sum with itself (p + p) is none;
//  - the product is not under a predicate; the sum may be;
//  - of a sum of two products the first is fused, the second stays rounded.
void contract_products(Code& code);

}  // namespace ropewalk::machine
