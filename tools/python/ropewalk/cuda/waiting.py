"""torch.cuda.set_sync_debug_mode: operations for which the program waits warn, or raise."""

import functools
import warnings

import torch
from torch.utils._python_dispatch import TorchDispatchMode

debug_mode = 0  # 1: warn, 2: raise
_TAGS = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
_OTHERS = frozenset(["_linalg_check_errors", "_linalg_svd"])


def note():
    """The program waits for the device."""
    if debug_mode == 2:
        raise RuntimeError("called a synchronizing CUDA operation")
    if debug_mode == 1:
        warnings.warn("called a synchronizing CUDA operation", stacklevel=2)


def watched(function):
    """The function, whose operators are looked at."""

    @functools.wraps(function)
    def call(*arguments, **options):
        with _Watch():
            return function(*arguments, **options)

    return call


def waits(operator, arguments, options):
    """Whether the program waits for values of the device in this operator."""
    name = operator.overloadpacket.__name__
    if not _TAGS & set(operator.tags):
        return name in _OTHERS
    if name == "index":
        return any(one is not None and one.dtype in (torch.bool, torch.uint8) for one in arguments[1])
    if name == "repeat_interleave":
        return options.get("output_size") is None
    return name != "equal" or arguments[0] is not arguments[1]


class _Watch(TorchDispatchMode):

    def __torch_dispatch__(self, operator, types, arguments=(), options=None):
        options = options or {}
        if waits(operator, arguments, options):
            note()
        return operator(*arguments, **options)


def install(patches):
    set_mode = getattr(torch._C, "_cuda_set_sync_debug_mode", None)
    if set_mode is None:
        return

    def set_there(mode):
        global debug_mode
        set_mode(mode)
        debug_mode = mode

    patches.set(torch._C, "_cuda_set_sync_debug_mode", set_there)
