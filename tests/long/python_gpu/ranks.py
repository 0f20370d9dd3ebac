"""Ranks of torchrun, each on its device. Usage: ranks.py BACKEND FAULTY_RANK..."""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
import triton
import triton.language as tl
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.experimental import context_parallel
from torch.distributed.tensor.experimental._attention import context_parallel_unshard
from torch.nn.attention import SDPBackend, sdpa_kernel


@triton.jit
def add_one(x, out, n, to, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < to) + 1, mask=at < n)  # reads too far where to > n


def launch(x, to):
    out = torch.empty_like(x)
    add_one[(1,)](x, out, x.numel(), to, BLOCK=128)
    return out


def what_nccl_has(rank):
    """And gloo has not."""
    assert dist.get_backend() == "nccl"
    x = torch.full((4,), rank + 1.0, device="cuda")
    dist.all_reduce(x, dist._make_nccl_premul_sum(0.5))
    assert bool((x == 1.5).all()), x
    parts = [torch.empty(4, device="cuda") for _ in range(2)]
    with dist._coalescing_manager(async_ops=True) as manager:
        for part in parts:
            dist.all_gather_into_tensor(part, x[:2])
    manager.wait()
    assert bool((torch.cat(parts) == 1.5).all()), parts
    short = torch.full((4,), rank + 1.0, device="cuda").to(torch.float8_e4m3fn)
    dist.broadcast(short, 1)
    assert bool((short.float() == 2).all()), short


def hooks_of_buckets(rank, device):
    def doubled(state, bucket):
        assert bucket.buffer().device == device, bucket.buffer().device
        work = dist.all_reduce(bucket.buffer(), async_op=True)
        return work.get_future().then(lambda result: result.value()[0] * 2)

    for hook, factor in ((default_hooks.fp16_compress_hook, 1), (doubled, 4)):
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4).to(device), device_ids=[rank])
        model.register_comm_hook(None, hook)
        model(torch.full((2, 4), rank + 1.0, device=device)).sum().backward()
        gradient = model.module.weight.grad
        assert gradient.device == device and bool((gradient == 3 * factor).all()), gradient


def mixed_precision(rank, device):
    """Its copies are made on a torch.Stream. The gradients of the first step are bytes that nobody wrote, in PyTorch 2.15 with
    gloo on the CPU alone as well."""
    half = torch.nn.parallel.distributed._MixedPrecision(param_dtype=torch.float16, reduce_dtype=torch.float32)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4).to(device), device_ids=[rank], mixed_precision=half)
    for _ in range(2):
        model.zero_grad()
        result = model(torch.full((2, 4), rank + 1.0, device=device))
        assert result.dtype == torch.float16, result.dtype
        result.sum().backward()
    assert bool((model.module.weight.grad == 3).all()), model.module.weight.grad


def attention_in_a_ring():
    """context_parallel takes the place of an operator of CUDA, and its gradients need the sums over the keys of all ranks."""
    torch.manual_seed(1)
    whole = [torch.randn(1, 2, 32, 16, device="cuda", requires_grad=True) for _ in range(3)]
    parts = [one.detach().clone() for one in whole]
    result = F.scaled_dot_product_attention(*whole, is_causal=True)
    result.square().sum().backward()
    mesh = init_device_mesh("cuda", (2,))
    with sdpa_kernel(SDPBackend.EFFICIENT_ATTENTION), context_parallel(mesh, buffers=parts, buffer_seq_dims=(2, 2, 2),
                                                                       no_restore_buffers=set(parts)):
        for part in parts:
            part.requires_grad_()
        of_ring = F.scaled_dot_product_attention(*parts, is_causal=True)
        of_ring.square().sum().backward()
        found = context_parallel_unshard(mesh, [of_ring, *(part.grad for part in parts)], [2] * 4)
    for one, other in zip(found, [result, *(part.grad for part in whole)]):
        assert torch.allclose(one, other, atol=1e-4), (one - other).abs().max()


def main():
    backend, *faulty = sys.argv[1:]
    rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", rank)
    assert torch.cuda.device_count() == 2
    torch.cuda.set_device(rank)
    if backend == "none":
        dist.init_process_group()
    else:
        dist.init_process_group(backend, device_id=device if backend == "nccl" else None)
    x = torch.full((100,), float(rank), device="cuda")
    dist.all_reduce(x)
    assert x.device == device and bool((x == 1).all())
    dist.all_reduce(x, op=dist.ReduceOp.AVG)
    gathered = torch.empty(200, device="cuda")  # counts as written by the collective
    dist.all_gather_into_tensor(gathered, x)
    assert bool((launch(gathered[:100], 100) == 2).all())
    ids = torch.empty(100, dtype=torch.int64, device="cuda")  # -1 looks like memory that nobody wrote
    dist.broadcast(ids.fill_(-1) if rank == 0 else ids, 0)
    assert bool((launch(ids, 100) == 0).all())
    dist.barrier(device_ids=[rank])
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 4).cuda(), device_ids=[rank])
    model(torch.ones(3, 4, device="cuda")).sum().backward()
    assert model.module.weight.grad.device == device
    if backend == "nccl":
        what_nccl_has(rank)
        hooks_of_buckets(rank, device)
        mixed_precision(rank, device)
        attention_in_a_ring()
    launch(x, 101 if str(rank) in faulty else 100)
    dist.destroy_process_group()
    # A process of PyTorch 2.15 with gloo and DistributedDataParallel that ends at once may abort ("terminate called without an
    # active exception"), on the CPU alone as well.
    time.sleep(1)


main()
