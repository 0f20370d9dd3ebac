"""PyTorch on "cuda" tensors against PyTorch on the CPU: each operation is done on both. Values must be the same, bit for bit, and
every result must say where it is. Usage: operations.py, with the package on the path"""

import copy
import io
import pickle
import sys
import threading
import warnings

import torch
import torch.nn.functional as F

sys.dont_write_bytecode = True
import ropewalk.cuda  # noqa: E402

OPERATIONS = {}


def operation(function):
    """Of a device; it returns a tensor or several."""
    OPERATIONS[function.__name__] = function
    return function


def numbers(device, *shape, dtype=torch.float32):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7)).to(dtype).to(device)


def filled_from(row):
    assert row.is_cuda == torch.zeros_like(row).is_cuda and row.device == torch.zeros_like(row).device
    copy = torch.empty_like(row)
    copy[1:], copy[0] = row[1:], row[0]
    return copy


FACTORIES = {
    "zeros": lambda d: torch.zeros(3, 2, device=d),
    "full": lambda d: torch.full((2, 2), 7.0, device=d),
    "arange": lambda d: torch.arange(5, device=d),
    "linspace": lambda d: torch.linspace(0, 1, 5, device=d),
    "eye": lambda d: torch.eye(3, device=d),
    "tensor": lambda d: torch.tensor([[1, 2], [3, 4]], device=d),
    "as_tensor": lambda d: torch.as_tensor([1.0, 2.0], device=d),
    "to": lambda d: torch.ones(3).to(d),
    "to_dtype": lambda d: torch.ones(3).to(d, torch.float16),
    "to_other": lambda d: torch.ones(3).to(torch.zeros(1, device=d)),
    "to_keyword": lambda d: torch.ones(3).to(device=d, dtype=torch.int64),
    "zeros_like": lambda d: torch.zeros_like(numbers(d, 4)),
    "ones_like_cast": lambda d: torch.ones_like(numbers(d, 4), dtype=torch.int32),
    "new_full": lambda d: numbers(d, 2).new_full((3,), 2.0),
    "new_tensor": lambda d: numbers(d, 2).new_tensor([1, 2, 3]),
    "randn": lambda d: (torch.manual_seed(1), torch.randn(4, device=d))[1],
    "randint": lambda d: (torch.manual_seed(1), torch.randint(9, (4,), device=d))[1],
    "randperm": lambda d: (torch.manual_seed(1), torch.randperm(6, device=d))[1],
    "rand_of_generator": lambda d: torch.rand(4, device=d, generator=torch.Generator(d).manual_seed(5)),
    "tril_indices": lambda d: torch.tril_indices(3, 3, device=d),
    "one_hot": lambda d: F.one_hot(torch.tensor([1, 0, 2], device=d)),
}
ELEMENTWISE = {
    "add": lambda x: x + x,
    "scalar": lambda x: 2 * x - 1,
    "cpu_scalar": lambda x: x * torch.tensor(3.0),
    "inplace": lambda x: x.clone().mul_(2).add_(1),
    "out": lambda x: torch.mul(x, x, out=torch.empty_like(x)),
    "compare": lambda x: (x > 0) & (x < 1),
    "where": lambda x: torch.where(x > 0, x, torch.zeros_like(x)),
    "cast": lambda x: x.half().float().double().to(torch.bfloat16),
    "masked_fill": lambda x: x.masked_fill(x < 0, float("-inf")),
    "softmax": lambda x: x.softmax(-1),
    "sum": lambda x: x.sum(),
    "max": lambda x: x.max(dim=1),
    "topk": lambda x: x.topk(2),
    "sort": lambda x: x.sort(descending=True),
    "cumsum": lambda x: x.cumsum(0),
    "norm": lambda x: x.norm(dim=-1),
    "matmul": lambda x: x @ x.t(),
    "einsum": lambda x: torch.einsum("ij,kj->ik", x, x),
    "cat": lambda x: torch.cat([x, x[:1]]),
    "stack": lambda x: torch.stack([x, x], 1),
    "split": lambda x: x.split(2),
    "chunk": lambda x: x.chunk(2, -1),
    "views": lambda x: (x.view(-1), x.t(), x[1:], x[:, None], x.reshape(2, -1), x.expand(2, *x.shape), x.unflatten(1, (2, -1))),
    "index": lambda x: (x[0], x[[1, 0]], x[torch.tensor([1, 0])], x[x > 0], x[..., -1], x[:, ::2]),
    "gather": lambda x: x.gather(1, x.argsort(1)),
    "roll": lambda x: x.roll(1, 0),
    "pad": lambda x: F.pad(x, (1, 1)),
    "layer_norm": lambda x: F.layer_norm(x, x.shape[-1:]),
    "gelu": lambda x: F.gelu(x),
    "dropout": lambda x: (torch.manual_seed(2), F.dropout(x, 0.5))[1],
    "foreach": lambda x: torch._foreach_add([x, x], 1.0),
    "aten": lambda x: torch.ops.aten.add.Tensor(x, x),
    "set_item": lambda x: _with_items(x),
    "contiguous": lambda x: x.t().contiguous(),
    "complex": lambda x: torch.view_as_real(torch.view_as_complex(x.view(-1, 2)) * torch.polar(x.new_ones(1), x.new_ones(1))),
    "vmap": lambda x: torch.vmap(lambda row: row * 2)(x),
    "vmap_with_captured": lambda x: torch.vmap(lambda row: torch.where(row > 0, row, x[0]) * x[1] + torch.zeros_like(row))(x),
    "vmap_that_fills": lambda x: torch.vmap(filled_from)(x),
    "vmap_of_gradients": lambda x: torch.vmap(torch.func.grad(lambda row: (row * x[0]).sin().sum()))(x),
    "nonzero": lambda x: (x > 0).nonzero(),
    "scatter_add": lambda x: torch.zeros_like(x).scatter_add(1, x.argsort(1), x),
    "quantile": lambda x: x.quantile(0.5),
    "cumprod_flip": lambda x: x.flip(0).cumprod(0),
}


