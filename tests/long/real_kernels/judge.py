"""Values of a wrapper against plain torch in float64, within a bound that its conditioning gives."""

import torch

UNIT_ROUNDOFF = {torch.float32: 2.0**-24, torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8, torch.float64: 2.0**-53}
SAMPLES = 6  # perturbations of the inputs
SIGMAS = 8  # how many standard deviations of the response are allowed


def wide(value):
    """A float64 leaf of the same values."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.detach().double().requires_grad_(value.requires_grad)
    return value


def outputs_of(function, inputs, pulls):
    """Outputs of function(**inputs), then the gradients of the inputs that ask for them; `pulls`: of the outputs."""
    outputs = function(**inputs)
    outputs = [outputs] if isinstance(outputs, torch.Tensor) else [one for one in outputs if one is not None]
    named = {f"output {number}": one.detach().clone() for number, one in enumerate(outputs)}
    asking = {name: one for name, one in inputs.items() if isinstance(one, torch.Tensor) and one.requires_grad}
    if asking:
        pulled = [one for one in outputs if one.requires_grad]
        # The wrapper may write into the gradient that it is given.
        gradients = torch.autograd.grad(
            pulled,
            list(asking.values()),
            [pull_of(one, number, pulls) for number, one in enumerate(pulled)],
            allow_unused=True,
        )
        named.update(
            {f"gradient of {name}": one.detach().clone() for name, one in zip(asking, gradients) if one is not None}
        )
    return named


def pull_of(output, number, pulls):
    """The same random gradient for the wrapper and for its reference."""
    if number not in pulls:
        generator = torch.Generator("cuda").manual_seed(100 + number)
        pulls[number] = torch.randn(output.shape, generator=generator).to(output.dtype)
    return pulls[number].to(output.dtype).clone()


def compare(wrapper, reference, inputs, depth=8, inner=None):
    """Runs both. Each value may be off by the rounding of its own type, and by what roundings on the way from the inputs to
    it do. One rounding of every input to the type `inner` (float32 where it is None) moves the value by a response that is
    measured in float64: the root mean square over random signs of all inputs' relative errors, and beside it the mean of that
    over the tensor, for what rounds in between. `depth` roundings in a row that are independent move it by sqrt(depth) of
    that; SIGMAS standard deviations are allowed. Returns the largest part of a bound that was used, and how many values were
    compared."""
    pulls = {}
    got = outputs_of(wrapper, {name: leaf(value) for name, value in inputs.items()}, pulls)
    exact = outputs_of(reference, {name: wide(value) for name, value in inputs.items()}, pulls)
    inner_roundoff = inner if isinstance(inner, float) else UNIT_ROUNDOFF[inner or torch.float32]
    response = {name: torch.zeros_like(value) for name, value in exact.items()}
    step = 2.0**-20
    for sample in range(SAMPLES):
        generator = torch.Generator("cuda").manual_seed(sample)
        moved = outputs_of(
            reference,
            {name: perturbed(wide(value), step, generator) for name, value in inputs.items()},
            {number: perturbed(pull.double(), step, generator) for number, pull in pulls.items()},
        )
        for name in response:
            if exact[name].is_floating_point():
                response[name] += ((moved[name] - exact[name]) / step) ** 2 / SAMPLES
    worst, count = 0.0, 0
    assert got.keys() == exact.keys(), (got.keys(), exact.keys())
    for name, value in exact.items():
        assert got[name].shape == value.shape, (name, got[name].shape, value.shape)
        if not value.is_floating_point():
            assert torch.equal(got[name], value), f"{name}: {got[name].tolist()} for {value.tolist()}"
            count += value.numel()
            continue
        typical = torch.sqrt(response[name] + response[name].mean())
        bound = UNIT_ROUNDOFF[got[name].dtype] * value.abs() + SIGMAS * depth**0.5 * inner_roundoff * typical + 2.0**-100
        part = (got[name].double() - value).abs() / bound
        part = torch.where(got[name].double() == value, 0.0, part)  # infinities among them
        at = int(torch.argmax(torch.nan_to_num(part, nan=float("inf"))))
        off = float(part.reshape(-1)[at])
        assert off <= 1, (
            f"{name}: element {at} is {float(got[name].reshape(-1)[at])!r} for "
            f"{float(value.reshape(-1)[at])!r}, off by {off:.3g} times its bound {float(bound.reshape(-1)[at]):.3g}"
        )
        worst, count = max(worst, off), count + value.numel()
    return worst, count


def leaf(value):
    return value.detach().clone().requires_grad_(value.requires_grad) if isinstance(value, torch.Tensor) else value


def perturbed(value, step, generator):
    if not (isinstance(value, torch.Tensor) and value.is_floating_point()):
        return value
    signs = torch.randint(0, 2, value.shape, generator=generator) * 2 - 1
    return (value.detach() * (1 + step * signs)).requires_grad_(value.requires_grad)
