// Accesses at `shift` from where they belong: with shift 0 all is well.

// out[i] = x[i + shift]
extern "C" __global__ void read_global(const float* x, float* out, int count, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = x[i + shift];  // the read
}

// out[i + shift] = x[i]
extern "C" __global__ void write_global(const float* x, float* out, int count, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i + shift] = x[i];  // the write
}

// out[i + shift] += 1, atomically
extern "C" __global__ void add_global(int* out, int shift) {
  atomicAdd(&out[threadIdx.x + shift], 1);  // the addition
}

struct Request {
  const float* x;   // at 0
  float* out;       // at 8
  long long count;  // at 16
  int shift;        // at 24
};

// As read_global, with all it needs in a struct.
extern "C" __global__ void read_by_struct(Request request) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < request.count) request.out[i] = request.x[i + request.shift];  // the read by a struct
}

// out = x turned by one, through shared memory
extern "C" __global__ void read_shared(const float* x, float* out, int shift) {
  __shared__ float turned_tile[32];
  turned_tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = turned_tile[(threadIdx.x ^ 1) + shift];  // the read of the tile
}

extern "C" __global__ void write_shared(const float* x, float* out, int shift) {
  __shared__ float shifted_tile[32];
  shifted_tile[threadIdx.x + shift] = x[threadIdx.x];  // the write of the tile
  __syncthreads();
  if (threadIdx.x + shift < 32) out[threadIdx.x] = shifted_tile[threadIdx.x + shift];
}

// The same in shared memory whose size the launch gives.
extern "C" __global__ void write_dynamic_shared(const float* x, float* out, int shift) {
  extern __shared__ float dynamic_tile[];
  dynamic_tile[threadIdx.x + shift] = x[threadIdx.x];  // the write of the dynamic tile
  __syncthreads();
  if (threadIdx.x + shift < 32) out[threadIdx.x] = dynamic_tile[threadIdx.x + shift];  // the read of the dynamic tile
}

// out[i] = the sum of eight values, kept in a local array and taken out of it in another order
extern "C" __global__ void read_local(const int* order, float* out, int shift) {
  float kept[8];
  for (int n = 0; n < 8; ++n) kept[order[n]] = float(n + threadIdx.x);
  float sum = 0;
  for (int n = 0; n < 8; ++n) sum += kept[order[n] + shift];  // the read of the array
  out[threadIdx.x] = sum;
}

extern "C" __global__ void write_local(const int* order, float* out, int shift) {
  float kept[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int n = 0; n < 8; ++n) kept[order[n] + shift] = float(n);  // the write of the array
  float sum = 0;
  for (int n = 0; n < 8; ++n) sum += kept[order[n]];
  out[threadIdx.x] = sum;
}

__constant__ float coefficients[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
__device__ float scratch[16];

extern "C" __global__ void read_constant(float* out, int shift) {
  out[threadIdx.x] = coefficients[threadIdx.x + shift];  // the read of the constant
}

extern "C" __global__ void write_variable(float* out, int shift) {
  scratch[threadIdx.x + shift] = float(threadIdx.x);  // the write of the variable
  out[threadIdx.x] = float(threadIdx.x);
}

// What is read past the end has no value: that it becomes an address, a branch and an output is nothing new.
extern "C" __global__ void lost_value_as_address(const int* x, const float* y, float* out, int shift) {
  out[threadIdx.x] = y[x[threadIdx.x + shift]];  // the read of an index
}

extern "C" __global__ void lost_value_as_branch(const float* x, float* out, int shift) {
  float sum = 0;
  for (int n = 0; n < x[threadIdx.x + shift]; ++n) sum += sinf(sum + n);  // the read of a count
  out[threadIdx.x] = sum;
}

extern "C" __global__ void lost_value_as_store(const float* x, float* out, int shift) {
  __shared__ float passed[32];
  passed[threadIdx.x] = x[threadIdx.x + shift];  // the read of a value
  __syncthreads();
  out[threadIdx.x] = passed[31 - threadIdx.x] * 2;
}
