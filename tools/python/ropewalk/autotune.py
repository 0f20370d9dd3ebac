"""Autotuners have nothing to measure: they take the first configuration that fits the device, or try each once."""

import time

from triton.compiler.errors import CompileTimeAssertionFailure
from triton.runtime import errors
from triton.runtime.autotuner import Autotuner

# What Triton raises for a configuration that is not to be taken.
_MISFITS = tuple(filter(None, (errors.OutOfResources, CompileTimeAssertionFailure, getattr(errors, "PTXASError", None))))


def once(kernel_call, *, quantiles=None, **_):
    """Milliseconds of one call, in place of triton.testing.do_bench."""
    started = time.perf_counter()
    kernel_call()
    took = 1000 * (time.perf_counter() - started)
    return [took] * len(quantiles) if quantiles else took


def install(patches, all_configurations):
    if all_configurations:
        return
    prune = Autotuner.prune_configs

    def first_that_fits(tuner, meta, *others):
        """Where none fits the first one is, whose launch raises."""
        configs = prune(tuner, meta, *others)
        if len(configs) < 2 or "warmup" not in meta:  # nothing is launched
            return configs[:1]
        return [next((one for one in configs if _fits(tuner, tuple(tuner.nargs.values()), one, meta)), configs[0])]

    def time_of(tuner, *arguments, config, **meta):
        return [0.0 if _fits(tuner, arguments, config, meta) else float("inf")] * 3

    patches.set(Autotuner, "prune_configs", first_that_fits)
    patches.set(Autotuner, "_bench", time_of)


def _fits(tuner, arguments, config, meta):
    """Compiles and loads the kernel, and launches nothing."""
    named = {**meta, **config.all_kwargs(), "warmup": True}
    if config.pre_hook is not None:
        config.pre_hook({**tuner.nargs, **named})
    try:
        getattr(tuner.fn.run(*arguments, **named), "run", None)
    except _MISFITS:
        return False
    return True
