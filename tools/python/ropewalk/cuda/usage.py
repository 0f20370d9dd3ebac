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

    def reset_peak(self):
        self.peak = self.current

    def reset_accumulated(self):
        self.allocated = self.freed = 0

    def as_dict(self):
        return {name: getattr(self, name) for name in self.__slots__}


def _by_pool():
    return {pool: Metric() for pool in _POOLS}


class Tally:
    """Of allocations: their number, the bytes of their blocks, and those that the program wanted. The fields are those of Metric."""

    __slots__ = ("count", "peak_count", "made", "freed", "bytes", "peak_bytes", "bytes_made", "bytes_freed", "asked", "peak_asked",
                 "asked_made", "asked_freed")

    def __init__(self):
        for name in self.__slots__:
            setattr(self, name, 0)

    def add(self, size, asked):
        self.made += 1
        self.bytes_made += size
        self.asked_made += asked
        self.count += 1
        self.bytes += size
        self.asked += asked
        if self.count > self.peak_count:
            self.peak_count = self.count
        if self.bytes > self.peak_bytes:
            self.peak_bytes = self.bytes
        if self.asked > self.peak_asked:
            self.peak_asked = self.asked

    def take(self, size, asked):
        self.freed += 1
        self.bytes_freed += size
        self.asked_freed += asked
        self.count -= 1
        self.bytes -= size
        self.asked -= asked

    def reset_peak(self):
        self.peak_count, self.peak_bytes, self.peak_asked = self.count, self.bytes, self.asked

    def reset_accumulated(self):
        self.made = self.freed = self.bytes_made = self.bytes_freed = self.asked_made = self.asked_freed = 0

    def told(self):
        """As metrics: the allocations, their bytes, the bytes that were wanted."""
        values = [getattr(self, name) for name in self.__slots__]
        return [dict(zip(Metric.__slots__, values[at:at + 4])) for at in (0, 4, 8)]


class _Cache(caching.Pool):
    """A pool of a stream, with the statistics of its device."""

    def __init__(self, usage, name):
        super().__init__(name == "small_pool")
        self.name, self.tally, self.tally_of_all = name, usage.tallies[name], usage.tallies["all"]
        self._splits = usage.split[name], usage.split["all"]
        self._split_bytes = usage.split_bytes[name], usage.split_bytes["all"]

    def note(self, change, change_of_bytes):
        """Of the free blocks that share a segment with others."""
        for metrics, amount in ((self._splits, change), (self._split_bytes, change_of_bytes)):
            if amount > 0:
                metrics[0].add(amount)
                metrics[1].add(amount)
            elif amount:
                metrics[0].take(-amount)
                metrics[1].take(-amount)


class Usage:
    """Of one device. Its memory is cached as PyTorch caches it (caching.py); only sizes are kept."""

    def __init__(self):
        self.out_of_memory = self.retries = self.waits = 0
        self.tallies = {pool: Tally() for pool in _POOLS}
        self.reserved, self.segments, self.split, self.split_bytes = (_by_pool() for _ in range(4))
        self._caches = {}  # by stream: the small pool and the large one

    def allocate(self, size, stream=0):
        """The block, which free() wants; None where nothing is needed."""
        if not size:
            return None
        caches = self._caches.get(stream)
        if caches is None:
            caches = self._caches[stream] = _Cache(self, "small_pool"), _Cache(self, "large_pool")
        cache = caches[size > _LARGE]
        split, split_bytes = cache.split, cache.split_bytes
        block = cache.take(size)
        if block is None:
            block = self._take_new(cache, size)
        cache.tally_of_all.add(block.size, size)
        cache.tally.add(block.size, size)
        if cache.split != split or cache.split_bytes != split_bytes:
            cache.note(cache.split - split, cache.split_bytes - split_bytes)
        return block

    def _take_new(self, cache, size):
        wanted = cache.segment_of(size)
        if self.reserved["all"].current + wanted > devices.active.memory:
            self.retries += 1
            self.empty()
        for of, amount in ((self.segments, 1), (self.reserved, wanted)):
            of["all"].add(amount)
            of[cache.name].add(amount)
        return cache.take_new(size, wanted)

    def free(self, block):
        if block is None:
            return
        cache, size, asked = block.pool, block.size, block.asked
        cache.tally_of_all.take(size, asked)
        cache.tally.take(size, asked)
        split, split_bytes = cache.split, cache.split_bytes
        cache.give_back(block)
        if cache.split != split or cache.split_bytes != split_bytes:
            cache.note(cache.split - split, cache.split_bytes - split_bytes)

    def empty(self):
        """What torch.cuda.empty_cache does: segments that are free go back."""
        self.waits += 1
        for cache in (one for caches in self._caches.values() for one in caches):
            for size in cache.empty():
                for of, amount in ((self.segments, 1), (self.reserved, size)):
                    of["all"].take(amount)
                    of[cache.name].take(amount)

    def note_out_of_memory(self):
        """PyTorch empties its cache, and tries once more."""
        self.out_of_memory += 1
        self.retries += 1
        self.empty()

    def _metrics(self):
        return [metric for group in (self.reserved, self.segments, self.split, self.split_bytes) for metric in group.values()]

    def reset_peak(self):
        for one in (*self.tallies.values(), *self._metrics()):
            one.reset_peak()

    def reset_accumulated(self):
        self.out_of_memory = self.retries = self.waits = 0
        for one in (*self.tallies.values(), *self._metrics()):
            one.reset_accumulated()

    def nested(self):
        """What torch._C._cuda_memoryStats returns."""
        told = {name: {pool: metric.as_dict() for pool, metric in group.items()} for name, group in (
            ("reserved_bytes", self.reserved), ("segment", self.segments), ("inactive_split", self.split),
            ("inactive_split_bytes", self.split_bytes))}
        numbers, taken, asked = ({pool: tally.told()[at] for pool, tally in self.tallies.items()} for at in range(3))
        told |= {"allocation": numbers, "active": numbers, "allocated_bytes": taken, "active_bytes": taken, "requested_bytes": asked}
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
