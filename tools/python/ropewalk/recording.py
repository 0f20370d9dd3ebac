"""What happens to the rope caches of a model, as a list of events; interception.py calls it, plan.py reads it."""
import contextlib
import sys

import torch

from . import buffers, plan

class Member:
    """One buffer of one module, as it was seen last."""

    def __init__(self, module, name):
        self.module, self.name = module, name
        self.form = buffers.form_of(module, name)
        self.path = None  # in the largest model that it was seen in
        self.persistent = name in module._buffers and name not in module._non_persistent_buffers_set
        self.first = {}  # dtype and rows as it was made, width of its first values, and theta where they tell it
        self.seen = None  # a snapshot
        self.places = set()  # types of the devices that it was on

    @property
    def title(self):
        return self.path or f"{type(self.module).__name__}.{self.name}"

    def tensor(self):
        tensor = self.module._buffers.get(self.name)
        return self.module.__dict__.get(self.name) if tensor is None else tensor


class Snapshot:
    def __init__(self, tensor, state):
        self.tensor, self.state = tensor, state  # the tensor is held, so that its identity stays its own
        self.version = tensor._version if not tensor.is_inference() else 0
        self.device, self.dtype = tensor.device.type, tensor.dtype

    def differs_in_values(self, other):
        return self.tensor is not other.tensor or self.version != other.version or self.state != other.state