def _with_items(x):
    x = x.clone()
    x[0] = 1
    x[:, 1] = x[:, 2]
    x[x > 1] = 0
    return x


for _name, _make in FACTORIES.items():
    OPERATIONS[f"factory {_name}"] = _make
for _name, _apply in ELEMENTWISE.items():
    OPERATIONS[_name] = lambda d, apply=_apply: apply(numbers(d, 4, 6))


class Doubled(torch.autograd.Function):

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        assert gradient.device == x.device == torch.empty_like(gradient).device
        return gradient * 2


@operation
def gradients(d):
    x = numbers(d, 4, 6).requires_grad_()
    Doubled.apply(x).square().sum().backward()
    (again,) = torch.autograd.grad(Doubled.apply(x).pow(3).sum(), x)
    return x.grad, again


@operation
def hooks_and_double_backward(d):
    x = numbers(d, 4).requires_grad_()
    seen = []
    x.register_hook(lambda gradient: seen.append(gradient))
    (first,) = torch.autograd.grad(x.pow(3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    return first, second, *seen


@operation
def checkpoint(d):
    from torch.utils.checkpoint import checkpoint
    x = numbers(d, 4).requires_grad_()
    checkpoint(Doubled.apply, x, use_reentrant=False).sum().backward()
    return x.grad


@operation
def checkpointed_model(d):
    """What it keeps and what it computes again are compared, by their devices too."""
    from torch.utils.checkpoint import checkpoint_sequential
    torch.manual_seed(5)
    net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.GELU(), torch.nn.LayerNorm(8), torch.nn.Softmax(-1)).to(d)
    x = numbers(d, 4, 6).requires_grad_()
    checkpoint_sequential(net, 2, x, use_reentrant=False).square().sum().backward()
    return x.grad, [one.grad for one in net.parameters()]


@operation
def hooks_of_saved_tensors(d):
    x, weight = numbers(d, 4, 6).requires_grad_(), numbers(d, 6, 3)
    seen = []
    with torch.autograd.graph.saved_tensors_hooks(lambda one: (seen.append(one), one)[1], lambda one: one):
        loss = (x @ weight).exp().softmax(-1).sum() + (x * 2).relu().sum()
    kinds = {one.device.type for one in seen}
    assert kinds == {d.split(":")[0]}, kinds
    with torch.autograd.graph.save_on_cpu():
        other = (x @ weight).sin().sum()
    (loss + other).backward()
    return x.grad


@operation
def forward_gradients(d):
    import torch.autograd.forward_ad as forward
    x = numbers(d, 4)
    with forward.dual_level():
        dual = forward.make_dual(x, torch.ones_like(x))
        return forward.unpack_dual(dual.sin()).tangent


@operation
def transforms_that_apply_at_once(d):
    x, f = numbers(d, 4), lambda one: (one.sin() * one).sum()  # noqa: E731
    out, pull = torch.func.vjp(f, x)
    value, slope = torch.func.jvp(f, (x,), (x,))
    same, line = torch.func.linearize(f, x)
    return (out, pull(torch.ones_like(out))[0], value, slope, torch.func.jacfwd(torch.sin)(x), torch.func.hessian(f)(x), same,
            line(x))


class _Scaled(torch.autograd.Function):

    @staticmethod
    def forward(context, x, weight):
        context.save_for_backward(x, weight)
        return x * x * weight

    @staticmethod
    def backward(context, gradient):
        x, weight = context.saved_tensors
        return 2 * x * weight * gradient, (x * x * gradient).sum()


@operation
def gradients_that_are_not_there(d):
    x, weight = (numbers(d, n).squeeze().double().requires_grad_() for n in (3, 1))
    assert torch.autograd.gradcheck(_Scaled.apply, (x, weight))
    return x


@operation
def padded_rows_of_an_encoder(d):
    """In evaluation they come out as zeros: PyTorch computes with nested tensors there."""
    torch.manual_seed(3)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    net = torch.nn.TransformerEncoder(layer, 2).to(d).eval()
    heads = torch.nn.MultiheadAttention(8, 2, batch_first=True).to(d).eval()
    x, padded = numbers(d, 2, 5, 8), torch.tensor([[0, 0, 0, 1, 1], [0] * 5], device=d).bool()
    with torch.no_grad():
        out = net(x, src_key_padding_mask=padded)
        assert out[0, 3:].eq(0).all()
        return out, net(x), *heads(x, x, x, key_padding_mask=padded)


def model():
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Embedding(11, 8), torch.nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True),
                               torch.nn.LayerNorm(8), torch.nn.Linear(8, 11))


