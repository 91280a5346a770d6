#!/usr/bin/env python3
"""run.py [FLAG…]: builds the tests of the workspace with these flags of cargo, and runs them and those of the Python package, which stands
in target/python-package, two at a time, since many use one core.

A program's output is printed if it fails; exit status 1 if one does."""
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# what takes longest begins first, so that no core waits for it at the end
LONGEST = ("conformance", "sonnx", "interpreted", "models", "suite", "check", "link", "bare", "contraction", "upstream")

# Those of the Python package, of the execution provider in ONNX Runtime, and random models.
PYTHON = (
    ("-m", "pytest", "-q", "tests/python"),
    # apart: pytest leaves out a file that is in a folder of its command line
    ("-m", "pytest", "-q", "tests/python/backend_suite.py"),
    ("tests/python/provider_suite.py", "target/conformance", "--every", "10"),
    ("tests/fuzz/graphs.py", "target/debug/onnx-run", "--count", "40"),
    ("tests/fuzz/chains.py", "target/debug/onnx-run", "--count", "100"),
)


def programs(cargo):
    """The test programs, each with the folder of its package, in which it runs."""
    build = subprocess.run([*cargo, "--no-run", "--message-format=json-render-diagnostics"], stdout=subprocess.PIPE, text=True)
    if build.returncode:
        sys.exit(build.returncode)
    artefacts = [message for line in build.stdout.splitlines() if (message := json.loads(line))["reason"] == "compiler-artifact"]
    tests = [artefact for artefact in artefacts if artefact["profile"]["test"] and artefact["executable"]]
    tests.sort(key=lambda test: (*LONGEST, test["target"]["name"]).index(test["target"]["name"]))
    return [([test["executable"], "--quiet"], Path(test["manifest_path"]).parent) for test in tests]


def run(job):
    """Runs a command in a folder; whether it succeeds."""
    command, folder = job
    start = time.monotonic()
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    failure = f"\n{done.stdout}\nexit status {done.returncode}" if done.returncode else ""
    name = " ".join(map(os.path.basename, command))
    print(f"{time.monotonic() - start:6.1f} s  {name}{failure}", flush=True)
    return done.returncode == 0


def main():
    cargo = [os.environ.get("CARGO", "cargo"), "test", "-q", "--workspace", *sys.argv[1:]]
    os.environ["PYTHONPATH"] = str(Path("target/python-package").resolve())
    python = [([sys.executable, *arguments], Path.cwd()) for arguments in PYTHON]
    jobs = [*programs(cargo), *python, ([*cargo, "--doc"], Path.cwd())]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(run, jobs))
    print(f"{len(results)} programs, {results.count(False)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
