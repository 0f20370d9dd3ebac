// Calls of the runtime that a program does not go on without.
#pragma once
#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  printf("line %d: %s: %s\n", line, cudaGetErrorName(error), cudaGetErrorString(error));
  fflush(stdout);
  exit(9);
}
#define CHECK(call) check(call, __LINE__)
