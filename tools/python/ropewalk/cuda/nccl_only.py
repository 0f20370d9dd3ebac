"""What NCCL does and gloo does not: averages, scaled sums, 8-bit floats, and calls that are coalesced."""

import contextlib
import weakref

import torch

_FACTORS = {}  # of scaled sums: by the id of the operation, a weak reference to it and its factor
_OPEN = []  # managers of coalesced calls that are entered
_BYTES = (torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e4m3fnuz, torch.float8_e5m2fnuz)


def install(patches, functions):
    """Until the patches are restored."""
    make = torch._C._distributed_c10d._make_nccl_premul_sum

    def make_scaled(factor):
        op = make(factor)
        _FACTORS[id(op)] = weakref.ref(op, lambda _, key=id(op): _FACTORS.pop(key, None)), factor
        return op

    @contextlib.contextmanager
    def coalesce(group=None, device=None, async_ops=False):
        """Each call is made where it stands."""
        manager = functions._CoalescingManager()
        _OPEN.append(manager)
        try:
            yield manager
        finally:
            _OPEN.remove(manager)
        if not async_ops:
            manager.wait()

    for module in (functions, torch.distributed, torch._C._distributed_c10d):
        patches.set_known(module, "_make_nccl_premul_sum", make_scaled)
        patches.set_known(module, "_coalescing_manager", coalesce)


def first_of(arguments, options):
    """By position or by name."""
    return arguments[0] if arguments else next(iter(options.values()), None)


def group_among(functions, arguments, options):
    return options.get("group") or next((one for one in arguments if isinstance(one, functions.ProcessGroup)), None)


def reduces(functions, function):
    """The function, where averages and scaled sums are sums that are divided or scaled."""

    def scaling_of(op):
        if isinstance(op, functions.ReduceOp.RedOpType) and op == functions.ReduceOp.AVG:
            return _divide
        if id(op) in _FACTORS:
            factor = _FACTORS[id(op)][1]
            return lambda output, _: output.mul_(factor[0] if isinstance(factor, list) else factor)
        return None

    def call(*arguments, **options):
        scale = next((found for found in map(scaling_of, (*arguments, options.get("op"))) if found), None)
        if scale is None:
            return function(*arguments, **options)
        plain = [functions.ReduceOp.SUM if scaling_of(one) else one for one in arguments]
        is_async, options = options.get("async_op"), {**options, "async_op": True}
        if "op" in options:
            options["op"] = functions.ReduceOp.SUM
        work = function(*plain, **options)
        if work is not None:
            work.wait()
            outputs = first_of(arguments, options)
            for output in outputs if isinstance(outputs, list) else [outputs]:
                scale(output, functions.get_world_size(group_among(functions, arguments, options)))
        return work if is_async else None

    return call


def _divide(output, ranks):
    output.div_(ranks, rounding_mode=None if output.is_floating_point() or output.is_complex() else "trunc")


def moves(function):
    """The function, where 8-bit floats are sent as bytes."""

    def as_bytes(value):
        if isinstance(value, torch.Tensor):
            return value.view(torch.uint8) if value.dtype in _BYTES else value
        return type(value)(map(as_bytes, value)) if type(value) in (list, tuple) else value

    def call(*arguments, **options):
        return function(*map(as_bytes, arguments), **{name: as_bytes(value) for name, value in options.items()})

    return call


def noted(work):
    """Of a call among coalesced ones: who opened them waits for it."""
    if _OPEN and hasattr(work, "wait"):
        _OPEN[-1].append(work)
    return work
