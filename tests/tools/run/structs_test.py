#!/usr/bin/env python3
"""rope-check run on copies of structs with padding (struct_programs.cu): what nobody wrote may be copied as it is where it
is padding, and stays what nobody wrote.

Usage: structs_test.py ROOT PROGRAM
"""
from running import Ran, build_of, finish, read_lines, root

source = root / "tests/tools/run/struct_programs.cu"
read_lines(source)
program = build_of(source, "structs", "-cudart", "shared")
WAYS = ["vectors", "words", "wide words", "bytes", "shared memory", "shuffles"]


def run(*words):
    return Ran([program, *words[:-1]], words[-1])


run("whole").is_clean(52)
for way in WAYS:
    run("one-without-a-member", way).finds(("uninitialized-read", way)).says(", 4 launches")
    run("all-without-a-member", way).finds(("uninitialized-read", way))
    run("without-the-last-half", way).finds(("uninitialized-read", way))
for way in ("words", "bytes", "shared memory"):
    run("all-without-the-last-member", way).finds(("uninitialized-read", way))
# What vectors of 16 bytes copy may be padded to as many: a copy to the host is noted.
for way in ("vectors", "shuffles"):
    ran = run("all-without-the-last-member", way).says("to the host, of which nobody wrote byte 12")
    ran.expect(ran.code == 0 and not ran.findings, "is not clean")
ran = run("aligned", "").says("to the host, of which nobody wrote byte 4")
ran.expect(ran.code == 0 and not ran.findings, "is not clean")
run("aligned", "one-without").finds(("uninitialized-read", "assignment"), ("uninitialized-read", "assignment"))
run("aligned", "sum").finds(("uninitialized-read", "last word"), ("uninitialized-read", "last word"))
run("padding-in-a-sum").finds(("uninitialized-read", "sum"))
for built in (program, build_of(source, "structs-to-debug", "-cudart", "shared", "-G")):
    Ran([built, "taken-apart"], "").is_clean(3)
    Ran([built, "lane"], "right").is_clean(1)
    Ran([built, "lane"], "wrong").finds(("inactive-lane-read", "lane"))
for memory in ("local", "shared"):
    run("bytes-in-words", "32", memory).is_clean(1)
    for missing in (1, 2, 3):
        run("bytes-in-words", str(32 - missing), memory).finds(("uninitialized-read", f"bytes of {memory} memory"))
run("bytes-of-memory", "64", "64").is_clean(2)
for first, last in ((25, 32), (28, 32), (31, 32), (9, 11)):
    run("bytes-of-memory", str(first), str(last)).finds(("uninitialized-read", "words of bytes"))
run("one-record", "").is_clean(1)
run("one-record", "sum").finds(("uninitialized-read", "words of a record"))
ran = run("fields-of-bits")
ran.expect(ran.code == 0 and not ran.findings and "nobody wrote" not in ran.errors, "is not silent")
finish()