@operation
def training(d):
    net = model().to(d)
    chosen = torch.optim.AdamW(net.parameters(), lr=0.1)
    tokens = torch.arange(6, device=d)[None]
    for _ in range(3):
        chosen.zero_grad()
        F.cross_entropy(net(tokens)[0], tokens[0]).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        chosen.step()
    return [*net.parameters(), *(state["exp_avg"] for state in chosen.state.values())]


@operation
def modules_made_there(d):
    torch.manual_seed(3)
    layer = torch.nn.Linear(4, 4, device=d)
    conv = torch.nn.Conv1d(2, 2, 3).to(d)
    gru = torch.nn.GRU(4, 4).to(d)
    return layer(numbers(d, 2, 4)), conv(numbers(d, 1, 2, 9)), *gru(numbers(d, 3, 1, 4))


@operation
def default_device(d):
    with torch.device(d):
        made = [torch.zeros(2), torch.tensor([1]), torch.nn.Linear(2, 2).weight * 0, torch.ones(2, device=d)]
    return made


@operation
def default_device_set(d):
    torch.set_default_device(d)
    made = torch.arange(3), torch.empty(2).fill_(1)
    torch.set_default_device(None)
    return made


@operation
def state_of_a_module(d):
    source, target = model().to(d), model().to(d)
    stored = io.BytesIO()
    torch.save(source.state_dict(), stored)
    stored.seek(0)
    target.load_state_dict(torch.load(stored))
    stored.seek(0)
    return *target.state_dict().values(), *torch.load(stored, map_location=d).values()


@operation
def copies(d):
    x = numbers(d, 4)
    return copy.deepcopy(x), pickle.loads(pickle.dumps(x)), copy.deepcopy(torch.nn.Parameter(x)), x.detach(), x.data


