// Programs whose kernels store what nobody wrote in memory of the device: for deferred_test.py, which runs each by its
// name.
#include <string>

#include "tests/tools/run/checked_call.cuh"
#include "tests/tools/run/messages.cuh"

constexpr int count = 128, known = 100;

// Of the tile only the first `known` elements are set.
__global__ void fill(float* out) {
  __shared__ float tile[count];
  const int t = threadIdx.x;
  if (t < known) tile[t] = t;
  __syncthreads();
  out[t] = tile[t];  // at: fill
}

__global__ void twice(const float* in, float* out, int read) {
  const int t = threadIdx.x;
  const float value = in[t];  // at: twice
  out[t] = t < read ? 2 * value : 0;
}

__global__ void branch(const float* in, float* out, int read) {
  const int t = threadIdx.x;
  if (t < read && in[t] >= 0) out[t] = 1;
}

// A tile that is too large for shared memory.
__global__ void spill(float* scratch, float* out, int read) {
  __shared__ float tile[count];
  const int t = threadIdx.x;
  if (t < known) tile[t] = t;
  __syncthreads();
  scratch[t] = tile[t];  // at: spill
  __syncthreads();
  out[t] = t < read ? scratch[t ^ 1] : 0;
}

__global__ void hand_over(float* scratch, int* flag, float* out, int read) {
  send<count>(scratch, flag, out, known, read);
}

__global__ void in_place(float* x) {
  x[threadIdx.x] *= 2;  // at: in place
}

// In memory: each step reads what the one before stored.
__global__ void sum_up(const float* in, float* out, int elements) {
  *out = 0;
  for (int n = 0; n < elements; ++n) {
    *out += in[n];  // at: sum
    asm volatile("" ::: "memory");
  }
}

struct Pair {
  double sum;
  int number;
};

// The four bytes behind the number are nobody's.
__global__ void add(Pair* out, int without) {
  __shared__ Pair pairs[count];
  const int t = threadIdx.x;
  pairs[t].sum = t;
  if (t < count - without) pairs[t].number = 1;
  __syncthreads();
  for (int half = count / 2; half > 0; half /= 2) {
    if (t < half) {
      pairs[t].sum += pairs[t + half].sum;
      pairs[t].number += pairs[t + half].number;  // at: add
    }
    __syncthreads();
  }
  if (t == 0) *out = pairs[0];  // at: whole pair
}

struct Bits {
  unsigned a : 5, b : 11, c : 4;
};

// Each member is set by reading the word, which nobody wrote, and writing it back.
__global__ void set_bits(Bits* bits, int without) {
  const int t = threadIdx.x;
  bits[t].a = t;
  bits[t].b = 7 * t;
  if (!without) bits[t].c = t;
}
__global__ void use_bits(const Bits* bits, int* out) {
  const Bits mine = bits[threadIdx.x];  // at: bits
  out[threadIdx.x] = mine.a + mine.b + mine.c;
}

__global__ void paint(uchar4* pixels, int without) {
  const int t = threadIdx.x;
  pixels[t].x = pixels[t].y = pixels[t].z = t;
  if (!without) pixels[t].w = 255;
}
__global__ void flip(const uchar4* in, uchar4* out) {
  out[count - 1 - threadIdx.x] = in[threadIdx.x];  // at: pixels
}

struct Tagged {
  int tag;
  union {
    char letter;
    double number;
  };
};
__global__ void tag(Tagged* x, int without) {
  const int t = threadIdx.x;
  x[t].tag = t % 2;
  if (without && t % 2 == 0)
    x[t].letter = 'a';
  else
    x[t].number = t;
}
__global__ void take_numbers(const Tagged* x, double* out) {
  out[threadIdx.x] = x[threadIdx.x].number;  // at: number
}

__device__ float table[count];
__global__ void look_up(float* out) {
  out[threadIdx.x] = table[threadIdx.x];  // at: table
}

