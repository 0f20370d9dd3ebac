// Tensor cores as attention kernels use them: 16 rows of a warp times 8 columns by 16, and what feeds them. Lane and
// register of every element are those of the PTX ISA, "Matrix fragments for mma.m16n8k16".
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Two numbers as a register of a fragment holds them, the first in its low half.
template <class T>
__device__ __forceinline__ unsigned packed_pair(float first, float second);
template <>
__device__ __forceinline__ unsigned packed_pair<__half>(float first, float second) {
  const __half2 pair = __floats2half2_rn(first, second);
  return *reinterpret_cast<const unsigned*>(&pair);
}
template <>
__device__ __forceinline__ unsigned packed_pair<__nv_bfloat16>(float first, float second) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(first, second);
  return *reinterpret_cast<const unsigned*>(&pair);
}

// sums += a b, with sums [16, 8] in f32, a [16, 16] and b [16, 8] of T.
template <class T>
__device__ __forceinline__ void add_matrix_product(float (&sums)[4], const unsigned (&a)[4], unsigned b0, unsigned b1);
#define ADD_MATRIX_PRODUCT(T, type)                                                                          \
  template <>                                                                                                \
  __device__ __forceinline__ void add_matrix_product<T>(float(&sums)[4], const unsigned(&a)[4], unsigned b0, \
                                                        unsigned b1) {                                       \
    asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                                               \
        ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "                                                       \
        "{%0,%1,%2,%3};"                                                                                     \
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                                         \
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                                     \
  }
ADD_MATRIX_PRODUCT(__half, "f16")
ADD_MATRIX_PRODUCT(__nv_bfloat16, "bf16")

__device__ __forceinline__ unsigned shared_address(const void* pointer) {
  return unsigned(__cvta_generic_to_shared(pointer));
}

// Four matrices of 8 by 8; lanes 8 n to 8 n + 7 say where the rows of matrix n are.
__device__ __forceinline__ void load_matrices(unsigned (&out)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(shared_address(row)));
}
__device__ __forceinline__ void load_matrices_transposed(unsigned (&out)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(shared_address(row)));
}

// Starts to copy 16 bytes to shared memory, or to fill them with zeros and read nothing.
__device__ __forceinline__ void start_copy(void* to, const void* from, bool is_there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(is_there ? 16 : 0));
}
__device__ __forceinline__ void end_group_of_copies() { asm volatile("cp.async.commit_group;"); }
// Until at most `open` groups are under way.
template <int open>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(open));
}
