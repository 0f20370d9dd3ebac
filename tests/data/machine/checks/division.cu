// Integer division by zero.

// The key head of each head, of `heads` heads that share `key_heads`: with more key heads than heads a group has none.
extern "C" __global__ void key_head_of(int* out, int heads, int key_heads) {
  const int group = heads / key_heads;
  out[blockIdx.x * blockDim.x + threadIdx.x] = int(threadIdx.x) / group;  // the quotient
}

// An index into x.
extern "C" __global__ void read_page(const int* x, int* out, int page_size) {
  out[threadIdx.x] = x[int(threadIdx.x) % page_size];  // the remainder
}

// The compiler divides first and selects then.
extern "C" __global__ void divide_where_it_can(int* out, int divisor) {
  int quotient;
  asm volatile("div.s32 %0, %1, %2;" : "=r"(quotient) : "r"(int(threadIdx.x)), "r"(divisor));
  out[blockIdx.x * blockDim.x + threadIdx.x] = divisor ? quotient : 0;
}
