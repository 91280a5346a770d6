#!/usr/bin/env python3
"""graphs.py ONNX_RUN: compares random models with their nodes one by one, on both back ends, and the nodes with ONNX Runtime and the reference evaluator.

In a fixed order of arithmetic a model gives the bits that its nodes give one after the other, on both back ends. By default a model whose functions are
continuous gives about the same. No access is outside of its buffer. A model is made by its seed (`--seed N --count 1`). Findings are printed and saved with their inputs, made
smaller where possible; exit status 1 if there is any. Needs the Python package `onnxc` on its path."""
import argparse
import faulthandler
import json
import os
import subprocess
import sys
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx

import generate
from evaluators import are_near, attempt, own, reference, runtime, same_bits
from reduce import shrink

warnings.simplefilter("ignore")

# functions with jumps, of which a small difference makes a large one, and where what cancels leaves noise
JUMPS = {"ArgMax", "ArgMin", "Cast", "CastLike", "Ceil", "Equal", "Floor", "Greater", "GreaterOrEqual", "IsInf", "IsNaN", "Less", "LessOrEqual", "Mod", "Round",
         "Sign", "TopK", "NonMaxSuppression", "QuantizeLinear", "DynamicQuantizeLinear", "Unique", "NonZero", "Where", "Hardmax", "QLinearMatMul", "QLinearConv",
         "MaxPool", "GridSample", "DeformConv", "RoiAlign", "ThresholdedRelu", "Shrink", "Compress", "BitCast", "Reciprocal", "Div", "Log", "Tan", "Pow", "Acosh", "Atanh"}
# where the standard does not say what infinities and NaN become: in sums with padding, masks, weights of 0, transforms, ranges of numbers
FINITE = {"Attention", "AveragePool", "Conv", "ConvTranspose", "DeformConv", "DFT", "DynamicQuantizeLinear", "GridSample", "LpPool", "MaxPool", "QuantizeLinear",
          "RoiAlign", "STFT"}
# where ONNX Runtime and the reference evaluator do something else, and why
KNOWN = {"MelWeightMatrix": "frequencies below 0", "NonMaxSuppression": "thresholds below 0"}
# relative to the largest number of a tensor
TOLERANCES = {"float16": 2e-2, "bfloat16": 1e-1, "float32": 1e-3, "float64": 1e-6}
SECONDS = 300


def as_stored(found, expected):
    """`found` with the type of `expected` where NumPy lacks it, so that files have its bits."""
    return found.view(expected.dtype) if expected.dtype.kind == "V" and found.dtype.itemsize == expected.dtype.itemsize else found


def is_equal_when_stored(found, expected):
    """Whether two arrays are equal to the bit in files."""
    return same_bits(as_stored(found, expected), expected)


def is_near(found, expected):
    """Whether two arrays are equal up to rounding, measured by the largest number."""
    if found.shape != expected.shape:
        return False
    if expected.dtype.kind in "OUS":
        return bool((found.astype(str) == expected.astype(str)).all())
    if expected.dtype.kind in "iub" and expected.dtype.itemsize > 1 or expected.dtype == bool:
        return bool((found == expected).all())
    found = as_stored(found, expected)
    tolerance = TOLERANCES.get(expected.dtype.name, 1.5 / 255 if expected.dtype.kind in "iu" else 0.5)
    return are_near(found, expected, tolerance)


class Own:
    """The Python package, with one kind of arithmetic."""

    def __init__(self, arithmetic):
        import onnxc
        self.onnxc, self.arithmetic = onnxc, arithmetic

    def run(self, model, feeds):
        options = self.onnxc.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        options.add_session_config_entry("onnxc.arithmetic", self.arithmetic)
        return self.onnxc.InferenceSession(model.SerializeToString(), options).run(None, feeds)

    def evaluate(self, node, arrays):
        try:
            return self.run(generate.node_model(node, arrays), arrays)
        except Exception as error:
            raise generate.Refused(str(error)) from error


def node_problems(node, arrays, results, own_error):
    """What is wrong with the results of one node."""
    if node.op_type in FINITE and not all(np.isfinite(array).all() for array in arrays.values() if array.dtype.kind == "f"):
        return None
    model = generate.node_model(node, arrays)
    others = {}
    for name, evaluate in (("ONNX Runtime", runtime), ("the reference evaluator", reference)):
        others[name] = attempt(evaluate, model, arrays)
        if others[name] is None:
            continue
        if own_error is not None:
            # the reference evaluator takes much that is not valid
            return f"refused: {own_error}" if name == "ONNX Runtime" else None
        if len(others[name]) == len(results) and all(map(is_near, results, others[name])):
            return None
    given = [name for name, found in others.items() if found is not None]
    return f"not what {' and '.join(given)} give" if given and own_error is None else None


class Checked:
    """Evaluates nodes and notes what is wrong with them."""

    def __init__(self, own):
        self.own, self.problems = own, []

    def __call__(self, node, arrays):
        results, error = None, None
        try:
            results = self.own.evaluate(node, arrays)
        except generate.Refused as refusal:
            error = refusal
        arrays_only = results is None or all(isinstance(result, np.ndarray) for result in results)
        problem = node_problems(node, arrays, results, error) if arrays_only else None
        if problem is not None and node.op_type not in KNOWN:
            self.problems.append((node, arrays, problem))
        if error is not None:
            raise error
        return results


def program_run(program, backend, model, feeds, arithmetic):
    code, found = own(program, model, feeds, "--backend", backend, *arithmetic, "--threads", "1", seconds=120)
    if code:
        raise RuntimeError(f"exit code {code}: {found}")
    return found


