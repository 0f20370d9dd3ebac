"""What PyTorch answered on an H100: operators that only CUDA has, operations that wait, types that CUDA's kernels have not.
Usage: gpu_answers.py, with the package on the path"""

import io
import os
import sys
import tempfile
import warnings

import torch
import torch.distributed
import torch.nn.functional as F
from torch import nn

sys.dont_write_bytecode = True
import ropewalk.cuda  # noqa: E402
from on_cuda import ON, on, refused  # noqa: E402

ropewalk.cuda.activate("sm_90")
HALF, BF16 = torch.float16, torch.bfloat16


def close(first, second, tolerance=2e-2):
    assert first.is_cuda and first.dtype == second.dtype and torch.allclose(first, second, atol=tolerance), (first, second)


def attention_by_a_kernel_that_is_asked_for():
    from torch.nn.attention import SDPBackend, sdpa_kernel
    inputs = [torch.randn(1, 2, 16, 16, device=ON, dtype=HALF) for _ in range(3)]
    expected = F.scaled_dot_product_attention(*inputs)
    for kernel in (SDPBackend.EFFICIENT_ATTENTION, SDPBackend.CUDNN_ATTENTION, SDPBackend.MATH):
        with sdpa_kernel(kernel):
            close(F.scaled_dot_product_attention(*inputs), expected)
            assert torch.backends.cuda.math_sdp_enabled() == (kernel == SDPBackend.MATH)


def attention_by_the_name_of_a_kernel():
    aten = torch.ops.aten
    inputs = [torch.randn(1, 2, 16, 16, device=ON, dtype=HALF, requires_grad=True) for _ in range(3)]
    expected = F.scaled_dot_product_attention(*inputs)
    gradients = torch.autograd.grad(expected.float().square().sum(), inputs)
    for result in (aten._scaled_dot_product_flash_attention(*inputs)[0],  # the others need the log-sum-exp for gradients
                   aten._scaled_dot_product_efficient_attention(*inputs, None, True)[0],
                   aten._scaled_dot_product_cudnn_attention(*inputs, None, True)[0]):
        close(result, expected)
        for one, other in zip(torch.autograd.grad(result.float().square().sum(), inputs), gradients):
            close(one, other)
    causal = aten._scaled_dot_product_flash_attention(*inputs, is_causal=True)[0]
    close(causal, F.scaled_dot_product_attention(*inputs, is_causal=True))
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        return  # of a version that has it not
    inputs = [torch.randn(8, 2, 8, device=ON, dtype=HALF, requires_grad=True) for _ in range(3)]
    starts = torch.tensor([0, 3, 8], device=ON, dtype=torch.int32)
    result = varlen_attn(*inputs, starts, starts, 5, 5)
    parts = [F.scaled_dot_product_attention(*(one[first:last].transpose(0, 1) for one in inputs)).transpose(0, 1)
             for first, last in ((0, 3), (3, 8))]
    close(result, torch.cat(parts))
    for one, other in zip(torch.autograd.grad(result.float().square().sum(), inputs),
                          torch.autograd.grad(torch.cat(parts).float().square().sum(), inputs)):
        close(one, other)


