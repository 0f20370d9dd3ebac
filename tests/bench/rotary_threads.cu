// The rotary embedding as rotary.cl has it for Oclgrind, with the same work for each thread: one thread turns one pair
// of columns (half layout) of one head of one token.
//
// x, out f32 [tokens, heads, head_dim], cos, sin f32 [tokens, head_dim / 2]. Grid (1, heads / 4, tokens), block
// (head_dim / 2, 4).
extern "C" __global__ void rotary_threads(const float* x, const float* cosine, const float* sine, float* out, int heads,
                                          int head_dim) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  const int head = blockIdx.y * blockDim.y + threadIdx.y;
  const int token = blockIdx.z * blockDim.z + threadIdx.z;
  const int pairs = head_dim / 2;
  const int row = (token * heads + head) * head_dim;
  const int entry = token * pairs + pair;
  const float c = cosine[entry], s = sine[entry];
  const float first = x[row + pair], second = x[row + pair + pairs];
  out[row + pair] = first * c - second * s;
  out[row + pair + pairs] = first * s + second * c;
}

extern "C" __global__ void empty(float* out) {}
