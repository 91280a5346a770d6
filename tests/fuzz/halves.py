#!/usr/bin/env python3
"""halves.py ONNX_RUN: operators that accumulate or multiply many elements, on float16 and on the same values as float.

The result in half precision is that in float, rounded once: a sum that is kept in half precision stops growing. Prints operators that are off by more than
a unit in the last place, which another summation order may cause; exit status 1 if there are any that `ALLOWED` does not list."""
import argparse
import sys

import numpy as np

from evaluators import FLOAT, FLOAT16, node_model, own

MANY = 4096
RANDOM = np.random.default_rng(0)
# errors beyond the rounding of the result, in units in the last place, and their reasons
ALLOWED = {}


def near_one(*extents):
    return RANDOM.uniform(0.5, 1.5, extents)


def zeros(*extents):
    return np.zeros(extents, "i8")


# operator, inputs, attributes, results
CASES = [
    *((f"Reduce{kind}", [near_one(2, MANY) / divisor], {}, 1) for kind, divisor in (("Sum", 8), ("Mean", 1), ("L1", 8), ("L2", 1), ("SumSquare", 8), ("LogSum", 8))),
    ("ReduceLogSumExp", [near_one(2, MANY)], {}, 1),
    ("ReduceProd", [1 + near_one(2, MANY) * 1e-3], {}, 1),
    ("GlobalAveragePool", [near_one(1, 2, 64, 64)], {}, 1),
    ("AveragePool", [near_one(1, 2, 64, 64)], {"kernel_shape": [64, 64]}, 1),
    ("LpPool", [near_one(1, 2, 64, 64)], {"kernel_shape": [64, 64]}, 1),
    ("Sum", [*(near_one(16) for _ in range(12)), near_one(16) * 100], {}, 1),
    ("Mean", [near_one(16) * 9 for _ in range(12)], {}, 1),
    ("CumSum", [near_one(MANY) / 8, np.array(0)], {}, 1),
    ("Softmax", [near_one(2, MANY)], {}, 1),
    ("LogSoftmax", [near_one(2, MANY)], {}, 1),
    ("LpNormalization", [near_one(2, MANY)], {"p": 1}, 1),
    ("LpNormalization", [near_one(2, MANY)], {"p": 2}, 1),
    ("MeanVarianceNormalization", [near_one(2, 2, 40, 40)], {}, 1),
    ("InstanceNormalization", [near_one(1, 2, 64, 64), near_one(2), near_one(2)], {}, 1),
    ("LayerNormalization", [near_one(2, MANY), near_one(MANY), near_one(MANY)], {}, 1),
    ("RMSNormalization", [near_one(2, MANY), near_one(MANY)], {}, 1),
    ("GroupNormalization", [near_one(1, 4, 64, 32), near_one(4), near_one(4)], {"num_groups": 2}, 1),
    ("LRN", [near_one(1, 64, 4, 4) * 4], {"size": 63, "alpha": 1.0}, 1),
    ("Conv", [near_one(1, 64, 9, 9), near_one(2, 64, 7, 7) / 64], {}, 1),
    ("ConvTranspose", [near_one(1, 64, 9, 9), near_one(64, 2, 7, 7) / 64], {}, 1),
    ("MatMul", [near_one(3, MANY), near_one(MANY, 3) / 64], {}, 1),
    ("Gemm", [near_one(3, MANY), near_one(MANY, 3) / 64], {}, 1),
    ("Einsum", [near_one(3, MANY), near_one(3, MANY) / 64], {"equation": "ij,ij->i"}, 1),
    ("Einsum", [near_one(3, MANY) / 8], {"equation": "ij->i"}, 1),
    ("ScatterElements", [near_one(4), zeros(MANY), near_one(MANY) / 8], {"reduction": "add"}, 1),
    ("ScatterND", [near_one(4), zeros(MANY, 1), near_one(MANY) / 8], {"reduction": "add"}, 1),
    ("Det", [near_one(2, 12, 12) * 1.1], {}, 1),
    ("Col2Im", [near_one(1, 64, 1) / 8, np.array([8, 8]), np.array([8, 8])], {}, 1),
    ("NegativeLogLikelihoodLoss", [near_one(1, 2, MANY) * 9, zeros(1, MANY)], {}, 1),
    ("SoftmaxCrossEntropyLoss", [near_one(MANY, 2) * 9, zeros(MANY)], {}, 1),
    ("BatchNormalization", [near_one(2, 2, 40, 40), *(near_one(2) for _ in range(4))], {"training_mode": 1}, 3),
    ("RNN", [near_one(4, 1, 64), near_one(1, 2, 64) / 64, near_one(1, 2, 2)], {"hidden_size": 2}, 2),
    ("DFT", [near_one(1, MANY, 1) / 64], {}, 1),
    ("Resize", [near_one(1, 1, 32, 32) * 20, None, None, np.array([1, 1, 4, 4])], {"mode": "linear", "antialias": 1}, 1),
    ("Attention", [near_one(1, 1, 4, 64), near_one(1, 1, MANY, 64), near_one(1, 1, MANY, 8)], {}, 1),
    ("DeformConv", [near_one(1, 64, 5, 5), near_one(1, 64, 3, 3) / 64, near_one(1, 18, 3, 3) - 1], {}, 1),
]


def results(program, case, element, number):
    operator, inputs, attributes, count = case
    # the values of both runs are float16's
    inputs = [value if value is None or value.dtype.kind == "i" else value.astype("f2").astype(number) for value in inputs]
    opset = 23 if operator in ("RMSNormalization", "Attention") else 22
    return own(program, *node_model(operator, inputs, [element] * count, opset, **attributes))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="onnx-run")
    program, broken = parser.parse_args().program, 0
    for case in CASES:
        (code, halves), (wide_code, floats) = results(program, case, FLOAT16, "f2"), results(program, case, FLOAT, "f4")
        worst = 0.0
        if code or wide_code:
            print(f"{case[0]}: exit {code or wide_code}: {halves if code else floats}")
            broken += 1
            continue
        for half, wide in zip(halves, floats):
            with np.errstate(all="ignore"):
                expected = wide.astype("f2")
            unit = np.maximum(np.spacing(np.abs(expected)).astype("f8"), 6e-8)
            worst = max(worst, float(np.nanmax(np.abs(half.astype("f8") - expected.astype("f8")) / unit)))
        if worst > ALLOWED.get(case[0], 1):
            print(f"{case[0]} {case[2]}: {worst:.1f} units in the last place")
            broken += 1
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
