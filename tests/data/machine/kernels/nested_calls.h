// Functions that nvcc does not inline, one calling the other, for a kernel and for the host.
#pragma once

#ifdef __CUDACC__
#define CALLED __host__ __device__ __noinline__
#else
#define CALLED inline
#endif

namespace nested_calls {

// With two returns and an array of its own.
CALLED int from_array(int value, int number) {
  if (value < 0) return -number;
  int products[8];
  for (int i = 0; i < 8; ++i) products[i] = value * i + (number ^ i);
  return products[(value + number) & 7];
}

CALLED int one_of_many(int value, int number) {
  const int a = from_array(value, number), b = from_array(value - 40, number);
  switch (value & 7) {
    case 0: return a;
    case 1: return b + 1;
    case 2: return a - b;
    case 3: return 3 * a ^ b;
    case 4: return a ^ b;
    case 5: return number;
    case 6: return a + value;
    default: return from_array(a & 31, b) * 3;
  }
}

CALLED int nested(int thread, int number) {
  int result = one_of_many(thread, number);
  if (thread & 1) result += one_of_many(result & 63, number);
  for (int i = 0; i < (thread & 3); ++i) result += from_array(result & 15, i);
  return result;
}

}  // namespace nested_calls
