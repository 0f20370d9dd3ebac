// A program that has a CUDA runtime of a version inside, which finds no GPU.
#include <cstdio>

extern "C" {
#define RW_INSIDE __attribute__((noipa, aligned(16)))  // as in another file
constexpr int no_device = 100;

RW_INSIDE void** __cudaRegisterFatBinary(void*) { return nullptr; }
#if VERSION >= 12
RW_INSIDE int cudaGraphInstantiateWithParams(void*, void*, void*) { return no_device; }
#endif
#if VERSION == 12
RW_INSIDE int cudaGetDeviceProperties_v2(void*, int) { return no_device; }
#endif
RW_INSIDE int cudaRuntimeGetVersion(int* version) {
  *version = 0;
  return no_device;
}
RW_INSIDE int cudaMalloc(void**, unsigned long) { return no_device; }
RW_INSIDE int cudaMemset(void*, int, unsigned long) { return no_device; }
RW_INSIDE int cudaMemcpy2D(void*, unsigned long, const void*, unsigned long, unsigned long, unsigned long, int) {
  return no_device;
}
// The program's own, of which no runtime knows.
RW_INSIDE int cudaCheckProgram(int x) { return x + 1; }
}

namespace {

// Runs before main, as the registration of kernels does.
const int early = [] {
  int version = -1;
  cudaRuntimeGetVersion(&version);
  return version;
}();

}  // namespace

int main() {
  unsigned char values[2][8] = {};
  void* memory = nullptr;
  std::printf("%d %d ", early / 1000, cudaCheckProgram(1));
  std::printf("%d ", cudaMalloc(&memory, 64));
  if (!memory) return 0;
  cudaMemset(memory, 7, 64);
  // Two rows of three bytes, which lie 32 apart there and 8 here.
  std::printf("%d ", cudaMemcpy2D(values, 8, memory, 32, 3, 2, 2));
  for (const auto& row : values) std::printf("%d%d%d%d ", row[0], row[1], row[2], row[3]);
}
