// RW_INDEX(index, bound, "x.head_dim"): a kernel states that 0 <= index < bound holds here, for two 32-bit integers.
// The statement becomes one comment in the PTX, "//@index %r12 < %r6 : x.head_dim", and no instruction: the machine
// and the instrumented GPU form check it, the bare GPU form costs nothing. (volatile keeps nvcc from removing it;
// tried with nvcc 13.0.)
#pragma once

#ifdef __CUDACC__
#define RW_INDEX(index, bound, name) \
  asm volatile("//@index %0 < %1 : " name ::"r"(static_cast<int>(index)), "r"(static_cast<int>(bound)))
#else
// Compiled for the host, as tests do, a kernel states nothing.
#define RW_INDEX(index, bound, name) (static_cast<void>(index), static_cast<void>(bound))
#endif