@operation
def threads(d):
    made = []
    thread = threading.Thread(target=lambda: made.append(torch.ones(2, device=d) + 1))
    thread.start()
    thread.join()
    return made


@operation
def copied_from_the_other(d):
    x = torch.zeros(4, device=d)
    x.copy_(torch.arange(4.0))
    x[1:3] = torch.tensor([8.0, 9.0]).to(d)
    return x, torch.zeros(4).to(d).copy_(x), torch.empty(4, device=d).copy_(1), torch.empty(4, device=d).copy_(other=1.5)


@operation
def pinned_memory(d):
    if d == "cpu":
        return torch.ones(3), torch.ones(3)
    first, second = torch.ones(3, pin_memory=True), torch.ones(3).pin_memory()
    assert first.is_pinned() and second.is_pinned() and not first.is_cuda and not torch.ones(3).is_pinned()
    return first.to(d, non_blocking=True), second.cuda(non_blocking=True)


@operation
def loaded_by_workers(d):
    data = torch.utils.data.TensorDataset(torch.arange(20.0).view(10, 2))
    batches = [batch for workers in (0, 2)
               for (batch,) in torch.utils.data.DataLoader(data, 5, num_workers=workers, pin_memory=d != "cpu")]
    assert all(batch.is_pinned() == (d != "cpu") for batch in batches)
    return [batch.to(d, non_blocking=True) for batch in batches]


@operation
def reentrant_checkpoint_with_dropout(d):
    from torch.utils.checkpoint import checkpoint
    torch.manual_seed(1)
    x = numbers(d, 6).requires_grad_()
    checkpoint(lambda one: F.dropout(one * 2, 0.5), x, use_reentrant=True).sum().backward()
    with torch.random.fork_rng():
        inside = torch.rand(3, device=d)
    return x.grad, inside, torch.rand(3, device=d)


@operation
def sparse(d):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = torch.sparse_coo_tensor(torch.tensor([[0, 1], [1, 0]]), torch.tensor([1.0, 2.0]), (2, 2), device=d)
    return made.to_dense() if d == "cpu" else made.coalesce().to_dense().to(d)


@operation
def compiled(d):
    plain = lambda x: x.sin() + 1  # noqa: E731
    return (torch.compile(plain, mode="max-autotune") if d != "cpu" else plain)(numbers(d, 4))


@operation
def lengths_that_vary(d):
    """The sizes of the batches of a packed sequence are always on the CPU."""
    torch.manual_seed(5)
    layers = [torch.nn.LSTM(2, 4).to(d), torch.nn.GRU(4, 3, bidirectional=True).to(d)]
    packed = torch.nn.utils.rnn.pack_padded_sequence(numbers(d, 3, 2, 2), [3, 2])
    assert packed.batch_sizes.device.type == "cpu" and packed.data.device.type == d
    for layer in layers:
        packed, _ = layer(packed)
    padded, lengths = torch.nn.utils.rnn.pad_packed_sequence(packed)
    assert lengths.tolist() == [3, 2] and lengths.device.type == "cpu"
    return padded


@operation
def traced(d):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function = torch.jit.trace(lambda x: x * 2, torch.ones(2, device=d))
        net = torch.jit.trace(model()[2].to(d), numbers(d, 2, 8))
        stored = io.BytesIO()
        torch.jit.save(net, stored)
        stored.seek(0)
        again = torch.jit.load(stored, map_location=d)
    return function(numbers(d, 2)) + numbers(d, 2), net(numbers(d, 2, 8)), again(numbers(d, 2, 8)), *again.parameters()


class WithConstants(torch.nn.Module):

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.register_buffer("scale", torch.full((4,), 3.0))

    def forward(self, x):
        places = torch.arange(x.shape[0], device=x.device)[:, None]
        return self.layer(x) * self.scale + places, places, torch.ones(2, device=x.device).to(x.device)


@operation
def lazy_modules(d):
    made = torch.nn.Sequential(torch.nn.LazyConv2d(2, 3), torch.nn.LazyBatchNorm2d()).to(d)
    torch.nn.init.ones_(made(torch.ones(1, 3, 4, 4, device=d)))
    assert all(one.device.type == d for one in (*made.parameters(), *made.buffers()))
    return made[0].weight * 0, made[1].running_mean.shape[0] + torch.zeros(1, device=d)


