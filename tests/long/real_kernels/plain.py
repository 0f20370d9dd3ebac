"""The mathematics that several packages compute, in plain torch."""

import torch


def tables(*shape, width, dtype=torch.float32, theta=10000.0):
    """cos and sin of the RoFormer formula for positions 0, 1, .. along the last dimension of `shape`, `width` columns."""
    position = torch.arange(shape[-1], dtype=torch.float64).expand(shape)
    angle = position[..., None] * theta ** (-torch.arange(width, dtype=torch.float64) / width)
    return angle.cos().to(dtype), angle.sin().to(dtype)


def mrope_tables(*shape, width, dtype):
    """cos and sin for random positions of each of [3, *shape, 1], as the axes of an image have them."""
    position = torch.randint(0, 90, (3, *shape, 1), generator=torch.Generator("cuda").manual_seed(3)).double()
    angle = position * 10000.0 ** (-torch.arange(width, dtype=torch.float64) / width)
    return angle.cos().to(dtype), angle.sin().to(dtype)


def rotated(x, cos, sin, interleaved=False):
    """x with the first columns of its last dimension rotated, two for each column of cos and sin, as halves or as pairs."""
    width = 2 * cos.shape[-1]
    head, cos, sin = x[..., :width], cos.to(x.dtype), sin.to(x.dtype)
    first, second = (head[..., ::2], head[..., 1::2]) if interleaved else head.chunk(2, -1)
    parts = first * cos - second * sin, second * cos + first * sin
    turned = torch.stack(parts, -1).flatten(-2) if interleaved else torch.cat(parts, -1)
    return torch.cat([turned, x[..., width:]], -1)


def rms(x, weight=1, bias=0, eps=1e-6):
    """RMSNorm over the last dimension."""
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps) * weight + bias


def attention(q, k, v, causal=True, window=None):
    """q [.., T, H, D], k and v [.., S, G, D]; where it is causal the last query sees the last key, and `window` keys at most."""
    group = q.shape[-2] // k.shape[-2]
    k, v = k.repeat_interleave(group, -2), v.repeat_interleave(group, -2)
    score = torch.einsum("...qhd,...khd->...hqk", q, k) * q.shape[-1] ** -0.5
    behind = torch.arange(q.shape[-3])[:, None] + k.shape[-3] - q.shape[-3] - torch.arange(k.shape[-3])
    hidden = ((behind < 0) & causal) | (behind >= (window or k.shape[-3] + 1))
    return torch.einsum("...hqk,...khd->...qhd", score.masked_fill(hidden, float("-inf")).softmax(-1), v)
