"""One launch of a kernel under rope-check: its files are written, it is run, report and outputs are read."""
import json
import os
import subprocess

import numpy

UNIT_ROUNDOFF = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}


def rounded(values, dtype):
    """`values` as f32 numbers that `dtype` holds exactly (nearest, ties to even)."""
    if dtype == "f16":
        return values.astype(numpy.float16).astype(numpy.float32)
    single = values.astype(numpy.float32)
    if dtype == "f32":
        return single
    bits = single.view(numpy.uint32).astype(numpy.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return bits.astype(numpy.uint32).view(numpy.float32)


class LaunchCase:
    """Tensors and arguments of one launch in a folder of its own."""

    def __init__(self, folder, kernel, grid):
        self.folder = folder
        self.kernel = kernel
        self.grid = list(grid)
        self.tensors = {}
        os.makedirs(folder, exist_ok=True)

    def input(self, name, values, dtype):
        """A tensor with values; f32 values stand for f16 and bf16."""
        numpy.save(os.path.join(self.folder, name + ".npy"), values)
        self.tensors[name] = {"dtype": dtype, "shape": list(values.shape), "init": {"file": name + ".npy"}}

    def output(self, name, shape, dtype, init="uninitialized"):
        self.tensors[name] = {"dtype": dtype, "shape": list(shape), "init": init, "output": True, "finite": True}

    def run(self, rope_check, scalars=None):
        """Runs `rope_check launch`. `scalars`: {name: {"i32": 5}} for parameters that are no tensors. Returns the exit
        code, the report and the outputs by name (float64)."""
        arguments = [scalars[name] if name in (scalars or {}) else {"tensor": name} for name in self.kernel.parameters]
        launch = {
            "schema": "ropewalk.launch/1", "ptx": "kernel.ptx", "entry": self.kernel.entry, "grid": self.grid,
            "block": self.kernel.block, "dynamic_shared_bytes": self.kernel.dynamic_shared_bytes, "target": "sm_80",
            "tensors": self.tensors, "args": arguments,
        }
        with open(os.path.join(self.folder, "kernel.ptx"), "w") as file:
            file.write(self.kernel.ptx)
        with open(os.path.join(self.folder, "launch.json"), "w") as file:
            json.dump(launch, file, indent=1)
        report = os.path.join(self.folder, "report.json")
        if os.path.exists(report):
            os.remove(report)
        done = subprocess.run(
            [rope_check, "launch", os.path.join(self.folder, "launch.json"), "--save-outputs", self.folder,
             "--report", report, "--color", "never"],
            capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise AssertionError(f"exit code {done.returncode}\n{done.stdout}{done.stderr}")
        with open(report) as file:
            told = json.load(file)
        outputs = {}
        for name, tensor in self.tensors.items():
            if tensor.get("output"):
                outputs[name] = numpy.load(os.path.join(self.folder, name + ".npy")).astype(numpy.float64)
        return done.returncode, told, outputs


def check_healthy(code, report):
    """Nothing was found and something ran."""
    found = [f"{f['rule']}: {f['message']}" for f in report["findings"]]
    assert code == 0 and not found, "found in a healthy launch:\n" + "\n".join(found)
    assert report["summary"]["passed"] == 1, report["summary"]


def check_read_past(code, report, tensor, index, path, statement):
    """Only `tensor` is read past its end, at the element `index` first, by a line of the Python file `path` that has this
    statement."""
    assert code == 1, code
    found = [f for f in report["findings"] if f["rule"] == "out-of-bounds-read"]
    assert found and all(f["access"]["tensor"] == tensor for f in found), report["findings"]
    assert found[0]["access"]["index"] == index, found[0]["access"]
    location = found[0]["location"]
    # Paths are reported relative to the checkout.
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    assert os.path.samefile(os.path.join(root, location["file"]), path), location
    with open(path) as file:
        line = file.read().splitlines()[location["line"] - 1]
    assert statement in line, line
    print(f"  found at line {location['line']}: {line.strip()}")


def check_close(name, got, expected, bound):
    """|got - expected| <= bound, element by element. Returns the largest part of its bound that an element used."""
    assert got.shape == expected.shape, (got.shape, expected.shape)
    part = numpy.abs(got - expected) / bound
    worst = numpy.unravel_index(numpy.nanargmax(part), part.shape)
    at = [int(i) for i in worst]
    assert numpy.all(part <= 1), (  # NaN is not <= 1
        f"{name}{at}: {got[worst]} for {expected[worst]}, off by {part[worst]:.3g} times the bound {bound[worst]:.3g}")
    return float(part[worst])


def run_cases(cases):
    """Runs the checks {name: function} and says what came of each. The exit code: 0 when all are as they should be."""
    failures = 0
    for name, case in cases.items():
        print(name, flush=True)
        try:
            case()
        except AssertionError as error:
            failures += 1
            print("  FAILED:", error)
    print(f"{len(cases) - failures} of {len(cases)} cases as they should be")
    return 1 if failures else 0
