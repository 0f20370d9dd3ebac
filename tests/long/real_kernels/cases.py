"""The list of cases, and tensors for them."""
import torch

CASES = {}  # name: function without arguments that returns (part of the bound used, values compared)


def case(function):
    """Registers a case under its name and its package's."""
    CASES[f"{function.__module__.split('.')[-1]}-{function.__name__.replace('_', '-')}"] = function
    return function


def normal(*shape, dtype=torch.float32, seed=1, grad=True, scale=1.0):
    generator = torch.Generator().manual_seed(seed)
    return (torch.randn(*shape, generator=generator) * scale).to(dtype).requires_grad_(grad)


def tables(*shape, width, dtype=torch.float32, theta=10000.0):
    """cos and sin of the RoFormer formula for positions 0, 1, .. along the last dimension of `shape`, `width` columns."""
    position = torch.arange(shape[-1], dtype=torch.float64).expand(shape)
    angle = position[..., None] * theta ** (-torch.arange(width, dtype=torch.float64) / width)
    return angle.cos().to(dtype), angle.sin().to(dtype)


def rotated_halves(x, cos, sin):
    """x with the halves of the last dimension as pairs; cos and sin have half as many columns as x."""
    first, second = x.chunk(2, -1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)
