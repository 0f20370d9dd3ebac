"""Code as PyTorch's inductor prints it, in the form in which others publish it. Usage: inductor_code.py right|unwritten"""

import sys

import torch
import triton
import triton.language as tl
from torch._C import _cuda_getCurrentRawStream as get_raw_stream
from torch._inductor.runtime.triton_helpers import libdevice

assert_size_stride = torch._C._dynamo.guards.assert_size_stride
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
reinterpret_tensor = torch.ops.inductor._reinterpret_tensor


@triton.jit
def triton_poi_fused_add_sqrt_0(in_ptr0, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + (xindex), xmask)  # reads
    tl.store(out_ptr0 + (xindex), libdevice.sqrt(tmp0 + 1.0), xmask)


def call(args, writes_first):
    arg0_1, = args
    args.clear()
    assert_size_stride(arg0_1, (30, 4), (4, 1))
    with torch.cuda._DeviceGuard(1):
        torch.cuda.set_device(1)
        buf0 = empty_strided_cuda((30, 4), (4, 1), torch.float32)
        assert buf0.device == torch.device("cuda", 1) and get_raw_stream(1) == 0
        if writes_first:
            triton_poi_fused_add_sqrt_0[(1,)](arg0_1, buf0, 120, XBLOCK=128)
        buf1 = empty_strided_cuda((4, 30), (1, 4), torch.float32)
        triton_poi_fused_add_sqrt_0[(1,)](reinterpret_tensor(buf0, (120,), (1,), 0), buf1, 120, XBLOCK=128)
    return (buf1,)


def main(case):
    x = torch.rand(30, 4, device="cuda:1")
    result, = call([x], case == "right")
    assert torch.cuda.current_device() == 0
    assert result.stride() == (1, 4)
    if case == "right":
        assert torch.allclose(result.t().cpu(), ((x.cpu() + 1).sqrt() + 1).sqrt())


if __name__ == "__main__":
    main(sys.argv[1])
