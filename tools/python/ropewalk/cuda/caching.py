"""How PyTorch's caching allocator shares out a device's memory (c10/cuda/CUDACachingAllocator.cpp, its defaults): sizes alone. It
takes segments from the device, gives out blocks of them, and keeps what is freed."""

import bisect
import itertools

_BLOCK = 512  # a block is of whole pieces of this many bytes
_MIB = 1 << 20
_numbers = itertools.count()


class Block:
    """size: bytes of the block; asked: bytes that the program wanted. before and after: its neighbours in the segment."""

    __slots__ = ("pool", "size", "asked", "before", "after", "is_free", "number")

    def __init__(self, pool, size, before=None, after=None):
        self.pool, self.size, self.before, self.after = pool, size, before, after
        self.asked, self.is_free, self.number = 0, False, next(_numbers)

    def is_part(self):
        return self.before is not None or self.after is not None

    def place(self):
        """In the order of free blocks."""
        return self.size, self.number


class Pool:
    """The small pool, whose segments are of 2 MiB, or the large one. split, split_bytes: free blocks that are part of a segment."""

    def __init__(self, is_small):
        self.is_small, self.split, self.split_bytes = is_small, 0, 0
        self._free, self._blocks = [], {}  # sorted places of free blocks; the blocks by their places

    def segment_of(self, size):
        """Bytes of the segment that is taken for an allocation."""
        if self.is_small:
            return 2 * _MIB
        return 20 * _MIB if size < 10 * _MIB else -(-size // (2 * _MIB)) * 2 * _MIB

    def take(self, size):
        """The smallest free block that is large enough, or None."""
        at = bisect.bisect_left(self._free, (_rounded(size), -1))
        if at == len(self._free):
            return None
        return self._give(self._remove(at), size)

    def take_new(self, size, segment):
        return self._give(Block(self, segment), size)

    def give_back(self, block):
        for other in (block.before, block.after):
            if other is not None and other.is_free:
                self._remove(bisect.bisect_left(self._free, other.place()))
                block.size += other.size
                self._leave_out(other)
        self._put(block)

    def empty(self):
        """The sizes of the segments that are free, which go back to the device."""
        whole = [place for place in self._free if not self._blocks[place].is_part()]
        for place in whole:
            self._remove(bisect.bisect_left(self._free, place))
        return [size for size, _ in whole]

    def _give(self, block, size):
        wanted, block.asked = _rounded(size), size
        rest = block.size - wanted
        if rest >= _BLOCK if self.is_small else rest > _MIB:
            behind = Block(self, rest, block, block.after)
            if block.after is not None:
                block.after.before = behind
            block.after, block.size = behind, wanted
            self._put(behind)
        return block

    def _put(self, block):
        block.is_free = True
        bisect.insort(self._free, block.place())
        self._blocks[block.place()] = block
        self._note(block, 1)

    def _remove(self, at):
        block = self._blocks.pop(self._free.pop(at))
        block.is_free = False
        self._note(block, -1)
        return block

    def _note(self, block, sign):
        if block.is_part():
            self.split += sign
            self.split_bytes += sign * block.size

    @staticmethod
    def _leave_out(block):
        if block.before is not None:
            block.before.after = block.after
        if block.after is not None:
            block.after.before = block.before


def _rounded(size):
    return -(-size // _BLOCK) * _BLOCK
