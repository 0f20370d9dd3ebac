#!/usr/bin/env python3
"""Writes the launch files of this folder, and expected.json: what the machine must find in each of them.

Run after a change of a kernel (kernels/build_ptx.sh makes the PTX); with --check nothing is written, and the files that
would change are named. A case has a faulty launch with all of its findings and a correct counterpart without any. Lines are
looked up by the comment that ends them.
"""
import json
import pathlib
import sys

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))
sys.dont_write_bytecode = True
expected = {}
stale = []


def write(name, text):
    file = here / name
    if "--check" not in sys.argv:
        file.write_text(text)
    elif not file.exists() or file.read_text() != text:
        stale.append(name)


class Theme:
    """A source file, and the launches of its kernels."""

    def __init__(self, source):
        self.source = source
        self.lines = (here / f"{source}.cu").read_text().splitlines()

    def line(self, comment):
        """The line that ends with this comment."""
        found = [n + 1 for n, line in enumerate(self.lines) if line.endswith("// " + comment)]
        if len(found) != 1:
            sys.exit(f"{self.source}.cu: {len(found)} lines end with // {comment}")
        return found[0]

    def finding(self, rule, comment=None, tensor=None, **more):
        """What is expected of a finding; severity is error unless given."""
        out = {"rule": rule, "severity": "error", **more}
        if tensor is not None:
            out["tensor"] = tensor
        if comment:
            out["line"] = self.line(comment)
        return out

    def launch(self, name, entry, tensors, args, *findings, grid=1, block=32, counterpart=None, strict=False, **more):
        """One launch file with everything that must be found in it. `args` are names of tensors, or given in full."""
        def three(size):
            return [*size, *[1] * (3 - len(size))] if isinstance(size, (list, tuple)) else [size, 1, 1]

        body = {"schema": "ropewalk.launch/1", "ptx": f"{self.source}.ptx", "entry": entry, "grid": three(grid),
                "block": three(block), "tensors": tensors,
                "args": [{"tensor": arg} if isinstance(arg, str) else {"i32": arg} if isinstance(arg, int) else arg
                         for arg in args], **more}
        write(f"{name}.json", json.dumps(body) + "\n")
        want = {"kind": "found" if findings else "agreed", "findings": list(findings)}
        if strict:
            want["strict"] = True
        if findings and not counterpart:
            sys.exit(f"{name}: a faulty launch needs a correct counterpart")
        if counterpart:
            want["counterpart"] = counterpart
        expected[name] = want


def tensor(dtype, *shape, init="uninitialized", **more):
    return {"dtype": dtype, "shape": list(shape), "init": init, **more}


def output(dtype, *shape, **more):
    return tensor(dtype, *shape, output=True, **more)


def count_up(start=0, step=1):
    return {"arange": {"start": start, "step": step}}


def fill(value):
    return {"fill": value}


def main():
    import accesses
    import ends
    import threads
    import values
    for part in (accesses, values, threads, ends):
        part.launches(sys.modules["__main__"])
    write("expected.json", json.dumps(expected, indent=1) + "\n")
    wanted = {f"{name}.json" for name in expected} | {"expected.json"}
    stale.extend(sorted(file.name for file in here.glob("*.json") if file.name not in wanted))
    for name in stale:
        print(f"not what make.py makes: {name}")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
