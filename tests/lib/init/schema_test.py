#!/usr/bin/env python3
"""Holds plans against their JSON Schema, and the schema against the program that reads them.

  schema_test.py ROOT ROPE_CHECK

Every plan that comes with the suite fits; every malformed one of a list is refused by the schema and by rope-check, which
ends with 2 and names the field. Ends with 77 (skipped) where Debian's python3-jsonschema is not installed.
"""
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

root, rope_check = pathlib.Path(sys.argv[1]), sys.argv[2]
schema = json.loads((root / "lib/init/schema/plan-1.schema.json").read_text())
kind = jsonschema.validators.validator_for(schema)
kind.check_schema(schema)
validator = kind(schema)
failures = []


def events_with(event):
    """The good plan with one more event."""
    return lambda plan: plan["events"].append(event)


def buffer_with(**members):
    return lambda plan: plan["buffers"]["cos_sin"].update(members)


def top(**members):
    return lambda plan: plan.update(members)


def without(key):
    return lambda plan: plan.pop(key)


# How a plan is spoilt, and the field that rope-check must name.
SPOILT = {
    "no schema": (without("schema"), '"schema"'),
    "another schema": (top(schema="ropewalk.plan/2"), "schema"),
    "no config": (without("config"), '"config"'),
    "config is a list": (top(config=[]), "config"),
    "no buffers": (without("buffers"), '"buffers"'),
    "empty buffers": (top(buffers={}), "buffers"),
    "no events": (without("events"), '"events"'),
    "empty events": (top(events=[]), "events"),
    "33 events": (top(events=[{"do": "forward", "name": str(n)} for n in range(33)]), "events"),
    "events are an object": (top(events={}), "events"),
    "unknown key": (top(rank=2), '"rank"'),
    "name is a number": (top(name=3), "name"),
    "related is a text": (top(related="x"), "related"),
    "no ranks": (top(ranks=0), "ranks"),
    "too many ranks": (top(ranks=65), "ranks"),
    "half a rank": (top(ranks=1.5), "ranks"),
    "a buffer's unknown key": (buffer_with(hold="table"), "buffers.cos_sin"),
    "a buffer's unknown form": (buffer_with(holds="tables"), "buffers.cos_sin.holds"),
    "a buffer's unknown dtype": (buffer_with(dtype="f64"), "buffers.cos_sin.dtype"),
    "a buffer without rows": (buffer_with(rows=0), "buffers.cos_sin.rows"),
    "a buffer of too many rows": (buffer_with(rows=65537), "buffers.cos_sin.rows"),
    "persistence in words": (buffer_with(persistent="yes"), "buffers.cos_sin.persistent"),
    "a registry key that is a text": (buffer_with(registry_key="device"), "buffers.cos_sin.registry_key"),
    "an event that is a text": (events_with("forward"), "events[6]"),
    "an event that does nothing": (events_with({"name": "x"}), "events[6]"),
    "an unknown event": (events_with({"do": "to_emty"}), "events[6].do"),
    "an event's unknown key": (events_with({"do": "to_empty", "name": "x", "afer": []}), "events[6]"),
    "an option of another event": (events_with({"do": "to_empty", "name": "x", "rows": 4}), "events[6]"),
    "construct nowhere": (events_with({"do": "construct", "name": "x"}), "events[6]"),
    "construct on a GPU": (events_with({"do": "construct", "name": "x", "on": "gpu"}), "events[6].on"),
    "to meta": (events_with({"do": "to", "on": "meta"}), "events[6].on"),
    "a cast to nothing": (events_with({"do": "cast"}), "events[6]"),
    "a cast to f8": (events_with({"do": "cast", "dtype": "f8"}), "events[6].dtype"),
    "grow without rows": (events_with({"do": "grow"}), "events[6]"),
    "grow to none": (events_with({"do": "grow", "rows": 0}), "events[6].rows"),
    "wait for nobody": (events_with({"do": "wait", "stream": "side"}), "events[6]"),
    "wait for a number": (events_with({"do": "wait", "stream": "side", "for": 1}), "events[6].for"),
    "zero.Init without a version": (events_with({"do": "enter_zero_init"}), "events[6]"),
    "zero.Init of a name": (events_with({"do": "enter_zero_init", "deepspeed": "new"}), "events[6].deepspeed"),
    "an unknown condition": (events_with({"do": "init_weights", "when": "sometimes"}), "events[6].when"),
    "an unknown branch": (events_with({"do": "init_weights", "value_branch": "if"}), "events[6].value_branch"),
    "scaled by a number": (events_with({"do": "init_weights", "scaled": 8}), "events[6].scaled"),
    "an unknown way to shard": (events_with({"do": "shard", "by": "fsdp"}), "events[6].by"),
    "an unknown way to capture": (events_with({"do": "capture", "by": "fsdp2"}), "events[6].by"),
    "strict in words": (events_with({"do": "load_checkpoint", "name": "x", "strict": "no"}), "events[6].strict"),
    "unknown levels": (events_with({"do": "broadcast", "levels": "two"}), "events[6].levels"),
    "an empty node": (events_with({"do": "broadcast", "node_size": 0}), "events[6].node_size"),
    "a node of too many": (events_with({"do": "broadcast", "node_size": 65}), "events[6].node_size"),
    "too many positions": (events_with({"do": "forward", "name": "x", "positions": 4097}), "events[6].positions"),
    "a position too far": (events_with({"do": "forward", "name": "x", "first_position": 65537}),
                           "events[6].first_position"),
    "no positions": (events_with({"do": "forward", "name": "x", "positions": 0}), "events[6].positions"),
    "a position before the first": (events_with({"do": "forward", "name": "x", "first_position": -1}),
                                    "events[6].first_position"),
    "unknown ranks": (events_with({"do": "to_empty", "name": "x", "ranks": "last"}), "events[6].ranks"),
    "a rank too many": (events_with({"do": "to_empty", "name": "x", "ranks": [64]}), "events[6].ranks"),
    "a broadcast of some ranks": (events_with({"do": "broadcast", "ranks": "first"}), "events[6].ranks"),
    "after a number": (events_with({"do": "to_empty", "name": "x", "after": [0]}), "events[6].after"),
    "a name with an @": (events_with({"do": "to_empty", "name": "x@0"}), "events[6].name"),
    "an empty name": (events_with({"do": "to_empty", "name": ""}), "events[6].name"),
}