def compare(run, model, feeds, values, is_equal):
    """What differs between the outputs of a model and the values of its nodes."""
    try:
        found = run(model, feeds)
    except Exception as error:
        return f"fails: {str(error)[:300]}"
    for port, result in zip(model.graph.output, found):
        if not is_equal(np.asarray(result), values[port.name]):
            return f"{port.name} differs"
    return None


def is_continuous(graph, values):
    """Whether small differences stay small, also in what is computed on the way."""
    if any(node.op_type in JUMPS for node in graph.nodes):
        return False
    floats = [array for array in values.values() if array.dtype.kind == "f"]
    return all(np.isfinite(array).all() and np.abs(array).max(initial=0) < 1e3 for array in floats)


def is_defined(graph, values):
    """Whether no infinities and NaN may be where the standard does not say what becomes of them."""
    concerns = lambda node: node.op_type in FINITE or any(concerns(inner) for attribute in node.attribute for inner in attribute.g.node)
    floats = [array for array in values.values() if array.dtype.kind == "f"]
    return not any(map(concerns, graph.nodes)) or all(np.isfinite(array).all() for array in floats)


def examine(seed, suite, program):
    """The findings of one seed, as kinds and texts."""
    fixed, relaxed = Own("fixed"), Own("relaxed")
    checked = Checked(fixed)
    rng, graph = generate.grow(seed, suite, checked)
    findings = [("node", f"{node.op_type}: {problem}", generate.node_model(node, arrays), arrays) for node, arrays, problem in checked.problems]
    if not graph.nodes:
        return findings
    values, continuous = dict(graph.values), is_continuous(graph, graph.values)
    generate.Rewriter(rng, graph).rewrite(rng.randint(0, 4))
    model = graph.model(generate.outputs_of(rng, graph, values), generate.extents(rng))
    feeds = graph.feeds()
    on_llvm = lambda *arithmetic: lambda model, feeds: program_run(program, "llvm", model, feeds, arithmetic)
    on_checked = lambda model, feeds: program_run(program, "cranelift", model, feeds, ["--sanitize"])
    always = lambda found, expected: True
    is_same = is_equal_when_stored if is_defined(graph, values) else always
    trials = [("fixed", fixed.run, is_same), ("fixed on LLVM", on_llvm("--fixed-fp"), is_same)]
    if continuous:
        trials += [("default", relaxed.run, is_near), ("default on LLVM", on_llvm(), is_near)]
    # accesses outside of buffers end such a run
    trials.append(("checked", on_checked, is_near if continuous else always))
    if any(array.dtype.kind in "OUS" for array in feeds.values()):
        # files hold texts of another type
        trials = [trial for trial in trials if trial[1] in (fixed.run, relaxed.run)]
    for kind, run, is_equal in trials:
        problem = compare(run, model, feeds, graph.values, is_equal)
        if problem is not None and " is not supported: " in problem:
            findings.append(("unsupported", problem, model, feeds))
        elif problem is not None:
            fails = lambda model, feeds: compare(run, model, feeds, graph.values, is_equal) is not None
            smaller, inputs = shrink(model, feeds, graph.values, fails)
            findings.append((kind, problem, smaller, inputs))
    return findings


def work(options, first, count):
    """Examines seeds one after the other; a line for each, before and after."""
    faulthandler.enable()
    for seed in range(first, first + count):
        print(json.dumps({"begin": seed}), flush=True)
        findings = []
        for number, (kind, text, model, feeds) in enumerate(examine(seed, options.suite, options.program)):
            options.save.mkdir(parents=True, exist_ok=True)
            path = options.save / f"{seed}-{number}-{kind.replace(' ', '-')}.onnx"
            onnx.save(model, path)
            np.savez(path.with_suffix(".npz"), **feeds)
            nodes = [node.op_type for node in model.graph.node]
            findings.append([kind, f"{text} {nodes[:12]}"])
        print(json.dumps({"end": seed, "findings": findings}), flush=True)


def batch(options, first, count):
    """The findings of a process of its own, which may die."""
    command = [sys.executable, __file__, options.program, "--suite", options.suite, "--save", options.save, "--seed", str(first), "--count", str(count), "--worker"]
    begun, findings = None, []
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
        out, end = done.stdout, f"exit status {done.returncode}: {done.stderr.strip()[-600:]}"
    except subprocess.TimeoutExpired as late:
        out, end = (late.stdout or b"").decode(errors="replace"), "takes too long"
    for line in out.splitlines():
        said = json.loads(line)
        if "begin" in said:
            begun = said["begin"]
        else:
            findings += [(said["end"], kind, text) for kind, text in said["findings"]]
            begun = None
    if begun is not None:
        findings.append((begun, "crash", end))
        left = first + count - begun - 1
        findings += batch(options, begun + 1, left) if left > 0 else []
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=str)
    parser.add_argument("--suite", type=Path, default=Path("target/conformance"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", type=Path, default=Path("target/fuzz/graphs"))
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        return work(options, options.seed, options.count)
    size = max(1, min(25, options.count // options.jobs))
    starts = range(options.seed, options.seed + options.count, size)
    kinds = Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for findings in pool.map(lambda first: batch(options, first, min(size, options.seed + options.count - first)), starts):
            for seed, kind, text in findings:
                kinds[kind] += 1
                print(f"seed {seed}: {kind}: {text}", flush=True)
    print(f"{options.count} models: {dict(kinds) or 'nothing found'}")
    return 1 if kinds.keys() - {"unsupported"} else 0


if __name__ == "__main__":
    sys.exit(main())
