#!/usr/bin/env python3
"""chains.py ONNX_RUN: compares random chains of operators with ONNX Runtime: each result has one reader, so that neighbours become one kernel.

Slices and splits stand between them, and extents are larger than a vector, so that kernels have tiles, lines and parts of them. Each model runs with checked
accesses, then without, with the options of `--with` if there are any. A model is made by its seed (`--seed N --count 1`). Findings are printed and saved;
exit status 1 if there is any."""
import argparse
import os
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto

import generate
from evaluators import are_near, own, runtime

EXTENTS = [7, 8, 12, 16, 20, 32, 33, 40]
CHANNELS = [4, 8, 12, 16, 20, 32, 33]
# relative to the largest number; quantised and narrow numbers move by a step where sums differ in the last bit
TOLERANCE, QUANTISED = 2e-3, 0.15
NARROW = {"QuantizeLinear", "QLinearConv", "Cast"}


def evaluate(node, arrays):
    try:
        return runtime(generate.node_model(node, arrays), arrays)
    except Exception as error:
        raise generate.Refused(str(error)) from error


class Chain(generate.Grower):
    """Operators on the last result, `at`."""

    def __init__(self, rng):
        super().__init__(rng, Path("nothing"), evaluate)
        self.source = np.random.default_rng(rng.getrandbits(32))
        rank = rng.choice([2, 3, 4, 4])
        shape = [rng.choice([1, 2, 3] if rank > 2 else [1, 7, 64]), *(rng.choice(EXTENTS) for _ in range(rank - 1))]
        self.at = self.graph.given(self.source.normal(size=shape).astype("f4"), rng, constant=False)

    @property
    def shape(self):
        return self.graph.values[self.at].shape

    def axis(self):
        return self.rng.randrange(len(self.shape))

    def number(self, number, dtype="f4"):
        return self.graph.constant(np.asarray(number, dtype=dtype))

    def noise(self, *shape):
        return self.graph.constant(self.source.normal(size=shape).astype("f4"))

    def weights(self, *shape):
        return self.graph.constant(self.source.integers(-60, 60, shape).astype("i1"))

    def indices(self, *numbers):
        return self.graph.constant(np.int64(numbers))

    def then(self, op_type, *others, **attributes):
        [self.at] = self.node(op_type, [self.at, *others], **attributes)

    def wants(self, condition):
        if not condition:
            raise generate.Refused("another shape is needed")

    def step(self):
        self.rng.choice([
            self.convolution, self.convolution, self.transposed_convolution, self.pooling, self.product, self.product, self.attention, self.softmax,
            self.normalisation, self.reduction, self.transposition, self.padding, self.concatenation, self.conversion, self.quantisation, self.byte_convolution,
            self.byte_product, self.sum, self.gathering, self.split, self.reshape, self.recurrence, self.enlargement, self.repetition, self.choice, self.largest,
            self.residual, self.selection])()

    def unary(self):
        if self.rng.random() < 0.5:
            self.then(self.rng.choice("Relu Sigmoid Exp Abs Tanh".split()))
        if self.rng.random() < 0.25 and self.shape:
            self.then(self.rng.choice(["Add", "Mul"]), self.noise(self.shape[-1]))

    def cut(self):
        """A slice along one axis or two, most often from the beginning."""
        rng, shape = self.rng, self.shape
        axes = [axis for axis in rng.sample(range(len(shape)), min(len(shape), rng.choice([1, 1, 2]))) if shape[axis] > 1]
        if axes:
            ends = [rng.randint(1, shape[axis] - 1) for axis in axes]
            starts = [rng.choice([0, 0, 0, 1]) if end > 1 else 0 for end in ends]
            self.then("Slice", *map(lambda numbers: self.indices(*numbers), (starts, ends, axes)))

    # ---- operators

    def convolution(self):
        self.wants(len(self.shape) > 2)
        rng, (_, channels, *spatial) = self.rng, self.shape
        self.wants(min(spatial) > 4)
        group = rng.choice([1, 1, 1, channels])
        results = channels if group > 1 else rng.choice(CHANNELS)
        sizes = [rng.choice([1, 3, 3, 5]) for _ in spatial]
        self.then("Conv", self.noise(results, channels // group, *sizes), self.noise(results), group=group,
                  pads=[size // 2 for size in sizes] * 2, strides=[rng.choice([1, 1, 2])] * len(spatial))

    def transposed_convolution(self):
        self.wants(len(self.shape) > 2)
        _, channels, *spatial = self.shape
        self.then("ConvTranspose", self.noise(channels, self.rng.choice([4, 8, 16]), *[3] * len(spatial)), strides=[self.rng.choice([1, 2])] * len(spatial),
                  pads=[1] * 2 * len(spatial))

    def pooling(self):
        spatial = self.shape[2:]
        self.wants(spatial and min(spatial) > 2)
        self.then(self.rng.choice(["MaxPool", "AveragePool"]), kernel_shape=[3] * len(spatial), pads=[1] * 2 * len(spatial))

    def product(self):
        self.wants(len(self.shape) > 1)
        columns = self.rng.choice([1, 8, 20, 33, 48])
        if len(self.shape) == 2 and self.rng.random() < 0.5:
            return self.then("Gemm", self.noise(columns, self.shape[-1]), self.noise(columns), transB=1)
        self.then("MatMul", self.noise(self.shape[-1], columns))

    def attention(self):
        self.wants(len(self.shape) > 2)
        rng, lead, depth = self.rng, self.shape[:-2], self.shape[-1]
        self.then("MatMul", self.noise(*lead, depth, rng.choice([12, 20, 33])))
        if rng.random() < 0.5:
            self.cut()
        self.then("Softmax", axis=-1)
        if rng.random() < 0.3:
            self.cut()
        self.then("MatMul", self.noise(self.shape[-1], rng.choice([8, 20])))

    def softmax(self):
        self.then(self.rng.choice(["Softmax", "LogSoftmax"]), axis=self.axis())

    def normalisation(self):
        self.wants(len(self.shape) > 2)
        if self.rng.random() < 0.5:
            return self.then("LayerNormalization", self.noise(self.shape[-1]), axis=-1)
        self.then("InstanceNormalization", self.noise(self.shape[1]), self.noise(self.shape[1]))

    def reduction(self):
        self.then(self.rng.choice(["ReduceMean", "ReduceMax", "ReduceSum"]), self.indices(self.axis()), keepdims=1)

    def transposition(self):
        self.then("Transpose", perm=self.rng.sample(range(len(self.shape)), len(self.shape)))

    def padding(self):
        self.then("Pad", self.indices(*(self.rng.choice([0, 0, 1, 2, -1 if extent > 2 else 0]) for extent in self.shape * 2)))

    def concatenation(self):
        axis = self.axis()
        other = self.noise(*(self.rng.choice([1, 8]) if at == axis else extent for at, extent in enumerate(self.shape)))
        [self.at] = self.node("Concat", self.rng.sample([self.at, other], 2), axis=axis)

    def conversion(self):
        self.then("Cast", to=self.rng.choice([TensorProto.FLOAT16, TensorProto.DOUBLE]))
        if self.rng.random() < 0.5:
            self.cut()
        self.then("Cast", to=TensorProto.FLOAT)

    def quantised(self):
        scale, zero = self.number(0.05), self.number(128, "u1")
        self.then("QuantizeLinear", scale, zero)
        return scale, zero

    def quantisation(self):
        scale, zero = self.quantised()
        if self.rng.random() < 0.5:
            self.cut()
        self.then("DequantizeLinear", scale, zero)

    def byte_convolution(self):
        self.wants(len(self.shape) == 4)
        size = self.rng.choice([1, 3])
        scale, zero = self.quantised()
        self.then("QLinearConv", scale, zero, self.weights(self.rng.choice(CHANNELS), self.shape[1], size, size), self.number(0.01), self.number(0, "i1"),
                  self.number(0.1), zero, pads=[size // 2] * 4)
        if self.rng.random() < 0.6:
            self.cut()
        self.then("DequantizeLinear", self.number(0.1), zero)

    def byte_product(self):
        self.wants(len(self.shape) > 1)
        _, zero = self.quantised()
        self.then("MatMulInteger", self.weights(self.shape[-1], self.rng.choice([8, 20, 33])), zero)
        if self.rng.random() < 0.6:
            self.cut()
        self.then("Cast", to=TensorProto.FLOAT)
        self.then("Mul", self.number(0.001))

    def sum(self):
        self.then("CumSum", self.number(self.axis(), "i8"))

    def gathering(self):
        axis = self.axis()
        self.then("Gather", self.indices(*self.source.integers(0, self.shape[axis], self.rng.choice([1, 5, 9]))), axis=axis)

    def split(self):
        axis = self.axis()
        self.wants(self.shape[axis] > 2)
        first = self.rng.randint(1, self.shape[axis] - 1)
        parts = self.node("Split", [self.at, self.indices(first, self.shape[axis] - first)], 2, axis=axis)
        self.at = self.rng.choice(parts)

    def reshape(self):
        self.wants(len(self.shape) > 1)
        first, second, *rest = self.shape
        self.then("Reshape", self.indices(*self.rng.choice([[first, -1], [first * second, *rest], [first, second, *rest, 1]])))

    def recurrence(self):
        self.wants(len(self.shape) == 3)
        kind, gates = self.rng.choice([("LSTM", 4), ("GRU", 3), ("RNN", 1)])
        size = self.rng.choice([4, 8, 20])
        self.then(kind, self.noise(1, gates * size, self.shape[2]), self.noise(1, gates * size, size), hidden_size=size)
        self.then("Squeeze", self.indices(1))

    def enlargement(self):
        self.wants(len(self.shape) == 4)
        self.then("Resize", "", self.number([1, 1, 2, 2]), mode=self.rng.choice(["nearest", "linear"]))

    def repetition(self):
        self.then("Tile", self.indices(*(self.rng.choice([1, 1, 2]) for _ in self.shape)))

    def choice(self):
        [positive] = self.node("Greater", [self.at, self.number(0.1)])
        [self.at] = self.node("Where", [positive, self.at, self.noise(self.shape[-1])])

    def largest(self):
        axis = self.axis()
        self.at = self.node("TopK", [self.at, self.indices(self.rng.randint(1, self.shape[axis]))], 2, axis=axis)[0]

    def residual(self):
        self.wants(len(self.shape) > 1)
        [product] = self.node("MatMul", [self.at, self.noise(self.shape[-1], self.shape[-1])])
        [self.at] = self.node("Add", [self.at, product])


    def selection(self):
        """A part whose extent depends on data, by a limit in the widest gap between numbers."""
        axis = self.axis()
        self.wants(self.shape[axis] > 2)
        others = [other for other in range(len(self.shape)) if other != axis]
        largest = self.node("ReduceMax", [self.at, self.indices(*others)], keepdims=0)[0] if others else self.at
        numbers = np.sort(self.graph.values[largest])
        gaps = np.diff(numbers)
        self.wants(gaps.max() > 1e-2 * np.abs(numbers).max())
        [chosen] = self.node("Greater", [largest, self.number(numbers[gaps.argmax()] + gaps.max() / 2)])
        self.then("Compress", chosen, axis=axis)


def grow(seed):
    """A chain; None if its numbers are too large to compare."""
    rng = random.Random(seed)
    chain = Chain(rng)
    for part in [chain.step, chain.unary, chain.cut, chain.unary] * rng.choice([1, 2, 2, 3]) + [chain.step, chain.unary] * rng.choice([0, 1]):
        try:
            part()
        except generate.Refused:
            pass
    is_finite = all(np.isfinite(array).all() for array in chain.graph.values.values() if array.dtype.kind == "f")
    return (rng, chain) if is_finite and chain.graph.nodes else None


def examine(seed, options):
    """What is wrong with a chain, or None; the model is saved then."""
    grown = grow(seed)
    if grown is None:
        return None
    rng, chain = grown
    graph, expected = chain.graph, chain.graph.values[chain.at]
    dims = lambda shape: [extent if rng.random() < 0.7 else None for extent in shape]
    model = graph.model([chain.at], dims)
    tolerance = QUANTISED if any(node.op_type in NARROW for node in graph.nodes) else TOLERANCE
    for kind in (["--sanitize"], options.given):
        code, found = own(options.program, model, graph.feeds(), *kind, seconds=300)
        problem = found if code else None
        if problem is None and not (found[0].shape == expected.shape and are_near(found[0], expected, tolerance)):
            problem = "another result than ONNX Runtime's"
        if problem is not None:
            options.save.mkdir(parents=True, exist_ok=True)
            onnx.save(model, options.save / f"{seed}.onnx")
            np.savez(options.save / f"{seed}.npz", **graph.feeds())
            return f"{' '.join(kind)}: {problem} {[node.op_type for node in graph.nodes]}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--save", type=Path, default=Path("target/fuzz/chains"))
    parser.add_argument("--with", dest="given", nargs=argparse.REMAINDER, default=[], help="options of the program, last")
    options = parser.parse_args()
    findings = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.seed, options.seed + options.count)
        for seed, problem in zip(seeds, pool.map(lambda seed: examine(seed, options), seeds)):
            if problem is not None:
                findings += 1
                print(f"seed {seed}: {problem}", flush=True)
    print(f"{options.count} chains: {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
