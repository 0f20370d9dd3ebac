// Control flow of many shapes, as functions that nvcc makes kernels of and that the test calls on the host.
#pragma once

#ifdef __CUDACC__
#define ANYWHERE __host__ __device__ __forceinline__
#else
#define ANYWHERE inline
#endif

namespace control_flow {

// Each takes a thread's number and a number that the launch gives. What may not fit wraps, as unsigned numbers do.

ANYWHERE int nested_conditions(int thread, int number) {
  int value = thread;
  if (thread % 2) {
    value += number;
    if (thread % 3) {
      value *= 3;
      if (thread > 20) value -= number;
      else value += 7;
    } else if (thread % 5) {
      value ^= 0x55;
    }
    value += 1;
  } else if (thread < number) {
    value = -value;
  }
  return value * 2;
}

// The number of steps of the Collatz sequence: every lane leaves the loop at a time of its own.
ANYWHERE int different_trips(int thread, int number) {
  int steps = 0;
  for (unsigned value = thread + number; value > 1; ++steps) value = value % 2 ? 3 * value + 1 : value / 2;
  return steps;
}

ANYWHERE int break_and_continue(int thread, int number) {
  int sum = 0;
  for (int outer = 0; outer < number; ++outer) {
    if ((outer + thread) % 4 == 0) continue;
    for (int inner = 0; inner < thread; ++inner) {
      if (inner * outer > 40) break;
      if ((inner ^ thread) & 4) continue;
      sum += inner * 3 + outer;
      if (sum > 900) return sum;
    }
    sum ^= outer;
  }
  return sum;
}

ANYWHERE int early_return(int thread, int number) {
  if (thread % 7 == 3) return -1;
  int value = number;
  for (int n = 0; n < 10; ++n) {
    value = int(value * 5u + thread);
    if (value % 11 == 0) return value;
  }
  return thread < 16 ? value : int(0u - value);
}

// Each case does something else, in loops of its own.
ANYWHERE int many_cases(int thread, int number) {
  int value = number;
  for (int n = 0; n < 3; ++n) {
    switch ((thread + n) % 12) {
      case 0: value = int(value + 3u); break;
      case 1: value = int(value * 7u); break;
      case 2: value ^= thread; [[fallthrough]];
      case 3: value = int(value - 11u); break;
      case 4: for (int k = 0; k < thread; ++k) value = int(value * 3u + k); break;
      case 5: value = int(0u - value); break;
      case 6: value = value / 3; break;
      case 7: value = value % 100; break;
      case 8: value |= 0x101; break;
      case 9: if (value > thread) value -= thread; else value = int(value + 2u); break;
      case 10: return value;
      default: value = int(value + unsigned(n));
    }
  }
  return value;
}

// Two ways into a loop and two out of it.
ANYWHERE int jumps(int thread, int number) {
  int value = thread, rounds = 0;
  if (thread & 1) goto middle;
top:
  value += 5;
middle:
  value ^= number;
  if (++rounds > 6) goto out;
  if (value % 9 == 4) return value;
  if (value % 3) goto top;
  value += 2;
  if (value < 500) goto middle;
out:
  return value - rounds;
}

// Short conditions become predicated instructions.
ANYWHERE int short_conditions(int thread, int number) {
  int low = thread < number ? thread : number, count = 0;
  if (thread & 4) ++count;
  if (low > 3) count += low;
  unsigned bits = thread * 2654435761u;
  while (bits) {
    bits &= bits - 1;
    ++count;
  }
  return low & 1 ? -count : count;
}

}  // namespace control_flow
