#!/usr/bin/env python3
"""shapes.py ONNX_RUN: runs the cases of ONNX's backend suite with shapes of the graph dropped: of its inputs, of its outputs, and of both.

Each run gives the right results, or ends with exit code 1 or 3 and an error message. Prints the counts of each mode and, with --list, the cases that ended with an
error; exit status 1 if results are wrong or a run ends otherwise."""
import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

from models import bases

MODES = {"none": (), "inputs": ("input",), "outputs": ("output",), "both": ("input", "output")}


def without_shapes(path, lists):
    model = onnx.load(path)
    for ports in lists:
        for port in getattr(model.graph, ports):
            if port.type.HasField("tensor_type"):
                port.type.tensor_type.ClearField("shape")
    return model


def tensors(folder, kind):
    """The tensors of a case in their order; None where one is not a tensor."""
    paths = sorted(folder.glob(f"{kind}_*.pb"), key=lambda path: int(path.stem.split("_")[1]))
    found = []
    for path in paths:
        tensor = onnx.TensorProto()
        try:
            tensor.ParseFromString(path.read_bytes())
            found.append(numpy_helper.to_array(tensor))
        except Exception:
            return None
    return found


def is_close(found, expected, tolerance):
    if found.shape != expected.shape:
        return False
    if expected.dtype.kind in "iub":
        return bool((found == expected).all())
    try:
        return np.allclose(found.astype("f8"), expected.astype("f8"), *tolerance, equal_nan=True)
    except (TypeError, ValueError):
        return bool((found.astype(str) == expected.astype(str)).all())


def attempt(program, path, mode, tolerance):
    """`right`, `wrong`, `refused` or `broken`, and why."""
    data = path.parent / "test_data_set_0"
    expected = tensors(data, "output")
    if expected is None or tensors(data, "input") is None:
        return "skipped", "its values are not all tensors"
    if any(value.dtype.names or value.dtype.kind == "V" and value.dtype.itemsize > 2 for value in expected):
        return "skipped", "its results have elements that arrays do not hold"
    model = without_shapes(path, MODES[mode])
    with tempfile.TemporaryDirectory() as folder:
        changed, results = f"{folder}/model.onnx", f"{folder}/out.npz"
        onnx.save(model, changed)
        given = ["--inputs", data] if any(data.glob("input_*.pb")) else []
        try:
            done = subprocess.run([program, changed, *given, "--no-cache", "--save", results], capture_output=True, text=True, errors="replace", timeout=60)
        except subprocess.TimeoutExpired:
            return "broken", "takes more than a minute"
        said = (done.stderr.strip().splitlines() or [""])
        message = next((line for line in said if line.startswith("error")), said[-1])
        if done.returncode in (1, 3):
            return "refused", f"exit {done.returncode}: {message}"
        if done.returncode:
            return "broken", f"exit {done.returncode}: {said[-1]}"
        if not Path(results).exists():
            return "skipped", "its results cannot be saved"
        found = np.load(results, allow_pickle=True)
        names = [port.name for port in model.graph.output]
        right = all(name in found.files and is_close(found[name], value, tolerance) for name, value in zip(names, expected))
        return ("right" if right else "wrong"), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="onnx-run")
    parser.add_argument("--only", default="", help="cases that have this in their name")
    parser.add_argument("--suite", type=Path, default=Path("target/conformance"), help="a folder that tests/conformance/fetch.py wrote")
    parser.add_argument("--list", action="store_true", help="also the cases that are refused")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    options = parser.parse_args()
    models = bases(options.suite, options.only)
    listed = (line.split("\t") for line in (options.suite / "cases.tsv").read_text().splitlines())
    tolerances = {name: (float(relative), float(absolute)) for _, name, relative, absolute, *_ in listed}
    worst = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for mode in MODES:
            counts = Counter()
            # a model that already fails is not informative
            run = lambda path: attempt(options.program, path, mode, tolerances.get(path.parent.name, (1e-3, 1e-7)))  # noqa: B023, E731
            right = []
            for path, (outcome, why) in zip(models, pool.map(run, models)):
                counts[outcome] += 1
                right.extend([path] if outcome == "right" else [])
                if mode == "none":
                    continue
                if outcome in ("wrong", "broken") or (options.list and outcome == "refused"):
                    print(f"{mode}: {path.parent.name}: {outcome} {why}", flush=True)
            print(f"without shapes of {mode}: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())), flush=True)
            if mode == "none":
                models = right
            else:
                worst += counts["wrong"] + counts["broken"]
    sys.exit(1 if worst else 0)


if __name__ == "__main__":
    main()
