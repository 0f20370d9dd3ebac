"""What the tests of rope-check run share. Their words are ROOT PROGRAM."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

root, rope_check = pathlib.Path(sys.argv[1]), sys.argv[2]
os.environ["PATH"] += ":/usr/local/cuda/bin"
if not shutil.which("nvcc"):
    print("skipped: nvcc is not installed")
    sys.exit(77)
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
lines = {}  # of a source, by the words behind "at:"
bad = []


def read_lines(source):
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if "// at:" in line:
            lines[line.rsplit("at:", 1)[1].strip()] = number


def build_of(source, name, *options, architecture="sm_80"):
    path = folder / name
    subprocess.run(["nvcc", "-std=c++20", f"-arch={architecture}", "-lineinfo", "-I", root, "-o", path, source, *options], check=True,
                   stdout=subprocess.DEVNULL)
    return str(path)


class Ran:
    def __init__(self, program, name, *options, command="run"):
        path = folder / "report.json"
        path.unlink(missing_ok=True)
        words = [rope_check, command, "--report", path, *options]
        done = subprocess.run(words + (["--", *program, name] if program else []), capture_output=True, text=True,
                              timeout=120, cwd=root)
        self.read(" ".join(map(str, [*options, name])), path, done.returncode, done.stdout, done.stderr)

    def read(self, name, path, code, output, errors):
        self.name, self.code, self.output, self.errors = name, code, output, errors
        self.report = json.loads(path.read_text()) if path.exists() else {}
        self.findings = sorted((f["rule"], (f["location"] or {}).get("line") or 0) for f in self.report.get("findings", []))

    def expect(self, holds, text):
        if not holds:
            bad.append(f"{self.name}: {text}\n{self.output}{self.errors}")
        return self

    def is_clean(self, cases, output=None):
        self.expect(self.code == 0 and self.report["summary"]["verdict"] == "clean", "is not clean")
        self.expect(self.report["summary"]["passed"] == self.report["summary"]["cases"] == cases, f"not {cases} cases")
        return self if output is None else self.prints(output)

    def prints(self, output):
        return self.expect(self.output == output, f"does not print {output!r}")

    # Each finding is (rule, word of its line), or a rule whose place is no line of a kernel.
    def finds(self, *findings, code=1):
        wanted = sorted((f, 0) if isinstance(f, str) else (f[0], lines[f[1]]) for f in findings)
        self.expect(self.findings == wanted, f"finds {self.findings}, not {wanted}")
        return self.expect(self.code == code, f"ends with {self.code}, not {code}")

    def says(self, text):
        return self.expect(text in self.errors, f"does not say {text!r}")


def finish():
    for text in bad:
        print(text)
    sys.exit(1 if bad else 0)
