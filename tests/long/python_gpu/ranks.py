"""Ranks of torchrun, each on its device. Usage: ranks.py BACKEND FAULTY_RANK..."""
import os
import sys
import time

import torch
import torch.distributed as dist
import triton
import triton.language as tl


@triton.jit
def add_one(x, out, n, to, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < to) + 1, mask=at < n)  # reads too far where to > n


def launch(x, to):
    out = torch.empty_like(x)
    add_one[(1,)](x, out, x.numel(), to, BLOCK=128)
    return out


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
    launch(x, 101 if str(rank) in faulty else 100)
    dist.destroy_process_group()
    # A process of PyTorch 2.15 with gloo and DistributedDataParallel that ends at once may abort ("terminate called without an
    # active exception"), on the CPU alone as well.
    time.sleep(1)


main()
