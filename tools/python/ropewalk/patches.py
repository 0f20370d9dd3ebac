"""Attributes of other modules that are replaced for a while."""

_MISSING = object()


class Patches:

    def __init__(self):
        self._replaced = []
        self._undone = []

    def set(self, owner, name, value):
        """owner.name is `value` until restore(). What owner only inherits is put before it, and taken away again."""
        self._replaced.append((owner, name, vars(owner).get(name, _MISSING)))
        setattr(owner, name, value)

    def set_known(self, owner, name, value):
        """As set(), where this version of the owner has the attribute."""
        if hasattr(owner, name):
            self.set(owner, name, value)

    def when_restored(self, undo):
        """Called by restore(), after the attributes are as they were."""
        self._undone.append(undo)

    def restore(self):
        for owner, name, old in reversed(self._replaced):
            if old is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, old)
        self._replaced.clear()
        for undo in self._undone:
            undo()
        self._undone.clear()
