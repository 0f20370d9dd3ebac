#!/usr/bin/env python3
"""rope-check run, and graphs with nodes of any kind (graph_programs.cu): NAME does wrong what NAME-right does right.

Usage: graph_test.py ROOT PROGRAM
"""
from running import Ran, build_of, finish, read_lines, root

source = root / "tests/tools/run/graph_programs.cu"
read_lines(source)
program = build_of(source, "graph", "-cudart", "shared")


def run(name, *options):
    return Ran([program], name, *options)


# A node of each kind; those of a graph, and of what is ready to run, are set.
run("any-node-right").is_clean(2, "2020202 2 cudaErrorInvalidValue\n6060606 13\n")
run("any-node").finds(("out-of-bounds-read", "scale"), ("out-of-bounds-write", "scale"))

# Conditions: loops, choices, nested; one that nobody set.
run("while-right", "--leaks").is_clean(28, "14 1\n")
run("while").finds(("out-of-bounds-read", "note"), ("out-of-bounds-write", "note")).prints("0 1\n")
run("captured-while-right").is_clean(14, "1 2, 7 1\n")
run("captured-while").finds(("out-of-bounds-read", "note"), ("out-of-bounds-write", "note")).prints("1 2, 0 1\n")
run("destroyed-while-captured").prints("cudaSuccess 0\n")
run("choice-right").is_clean(15, "1 0 2, 3 1, cudaErrorInvalidValue\n")
run("choice").finds("uninitialized-read").says("that no kernel set in this launch")

# A loop that is added to a graph under capture, with a body that is captured.
run("captured-loop-right").is_clean(5, "0 2\n")
run("captured-loop").finds("stream-race").prints("0 2\n")

# The default stream of a thread.
said = "cudaErrorStreamCaptureUnsupported 1 0 same 0 6060606\n"
run("captured-thread-right").is_clean(2, said)
run("captured-thread").finds("stream-race").prints(said)

finish()
