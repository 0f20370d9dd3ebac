"""The founding bug, as its user met it: a layer of a model makes fla's RotaryEmbedding with dim = hidden_size (wrong) or dim = head_dim
(right). Usage: founding_bug.py WHEELS right|wrong, with fla-core 0.5.2 on the path"""

import sys

import torch
from torch import nn

sys.path.append(sys.argv[1])  # einops lies there
from fla.modules.rotary import RotaryEmbedding  # noqa: E402


class Attention(nn.Module):

    def __init__(self, hidden_size, heads, rotary_width):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(hidden_size, 2 * hidden_size)
        self.rotary = RotaryEmbedding(dim=rotary_width)

    def forward(self, x):
        q, k = self.project(x).chunk(2, -1)
        q, k = (one.reshape(*x.shape[:2], self.heads, -1) for one in (q, k))
        q, k = self.rotary(q, k)  # the layer's own line
        return torch.einsum("bthd,bshd->bhts", q, k).softmax(-1)


class Model(nn.Module):

    def __init__(self, hidden_size, heads, rotary_width):
        super().__init__()
        self.layers = nn.ModuleList(Attention(hidden_size, heads, rotary_width) for _ in range(2))

    def forward(self, x):
        return sum(layer(x) for layer in self.layers)


def main():
    hidden_size, heads = 128, 4
    model = Model(hidden_size, heads, {"right": hidden_size // heads, "wrong": hidden_size}[sys.argv[2]]).cuda()
    model(torch.randn(2, 24, hidden_size, device="cuda"))


if __name__ == "__main__":
    main()
