"""torch.distributed on the virtual devices: gloo does what NCCL would, on the memory of the CPU that tensors of `cuda` have."""

import functools
import os
import re
import sys
from multiprocessing.reduction import ForkingPickler

import torch
import torch.multiprocessing.reductions as reductions

from . import devices, marks, nccl_only
from .mode import note_written

# They write their first argument, a tensor or a list of them; gather writes its second.
_WRITE = """
all_reduce broadcast reduce all_gather all_gather_into_tensor all_gather_coalesced all_reduce_coalesced reduce_scatter
reduce_scatter_tensor all_to_all all_to_all_single scatter recv irecv
""".split()
_READ = "send isend".split()  # their first argument
_SUMS = frozenset(["all_reduce", "all_reduce_coalesced", "reduce_scatter", "reduce_scatter_tensor"])
_told = False
_of_devices = set()  # names of groups whose only backend is NCCL


def install(patches):
    """Until the patches are restored."""
    _follow_queues(patches)
    if not torch.distributed.is_available():
        return
    from torch.distributed import distributed_c10d as functions
    _take_gloo(patches, functions)

    def put(name, made_of):
        function = functools.wraps(getattr(functions, name))(made_of(getattr(functions, name)))
        for module in (functions, torch.distributed):  # which has the same names
            patches.set_known(module, name, function)

    for name in _WRITE:
        if hasattr(functions, name):
            if name in _SUMS:
                put(name, functools.partial(nccl_only.reduces, functions))
            elif name != "reduce":  # its result is on one rank alone
                put(name, nccl_only.moves)
            put(name, functools.partial(_writing, functions))
    for name in _READ:
        put(name, nccl_only.moves)
        put(name, functools.partial(_reading, functions))
    nccl_only.install(patches, functions)
    backend_of = functions.get_backend
    patches.set(torch.distributed, "get_backend",
                lambda group=None: "nccl" if _is_of_devices(functions, group) else backend_of(group))
    of_objects = functions._get_object_coll_device
    patches.set(functions, "_get_object_coll_device",
                lambda group=None: "cuda" if _is_of_devices(functions, group) else of_objects(group))
    put("gather", lambda gather: lambda tensor, gather_list=None, *rest, **options: _noted(
        gather_list, gather(tensor, gather_list, *rest, **options)))
    put("barrier", _barrier)
    for name in ("init_process_group", "new_group"):
        put(name, _without_device)
    begin, add = functions.init_process_group, functions.new_group

    def begin_and_tell(*arguments, **options):
        _of_devices.clear()
        begin(*arguments, **options)
        if _names_nccl_alone(arguments[0] if arguments else options.get("backend")):
            _of_devices.add(functions._get_default_group().group_name)
        if functions.get_world_size() > 1:
            os.environ["ROPEWALK_RANK"] = str(functions.get_rank())  # lib/driver/rank.h

    def add_and_note(ranks=None, timeout=None, backend=None, *rest, **options):
        group = add(ranks, timeout, backend, *rest, **options)
        if _names_nccl_alone(backend) or (backend is None and _is_of_devices(functions, None)):
            _of_devices.add(getattr(group, "group_name", None))
        return group

    put("init_process_group", lambda _: begin_and_tell)
    put("new_group", lambda _: add_and_note)
    _place_buckets(patches, torch.nn.parallel.DistributedDataParallel)


def _place_buckets(patches, model):
    """The reducer made the bucket that a hook of the program gets: it is where the parameters are."""
    register = model.register_comm_hook

    def register_there(self, state, hook):

        @functools.wraps(hook)
        def call(state, bucket):
            with torch._C.DisableTorchFunction():
                device = marks.device_among(bucket.parameters())
                if device is not None:
                    marks.put(bucket.buffer(), device)
            return hook(state, bucket)

        return register(self, state, call)

    patches.set(model, "register_comm_hook", functools.wraps(register)(register_there))


