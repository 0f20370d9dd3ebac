// Programs whose structs have padding, copied in words of all widths: for structs_test.py, which runs each by its name.
#include <cuda_fp16.h>

#include <cstring>
#include <map>
#include <string>

#include "tests/tools/run/checked_call.cuh"

constexpr int count = 30;

struct Quad {
  float x, y, z;
  bool on;  // three bytes behind it
};
struct Mixed {
  double d;
  int i;
  short s;
  char c;  // one byte behind it
};
struct Ranked {
  double value;
  int index;  // four bytes behind it
};
struct Keyed {
  int key;  // four bytes behind it
  long value;
};
struct Numbers {
  float x, y, z, w;
};
// Structs that are aligned to more than their members.
struct alignas(8) Value {
  float x;
};
struct alignas(32) Point {
  float x, y, z;
};

// Words of structs are taken apart and put together again, padding and all.
__global__ void put_together(const char* from, unsigned* to) {
  const char* const x = from + 4 * threadIdx.x;
  to[threadIdx.x] = (x[0] & 255) | (x[1] & 255) << 8 | (x[2] & 255) << 16 | (x[3] & 255) << 24;
}
__global__ void take_apart(const unsigned* from, unsigned short* to) {
  const unsigned word = from[threadIdx.x];
  to[2 * threadIdx.x] = word & 0xffff;
  to[2 * threadIdx.x + 1] = word >> 16;
}
// Numbers of one byte, which pad nothing, are packed into words: the last word may lack some.
__global__ void pack_in_shared_memory(const unsigned* x, unsigned* words, int n) {
  __shared__ alignas(4) unsigned char bytes[32];
  const int first = 4 * threadIdx.x;
#pragma unroll 1
  for (int i = first; i < first + 4 && i < n; ++i) bytes[i] = x[i];
  words[threadIdx.x] = *(unsigned*)(bytes + first);  // at: bytes of shared memory
}
__global__ void pack_in_local_memory(const unsigned* x, unsigned* words, int n) {
  unsigned char bytes[4];
  const int first = 4 * threadIdx.x;
#pragma unroll 1
  for (int i = 0; i < 4 && first + i < n; ++i) bytes[i] = x[first + i];
  memcpy(words + threadIdx.x, bytes, 4);  // at: bytes of local memory
}
__global__ void write_bytes(unsigned char* bytes, int first, int last) {
  const int i = threadIdx.x;
  if (i < first || i >= last) bytes[i] = i;
}
template <class Word>
__global__ void copy_words(const Word* from, Word* to) {
  to[threadIdx.x] = from[threadIdx.x];  // at: words of bytes
}
// A struct that is alone and ends in padding.
struct Record {
  int numbers[7];
  char flag;  // three bytes behind it
};
template <bool computes>
__global__ void copy_record_of_shared_memory(const int* x, Record* out) {
  __shared__ Record record;
  if (threadIdx.x < 7) record.numbers[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x == 7) record.flag = 1;
  __syncthreads();
  ((int*)out)[threadIdx.x] = ((int*)&record)[threadIdx.x] + computes;  // at: words of a record
}

// without: the struct that lacks a member.
__global__ void make(Quad* a, int without) {
  const int t = threadIdx.x;
  a[t].x = t, a[t].y = 1, a[t].on = t & 1;
  if (t != without) a[t].z = 2;
}
__global__ void make(Mixed* a, int without) {
  const int t = threadIdx.x;
  a[t].d = t, a[t].i = t, a[t].c = 1;
  if (t != without) a[t].s = 2;
}
__global__ void make(Ranked* a, int without) {
  const int t = threadIdx.x;
  a[t].value = t;
  if (t != without) a[t].index = 2;
}
__global__ void make(Keyed* a, int without) {
  const int t = threadIdx.x;
  a[t].value = t;
  if (t != without) a[t].key = 2;
}
__global__ void make_without_w(Numbers* a) {
  const int t = threadIdx.x;
  a[t].x = t, a[t].y = 1, a[t].z = 2;
}
__global__ void make_without_z(Quad* a) {
  const int t = threadIdx.x;
  a[t].x = t, a[t].y = 1, a[t].on = true;
}
__global__ void make_but_the_last(__half* a, int n) {
  if (threadIdx.x < n - 1) a[threadIdx.x] = __int2half_rn(1);
}

