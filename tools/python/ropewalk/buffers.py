"""Which tensors of a model are rope caches, and what their values say."""
import math
import re

import torch

FREQUENCY_WORDS = {"freq", "freqs", "frequency", "frequencies"}
COS_WORDS, SIN_WORDS = {"cos", "cosine", "cosines"}, {"sin", "sine", "sines"}
SHORT_NAMES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.complex64: "f32",
               torch.float64: "f32"}


def words_of(name):
    """"rope._cos_cached" has "rope", "cos", "cached"; "RotaryEmbedding" is one word."""
    return re.findall("[a-z]+", name.lower())


def form_of(module, name):
    """"table", "frequencies", or None where the name of a module's buffer says that it is no rope cache."""
    words = set(words_of(name))
    if ("inv" in words and words & FREQUENCY_WORDS) or "invfreq" in words:
        return "frequencies"
    if words & COS_WORDS or words & SIN_WORDS or "cis" in words or "freqscis" in words:
        return "table"
    kind = type(module).__name__.lower()
    if "rotary" in kind or "rope" in kind:
        return {"cache": "table", "theta": "frequencies", "freqs": "frequencies"}.get(name)
    return "table" if words >= {"rope", "cache"} else None


def rotary_buffers(model):
    """(qualified name, module, attribute, tensor) of every rope cache: buffers, and tensors that are plain attributes."""
    for prefix, module in model.named_modules():
        plain = {name: value for name, value in vars(module).items() if isinstance(value, torch.Tensor)}
        for name, tensor in [*module._buffers.items(), *plain.items()]:
            if tensor is None or form_of(module, name) is None:
                continue
            if tensor.is_floating_point() or tensor.is_complex():
                yield (f"{prefix}.{name}" if prefix else name), module, name, tensor


def local_part(tensor):
    """What of the tensor lies on this rank."""
    tensor = tensor.detach()
    return tensor.to_local() if hasattr(tensor, "to_local") else tensor


def matrix_of(tensor):
    """A table as [rows, columns] of real numbers, complex ones as (real, imaginary)."""
    tensor = local_part(tensor)
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    if tensor.dim() >= 3 and tensor.shape[-1] == 2:
        tensor = tensor.flatten(-2)
    return tensor.reshape(-1, tensor.shape[-1])


def rows_of(tensor, form):
    return 0 if form == "frequencies" else int(matrix_of(tensor).shape[0])


def row_of(tensor, row):
    return matrix_of(tensor)[row].to("cpu", torch.float64).tolist()


def holds_values(name, form, tensor):
    """Whether the values can be those of a rope cache: memory that nobody wrote nearly never looks like one."""
    if tensor.is_meta or tensor.numel() == 0:
        return False
    if form == "frequencies":
        values = local_part(tensor).flatten().to("cpu", torch.float64).tolist()
        return values[0] > 0 and all(0 <= w <= 1.001 for w in values) and values == sorted(values, reverse=True)
    first = row_of(tensor, 0)
    last = row_of(tensor, -1)
    if not all(math.isfinite(v) and abs(v) < 4 for v in [*first, *last]):
        return False
    words = set(words_of(name))
    zeros, ones = sum(v == 0 for v in first), sum(0.2 < v < 4 and abs(v - max(first)) < 0.01 for v in first)
    if words & SIN_WORDS and not words & COS_WORDS:
        return zeros == len(first) and any(last)
    if words & COS_WORDS and not words & SIN_WORDS:
        return ones == len(first)
    return zeros == ones == len(first) // 2 or ones == len(first)


