"""A rotary kernel by CuPy's RawKernel: `wrong` has no mask for the last block."""
import cupy
import numpy
from rotary_kernel import BLOCK, BLOCKS, COS, HALF, MASKED, ROWS, SIN, SOURCE, X, judge

kernel = cupy.RawKernel(SOURCE, "rotate")


def forward():
    x, cos, sin = (cupy.asarray(array) for array in (X, COS, SIN))
    out = cupy.zeros_like(x)
    kernel((BLOCKS,), (BLOCK,), (x, cos, sin, out, numpy.int32(ROWS), numpy.int32(HALF), numpy.int32(MASKED)))
    assert float((x * 0 + 1).sum()) == x.size  # kernels that CuPy writes itself
    return out.get()


judge(forward())
