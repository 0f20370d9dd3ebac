// nvcc -fatbin -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90,code=compute_90 --compress-mode=MODE
//   -o add_MODE.fatbin add.cu      (size: zstd; speed: LZ4; none)
extern "C" __global__ void add_one(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1.0f;
}
