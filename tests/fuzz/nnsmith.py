#!/usr/bin/env python3
"""nnsmith.py ONNX_RUN: compares random models of NNSmith with ONNX Runtime and the reference evaluator, on both back ends.

In a fixed order of arithmetic both back ends give the same bits. By default results are near those of ONNX Runtime or of the reference evaluator; where a
function with a jump follows, they may not be, and the model is to be looked at. `--python` is an interpreter with NNSmith. Exit status 1 if anything is found."""
import argparse
import os
import subprocess
import sys
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx

from evaluators import attempt, own, reference, runtime
from graphs import is_equal_when_stored, is_near

warnings.simplefilter("ignore")


def examine(program, path):
    """What is wrong with a model, as a kind and a text; none if nothing is."""
    model, feeds = onnx.load(path), dict(np.load(path.with_suffix(".npz")))
    trials = {"default": ["--backend", "cranelift"], "LLVM": ["--backend", "llvm"], "fixed": ["--backend", "cranelift", "--fixed-fp"],
              "fixed on LLVM": ["--backend", "llvm", "--fixed-fp"], "checked": ["--backend", "cranelift", "--sanitize"]}
    results = {}
    for name, options in trials.items():
        code, found = own(program, model, feeds, "--threads", "1", *options, seconds=120)
        if code:
            return ("unsupported" if "is not supported" in str(found) else "fails"), f"{name}: exit code {code}: {found}"
        results[name] = found
    if not all(map(is_equal_when_stored, results["fixed on LLVM"], results["fixed"])):
        return "back ends differ", "in a fixed order of arithmetic"
    others = [found for evaluate in (runtime, reference) if (found := attempt(evaluate, model, feeds)) is not None]
    for name in ("default", "LLVM", "fixed", "checked"):
        if others and not any(all(map(is_near, results[name], other)) for other in others):
            return "differs", name
    return None if others else ("no reference", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=str)
    parser.add_argument("--python", type=Path, default=Path("target/nnsmith/bin/python"))
    parser.add_argument("--folder", type=Path, default=Path("target/fuzz/nnsmith"))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    seeds = range(options.seed, options.seed + options.count)
    script = Path(__file__).with_name("nnsmith_models.py")
    # not from the folder of the script, where this file has the name of the package
    subprocess.run([options.python, "-P", script, options.folder, "--seed", str(options.seed), "--count", str(options.count)], check=True, stderr=subprocess.DEVNULL)
    paths = [path for seed in seeds if (path := options.folder / f"{seed}.onnx").exists()]
    kinds = Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for path, finding in zip(paths, pool.map(lambda path: examine(options.program, path), paths)):
            if finding is not None:
                kinds[finding[0]] += 1
                operators = {node.op_type for node in onnx.load(path).graph.node} - {"Constant"}
                print(f"seed {path.stem}: {': '.join(finding)} {sorted(operators)}", flush=True)
    print(f"{len(paths)} models: {dict(kinds) or 'nothing found'}")
    return 1 if kinds.keys() - {"unsupported", "no reference"} else 0


if __name__ == "__main__":
    sys.exit(main())
