"""Packages from PyPI that use ONNX Runtime, unmodified, on it and on the package onnxc: their results and times side by side.

`./x clients [NAME…]`; each script in this directory prints its results as one line of JSON.
"""

import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent


def run(script, prefix):
    """What a script prints, and the seconds that it takes."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, *prefix, str(script)], capture_output=True, text=True, timeout=600)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[-1:]
    return json.loads(done.stdout.strip().splitlines()[-1]), time.perf_counter() - start


def near(a, b):
    """Whether two results are equal, numbers to three digits."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(near(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-3 * max(1, abs(a))
    return a == b


def main():
    names = sys.argv[1:] or sorted(path.stem for path in HERE.glob("*.py") if path.stem != "run")
    failures = []
    print("| client | equal | seconds, ONNX Runtime | seconds, onnxc |\n|---|---|---|---|")
    for name in names:
        theirs, seconds = run(HERE / f"{name}.py", [])
        ours, own = run(HERE / f"{name}.py", ["-m", "onnxc.as_onnxruntime"])
        equal = theirs is not None and ours is not None and near(theirs, ours)
        times = [f"{time:.2f}" if isinstance(time, float) else str(time) for time in (seconds, own)]
        print(f"| {name} | {'yes' if equal else 'NO'} | {times[0]} | {times[1]} |", flush=True)
        if not equal:
            failures.append(name)
    sys.exit(f"not equal: {', '.join(failures)}" if failures else 0)


if __name__ == "__main__":
    main()