class Recording:
    def __init__(self, formulas):
        self.formulas = formulas  # base, and whether there is a scaling, by type of layer, or under None
        self.members = []
        self.numbers = {}  # of members, by module and attribute
        self.events = []
        self.residence = None  # type of the device that modules are constructed on
        self.depth = 0  # calls that explain what happens inside them
        self.forwards = 0  # that are running
        self.called = set()  # modules, by the outermost of these
        self.zero_init = None  # the dtype that the open zero.Init forces constructors to
        self.in_forward = False  # what is noted was made by the forward that follows
        self.remarks = []

    @contextlib.contextmanager
    def inside(self):
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    # Members

    def member(self, module, name):
        key = (id(module), name)
        if key not in self.numbers:
            self.numbers[key] = len(self.members)
            self.members.append(Member(module, name))
        return self.numbers[key]

    def members_of(self, module):
        """Numbers of the rope caches of a module and of those inside it, with their names within it."""
        found = {}
        for title, owner, name, _ in buffers.rotary_buffers(module):
            number = self.member(owner, name)
            member = self.members[number]
            if member.path is None or title.count(".") > member.path.count("."):
                member.path = title
            found[number] = title
        return found

    def snapshot(self, number):
        member = self.members[number]
        tensor = member.tensor()
        if tensor is None:
            return None
        local = buffers.local_part(tensor)
        member.first.setdefault("rows", buffers.rows_of(local, member.form))
        if local.is_meta:
            state = "meta"
        elif not buffers.holds_values(member.name, member.form, local):
            state = "garbage"
        else:
            member.first.setdefault("width", buffers.width_of(member.name, member.form, local))
            if member.first.get("theta") is None:
                member.first["theta"] = buffers.theta_of(member.name, member.form, local)
            theta, is_scaled = self.formulas.get(plan.layer_type_of(member.name, self.formulas), (None, False))
            plain = is_scaled and buffers.is_plain(member.name, member.form, local, theta)
            state = "plain" if plain else "values"
        if "dtype" not in member.first:
            dtype = buffers.SHORT_NAMES.get(local.dtype, "f32")
            forced = dtype == self.zero_init and state in ("plain", "values") and not buffers.is_exact(
                member.name, member.form, local, member.first.get("theta"))
            member.first["dtype"] = "f32" if forced else dtype
        member.places.add(local.device.type)
        return Snapshot(tensor, state)

    def look(self, number):
        """The snapshots of before and of now."""
        member = self.members[number]
        before, member.seen = member.seen, self.snapshot(number)
        return before, member.seen

    # Events

    def note(self, kind, members=(), source=None, tied=False, **options):
        """tied: it follows from the event before it."""
        self.events.append({"do": kind, "members": sorted(members), "options": options, "source": source,
                            "bound": _is_constructing(), "lazy": self.in_forward, "tied": tied})

    def settle(self, numbers):
        """New values in another dtype than the buffer was made with: they were rounded on their way into it."""
        casts = []
        for number in numbers:
            member = self.members[number]
            dtype = member.seen and buffers.SHORT_NAMES.get(member.seen.dtype)
            if dtype and dtype != member.first["dtype"]:
                casts.append((number, {"dtype": dtype}))
        self.note_by_options("cast", casts, tied=True)

    def note_by_options(self, kind, choices, source=None, tied=False, **options):
        """One event for each choice of options: [(number, {...})]."""
        groups = {}
        for number, chosen in choices:
            groups.setdefault(tuple(sorted(chosen.items())), []).append(number)
        for chosen, members in groups.items():
            self.note(kind, members, source, tied, **dict(chosen), **options)

    def build(self, number, state, rows_before=0):
        """Values, or a tensor on meta, that nothing else explains."""
        member = self.members[number]
        where = member.seen.device
        if where != self.residence:
            self.residence = where
            self.note("construct", on=where)
        if state == "garbage":
            self.note("register_buffer", [number], persistent=member.persistent)
            return
        rows = buffers.rows_of(member.seen.tensor, member.form)
        if rows_before and rows > rows_before:
            self.note("grow", [number], rows=rows)
        else:
            exact = {"from_integers": True} if self.zero_init and self.is_exact(number) else {}
            self.note("build_cache", [number], scaled=state != "plain", **exact)
        self.settle([number])

    def is_exact(self, number):
        """Whether the values were computed from positions that nothing has rounded."""
        member = self.members[number]
        return member.seen.state in ("plain", "values") and buffers.is_exact(
            member.name, member.form, member.seen.tensor, member.first.get("theta"))

    def catch_up(self):
        """Notes what has changed without a call that was seen: a cache that was rebuilt, moved or cast."""
        if self.depth:
            return
        for number, member in enumerate(self.members):
            before, now = self.look(number)
            if now is None or (before is not None and not before.differs_in_values(now)):
                continue
            if before is not None and before.state == now.state and before.state in ("meta", "garbage"):
                continue
            if before is not None and now.state in ("meta", "garbage"):
                self.remarks.append(f"{member.title} lost its values by a call that is not recorded")
                self.note("to_empty", [number])
                continue
            if before is not None and before.state == now.state and before.dtype != now.dtype:
                self.note("cast", [number], dtype=buffers.SHORT_NAMES[now.dtype])
            else:
                rows = 0 if before is None or before.state == "meta" else buffers.rows_of(before.tensor, member.form)
                self.build(number, now.state, rows)

    def registered(self, module, name, persistent):
        number = self.member(module, name)
        member = self.members[number]
        is_new = member.seen is None or member.persistent != persistent
        member.persistent = persistent
        if self.depth:
            return  # the call that it happens in is looked at as a whole
        before, now = self.look(number)
        if now is None:
            return
        rows = 0 if before is None or before.state == "meta" else buffers.rows_of(before.tensor, member.form)
        self.build(number, now.state, rows)
        if is_new and now.state != "garbage":
            self.note("register_buffer", [number], persistent=persistent)

    def emptied(self, module):
        members = self.members_of(module)
        for number in members:
            self.look(number)
            if self.members[number].seen:
                self.residence = self.members[number].seen.device
        if members:
            self.note("to_empty", members)

    def moved(self, module):
        """After a call that moves and casts."""
        moves, casts = [], []
        for number in self.members_of(module):
            before, now = self.look(number)
            if before is None or now is None:
                continue
            if before.device != now.device:
                moves.append((number, {"on": now.device}))
                self.residence = now.device
            if before.dtype != now.dtype and now.dtype in buffers.SHORT_NAMES:
                casts.append((number, {"dtype": buffers.SHORT_NAMES[now.dtype]}))
        self.note_by_options("to", moves)
        self.note_by_options("cast", casts)

    def loaded(self, module, dtypes, strict, raised):
        """After load_state_dict, which was given tensors of these names and dtypes."""
        choices, lost = [], []
        for number, title in self.members_of(module).items():
            before, now = self.look(number)
            member = self.members[number]
            has = title in dtypes
            # What a strict load has let pass, the module's own hooks have taken.
            chosen = {"has_buffer": has, "strict": strict and (raised or has == member.persistent)}
            if has and member.persistent and now is not None:
                chosen["scaled"] = now.state != "plain"
                if before is not None and before.tensor is not now.tensor:
                    chosen["assign"] = True
                if dtypes[title] is not None and dtypes[title] != member.first["dtype"]:
                    chosen["dtype"] = dtypes[title]
                if now.state == "garbage":
                    lost.append(number)
            choices.append((number, chosen))
        self.note_by_options("load_checkpoint", choices)
        if lost:
            self.remarks.append("a checkpoint was loaded that had no values: it was saved of memory that nobody wrote")
            self.note("to_empty", lost, tied=True)

    def reset(self, module, source):
        """After reset_parameters or one of its kind: whether it rewrote what it found."""
        choices = []
        for number in self.members_of(module):
            before, now = self.look(number)
            if before is None or now is None:
                if now is not None:
                    self.build(number, now.state)
                continue
            rewritten = before.differs_in_values(now) and now.state != "garbage"
            if before.state == "meta" and not rewritten:
                continue
            chosen = {"when": "always" if rewritten else "if_meta"}
            if rewritten and now.state in ("plain", "values"):
                chosen["scaled"] = now.state != "plain"
            choices.append((number, chosen))
        kind = "init_weights" if "init" in source.rsplit(".", 1)[-1] else "reset_parameters"
        self.note_by_options(kind, choices, source)
        self.settle([number for number, chosen in choices if chosen["when"] == "always"])

    def sharded(self, module, by, **options):
        members = self.members_of(module)
        self.moved(module)
        if members:
            self.note("shard", members, by=by, **options)

    def broadcasted(self, tensors, source, is_world):
        shared = {buffers.local_part(t).untyped_storage().data_ptr() for t in tensors if not t.is_meta}
        members = []
        for number, member in enumerate(self.members):
            tensor = member.tensor()
            if tensor is None or tensor.is_meta:
                continue
            if buffers.local_part(tensor).untyped_storage().data_ptr() in shared:
                members.append(number)
                self.look(number)
        if not members:
            return
        if source != 0 or not is_world:
            self.remarks.append("a broadcast that is not from rank 0 to all ranks is written as one that is")
        self.note("broadcast", members, levels="flat")

    def ran(self, module, positions):
        members = [self.members[number] for number in self.members_of(module)]
        never_called = " ".join(name for name, part in module.named_modules()
                                if part not in self.called and _rotates(name, part))
        with_tables = {id(member.module) for member in members if member.form == "table"}
        # Frequencies beside tables of their module are what those were computed from; others are used themselves.
        for beside in (True, False):
            used = [self.numbers[id(member.module), member.name] for member in members
                    if (id(member.module) in with_tables) == beside]
            if used:
                self.note("forward", used, positions=positions, **{"never_called": never_called} if never_called else {})


def _rotates(name, module):
    """Whether a module is one that a forward calls for a rotation, by its names."""
    names = f"{name.rsplit('.', 1)[-1]} {type(module).__name__}".lower()
    return ("rotary" in names or "rope" in names) and type(module).forward is not torch.nn.Module.forward


def _is_constructing():
    """Whether the constructor of a module is running."""
    frame = sys._getframe(1)
    while frame:
        if frame.f_code.co_name == "__init__":
            owner = frame.f_locals.get("self")
            wraps_another = type(owner).__name__ in ("FullyShardedDataParallel", "DistributedDataParallel")
            if isinstance(owner, torch.nn.Module) and not wraps_another:
                return True
        frame = frame.f_back
    return False
