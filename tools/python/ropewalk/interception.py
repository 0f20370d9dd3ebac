"""The calls of PyTorch and DeepSpeed that a recording listens to, while it lasts."""
import contextlib
import functools
import sys

import torch
import torch.distributed as distributed
from torch import nn

from . import buffers

MOVES = ("to", "half", "bfloat16", "float", "double", "type", "cuda", "cpu", "xpu", "npu")
RESETS = ("reset_parameters", "init_weights", "_init_weights", "initialize_weights", "init_buffers", "reset_buffers",
          "init_parameters", "_init_self_buffers", "_reset_parameters", "reset_rope", "rope_init", "post_init")


class Interception(contextlib.AbstractContextManager):
    def __init__(self, recording):
        self.recording = recording
        self.undo = contextlib.ExitStack()
        self.wrapped = set()

    def __enter__(self):
        self._listen_to_modules()
        self._listen_to_sharding()
        self._listen_to_broadcasts()
        self._listen_to_forwards()
        self._listen_to_deepspeed()
        return self

    def __exit__(self, *_):
        self.undo.close()

    def _replace(self, owner, name, make):
        """Puts make(original) in the place of an attribute until the end."""
        original = owner.__dict__[name]
        setattr(owner, name, make(original))
        self.undo.callback(setattr, owner, name, original)

    def _replace_function(self, original, replacement):
        """Wherever a module has imported the function, too."""
        for module in list(sys.modules.values()):
            for name, value in list(getattr(module, "__dict__", {}).items()):
                if value is original:
                    setattr(module, name, replacement)
                    self.undo.callback(setattr, module, name, original)

    def _around(self, before, after, on_error=None):
        """A wrapper of methods: the outermost call is explained by before(self, ...) and after(self, context, ...)."""
        recording = self.recording

        def make(original):
            @functools.wraps(original)
            def call(module, *arguments, **options):
                if recording.depth:
                    return original(module, *arguments, **options)
                recording.members_of(module)
                recording.catch_up()
                context = before(module, *arguments, **options)
                try:
                    with recording.inside():
                        result = original(module, *arguments, **options)
                except Exception:
                    if on_error:
                        on_error(module, context)
                    raise
                after(module, context)
                return result
            return call
        return make

    def _listen_to_modules(self):
        recording = self.recording

        def nothing(*_, **__):
            return None

        self._replace(nn.Module, "to_empty", self._around(nothing, lambda module, _: recording.emptied(module)))

        def could_not_move(module, _):
            on_meta = [n for n in recording.members_of(module) if recording.members[n].seen.state == "meta"]
            if on_meta:
                recording.note("to", on_meta, on="compute")

        for name in MOVES:
            if name in nn.Module.__dict__:
                self._replace(nn.Module, name,
                              self._around(nothing, lambda module, _: recording.moved(module), could_not_move))

        def given_to_load(_, state_dict, strict=True, *__, **___):
            dtypes = {name: buffers.SHORT_NAMES.get(getattr(value, "dtype", None)) for name, value in state_dict.items()}
            return dtypes, strict

        self._replace(nn.Module, "load_state_dict",
                      self._around(given_to_load, lambda module, given: recording.loaded(module, *given, False),
                                   lambda module, given: recording.loaded(module, *given, True)))

        def register(original):
            @functools.wraps(original)
            def call(module, name, tensor, persistent=True):
                original(module, name, tensor, persistent)
                if isinstance(tensor, torch.Tensor) and buffers.form_of(module, name):
                    recording.registered(module, name, persistent)
            return call

        self._replace(nn.Module, "register_buffer", register)

        def construct(original):
            @functools.wraps(original)
            def call(module, *arguments, **options):
                self._wrap_resets(type(module))
                original(module, *arguments, **options)
            return call

        self._replace(nn.Module, "__init__", construct)

        @classmethod
        def defined(cls, **options):
            super(nn.Module, cls).__init_subclass__(**options)
            if recording.zero_init is not None or any(part in cls.__name__.lower() for part in ("rotary", "rope")):
                recording.note("define_class")

        setattr(nn.Module, "__init_subclass__", defined)
        self.undo.callback(delattr, nn.Module, "__init_subclass__")

    def _wrap_resets(self, kind):
        for owner in kind.__mro__:
            if owner in self.wrapped or owner is nn.Module or owner is object:
                continue
            self.wrapped.add(owner)
            for name in RESETS:
                if callable(owner.__dict__.get(name)):
                    source = f"{owner.__name__}.{name}"
                    self._replace(owner, name, self._around(
                        lambda *_, **__: None, lambda module, _, source=source: self.recording.reset(module, source)))

    def _listen_to_sharding(self):
        recording = self.recording
        with contextlib.suppress(ImportError):
            from torch.distributed.fsdp import fully_shard as original

            @functools.wraps(original)
            def fully_shard(module, *arguments, **options):
                modules = module if isinstance(module, (list, tuple)) else [module]
                for one in modules:
                    recording.members_of(one)
                recording.catch_up()
                with recording.inside():
                    result = original(module, *arguments, **options)
                for one in modules:
                    recording.sharded(one, "fsdp2")
                return result

            self._replace_function(original, fully_shard)
        with contextlib.suppress(ImportError):
            from torch.distributed.fsdp import FullyShardedDataParallel
            self._replace(FullyShardedDataParallel, "__init__", self._wrapper("fsdp1"))
        from torch.nn.parallel import DistributedDataParallel
        self._replace(DistributedDataParallel, "__init__", self._wrapper(None))

    def _wrapper(self, by):
        """For classes that wrap a model. What they call meanwhile (to_empty, reset_parameters) is listened to."""
        recording = self.recording

        def make(original):
            @functools.wraps(original)
            def call(wrapper, module, *arguments, **options):
                recording.members_of(module)
                recording.catch_up()
                original(wrapper, module, *arguments, **options)
                synchronises = options.get("init_sync", True) if by is None else options.get("sync_module_states")
                if synchronises:
                    recording.broadcasted(list(module.buffers()), 0, True)
                if by:
                    dtype = getattr(options.get("mixed_precision"), "buffer_dtype", None)
                    chosen = {"buffer_dtype": buffers.SHORT_NAMES[dtype]} if dtype in buffers.SHORT_NAMES else {}
                    recording.sharded(module, by, **chosen)
            return call
        return make

    def _listen_to_broadcasts(self):
        if not distributed.is_available():
            return
        recording, original = self.recording, distributed.broadcast

        @functools.wraps(original)
        def broadcast(tensor, src=None, group=None, *arguments, **options):
            recording.catch_up()
            result = original(tensor, src, group, *arguments, **options)
            if result is not None:
                result.wait()  # what was received can be looked at
            whole = group is None or distributed.get_world_size(group) == distributed.get_world_size()
            recording.broadcasted([tensor], src or options.get("group_src") or 0, whole)
            return result

        self._replace_function(original, broadcast)

    def _listen_to_forwards(self):
        recording = self.recording

        def before(module, arguments):
            recording.forwards += 1
            recording.called = {*(recording.called if recording.forwards > 1 else ()), module}
            if recording.forwards == 1 and not recording.depth:
                recording.members_of(module)
                recording.catch_up()

        def after(module, arguments, _):
            recording.forwards -= 1
            if recording.forwards == 0 and not recording.depth:
                recording.in_forward = True
                recording.catch_up()  # a cache that this forward built, before it rotated anything
                recording.in_forward = False
                shapes = [a.shape for a in arguments if isinstance(a, torch.Tensor) and a.dim() >= 2]
                recording.ran(module, shapes[0][1] if shapes else 8)

        modules = torch.nn.modules.module
        self.undo.callback(modules.register_module_forward_pre_hook(before).remove)
        self.undo.callback(modules.register_module_forward_hook(after, always_call=True).remove)

    def _listen_to_deepspeed(self):
        recording, deepspeed = self.recording, sys.modules.get("deepspeed")
        self._listen_to_initialize(deepspeed)
        context = getattr(getattr(deepspeed, "zero", None), "Init", None)
        if context is None:
            return

        def enter(original):
            @functools.wraps(original)
            def call(init, *arguments):
                dtype = buffers.SHORT_NAMES.get(getattr(init, "dtype", None), "bf16")
                version = ".".join(deepspeed.__version__.split("+")[0].split(".")[:3])
                recording.note("enter_zero_init", deepspeed=version, dtype=dtype)
                recording.zero_init = dtype
                return original(init, *arguments)
            return call

        def leave(original):
            @functools.wraps(original)
            def call(init, *arguments):
                recording.note("exit_zero_init")
                recording.zero_init = None
                return original(init, *arguments)
            return call

        owner = next(kind for kind in context.__mro__ if "__enter__" in kind.__dict__)
        self._replace(owner, "__enter__", enter)
        self._replace(owner, "__exit__", leave)

    def _listen_to_initialize(self, deepspeed):
        recording, original = self.recording, getattr(deepspeed, "initialize", None)
        if original is None:
            return

        @functools.wraps(original)
        def initialize(args=None, model=None, *arguments, **options):
            recording.members_of(model)
            recording.catch_up()
            with recording.inside():
                result = original(args, model, *arguments, **options)
            if result[0].zero_optimization_stage() == 3:
                recording.sharded(model, "zero3")
            return result

        self._replace_function(original, initialize)