def products_in_other_types():
    x = torch.randn(4, 8, device=ON, dtype=HALF)
    close(torch.mm(x, x.t(), out_dtype=torch.float32), x.float() @ x.float().t())
    weight = torch.randint(0, 256, (32, 64), device=ON, dtype=torch.uint8)
    scales = torch.randn(4, 32, 2, device=ON, dtype=BF16)
    numbers = torch.stack([weight >> 4, weight & 15], -1).view(32, 128).float() - 8
    scale, zero = (one.repeat_interleave(32, 0).t() for one in scales.unbind(-1))
    x = torch.randn(3, 128, device=ON, dtype=BF16)
    for tiles in (2, 4, 8):
        packed = torch._convert_weight_to_int4pack(weight, tiles)
        assert packed.shape == (4, 128 // (16 * tiles), 32, tiles // 2) and packed.dtype == torch.int32
        result = torch._weight_int4pack_mm(x, packed, 32, scales)
        expected = x.float() @ (numbers * scale + zero).to(BF16).float().t()
        assert torch.allclose(result.float(), expected, rtol=1e-2, atol=0.1)


def parts_of_sync_batch_norm():
    x = torch.randn(2, 3, 5, 6, device=ON)
    same, norm, gradient = x.clone().requires_grad_(), nn.BatchNorm2d(3).cuda(), torch.randn(2, 3, 5, 6, device=ON)
    expected = norm(same)
    expected.backward(gradient)
    weight, bias = norm.weight.detach(), norm.bias.detach()
    mean, inverse = torch.batch_norm_stats(x, 1e-5)
    close(torch.batch_norm_elemt(x, weight, bias, mean, inverse, 1e-5), expected, 1e-5)
    total, product, of_weight, of_bias = torch.batch_norm_backward_reduce(gradient, x, mean, inverse, weight, True, True, True)
    close(of_weight, norm.weight.grad, 1e-4)
    close(of_bias, norm.bias.grad, 1e-4)
    count = torch.tensor([60], device=ON, dtype=torch.int32)
    close(torch.batch_norm_backward_elemt(gradient, x, mean, inverse, weight, total, product, count), same.grad, 1e-5)
    refused("Could not run", lambda: torch.batch_norm_stats(torch.ones(2, 2, 2), 1e-5), NotImplementedError)


def what_kernels_have_not():
    small, tiny = torch.arange(4, device=ON).to(torch.uint16), torch.ones(4, device=ON).to(torch.float8_e4m3fn)
    for words, function in (
            ("\"ufunc_add_CUDA\" not implemented for 'UInt16'", lambda: small + small),
            ("\"mul_cuda\" not implemented for 'UInt64'", lambda: torch.arange(4, device=ON).to(torch.uint64) * 2),
            ("\"mul_cuda\" not implemented for 'Float8_e4m3fn'", lambda: tiny * tiny),
            ("\"avg_pool2d_out_cuda_frame\" not implemented for 'Long'", lambda: F.avg_pool1d(on(1, 2, 3, 4)[None, None], 2)),
            ("\"cholesky_cusolver\" not implemented for 'Half'", lambda: torch.linalg.cholesky(torch.eye(2, device=ON, dtype=HALF))),
            ("\"histc\" not implemented for 'BFloat16'", lambda: torch.histc(torch.ones(2, device=ON, dtype=BF16), 2))):
        refused(words, function, NotImplementedError)
    refused("getCudnnDataTypeFromScalarType() not supported for Long", lambda: F.conv1d(on(1, 2, 3)[None, None], on(1, 2)[None, None]))
    refused("HalfTensor is not supported", lambda: torch.histc(torch.ones(2, device=ON, dtype=HALF), 2))
    refused("powers of two", lambda: torch.fft.fft(torch.ones(3, device=ON, dtype=HALF)))
    refused("self.size(0) needs to be greater than 16, but got 16", lambda: torch._int_mm(*[torch.ones(16, 16, device=ON).char()] * 2))
    assert (small == small).all() and (small + 1.0).dtype == torch.float32 and torch.isin(small, small).all()
    moved = tiny.clone().scatter_(0, on(1), torch.zeros(1, device=ON).to(torch.float8_e4m3fn))
    assert moved.float().tolist() == [1, 0, 1, 1] and moved.is_cuda
    assert torch.linalg.svd(torch.eye(3, device=ON), driver="gesvd")[1].tolist() == [1, 1, 1]


def where_things_are():
    assert torch.tensor([on(1.0)[0], on(2.0)[0]]).is_cpu
    assert nn.utils.rnn.pad_sequence([torch.ones(3), on(1.0, 2.0)]).is_cpu
    refused("expected self and mask to be on the same device", lambda: on(1.0, 2.0).masked_fill(torch.tensor([True, False]), 3))
    refused("Expected all tensors to be on the same device", lambda: on(1.0, 2.0).masked_select(torch.tensor([True, False])))
    refused("Expected all tensors to be on the same device", lambda: on(1.0, 2.0).index_fill(0, torch.tensor([0]), 1.0))
    assert torch.zeros(2).index_fill(0, torch.tensor([0]), on(1.0)[0]).tolist() == [1, 0]
    x = on(1.0, 2.0)
    same = torch.from_dlpack(x)
    same += 1
    assert torch.equal(x, same) and same.is_cuda and x.__dlpack_device__() == (torch.utils.dlpack.DLDeviceType.kDLCUDA, 0)
    from torch.nn.utils._per_sample_grad import call_for_per_sample_grads
    layer = nn.Linear(3, 2).cuda()
    call_for_per_sample_grads(layer)(torch.randn(4, 3, device=ON)).sum().backward()
    assert layer.weight.grad_sample.shape == (4, 2, 3) and layer.weight.grad_sample.is_cuda


class Repeated(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x, n: int):
        for _ in range(n):
            x = torch.relu(self.layer(x))
        return x


def a_scripted_module_is_saved():
    module, x, file = torch.jit.script(Repeated().cuda()), torch.randn(2, 3, device=ON), io.BytesIO()
    torch.jit.save(module, file)
    file.seek(0)
    loaded = torch.jit.load(file)
    assert loaded.layer.weight.is_cuda and torch.equal(module(x, 3), loaded(x, 3))
    file.seek(0)
    assert torch.jit.load(file, map_location="cpu").layer.weight.is_cpu
    with tempfile.TemporaryDirectory() as folder:
        torch.jit.script(Repeated()).save(os.path.join(folder, "module.pt"))
        assert torch.jit.load(os.path.join(folder, "module.pt")).layer.weight.is_cpu


def operations_that_wait():
    x, mask, index, pinned = torch.ones(4, device=ON), on(True, False, True, False), on(1, 2), torch.ones(4).pin_memory()
    waiting = [
        lambda: x.sum().item(), lambda: x.nonzero(), lambda: x[mask], lambda: x.cpu(), lambda: x.tolist(), lambda: bool(x[0] > 0),
        lambda: pinned.to(ON), lambda: torch.tensor([1], device=ON), lambda: torch.cuda.current_stream().synchronize(),
        lambda: x.unique(), lambda: x.repeat_interleave(x.long()), lambda: x.copy_(torch.ones(4)), lambda: repr(x),
        lambda: x[[0, 1]], lambda: torch.linalg.solve(torch.eye(2, device=ON), torch.eye(2, device=ON))
    ]
    others = [lambda: x.to("cpu", non_blocking=True), lambda: pinned.to(ON, non_blocking=True), lambda: torch.cuda.synchronize(),
              lambda: x * torch.tensor(2.0), lambda: x[index], lambda: x.__setitem__(mask, 1.0), lambda: torch.randperm(4, device=ON),
              lambda: x.repeat_interleave(x.long(), output_size=4)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.cuda.set_sync_debug_mode("warn")
        x.sum().item()
    assert "called a synchronizing CUDA operation" in str(caught[-1].message) and torch.cuda.get_sync_debug_mode() == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.cuda.set_sync_debug_mode("error")
    try:
        for operation in waiting:
            refused("called a synchronizing CUDA operation", operation)
        for operation in others:
            operation()
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert x.sum().item() == 4


def groups_of_nccl():
    with tempfile.TemporaryDirectory() as folder:
        torch.distributed.init_process_group("nccl", init_method="file://" + os.path.join(folder, "store"), rank=0, world_size=1)
        torch.distributed.all_reduce(torch.ones(2, device=ON))
        torch.distributed.barrier()
        objects = [None]
        torch.distributed.all_gather_object(objects, 3)
        assert objects == [3]
        refused("No backend type associated with device type cpu", lambda: torch.distributed.all_reduce(torch.ones(2)))
        refused("Tensors must be contiguous", lambda: torch.distributed.all_reduce(torch.ones(4, 4, device=ON).t()[:2]), ValueError)
        torch.distributed.destroy_process_group()


def states_of_generators():
    """A seed and an offset of 8 bytes each, which advances as numbers are drawn."""
    default = torch.cuda.default_generators[0]
    for generator in (default, torch.Generator(ON)):
        generator.manual_seed(7)
        offsets = []
        for _ in range(3):
            state = generator.get_state()
            assert state.shape == (16,) and state.dtype == torch.uint8
            assert state.view(torch.int64)[0] == generator.initial_seed() == 7
            offsets.append(generator.get_offset())
            assert offsets[-1] == state.view(torch.int64)[1] and torch.equal(state, generator.get_state())
            torch.rand(10, device=ON, generator=generator)
        assert offsets[0] == 0 < offsets[1] < offsets[2] and all(one % 4 == 0 for one in offsets)
        state.view(torch.int64)[1] += 1000  # as libraries advance it
        drawn = []
        for _ in range(2):
            generator.set_state(state)
            drawn.append(torch.rand(10, device=ON, generator=generator))
            assert generator.initial_seed() == 7 and generator.get_offset() > offsets[-1] + 1000
        assert torch.equal(*drawn) and not torch.equal(drawn[0], torch.rand(10, device=ON, generator=generator))
    torch.cuda.set_rng_state(state)
    assert torch.equal(default.get_state(), state) and torch.equal(numbers_after(state), numbers_after(state))
    for wrong in (state[:12], torch.get_rng_state()):
        try:
            torch.cuda.set_rng_state(wrong)
        except RuntimeError as error:
            assert "wrong size" in str(error)
        else:
            raise AssertionError("a state of another size was taken")


def numbers_after(state):
    torch.cuda.set_rng_state(state)
    return torch.randn(5, device=ON)


if __name__ == "__main__":
    torch.manual_seed(1)
    attention_by_a_kernel_that_is_asked_for()
    attention_by_the_name_of_a_kernel()
    products_in_other_types()
    parts_of_sync_batch_norm()
    what_kernels_have_not()
    where_things_are()
    a_scripted_module_is_saved()
    operations_that_wait()
    groups_of_nccl()
    states_of_generators()