class Scaled(torch.Tensor):
    """Whole numbers and their scale, as quantised weights are kept."""

    @staticmethod
    def __new__(cls, whole, scale):
        return torch.Tensor._make_wrapper_subclass(cls, whole.shape, dtype=scale.dtype, device=whole.device)

    def __init__(self, whole, scale):
        self.whole, self.scale = whole, scale

    @classmethod
    def __torch_dispatch__(cls, function, types, arguments=(), options=None):
        plain = torch.utils._pytree.tree_map(lambda one: one.whole * one.scale if isinstance(one, cls) else one, arguments)
        return function(*plain, **(options or {}))


@operation
def a_weight_of_a_kind_of_its_own(d):
    weight = Scaled(torch.ones(4, 3, dtype=torch.int8, device=d), torch.tensor(2.0, device=d))
    assert weight.device.type == d
    return F.linear(numbers(d, 2, 3), weight)


@operation
def traced_to_a_graph(d):
    from torch.fx.experimental.proxy_tensor import make_fx
    graph = make_fx(lambda x: torch.relu(x) + torch.ones(3, device=d))(numbers(d, 3))
    return graph(numbers(d, 3))


@operation
def exported(d):
    torch.manual_seed(5)
    program = torch.export.export(WithConstants().to(d), (numbers(d, 3, 4),))
    return program.module()(numbers(d, 3, 4))


@operation
def storages_that_move(d):
    def move(storage, _=None):
        return storage.cuda(0) if d != "cpu" else storage.cpu()

    stored = io.BytesIO()
    torch.save({"a": torch.arange(3.0)}, stored)
    stored.seek(0)
    moved = move(torch.arange(3.0).untyped_storage())
    return torch.load(stored, map_location=move)["a"], torch.empty(0, device=d).set_(moved)


@operation
def jagged_gradients(d):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        weight = numbers(d, 2, 2).requires_grad_()
        jagged = torch.nested.nested_tensor([numbers(d, 2, 2), numbers(d, 3, 2)], layout=torch.jagged, requires_grad=True)
        F.linear(jagged, weight).values().sum().backward()
        assert jagged.grad.device == jagged.device
        return weight.grad, jagged.grad.values()


@operation
def nested(d):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        strided = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], device=d)
        jagged = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], device=d, layout=torch.jagged)
    assert strided.device.type == jagged.device.type == d
    return strided.to_padded_tensor(0.0), (jagged * 2).values(), *strided.unbind(), *jagged.unbind()


def tensors_of(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [tensor for one in value for tensor in tensors_of(one)] if isinstance(value, (list, tuple)) else []


def main():
    expected = {name: tensors_of(make("cpu")) for name, make in OPERATIONS.items()}
    ropewalk.cuda.activate("sm_80")
    wrong = []
    for name, make in OPERATIONS.items():
        try:
            got = tensors_of(make("cuda"))
            assert len(got) == len(expected[name]) > 0, f"{len(got)} tensors, expected {len(expected[name])}"
            for one, other in zip(got, expected[name]):
                assert str(one.device) == "cuda:0" and one.is_cuda and one.get_device() == 0, f"on {one.device}"
                here = one.detach().cpu()
                assert str(here.device) == "cpu" and not here.is_cuda, f"after cpu() on {here.device}"
                assert here.dtype == other.dtype and here.shape == other.shape
                assert torch.equal(here, other.detach()) or torch.allclose(here, other.detach(), equal_nan=True, rtol=0, atol=0)
            again = tensors_of(make("cpu"))
            assert all(str(one.device) == "cpu" for one in again), "what is asked for on the CPU says that it is on cuda"
        except Exception as error:  # of any operation: the others go on
            wrong.append(f"{name}: {type(error).__name__}: {error}")
    ropewalk.cuda.deactivate()
    assert str(torch.zeros(2).device) == "cpu" and torch.zeros(2).to("cpu").is_cpu
    print("\n".join([*wrong, f"{len(OPERATIONS) - len(wrong)} of {len(OPERATIONS)} operations as on the CPU"]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
