#!/usr/bin/env python3
"""rope-check run, and parts of graphs (graph_parts_programs.cu): NAME does wrong what NAME-right does right.

Usage: graph_parts_test.py ROOT PROGRAM
"""
from running import Ran, build_of, finish, root

program = build_of(root / "tests/tools/run/graph_parts_programs.cu", "graph_parts", "-cudart", "shared")


def run(name, *options):
    return Ran([program], name, *options)


# Nodes that are switched off, and stay so when what runs is updated.
run("switched-right").is_clean(5, "1 cudaErrorInvalidValue 0 9 7\n")
ran = run("switched")
ran.expect([rule for rule, line in ran.findings] == ["uninitialized-read"], f"finds {ran.findings}")

# The child of a node, which is the node's own copy.
run("child-right").is_clean(2, "1 1 7\n")
ran = run("child")
ran.expect({rule for rule, line in ran.findings} >= {"stream-race"}, f"finds {ran.findings}")

# User objects live as long as somebody holds them.
invalid = "cudaErrorInvalidValue "
run("objects-right").prints(4 * invalid + "held destroyed over\n")

# A graph as a text.
ran = run("dot-right")
ran.expect(ran.output.startswith("digraph dot {\n") and ran.output.endswith("}\ncudaErrorOperatingSystem\n"), "is no graph")
ran.expect('"graph_2_node_0" -> "graph_2_node_1";' in ran.output and "KERNEL" in ran.output and "GRAPH" in ran.output,
           "lacks an edge or a node")

finish()
