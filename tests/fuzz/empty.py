#!/usr/bin/env python3
"""empty.py ONNX_RUN: runs the cases of ONNX's backend suite with one extent of the inputs 0, unknown until the run.

Each run gives what the reference evaluator or ONNX Runtime gives, where one of them takes such inputs; if both refuse, it
may end with exit code 0, 1 or 3. Runs that end with 3 are only counted. Prints the differences; exit status 1 if `KNOWN`
does not list one."""
import argparse
import multiprocessing
import os
import sys
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import onnx

import evaluators
from evaluators import own, reference, runtime
from models import bases
from shapes import is_close, tensors

# what differs, by the beginning of the case's name, and why
KNOWN = {
    "test_affine_grid": "the size names the batch, too",
    "test_arg": "an axis without elements has no extreme: 0, with a warning",
    "test_attention": "a mask of one column is for all keys, so one of unknown extent is not lengthened",
    "test_basic_conv": "a window that does not fit is an error",
    "test_causal_conv": "weights are for as many channels as there are",
    "test_center_crop_pad": "a target shape has as many numbers as there are axes",
    "test_concat": "ONNX Runtime leaves out what has no elements, whatever its other extents",
    "test_conv_with": "a window that does not fit is an error",
    "test_convtranspose": "windows around nothing do not exist",
    "test_deform_conv": "weights are for as many channels as there are",
    "test_dft": "a transform of nothing does not exist",
    "test_dynamicquantizelinear": "the scale of nothing is 0, as that of zeros",
    "test_flexattention": "the scale of heads of size 0 is infinite",
    "test_gather": "indices are inside their axes, also where nothing is read; batches fit",
    "test_gridsample": "a border of nothing does not exist",
    "test_linear_attention": "queries are as many as keys",
    "test_lstm": "ONNX Runtime leaves the state of no steps as it finds it; there is a length for each sequence",
    "test_maxunpool": "updates and indices have one shape",
    "test_nllloss": "the mean of nothing is NaN",
    "test_nonmaxsuppression": "boxes and scores fit, and thresholds are one number",
    "test_reversesequence": "there is a length for each sequence",
    "test_roialign": "regions lie in images that there are",
    "test_scan_sum": "ONNX Runtime leaves the state of no steps as it finds it",
    "test_scatter": "updates have the extents that indices leave",
    "test_sce": "the mean of nothing is NaN",
    "test_sequence_model": "ONNX Runtime leaves out what has no elements, whatever its other extents",
    "test_slice": "starts, ends, axes and steps are as many",
    "test_split": "the parts are as long as the operand",
    "test_tile": "there is a repeat for each axis",
    "test_upsample": "there is a scale for each axis",
    "test_MaxPool3d": "the maximum of nothing is minus infinity",
    "test_operator_chunk": "the parts are as long as the operand",
    "test_operator_concat2": "ONNX Runtime leaves out what has no elements, whatever its other extents",
}
# results that other implementations compute differently
RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Dropout")


def variants(inputs):
    """Inputs with one extent 0: of one axis of one input, and of all axes with that extent."""
    seen = set()
    axes = [(at, axis) for at, value in enumerate(inputs) for axis in range(value.ndim)]
    for at, axis in axes:
        extent = inputs[at].shape[axis]
        alike = [(other, along) for other, along in axes if inputs[other].shape[along] == extent]
        for chosen in ([(at, axis)], alike):
            name = ",".join(f"{other}.{along}" for other, along in chosen)
            if extent == 0 or name in seen:
                continue
            seen.add(name)
            changed = list(inputs)
            for other, along in chosen:
                changed[other] = np.take(changed[other], [], axis=along)
            yield name, chosen, changed


def with_unknown_extents(model, axes):
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    for at, axis in axes:
        port = changed.graph.input[at]
        port.type.tensor_type.shape.dim[axis].dim_param = f"{port.name}_{axis}"
    for port in changed.graph.output:
        port.type.tensor_type.ClearField("shape")
    del changed.graph.value_info[:]
    return changed


