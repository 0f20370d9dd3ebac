"""How much of a device's memory is in use, as torch.cuda.memory_stats tells it: torch's own functions read nested()."""

from . import caching, devices

_LARGE = 1 << 20  # bytes: allocations up to this size are of the small pool
_POOLS = ("all", "small_pool", "large_pool")


class Metric:
    """An amount: now, at most, and all that was ever added and taken away."""

    __slots__ = ("current", "peak", "allocated", "freed")

    def __init__(self):
        self.current = self.peak = self.allocated = self.freed = 0

    def add(self, amount):
        self.current += amount
        self.allocated += amount
        if self.current > self.peak:
            self.peak = self.current

    def take(self, amount):
        self.current -= amount
        self.freed += amount

    def as_dict(self):
        return {name: getattr(self, name) for name in self.__slots__}


def _by_pool():
    return {pool: Metric() for pool in _POOLS}


class Usage:
    """Of one device. Its memory is cached as PyTorch caches it (caching.py); only sizes are kept."""

    def __init__(self):
        self.out_of_memory = self.retries = self.waits = 0
        self.asked, self.bytes, self.allocations, self.reserved, self.segments, self.split, self.split_bytes = (
            _by_pool() for _ in range(7))
        self._caches = {}  # by pool and stream

    def allocate(self, size, stream=0):
        """The block, which free() wants; None where nothing is needed."""
        if not size:
            return None
        pool = "large_pool" if size > _LARGE else "small_pool"
        cache = self._caches.get((pool, stream))
        if cache is None:
            cache = self._caches[pool, stream] = caching.Pool(pool == "small_pool")
        block = cache.take(size)
        if block is None:
            wanted = cache.segment_of(size)
            if self.reserved["all"].current + wanted > devices.active.memory:
                self.retries += 1
                self.empty()
            self._count(pool, (self.segments, 1), (self.reserved, wanted))
            block = cache.take_new(size, wanted)
        self._count_split(pool)
        self._count(pool, (self.asked, size), (self.bytes, block.size), (self.allocations, 1))
        return block

    def free(self, block):
        if block is None:
            return
        pool = "small_pool" if block.pool.is_small else "large_pool"
        for of, amount in ((self.asked, block.asked), (self.bytes, block.size), (self.allocations, 1)):
            of["all"].take(amount)
            of[pool].take(amount)
        block.pool.give_back(block)
        self._count_split(pool)

    def empty(self):
        """What torch.cuda.empty_cache does: segments that are free go back."""
        self.waits += 1
        for (pool, _), cache in self._caches.items():
            for size in cache.empty():
                for of, amount in ((self.segments, 1), (self.reserved, size)):
                    of["all"].take(amount)
                    of[pool].take(amount)

    def note_out_of_memory(self):
        """PyTorch empties its cache, and tries once more."""
        self.out_of_memory += 1
        self.retries += 1
        self.empty()

    @staticmethod
    def _count(pool, *amounts):
        for of, amount in amounts:
            of["all"].add(amount)
            of[pool].add(amount)

    def _count_split(self, pool):
        """Notes the free blocks that share a segment with others, where the last call changed them."""
        caches = [cache for (name, _), cache in self._caches.items() if name == pool]
        for of, amount in ((self.split, sum(cache.split for cache in caches)),
                           (self.split_bytes, sum(cache.split_bytes for cache in caches))):
            change = amount - of[pool].current
            if change > 0:
                self._count(pool, (of, change))
            elif change < 0:
                of["all"].take(-change)
                of[pool].take(-change)

    def _all(self):
        groups = self.asked, self.bytes, self.allocations, self.reserved, self.segments, self.split, self.split_bytes
        return [metric for group in groups for metric in group.values()]

    def reset_peak(self):
        for metric in self._all():
            metric.peak = metric.current

    def reset_accumulated(self):
        self.out_of_memory = self.retries = self.waits = 0
        for metric in self._all():
            metric.allocated = metric.freed = 0

    def nested(self):
        """What torch._C._cuda_memoryStats returns."""
        told = {}
        for name, group in (("requested_bytes", self.asked), ("allocated_bytes", self.bytes), ("active_bytes", self.bytes),
                            ("reserved_bytes", self.reserved), ("allocation", self.allocations), ("active", self.allocations),
                            ("segment", self.segments), ("inactive_split", self.split), ("inactive_split_bytes", self.split_bytes)):
            told[name] = {pool: metric.as_dict() for pool, metric in group.items()}
        none = Metric().as_dict()
        return {
            **told, "oversize_allocations": none, "oversize_segments": none, "max_split_size": -1, "num_alloc_retries": self.retries,
            "num_ooms": self.out_of_memory, "num_oom_rejections": 0, "num_sync_all_streams": self.waits,
            "num_device_alloc": self.segments["all"].allocated, "num_device_free": self.segments["all"].freed,
            "reserved_bytes_by_private_pools": {},
        }


_usages = {}  # by index of a device


def of(index):
    found = _usages.get(index)
    if found is None:
        found = _usages[index] = Usage()
    return found


def of_device(device=None):
    """As torch.cuda's functions take it."""
    return of(devices.index_of(device))


def empty_all():
    for one in _usages.values():
        one.empty()
