// What programs ask of the driver, right and wrong: many allocations, work that waits for the host, pools of several
// devices, forks, values in memory as an order, and what graphs are made of.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <vector>

namespace {

__global__ void fill(int* const* x, int count, int length) {
  const int n = blockIdx.x * blockDim.x + threadIdx.x;
  if (n >= count) return;
  for (int k = 0; k < length; ++k) x[n][k] = n;  // at:fill
}

// More allocations than a process may have mappings.
void run_many_allocations(bool is_right) {
  constexpr int count = 70000, length = 16;
  std::vector<int*> all(count);
  int failed = 0, crooked = 0;
  for (int*& one : all) {
    failed += cudaMalloc(&one, length * sizeof(int)) != cudaSuccess;
    crooked += (unsigned long long)one % 256 != 0;
  }
  int** table;
  cudaMalloc(&table, count * sizeof(int*));
  cudaMemcpy(table, all.data(), count * sizeof(int*), cudaMemcpyHostToDevice);
  fill<<<1, 32>>>(table + count - 1, 1, is_right ? length : length + 1);
  int last = 0;
  cudaMemcpy(&last, all.back() + length - 1, sizeof last, cudaMemcpyDeviceToHost);
  std::printf("%d failed, %d crooked, %d\n", failed, crooked, last);
  for (int* const one : all) cudaFree(one);
  cudaFree(table);
}

const struct {
  const char* name;
  void (*run)(bool is_right);
} programs[] = {
    {"many-allocations", run_many_allocations},
};

}  // namespace

// NAME does wrong what NAME-right does right.
int main(int, char** words) {
  const std::size_t length = std::strlen(words[1]);
  const bool is_right = length > 6 && !std::strcmp(words[1] + length - 6, "-right");
  for (const auto& program : programs) {
    if (std::strlen(program.name) != length - 6 * is_right ||
        std::strncmp(program.name, words[1], std::strlen(program.name)))
      continue;
    program.run(is_right);
    return 0;
  }
  return 2;
}
