"""A rotary kernel in CUDA C++, its numbers and what is expected of it, for the programs that compile it themselves."""
import sys

import numpy

MASKED = sys.argv[1:] != ["wrong"]
ROWS, DIM = 75, 64
HALF = DIM // 2
PAIRS, BLOCK = ROWS * HALF, 128
BLOCKS = -(-PAIRS // BLOCK)
SOURCE = r"""
extern "C" __global__ void rotate(const float* x, const float* cos, const float* sin, float* out, int rows, int half,
                                  int masked) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  if (masked && pair >= rows * half) return;
  const int row = pair / half, column = pair % half;
  const float c = cos[pair], s = sin[pair];
  const float a = x[row * 2 * half + column], b = x[row * 2 * half + column + half];
  out[row * 2 * half + column] = a * c - b * s;
  out[row * 2 * half + column + half] = b * c + a * s;
}
"""

_angles = numpy.outer(numpy.arange(ROWS), 10000.0**(-numpy.arange(0, DIM, 2) / DIM))
COS, SIN = numpy.cos(_angles).astype(numpy.float32), numpy.sin(_angles).astype(numpy.float32)
X = numpy.random.default_rng(1).standard_normal((ROWS, DIM)).astype(numpy.float32)


def judge(out):
    a, b = X[:, :HALF], X[:, HALF:]
    wanted = numpy.concatenate((a * COS - b * SIN, b * COS + a * SIN), axis=1)
    print("as expected" if numpy.abs(out - wanted).max() < 1e-5 else "wrong numbers")
