"""The list of cases, and tensors for them."""

import torch

CASES = {}  # name: function without arguments that returns (part of the bound used, values compared)


def case(function):
    """Registers a case under its name and its package's."""
    CASES[f"{function.__module__.split('.')[-1]}-{function.__name__.replace('_', '-')}"] = function
    return function


def normal(*shape, dtype=torch.float32, seed=1, grad=True, scale=1.0):
    generator = torch.Generator("cuda").manual_seed(seed)
    return (torch.randn(shape, generator=generator) * scale).to(dtype).requires_grad_(grad)
