"""Processes of torch.multiprocessing: a tensor goes through a queue, each process launches on its device."""
import os

import torch
import torch.distributed as dist
import torch.multiprocessing

from kernels import scaled


def work(rank, queue, store):
    torch.cuda.set_device(rank)
    dist.init_process_group("gloo", store=dist.FileStore(store, 2), rank=rank, world_size=2)
    x = torch.ones(100, device="cuda")
    if rank == 0:
        queue.put(x)
    else:
        got = queue.get()
        assert got.device == torch.device("cuda", 0) and bool((got == x.cpu().cuda(0)).all())
        del got
    dist.barrier()
    scaled(torch.ones(100, device="cuda"))  # reads one too many


if __name__ == "__main__":
    queue = torch.multiprocessing.get_context("spawn").Queue()
    torch.multiprocessing.spawn(work, (queue, os.path.abspath("store")), nprocs=2)
