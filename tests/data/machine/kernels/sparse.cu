// x[block * stride + thread] = block: touches little of a large tensor.
extern "C" __global__ void touch_rows(float* x, long long stride) {
  x[blockIdx.x * stride + threadIdx.x] = float(blockIdx.x);
}
