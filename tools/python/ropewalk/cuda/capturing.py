"""What may not be done while a CUDA graph is captured (graphs.py)."""

import threading

import torch

from . import devices


class _Capture(threading.local):
    now = None  # the graph that this thread captures


_capture = _Capture()


def captured():
    return _capture.now


def begin(graph):
    _capture.now = graph


def end():
    _capture.now = None


def is_capturing():
    return _capture.now is not None


def expect_no_capture(why):
    """Raises as on a GPU where a graph is captured, whose capture is over then."""
    refuse(f"operation not permitted when stream is capturing ({why})", is_capturing())


def refuse(words, refused):
    graph = captured()
    if refused:
        if graph is not None:
            graph.is_invalid = True
        raise devices.cuda_error(words)


def expect_pinned(tensor, non_blocking):
    """The same for a copy between a device and this tensor of the CPU."""
    if not is_capturing():
        return
    if tensor.untyped_storage().ropewalk_pinned is None:
        refuse_pageable()
    if not non_blocking:
        expect_no_capture("a copy that the program waits for")


def refuse_pageable():
    raise RuntimeError("Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is pinned. Please use "
                       "tensor.pin_memory() or allocate the tensor with pin_memory=True.")


def expect_same_seed(seed):
    if is_capturing() and seed != torch.default_generator.initial_seed():
        raise RuntimeError("CUDAGeneratorImpl::set_current_seed can be called during stream capture only if new seed is the same as "
                           "the original seed.")
