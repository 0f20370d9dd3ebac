"""The functions of tensors that tell or change where they are."""

import torch
from torch.nn.parameter import is_lazy

from . import capturing, copies, devices, exchange, marks, refusals, unwritten, waiting
from .mode import ordinary, special

Tensor = torch.Tensor


def moved(tensor, device, *conversion, **options):
    """A tensor on the virtual device, or on the CPU where it is None: itself, where nothing is to be done."""
    mark = marks.mark_of(tensor)
    here = mark.device if mark else None
    if capturing.is_capturing():
        _expect_capturable(tensor, here, device, options.get("non_blocking", False))
    if (here is None) != (device is None) and not options.get("non_blocking"):
        waiting.note()
    if here is not None and device is None:
        unwritten.look_at(tensor, "cpu")
    result = tensor.to("cpu", *conversion, **options)
    if here != device and marks.storage_id(result) == marks.storage_id(tensor):
        with marks.plain(result):
            result = result.clone().as_subclass(type(tensor)) if is_lazy(tensor) else result.clone()
    if device is not None:
        marks.put(result, device)
    return result


def _expect_capturable(tensor, here, there, non_blocking):
    """Of a copy from one of these places to the other, in a capture."""
    if here is None and there is not None:
        capturing.expect_pinned(tensor, non_blocking)
    elif here is not None and there is None and not non_blocking:
        capturing.refuse_pageable()


@special(Tensor.copy_)
def _copy_into(function, arguments, options):
    if capturing.is_capturing() or waiting.debug_mode:
        given = dict(zip(("self", "other", "non_blocking"), arguments)) | options
        if not isinstance(given["other"], Tensor):  # a number is a tensor of the CPU
            given["other"] = torch.tensor(given["other"], device="cpu")
        marked = [marks.mark_of(given[name]) is not None for name in ("self", "other")]
        if marked[0] != marked[1]:
            capturing.expect_pinned(given["other"] if marked[0] else given["self"], given.get("non_blocking", False))
            if not given.get("non_blocking", False):
                waiting.note()
    return ordinary(function, arguments, options)


@special(torch.tensor)
def _tensor(function, arguments, options):
    """Of numbers it is on the device that is named, even where one of them is of a device."""
    data = arguments[0] if arguments else options.get("data")
    device = options.get("device")
    if exchange.is_array_of_others(data):
        return _as_tensor(torch.as_tensor, arguments, options).clone()
    if device is None and not isinstance(data, Tensor):
        return function(*arguments, **options)
    if device is not None and devices.virtual(device) is not None and not isinstance(data, Tensor):
        if capturing.is_capturing():
            capturing.refuse_pageable()
        waiting.note()
    return ordinary(function, arguments, options)


@special(Tensor.to)
def _to(function, arguments, options):
    tensor, *rest = arguments
    options = dict(options)
    other = options.pop("other", None)
    where = options.pop("device", None)
    if rest and isinstance(rest[0], (torch.device, str, int)):
        where = rest.pop(0)
    elif rest and isinstance(rest[0], Tensor):
        other = rest.pop(0)
    if other is not None:
        where = _device_of(other)
        rest.insert(0, other.dtype)
    if where is None:
        return ordinary(function, (tensor, *rest), options)
    device = devices.virtual(where)
    if device is None and torch.device(where).type != "cpu":
        return function(tensor, where, *rest, **options)
    return moved(tensor, device, *rest, **options)


@special(Tensor.cuda)
def _cuda(_, arguments, options):
    tensor, *rest = arguments
    device = rest[0] if rest else options.get("device")
    return moved(tensor, devices.active.all[devices.index_of(device)])


@special(Tensor.cpu)
def _cpu(_, arguments, options):
    return moved(arguments[0], None)


@special(Tensor.device.__get__)
def _device(function, arguments, options):
    mark = marks.mark_of(arguments[0])
    return mark.device if mark else function(*arguments)


