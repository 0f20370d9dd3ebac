"""A tensor of `cuda`, and a call that PyTorch must refuse there: for programs that run on a GPU as well."""

import torch

ON = "cuda"


def on(*values):
    return torch.tensor(values, device=ON)


def refused(words, function, kind=RuntimeError):
    try:
        function()
    except kind as error:
        assert words in str(error), error
        return
    raise AssertionError(f"nothing was refused; expected: {words}")
