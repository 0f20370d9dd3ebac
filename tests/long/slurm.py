#!/usr/bin/env python3
"""A campaign over a real Slurm on this machine: munged, slurmctld and slurmd of Debian with a configuration of their own.

Usage: slurm.py ROOT PROGRAM. Four shards run as a job array through tools/cluster/slurm.sh; one task is killed and
requeued while it runs. The merged report must find what one run of the whole finds, and name a shard whose report is
taken away. Ends with 77 (skipped) where Slurm is not installed, or its daemons cannot be started (they need root).
"""
import getpass
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

root, program = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve())
CAMPAIGN = ["faulty/rotary-cache-unguarded", "--budget", "240", "--seed", "5", "--jobs", "1"]
SHARDS = 4


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


for tool in ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol"):
    if not shutil.which(tool) and not shutil.which(tool, path="/usr/sbin:/sbin"):
        skip(f"{tool} is not installed (Debian's slurmctld, slurmd, slurm-client and munge)")
if os.geteuid() != 0:
    skip("Slurm's daemons run jobs of others, which needs root")
os.environ["PATH"] += ":/usr/sbin:/sbin"

scratch = tempfile.TemporaryDirectory(prefix="ropewalk-slurm-")
folder = pathlib.Path(scratch.name)
folder.chmod(0o755)
host = socket.gethostname().split(".")[0]
daemons = []


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def start(*words):
    name = os.path.basename(words[0])
    log = open(folder / f"{name}.out", "w")
    daemons.append(subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, start_new_session=True))


def said(name):
    return "\n".join(path.read_text()[-1500:] for path in (folder / f"{name}.out", folder / f"{name}.log") if path.exists())


def run(*words, check=True):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if check and done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


def wait_for(what, condition, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.2)
    print(f"waited {seconds} s in vain: {what}")
    return False


def start_slurm():
    key, sock = folder / "munge.key", folder / "munge.socket"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    control, worker = free_ports(2)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    (folder / "slurm.conf").write_text(f"""ClusterName=ropewalk
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmdPort={worker}
SlurmUser={getpass.getuser()}
AuthType=auth/munge
AuthInfo=socket={sock}
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SchedulerParameters=sched_interval=2
KillWait=2
MinJobAge=300
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={sock}", f"--pid-file={folder}/munge.pid",
          f"--log-file={folder}/munged.log", f"--seed-file={folder}/munge.seed")
    if not wait_for("munge's socket", sock.exists, 10):
        skip("munged does not start: " + said("munged"))
    start("slurmctld", "-D", "-f", str(folder / "slurm.conf"))
    start("slurmd", "-D", "-f", str(folder / "slurm.conf"), "-N", host)
    if not wait_for("an idle node", lambda: "idle" in run("sinfo", "-h", "-o", "%t", check=False), 30):
        skip("Slurm does not start: " + said("slurmctld") + said("slurmd"))


def state_of(job):
    return run("squeue", "-h", "-t", "all", "-o", "%T", "-j", job, check=False)


def findings_of(path):
    report = json.loads(path.read_text())
    return sorted((f["id"], f["rule"], f["severity"]) for f in report["findings"]), report


def main():
    start_slurm()
    # A shard is done sooner than Slurm tells of it: a task takes its time before it begins, unless it comes again.
    slow = folder / "rope-check"
    slow.write_text(f'#!/bin/sh\n[ "${{SLURM_RESTART_COUNT:-0}}" -gt 0 ] || sleep 5\nexec "{program}" "$@"\n')
    slow.chmod(0o755)
    os.environ["ROPE_CHECK"] = str(slow)
    whole = folder / "whole.json"
    subprocess.run([program, "fuzz", *CAMPAIGN, "--quiet", "--report", whole], stdout=subprocess.DEVNULL, check=False)
    out = folder / "out"
    line = run(str(root / "tools/cluster/slurm.sh"), str(SHARDS), str(out), *CAMPAIGN)
    print(line)
    array, merge = line.split("job ")[1].split(",")[0], line.split("merge: job ")[1].split(",")[0]

    # One task is killed in its work, and comes again.
    task = f"{array}_0"
    if not wait_for("the first task to run", lambda: "RUNNING" in state_of(task), 60):
        return 1
    run("scontrol", "requeue", task)
    restarted = wait_for("the requeued task to run again", lambda: "Restarts=1" in run("scontrol", "show", "job", task), 120)
    ended = wait_for("the merge to end", lambda: state_of(merge) in ("COMPLETED", "FAILED"), 400)
    if not (restarted and ended):
        print(run("squeue", "-t", "all"), said("slurmctld"), sep="\n")
        return 1

    bad = []
    expected, one = findings_of(whole)
    found, merged = findings_of(out / "report.json")
    if found != expected or not expected:
        bad.append(f"the shards found {found}, one run found {expected}")
    for key in ("cases", "passed"):
        if merged["summary"][key] != one["summary"][key]:
            bad.append(f"{key}: {merged['summary'][key]} in shards, {one['summary'][key]} in one run")
    if merged["not_run"]:
        bad.append(f"not run: {merged['not_run']}")

    (out / "shard-2.json").unlink()  # as if its node had died for good
    done = subprocess.run([str(root / "tools/cluster/merge.sh"), str(out)], capture_output=True, text=True, check=False)
    _, merged = findings_of(out / "report.json")
    named = [left["case"] for left in merged["not_run"]]
    if named != ["shard 2 of 4"] or done.returncode == 0:
        bad.append(f"a missing shard is not named: {named}, exit code {done.returncode}")
    for text in bad:
        print(text)
    print(f"{SHARDS} shards, one requeued, {len(expected)} findings, {len(bad)} errors")
    return 1 if bad else 0


try:
    code = main()
finally:
    for daemon in reversed(daemons):
        daemon.send_signal(signal.SIGTERM)
        try:
            daemon.wait(10)
        except subprocess.TimeoutExpired:
            daemon.kill()
sys.exit(code)
