"""fla.modules.RotaryEmbedding, forward and backward, on "cuda" tensors, against its own reference in plain torch."""

import sys

import torch

sys.path.append(sys.argv[1])  # the wheels' folder
from fla.modules import RotaryEmbedding  # noqa: E402
from fla.modules.rotary import rotary_embedding_ref  # noqa: E402


def main():
    torch.manual_seed(4)
    for dim, interleaved, length in ((64, False, 37), (48, True, 20)):
        module = RotaryEmbedding(dim=dim, interleaved=interleaved).cuda()
        q, k = (torch.randn(2, length, 4, 64, device="cuda", requires_grad=True) for _ in range(2))
        rotated = module(q, k)
        cos, sin = module._cos_cached[:length], module._sin_cached[:length]
        expected = [rotary_embedding_ref(one, cos, sin, interleaved) for one in (q, k)]
        pulls = [torch.randn_like(one) for one in rotated]
        gradients = torch.autograd.grad(rotated, (q, k), pulls)
        expected += torch.autograd.grad(expected, (q, k), pulls)
        for got, wanted in zip((*rotated, *gradients), expected):
            assert got.is_cuda and torch.allclose(got, wanted, rtol=1e-5, atol=1e-6), (got - wanted).abs().max()
    print("as the reference")


if __name__ == "__main__":
    main()
