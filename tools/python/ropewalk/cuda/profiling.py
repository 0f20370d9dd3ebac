"""torch.profiler sees what the CPU does, and no device."""

import functools

import torch.profiler


def install(patches):
    of_device, of_kineto = torch.autograd.profiler.profile.__init__, torch.profiler._KinetoProfile.__init__
    cuda = torch.profiler.ProfilerActivity.CUDA

    @functools.wraps(of_device)
    def without_device(self, *arguments, use_device=None, **options):
        if "use_cuda" in options:  # of older versions
            options["use_cuda"] = False
        of_device(self, *arguments, use_device=None if use_device == "cuda" else use_device, **options)

    @functools.wraps(of_kineto)
    def without_activity(self, *, activities=None, **options):
        given = activities or torch.profiler.supported_activities()
        of_kineto(self, activities={one for one in given if one != cuda} or {torch.profiler.ProfilerActivity.CPU}, **options)

    patches.set(torch.autograd.profiler.profile, "__init__", without_device)
    patches.set(torch.profiler._KinetoProfile, "__init__", without_activity)
    patches.set(torch.autograd.profiler.emit_nvtx, "__enter__", lambda self: self)
    patches.set(torch.autograd.profiler.emit_nvtx, "__exit__", lambda self, *_: False)
