#!/usr/bin/env python3
"""rope-check run, and kernels that signal by memory (signal_programs.cu): NAME does wrong what NAME-right does right.

Usage: signal_test.py ROOT PROGRAM
"""
from running import Ran, build_of, finish, root

program = build_of(root / "tests/tools/run/signal_programs.cu", "signal", "-cudart", "shared")
for name in ("flag", "one-workspace", "workspace-in-turn"):
    Ran([program], name + "-right").is_clean(2, "")
Ran([program], "flag").finds("stream-race").says("kernel take in stream 2 (non-blocking) ")
for name in ("one-workspace", "workspace-in-turn"):
    Ran([program], name).finds("stream-race").says("kernel add_up in stream 2 (non-blocking) writes")
finish()
