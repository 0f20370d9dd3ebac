#!/usr/bin/env python3
"""What `make install` installs works where it was installed. Usage: install_test.py ROOT BUILD CMAKE

Under a DESTDIR and under a prefix; the programs run, the manual pages name every command, the completions are valid and
complete (those of zsh and fish where these are installed), and another project finds the CMake package and tests with it.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

root, build, cmake = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3]
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)
bad = []


def expect(holds, text):
    if not holds:
        bad.append(text)


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)


def install(prefix, destdir=None):
    environment = dict(os.environ, **({"DESTDIR": str(destdir)} if destdir else {}))
    done = run(cmake, "--install", build, "--prefix", prefix, env=environment)
    expect(done.returncode == 0, f"cmake --install: {done.stderr}")


install("/usr", folder / "staged")
expect((folder / "staged/usr/bin/rope-check").exists(), "DESTDIR is not honored")
prefix = folder / "prefix"
install(prefix)

launches = root / "tests/tools/launches"
done = run(prefix / "bin/rope-check", "launch", launches / "gather.json", cwd=folder)
expect(done.returncode == 0, f"the installed program: {done.stdout}{done.stderr}")
done = run(prefix / "bin/attn-fuzz", "-V")
expect(done.stdout.startswith("attn-fuzz "), f"the installed program: {done.stdout}{done.stderr}")

done = run(prefix / "bin/rope-check", "run", "--", "ldd", prefix / "lib/ropewalk/virtual/libcudart.so.13", cwd=folder)
expect("lib/ropewalk/libropewalk.so" in done.stdout.replace("virtual/../", "") and "not found" not in done.stdout,
       f"the installed virtual GPU: {done.stdout}{done.stderr}")

documents = prefix / "share/doc/ropewalk"
for document in sorted(documents.glob("*.md")) + sorted(documents.glob("docs/*.md")):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", document.read_text()):
        there = "://" in target or (document.parent / target).exists()
        expect(there or document.name in ("CHANGELOG.md", "CONTRIBUTING.md"), f"{document.name} links to {target}, which is not there")

asked = "import ropewalk.library as it; print(it.path(), it.load().ropewalk_interface())"
done = run(prefix / "bin/rope-check", "run", "--", sys.executable, "-B", "-c", asked, cwd=folder)
expect(f"{prefix}/lib/ropewalk/libropewalk.so 1" in done.stdout, f"the installed package: {done.stdout}{done.stderr}")

for program in ("rope-check", "attn-fuzz"):
    help_text = run(prefix / "bin" / program, "--help").stdout
    listing = help_text[help_text.index("Subcommands:") :].splitlines()[1:]
    commands = [line.split()[0] for line in listing if line.startswith("  ") and line[2] != " "]
    expect(len(commands) > 5, f"{program}: commands {commands}")
    page = prefix / f"share/man/man1/{program}.1"
    text = page.read_text()
    for command in commands:
        expect(f".SS {command}\n" in text, f"{page.name} does not tell of {command}")
    expect("\\-\\-report" in text, f"{page.name} does not tell of --report")
    if shutil.which("groff"):
        warnings = run("groff", "-man", "-Tutf8", "-ww", page).stderr
        expect(not warnings, f"groff: {warnings}")

    bash = prefix / f"share/bash-completion/completions/{program}"
    function = "_" + program.replace("-", "_")

    def completed(*words):
        script = f"""source '{bash}'; COMP_WORDS=({" ".join(words)} ''); COMP_CWORD={len(words) - 1}
                     COMP_WORDS=({" ".join(words[:-1])} '{words[-1]}'); {function}; printf '%s\n' "${{COMPREPLY[@]}}" """
        return run("bash", "-c", script).stdout.split()

    expect(set(commands) <= set(completed(program, "")), f"bash: commands {completed(program, '')}")
    expect(completed(program, "mer") == ["merge"], f"bash: mer {completed(program, 'mer')}")
    expect(completed(program, "merge", "--rep") == ["--report"], f"bash: {completed(program, 'merge', '--rep')}")
    expect(completed(program, "merge", "--jo") == [], "bash: merge takes no --jobs")
    for words, choices in ((("fuzz", "--executor", ""), "machine instrumented gpu"), (("fuzz", "--guards", "z"), "zones"),
                           (("merge", "--format", "x"), "xml"), (("merge", "--color", ""), "auto always never")):
        expect(completed(program, *words) == choices.split(), f"bash: {words} {completed(program, *words)}")
    for shell, file in (("zsh", f"share/zsh/site-functions/_{program}"), ("fish", f"share/fish/vendor_completions.d/{program}.fish")):
        expect((prefix / file).exists(), f"{file} is missing")
        if shutil.which(shell):
            checked = run(shell, "-n", prefix / file)
            expect(checked.returncode == 0 and not checked.stderr, f"{shell}: {checked.stderr}")

project = folder / "project"
project.mkdir()
(project / "CMakeLists.txt").write_text(
    f"""cmake_minimum_required(VERSION 3.25)
project(other NONE)
find_package(ropewalk 0.1 REQUIRED)
enable_testing()
ropewalk_add_launch_test(healthy {launches}/gather.json OPTIONS --strict)
ropewalk_add_launch_test(faulty {launches}/gather_past_the_end.json)
set_tests_properties(faulty PROPERTIES WILL_FAIL TRUE)
"""
)
done = run(cmake, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
expect(done.returncode == 0, f"find_package: {done.stderr}")
done = run(pathlib.Path(cmake).with_name("ctest"), "--test-dir", project / "build", "--output-on-failure")
expect(done.returncode == 0 and "2 tests passed" in done.stdout.replace("0 tests failed out of 2", "2 tests passed"), done.stdout)

for text in bad:
    print(text)
sys.exit(len(bad) > 0)
