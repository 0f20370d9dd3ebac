#!/usr/bin/env python3
"""rope-check run, and the order that events make (event_programs.cu): NAME does wrong what NAME-right does right.

Usage: event_test.py ROOT PROGRAM
"""
from running import Ran, build_of, finish, read_lines, root

source = root / "tests/tools/run/event_programs.cu"
read_lines(source)
program = build_of(source, "event", "-cudart", "shared")


def run(name, *options):
    return Ran([program], name, *options)


# Nodes of graphs, captured and made by hand.
run("record-in-graph-right").is_clean(4, "1\n")
run("record-in-graph").finds("stream-race").prints("1\n").says("fill was put into the graph at ")
run("record-again-right").is_clean(3, "1\n")
run("record-again").finds("stream-race").prints("1\n")
run("wait-in-graph-right").is_clean(2, "2\n")
run("wait-in-graph").finds("stream-race").prints("2\n")
run("record-later-right").is_clean(3, "3\n")
run("record-later").finds("stream-race", "stream-race").prints("")
run("set-event-right").is_clean(2, "4\n")
run("set-event").finds("stream-race").prints("4\n")
run("external-outside").prints("cudaErrorIllegalState cudaErrorIllegalState cudaErrorInvalidValue\n")

# Each device has a default stream of its own.
run("two-devices-right", "--devices", "2").is_clean(2, "5\n")
run("two-devices", "--devices", "2").finds("stream-race").says("in the default stream of device 1 reads").prints("5\n")
run("wait-for-device-right", "--devices", "2").is_clean(2, "6\n")
run("wait-for-device", "--devices", "2").finds("stream-race").prints("6\n")

finish()
