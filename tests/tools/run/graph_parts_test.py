#!/usr/bin/env python3
"""rope-check run, and parts of graphs (graph_parts_programs.cu): NAME does wrong what NAME-right does right.

Usage: graph_parts_test.py ROOT PROGRAM
"""
import re

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

# Attributes of a kernel's node.
run("attributes-right").is_clean(2, "1\n7\n")
ran = run("attributes").says("cudaLaunchCooperativeKernel")
ran.expect([rule for rule, line in ran.findings] == ["device-assert"], f"finds {ran.findings}")

# User objects live as long as somebody holds them.
run("objects-right").prints("cudaErrorInvalidValue held destroyed over\n")
run("objects").prints("cudaErrorInvalidValue " + 3 * "cudaSuccess " + "held over\n")

# A graph as a text, in the format of NVIDIA's driver.
ran = run("dot-right")
text = re.sub(r"_ZN\w+_main", "", ran.output)
ran.expect(text == """digraph dot {
subgraph cluster_2 {
label="graph_2" graph[style="dashed"];
"graph_2_node_0"[style="solid" shape="rectangle" label="0
graph_3
"];

}
subgraph cluster_3 {
label="graph_3" graph[style="dashed"];
"graph_3_node_0"[style="bold" shape="octagon" label="0
3setEPii
"];

"graph_3_node_1"[style="bold" shape="octagon" label="1
3addEPii
"];

"graph_3_node_0" -> "graph_3_node_1";
}
}
cudaErrorOperatingSystem
""", f"is {text}")

finish()
