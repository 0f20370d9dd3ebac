#!/usr/bin/env python3
"""rope-check run, and what a program does at its host's side (host_programs.cu): ends from outside, replays.

Usage: host_test.py ROOT PROGRAM
"""
import os
import re
import signal
import subprocess
import time

from running import Ran, build_of, finish, folder, lines, read_lines, root, rope_check

source = root / "tests/tools/run/host_programs.cu"
read_lines(source)
program = build_of(source, "host", "-cudart", "shared")
report = folder / "report.json"
WRONG = ("out-of-bounds-write", "number")


class Interrupted(Ran):
    """Sent the signal, alone or with all that it started, when the program says that it is ready."""

    def __init__(self, words, sent, group=False):
        report.unlink(missing_ok=True)
        running = subprocess.Popen([rope_check, "run", "--report", report, "--", *words], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, cwd=root, start_new_session=True)
        output = running.stdout.readline()
        since = time.monotonic()
        (os.killpg if group else os.kill)(running.pid, sent)
        more, errors = running.communicate(timeout=60)
        self.seconds = time.monotonic() - since
        self.read(f"{words} at {sent}", report, running.returncode, output + more, errors)
        left = subprocess.run(["ps", "-o", "args=", "-g", str(running.pid)], capture_output=True, text=True).stdout
        self.expect(not left, f"leaves {left!r}").prints("ready\n")


for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    for group in (False, True):
        ran = Interrupted([program, "launch-and-stay"], sent, group).finds(WRONG, code=128 + sent)
        ran.says(f"rope-check was sent signal {int(sent)} ").expect(ran.seconds < 5, "is slow")
    # In the middle of a launch, which is not finished.
    for name, found in (("launch-for-long", [("out-of-bounds-write", "work")]), ("launch-for-long-right", [])):
        ran = Interrupted([program, name], sent).finds(*found, code=128 + sent)
        ran.says("not finished: it was interrupted").says(f"rope-check was sent signal {int(sent)} ")
        ran.expect(ran.seconds < 5, f"takes {ran.seconds} s")
Interrupted([program, "launch-and-stay-right"], signal.SIGTERM).finds(code=128 + signal.SIGTERM)
Interrupted([program, "end-by-itself"], signal.SIGTERM).finds(WRONG, code=128 + signal.SIGTERM)
# Who stays is killed, and so is what a shell leaves behind.
ran = Interrupted([program, "ignore-signals"], signal.SIGTERM).finds(WRONG, code=128 + signal.SIGTERM)
ran.expect(9 < ran.seconds < 20, f"takes {ran.seconds} s")
Interrupted(["sh", "-c", f"{program} launch-and-stay; true"], signal.SIGTERM).finds(WRONG, code=128 + signal.SIGTERM)



def run(name, *options):
    return Ran([program], name, *options)


# A program that launches nothing is a case of its own.
run("copy-right").is_clean(1).says("no kernel was launched; 3 copies, fills and frees were checked")
run("copy").finds("out-of-bounds-read").says("found    1 error in 1 launch ")

# A launch is one case, however often its defect is met; one that is refused has no blocks, and writes nothing.
ran = run("half-warp").finds(("inactive-lane-read", "shuffle"))
ran.expect(ran.report["findings"][0]["occurrences"]["cases"] == 1, "counts a launch twice")
run("half-warp-right").is_clean(1)
for name, found in (("refused", [("uninitialized-read", "increase")]), ("refused-right", [])):
    ran = run(name)
    ran.expect([f for f in ran.findings if f[0] != "launch-limit"] == [(f, lines[word]) for f, word in found], f"finds {ran.findings}")
    ran.expect("blocks were run" not in ran.errors, "says that blocks were left out")

# Who outlives the program is waited for, where the virtual GPU is in it; whom it is not in for a short while alone.
run("left-behind").finds(WRONG)
run("left-behind-right").is_clean(1)
for name, found in (("launch", [WRONG]), ("launch-right", [])):
    Ran(["sh", "-c", f"(sleep 0.5; {program} {name}) & exit 0"], "").finds(*found, code=len(found))
