"""Operators that a program defines, for `cuda` and for the CPU, on the virtual GPU."""

import sys

import torch
from torch.library import Library, custom_op

import ropewalk


def on(device, value=0.0):
    return torch.full((2,), value, device=device)


def refused(work):
    try:
        work()
    except NotImplementedError:
        return
    raise AssertionError("it ran")


def each_device_has_its_own():
    for _ in range(2):  # the second definition is as the first
        library = Library("ropewalk_a", "FRAGMENT")
        library.define("f(Tensor x) -> Tensor")
        library.impl("f", lambda x: x + 1, "CUDA")
        refused(lambda: torch.ops.ropewalk_a.f(on("cpu")))
        library.impl("f", lambda x: x + 2, "CPU")
        result = torch.ops.ropewalk_a.f(on("cuda"))
        assert result.is_cuda and result.tolist() == [1, 1] and torch.ops.ropewalk_a.f(on("cpu")).tolist() == [2, 2]
        library._destroy()


def in_two_libraries():
    first = Library("ropewalk_b", "DEF")
    first.define("f(Tensor x) -> Tensor")
    first.impl("f", lambda x: x + 1, "CUDA")
    second = Library("ropewalk_b", "IMPL")
    second.impl("f", lambda x: x + 2, "CPU")
    assert torch.ops.ropewalk_b.f(on("cuda")).tolist() == [1, 1] and torch.ops.ropewalk_b.f(on("cpu")).tolist() == [2, 2]
    second._destroy()
    assert torch.ops.ropewalk_b.f(on("cuda")).tolist() == [1, 1]
    refused(lambda: torch.ops.ropewalk_b.f(on("cpu")))
    first._destroy()


def one_for_all_devices_beside_one_for_cuda():
    library = Library("ropewalk_c", "DEF")
    library.define("f(Tensor x) -> Tensor")
    library.impl("f", lambda x: x + 5 if x.is_cuda else x - 5)
    library.define("g(Tensor x) -> Tensor")
    library.impl("g", lambda x: x + 5, "CompositeExplicitAutograd")
    library.impl("g", lambda x: x + 1, "CUDA")
    assert torch.ops.ropewalk_c.f(on("cuda")).tolist() == [5, 5] and torch.ops.ropewalk_c.f(on("cpu")).tolist() == [-5, -5]
    assert torch.ops.ropewalk_c.g(on("cuda")).tolist() == [1, 1] and torch.ops.ropewalk_c.g(on("cpu")).tolist() == [5, 5]
    library._destroy()


def by_decorators():
    @custom_op("ropewalk_d::square", mutates_args=())
    def square(x: torch.Tensor) -> torch.Tensor:
        return x * x if x.is_cuda else x - x

    def keep(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    square.register_autograd(lambda context, gradient: 2 * context.saved_tensors[0] * gradient, setup_context=keep)
    x = on("cuda", 3.0).requires_grad_()
    square(x).sum().backward()
    assert x.grad.is_cuda and x.grad.tolist() == [6, 6] and square(on("cpu", 3.0)).tolist() == [0, 0]

    @custom_op("ropewalk_d::increase", mutates_args={"x"}, device_types="cuda")
    def increase(x: torch.Tensor) -> None:
        x.add_(1)

    y = on("cuda")
    increase(y)
    assert y.tolist() == [1, 1]
    refused(lambda: increase(on("cpu")))

    @increase.register_kernel("cpu")
    def decrease(x: torch.Tensor) -> None:
        x.sub_(square(on("cuda", 2.0)).cpu())  # of another device inside

    y = on("cpu")
    increase(y)
    assert y.tolist() == [-4, -4]


def main():
    with ropewalk.machine():
        each_device_has_its_own()
        in_two_libraries()
        one_for_all_devices_beside_one_for_cuda()
        by_decorators()


if __name__ == "__main__":
    sys.exit(main())
