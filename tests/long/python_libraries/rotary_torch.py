"""Tensors of PyTorch in a kernel of CuPy: by their address, by the CUDA array interface and by DLPack; and an array of CuPy's as a
tensor. `wrong` has no mask for the last block."""
import cupy
import numpy
import torch
from rotary_kernel import BLOCK, BLOCKS, COS, HALF, MASKED, ROWS, SIN, SOURCE, X, judge

kernel = cupy.RawKernel(SOURCE, "rotate")


def forward():
    x, cos, sin = (torch.tensor(array, device="cuda") for array in (X, COS, SIN))
    out = cupy.empty(X.shape, numpy.float32)
    shared = torch.from_dlpack(out)
    shared[0] = 7
    assert shared.is_cuda and float(out[0, 0]) == 7
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), cupy.cuda.ExternalStream(stream.cuda_stream):
        kernel((BLOCKS,), (BLOCK,), (x.data_ptr(), cupy.asarray(cos), cupy.from_dlpack(sin), torch.as_tensor(out).data_ptr(),
                                     numpy.int32(ROWS), numpy.int32(HALF), numpy.int32(MASKED)))
    return shared.cpu().numpy()


judge(forward())
