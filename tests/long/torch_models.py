"""Small models in the style of Llama, with the ways in which real ones keep and rebuild their rope caches."""
import math

import torch
from torch import nn

HEAD_DIM, HEADS, LENGTH, THETA = 16, 4, 256, 10000.0
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 64}


def frequencies(scaling=None):
    """1 / theta^(2i / d), and Llama 3.1's smoothing of them, both in float32."""
    w = 1.0 / THETA ** (torch.arange(0, HEAD_DIM, 2).float() / HEAD_DIM)
    if scaling is None:
        return w
    length, factor = scaling["original_max_position_embeddings"], scaling["factor"]
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    wavelength = 2 * math.pi / w
    smooth = ((length / wavelength - low) / (high - low)).clamp(0, 1)
    return w * ((1 - smooth) / factor + smooth)


class TableRope(nn.Module):
    """Lit-GPT's way: cos and sin, not persistent. `when` says what its reset does: "always", "if_meta"."""

    def __init__(self, when="always"):
        super().__init__()
        self.when = when
        self.build()

    def build(self):
        angles = torch.outer(torch.arange(LENGTH).float(), frequencies())
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def reset_parameters(self):
        if self.when == "always" or self.cos.is_meta:
            with torch.device(self.cos.device):
                self.build()

    def table(self, tokens):
        return self.cos[:tokens], self.sin[:tokens]


class FrequencyRope(nn.Module):
    """transformers' way: inv_freq alone; the tables are made in each forward."""

    def __init__(self, when="always"):
        super().__init__()
        self.register_buffer("inv_freq", frequencies(), persistent=False)

    def reset_parameters(self):
        with torch.no_grad():
            self.inv_freq.copy_(frequencies().to(self.inv_freq.device))

    def table(self, tokens):
        angles = torch.outer(torch.arange(tokens).float(), self.inv_freq.float())
        return angles.cos(), angles.sin()


class ComplexRope(nn.Module):
    """TorchTitan's way: complex exponentials of scaled frequencies; `when` "plain": the reset leaves out the scaling."""

    def __init__(self, when="always"):
        super().__init__()
        self.when = when
        self.register_buffer("freqs_cis", self.build(LLAMA3), persistent=False)

    @staticmethod
    def build(scaling):
        angles = torch.outer(torch.arange(LENGTH).float(), frequencies(scaling))
        return torch.polar(torch.ones_like(angles), angles)

    def init_weights(self):
        with torch.device(self.freqs_cis.device):
            self.freqs_cis = self.build(None if self.when == "plain" else LLAMA3)

    def table(self, tokens):
        return self.freqs_cis[:tokens].real, self.freqs_cis[:tokens].imag


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        width = HEAD_DIM * HEADS
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)

    def forward(self, x, cos, sin):
        batch, tokens, width = x.shape
        q, k, v = self.qkv(x).view(batch, tokens, 3, HEADS, HEAD_DIM).permute(2, 0, 3, 1, 4)

        def turned(t):
            a, b = t.chunk(2, -1)
            return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)

        y = nn.functional.scaled_dot_product_attention(turned(q), turned(k), v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(batch, tokens, width))


class Model(nn.Module):
    def __init__(self, rope, when="always", layers=2):
        super().__init__()
        self.embedding = nn.Embedding(32, HEAD_DIM * HEADS)
        self.rope = rope(when)
        self.layers = nn.ModuleList(Attention() for _ in range(layers))

    def forward(self, tokens):
        x = self.embedding(tokens)
        cos, sin = self.rope.table(tokens.shape[1])
        for layer in self.layers:
            x = x + layer(x, cos, sin)
        return x
