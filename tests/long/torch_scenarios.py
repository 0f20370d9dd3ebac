"""Initialisations of torch_models.Model on several processes, each as a function of the rank's recording block.

A scenario has what must be said of it: the cause of the dump and that of the recorded plan (None: nothing is found).
"""
import torch
import torch.distributed as distributed
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

from torch_models import ComplexRope, FrequencyRope, Model, TableRope


def recycle_weights():
    """Leaves freed memory that held weights where to_empty will find it, as in a program that has loaded a model."""
    freed = [torch.randn(elements) * 0.01 for elements in (8, 2048, 4096) for _ in range(128)]
    del freed


def shard(model, mesh):
    for layer in model.layers:
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)


def reset_all(model):
    """What materialising loops do: reset what has a reset of its own."""
    for module in model.modules():
        for name in ("reset_parameters", "init_weights"):
            if hasattr(module, name):
                getattr(module, name)()


def run(rope, when, steps, mesh):
    """Builds on meta, and then does the steps by name."""
    with torch.device("meta"):
        model = Model(rope, when)
    rank = distributed.get_rank()
    for step in steps:
        if step == "shard":
            shard(model, mesh)
        elif step == "to_empty":
            recycle_weights()
            model.to_empty(device="cpu")
        elif step == "reset":
            reset_all(model)
        elif step == "reset on rank 0":
            if rank == 0:
                reset_all(model)
        elif step == "broadcast":
            for buffer in model.buffers():
                distributed.broadcast(buffer, 0)
        elif step == "half":
            model.rope.half()
        elif step == "load":
            model.load_state_dict(model.state_dict())
        elif step == "forward":
            model(torch.arange(16).reshape(2, 8))
        else:
            raise ValueError(step)
    return model


GARBAGE = "uninitialized-memory"
# The broken ones come first: no memory has held a right table then.
SCENARIOS = {
    "table-no-reset": (TableRope, "always", ["shard", "to_empty", "forward"], GARBAGE, "built-on-meta"),
    "table-conditional-reset": (TableRope, "if_meta", ["shard", "to_empty", "reset", "forward"], GARBAGE,
                                "reset-skipped-after-to-empty"),
    "table-early-reset": (TableRope, "always", ["reset", "shard", "to_empty", "load", "forward"], GARBAGE,
                          "reset-skipped-after-to-empty"),
    "frequencies-no-reset": (FrequencyRope, "always", ["shard", "to_empty", "forward"], GARBAGE, "built-on-meta"),
    "complex-no-reset": (ComplexRope, "always", ["shard", "to_empty", "forward"], GARBAGE, "built-on-meta"),
    "complex-scaling-lost": (ComplexRope, "plain", ["shard", "to_empty", "reset", "forward"], "scaling-missing",
                             "scaling-lost-in-reset"),
    "frequencies-half": (FrequencyRope, "always", ["shard", "to_empty", "reset", "half", "forward"],
                         "inv-freq-rounded", "cast-then-regrown"),
    "table-rank-0-alone": (TableRope, "always", ["shard", "to_empty", "reset on rank 0", "forward"], GARBAGE,
                           "reset-skipped-after-to-empty"),
    "table-rank-0-broadcast": (TableRope, "always", ["shard", "to_empty", "reset on rank 0", "broadcast", "forward"],
                               None, None),
    "table-reset": (TableRope, "always", ["shard", "to_empty", "reset", "load", "forward"], None, None),
    "frequencies-reset": (FrequencyRope, "always", ["shard", "to_empty", "reset", "forward"], None, None),
    "complex-reset": (ComplexRope, "always", ["shard", "to_empty", "reset", "forward"], None, None),
}


def mesh_of(size):
    return init_device_mesh("cpu", (size,))
