"""FSDP2 on virtual devices, under torchrun with two ranks: it trains as one process on the CPU, and a model of meta tensors is
made on the device."""

import copy
import os
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import Shard, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


class Block(nn.Module):

    def __init__(self):
        super().__init__()
        self.up, self.norm, self.down = nn.Linear(8, 16), nn.LayerNorm(16), nn.Linear(16, 8)
        self.register_buffer("scale", torch.arange(8.0) / 8, persistent=False)

    def forward(self, x):
        return x + self.down(self.norm(self.up(x)).relu()) * self.scale


def sharded(model, **options):
    for block in model:
        fully_shard(block, **options)
    return fully_shard(model)


def whole(tensor):
    return tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor


def trains_as_one_process(rank, device):
    torch.manual_seed(0)
    alone = nn.Sequential(Block(), Block())
    model = sharded(copy.deepcopy(alone).to(device))
    optimizers = [torch.optim.AdamW(one.parameters(), 1e-2) for one in (alone, model)]
    for _ in range(2):
        x = torch.randn(8, 8)  # the seed is the same on both ranks
        for one, given, optimizer in ((alone, x, optimizers[0]), (model, x[rank * 4:rank * 4 + 4].to(device), optimizers[1])):
            loss = one(given).square().mean()
            assert loss.device == given.device
            loss.backward()
            nn.utils.clip_grad_norm_(one.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
    assert all(parameter.device == device for parameter in model.parameters())
    for (name, right), made in zip(alone.state_dict().items(), model.state_dict().values()):
        torch.testing.assert_close(whole(made).cpu(), right, rtol=1e-5, atol=1e-6, msg=name)


def is_made_of_meta_tensors(device):
    with torch.device("meta"):
        model = nn.Sequential(Block(), Block())
    sharded(model, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
    model.to_empty(device=device)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.02)
    for block in model:
        block.scale.copy_(torch.arange(8.0) / 8)
    y = model(torch.randn(4, 8, device=device))
    assert y.device == device
    y.float().sum().backward()
    gradient = model[0].up.weight.grad
    assert gradient.device == device and gradient.dtype == torch.float32


def is_parallel_by_columns_and_rows(device):
    mesh = dist.device_mesh.init_device_mesh("cuda", (2,))
    torch.manual_seed(0)
    alone = nn.Sequential(nn.Linear(8, 16), nn.Linear(16, 8)).to(device)
    parallel = parallelize_module(copy.deepcopy(alone), mesh, {"0": ColwiseParallel(), "1": RowwiseParallel()})
    x = torch.randn(4, 8, device=device)
    torch.testing.assert_close(parallel(x) + x, alone(x) + x)
    by_rows = distribute_tensor(x, mesh, [Shard(0)])
    assert by_rows.device == device and by_rows.is_cuda
    torch.testing.assert_close((by_rows @ by_rows.T).full_tensor(), x @ x.T)


def main():
    rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", rank)
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl")
    trains_as_one_process(rank, device)
    is_made_of_meta_tensors(device)
    is_parallel_by_columns_and_rows(device)
    dist.barrier()
    dist.destroy_process_group()
    time.sleep(1)  # as in ranks.py


main()
