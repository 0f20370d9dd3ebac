// Kernels that do the same work with a defect in every thread and without: findings.cpp measures what the findings cost.
// Built with: nvcc -ptx -arch=sm_80 findings.cu
extern "C" __global__ void multiply(const float* a, const float* b, float* c, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
extern "C" __global__ void copy(const float* from, float* to, int n, int read, int write) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i + write] = from[i + read];
}
extern "C" __global__ void copy_bytes(const char* from, float* to, int n, int read) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = *(const float*)(from + 4 * i + read);
}
extern "C" __global__ void neighbours(float* out, int rounds, int synchronises) {
  __shared__ float shared[256];
  const int t = threadIdx.x;
  float x = t;
  shared[t] = x;
  for (int r = 0; r < rounds; ++r) {
    if (synchronises) __syncthreads();
    x += shared[(t + 32) & 255];
    if (synchronises) __syncthreads();
    shared[t] = x;
  }
  out[blockIdx.x * blockDim.x + t] = x;
}
extern "C" __global__ void fold(const float* from, float* to, int n, int mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i & mask] = from[i];
}
extern "C" __global__ void strided(const float* from, float* to, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i * stride];
}
extern "C" __global__ void indexed(const float* from, float* to, int n, int bound) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  asm volatile("//@index %0 < %1 : from.element" ::"r"(i), "r"(bound));
  to[i] = from[i];
}
extern "C" __global__ void halves(float* out, int rounds, int all) {
  float x = threadIdx.x;
  for (int r = 0; r < rounds; ++r) {
    if (all || threadIdx.x < 16) __syncthreads();
    x += 1;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
extern "C" __global__ void scatter(const float* from, float* to, int n, int scale, int mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[unsigned(i) * unsigned(scale) >> 7 & mask] = from[i];
}
extern "C" __global__ void multiply_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float as[16][16], bs[16][16];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    as[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
    __syncthreads();
    for (int j = 0; j < 16; ++j) sum += as[threadIdx.y][j] * bs[j][threadIdx.x];
    __syncthreads();
  }
  c[y * n + x] = sum;
}
extern "C" __global__ void unwritten_tile(float* out, int rounds, int first) {
  __shared__ float shared[256];
  const int t = threadIdx.x;
  if (t >= first) shared[t] = t;
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < rounds; ++r) sum += shared[(t + r) & 255];
  out[blockIdx.x * blockDim.x + t] = sum;
}
extern "C" __global__ void sums(const float* from, float* to, int n, int lanes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = from[i];
  if (int(threadIdx.x % 32) < lanes) {
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(lanes == 32 ? 0xffffffffu : (1u << lanes) - 1, sum, d);
  }
  to[i] = sum;
}
extern "C" __global__ void gather(const int* index, const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[index[i] & 1023];
}
extern "C" __global__ void past_the_tile(float* out, int rounds, int first) {
  __shared__ float shared[256];
  const int t = threadIdx.x;
  shared[t] = t;
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < rounds; ++r) {
    sum += shared[first + ((t + r) & 255)];
    if (t + r < 0) shared[first + r] = sum;
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}
extern "C" __global__ void count(const int* from, int* to, int n, int first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&to[first + (i & 65535)], from[i] & 1);
}
