#!/usr/bin/env python3
"""sampling.py ONNX_RUN: Resize and GridSample in all their modes on random extents, against the reference evaluator and ONNX Runtime.

A result is right if one of the two has it; runs that end with exit code 3 are only counted. Prints results that neither has; exit status 1 if there is any that `KNOWN` does not list."""
import argparse
import itertools
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from evaluators import FLOAT, attempt, node_model, own, reference, runtime

# by the beginning of the label: why neither has our result
KNOWN = {}


def grids(random, count):
    for rank, mode, padding, corners in itertools.product((4, 5), ("nearest", "linear", "cubic"), ("zeros", "border", "reflection"), (0, 1)):
        if (rank, mode) == (5, "cubic"):
            continue
        for _ in range(count):
            source, result = random.integers(1, 6, rank - 2), random.integers(1, 5, rank - 2)
            x = random.standard_normal([1, 2, *source]).astype("f4")
            grid = random.uniform(-1.7, 1.7, [1, *result, rank - 2]).astype("f4")
            label = f"GridSample {mode} {padding} align_corners={corners} {source.tolist()} at {result.tolist()}"
            yield label, node_model("GridSample", [x, grid], [FLOAT], mode=mode, padding_mode=padding, align_corners=corners)


def resizes(random, count):
    transforms = ("half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize")
    for mode, transform, by in itertools.product(("nearest", "linear", "cubic"), transforms, ("sizes", "scales")):
        for rounding in ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil") if mode == "nearest" else (None,):
            for antialias, outside in ((0, 0), (0, 1), (1, 0)):
                if (mode == "nearest" and (antialias or outside)) or (mode != "cubic" and outside):
                    continue
                for _ in range(count):
                    extents, sizes = random.integers(1, 9, 2), random.integers(1, 13, 2)
                    x = random.standard_normal([1, 1, *extents]).astype("f4")
                    options = {"mode": mode, "coordinate_transformation_mode": transform}
                    options |= {"nearest_mode": rounding} if rounding else {}
                    options |= {"antialias": 1} if antialias else {}
                    options |= {"exclude_outside": 1} if outside else {}
                    region = None
                    if transform == "tf_crop_and_resize":
                        start = random.uniform(0, 0.4, 2)
                        region = np.array([0, 0, *start, 1, 1, *(start + random.uniform(0.3, 0.8, 2))], "f4")
                    if by == "sizes":
                        inputs, to = [x, region, None, np.array([1, 1, *sizes])], sizes.tolist()
                    else:
                        to = np.float32([random.uniform(0.4, 2.5), random.choice([0.5, 2.0, 1.5, 0.6, 3.0, 0.8, 0.75])])
                        if np.any(extents * to < 1):
                            continue
                        inputs, to = [x, region, np.float32([1, 1, *to])], to.tolist()
                    flags = f"antialias={antialias} exclude_outside={outside}"
                    label = f"Resize {mode} {transform} {rounding} {flags} {by} {extents.tolist()} to {to}"
                    yield label, node_model("Resize", inputs, [FLOAT], opset=19, **options)


def is_near(found, expected):
    return found.shape == expected.shape and np.allclose(found, expected, 1e-4, 1e-4, equal_nan=True)


def check(program, case):
    label, (model, feeds) = case
    code, found = own(program, model, feeds)
    if code == 3:
        return label, "unsupported", ""
    others = [attempt(evaluate, model, feeds) for evaluate in (reference, runtime)]
    if all(other is None for other in others):
        return label, "refused by both", ""
    if code == 0 and any(other is not None and is_near(found[0], other[0]) for other in others):
        return label, "right", ""

    def distance(other):
        return "refuses" if other is None else f"{np.abs(other[0] - found[0]).max():.3g} away" if other[0].shape == found[0].shape else f"is {other[0].shape}"

    why = f"exit {code}: {found}" if code else f"{found[0].shape}: the reference {distance(others[0])}, ONNX Runtime {distance(others[1])}"
    return label, "wrong", why


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="onnx-run")
    parser.add_argument("--count", type=int, default=2, help="cases for each choice of modes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="cases that have this in their label")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    options = parser.parse_args()
    random = np.random.default_rng(options.seed)
    cases = [case for case in itertools.chain(grids(random, options.count), resizes(random, options.count)) if options.only in case[0]]
    counts, unknown = Counter(), 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for label, outcome, why in pool.map(lambda case: check(options.program, case), cases):
            is_known = outcome == "wrong" and any(label.startswith(start) for start in KNOWN)
            counts["known" if is_known else outcome] += 1
            if outcome == "wrong" and not is_known:
                unknown += 1
                print(f"{label}: {why}", flush=True)
    print("sampling: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    sys.exit(1 if unknown else 0)


if __name__ == "__main__":
    main()
