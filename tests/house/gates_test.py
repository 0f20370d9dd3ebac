#!/usr/bin/env python3
"""The examples of gates in docs/gate are valid YAML of the shape that their engine reads, and the commands in them are
commands and options that rope-check has. Usage: gates_test.py ROOT PROGRAM

Ends with 77 (skipped) where Debian's python3-yaml is not installed.
"""
import pathlib
import re
import shlex
import subprocess
import sys

try:
    import yaml
except ImportError:
    print("skipped: python3-yaml is not installed")
    sys.exit(77)

root, program = pathlib.Path(sys.argv[1]), sys.argv[2]
bad = []


def told(*words):
    done = subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def words_of(text, start):
    return set(re.findall(rf"^  (?:-[a-zA-Z],)?({start}[a-z-]+)", text, re.M))


def check_command(where, line):
    words = shlex.split(line)
    help_text = told(words[1]) if len(words) > 1 else ""
    if len(words) < 2 or words[1] not in words_of(told(), "") or not help_text:
        bad.append(f"{where}: rope-check has no command {words[1:2]}")
        return
    for word in words[2:]:
        if word.startswith("--") and word.split("=")[0] not in words_of(help_text, "--"):
            bad.append(f"{where}: rope-check {words[1]} has no option {word}")
    for name, file in zip(words, words[1:]):
        if name == "--report" and not file.endswith((".json", ".sarif", ".xml", ".html", ".md", ".txt", ".github", ".gitlab")):
            bad.append(f"{where}: {file} has no suffix of a report")


def texts_in(value):
    """Every string in a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)


def commands_in(document):
    for text in texts_in(document):
        for line in text.splitlines():
            if line.strip().startswith("rope-check "):
                yield line.strip()


def load(name):
    try:
        return yaml.safe_load((root / "docs/gate" / name).read_text())
    except yaml.YAMLError as error:
        bad.append(f"{name}: {error}")
        return {}


github = load("github-actions.yml")
if not github.get("jobs") or True not in github:  # YAML 1.1 reads the key "on" as true
    bad.append("github-actions.yml: jobs or on is missing")
for name, job in github.get("jobs", {}).items():
    if "runs-on" not in job:
        bad.append(f"github-actions.yml: job {name} has no runs-on")
    for step in job.get("steps", []):
        if ("run" in step) == ("uses" in step):
            bad.append(f"github-actions.yml: a step of {name} needs either run or uses")

gitlab = load("gitlab-ci.yml")
for name, job in gitlab.items():
    if name == "stages" or name.startswith("."):
        continue
    if not isinstance(job.get("script"), list) or job.get("stage") not in gitlab.get("stages", []):
        bad.append(f"gitlab-ci.yml: job {name} has no script, or a stage that is not listed")
    if "extends" in job and job["extends"] not in gitlab:
        bad.append(f"gitlab-ci.yml: job {name} extends {job['extends']}, which is not there")

count = 0
for name, document in (("github-actions.yml", github), ("gitlab-ci.yml", gitlab)):
    for command in commands_in(document):
        count += 1
        check_command(name, command)
if count < 3:
    bad.append(f"only {count} commands were found in the examples")
for script in sorted((root / "tools/cluster").glob("*.sh")):
    if subprocess.run(["sh", "-n", str(script)], check=False).returncode:
        bad.append(f"{script.name}: sh cannot read it")

for line in bad:
    print(line)
print(f"{count} commands, {len(bad)} errors")
sys.exit(bool(bad))