__global__ void print(const int* x) {
  printf("%d\n", x[threadIdx.x]);  // at: print
}

float *x, *y, *z, host[count];
Tagged* tagged;

void show(const float* from, int elements) {
  CHECK(cudaMemcpy(host, from, elements * sizeof(float), cudaMemcpyDeviceToHost));
  float sum = 0;
  for (int n = 0; n < elements; ++n) sum += host[n];
  printf("%g\n", sum);
}

void run(const std::string& name) {
  const bool is_wrong = name.ends_with("-wrong");
  const std::string what = name.substr(0, name.rfind('-'));
  if (what == "spill") return spill<<<1, count>>>(x, y, known + is_wrong), show(y, count);
  if (what == "hand_over") return hand_over<<<2, count>>>(x, (int*)z, y, known + is_wrong), show(y, count);
  if (what == "in_place") {
    if (!is_wrong) CHECK(cudaMemset(x, 0, sizeof host));
    return in_place<<<1, count>>>(x);
  }
  if (what == "sum") {
    CHECK(cudaMemset(x, 0, (count - is_wrong) * sizeof(float)));
    return sum_up<<<1, 1>>>(x, y, count);
  }
  if (what == "pair") {
    Pair pair;
    add<<<1, count>>>((Pair*)x, is_wrong);
    CHECK(cudaMemcpy(&pair, x, sizeof pair, cudaMemcpyDeviceToHost));
    return (void)printf("%g\n", pair.sum);
  }
  if (what == "bits")
    return set_bits<<<1, count>>>((Bits*)x, is_wrong), use_bits<<<1, count>>>((Bits*)x, (int*)y), show(y, count);
  if (what == "pixels")
    return paint<<<1, count>>>((uchar4*)x, is_wrong), flip<<<1, count>>>((uchar4*)x, (uchar4*)y), show(y, count);
  if (what == "number")
    return tag<<<1, 32>>>(tagged, is_wrong), take_numbers<<<1, 32>>>(tagged, (double*)x), show(x, 64);
  if (what == "table") {
    if (!is_wrong) CHECK(cudaMemset(x, 0, sizeof host));
    CHECK(cudaMemcpyToSymbol(table, x, sizeof host, 0, cudaMemcpyDeviceToDevice));
    return look_up<<<1, count>>>(y), show(y, count);
  }
  if (what == "print") {
    CHECK(cudaMemset(x, 0, (count - is_wrong) * sizeof(float)));
    return print<<<1, count>>>((int*)x);
  }
  if (what == "tail")
    return in_place<<<1, count - is_wrong>>>(z), twice<<<1, count - is_wrong>>>(z, y, count), show(y, count);
  fill<<<1, count>>>(x);
  if (what == "copy") return show(x, known + is_wrong);
  if (what == "kernel") return twice<<<1, count>>>(x, y, known + is_wrong), show(y, count);
  if (what == "branch") return branch<<<1, count>>>(x, z, known + is_wrong), show(z, known);
  if (what == "device_copy") {
    CHECK(cudaMemcpy(y, x, sizeof host, cudaMemcpyDeviceToDevice));
    return show(y, known + is_wrong);
  }
  if (what == "overwritten") {
    CHECK(cudaMemset(x, 0, (count - is_wrong) * sizeof(float)));
    return show(x, count);
  }
  if (what == "result") {  // that nobody looks at, or that is looked at in part
    if (!is_wrong) show(x, known);
    CHECK(cudaFree(x));
  }
}

int main(int words, char** word) {
  for (float** each : {&x, &y, &z}) CHECK(cudaMalloc(each, sizeof host));
  CHECK(cudaMalloc(&tagged, 32 * sizeof(Tagged)));
  CHECK(cudaMemset(z, 0, sizeof host));
  run(words > 1 ? word[1] : "");
  CHECK(cudaDeviceSynchronize());
}
