"""The mode that every PyTorch function passes through: it computes on the CPU, and says of the result where it is."""

import threading

import torch
from torch.nn.parameter import is_lazy
from torch.overrides import TorchFunctionMode
from torch.utils._device import DeviceContext

from . import autocast, copies, devices, marks, products, refusals, rules, short_types, unwritten, usage, waiting, written

# .now: the device, the storages that are on none, and the function, of the function that is under way; .backward: see
# device_of_backward
_call = threading.local()
_NOWHERE = None, (), None
SPECIAL = {}  # function: what stands for it, called with (function, arguments, options); see tensors.py


def special(*functions):
    """Of what is decorated: it stands for these functions."""

    def register(stand_in):
        for function in functions:
            SPECIAL[function] = stand_in
        return stand_in

    return register


class OnDevice(TorchFunctionMode):

    def __torch_function__(self, function, types, arguments=(), options=None):
        now = getattr(_call, "now", None)
        if now is not None and now[2] is function:  # this mode is there twice
            return function(*arguments, **options or {})
        with OwnWork():
            return SPECIAL.get(function, ordinary)(function, arguments, options or {})


class OwnWork:
    """The context of what Ropewalk computes for itself, and of Python code that PyTorch calls: no function on a device is under
    way."""

    __slots__ = ("_outer",)

    def __enter__(self):
        self._outer, _call.now = getattr(_call, "now", None), _NOWHERE

    def __exit__(self, *error):
        _call.now = self._outer


class On(OwnWork):
    """The context in which PyTorch computes a function on this device, or on none. plain: ids of storages that are on none."""

    __slots__ = ("_now",)

    def __init__(self, device, plain=(), function=None):
        self._now = device, plain, function

    def __enter__(self):
        super().__enter__()
        _call.now = self._now


def ordinary(function, arguments, options):
    """Calls the function. Its result is on the device that the call names, or on that of its tensors."""
    numbers = rules.NUMBERS.get(getattr(function, "__name__", ""))
    if numbers is not None:
        arguments, options = _with_numbers_read(numbers, arguments, options)
    seen = _Seen()
    seen.look(arguments)
    if options:
        seen.look(options.values())
    device = seen.device
    if "device" in options and options["device"] is not None:
        device = devices.virtual(options["device"])
        if device is not None:
            options = {**options, "device": "cpu"}
    _expect_possible(function, arguments, options, seen, device)
    if getattr(options.get("generator"), "is_default", False):
        options = {**options, "generator": None}
    pinned = options.get("pin_memory") is True
    if pinned:
        options = {**options, "pin_memory": False}
    with On(device, seen.plain, function), autocast.of_function(device):
        if device is None:
            result = function(*arguments, **options)
        else:
            called = waiting.watched(function) if waiting.debug_mode else function
            result = short_types.result_of(called, arguments, options)
    if seen.fresh and device is not None:
        unwritten.look(function, arguments, options, result)
    if seen.fresh or "out" in options:
        for tensor in rules.written_by(function, arguments, options):
            note_written(tensor)
    if device is not None:
        if function in rules.EMPTY:
            marks.put_fresh(result, device)
        else:
            marks.put_all(result, device, seen.plain)
        if seen.fresh:
            copies.follow(function, arguments, options, result)
    if pinned:
        result.untyped_storage().ropewalk_pinned = marks.Pinned(result.untyped_storage())
    return result


def _with_numbers_read(places, arguments, options):
    """The arguments and options. A tensor of a device that stands for a number does not say where the function computes."""

    def read(value):
        is_number = isinstance(value, torch.Tensor) and value.dim() == 0 and not value.requires_grad and marks.mark_of(value)
        return ordinary(torch.Tensor.item, (value,), {}) if is_number else value

    positions = set(places.values())
    return (tuple(read(value) if at in positions else value for at, value in enumerate(arguments)),
            {name: read(value) if name in places else value for name, value in options.items()})


def on_device_of(tensor, function, arguments):
    """The context in which this function works on the tensor."""
    seen, mark = _Seen(), marks.mark_of(tensor)
    seen.look(arguments)
    return On(mark and mark.device, seen.plain, function)


def device_under_way():
    """That of the function that PyTorch is in, or None."""
    now = getattr(_call, "now", None)
    return now and now[0]


def device_of_operator():
    """That of the operator that the dispatcher calls, in a function or in a backward pass, or None."""
    now = getattr(_call, "now", None)
    return now[0] if now is not None else device_of_backward()


