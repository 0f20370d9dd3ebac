"""What PyTorch refuses on a GPU is refused here, with what goes through beside it; and what torch.cuda answers of memory.
Usage: device_rules.py, with the package on the path"""

import gc
import sys

import torch

sys.dont_write_bytecode = True
import ropewalk.cuda  # noqa: E402
from on_cuda import ON, on, refused  # noqa: E402

ropewalk.cuda.activate("sm_80")


def set_item(tensor, where, value):
    tensor[where] = value
    return tensor


ONE_DEVICE, INDICES = "Expected all tensors to be on the same device", "indices should be either on cpu or on the same device"
x, mask, chosen = on(1.0, 2.0, 3.0, 4.0), on(True, True, False, False), torch.tensor([1, 2])

# Values, and indices.
refused(ONE_DEVICE, lambda: torch.where(mask, torch.ones(4), torch.ones(4)))
refused(ONE_DEVICE, lambda: x.clone().index_put_((chosen,), torch.ones(2)))
refused(ONE_DEVICE, lambda: set_item(x.clone(), mask, torch.ones(2)))
refused(ONE_DEVICE, lambda: set_item(x.clone(), [0, 1], torch.ones(2)))
refused(ONE_DEVICE, lambda: set_item(torch.ones(4), chosen, on(1.0, 2.0)))
refused(ONE_DEVICE, lambda: torch.allclose(x, torch.ones(4)))
refused(INDICES, lambda: torch.ones(4)[on(1, 2)])
assert set_item(torch.ones(4), on(1, 2), 3.0).tolist() == [1, 3, 3, 1]
assert set_item(torch.ones(4), on(1, 2), on(3.0)).tolist() == [1, 3, 3, 1]
assert torch.ones(4).index_put((on(1, 2),), torch.zeros(2)).is_cpu
refused("expected device cuda:0 but got device cpu", lambda: x.clone().index_put_((chosen,), torch.ones(2), accumulate=True))
assert torch.where(mask, x, torch.tensor(0.0)).tolist() == [1, 2, 0, 0]
assert x.clone().index_put_((chosen,), on(8.0, 9.0)).tolist() == [1, 8, 9, 4]
assert x.clone().index_put_((chosen,), torch.tensor(8.0)).tolist() == [1, 8, 8, 4]
assert set_item(x.clone(), mask, torch.tensor(5.0)).tolist() == [5, 5, 3, 4]
assert set_item(x.clone(), slice(1, 3), torch.ones(2)).tolist() == [1, 1, 1, 4]
assert set_item(x.clone(), 0, torch.tensor(7.0)).tolist() == [7, 2, 3, 4]
assert x[chosen].tolist() == [2, 3] and x[chosen].is_cuda and torch.ones(4)[on(1)[0]].item() == 1

# A tensor that stands for a number does not say where the result is.
two, vector = on(2.0)[0], torch.ones(2)
for result in (torch.add(vector, vector, alpha=two), torch.addr(torch.ones(2, 2), vector, vector, alpha=two, beta=two),
               torch.addcmul(vector, vector, vector, value=two), torch.full((2,), two), torch.full_like(vector, fill_value=two),
               vector.new_full((2,), two), torch.arange(two), vector.clone().add_(vector, alpha=two)):
    assert result.is_cpu, result
assert torch.add(vector, vector, alpha=two).tolist() == [3, 3] and torch.full((2,), two).tolist() == [2, 2]
assert torch.add(x, x, alpha=torch.tensor(2.0)).tolist() == [3, 6, 9, 12] and torch.add(x, x, alpha=two).is_cuda
assert torch.full((2,), two, device=ON).is_cuda
refused(ONE_DEVICE, lambda: torch.addcmul(vector, on(1.0, 1.0), vector, value=two))

lstm, packed = torch.nn.LSTM(2, 2).to(ON), torch.nn.utils.rnn.pack_padded_sequence(torch.ones(2, 1, 2, device=ON), [2])
hidden = torch.zeros(1, 1, 2)
refused("Input and hidden tensors are not at the same device", lambda: lstm(torch.ones(2, 1, 2, device=ON), (hidden, hidden)))
assert lstm(packed, (hidden.to(ON), hidden.to(ON)))[0].data.is_cuda and torch.nn.LSTM(2, 2)(torch.ones(1, 1, 2), (hidden, hidden))
refused("Input and parameter tensors are not at the same device", lambda: torch.nn.LSTM(2, 2)(torch.ones(2, 1, 2, device=ON)))
refused(ONE_DEVICE, lambda: torch.bucketize(x, torch.ones(1)))
square, vector = torch.eye(2), torch.ones(4)
for function, other in ((lambda one: torch.linalg.solve(square.to(ON), one), square), (lambda one: torch.kron(square.to(ON), one), square),
                        (lambda one: torch.cholesky_solve(square.to(ON), one), square), (lambda one: torch.complex(x, one), vector),
                        (lambda one: torch.stft(x.repeat(4), 4, window=one, return_complex=True), vector),
                        (lambda one: torch.polar(x, one), vector), (lambda one: torch.heaviside(x, one), vector),
                        (lambda one: torch.dist(x, one), vector), (lambda one: torch.normal(x, one), vector),
                        (lambda one: torch.trapezoid(x, one), vector),
                        (lambda one: torch.sparse.mm(square.to(ON).to_sparse(), one), square),
                        (lambda one: torch.sparse.mm(one.to_sparse(), square.to(ON)), square),
                        (lambda one: torch.linalg.matmul(square.to(ON), one), square),
                        (lambda one: torch.nn.functional.cosine_similarity(square.to(ON), one), square)):
    refused("on the same device", lambda: function(other))  # in words of their own
    assert function(other.to(ON)).is_cuda