__device__ void set(Value& one) { one.x = 1; }
__device__ void set(Point& one) { one.x = 1, one.y = 2, one.z = 3; }
template <class Struct>
__global__ void make_aligned(Struct* a, int without) {
  if (threadIdx.x != without) set(a[threadIdx.x]);
}
template <class Struct>
__global__ void by_assignment(const Struct* a, Struct* b) {
  b[threadIdx.x] = a[count - 1 - threadIdx.x];  // at:assignment
}
template <class Struct>
__global__ void add_words(const Struct* a, int* sum) {
  const int* const words = reinterpret_cast<const int*>(a + threadIdx.x);
  sum[threadIdx.x] = words[0] + words[sizeof(Struct) / sizeof(int) - 1];  // at:last word
}

using Words = int4;  // as large as each of the structs
__global__ void by_vectors(const Words* a, Words* b) {
  b[threadIdx.x] = a[threadIdx.x];  // at:vectors
}
__global__ void by_words(const int* a, int* b) {
  for (int i = threadIdx.x; i < 4 * blockDim.x; i += blockDim.x) b[i] = a[i];  // at:words
}
__global__ void by_wide_words(const long* a, long* b) {
  for (int i = threadIdx.x; i < 2 * blockDim.x; i += blockDim.x) b[i] = a[i];  // at:wide words
}
__global__ void by_bytes(const char* a, char* b) {
  for (int i = threadIdx.x; i < 16 * blockDim.x; i += blockDim.x) b[i] = a[i];  // at:bytes
}
__global__ void by_shared_memory(const Words* a, Words* b) {
  __shared__ Words s[count];
  const int t = threadIdx.x;
  const unsigned to = unsigned(__cvta_generic_to_shared(s + t));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + t) : "memory");  // at:shared memory
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  b[t] = s[count - 1 - t];
}
__global__ void by_shuffles(const Words* a, Words* b) {
  const int t = threadIdx.x;
  Words v = a[t];  // at:shuffles
  const unsigned all = (1u << count) - 1;
  v.x = __shfl_xor_sync(all, v.x, 1), v.y = __shfl_xor_sync(all, v.y, 1);
  v.z = __shfl_xor_sync(all, v.z, 1), v.w = __shfl_xor_sync(all, v.w, 1);
  b[t] = v;
}
__global__ void add_all(const int* a, int* sum) {
  int total = 0;
  for (int i = 0; i < 4; ++i) total += a[4 * threadIdx.x + i];  // at:sum
  sum[threadIdx.x] = total;
}

// What odd lanes of every third get from a lane that does not take part lies where a struct may have its padding.
struct alignas(8) Group {
  unsigned size = 11, rank = 0, mask = 0x49249249;
};
__global__ void ask_lane(int* out, bool all) {
  const int lane = threadIdx.x;
  if (lane % 3) return;
  const Group group;
  const Group* const at = &group;
  if (all || (lane & 1))
    out[lane] = __shfl_sync(at->mask, lane, 0);  // at:lane
  else
    out[lane] = 0;
}

template <class T>
T* room(int n = count) {
  T* x = nullptr;
  CHECK(cudaMalloc(&x, n * sizeof(T)));
  return x;
}

// 12 launches: of what was copied copies are made, too.
template <class Struct>
void copy(const Struct* from, const std::string& how = "") {
  static_assert(sizeof(Struct) == sizeof(Words));
  void* last = const_cast<Struct*>(from);
  for (int round = 0; round < (how.empty() ? 2 : 1); ++round) {
    const auto next = [&](const char* name, auto kernel, auto* type) {
      using Word = decltype(type);
      if (!how.empty() && how != name) return;
      void* const to = room<Struct>();
      kernel<<<1, count>>>(static_cast<Word>(last), static_cast<Word>(to));
      last = to;
    };
    next("vectors", by_vectors, (Words*)nullptr);
    next("words", by_words, (int*)nullptr);
    next("wide words", by_wide_words, (long*)nullptr);
    next("bytes", by_bytes, (char*)nullptr);
    next("shared memory", by_shared_memory, (Words*)nullptr);
    next("shuffles", by_shuffles, (Words*)nullptr);
  }
  char host[count * sizeof(Struct)];
  CHECK(cudaMemcpy(host, last, sizeof host, cudaMemcpyDeviceToHost));
}

template <class Struct>
Struct* made(int without = -1) {
  Struct* const x = room<Struct>();
  make<<<1, count>>>(x, without);
  return x;
}

