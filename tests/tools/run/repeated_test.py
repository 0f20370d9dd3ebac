#!/usr/bin/env python3
"""rope-check run on kernels that are launched again and again (repeated_programs.cu): what each launch makes again is
counted and costs next to nothing, and hides nothing else.

Usage: repeated_test.py ROOT PROGRAM
"""

from running import Ran, bad, build_of, finish, lines, read_lines, root

source = root / "tests/tools/run/repeated_programs.cu"
read_lines(source)
program = build_of(source, "repeated", "-cudart", "shared")


def finds(name, *findings, code=1, options=()):
    """Each finding: its rule, the word of its line, its severity, the launches that made it."""
    ran = Ran([program], name, *options)
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

# Launches that are not checked report nothing, known or not.
finds("often", ("shared-race", "reversed", "error", 3), options=("--launch-skip", "5", "--launch-count", "3"))
finish()
