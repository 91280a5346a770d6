#!/usr/bin/env python3
"""equal.py ONNX_RUN: compiles equal graphs that the rewrites find, and compares their results.

The rewrites of a graph are equations. Of the equal graphs that they find, the cheapest is compiled; here also one of costly operations, and some by
random costs. With --fixed-fp all of them give the same bits; by default about the same. The models are real ones and random ones. Findings are
printed and saved; exit status 1 if there is any. Needs the Python package `onnxc` on its path for the random ones."""
import argparse
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx

from evaluators import are_near, same_bits

warnings.simplefilter("ignore")

# the largest difference that reassociation may make, relative to the largest number of an output, and where a value may be quantised to the next step
TOLERANCE, QUANTISED = 2e-3, 1e-2


def run(options, model, feeds, extract, strict, folder):
    """The outputs by name, or the error."""
    out = f"{folder}/out-{extract}-{strict}.npz"
    command = [options.program, str(model), "--no-cache", "--engine", "plain", "--backend", options.backend, "--threads", "1", "--extract", extract,
               "--quiet", "--save", out] + feeds + (["--fixed-fp"] if strict else [])
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=options.timeout)
    except subprocess.TimeoutExpired:
        return "takes too long"
    if done.returncode:
        return f"exit code {done.returncode}: {done.stderr.strip()[-300:]}"
    found = np.load(out, allow_pickle=True)
    return {name: found[name] for name in found.files}


def is_near(found, expected, tolerance):
    """Whether two arrays are equal up to rounding, measured by the largest number."""
    if found.shape != expected.shape:
        return False
    if expected.dtype.kind not in "fiu" or expected.dtype.itemsize == 8 and expected.dtype.kind != "f":
        return bool((found == expected).all())
    return are_near(found, expected, tolerance)


def compare(options, model, feeds, strict):
    """What differs between equal graphs, and the number of graphs compared."""
    kinds = {node.op_type for node in onnx.load(model, load_external_data=False).graph.node}
    tolerance = QUANTISED if any("Quantize" in kind or kind.startswith("QLinear") for kind in kinds) else TOLERANCE
    with tempfile.TemporaryDirectory() as folder:
        expected = run(options, model, feeds, "cheapest", strict, folder)
        if isinstance(expected, str):
            return [], 0
        findings = []
        graphs = ["costliest"] + [str(seed) for seed in range(1, options.graphs)]
        for extract in graphs:
            found = run(options, model, feeds, extract, strict, folder)
            if isinstance(found, str):
                findings.append((extract, found))
                continue
            is_equal = same_bits if strict else lambda found, expected: is_near(found, expected, tolerance)
            findings += [(extract, f"{name} differs") for name in expected if not is_equal(found[name], expected[name])]
        return findings, len(graphs)


def real_models(folder):
    """Models with their inputs, as arguments."""
    for path in sorted(folder.glob("*/model.onnx")):
        data = path.parent / "test_data_set_0"
        if data.exists():
            yield path.parent.name, path, ["--inputs", str(data)], False


def random_models(options, folder):
    """Random models, and whether their functions are continuous."""
    import generate
    from graphs import Own, is_continuous
    own = Own("fixed")
    for seed in range(options.seed, options.seed + options.count):
        rng, graph = generate.grow(seed, options.suite, own.evaluate)
        if not graph.nodes or any(array.dtype.kind in "OUS" for array in graph.feeds().values()):
            continue
        values, jumps = dict(graph.values), not is_continuous(graph, graph.values)
        generate.Rewriter(rng, graph).rewrite(rng.randint(0, 4))
        path = folder / f"random-{seed}.onnx"
        onnx.save(graph.model(generate.outputs_of(rng, graph, values), generate.extents(rng)), path)
        np.savez(path.with_suffix(".npz"), **graph.feeds())
        yield path.stem, path, ["--inputs", str(path.with_suffix(".npz"))] if graph.feeds() else [], jumps


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--models", type=Path, default=Path("target/models"))
    parser.add_argument("--suite", type=Path, default=Path("target/conformance"))
    parser.add_argument("--save", type=Path, default=Path("target/fuzz/equal"))
    parser.add_argument("--seed", type=int, default=0, help="the seed of the first random model")
    parser.add_argument("--count", type=int, default=100, help="random models")
    parser.add_argument("--graphs", type=int, default=3, help="equal graphs of each model")
    parser.add_argument("--backend", default="cranelift")
    parser.add_argument("--timeout", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", choices=["real", "random"])
    options = parser.parse_args()
    options.save.mkdir(parents=True, exist_ok=True)
    models = list(real_models(options.models)) if options.only != "random" else []
    if options.only != "real":
        models += random_models(options, options.save)
    # what jumps is only compared to the bit
    trials = [(model, strict) for model in models for strict in (True, False) if strict or not model[3]]
    kinds, pairs = Counter(), 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for (model, strict), (findings, count) in zip(trials, pool.map(lambda trial: compare(options, trial[0][1], trial[0][2], trial[1]), trials)):
            pairs += count
            for extract, text in findings:
                kinds["fixed" if strict else "default"] += 1
                print(f"{model[0]} --extract {extract}{' --fixed-fp' if strict else ''}: {text}", flush=True)
    print(f"{len(models)} models, {pairs} pairs: {dict(kinds) or 'nothing found'}")
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
