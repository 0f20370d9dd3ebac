"""Autocast of CUDA, without a GPU: the types that PyTorch documents for its CUDA operators (torch.amp, "CUDA Op-Specific Behavior")."""

import copy
import sys

import torch
import torch.nn.functional as F
from torch import nn

import ropewalk

CUDA = "cuda"
F32, F64 = torch.float32, torch.float64
RMS_NORM_IS_CAST = torch._C._dispatch_has_kernel_for_dispatch_key("aten::rms_norm", "AutocastCUDA")  # not by PyTorch 2.11


def types_are_as_documented(low):
    x = torch.randn(4, 8, device=CUDA)
    h, zeros = x.to(low), torch.zeros(4, dtype=torch.long, device=CUDA)
    columns, image = zeros[:, None].expand(4, 8), torch.randn(1, 3, 8, 8, device=CUDA)
    with torch.autocast(CUDA, dtype=low):
        expected = [
            (low, x @ x.t(), F.linear(x, x), torch.einsum("ij,kj->ik", x, x), torch.addmm(x, x, x.new_zeros(8, 8))),
            (low, F.conv2d(image, torch.randn(4, 3, 3, 3, device=CUDA), padding="same"), F.prelu(x, x.new_ones(1))),
            (low, F.scaled_dot_product_attention(x[None], x[None], x[None])),
            (F32, h.softmax(-1), F.log_softmax(h, dim=-1), F.layer_norm(h, (8,)), F.group_norm(h, 2)),
            (F32 if RMS_NORM_IS_CAST else low, F.rms_norm(h, (8,))),
            (F32, h.exp(), h**2, 2**h, 1 / h, torch.rsqrt(h), h.norm(), h.norm(dim=-1), F.normalize(h), h.logsumexp(-1)),
            (F32, h.sum(), h.sum(-1), h.cumsum(-1), h.prod(-1), F.cross_entropy(h, zeros), F.mse_loss(h, h)),
            (F32, F.interpolate(h[None, None], scale_factor=2)),
            (low, h.relu(), F.gelu(h), h.mean(), h + h, h.max(), nn.BatchNorm1d(8).cuda()(h)),
            (low, torch.dot(h[0], h[0]), torch.atan2(h, h), h.softmax(-1, low), h.sum(-1, dtype=low)),
            (F32, torch.atan2(h, x), torch.zeros_like(x).scatter_add(1, columns, h), torch.cat([h, x]), h + x),
            (F64, x.double() @ x.double().t(), x.double().softmax(-1)),
            (torch.int64, zeros.sum(), zeros.cumsum(0)),
            (F32, torch.ones(4, 8) @ torch.ones(8, 4)),  # of the CPU
        ]
        try:
            F.binary_cross_entropy(h.sigmoid(), h.sigmoid())
            raise AssertionError("binary_cross_entropy under autocast")
        except RuntimeError as error:
            assert "binary_cross_entropy_with_logits" in str(error), error
    for row, (dtype, *results) in enumerate(expected):
        assert [result.dtype for result in results] == [dtype] * len(results), (row, dtype, [one.dtype for one in results])


def values_are_those_of_casts_by_hand(low):
    net = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 8)).cuda()
    x = torch.randn(4, 8, device=CUDA)
    with torch.autocast(CUDA, dtype=low):
        y = net(x)

    def linear(layer, x):
        return F.linear(x.to(low), layer.weight.to(low), layer.bias.to(low))

    hidden = F.layer_norm(F.gelu(linear(net[0], x)).float(), (16,), net[2].weight, net[2].bias)
    assert torch.equal(y, linear(net[3], hidden))


def modules_train(low):
    x = torch.randn(2, 4, 8, device=CUDA)
    for module in (nn.LSTM(8, 8, 2, bidirectional=True), nn.GRU(8, 8), nn.RNN(8, 8), nn.LSTMCell(8, 8), nn.GRUCell(8, 8),
                   nn.TransformerEncoderLayer(8, 2, 16), nn.Conv1d(4, 4, 3)):
        module.cuda()
        with torch.autocast(CUDA, dtype=low):
            y = module(x[0] if isinstance(module, nn.RNNCellBase) else x)
            y = y[0] if isinstance(y, tuple) else y
            # cuDNN's layers cast to float16, whatever the type is.
            expected = torch.float16 if isinstance(module, nn.RNNBase) else low
            assert y.dtype == (F32 if isinstance(module, nn.TransformerEncoderLayer) else expected), (module, y.dtype)
        y.float().square().sum().backward()
        assert all(parameter.grad.dtype == F32 and parameter.grad.is_cuda for parameter in module.parameters()), module


def recurrent_layers_compute_in_half(low):
    layer, x = nn.LSTM(8, 8).cuda(), torch.randn(4, 2, 8, device=CUDA)
    with torch.autocast(CUDA, dtype=low):
        y, (h, c) = layer(x)
        with torch.backends.cudnn.flags(enabled=False):
            assert layer(x)[0].dtype == low
    assert torch.equal(y, copy.deepcopy(layer).half()(x.half())[0]) and {y.dtype, h.dtype, c.dtype} == {torch.float16}


def a_parameter_is_cast_again_after_it_changed(low):
    layer, x = nn.Linear(8, 8).cuda(), torch.randn(4, 8, device=CUDA)
    for _ in range(2):
        with torch.autocast(CUDA, dtype=low):
            with torch.no_grad():
                layer(x)
            y = layer(x)
            with torch.autocast(CUDA, enabled=False):
                assert layer(x).dtype == F32
        assert torch.equal(y, F.linear(x.to(low), layer.weight.to(low), layer.bias.to(low)))
        y.float().sum().backward()
        with torch.no_grad():
            layer.weight.add_(1)


def that_of_the_cpu_is_apart():
    x = torch.randn(4, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert (x @ x.t()).dtype == torch.bfloat16
        assert (x.cuda() @ x.cuda().t()).dtype == F32
        with torch.autocast(CUDA, dtype=torch.float16):
            assert (x @ x.t()).dtype == torch.bfloat16 and (x.cuda() @ x.cuda().t()).dtype == torch.float16


def main():
    torch.manual_seed(1)
    with ropewalk.machine():
        for low in (torch.bfloat16, torch.float16):
            types_are_as_documented(low)
            values_are_those_of_casts_by_hand(low)
            modules_train(low)
            recurrent_layers_compute_in_half(low)
            a_parameter_is_cast_again_after_it_changed(low)
        that_of_the_cpu_is_apart()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.ones(2, 2).matmul(torch.ones(2, 2)).dtype == torch.bfloat16


if __name__ == "__main__":
    sys.exit(main())