template <class Struct>
void copy_aligned(int without = -1, bool adds = false) {
  Struct *const a = room<Struct>(), *const b = room<Struct>();
  make_aligned<<<1, count>>>(a, without);
  by_assignment<<<1, count>>>(a, b);
  if (adds) add_words<<<1, count>>>(b, room<int>());
  Struct host[count];
  CHECK(cudaMemcpy(host, b, sizeof host, cudaMemcpyDeviceToHost));
}

// Bits 12 to 31 are padding.
struct Fields {
  unsigned a : 5, b : 7;
};
__global__ void set_fields(Fields* fields) {
  fields[threadIdx.x].a = threadIdx.x;
  fields[threadIdx.x].b = 2 * threadIdx.x;
}

int main(int words, char** word) {
  const std::string name = words > 1 ? word[1] : "", how = words > 2 ? word[2] : "";
  if (name == "whole") {
    copy(made<Quad>());
    copy(made<Mixed>());
    copy(made<Ranked>());
    copy(made<Keyed>());
  } else if (name == "one-without-a-member") {
    copy(made<Quad>(7), how);
    copy(made<Mixed>(7), how);
    copy(made<Ranked>(7), how);
    copy(made<Keyed>(7), how);
  } else if (name == "all-without-a-member") {
    Quad* const x = room<Quad>();
    make_without_z<<<1, count>>>(x);
    copy(x, how);
  } else if (name == "all-without-the-last-member") {
    Numbers* const x = room<Numbers>();
    make_without_w<<<1, count>>>(x);
    copy(x, how);
  } else if (name == "without-the-last-half") {
    __half* const x = room<__half>(8 * count);
    make_but_the_last<<<1, 8 * count>>>(x, 8 * count);
    copy(reinterpret_cast<Mixed*>(x), how);
  } else if (name == "aligned") {
    copy_aligned<Value>(how == "one-without" ? 7 : -1, how == "sum");
    copy_aligned<Point>(how == "one-without" ? 7 : -1, how == "sum");
  } else if (name == "fields-of-bits") {
    Fields *const x = room<Fields>(), host[count];
    set_fields<<<1, count>>>(x);
    CHECK(cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost));
    return host[9].b != 18;
  } else if (name == "taken-apart") {
    Quad *const from = made<Quad>(), *const to = room<Quad>(), host[count];
    constexpr int words_of_all = sizeof host / 4;
    put_together<<<1, words_of_all>>>((const char*)from, (unsigned*)to);
    CHECK(cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost));
    take_apart<<<1, words_of_all>>>((const unsigned*)from, (unsigned short*)to);
    CHECK(cudaMemcpy(host, to, sizeof host, cudaMemcpyDeviceToHost));
  } else if (name == "bytes-in-words") {
    unsigned *const x = room<unsigned>(32), *const packed = room<unsigned>(8), host[8];
    CHECK(cudaMemset(x, 1, 32 * sizeof *x));
    const int n = std::stoi(how);
    const bool in_shared = std::string(word[3]) == "shared";
    (in_shared ? pack_in_shared_memory : pack_in_local_memory)<<<1, 8>>>(x, packed, n);
    CHECK(cudaMemcpy(host, packed, sizeof host, cudaMemcpyDeviceToHost));
  } else if (name == "bytes-of-memory") {
    unsigned char *const x = room<unsigned char>(64), *const y = room<unsigned char>(64), host[64];
    write_bytes<<<1, 64>>>(x, std::stoi(how), std::stoi(word[3]));
    copy_words<<<1, 8>>>((const unsigned long long*)x, (unsigned long long*)y);
    CHECK(cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost));
  } else if (name == "one-record") {
    int* const x = room<int>(8);
    Record *const record = room<Record>(1), host;
    CHECK(cudaMemset(x, 1, 8 * sizeof *x));
    (how == "sum" ? copy_record_of_shared_memory<true> : copy_record_of_shared_memory<false>)<<<1, 8>>>(x, record);
    CHECK(cudaMemcpy(&host, record, sizeof host, cudaMemcpyDeviceToHost));
  } else if (name == "lane") {
    int *const out = room<int>(32), host[32];
    CHECK(cudaMemset(out, 0, sizeof host));
    ask_lane<<<1, 32>>>(out, how == "right");
    CHECK(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  } else if (name == "padding-in-a-sum") {
    Quad *const a = made<Quad>(), *const b = room<Quad>();
    by_vectors<<<1, count>>>((Words*)a, (Words*)b);
    add_all<<<1, count>>>((int*)b, room<int>());
  } else {
    return 2;
  }
  CHECK(cudaDeviceSynchronize());
}