refused(ONE_DEVICE, lambda: torch.nn.MultiheadAttention(2, 1).to(ON)(*[torch.ones(2, 1, 2, device=ON)] * 3,
                                                                    key_padding_mask=torch.zeros(1, 2).bool()))
weight = torch.nn.Parameter(on(1.0, 2.0))
refused("attempting to assign a gradient with device type 'cpu' to a tensor with device type 'cuda'",
        lambda: setattr(weight, "grad", torch.ones(2)))
EXPECTED_THERE = "invalid gradient at index 0 - expected device cuda:0 but got cpu"
refused(EXPECTED_THERE, lambda: (weight * 2).backward(torch.ones(2)))
refused(EXPECTED_THERE, lambda: torch.autograd.grad(weight * 2, weight, torch.ones(2)))
torch.autograd.grad((weight * 2).sum(), weight, torch.tensor(1.0))
weight.grad = on(1.0, 1.0)
(weight * 2).backward(on(1.0, 1.0))
assert weight.grad.tolist() == [3, 3]

# Types: products of whole numbers are not on CUDA; what the CPU has for float32 alone is.
vector, matrix, batch = on(1, 2), torch.ones(2, 2, device=ON, dtype=torch.long), torch.ones(3, 2, 2, device=ON, dtype=torch.int)
for kernel, product in (("dot", lambda: vector @ vector), ("dot", lambda: torch.nn.functional.linear(vector, vector)),
                        ("addmm_cuda", lambda: matrix @ matrix), ("addmv_impl_cuda", lambda: matrix @ vector)):
    refused(f'"{kernel}" not implemented for \'Long\'', product)
refused("\"baddbmm_cuda\" not implemented for 'Int'", lambda: batch @ batch)
refused("\"baddbmm_cuda\" not implemented for 'Long'", lambda: torch.einsum("ij,jk->ik", matrix, matrix))
refused("same dtype", lambda: matrix @ matrix.float())
assert torch.einsum("i,j->ij", vector, vector).tolist() == [[1, 2], [2, 4]]
assert (torch.tensor([1, 2]) @ torch.tensor([1, 2])).item() == 5
for short in (torch.float16, torch.bfloat16):
    volume = torch.randn(1, 2, 4, 4, 4, device=ON, dtype=short, requires_grad=True)
    pooled = torch.nn.functional.avg_pool3d(volume, 2)
    assert torch.equal(pooled, torch.nn.functional.avg_pool3d(volume.float(), 2).to(short)) and pooled.dtype == short
    pooled.sum().backward()
    assert volume.grad.dtype == short and volume.grad.is_cuda
    refused("not implemented for", lambda: torch.linalg.cholesky(torch.eye(2, device=ON, dtype=short)))
spectrum = torch.fft.rfft(x.half())
assert spectrum.dtype == torch.complex32 and spectrum.is_cuda and torch.fft.irfft(spectrum).tolist() == x.tolist()
assert torch.histc(on(0, 1, 1, 3), bins=4, min=0, max=3).tolist() == [1, 2, 0, 1]
refused("histogram_cpu", lambda: torch.histc(torch.tensor([1, 2])))

# Generators, pinned memory, lengths.
refused("Expected a 'cuda' device type for generator but found 'cpu'",
        lambda: torch.rand(3, device=ON, generator=torch.Generator()))
refused("Expected a 'cpu' device type for generator but found 'cuda'", lambda: torch.randperm(3, generator=torch.Generator(ON)))
refused("Expected a 'cuda' device type", lambda: x.clone().normal_(generator=torch.Generator()))
refused("cannot pin 'torch.cuda.FloatTensor'", lambda: x.pin_memory())
refused("'lengths' argument should be a 1D CPU int64 tensor",
        lambda: torch.nn.utils.rnn.pack_padded_sequence(torch.ones(3, 2, 2, device=ON), on(3, 2)))
with torch.device(ON):
    assert torch.rand(3, generator=torch.Generator(ON)).is_cuda
    refused("Expected a 'cuda' device type", lambda: torch.rand(3, generator=torch.Generator()))
torch.set_default_device(ON)
assert torch.rand(3, generator=torch.Generator(ON)).is_cuda and torch.rand(3, device="cpu", generator=torch.Generator("cpu")).is_cpu
refused("Expected a 'cuda' device type", lambda: torch.rand(3, generator=torch.Generator("cpu")))
refused("Expected a 'cpu' device type", lambda: torch.rand(3, device="cpu", generator=torch.Generator(ON)))
torch.set_default_device(None)
assert torch.rand(3, device=ON, generator=torch.Generator(ON)).is_cuda and torch.rand(3, generator=torch.Generator()).is_cpu

