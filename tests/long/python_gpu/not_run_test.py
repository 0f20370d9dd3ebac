"""A test with a launch that the machine cannot run; see tests/long/python_gpu.py for what becomes of it."""

import torch
import triton
import triton.language as tl


@triton.jit
def counting_kernel(x):
    value = tl.inline_asm_elementwise("mov.u32 $0, %pm0; // $1", "=r,r", [tl.load(x)], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(x, value)


def test_of_a_counter():
    counting_kernel[(1,)](torch.ones(1, dtype=torch.int32, device="cuda"))