def device_of_backward():
    """Of the loss whose backward pass this thread is in, or None."""
    return getattr(_call, "backward", None)


def set_device_of_backward(device):
    """Returns the one before."""
    before, _call.backward = device_of_backward(), device
    return before


def put_inside(*tensors):
    """Those that the function under way hands out before it returns are where its result will be."""
    device, plain, _ = getattr(_call, "now", None) or (device_of_backward(), (), None)
    if device is not None:
        with torch._C.DisableTorchFunction():
            marks.put_all(tensors, device, plain)


class _Seen:
    """What the tensors among the arguments are."""

    __slots__ = ("device", "second", "plain", "apart", "fresh")

    def __init__(self):
        self.device = self.second = None  # virtual devices of the first tensor and of one that differs
        self.plain = []  # ids of storages that are on none
        self.apart = False  # one of those has dimensions
        self.fresh = False

    def look(self, values):
        for value in values:
            if isinstance(value, torch.Tensor):
                mark = marks.mark_of(value)
                if mark is None:
                    self.plain.append(marks.storage_id(value))
                    self.apart = self.apart or _has_dimensions_of_cpu(value)
                    continue
                self.fresh = self.fresh or mark.written is not None
                if self.device is None:
                    self.device = mark.device
                elif self.device != mark.device:
                    self.second = mark.device
            elif isinstance(value, (tuple, list)):
                if value and not isinstance(value[0], (int, float, complex, str)):
                    self.look(value)


def _has_dimensions_of_cpu(tensor):
    if is_lazy(tensor):
        return False
    with marks.without_subclass(tensor):
        return tensor.dim() > 0 and tensor.is_cpu


def _expect_possible(function, arguments, options, seen, device):
    """Raises where a GPU's operator would, and the CPU's would not."""
    if options.get("generator") is not None and device_under_way() is None:  # else a mode above has looked
        waits_for_default = device is None and options.get("device") is None and _has_default_device()
        if not waits_for_default:
            _expect_generator(options["generator"], device)
    if device is None:
        return
    name = getattr(function, "__name__", "")
    if name in rules.ONE_DEVICE and seen.device is not None and (seen.apart or seen.second is not None):
        raise on_two_devices(seen.device, seen.second or "cpu", function)
    if name in refusals.NAMED and arguments and isinstance(arguments[0], torch.Tensor):
        refusals.expect_kernel(name, arguments)
    if name in rules.PRODUCTS:
        products.expect_no_whole_numbers(function, arguments, options)
    if function in rules.SIZED:
        _expect_room(function, arguments, options, device)


def _expect_room(function, arguments, options, device):
    """Raises as on a GPU where the device has not so much memory. The CPU would say so of its own, or not at all."""
    elements, dtype = rules.size_made(function, arguments, options) or (0, torch.uint8)
    wanted = elements * dtype.itemsize
    if wanted < devices.GIB // 16:
        return
    total = devices.active.memory
    used = usage.of(device.index)
    free = total - used.tallies["all"].bytes
    if wanted > free:
        used.note_out_of_memory()
        raise torch.OutOfMemoryError(f"CUDA out of memory. Tried to allocate {wanted / devices.GIB:.2f} GiB. GPU {device.index} has "
                                     f"a total capacity of {total / devices.GIB:.2f} GiB of which {free / devices.GIB:.2f} GiB is free.")


def on_two_devices(first, second, function):
    """The error, as PyTorch words it."""
    where = "" if function.__name__ in rules.ELEMENTWISE else f" (in {function.__name__})"
    return RuntimeError("Expected all tensors to be on the same device, but found at least two devices, "
                        f"{first} and {second}!{where}")


def _expect_generator(generator, device):
    wanted = device.type if device is not None else "cpu"
    if generator.device.type != wanted:
        raise RuntimeError(f"Expected a '{wanted}' device type for generator but found '{generator.device.type}'")


def _has_default_device():
    """By torch.set_default_device or `with torch.device(...)`, modes below ours, which look again."""
    return any(isinstance(one, DeviceContext) for one in torch.overrides._get_current_function_mode_stack())


def note_written(tensor):
    """All its elements are. To be called where no mode is active."""
    marks.moved(tensor)
    mark = marks.mark_of(tensor)
    if mark is not None and mark.written is not None:
        mark.set_written(written.note(mark, tensor))
