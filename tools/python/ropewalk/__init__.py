"""Ropewalk in Python: a virtual GPU that checks every launch, and what is asked of its reports.

    with ropewalk.machine(target="sm_80", on_finding="raise") as session:
        model.cuda()(tokens.cuda())          # Triton's kernels run on the machine; tensors live on the CPU
    print(session.findings)

    ropewalk.assert_clean(kernel, x, y, n, BLOCK=128, grid=(4,))
    ropewalk.check("launch.json").findings   # rope-check launch

`rope-check run -- python program.py` does the same for a whole program that knows nothing of this package, and
`pytest --ropewalk` for the tests of one. ropewalk.rope is about the rope caches of a model. Nothing but Python is needed;
torch and triton are the program's own.
"""

import contextlib
import importlib

_FROM = {"Error": "library", "Finding": "report", "Report": "report", "check": "report", "FindingError": "session",
         "Session": "session"}
__all__ = ["machine", "assert_clean", *_FROM]


def __getattr__(name):
    """Imported where it is asked for: Python starts with this package in every process of `rope-check run`."""
    if name not in _FROM:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    return getattr(importlib.import_module(f".{_FROM[name]}", __name__), name)


@contextlib.contextmanager
def machine(target="sm_80", on_finding="collect", **options):
    """A session of its own: inside, `cuda` names virtual devices, and launches of Triton are checked. on_finding: "raise"
    raises FindingError from a launch with errors. options: devices, checks, seconds, ... as in options.json of `rope-check run`."""
    from .session import Session
    from .virtual import in_place
    session = Session({"target": target, **options}, on_finding)
    with in_place(session):
        yield session


def assert_clean(kernel, *arguments, grid, target="sm_80", **named):
    """Launches a Triton kernel on a machine of its own. Raises FindingError, an AssertionError, where an error is found.
    Tensors of the CPU are lent as they are: they hold what the kernel wrote."""
    from .library import Error
    from .session import FindingError
    from .virtual import on_device
    with machine(target) as session:
        with on_device((*arguments, *named.values())):
            kernel[grid](*arguments, **named)
    errors = [finding for finding in session.findings if finding.is_error]
    if errors:
        raise FindingError(errors)
    if session.not_run:
        raise Error("; ".join(f"{entry} could not be checked: {reason}" for entry, reason in session.not_run))
