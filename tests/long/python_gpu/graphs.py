"""CUDA graphs of PyTorch on the virtual GPU, with operators and with a kernel of Triton. Usage: graphs.py [wrong_mask]: the graph has
a launch that runs past the end"""

import copy
import gc
import sys

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

CUDA = "cuda"


@triton.jit
def scale(x, y, n, factor, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    inside = i < n
    tl.store(y + i, tl.load(x + i, mask=inside) * factor, mask=inside)


def captured(work):
    """The graph and what the work returned."""
    gc.collect()  # on a GPU an older graph that is destroyed while this one is captured ends the capture
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        result = work()
    assert not torch.cuda.is_current_stream_capturing()
    return graph, result


def nothing_is_done_before_the_replay():
    x, counter = torch.zeros(4, device=CUDA), torch.zeros(4, device=CUDA)

    def work():
        counter.add_(1)
        doubled = x * 2 + counter
        return doubled, torch.relu(doubled - 3).sum()

    graph, (doubled, total) = captured(work)
    assert counter.tolist() == [0] * 4
    x.fill_(5)
    graph.replay()
    assert (counter.tolist(), doubled.tolist(), total.item()) == ([1] * 4, [11] * 4, 32)
    graph.replay()
    assert (counter.tolist(), doubled.tolist(), total.item()) == ([2] * 4, [12] * 4, 36)
    assert doubled.is_cuda and total.is_cuda


def inputs_are_filled_after_the_capture():
    ids, embedding = torch.empty(3, dtype=torch.long, device=CUDA), torch.nn.Embedding(10, 8, device=CUDA)
    head = torch.nn.Sequential(torch.nn.LayerNorm(8), torch.nn.Linear(8, 8)).to(CUDA)
    with torch.inference_mode():
        head(torch.zeros(3, 8, device=CUDA))  # cuBLAS begins before the capture
        graph, result = captured(lambda: F.softmax(head(embedding(ids)), -1))
    ids.copy_(torch.tensor([1, 2, 3], device=CUDA))
    graph.replay()
    assert torch.equal(result, F.softmax(head(embedding(ids)), -1))


def a_step_of_training():
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 1)).to(CUDA)
    eager = copy.deepcopy(model)
    x, y = torch.randn(5, 8, device=CUDA), torch.randn(5, 1, device=CUDA)

    def step(model, optimizer, x, y):
        optimizer.zero_grad(set_to_none=True)
        loss = F.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    optimizers = [torch.optim.SGD(one.parameters(), lr=0.1) for one in (model, eager)]
    for one, optimizer in zip((model, eager), optimizers):
        step(one, optimizer, x, y)
    graph, loss = captured(lambda: step(model, optimizers[0], x, y))
    for _ in range(3):
        x.copy_(torch.randn(5, 8, device=CUDA))
        y.copy_(torch.randn(5, 1, device=CUDA))
        graph.replay()
        assert torch.equal(loss, step(eager, optimizers[1], x, y))
    assert all(map(torch.equal, model.parameters(), eager.parameters()))


def callables():
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).to(CUDA)
    eager = copy.deepcopy(model)
    graphed = torch.cuda.make_graphed_callables(model, (torch.randn(4, 8, device=CUDA, requires_grad=True),))
    for _ in range(2):
        x = torch.randn(4, 8, device=CUDA, requires_grad=True)
        same = x.detach().clone().requires_grad_()
        for one, value in ((graphed, x), (eager, same)):
            one.zero_grad()
            one(value).square().sum().backward()
        assert torch.equal(x.grad, same.grad) and torch.equal(model[0].weight.grad, eager[0].weight.grad)


