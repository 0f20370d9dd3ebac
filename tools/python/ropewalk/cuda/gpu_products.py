"""Products that are asked for in another type than that of their operands, and those of weights of four bits."""

import torch

from .gpu_operators import kernel


@kernel("mm.dtype", "bmm.dtype")
def _product(first, second, out_dtype):
    return torch.matmul(first.to(out_dtype), second.to(out_dtype))


@kernel("addmm.dtype", "baddbmm.dtype")
def _sum_and_product(added, first, second, out_dtype, *, beta=1, alpha=1):
    function = torch.addmm if first.dim() == 2 else torch.baddbmm
    return function(added.to(out_dtype), first.to(out_dtype), second.to(out_dtype), beta=beta, alpha=alpha)


def _rows_and_columns(tiles_of_rows, tiles_of_columns, inner_tiles):
    """The row and the column of each of the 8 numbers in each 32-bit word: tensors [rows / 8, tiles, 32 lanes, words, 8]. They lie as
    the lanes of mma.m16n8k16 hold its B."""
    tile = torch.arange(tiles_of_columns)[:, None, None, None] * inner_tiles + 2 * torch.arange(inner_tiles // 2)[:, None]
    lane = torch.arange(32)[:, None, None]
    column = 2 * (lane % 4) + torch.tensor([0, 8, 16, 24, 1, 9, 17, 25])
    row = 8 * torch.arange(tiles_of_rows)[:, None, None, None, None] + lane // 4
    return torch.broadcast_tensors(row, 16 * tile + column)


@kernel("_convert_weight_to_int4pack")
def _pack(weight, inner_tiles):
    """weight: uint8 [rows, columns / 2], the first of two numbers in the upper half of a byte."""
    if weight.dtype != torch.uint8 or weight.dim() != 2:
        raise RuntimeError("_convert_weight_to_int4pack: expected a matrix of torch.uint8")
    if inner_tiles not in (2, 4, 8):
        raise RuntimeError("innerKTiles == 2 || innerKTiles == 4 || innerKTiles == 8 INTERNAL ASSERT FAILED")
    rows, columns = weight.shape[0], 2 * weight.shape[1]
    numbers = torch.stack([weight >> 4, weight & 15], -1).view(rows, columns).long()
    row, column = _rows_and_columns(-(-rows // 8), -(-columns // (16 * inner_tiles)), inner_tiles)
    inside = (row < rows) & (column < columns)
    chosen = torch.where(inside, numbers[row.clamp(max=rows - 1), column.clamp(max=columns - 1)], 0)
    words = (chosen << 4 * torch.arange(8)).sum(-1)
    return torch.where(words >= 1 << 31, words - (1 << 32), words).to(torch.int32)


@kernel("_weight_int4pack_mm")
def _packed_product(first, packed, group, scales_and_zeros):
    """scales_and_zeros: [columns / group, rows, 2]. A number n of 0 to 15 stands for (n - 8) * scale + zero."""
    rows, inner_tiles = 8 * packed.shape[0], 2 * packed.shape[3]
    row, column = _rows_and_columns(packed.shape[0], packed.shape[1], inner_tiles)
    numbers = torch.empty(rows, 16 * inner_tiles * packed.shape[1])
    numbers[row, column] = ((packed.long()[..., None] >> 4 * torch.arange(8)) & 15).float() - 8
    numbers = numbers[:, :first.shape[1]]
    scale, zero = (one.repeat_interleave(group, 0).t().float() for one in scales_and_zeros.unbind(-1))
    weight = (numbers[:scale.shape[0]] * scale + zero).to(first.dtype)
    return (first.float() @ weight.float().t()).to(first.dtype)
