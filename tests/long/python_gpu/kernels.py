"""Triton kernels in programs that know nothing of Ropewalk. Usage: kernels.py CASE"""

import ctypes
import sys
import time

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    total = tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask)
    tl.store(out + at, total, mask=mask)


@triton.jit
def scale_kernel(x, out, n, factor, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at <= n)  # one too many
    tl.store(out + at, value * factor, mask=at < n)


@triton.jit
def accumulate_kernel(x, total, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    mask = at < n
    before = tl.load(total + at, mask=mask)
    tl.store(total + at, before + tl.load(x + at, mask=mask), mask=mask)


@triton.jit
def gather_kernel(pointers, out, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    source = tl.load(pointers + row).to(tl.pointer_type(tl.float32))
    at = tl.arange(0, BLOCK)
    tl.store(out + row * n + at, tl.load(source + at, mask=at < n), mask=at < n)


@triton.jit
def first_row_kernel(address, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(address.to(tl.pointer_type(tl.float32)) + at, mask=at < n), mask=at < n)


@triton.autotune([triton.Config({"BLOCK": size}, num_warps=warps) for size, warps in ((64, 2), (256, 4), (1024, 8))], ["n"])
@triton.jit
def tuned_kernel(x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


@triton.autotune([triton.Config({"BLOCK": 64, "MORE": 0}), triton.Config({"BLOCK": 128, "MORE": 1})], ["n"])
@triton.jit
def badly_tuned_kernel(x, out, n, BLOCK: tl.constexpr, MORE: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n + MORE)  # one too many in the second configuration
    tl.store(out + at, value, mask=at < n)


def tried_by_hand(kernel):
    return TunedByHand(kernel, kernel.arg_names, [triton.Config({"BLOCK": size}) for size in (256, 128)], ["n"], None, None)


class TunedByHand(triton.runtime.Autotuner):
    """It measures and chooses in its own way."""

    def run(self, *arguments, **named):
        self.nargs = dict(zip(self.arg_names, arguments))
        self.times = {one.kwargs["BLOCK"]: self._bench(*arguments, config=one, **named)[0] for one in self.configs}
        return self.fn.run(*arguments, **named, BLOCK=min(self.times, key=self.times.get))


def limited(x, n, LIMIT: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK <= LIMIT)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


limited_kernel = triton.autotune([triton.Config({"BLOCK": size}) for size in (256, 128, 64)], ["n"])(triton.jit(limited))
limited_by_hand = tried_by_hand(triton.jit(limited))


@triton.jit
def copy_kernel(x, out, stride, columns, more, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    value = tl.load(x + row * stride + at, mask=at < columns + more)  # `more` past the columns
    tl.store(out + row * columns + at, value, mask=at < columns)


@triton.jit
def fill_kernel(out, wide, narrow, number, flag):
    tl.store(out, wide)
    tl.store(out + 1, narrow)
    tl.store(out + 2, number.to(tl.float64))
    tl.store(out + 3, tl.where(flag, 1.0, 0.0))


@triton.jit
def telling_kernel(x):
    tl.device_print("first element", tl.load(x))


def normal(*shape, **options):
    return torch.randn(*shape, device="cuda", **options)


def right():
    x, y = normal(1000), normal(1000)
    out = torch.empty_like(x)
    add_kernel[(8,)](x, y, out, 1000, BLOCK=128)
    assert torch.equal(out, x + y)


def scaled(x):
    out = torch.empty_like(x)
    scale_kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), 2.0, BLOCK=128)
    return out


def wrong_mask():
    x = normal(1000)
    assert torch.equal(scaled(x), 2 * x)


def all_types():
    for dtype in (torch.float16, torch.bfloat16, torch.float64, torch.int32, torch.int64, torch.int16, torch.uint8):
        x = torch.arange(100, device="cuda").to(dtype)
        out = torch.empty_like(x)
        add_kernel[(1,)](x, x, out, 100, BLOCK=128)
        assert torch.equal(out, x + x), dtype
        x = torch.ones(3, 40, device="cuda", dtype=dtype)[1]
        out = torch.empty_like(x)
        add_kernel[(1,)](x, x, out, 40, BLOCK=64)
        assert torch.equal(out, x + x), dtype


def reads_unwritten():
    accumulate_kernel[(1,)](normal(100), torch.empty(100, device="cuda"), 100, BLOCK=128)


def reads_one_unwritten():
    total = torch.empty(100, device="cuda")
    total[:51], total[52:] = 1, 1
    accumulate_kernel[(1,)](normal(100), total, 100, BLOCK=128)


def grid_too_small(how, blocks):
    """The last 36 of 100 elements are left, where there is one block, and read in one way."""
    x, out = normal(100), torch.empty(100, device="cuda")
    add_kernel[(int(blocks),)](x, x, out, 100, BLOCK=64)
    reads = {
        "sum": lambda: out.sum(),
        "multiply": lambda: out * 2,
        "cpu": lambda: out.cpu(),
        "tolist": lambda: out.tolist(),
        "add_": lambda: out.add_(1),
        "clone": lambda: out.clone().sum(),
        "item": lambda: out[70].item(),
        "written": lambda: out[:64].sum().item(),
        "overwritten": lambda: out.fill_(1).sum(),
        "shape": lambda: (out.shape, out.numel(), torch.zeros_like(out), out.view(10, 10), out.clone()),
    }
    reads[how]()


def half_written():
    x = torch.empty(50, 2, device="cuda")
    x[:, 0] = 1
    return x


def reads_unwritten_copy(kind):
    """The second half of the 100 elements, or more."""
    copies = {
        "contiguous": lambda: half_written().t().contiguous(),
        "cat": lambda: torch.cat([torch.ones(50, device="cuda"), torch.empty(50, device="cuda")]),
        "copy": lambda: torch.ones(100, device="cuda").copy_(half_written().t().reshape(100)),
        "convert": lambda: half_written().t().half().float(),
        "select": lambda: half_written().t().index_select(1, torch.arange(50, device="cuda")),
        "resize": lambda: torch.ones(50, device="cuda").resize_(100),
    }
    accumulate_kernel[(1,)](normal(100), copies[kind](), 100, BLOCK=128)


def reads_written_copies():
    ones, made = torch.ones(100, device="cuda"), torch.empty(2, 50, device="cuda")
    add_kernel[(1,)](ones - 1, ones, made, 100, BLOCK=128)
    other = half_written()
    other[:, 1] = 1
    of_bytes = torch.empty(100, dtype=torch.int32, device="cuda")
    of_bytes[:50] = -1
    for total in (made.clone(), made.t().contiguous().t().contiguous(), torch.cat([made[0], made[1]]), other.t().reshape(100),
                  half_written()[:, 0].repeat(2), torch.stack([half_written()[:, 0]] * 2), half_written()[:, :1].expand(50, 2).clone(),
                  torch.ones(200, device="cuda").resize_(100), made.half().float(), torch.empty(100, device="cuda").copy_(ones)):
        accumulate_kernel[(1,)](ones, total, 100, BLOCK=128)
        assert bool((total == 2).all())
    accumulate_kernel[(1,)](ones.int(), of_bytes[:50].repeat(2), 100, BLOCK=128)


def reads_written():
    """By an operator, in part by an operator and in part by a kernel, with the bytes that stand for unwritten memory, by another
    kernel, and through its address."""
    ones = torch.ones(100, device="cuda")
    whole = torch.empty(100, device="cuda").fill_(1)
    halves = torch.empty(100, device="cuda")
    halves[:37] = 1
    add_kernel[(1,)](ones[:63] - 1, ones[:63], halves[37:], 63, BLOCK=64)
    strided = torch.empty(2, 100, device="cuda").t()
    strided[:, 0] = 1
    strided[:, 1].copy_(ones)
    for total in (whole, halves, strided[:, 0], strided[:, 1]):
        accumulate_kernel[(1,)](ones, total, 100, BLOCK=128)
        assert bool((total == 2).all())
    minus = torch.empty(100, device="cuda", dtype=torch.int32)
    minus.fill_(-1)
    accumulate_kernel[(1,)](minus, minus.clone(), 100, BLOCK=128)
    other = torch.empty(100, dtype=torch.int32, device="cuda")
    other[::2], other[1::2] = -1, 5
    accumulate_kernel[(1,)](minus, other, 100, BLOCK=128)
    assert other[:2].tolist() == [-2, 4]
    shared = torch.empty(100, device="cuda")
    ctypes.memset(shared.data_ptr(), 0, 400)
    accumulate_kernel[(1,)](ones, shared, 100, BLOCK=128)
    for fill in (torch.nn.init.normal_, torch.nn.init.uniform_, torch.Tensor.exponential_, copied_storage) * 5:
        total = torch.empty(100, device="cuda")  # some of the numbers have a byte 0xFF
        fill(total)
        accumulate_kernel[(1,)](ones, total, 100, BLOCK=128)
    layer = torch.nn.Linear(10, 10, device="cuda")
    accumulate_kernel[(1,)](ones, layer.weight.data, 100, BLOCK=128)


def copied_storage(tensor):
    tensor.untyped_storage().copy_(normal(len(tensor)).untyped_storage())


def pointers_in_memory():
    rows = [normal(50) for _ in range(3)]
    table = torch.tensor([row.data_ptr() for row in rows], device="cuda")
    out = torch.empty(3, 50, device="cuda")
    gather_kernel[(3,)](table, out, 50, BLOCK=64)
    assert torch.equal(out, torch.stack(rows))
    kept = normal(50)
    first_row_kernel[(1,)](kept.data_ptr(), out, 50, BLOCK=64)
    assert torch.equal(out[0], kept)


def large():
    """So large that its memory is no longer there when it is gone."""
    return torch.zeros(1 << 24, device="cuda")


def pointers_to_what_is_gone():
    table = torch.tensor([large().data_ptr()], device="cuda")
    gather_kernel[(1,)](table, torch.empty(1, 50, device="cuda"), 50, BLOCK=64)


def number_of_what_is_gone():
    first_row_kernel[(1,)](large().data_ptr(), torch.empty(50, device="cuda"), 50, BLOCK=64)


def pointers_to_what_is_there_again():
    for _ in range(3):
        large().data_ptr()
        x, out = large(), torch.empty(1, 50, device="cuda")
        gather_kernel[(1,)](torch.tensor([x.data_ptr()], device="cuda"), out, 50, BLOCK=64)
        assert bool((out == 0).all())


def tuned():
    x = torch.zeros(1000, device="cuda")
    for _ in range(3):
        tuned_kernel[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, 1000)
    assert bool((x == 3).all()), x


def tuned_to_fit():
    """The first configurations do not fit."""
    x = torch.zeros(100, device="cuda")
    for kernel in (limited_kernel, limited_by_hand):
        kernel[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, 100, LIMIT=128)
    assert bool((x == 2).all()) and limited_kernel.best_config.kwargs["BLOCK"] == 128
    assert limited_by_hand.times == {256: float("inf"), 128: 0.0}
    try:
        limited_kernel[(100,)](x, 100, LIMIT=1)
    except triton.compiler.errors.CompileTimeAssertionFailure:
        assert bool((x == 2).all())
    else:
        raise AssertionError("no configuration fits")


def copied(x, more=0):
    out = torch.empty(x.shape, device=x.device)
    copy_kernel[(x.shape[0],)](x, out, x.stride(0), x.shape[1], more, BLOCK=64)
    assert torch.equal(out, x)


def views():
    packed = normal(3, 8, 20)
    for x in (packed[0], packed[1], packed[2], packed.view(24, 20)[:, 4:9], packed[1, 2:6, 3:7]):
        copied(x)


def packed_neighbour():
    copied(normal(3, 8, 20)[0], 5)


def packed_columns():
    copied(normal(8, 60)[:, 20:40], 5)


def outside_of_the_storage():
    copied(normal(3, 8, 20)[2], 5)


def badly_tuned():
    x = normal(100)
    badly_tuned_kernel[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](x, torch.empty_like(x), 100)


def on_its_device():
    with torch.cuda.device(1):
        copied(normal(4, 20))
    copied(torch.zeros(4, 20, device="cuda:0"))


def on_another_device():
    x = torch.randn(4, 20, device="cuda:1")
    copy_kernel[(4,)](x, torch.empty_like(x), 20, 20, 0, BLOCK=64)


def compiled():
    """torch.compile leaves the function as it is: its launches are checked."""
    for mode in ("default", "max-autotune"):
        doubled = torch.compile(lambda x: Scaled.apply(x) + 0, mode=mode)
        x = normal(100, requires_grad=True)
        doubled(x).square().sum().backward()
        assert torch.equal(doubled(x), 2 * x) and torch.allclose(x.grad, 8 * x)
    module = torch.compile(torch.nn.Linear(20, 20, device="cuda"))
    assert module(normal(3, 20)).is_cuda


def compiled_wrong_mask():
    torch.compile(scaled)(normal(1000))


def autocast():
    layer, x = torch.nn.Linear(20, 30, device="cuda"), normal(4, 20)
    for dtype in (torch.bfloat16, torch.float16):
        with torch.autocast("cuda", dtype=dtype):
            assert torch.is_autocast_enabled("cuda") and torch.get_autocast_dtype("cuda") == dtype
            y = layer(x)
            assert y.dtype == dtype and (y @ y.t()).dtype == dtype and y.is_cuda
            assert y.float().softmax(-1).dtype == torch.float32
            with torch.autocast("cuda", enabled=False):
                assert layer(x).dtype == torch.float32
            copied(layer(x).float())
        assert layer(x).dtype == torch.float32 and not torch.is_autocast_enabled("cuda")
    assert torch.equal(y, torch.nn.functional.linear(x.to(dtype), layer.weight.to(dtype), layer.bias.to(dtype)))
    y.float().sum().backward()
    assert layer.weight.grad.dtype == torch.float32


def generators():
    generator = torch.Generator("cuda").manual_seed(5)
    copied(torch.rand(4, 20, device="cuda", generator=generator))
    assert generator.initial_seed() == 5 and str(generator.device).startswith("cuda")
    state = generator.get_state()
    first = torch.rand(10, device="cuda", generator=generator)
    assert not torch.equal(first, torch.rand(10, device="cuda", generator=generator))
    generator.set_state(state)
    assert torch.equal(first, torch.rand(10, device="cuda", generator=generator))
    torch.cuda.manual_seed_all(3)
    kept, one = torch.cuda.get_rng_state(), normal(10)
    with torch.random.fork_rng(devices=[0]):
        normal(10)
    two = normal(10)
    torch.cuda.set_rng_state(kept)
    assert torch.equal(one, normal(10)) and torch.equal(two, normal(10)) and not torch.equal(one, two)


def streams_and_events():
    side, main = torch.cuda.Stream(), torch.cuda.current_stream()
    started, ended = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    x = normal(8, 20)
    started.record()
    side.wait_stream(main)
    with torch.cuda.stream(side):
        assert torch.cuda.current_stream() == side != main
        copied(x)
        x.record_stream(side)
        ended.record()
    assert torch.cuda.current_stream() == main
    main.wait_event(ended)
    ended.synchronize()
    torch.cuda.synchronize()
    assert side.query() and ended.query() and 0 <= started.elapsed_time(ended) < 60000
    unrecorded = torch.cuda.Event(enable_timing=True)
    try:
        started.elapsed_time(unrecorded)
    except (RuntimeError, ValueError):
        return
    raise AssertionError("an event that was not recorded has a time")


def tensor_of_the_cpu():
    x = normal(100)
    try:
        add_kernel[(1,)](x, torch.ones(100), x, 100, BLOCK=128)
    except ValueError as error:
        assert "cannot be accessed from Triton (cpu tensor?)" in str(error), error
    else:
        raise AssertionError("a tensor of the CPU was taken")
    try:
        x + torch.ones(100)
    except RuntimeError as error:
        assert "Expected all tensors to be on the same device" in str(error), error
    else:
        raise AssertionError("tensors of two devices were added")


class Scaled(torch.autograd.Function):

    @staticmethod
    def forward(ctx, x):
        return Scaled.launch(x)

    @staticmethod
    def backward(ctx, gradient):
        assert gradient.is_cuda
        return Scaled.launch(gradient)

    @staticmethod
    def launch(x):
        out = torch.empty_like(x)
        add_kernel[(1,)](x, x, out, x.numel(), BLOCK=128)
        return out


def scalars():
    out = torch.empty(4, device="cuda", dtype=torch.float64)
    for wide, narrow, number, flag in ((0.5, 2.25, -7, True), (1e40, float("-inf"), 2**40 + 1, False), (-0.0, 3.0, 2**31, True)):
        fill_kernel[(1,)](out, wide, narrow, number, flag)
        wanted = torch.tensor([wide, narrow]).double().tolist() + [float(number), float(flag)]
        assert out.tolist() == wanted, (out, wanted)


def backward():
    x = normal(100, requires_grad=True)
    Scaled.apply(x).square().sum().backward()
    assert torch.allclose(x.grad, 8 * x)


def custom_operator():
    @torch.library.custom_op("ropewalk_test::doubled", mutates_args=(), device_types="cuda")
    def doubled(x: torch.Tensor) -> torch.Tensor:
        assert x.is_cuda
        return Scaled.launch(x)

    x = normal(100)
    assert torch.equal(torch.ops.ropewalk_test.doubled(x), 2 * x) and doubled(x).is_cuda


def prints():
    telling_kernel[(2,)](torch.full((1,), 17, device="cuda", dtype=torch.int32), num_warps=1)
    torch.cuda.synchronize()
    print("after synchronize", flush=True)


def speed():
    """Microseconds of a launch with one small block, and of Triton's own part of it."""
    x = normal(100)
    out = torch.empty_like(x)

    def each(launch, count=300):
        launch()
        best = float("inf")
        for _ in range(5):
            started = time.perf_counter()
            for _ in range(count):
                launch()
            best = min(best, (time.perf_counter() - started) / count)
        return 1e6 * best

    whole = each(lambda: add_kernel[(1,)](x, x, out, 100, BLOCK=128))
    own = each(lambda: add_kernel[(0,)](x, x, out, 100, BLOCK=128))
    print(f"{whole:.0f} us a launch, {own:.0f} us of them Triton's own")
    assert whole - own < 1000, "more than a millisecond"


def main():
    globals()[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