def a_key_value_cache_under_autocast():
    query, cache = torch.randn(1, 2, 4, 16, device=CUDA), torch.zeros(1, 2, 32, 16, device=CUDA)
    positions = torch.zeros(4, dtype=torch.long, device=CUDA)

    def work():
        cache.index_copy_(2, positions, query)
        return F.scaled_dot_product_attention(query, cache, cache) @ query.transpose(-1, -2)

    with torch.no_grad(), torch.autocast(CUDA, dtype=torch.bfloat16):
        work()
        cache.zero_()
        graph, result = captured(work)
        assert not cache.any()
        positions.copy_(torch.arange(4, 8, device=CUDA))
        graph.replay()
        assert result.dtype == torch.bfloat16 and torch.equal(result, work())


def refused(words, work):
    """What is raised first, and what the end of the capture raises."""
    try:
        captured(work)
    except RuntimeError as error:
        first = error.__context__ or error
        assert words in str(first), first
        return str(error)
    raise AssertionError("it was captured")


def values_cannot_be_waited_for():
    x, y, event = torch.ones(4, device=CUDA), torch.ones(4), torch.cuda.Event()
    stream = torch.cuda.current_stream
    mask = x > 0
    for work in (lambda: x.sum().item(), lambda: x.nonzero(), lambda: x[mask], lambda: torch.cuda.synchronize(),
                 lambda: stream().synchronize(), lambda: stream().query(), lambda: x.repeat_interleave(x.long()),
                 lambda: x.copy_(y.pin_memory()), lambda: x.__setitem__(mask, x.clone())):
        last = refused("operation not permitted when stream is capturing", work)
        assert "operation failed due to a previous error during capture" in last, last
    last = refused("on an event last recorded in a capturing stream", lambda: (event.record(), event.synchronize()))
    assert "operation failed due to a previous error during capture" in last, last
    for work in (lambda: (x + 1).cpu(), lambda: x.copy_(y), lambda: torch.tensor([1.0], device=CUDA), lambda: x[[0, 1]],
                 lambda: x[torch.tensor([0])], lambda: y.to(CUDA)):
        refused("unless the CPU tensor is pinned", work)
    refused("can be called during stream capture only if new seed is the same", lambda: torch.cuda.manual_seed(77))
    try:
        torch.cuda.CUDAGraph().replay()
    except RuntimeError:
        return
    raise AssertionError("nothing was replayed")


def what_does_not_wait_is_captured():
    x, there, back = torch.ones(4, device=CUDA), torch.ones(4).pin_memory(), torch.zeros(4).pin_memory()

    def work():
        x.copy_(there, non_blocking=True)
        x[x > 1] = 7
        x.mul_(torch.tensor(2.0))
        back.copy_(x, non_blocking=True)
        torch.cuda.Event().record()
        return torch.full((4,), 2.0, device=CUDA) + torch.rand(4, device=CUDA)

    graph, _ = captured(work)
    there.fill_(3)
    graph.replay()
    torch.cuda.synchronize()
    assert x.tolist() == [14] * 4 == back.tolist()
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.stream(torch.cuda.default_stream()):
            graph.capture_begin()
    except RuntimeError as error:
        assert "must be captured on a non-default stream" in str(error), error
        return
    raise AssertionError("the default stream was captured")


def a_kernel(wrong_by):
    n = 1000
    x, y = torch.empty(n, device=CUDA), torch.empty(n, device=CUDA)

    def work():
        scale[(4,)](x, y, n + wrong_by, 2.0, block=256)  # the launch
        return (y + 1).sum()

    graph, total = captured(work)
    x.copy_(torch.arange(n, device=CUDA))
    graph.replay()
    assert torch.equal(y, 2 * x) and total == (2 * x + 1).sum()


def main():
    torch.manual_seed(1)
    if sys.argv[1:] == ["wrong_mask"]:
        return a_kernel(4)
    nothing_is_done_before_the_replay()
    inputs_are_filled_after_the_capture()
    a_step_of_training()
    callables()
    a_key_value_cache_under_autocast()
    values_cannot_be_waited_for()
    what_does_not_wait_is_captured()
    a_kernel(0)


main()