ran = Ran(["sh", "-c", f"(exec >/dev/null 2>&1; sleep 4; {program} launch-right >{folder}/late 2>&1) & exit 0"], "")
ran.finds(code=3).says("was left behind without the virtual GPU, and goes on")
time.sleep(4)
late = (folder / "late").read_text()
ran.expect("belongs to has ended" in late, f"the process says {late!r}")
run("clear-environment").finds(WRONG)
run("clear-environment-right").is_clean(1)

# Lines of the host's own source, where it was built with -g.
with_lines = build_of(source, "host-with-lines", "-cudart", "shared", "-g")
Ran([with_lines], "copy").finds(("out-of-bounds-read", "copy")).says(f"called at run_copy(bool) ({source}:{lines['copy']})")
Ran([with_lines], "copy-right").is_clean(1)
Ran([with_lines], "leak", "--leaks").finds(("memory-leak", "made"))
Ran([with_lines], "leak-right", "--leaks").finds(code=0)
Ran([with_lines], "leak-at-reset", "--leaks").finds(("memory-leak", "reset")).says("are not freed when the device is reset")
Ran([with_lines], "leak-at-reset-right", "--leaks").finds(code=0)
ran = Ran([with_lines], "device-pointer").finds(("illegal-address", "pointer"))
ran.says("reads byte 12 of allocation 1 (").says("died of signal 11")
Ran([with_lines], "device-pointer-right").finds(code=0)
run("other-fault").finds(code=128 + signal.SIGSEGV)
run("sent-fault").finds(code=128 + signal.SIGSEGV).prints("")
run("print").is_clean(1, 2 * "[    42] [ab   ] [3.142] [    x] [(nil)] [   right] [ff] [1099511627776] [%] [+7] [42    ]\n")
ran = run("list").finds(("use-after-free", "node"))
ran.expect(re.search(r"reads byte \d+ of allocation \d+ \([^()]*\) after it was freed", ran.errors), "does not say which byte")
ran.expect(re.search(r"noted +allocation \d+ \([^()]*\) was made", ran.errors), "does not say where it was made")
run("list-right").is_clean(1, "45\n")
run("end-pointer").finds(("out-of-bounds-read", "reverse"), ("out-of-bounds-write", "reverse"))
run("end-pointer-right").is_clean(1, "99\n")
run("behind-main").finds(WRONG)
run("behind-main-right").is_clean(1)
run("leak-of-static", "--leaks").finds("memory-leak")
run("leak-of-static-right", "--leaks").finds(code=0)
Ran([with_lines], "host-pointer").says(f"launched at run_host_pointer(bool) ({source}:{lines['launch']})")

ran = run("host-pointer").finds(("illegal-address", "number"))
ran.says("memory of the host, where memory of a device is expected")
run("host-pointer-right").finds(code=0)

# Names are those of the source, also in JSON.
ran = run("shared").finds(("uninitialized-read", "values"))
ran.expect(" shift::values" in ran.report["findings"][0]["message"], "does not name the array")
run("shared-right").finds(code=0)
run("poll").finds("stream-race")
run("poll-right").is_clean(2)
ran = run("recurse").finds(code=3).says("fibonacci(int) calls itself")
ran.expect("is not in the module" not in ran.errors, "says what is not so")
captured = folder / "captured"
run("launch", "--capture", captured).finds(WRONG)
ran = Ran([], "", *captured.glob("*.json"), command="launch").finds(WRONG)
ran.expect(ran.report["findings"][0]["kernel"]["name"] == "number", "is not called number")

# Replay runs the program again. One that is right by now shows nothing.
wrong = folder / "wrong.json"
switch = folder / "switch"
switch.write_text("launch")
Ran(["sh", "-c", f"{program} $(cat {switch})"], "", "--save", wrong).finds(WRONG)
Ran([], "", wrong, command="replay").finds(WRONG)
switch.write_text("launch-right")
ran = Ran([], "", wrong, command="replay").finds(code=0)
ran.expect("does not show any more" in ran.output, "does not say that it is gone")

finish()