@special(Tensor.is_cuda.__get__)
def _is_cuda(_, arguments, options):
    return marks.mark_of(arguments[0]) is not None


@special(Tensor.is_cpu.__get__)
def _is_cpu(function, arguments, options):
    return marks.mark_of(arguments[0]) is None and function(*arguments)


@special(Tensor.get_device, torch.get_device)
def _get_device(function, arguments, options):
    mark = marks.mark_of(arguments[0])
    return mark.device.index if mark else function(*arguments, **options)


@special(Tensor.type)
def _type(function, arguments, options):
    tensor, *rest = arguments
    if rest or options:
        kind = rest[0] if rest else options.get("dtype")
        if isinstance(kind, type(torch.FloatTensor)):
            kind = f"{kind.__module__}.{kind.__name__}"
        if isinstance(kind, str) and kind.startswith("torch.cuda."):
            kind = kind.replace("torch.cuda.", "torch.")
            return moved(function(tensor, kind), devices.virtual("cuda"))
        if isinstance(kind, str):
            return moved(function(tensor, kind), None)
        return ordinary(function, (tensor, kind), {})
    name = function(tensor)
    return name.replace("torch.", "torch.cuda.") if marks.mark_of(tensor) else name


@special(Tensor.numpy, Tensor.__array__)
def _numpy(function, arguments, options):
    mark = marks.mark_of(arguments[0])
    if mark is not None and not options.get("force"):
        raise TypeError(f"can't convert {mark.device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
                        "host memory first.")
    return function(*arguments, **options)


@special(torch.as_tensor, torch.asarray)
def _as_tensor(function, arguments, options):
    """On a device it is a copy of what lies on the CPU, whose memory it would share otherwise."""
    options = dict(options)
    where = options.pop("device", None)
    if arguments and exchange.is_array_of_others(arguments[0]):
        arguments = exchange.tensor_of(arguments[0]), *arguments[1:]
    result = ordinary(function, arguments, options)
    if where is None:
        return result
    return _to(Tensor.to, (result, where), {})


@special(Tensor.pin_memory)
def _pin_memory(function, arguments, options):
    if marks.mark_of(arguments[0]) is not None:
        kind = _type(Tensor.type, arguments, {})
        raise RuntimeError(f"cannot pin '{kind}' only dense CPU tensors can be pinned")
    result = arguments[0].clone()
    result.untyped_storage().ropewalk_pinned = marks.Pinned(result.untyped_storage())
    return result


@special(Tensor.is_pinned)
def _is_pinned(function, arguments, options):
    return arguments[0].untyped_storage().ropewalk_pinned is not None


@special(Tensor.__repr__)
def _repr(function, arguments, options):
    text, mark = function(*arguments, **options), marks.mark_of(arguments[0])
    if mark is not None:
        waiting.note()
        unwritten.look_at(arguments[0], "print")
    if mark is None or not text.endswith(")"):
        return text
    if text.startswith("Parameter containing:"):
        return text  # its tensor's own text has it
    for sign in (", size=", ", dtype=", ", grad_fn=", ", requires_grad="):
        if sign in text:
            at = text.rindex(sign) if sign == ", size=" else text.index(sign)
            return f"{text[:at]}, device='{mark.device}'{text[at:]}"
    return f"{text[:-1]}, device='{mark.device}')"


@special(Tensor.register_hook)
def _register_hook(function, arguments, options):
    """A hook gets the gradient, which is where the tensor is."""
    tensor, hook = arguments
    mark = marks.mark_of(tensor)

    def hook_of_marked(gradient):
        marks.put_all(gradient, mark.device)
        return hook(gradient)

    return function(tensor, hook_of_marked if mark else hook)