def _names_nccl_alone(backend):
    return isinstance(backend, str) and backend.lower() in ("nccl", "cuda:nccl")


def _is_of_devices(functions, group):
    """Whether the group takes no tensors of the CPU."""
    if not _of_devices:
        return False
    return getattr(group or functions._get_default_group(), "group_name", None) in _of_devices


def _expect_on_device(functions, tensors, arguments, options):
    if not _is_of_devices(functions, nccl_only.group_among(functions, arguments, options)):
        return
    for one in (*arguments, options.get("op")):
        if isinstance(one, functions.ReduceOp.RedOpType) and one.name in ("BAND", "BOR", "BXOR"):
            raise ValueError(f"Cannot use ReduceOp.{one.name} with NCCL")
    with torch._C.DisableTorchFunction():
        for tensor in marks.tensors_in(tensors):
            if marks.mark_of(tensor) is None:
                raise RuntimeError("No backend type associated with device type cpu")
            if not tensor.is_contiguous():
                raise ValueError("Tensors must be contiguous")


def _reading(functions, function):

    def call(*arguments, **options):
        _expect_on_device(functions, nccl_only.first_of(arguments, options), arguments, options)
        return nccl_only.noted(function(*arguments, **options))

    return call


def _take_gloo(patches, functions):
    """Where NCCL is named, and where nothing is."""
    backend, configure = functions.Backend, functions.BackendConfig.__init__
    make = backend.__new__

    def of_name(cls, name):
        value = make(cls, name)
        if "nccl" not in value:
            return value
        _tell()
        return re.sub(r"nccl[\w-]*", "gloo", value)

    def with_cpu(self, named):
        configure(self, named)
        if self.device_backend_map.get("cuda") == "gloo":
            self.device_backend_map.setdefault("cpu", "gloo")

    patches.set(backend, "__new__", staticmethod(of_name))
    patches.set(functions.BackendConfig, "__init__", with_cpu)


def _tell():
    global _told
    if not _told and os.environ.get("RANK", "0") == "0":
        print("ropewalk: NCCL is not there on the virtual GPU: gloo does its collectives, on the CPU", file=sys.stderr)
    _told = True


def _without_device(function):
    """NCCL's options and the device that it would be bound to mean nothing to gloo."""

    def begin(*arguments, device_id=None, pg_options=None, **options):
        if pg_options is not None and "NCCL" not in type(pg_options).__qualname__:
            options["pg_options"] = pg_options
        return function(*arguments, **options)

    return begin


def _barrier(barrier):
    """Gloo waits on the CPU."""

    def wait(*arguments, device_ids=None, **options):
        groups = set(_of_devices)
        _of_devices.clear()
        try:
            return barrier(*arguments, **options)
        finally:
            _of_devices.update(groups)

    return wait


def _noted(outputs, result):
    """Every element of them is written, or will be when somebody may read it."""
    with torch._C.DisableTorchFunction():
        for tensor in marks.tensors_in(outputs):
            note_written(tensor)
    return result


def _writing(functions, function):

    def call(*arguments, **options):
        outputs = nccl_only.first_of(arguments, options)
        _expect_on_device(functions, outputs, arguments, options)
        return nccl_only.noted(_noted(outputs, function(*arguments, **options)))

    return call


def _follow_queues(patches):
    """Tensors that go to another process by torch.multiprocessing are there on the device that they were on."""
    plain = reductions.reduce_storage

    def reduce(storage):
        mark = storage.ropewalk_mark
        reduced = plain(storage)
        if mark is None:
            return reduced
        mark.place(storage)  # it lies in shared memory now
        return _restored, (str(mark.device), *reduced)

    patches.set(reductions, "reduce_storage", reduce)
    ForkingPickler.register(torch.UntypedStorage, lambda storage: reductions.reduce_storage(storage))


def _restored(device, function, arguments):
    storage = function(*arguments)
    if storage.ropewalk_mark is None:
        storage.ropewalk_mark = marks.Mark(devices.virtual(device), storage)
    return storage
