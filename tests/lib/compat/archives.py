"""The real archives: flash-attn 2.6.3 and 2.8.3 as sources, TransformerEngine 1.11 to 2.1 as wheels. What is read of them
must agree with the tables that ship with the suite, pair by pair. Of the public functions, whose calls the table of
TransformerEngine does not have, release 1.11 alone calls one wrongly: it gives flash_attn_func a block_table
(NVIDIA/TransformerEngine#1236).

usage: archives.py ATTN_FUZZ FOLDER
"""
import glob
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
import python_environment  # noqa: E402

PROVIDERS = ["2.6.3", "2.8.3"]
CALLERS = {"1.11.0": "1.11", "1.12.0": "1.12", "1.13.0": "1.13", "2.1.0": "2.1"}
VERSIONS = ["2.0.6", "2.1.1", "2.2.5", "2.3.6", "2.4.0", "2.4.1", "2.5.6", "2.5.7", "2.6.0", "2.6.1", "2.6.2", "2.6.3",
            "2.7.0", "2.7.3", "2.7.4.post1", "2.8.3"]

# pip asks a source archive for its name, and flash-attn's setup.py asks torch first: these few words answer it.
TORCH = {
    "torch/__init__.py": "__version__ = '2.4.0'\nclass version: cuda = '12.1'; hip = None\n"
                         "class _C: _GLIBCXX_USE_CXX11_ABI = False\n",
    "torch/utils/__init__.py": "",
    "torch/utils/cpp_extension.py": "BuildExtension = CppExtension = CUDAExtension = object\n"
                                    "CUDA_HOME = ROCM_HOME = None\nIS_HIP_EXTENSION = False\n",
}


def pip(folder, command, *arguments):
    python_environment.pip(folder, command, *arguments, PYTHONPATH=os.path.join(folder, "answers"),
                           FLASH_ATTENTION_SKIP_CUDA_BUILD="TRUE")


def fetch(folder):
    """Downloads what is not there yet."""
    archives = os.path.join(folder, "archives")
    wanted = [f"flash_attn-{version}.tar.gz" for version in PROVIDERS]
    wanted += [f"transformer_engine-{version}-py3-none-any.whl" for version in CALLERS]
    if all(os.path.exists(os.path.join(archives, name)) for name in wanted):
        return archives
    python_environment.create(folder)
    for name, text in TORCH.items():
        path = os.path.join(folder, "answers", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    pip(folder, "install", "setuptools", "wheel", "packaging", "ninja", "psutil")
    for version in PROVIDERS:
        pip(folder, "download", "--no-deps", "--no-build-isolation", "--no-binary", ":all:", "--dest", archives,
            f"flash-attn=={version}")
    for version in CALLERS:
        pip(folder, "download", "--no-deps", "--only-binary", ":all:", "--dest", archives,
            f"transformer_engine=={version}")
    return archives


def compat(program, folder, provider, caller, *options):
    """What is found: pairs of function and cause, with the parameter that the message names; None: nothing to check."""
    report = os.path.join(folder, "report.json")
    done = subprocess.run([program, "compat", "--provider", provider, "--caller", caller, *options, "--quiet",
                           "--report", report], capture_output=True, text=True)
    if done.returncode == 3:
        return None
    assert done.returncode in (0, 1), (provider, caller, done.stderr)
    with open(report) as file:
        findings = json.load(file)["findings"]
    assert (done.returncode == 1) == bool(findings), (provider, caller, done.stdout)
    for finding in findings:
        assert finding["rule"] == "signature-mismatch"
    return {(finding["kernel"]["entry"], finding["cause"]["id"], finding["message"].split(",")[0])
            for finding in findings}


def main():
    program, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    archives = fetch(folder)
    failures, pairs = [], 0

    def agree(what, got, wanted, public=frozenset()):
        nonlocal pairs
        pairs += 1
        wanted = wanted if wanted is None else wanted | public
        if got != wanted:
            failures.append(f"{what}\n  from sources {got}\n  from tables  {wanted}")

    wheels = {version: glob.glob(os.path.join(archives, f"transformer_engine-{version}-*.whl"))[0]
              for version in CALLERS}
    for version in PROVIDERS:
        archive = os.path.join(archives, f"flash_attn-{version}.tar.gz")
        for table in ["1.11", "1.12", "1.13", "1.14", "2.0", "2.1"]:
            caller = f"transformer-engine=={table}"
            agree(f"flash-attn {version} as archive, {caller}", compat(program, folder, archive, caller),
                  compat(program, folder, f"flash-attn=={version}", caller))
        for release, wheel in wheels.items():
            public = {("flash_attn_func", "wrong-call",
                       f"flash_attn_func of flash-attn {version} has no parameter block_table")}
            agree(f"flash-attn {version} and transformer-engine {release} as archives",
                  compat(program, folder, archive, wheel),
                  compat(program, folder, f"flash-attn=={version}", f"transformer-engine=={CALLERS[release]}"),
                  public if release == "1.11.0" else set())
    for release, wheel in wheels.items():
        for version in VERSIONS:
            provider = f"flash-attn=={version}"
            found = compat(program, folder, provider, wheel)
            public = {one for one in found or () if not one[0].startswith("_")}
            if any(release != "1.11.0" or not one[2].endswith("no parameter block_table") for one in public):
                failures.append(f"transformer-engine {release} as wheel, {provider}: {public}")
            agree(f"transformer-engine {release} as wheel, {provider}", found and found - public,
                  compat(program, folder, provider, f"transformer-engine=={CALLERS[release]}"))
    for failure in failures:
        print(failure)
    print(f"{pairs - len(failures)} of {pairs} pairs agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