plans = sorted((root / "lib/init/plans").glob("*.json"))
for path in plans:
    for error in validator.iter_errors(json.loads(path.read_text())):
        failures.append(f"{path.name}: {error.json_path}: {error.message}")
if len(plans) < 24:
    failures.append(f"{len(plans)} plans were found, expected at least 24")

good = json.loads((root / "lib/init/plans/litgpt.broken.json").read_text())
with tempfile.TemporaryDirectory() as folder:
    for name, (spoil, field) in SPOILT.items():
        plan = copy.deepcopy(good)
        spoil(plan)
        if validator.is_valid(plan):
            failures.append(f"{name}: the schema lets it pass")
        path = pathlib.Path(folder) / "plan.json"
        path.write_text(json.dumps(plan))
        done = subprocess.run([rope_check, "init", str(path)], capture_output=True, text=True, check=False)
        message = done.stderr.removeprefix("rope-check: error: ").removeprefix(str(path))
        if done.returncode != 2 or done.stderr.count("\n") != 1 or done.stdout or field not in message:
            failures.append(f"{name}: exit {done.returncode}, expected 2 and one line that names {field}: {done.stderr}")
print(*failures, f"{len(plans)} plans, {len(SPOILT)} malformed ones, {len(failures)} failures", sep="\n")
sys.exit(1 if failures else 0)
