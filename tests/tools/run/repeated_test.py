#!/usr/bin/env python3
"""rope-check run on kernels that are launched again and again (repeated_programs.cu): what each launch makes again is
counted and costs next to nothing, and hides nothing else.

Usage: repeated_test.py ROOT PROGRAM
"""
import os

from running import Ran, bad, build_of, finish, lines, read_lines, root

source = root / "tests/tools/run/repeated_programs.cu"
read_lines(source)
program = build_of(source, "repeated", "-cudart", "shared")


def finds(name, *findings, code=1):
    """Each finding: its rule, the word of its line, its severity, the launches that made it."""
    ran = Ran([program], name)
    found = sorted((f["rule"], f["location"]["line"], f["severity"], f["occurrences"]["cases"]) for f in ran.report["findings"])
    wanted = sorted((rule, lines[line], severity, cases) for rule, line, severity, cases in findings)
    ran.expect(found == wanted, f"finds {found}, not {wanted}")
    ran.expect(ran.code == code, f"ends with {ran.code}, not {code}")


# A warning of one launch stands for no error of another.
ERROR, WARNING = ("shared-race", "reversed", "error"), ("shared-race", "reversed", "warning")
finds("small", (*WARNING, 1), code=0)
finds("large", (*ERROR, 1))
finds("small-then-large", (*ERROR, 1), (*WARNING, 1))
finds("in-turn", (*ERROR, 1), (*WARNING, 2))
finds("often", (*ERROR, 20))
finds("often-then-small", (*ERROR, 20), (*WARNING, 1))

# What every launch makes again hides nothing that one of them makes besides, nor what it leaves unwritten.
PICKED = ("uninitialized-read", "undefined", "error", 20)
PICKED_MORE = ("uninitialized-read", "undefined", "error", 21)
Ran([program], "pick-right").is_clean(20)
finds("pick", PICKED)
finds("pick-outside", PICKED_MORE, ("out-of-bounds-read", "weights", "error", 1))
finds("pick-weights", PICKED_MORE, ("uninitialized-read", "weights", "error", 1))
finds("pick-all", PICKED)
finds("pick-half", PICKED, ("uninitialized-read", "used", "error", 1))
finds("collect", ("global-race", "collected", "error", 20))


def seconds(name):
    """Of the processor, in the run of several that took least."""
    def once():
        before = os.times()
        Ran([program], name)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system
    return min(once() for _ in range(3))


# The first time costs what it costs, for it is looked up where in the source it is.
clean = seconds("pick-right-many")
for name in ("pick", "often", "collect"):
    again = seconds(name + "-many") - seconds(name)
    if again > 3 * clean:
        bad.append(f"{name}: what is found again takes {again:.2f} s, and a clean run {clean:.2f} s")
finish()
