// The peer's form of rotary_threads.cu: one work-item turns one pair of columns (half layout) of one head of one token.
__kernel void rotary(__global const float *x, __global const float *cosine, __global const float *sine,
                     __global float *out, int heads, int head_dim) {
  const int pair = get_global_id(0), head = get_global_id(1), token = get_global_id(2);
  const int pairs = head_dim / 2;
  const int row = (token * heads + head) * head_dim;
  const int entry = token * pairs + pair;
  const float c = cosine[entry], s = sine[entry];
  const float first = x[row + pair], second = x[row + pair + pairs];
  out[row + pair] = first * c - second * s;
  out[row + pair + pairs] = first * s + second * c;
}
