"""Ways in which libraries use Triton. Usage: triton_uses.py FUNCTION"""

import os
import sys
import tempfile
import unittest

import torch
import triton
import triton.language as tl

LINES = """{
.reg .b64 moved;
add.s64 moved, $1, 4000000;
ld.global.b32 $0, [moved];
}"""


@triton.jit
def gather_kernel(x, index, out, row_stride, column_stride, N: tl.constexpr, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.arange(0, BLOCK)
    inside = column < N
    at = tl.load(index + row * N + column, mask=inside, other=0)
    values = tl.load(x + row * row_stride + at * column_stride, mask=inside)  # past the view
    tl.store(out + row * N + column, values, mask=inside)


@triton.jit
def assert_kernel(x):
    tl.device_assert(tl.load(x) > 0, "is not positive")


@triton.jit
def assembly_kernel(x, out, ASSEMBLY: tl.constexpr):
    value = tl.inline_asm_elementwise(ASSEMBLY, "=r,l", [x], dtype=tl.int32, is_pure=False, pack=1)  # in assembly
    tl.store(out, value)


@triton.jit
def one_kernel(x):
    tl.store(x, 1.0)


def gather(x, view, index):
    """The view has the columns' stride 0: the kernel has strides of its own."""
    out = torch.empty(index.shape, device="cuda")
    gather_kernel[(index.shape[0],)](view, index, out, 30, 1, index.shape[1], 8)
    return out


def restrided():
    """As FlagGems' gather and scatter do."""
    x, index = torch.randn(15, 30, device="cuda"), torch.randint(0, 30, (15, 7), device="cuda")
    index[14, 6] = 29
    assert torch.equal(gather(x, x.as_strided((15, 7), (30, 0)), index), x.gather(1, index))


def past_the_storage():
    x, index = torch.randn(15, 30, device="cuda"), torch.zeros(15, 7, device="cuda", dtype=torch.int64)
    index[14, 6] = 30
    gather(x, x.as_strided((15, 7), (30, 0)), index)


def fails_an_assertion():
    assert_kernel[(1,)](torch.zeros(1, device="cuda"), num_warps=1, debug=True)


def wrong_in_assembly():
    x, out = torch.zeros(2, 1, device="cuda", dtype=torch.int32)
    assembly_kernel[(1,)](x, out, LINES, num_warps=1)


def asks_for_machine_code():
    compiled = one_kernel[(1,)](torch.zeros(1, device="cuda"))
    assert compiled.asm["cubin"].decode() == compiled.asm["ptx"]
    try:
        compiled.asm["sass"]
    except NotImplementedError as error:
        assert "there is no machine code on the virtual GPU" in str(error), error
    else:
        raise AssertionError("there was machine code")


def dumps_what_it_compiles():
    with tempfile.TemporaryDirectory() as folder:
        triton.knobs.compilation.dump_ir = triton.knobs.compilation.always_compile = True
        triton.knobs.cache.dump_dir = folder
        one_kernel[(1,)](torch.zeros(1, device="cuda"))
        dumped = {os.path.splitext(name)[1] for _, _, names in os.walk(folder) for name in names}
    assert dumped >= {".ttir", ".ptx"}, dumped


def forgets_what_it_compiled():
    """As Triton's own tests do, by the number of the device."""
    seen, x = [], torch.zeros(1, device="cuda")
    one_kernel[(1,)](x)
    triton.knobs.runtime.jit_cache_hook = lambda **options: seen.append(options["key"]) and None
    one_kernel.warmup(x, grid=(1,))
    assert not seen, seen
    one_kernel.device_caches[torch.cuda.current_device()][0].clear()
    one_kernel.warmup(x, grid=(1,))
    assert len(seen) == 1, seen


class InATest(unittest.TestCase):

    def test_past_the_storage(self):
        past_the_storage()


def tests():
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    globals()[sys.argv[1]]()
