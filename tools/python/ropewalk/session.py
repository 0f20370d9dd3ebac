"""The session that launches of this process go to, and what they found."""

import os
import threading

from . import library
from .report import Finding

_lock = threading.Lock()
_stack = []  # sessions of `with ropewalk.machine(...)`, innermost last
_of_process = None


class FindingError(AssertionError):
    """A launch has findings. .findings: a list of ropewalk.Finding."""

    def __init__(self, findings):
        self.findings = findings
        super().__init__("\n".join(finding.text() for finding in findings))


class Session:
    """A virtual GPU. .findings: of all launches so far, warnings too, each once. on_finding: "raise" raises FindingError from the
    launch that has an error; "collect" goes on."""

    def __init__(self, options=None, on_finding="collect"):
        if on_finding not in ("collect", "raise"):
            raise ValueError(f"on_finding: expected collect or raise, found {on_finding}")
        self.handle, self.on_finding = library.Handle(options), on_finding
        self.options = self.handle.options()
        self.findings, self.not_run, self.launches = [], [], 0
        self.listeners = []  # called with the findings of a launch that has some, known ones too
        self._known = set()
        self.known_dead = {}  # memory that is gone, see memory.py

    def load(self, ptx, name, device=0):
        return library.Module(self.handle, ptx, name, device)

    def launch(self, module, launch):
        """Runs it; see lib/driver/ropewalk.h. Findings are kept, and raised where that was asked for."""
        self.launches += 1
        answer = module.launch(launch)
        if answer is None:
            return
        if answer.get("not_run"):
            self.not_run.append((launch["entry"], answer["not_run"]))
        found = [Finding(one) for one in answer.get("findings", ())]
        for finding in found:
            if finding.id not in self._known:
                self._known.add(finding.id)
                self.findings.append(finding)
        if found:
            for listener in list(self.listeners):
                listener(found)
            errors = [finding for finding in found if finding.is_error]
            if errors and self.on_finding == "raise":
                raise FindingError(errors)
        if answer.get("result"):
            result = answer["result"]
            text = _ENDS.get(result, f"the launch of {launch['entry']} ended with {result}")
            raise RuntimeError(f"CUDA error: {text}{': ' + answer['not_run'] if answer.get('not_run') else ''}")


# How launches end, by their CUresult, as cuGetErrorString has it.
_ENDS = {
    700: "an illegal memory access was encountered",
    701: "too many resources requested for launch",
    710: "device-side assert triggered",
    715: "an illegal instruction was encountered",
    716: "misaligned address",
    717: "operation not supported on global/shared address space",
    718: "invalid program counter",
    719: "unspecified launch failure",
    720: "too many blocks in cooperative launch",
}


def current():
    """The innermost session of a `with`, or the process's own."""
    return _stack[-1] if _stack else of_process()


def of_process():
    """The one that the driver's calls of this process go to, too."""
    global _of_process
    with _lock:
        if _of_process is None:
            _of_process = Session()
    return _of_process


def synchronize():
    """Prints what kernels have printed."""
    for session in _stack or [_of_process]:
        if session is not None:
            session.handle.synchronize()


def is_under_run():
    """Whether this process was started by `rope-check run`."""
    return bool(os.environ.get("ROPEWALK_RUN"))


def push(session):
    _stack.append(session)


def pop(session):
    _stack.remove(session)