def _columns(name, tensor, row):
    """(function, pair, value) for each entry of a row, and the number of pairs, for the layouts that there are: complex
    or real pairs, [cos|sin], one function alone, with its columns once or twice."""
    words, values = set(words_of(name)), row_of(tensor, row)
    if tensor.is_complex() or (tensor.dim() >= 3 and tensor.shape[-1] == 2):
        return [(math.cos if n % 2 == 0 else math.sin, n // 2, v) for n, v in enumerate(values)], len(values) // 2
    half = len(values) // 2
    if bool(words & COS_WORDS) == bool(words & SIN_WORDS):
        return [(math.cos if n < half else math.sin, n % half, v) for n, v in enumerate(values)], half
    function = math.cos if words & COS_WORDS else math.sin
    seen = row_of(tensor, -1)
    if half and seen[:half] == seen[half:]:
        return [(function, n % half, v) for n, v in enumerate(values)], half
    if half and seen[0::2] == seen[1::2]:
        return [(function, n // 2, v) for n, v in enumerate(values)], half
    return [(function, n, v) for n, v in enumerate(values)], len(values)


def is_plain(name, form, tensor, theta):
    """Whether the values are those of the formula without any scaling, w[i] = theta^(-i / pairs) (Su et al. 2021,
    section 3.2.2), within what a short dtype and a float32 product may do to them."""
    if form == "frequencies":
        values = local_part(tensor).flatten().to("cpu", torch.float64).tolist()
        return all(abs(w - theta ** (-i / len(values))) <= 0.01 * w for i, w in enumerate(values))
    row = min(rows_of(tensor, form) - 1, 4096)
    columns, pairs = _columns(name, tensor, row)
    return all(abs(value - function(row * theta ** (-pair / pairs))) <= 0.02 + row * 2e-7
               for function, pair, value in columns)


def is_exact(name, form, tensor, theta):
    """Whether the values are what exact positions and exponents give in float32, then rounded to the tensor's dtype; a
    short dtype on the way there rounds positions from 257 on and leaves its own few bits in frequencies."""
    last_bit = torch.finfo(local_part(tensor).dtype).eps
    if form == "frequencies":
        values = local_part(tensor).flatten().to("cpu", torch.float32)
        if theta is None:
            return not torch.equal(values.bfloat16().float(), values)
        return all(abs(w / theta ** (-i / len(values)) - 1) <= 1e-5 + last_bit for i, w in enumerate(values.double().tolist()))
    row = rows_of(tensor, form) - 1
    if row < 2:
        return True
    second, (last, pairs) = _columns(name, tensor, 1)[0], _columns(name, tensor, row)
    if theta is not None:
        return all(abs(value - function(row * theta ** (-pair / pairs))) <= 1e-5 + last_bit + row * 4e-7
                   for function, pair, value in last)
    # The fastest pair's angle at position 1 tells what it is at the last one.
    function, _, value = second[0]
    angle = math.acos(max(-1, min(1, value))) if function is math.cos else math.asin(max(-1, min(1, value)))
    return abs(last[0][2] - function(row * angle)) <= 1e-3 + last_bit * (1 + row) + row * 1e-6


def width_of(name, form, tensor):
    """Columns that are rotated: twice the pairs."""
    return 2 * (tensor.numel() if form == "frequencies" else _columns(name, tensor, -1)[1])


def theta_of(name, form, tensor):
    """The base that plain values were computed from; None where they are not those of the formula without scaling."""
    if form == "frequencies":
        frequencies = local_part(tensor).flatten().to("cpu", torch.float64).tolist()
    elif rows_of(tensor, form) < 2:
        return None
    else:
        angles = {math.cos: math.acos, math.sin: math.asin}
        found = {}
        for function, pair, value in _columns(name, tensor, 1)[0]:
            if abs(value) <= 1 and (function is math.sin or pair not in found):
                found[pair] = angles[function](value)  # w <= 1, so that both are the angle itself
        frequencies = [found.get(pair, 0) for pair in range(len(found))]
    if len(frequencies) < 2 or not 0 < frequencies[1] < 1:
        return None
    theta = frequencies[1] ** -len(frequencies)
    for nice in (10000.0, 500000.0, 1000000.0, 10000000.0, round(theta, -3), round(theta)):
        if nice > 1 and abs(theta / nice - 1) < 0.02 and is_plain(name, form, tensor, nice):
            return nice
    return None
