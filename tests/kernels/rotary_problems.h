// Rotary problems for tests: good ones drawn at random, and bad ones.
#pragma once
#include "lib/base/random.h"
#include "lib/problem/rotary.h"

namespace ropewalk::kernels {

// A small problem that the family's preconditions allow: "rotary/apply", "rotary/qk" or "rotary/cache".
RotaryProblem good_rotary_problem(Random random, const std::string& family);

// Problems that no rotary kernel should get, for those that take them all the same.
inline constexpr const char* bad_rotary_problems[] = {
    "rotary(B=2,T=8,H=8,D=64,rotary_dim=512)",
    "rotary(B=2,T=8,H=8,D=64,rotary_dim=66)",
    "rotary(T=8,offset=5,cache_rows=12)",
    "rotary(T=8,offset=-3)",
    "rotary(T=9,cu_seqlens=[0,5,18])",
    "rotary(B=2,T=5,H=2,D=8,cache_rows=16)",
    "rotary(T=3,H=6,D=16)",
    "rotary(T=4,H=2,D=16,row_gap=8)",
    "rotary(T=5,rotary_dim=7)",
    "rotary(T=3,H=2,D=48,dtype=bf16)",
};

}  // namespace ropewalk::kernels
