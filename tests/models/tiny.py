"""Quantised models with the shapes of the MLPerf Tiny benchmark and seeded weights: `tiny.py FOLDER` writes FOLDER/NAME/model.onnx.

Keyword spotting (DS-CNN), visual wake words (MobileNetV1, a quarter of the channels), image classification (ResNet-8) and anomaly
detection (an autoencoder). Activations are uint8 in [0, 8), weights int8 with the variance that keeps activations in that range."""
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SCALE = np.float32(8 / 256)


class Graph:
    """Nodes in the order of a run; values are named by numbers."""

    def __init__(self, seed, shape):
        self.random = np.random.default_rng(seed)
        self.nodes, self.constants, self.shape = [], [], shape
        self.scale, self.zero = self.constant(SCALE), self.constant(np.uint8(0))

    def constant(self, array):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def add(self, operator, inputs, **attributes):
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], **attributes))
        return name

    def weights(self, *shape):
        """int8 weights, and their scale: the variance is 2 / (the number of products in a sum)."""
        bound = np.sqrt(6 / np.prod(shape[1:]))
        return self.constant(self.random.integers(-127, 128, shape, np.int8)), self.constant(np.float32(bound / 127))

    def convolution(self, x, outputs, inputs, kernel, stride=(1, 1), group=1, pads=None):
        weights, scale = self.weights(outputs, inputs // group, *kernel)
        bias = self.constant(self.random.integers(-2000, 2000, outputs, np.int32))
        pads = pads or [extent // 2 for extent in kernel] * 2
        operands = [x, self.scale, self.zero, weights, scale, self.constant(np.int8(0)), self.scale, self.zero, bias]
        return self.add("QLinearConv", operands, kernel_shape=kernel, strides=stride, pads=pads, group=group)

    def floats(self, x):
        return self.add("DequantizeLinear", [x, self.scale, self.zero])

    def quantised(self, x):
        return self.add("QuantizeLinear", [x, self.scale, self.zero])

    def dense(self, x, outputs, inputs):
        """A product of the matrix x with weights, its sums relu'd by the quantisation."""
        weights, scale = self.weights(inputs, outputs)
        operands = [x, self.scale, self.zero, weights, scale, self.constant(np.int8(0)), self.scale, self.zero]
        return self.add("QLinearMatMul", operands)

    def classes(self, x, outputs, inputs):
        """The mean over all pixels, a product, and the softmax."""
        mean = self.add("Flatten", [self.quantised(self.add("GlobalAveragePool", [self.floats(x)]))])
        return self.add("Softmax", [self.floats(self.dense(mean, outputs, inputs))])

    def model(self, y, name):
        self.nodes[-1].output[0] = "y"
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, name, [x], [y], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        return onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)


def keywords():
    graph = Graph(1, [1, 1, 49, 10])
    x = graph.convolution(graph.quantised("x"), 64, 1, (10, 4), (2, 2), pads=[4, 1, 5, 2])
    for _ in range(4):
        x = graph.convolution(x, 64, 64, (3, 3), group=64)
        x = graph.convolution(x, 64, 64, (1, 1))
    return graph.model(graph.classes(x, 12, 64), "keywords")


def persons():
    graph = Graph(2, [1, 3, 96, 96])
    x, channels = graph.convolution(graph.quantised("x"), 8, 3, (3, 3), (2, 2)), 8
    for outputs, stride in [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), *[(128, 1)] * 5, (256, 2), (256, 1)]:
        x = graph.convolution(x, channels, channels, (3, 3), (stride, stride), group=channels)
        x, channels = graph.convolution(x, outputs, channels, (1, 1)), outputs
    return graph.model(graph.classes(x, 2, channels), "persons")


def pictures():
    graph = Graph(3, [1, 3, 32, 32])
    x, channels = graph.convolution(graph.quantised("x"), 16, 3, (3, 3)), 16
    for outputs, stride in [(16, 1), (32, 2), (64, 2)]:
        inner = graph.convolution(x, outputs, channels, (3, 3), (stride, stride))
        inner = graph.convolution(inner, outputs, outputs, (3, 3))
        outer = x if stride == 1 else graph.convolution(x, outputs, channels, (1, 1), (stride, stride))
        x = graph.quantised(graph.add("Add", [graph.floats(inner), graph.floats(outer)]))
        channels = outputs
    return graph.model(graph.classes(x, 10, channels), "pictures")


def anomalies():
    graph = Graph(4, [1, 640])
    x, inputs = graph.quantised("x"), 640
    for outputs in [128] * 4 + [8] + [128] * 4 + [640]:
        x, inputs = graph.dense(x, outputs, inputs), outputs
    return graph.model(graph.floats(x), "anomalies")


MODELS = [keywords, persons, pictures, anomalies]


def main(folder):
    for build in MODELS:
        model = build()
        path = Path(folder) / model.graph.name
        path.mkdir(parents=True, exist_ok=True)
        onnx.save(model, path / "model.onnx")
        shape = [dim.dim_value for dim in model.graph.input[0].type.tensor_type.shape.dim]
        np.save(path / "x.npy", np.random.default_rng(5).uniform(0, 8, shape).astype(np.float32))


if __name__ == "__main__":
    main(sys.argv[1])
