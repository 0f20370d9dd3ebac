// What the processor of this machine can do.
#pragma once

namespace ropewalk {

// The levels x86-64-v3 and x86-64-v4, by those of their parts that every compiler has a name for (clang 14 has none for
// the levels); processors with these have the others.
inline bool has_x86_64_v3() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

inline bool has_x86_64_v4() {
#if defined(__x86_64__)
  return has_x86_64_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

}  // namespace ropewalk