@special(torch.linalg.svd, torch.linalg.svdvals)
def _svd(function, arguments, options):
    """The CPU has one way to compute it."""
    if marks.mark_of(arguments[0] if arguments else options["A"]) is not None and options.get("driver") is not None:
        driver = options["driver"]
        if driver not in ("gesvd", "gesvdj", "gesvda"):
            raise RuntimeError(f"torch.linalg.svd: unknown svd driver {driver} in svd_cusolver computation. Check doc at "
                               "https://pytorch.org/docs/stable/generated/torch.linalg.svd.html")
        options = {**options, "driver": None}
    return ordinary(function, arguments, options)


@special(Tensor.tolist)
def _to_list(function, arguments, options):
    if marks.mark_of(arguments[0]) is not None:
        waiting.note()
        unwritten.look_at(arguments[0], "tolist")
    return function(*arguments, **options)


@special(torch.histc, Tensor.histc)
def _histogram(function, arguments, options):
    tensor = arguments[0] if arguments else options["input"]
    if marks.mark_of(tensor) is not None:
        if tensor.dtype == torch.float16:
            raise RuntimeError("HalfTensor is not supported")
        if tensor.dtype in (torch.bfloat16, torch.bool):
            raise NotImplementedError(f"\"histc\" not implemented for '{refusals.name_of(tensor.dtype)}'")
    return ordinary(function, arguments, options)


@special(torch._int_mm)
def _product_of_bytes(function, arguments, options):
    first, second = arguments[:2]
    if marks.mark_of(first) is not None and first.dim() == second.dim() == 2:
        if first.shape[0] <= 16:
            raise RuntimeError(f"self.size(0) needs to be greater than 16, but got {first.shape[0]}")
        for name, size in (("self", first.shape[1]), ("mat2", second.shape[1])):
            if not size or size % 8:
                raise RuntimeError(f"{name}.size(1) needs to be greater than 0 and a multiple of 8, but got {size}")
    return ordinary(function, arguments, options)


@special(torch._C._nn.pad_sequence)
def _pad_sequence(function, arguments, options):
    """The result is where the first of them is."""
    device = _device_of((arguments[0] if arguments else options["sequences"])[0])
    result = function(*arguments, **options)
    if device.type == "cuda":
        marks.put(result, device)
    return result


@special(torch._VF._pack_padded_sequence, torch._VF._pad_packed_sequence)
def _with_lengths(function, arguments, options):
    """Lengths and sizes of batches are always on the CPU."""
    if function == torch._VF._pack_padded_sequence and marks.mark_of(arguments[1]) is not None:
        raise RuntimeError("'lengths' argument should be a 1D CPU int64 tensor, but got "
                           f"{arguments[1].dim()}D {marks.mark_of(arguments[1]).device} Long tensor")
    values, lengths = ordinary(function, arguments, options)
    return values, moved(lengths, None)


@special(torch._VF.lstm, torch._VF.gru, torch._VF.rnn_tanh, torch._VF.rnn_relu)
def _recurrent(function, arguments, options):
    """The sizes of batches of a packed sequence, the second argument then, are on the CPU; all else is where the input is."""
    here = _device_of(arguments[0])
    first = 2 if isinstance(arguments[3], (tuple, list)) else 1
    for what, given in (("hidden", arguments[first]), ("parameter", arguments[first + 1])):
        for tensor in given if isinstance(given, (tuple, list)) else (given,):
            if here != _device_of(tensor):
                raise RuntimeError(f"Input and {what} tensors are not at the same device, found input tensor at {here} and "
                                   f"{what} tensor at {_device_of(tensor)}")
    return ordinary(function, arguments, options)


def _device_of(tensor):
    mark = marks.mark_of(tensor)
    return mark.device if mark else tensor.device


@special(Tensor.resize_, Tensor.resize_as_, Tensor.set_, Tensor.share_memory_)
def _in_other_memory(function, arguments, options):
    mark = marks.mark_of(arguments[0])
    before = mark.bytes if mark is not None and mark.written is None else None
    result = ordinary(function, arguments, options)
    marks.moved(arguments[0])
    if before is not None and function in (Tensor.resize_, Tensor.resize_as_):
        copies.grown(arguments[0], before)
    return result
