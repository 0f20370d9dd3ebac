"""Findings and reports as objects; what they hold is what the JSON of a report (schema ropewalk.report/1) holds."""

import json
import os
import shutil
import subprocess
import tempfile


class Finding:
    """One defect. Keys of the report's JSON are attributes: finding.rule, .message, .severity, .id, .evidence, ..."""

    def __init__(self, fields):
        self.fields = fields

    def __getattr__(self, name):
        if name.startswith("__") or name == "fields":
            raise AttributeError(name)
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(f"this finding has no {name}; it has {', '.join(self.fields)}") from None

    @property
    def is_error(self):
        """Else it is a warning or a note."""
        return self.severity == "error"

    @property
    def file(self):
        """Of the source line, or None."""
        return (self.fields.get("location") or {}).get("file")

    @property
    def line(self):
        return (self.fields.get("location") or {}).get("line")

    @property
    def stack(self):
        """Where the launch was made, innermost first: "function (file:line)"."""
        lines = []
        for text in self.fields.get("evidence", ()):
            if text.startswith("launched at "):
                lines = [text.removeprefix("launched at ")]
            elif lines and text.startswith("  called by "):
                lines.append(text.removeprefix("  called by "))
            elif lines:
                break
        return lines

    def text(self):
        """A line for people, with its evidence below."""
        location = f" ({self.file}:{self.line})" if self.file else ""
        kernel = self.fields.get("kernel", "")
        kernel = kernel.get("name", "") if isinstance(kernel, dict) else kernel
        head = f"{self.severity}: {self.rule}: {kernel}: {self.message}{location}"
        return "\n".join([head, *(f"    {line}" for line in self.fields.get("evidence", ()))])

    def __repr__(self):
        return f"<Finding {self.fields.get('rule')} {self.file}:{self.line}: {self.fields.get('message')}>"


class Report:
    """.findings, .not_run, .is_clean; .fields is the JSON."""

    def __init__(self, fields):
        self.fields = fields
        self.findings = [Finding(one) for one in fields.get("findings", ())]
        self.not_run = fields.get("not_run", [])

    @property
    def is_clean(self):
        return not self.findings and not self.not_run


def program():
    """rope-check: beside this package's build tree or installation, or on the PATH."""
    python = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    # pip install --target; build/lib/python; PREFIX/lib/ropewalk/python and PREFIX/lib/python3*/site-packages
    for up in (".", "../..", "../../.."):
        found = os.path.normpath(os.path.join(python, up, "bin", "rope-check"))
        if os.path.exists(found):
            return found
    found = shutil.which("rope-check")
    if found is None:
        raise FileNotFoundError(f"there is no rope-check beside {python}, and none on the PATH")
    return found


def check(launch_file, *options):
    """Runs `rope-check launch FILE OPTIONS...`. The Report. Raises ValueError for a file or an option that is refused."""
    with tempfile.TemporaryDirectory(prefix="ropewalk-") as folder:
        path = os.path.join(folder, "report.json")
        done = subprocess.run([program(), "launch", os.fspath(launch_file), *options, "--quiet", "--report", path],
                              capture_output=True, text=True)
        if not os.path.exists(path):
            raise ValueError((done.stderr or done.stdout).strip())
        with open(path) as file:
            return Report(json.load(file))
