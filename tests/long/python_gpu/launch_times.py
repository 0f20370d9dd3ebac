"""A plugin of pytest that writes how long launches took, of Triton's interpreter or of the virtual GPU: LAUNCH_TIMES names the
file, {kernel: [launches, seconds of the processor]}."""
import collections
import json
import os
import time

times = collections.defaultdict(lambda: [0, 0.0])


def _timed(launch, name_of):
    def call(self, *arguments, **options):
        started = time.process_time()
        try:
            return launch(self, *arguments, **options)
        finally:
            one = times[name_of(self)]
            one[0] += 1
            one[1] += time.process_time() - started
    return call


def pytest_configure(config):
    if os.environ.get("TRITON_INTERPRET") == "1":
        from triton.runtime.interpreter import GridExecutor
        GridExecutor.__call__ = _timed(GridExecutor.__call__, lambda executor: executor.fn.__name__)
    else:
        import torch  # noqa: F401  (the virtual GPU waits for it)
        from ropewalk import triton_driver
        triton_driver._Launcher.__call__ = _timed(triton_driver._Launcher.__call__, lambda launcher: launcher.metadata.name)


def pytest_unconfigure(config):
    with open(os.environ["LAUNCH_TIMES"], "w") as file:
        json.dump(times, file)
