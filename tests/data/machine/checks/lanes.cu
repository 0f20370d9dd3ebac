// Warp-wide operations and those who take part in them.

// The first `count` lanes shuffle; lane i reads lane i ^ `distance`.
extern "C" __global__ void shuffle_among(const float* x, float* out, int count, int distance) {
  float value = x[threadIdx.x];
  if (threadIdx.x < count) {
    value += __shfl_xor_sync(__activemask(), value, distance);  // the shuffle
  }
  out[threadIdx.x] = value;
}

// The mask names all lanes, the first `count` come.
extern "C" __global__ void vote_among(const float* x, int* out, int count) {
  int all = 0;
  if (threadIdx.x < count) {
    all = __ballot_sync(0xffffffffu, x[threadIdx.x] > 0);  // the vote
  }
  out[threadIdx.x] = all;
}

// The sum of a warp.
extern "C" __global__ void sum_of_warp(const float* x, float* out) {
  float value = x[threadIdx.x];
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  out[threadIdx.x] = value;
}
