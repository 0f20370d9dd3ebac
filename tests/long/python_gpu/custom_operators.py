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


def overridden(name, function):
    """The library, and the tensors or devices that the function was called for."""
    seen = []

    def called(*arguments, **options):
        seen.append(str(options.get("device") or arguments[0].device))
        return function(*arguments, **options)

    library = Library("aten", "IMPL")
    library.impl(name, called, "CUDA")
    return library, seen


def of_pytorch_for_cuda_alone():
    library, seen = overridden("abs", lambda x: torch.where(x < 0, -x, x) + 10)
    assert torch.abs(on("cuda", -1.0)).tolist() == [11, 11] and torch.abs(on("cpu", -1.0)).tolist() == [1, 1]
    assert on("cuda", -1.0).abs().is_cuda and seen == ["cuda:0"] * 2
    for device, wanted in (("cuda", 11), ("cpu", 1)):
        x = on(device, -1.0).requires_grad_()
        y = x.abs()
        y.sum().backward()
        assert y.tolist() == [wanted] * 2 and x.grad.tolist() == [-1, -1] and str(x.grad.device).startswith(device)
    sparse = torch.sparse_coo_tensor([[1]], [-2.0], (3,), device="cuda")
    assert sparse.abs().to_dense().tolist() == [0, 12, 0] and seen == ["cuda:0"] * 4  # of its values
    library._destroy()
    assert torch.abs(on("cuda", -1.0)).tolist() == [1, 1]


def of_pytorch_that_makes_tensors():
    library, seen = overridden("zeros", lambda size, **options: torch.empty(size, **options).fill_(7))
    fresh = torch.empty(8, device="cuda")  # what Ropewalk notes of it is made of zeros
    assert seen == [] and torch.zeros(2).tolist() == [0, 0] and torch.zeros(2, layout=torch.sparse_coo).is_sparse and seen == []
    assert torch.zeros(2, device="meta").is_meta and torch.zeros(2, device="cuda:0").tolist() == [7, 7] and seen == ["cuda:0"]
    fresh[:2], fresh[3:] = 1, 2
    assert seen == ["cuda:0"]
    library._destroy()


def of_pytorch_with_numbers():
    library, seen = overridden("add_.Tensor", lambda x, other, alpha=1: x.copy_(torch.sub(x, other, alpha=-alpha)))
    x, y = on("cpu"), on("cuda")
    x += 2
    y += 2
    y.add_(y)
    assert x.tolist() == [2, 2] and y.tolist() == [4, 4] and seen == ["cuda:0"] * 2 and x.dtype == torch.float32
    library._destroy()
    library, seen = overridden("fill_.Scalar", lambda x, value: x.copy_(torch.tensor(value + 1)))
    x.fill_(5)
    y.fill_(5)
    assert x.tolist() == [5, 5] and y.tolist() == [6, 6] and seen == ["cuda:0"]
    y[0] = 7  # is copied
    assert y.tolist() == [7, 6] and seen == ["cuda:0"]
    library._destroy()
    library, seen = overridden("fill_.Tensor", lambda x, value: x.copy_(value + 1))
    x[:1], y[:1] = 5, 5
    assert x.tolist() == [5, 5] and y.tolist() == [6, 6] and seen == ["cuda:0"]
    library._destroy()


def of_pytorch_inside_others():
    library, seen = overridden("_softmax", lambda x, dim, to_float: torch.ones_like(x))
    assert torch.softmax(on("cuda"), 0).tolist() == [1, 1] and torch.softmax(on("cpu"), 0).tolist() == [0.5, 0.5]
    assert seen == ["cuda:0"]
    library._destroy()


def of_pytorch_made_of_others():
    """It has no gradients of its own."""
    for _ in range(2):
        library, seen = overridden("layer_norm", lambda x, *others: 2 * x)
        for device, value, gradient in (("cuda", [6, 6], [2, 2]), ("cpu", [0, 0], [0, 0])):
            x = on(device, 3.0).requires_grad_()
            y = torch.nn.functional.layer_norm(x, [2])
            y.sum().backward()
            assert y.tolist() == value and x.grad.tolist() == gradient
            with torch.inference_mode():
                assert torch.nn.functional.layer_norm(on(device, 3.0), [2]).tolist() == value
        assert seen == ["cuda:0"] * 2
        library._destroy()


def of_pytorch_that_is_not_there():
    library = Library("aten", "IMPL")
    library.impl("ropewalk_has_no_such_operator", lambda x: x, "CUDA")
    library._destroy()


def main():
    with ropewalk.machine():
        of_pytorch_for_cuda_alone()
        of_pytorch_that_makes_tensors()
        of_pytorch_with_numbers()
        of_pytorch_inside_others()
        of_pytorch_made_of_others()
        of_pytorch_that_is_not_there()
        each_device_has_its_own()
        in_two_libraries()
        one_for_all_devices_beside_one_for_cuda()
        by_decorators()


if __name__ == "__main__":
    sys.exit(main())
