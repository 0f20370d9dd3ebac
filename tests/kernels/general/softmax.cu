// Softmax of rows of 64 numbers, a warp a row, by shuffles.
//
//   out[r, c] = exp(x[r, c] - m) / sum over j of exp(x[r, j] - m),  m the largest of the row
//
// x, out f32 [rows, 64]. Grid (rows / 4), block (32, 4).
enum Fault { None, MissingMaximum, HalfOfTheWarp };

template <Fault fault>
__device__ __forceinline__ void softmax(const float* x, float* out) {
  const long long row = blockIdx.x * 4 + threadIdx.y;
  const float first = x[row * 64 + threadIdx.x], second = x[row * 64 + threadIdx.x + 32];
  float largest = fault == MissingMaximum ? 0 : fmaxf(first, second);
  if (fault != MissingMaximum) {
    for (int distance = 16; distance > 0; distance /= 2) {
      largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, distance));
    }
  }
  const float first_part = expf(first - largest), second_part = expf(second - largest);
  float sum = first_part + second_part;
  for (int distance = fault == HalfOfTheWarp ? 8 : 16; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffff, sum, distance);
  }
  out[row * 64 + threadIdx.x] = first_part / sum;
  out[row * 64 + threadIdx.x + 32] = second_part / sum;
}

#define SOFTMAX(name, fault) \
  extern "C" __global__ void name(const float* x, float* out) { softmax<fault>(x, out); }

SOFTMAX(softmax, None)
SOFTMAX(softmax_missing_maximum, MissingMaximum)
SOFTMAX(softmax_half_of_the_warp, HalfOfTheWarp)
