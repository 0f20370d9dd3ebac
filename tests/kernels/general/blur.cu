// A weighted mean of each number and its two neighbours, which may belong to another block.
//
//   out[i] = (x[i - 1] + 2 x[i] + x[i + 1]) / 4, and the two ends as they are
//
// x, out f32 [count]. Grid (blocks), block 64. With out = x blocks would read what others write.
extern "C" __global__ void blur(const float* x, float* out, int count) {
  const int index = blockIdx.x * 64 + threadIdx.x;
  if (index >= count) return;
  const bool end = index == 0 || index == count - 1;
  out[index] = end ? x[index] : (x[index - 1] + 2 * x[index] + x[index + 1]) * 0.25f;
}

// Faulty: the first and the last number have no neighbour on one side.
extern "C" __global__ void blur_without_ends(const float* x, float* out, int count) {
  const int index = blockIdx.x * 64 + threadIdx.x;
  if (index >= count) return;
  out[index] = (x[index - 1] + 2 * x[index] + x[index + 1]) * 0.25f;
}

// Four at a time: right where x and out start at a multiple of 16 bytes and count is one of 4.
extern "C" __global__ void copy_four(const float* x, float* out, int count) {
  const int index = blockIdx.x * 64 + threadIdx.x;
  if (index * 4 + 3 >= count) return;
  reinterpret_cast<float4*>(out)[index] = reinterpret_cast<const float4*>(x)[index];
}
