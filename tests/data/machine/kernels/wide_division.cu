// Division of 128 bits, as nvcc makes it of 64-bit arithmetic with carries. numbers[i] = {dividend, divisor}.
extern "C" __global__ void divide_wide(const unsigned __int128* numbers, unsigned __int128* out) {
  const unsigned __int128 a = numbers[2 * threadIdx.x], b = numbers[2 * threadIdx.x + 1];
  out[2 * threadIdx.x] = a / b;
  out[2 * threadIdx.x + 1] = a % b;
}
