// What programs ask of the driver, right and wrong: many allocations, work that waits for the host, pools of several
// devices, forks, values in memory as an order, and what graphs are made of.
#include <cuda.h>

#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
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

// A host function that goes on until the host has done something after its launch. What comes behind it in its stream
// waits for it, and so does who waits for that.
struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool is_open = false;
  void open() {
    const std::lock_guard lock(mutex);
    is_open = true;
    changed.notify_all();
  }
  static void wait(void* gate) {
    Gate& self = *static_cast<Gate*>(gate);
    std::unique_lock lock(self.mutex);
    self.changed.wait(lock, [&] { return self.is_open; });
  }
};

__global__ void copy(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }  // at:copy

void run_host_function_waits(bool is_right) {
  static Gate gate;
  cudaStream_t stream, other;
  cudaStreamCreate(&stream);
  cudaStreamCreate(&other);
  cudaEvent_t event;
  cudaEventCreate(&event);
  int *pinned, *x, *y;
  cudaMallocHost(&pinned, 32 * sizeof(int));
  cudaMalloc(&x, 32 * sizeof(int));
  cudaMalloc(&y, 32 * sizeof(int));
  cudaLaunchHostFunc(stream, Gate::wait, &gate);
  cudaMemcpyAsync(x, pinned, 32 * sizeof(int), cudaMemcpyHostToDevice, stream);
  cudaEventRecord(event, stream);
  if (is_right) cudaStreamWaitEvent(other, event);
  copy<<<1, 32, 0, other>>>(x, y);
  const cudaError_t of_stream = cudaStreamQuery(stream), of_event = cudaEventQuery(event);
  std::printf("%s %s\n", cudaGetErrorName(of_stream), cudaGetErrorName(of_event));
  for (int n = 0; n < 32; ++n) pinned[n] = n;
  gate.open();
  cudaStreamSynchronize(other);
  int last = 0;
  cudaMemcpy(&last, y + 31, sizeof last, cudaMemcpyDeviceToHost);
  if (is_right) std::printf("%d %s\n", last, cudaGetErrorName(cudaEventQuery(event)));
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
  cudaFreeHost(pinned);
}

// It never ends: what comes behind it is not checked.
void run_host_function_stays(bool) {
  Gate* const gate = new Gate;  // a condition that is waited for is not to be destroyed
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaLaunchHostFunc(stream, Gate::wait, gate);
  fill<<<1, 32, 0, stream>>>(nullptr, 1, 1);
}

const struct {
  const char* name;
  void (*run)(bool is_right);
} programs[] = {
    {"many-allocations", run_many_allocations},
    {"host-function-waits", run_host_function_waits},
    {"host-function-stays", run_host_function_stays},
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
