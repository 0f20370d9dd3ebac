"""torch.cuda.CUDAGraph. As on a GPU, what is captured is not done: a replay does it, with what its tensors hold by then.

While a graph is captured, a mode below autograd gets every operator. Views are taken at once. Of what computes, the results are
made without values, of the shapes that PyTorch finds by itself (its meta tensors), and a replay fills them. Launches of Triton's
kernels are kept beside, in order."""

import itertools
import warnings

import torch
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

from . import capturing, devices, marks, mode, streams, waiting
from .capturing import captured, expect_no_capture, is_capturing

_pools = itertools.count(1)


def keep_launch(launch):
    """Where a graph is captured, it keeps the launch, a function of nothing. True: it does."""
    graph = captured()
    if graph is None:
        return False
    device = devices.current()

    def launch_there():
        with streams.DeviceContext(device):
            launch()

    graph.steps.append(launch_there)
    return True


class _Recorder(TorchDispatchMode):
    """Keeps what is to be done with memory of a device. What is done with other memory is done."""

    def __init__(self, steps):
        super().__init__()
        self._steps = steps
        self._made = set()  # ids of storages of results; the steps keep them alive

    def __torch_dispatch__(self, operator, types, arguments=(), options=None):
        options = options or {}
        with torch._C.DisableTorchFunction():
            if not self._is_of_device(arguments, options):
                return operator(*arguments, **options)
            if waiting.waits(operator, arguments, options):
                expect_no_capture(f"{operator} waits for the values")
            if operator.namespace in ("aten", "prims"):
                return self._keep(operator, arguments, options)
        with self:  # one that is made of others
            return operator(*arguments, **options)

    def _keep(self, operator, arguments, options):
        kinds = [result.alias_info for result in operator._schema.returns]
        if any(kind is not None and not kind.is_write for kind in kinds):
            return operator(*arguments, **options)
        if kinds and all(kind is not None for kind in kinds):
            return self._keep_write(operator, arguments, options, kinds)
        return self._keep_result(operator, arguments, options)

    def _is_of_device(self, arguments, options):
        tensors = marks.tensors_in(arguments, options)
        if not tensors:
            return mode.device_under_way() is not None
        return any(marks.mark_of(one) is not None or marks.storage_id(one) in self._made for one in tensors)

    def _keep_write(self, operator, arguments, options, kinds):
        """An operator that writes some of its arguments, which are its results."""
        self._steps.append(_call_of(operator, arguments, options))
        given = dict(zip((argument.name for argument in operator._schema.arguments), arguments)) | options
        written = [given[argument.name] for kind in kinds for argument in operator._schema.arguments
                   if argument.alias_info is not None and argument.alias_info.before_set == kind.before_set]
        return written[0] if len(written) == 1 else tuple(written)

    def _keep_result(self, operator, arguments, options):
        result = _without_values(operator, arguments, options)
        kept = [_apart(one) for one in marks.tensors_in(result)]
        self._made.update(map(marks.storage_id, kept))
        call = _call_of(operator, arguments, options)

        def step():
            for old, new in zip(kept, marks.tensors_in(call()), strict=True):
                old.copy_(new)

        self._steps.append(step)
        return result


def _apart(tensor):
    """The same memory, of which autograd knows nothing."""
    return tensor.data


def _call_of(operator, arguments, options):
    """To be made later, with what these tensors hold by then."""
    arguments, options = _pytree.tree_map_only(torch.Tensor, _apart, (arguments, options))
    device = mode.device_of_operator()

    def call():
        with mode.On(device):
            return operator(*arguments, **options)

    return call


def _without_values(operator, arguments, options):
    """What the operator would return, on the CPU, with any values."""
    shadows, others = _pytree.tree_map_only(torch.Tensor, _shadow, (arguments, options))
    if any(argument.name == "device" for argument in operator._schema.arguments):
        others["device"] = "meta"
    if "generator" in others:
        others["generator"] = None
    try:
        return _pytree.tree_map_only(torch.Tensor, _substance, operator(*shadows, **others))
    except (NotImplementedError, RuntimeError):
        return operator(*arguments, **options)  # it has no shapes without values


def _shadow(tensor):
    return torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype, device="meta")


def _substance(shadow):
    return torch.empty_strided(shadow.size(), shadow.stride(), dtype=shadow.dtype, device="cpu")


class CUDAGraph:
    """torch.cuda.CUDAGraph."""

    def __init__(self, keep_graph=False):
        self.steps, self._pool, self._recorder, self._is_whole = [], None, None, False
        self.is_invalid, self._stream = False, None  # whether something that may not be captured was done; where it began

    def capture_begin(self, pool=None, capture_error_mode="global", **_):
        expect_no_capture("one graph is captured at a time")
        if self._is_whole:
            raise RuntimeError("This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance.")
        if streams.current_stream().stream_id == 0:
            raise RuntimeError("CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay them "
                               "on the default stream.)")
        self._pool, self.is_invalid, self._stream = pool or graph_pool_handle(), False, streams.current_stream()
        self._recorder = _Recorder(self.steps)
        self._recorder.__enter__()
        capturing.begin(self)

    def capture_end(self):
        if captured() is not self:
            raise RuntimeError("capture_end() without a capture that this thread began")
        capturing.end()
        self._recorder.__exit__(None, None, None)
        if streams.current_stream() != self._stream:
            self.reset()
            raise RuntimeError("Capture must end on the same stream it began on.")
        if self.is_invalid:
            self.reset()
            raise devices.cuda_error("operation failed due to a previous error during capture")
        self._is_whole = True
        if not self.steps:
            warnings.warn("The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong device or "
                          "stream.")

    def replay(self):
        if not self._is_whole:
            raise RuntimeError("Called CUDAGraph::replay without a preceding successful capture.")
        # Autograd and autocast have seen the operators when they were captured.
        with torch.inference_mode(), torch._C.DisableTorchFunction(), torch.autocast("cpu", enabled=False):
            for step in self.steps:
                step()

    def reset(self):
        self.steps, self._recorder, self._is_whole = [], None, False

    def pool(self):
        return self._pool

    def instantiate(self):
        pass

    def enable_debug_mode(self):
        pass

    def register_generator_state(self, generator):
        pass  # it goes on from replay to replay


class graph:
    """torch.cuda.graph(cuda_graph)."""

    def __init__(self, cuda_graph, pool=None, stream=None, capture_error_mode="global", **_):
        self.cuda_graph, self.pool = cuda_graph, pool
        self.stream_ctx = torch.cuda.stream(stream or torch.cuda.Stream())

    def __enter__(self):
        self.stream_ctx.__enter__()
        self.cuda_graph.capture_begin(self.pool)

    def __exit__(self, *error):
        try:
            self.cuda_graph.capture_end()
        finally:
            self.stream_ctx.__exit__(*error)


def graph_pool_handle():
    return 0, next(_pools)


def install(patches):
    for module in (torch.cuda, torch.cuda.graphs):
        for name, value in (("CUDAGraph", CUDAGraph), ("graph", graph), ("graph_pool_handle", graph_pool_handle),
                            ("is_current_stream_capturing", is_capturing)):
            patches.set_known(module, name, value)
    patches.set(torch._C, "_cuda_isCurrentStreamCapturing", is_capturing)
