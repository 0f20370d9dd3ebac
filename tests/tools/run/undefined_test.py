#!/usr/bin/env python3
"""rope-check run on values that nobody set (undefined_programs.cu): what another thread is sent matters where it looks,
and a program computes under the check what it computes without.

Usage: undefined_test.py ROOT PROGRAM
"""
from running import Ran, build_of, finish, read_lines, root

source = root / "tests/tools/run/undefined_programs.cu"
read_lines(source)
read_lines(root / "tests/tools/run/messages.cuh")
optimised = build_of(source, "optimised", "-cudart", "shared")
for_a_debugger = build_of(source, "for_a_debugger", "-cudart", "shared", "-G")

for program in (optimised, for_a_debugger):
    Ran([program], "message-that-nobody-reads").is_clean(1, "0\n")
    Ran([program], "message-that-is-read").finds(("uninitialized-read", "message"))
    unchecked = Ran([program], "walk", "--checks", "none").output
    Ran([program], "walk").finds(("uninitialized-read", "walk")).prints(unchecked)
    Ran([program], "tiles-that-are-filled").is_clean(1, "0\n")
    Ran([program], "tile-that-another-block-filled").finds(("uninitialized-read", "take"))
    Ran([program], "row-that-is-handed-on").is_clean(2, "0\n")
    Ran([program], "row-that-nobody-set").finds(("uninitialized-read", "choose"))
finish()