# Memory: blocks of 512 bytes in segments of 2 or 20 MiB, and every key that the documentation names.
gc.collect()
torch.cuda.empty_cache()
torch.cuda.reset_accumulated_memory_stats()
before = torch.cuda.memory_stats()
large, small = torch.empty((1 << 20) + 1, dtype=torch.uint8, device=ON), torch.empty(10, dtype=torch.uint8, device=ON)
during = torch.cuda.memory_stats()
del large
after = torch.cuda.memory_stats()


def grown(name, first, second):
    return second[name] - first[name]


assert grown("allocated_bytes.all.current", before, during) == (1 << 20) + 1024
assert grown("reserved_bytes.large_pool.current", before, during) == 20 << 20
assert grown("segment.large_pool.current", before, during) == 1 == grown("num_device_alloc", before, during)
assert grown("inactive_split_bytes.large_pool.current", before, during) == (19 << 20) - 512
assert grown("allocated_bytes.small_pool.allocated", before, during) == 512
assert grown("requested_bytes.small_pool.current", before, during) == 10
assert grown("allocation.large_pool.current", during, after) == -1 and grown("allocation.all.freed", during, after) == 1
assert after["allocated_bytes.all.peak"] == during["allocated_bytes.all.peak"] >= 1 << 20
assert torch.cuda.memory_allocated() == after["allocated_bytes.all.current"]
assert torch.cuda.memory_reserved() == during["reserved_bytes.all.current"]
torch.cuda.empty_cache()
assert torch.cuda.memory_reserved() == during["reserved_bytes.all.current"] - (20 << 20)
at_most_small = torch.empty(1 << 20, dtype=torch.uint8, device=ON)
assert grown("allocation.small_pool.current", after, torch.cuda.memory_stats()) == 1
del at_most_small
torch.cuda.reset_peak_memory_stats()
assert torch.cuda.max_memory_allocated() == torch.cuda.memory_allocated()
kinds = ("allocation", "allocated_bytes", "segment", "reserved_bytes", "active", "active_bytes", "inactive_split",
         "inactive_split_bytes", "requested_bytes")
documented = [f"{kind}.{pool}.{when}" for kind in kinds for pool in ("all", "large_pool", "small_pool")
              for when in ("current", "peak", "allocated", "freed")]
assert not {*documented, "num_alloc_retries", "num_ooms", "num_sync_all_streams", "num_device_alloc", "num_device_free",
            "max_split_size"} - {*after}
assert "PyTorch CUDA memory summary, device ID 0" in torch.cuda.memory_summary()
too_much = (1 << 20, 1 << 20)
for made in (lambda: torch.empty(1 << 40, device=ON), lambda: torch.full(too_much, 1.0, device=ON), lambda: x.new_zeros(too_much),
             lambda: x.new_empty(*too_much), lambda: torch.zeros_like(on(1.0).expand(too_much))):
    try:
        made()
        raise AssertionError("a tensor that does not fit was made")
    except torch.OutOfMemoryError:
        pass
assert grown("num_ooms", after, torch.cuda.memory_stats()) == 5

# The device, and the doors to the runtime.
about = torch.cuda.get_device_properties(0)
assert (about.clock_rate, about.memory_clock_rate, about.memory_bus_width) == (1410000, 1593000, 5120)
assert len(str(about.uuid)) == 36 and min(about.pci_domain_id, about.pci_bus_id, about.pci_device_id) >= 0
torch.cuda.profiler.start()
torch.cuda.profiler.stop()
assert torch.cuda.cudart().cudaProfilerStart() == torch.cuda.cudart().cudaError.success

# Modules that are cast: what is no float keeps its type, and None is no device.
counts = torch.zeros(2, dtype=torch.int64, device=ON)
assert (counts.to(None, None, False) is counts) and counts.to(None, torch.float32, False).dtype == torch.float32
assert str(counts.to(None, torch.int64, False, True).device) == "cuda:0" and str(torch.ones(2).to(None, None, False).device) == "cpu"
for module in (torch.nn.BatchNorm1d(3), torch.nn.BatchNorm1d(3).to(ON)):
    before = module.weight.device
    cast = module.to(torch.float64)
    assert (cast.weight.dtype, cast.weight.device, cast.num_batches_tracked.dtype) == (torch.float64, before, torch.int64)
assert torch.nn.Conv2d(2, 4, 1).to(ON).to(memory_format=torch.channels_last).weight.is_cuda


# A process that was forked from one that used a device.
def says(queue, device):
    try:
        queue.put(str(torch.ones(2, device=device).device))
    except RuntimeError as error:
        queue.put(str(error))


forked = torch.multiprocessing.get_context("fork")
for device, words in ((ON, "Cannot re-initialize CUDA in forked subprocess"), ("cpu", "cpu")):
    queue = forked.SimpleQueue()
    process = forked.Process(target=says, args=(queue, device))
    process.start()
    assert words in queue.get()
    process.join()
print("as on a GPU")
