"""Storages: those that are moved to a device, and those that are saved and loaded."""

import torch

from . import devices, marks

_PRIORITY = 3  # of our way to save and load, before torch's own, which begin at 10


def install(patches, is_active):
    """Until the patches are restored. is_active(): whether they are there, which torch's way to save and load asks."""
    _move(patches)
    _save_and_load(is_active)


def _move(patches):
    base = torch.storage._StorageBase
    plain = base.to

    def to(self, *, device, non_blocking=False):
        device = device if isinstance(device, torch.device) else torch.device(device)
        if device.type not in ("cuda", "cpu") or self.device.type != "cpu":
            return plain(self, device=device, non_blocking=non_blocking)
        on, mark = devices.virtual(device), self.ropewalk_mark
        if on == (mark.device if mark else None):
            return self
        moved = self.clone()
        if on is not None:
            moved.ropewalk_mark = marks.Mark(on, moved)
        return moved

    patches.set(base, "to", to)
    patches.set(base, "cuda", lambda self, device=None, non_blocking=False: self.to(
        device=devices.active.all[devices.index_of(device)], non_blocking=non_blocking))
    patches.set(base, "cpu", lambda self: self.to(device="cpu"))


def _save_and_load(is_active):
    """Saved tensors keep their device, by torch.save as by pickle."""

    def tag(storage):
        mark = getattr(storage, "_untyped_storage", storage).ropewalk_mark if is_active() else None
        return str(mark.device) if mark else None

    def restore(storage, location):
        device = devices.virtual(location) if is_active() and location.startswith("cuda") else None
        if device is None:
            return None
        untyped = getattr(storage, "_untyped_storage", storage)
        if untyped.ropewalk_mark is None:
            untyped.ropewalk_mark = marks.Mark(device, untyped)
        return storage

    if not any(one[0] == _PRIORITY for one in torch.serialization._package_registry):
        torch.serialization.register_package(_PRIORITY, tag, restore)
