"""A rotary kernel of numba.cuda: `wrong` has no mask for the last block."""
import numpy
from numba import cuda
from rotary_kernel import BLOCK, BLOCKS, COS, MASKED, SIN, X, judge


@cuda.jit(lineinfo=True)
def rotate(x, cos, sin, out, masked):
    pair = cuda.grid(1)
    half = cos.shape[1]
    if masked and pair >= x.shape[0] * half:
        return
    row, column = pair // half, pair % half
    c, s = cos[row, column], sin[row, column]
    a, b = x[row, column], x[row, column + half]
    out[row, column] = a * c - b * s
    out[row, column + half] = b * c + a * s


def forward():
    out = cuda.to_device(numpy.zeros_like(X))
    rotate[BLOCKS, BLOCK](cuda.to_device(X), cuda.to_device(COS), cuda.to_device(SIN), out, MASKED)
    return out.copy_to_host()


judge(forward())
