"""How much of a device's memory is in use, as torch.cuda.memory_stats tells it: torch's own functions read nested()."""

from . import devices

_LARGE = 1 << 20  # bytes, from which on an allocation is of the large pool
_BLOCK = 512  # an allocation is of whole blocks of this many bytes
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


class Usage:
    """Of one device. Nothing is cached: what is allocated is what is reserved."""

    def __init__(self):
        self.out_of_memory = 0
        self.asked, self.bytes, self.allocations = ({pool: Metric() for pool in _POOLS} for _ in range(3))

    def allocate(self, size):
        for asked, taken, count in self._metrics(size):
            asked.add(size)
            taken.add(_rounded(size))
            count.add(1)

    def free(self, size):
        for asked, taken, count in self._metrics(size):
            asked.take(size)
            taken.take(_rounded(size))
            count.take(1)

    def _metrics(self, size):
        pools = ("all", "large_pool" if size >= _LARGE else "small_pool") if size else ()
        return [(self.asked[pool], self.bytes[pool], self.allocations[pool]) for pool in pools]

    def _all(self):
        return [metric for group in (self.asked, self.bytes, self.allocations) for metric in group.values()]

    def reset_peak(self):
        for metric in self._all():
            metric.peak = metric.current

    def reset_accumulated(self):
        self.out_of_memory = 0
        for metric in self._all():
            metric.allocated = metric.freed = 0

    def nested(self):
        """What torch._C._cuda_memoryStats returns."""
        told, nothing = {}, {pool: Metric().as_dict() for pool in _POOLS}
        for name, group in (("requested_bytes", self.asked), ("allocated_bytes", self.bytes), ("active_bytes", self.bytes),
                            ("reserved_bytes", self.bytes), ("allocation", self.allocations), ("active", self.allocations),
                            ("segment", self.allocations)):
            told[name] = {pool: metric.as_dict() for pool, metric in group.items()}
        none = Metric().as_dict()
        return {
            **told, "inactive_split": nothing, "inactive_split_bytes": nothing, "oversize_allocations": none,
            "oversize_segments": none, "max_split_size": -1, "num_alloc_retries": 0, "num_ooms": self.out_of_memory,
            "num_oom_rejections": 0, "num_sync_all_streams": 0, "num_device_alloc": self.allocations["all"].allocated,
            "num_device_free": self.allocations["all"].freed, "reserved_bytes_by_private_pools": {},
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


def _rounded(size):
    return -(-size // _BLOCK) * _BLOCK
