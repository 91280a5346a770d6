"""Packages from PyPI that use ONNX Runtime, unmodified, on it and on the package onnxc: their results and times side by side.

`./x clients [NAME…]`; each other script in this directory is a client, which `measure.py` runs.
"""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
OURS = ["-m", "onnxc.as_onnxruntime"]
#: what is measured: the name in the table, how it is written, and the factor of the unit
COLUMNS = {
    "first": ("first result, s", "{:.2f}", 1),
    "latency": ("latency, ms", "{:.1f}", 1e3),
    "memory": ("memory, MB", "{:.0f}", 1e-6),
}


def run(script, prefix):
    """What a client measures, or None and the last line of its error."""
    command = [sys.executable, *prefix, str(HERE / "measure.py"), str(script)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        return None, (done.stderr.strip().splitlines() or [""])[-1]
    return json.loads(done.stdout.strip().splitlines()[-1]), ""


def import_time(module):
    """The milliseconds that importing a module takes, with NumPy; the least of some."""
    code = f"import time; start = time.perf_counter(); import {module}, numpy; print(time.perf_counter() - start)"
    times = [float(subprocess.check_output([sys.executable, "-c", code])) for _ in range(5)]
    return 1e3 * min(times)


def near(a, b):
    """Whether two results are equal, numbers to three digits."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(near(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(near, a, b))
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-3 * max(1, abs(a))
    return a == b


def cells(theirs, ours):
    """What was measured, theirs and ours."""
    pair = lambda name, form, factor: " / ".join(form.format(facts[name] * factor) for facts in (theirs, ours))
    return [pair(name, form, factor) for name, (_, form, factor) in COLUMNS.items()]


def main():
    names = sys.argv[1:] or sorted(path.stem for path in HERE.glob("*.py") if path.stem not in ("run", "measure"))
    failures = []
    imports = [f"{import_time(module):.0f}" for module in ("onnxruntime", "onnxc")]
    print(f"ONNX Runtime / onnxc; import with NumPy: {' / '.join(imports)} ms\n")
    print("| client | equal |", " | ".join(name for name, _, _ in COLUMNS.values()), "|")
    print("|---" * (2 + len(COLUMNS)) + "|")
    for name in names:
        script = HERE / f"{name}.py"
        (theirs, their_error), (ours, our_error) = run(script, []), run(script, OURS)
        equal = theirs is not None and ours is not None and near(theirs["result"], ours["result"])
        row = cells(theirs, ours) if theirs and ours else [their_error or our_error]
        print(f"| {name} | {'yes' if equal else 'NO'} | {' | '.join(row)} |", flush=True)
        if not equal:
            failures.append(name)
    sys.exit(f"not equal: {', '.join(failures)}" if failures else 0)


if __name__ == "__main__":
    main()
