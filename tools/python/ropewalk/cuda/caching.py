"""How PyTorch's caching allocator shares out a device's memory (c10/cuda/CUDACachingAllocator.cpp, its defaults): sizes alone. It
takes segments from the device, gives out blocks of them, and keeps what is freed. This is done for every tensor, and so with few
calls."""

from bisect import bisect_left, insort

_BLOCK = 512  # a block is of whole pieces of this many bytes
_MIB = 1 << 20


class Block:
    """size: bytes of the block; asked: bytes that the program wanted. before and after: its neighbours in the segment."""

    __slots__ = ("pool", "address", "size", "asked", "before", "after", "is_free")

    def __init__(self, pool, address, size, before=None, after=None):
        self.pool, self.address, self.size, self.before, self.after = pool, address, size, before, after
        self.asked, self.is_free = 0, False


class Pool:
    """The small pool of a stream, whose segments are of 2 MiB, or its large one. split, split_bytes: free blocks that are part of a
    segment."""

    next_address = 0

    def __init__(self, is_small):
        self.is_small, self.split, self.split_bytes = is_small, 0, 0
        self.free = []  # blocks, sorted: (size, address, block)

    def segment_of(self, size):
        """Bytes of the segment that is taken for an allocation."""
        if self.is_small:
            return 2 * _MIB
        return 20 * _MIB if size < 10 * _MIB else -(-size // (2 * _MIB)) * 2 * _MIB

    def take(self, size):
        """A block from the smallest free one that is large enough, or None."""
        wanted = -(-size // _BLOCK) * _BLOCK
        at = bisect_left(self.free, (wanted,))
        if at == len(self.free):
            return None
        block = self.free.pop(at)[2]
        if block.before is not None or block.after is not None:
            self.split -= 1
            self.split_bytes -= block.size
        return self._give(block, size, wanted)

    def take_new(self, size, segment):
        block = Block(self, Pool.next_address, segment)
        Pool.next_address += segment
        return self._give(block, size, -(-size // _BLOCK) * _BLOCK)

    def _give(self, block, size, wanted):
        rest = block.size - wanted
        block.asked, block.is_free = size, False
        if rest >= _BLOCK if self.is_small else rest > _MIB:
            behind = Block(self, block.address + wanted, rest, block, block.after)
            if block.after is not None:
                block.after.before = behind
            block.after, block.size = behind, wanted
            self._put(behind)
        return block

    def give_back(self, block):
        other = block.before
        if other is not None and other.is_free:
            self._remove(other)
            block.address, block.size, block.before = other.address, block.size + other.size, other.before
            if other.before is not None:
                other.before.after = block
        other = block.after
        if other is not None and other.is_free:
            self._remove(other)
            block.size, block.after = block.size + other.size, other.after
            if other.after is not None:
                other.after.before = block
        self._put(block)

    def empty(self):
        """The sizes of the segments that are free, which go back to the device."""
        whole = [block.size for _, _, block in self.free if block.before is None and block.after is None]
        self.free = [one for one in self.free if one[2].before is not None or one[2].after is not None]
        return whole

    def _put(self, block):
        insort(self.free, (block.size, block.address, block))
        block.is_free = True
        if block.before is not None or block.after is not None:
            self.split += 1
            self.split_bytes += block.size

    def _remove(self, block):
        """One that is part of a segment."""
        del self.free[bisect_left(self.free, (block.size, block.address))]
        self.split -= 1
        self.split_bytes -= block.size