class Others:
    """The reference evaluator and ONNX Runtime in a process of their own, which a model may end."""

    def __init__(self):
        self.child = None

    def serve(self, pipe):
        warnings.simplefilter("ignore")
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        while True:
            evaluate, model, feeds = pipe.recv()
            values = evaluators.attempt(evaluate, model, feeds)
            pipe.send(values if values is None or all(value.dtype != object for value in values) else None)

    def ask(self, evaluate, model, feeds):
        """The results; None where the evaluator refuses, ends, or takes a minute."""
        if self.child is None:
            self.pipe, theirs = multiprocessing.Pipe()
            self.child = multiprocessing.get_context("fork").Process(target=self.serve, args=(theirs,), daemon=True)
            self.child.start()
            theirs.close()
        try:
            self.pipe.send((evaluate, model, feeds))
            if self.pipe.poll(60):
                return self.pipe.recv()
        except (EOFError, OSError):
            pass
        self.child.kill()
        self.child.join()
        self.child = None
        return None


OTHERS = Others()


def same(found, expected, tolerance):
    if len(found) != len(expected):
        return False
    with np.errstate(all="ignore"):
        return all(value.shape == other.shape and (value.size == 0 or is_close(value, other, tolerance)) for value, other in zip(found, expected))


def told(values):
    return "refused" if values is None else " ".join(f"{value.dtype}{list(value.shape)}{value.ravel()[:4].tolist()}" for value in values)


def attempt(program, tolerance, path):
    """The outcome of each variant of a case: `right`, `refused` by all, `wrong` or `broken`, and what differs."""
    return list(outcomes(program, tolerance, path))


def outcomes(program, tolerance, path):
    model = onnx.load(path)
    inputs = tensors(path.parent / "test_data_set_0", "input")
    plain = all(port.type.HasField("tensor_type") for port in [*model.graph.input, *model.graph.output])
    random = any(node.op_type in RANDOM for node in model.graph.node)
    if not plain or random or inputs is None or len(inputs) != len(model.graph.input) or any(value.dtype.kind not in "fiub" or value.dtype.isbuiltin != 1 for value in inputs):
        return
    names = [port.name for port in model.graph.input]
    for name, axes, values in variants(inputs):
        changed, feeds = with_unknown_extents(model, axes), dict(zip(names, values))
        code, found = own(program, changed, feeds)
        if code not in (0, 1, 3):
            yield name, "broken", f"exit {code}: {found}"
            continue
        if code == 3:
            yield name, "unsupported", ""
            continue
        others = [OTHERS.ask(evaluate, changed, feeds) for evaluate in (reference, runtime)]
        if all(other is None for other in others):
            yield name, "refused", ""
        elif code == 0 and any(other is not None and same(found, other, tolerance) for other in others):
            yield name, "right", ""
        else:
            ours = told(found) if code == 0 else f"exit {code}: {found}"
            yield name, "wrong", f"{ours}; reference {told(others[0])}; runtime {told(others[1])}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="onnx-run")
    parser.add_argument("--only", default="", help="cases that have this in their name")
    parser.add_argument("--suite", type=Path, default=Path("target/conformance"), help="a folder that tests/conformance/fetch.py wrote")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    options = parser.parse_args()
    # a case that is expanded into a function says the same as the case itself
    models = [path for path in bases(options.suite, options.only) if "_expanded" not in path.parent.name]
    counts, worst = Counter(), 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for path, found in zip(models, pool.map(partial(attempt, options.program, (1e-3, 1e-5)), models)):
            for name, outcome, why in found:
                counts[outcome] += 1
                known = next((reason for start, reason in KNOWN.items() if path.parent.name.startswith(start)), None)
                if outcome in ("wrong", "broken"):
                    worst += known is None or outcome == "broken"
                    if known is None or outcome == "broken":
                        print(f"{path.parent.name} {name}: {outcome} {why}", flush=True)
    print("extents of 0: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())), flush=True)
    sys.exit(1 if worst else 0)


if __name__ == "__main__":
    main()
