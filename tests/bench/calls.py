"""The time of a call of a model that computes almost nothing, in microseconds: `calls.py OVERHEAD LIBRARY`.

Through the C interface, with ONNX Runtime's library and ours, by the program OVERHEAD; and in Python, with both packages.
"""

import pathlib
import subprocess
import sys
import tempfile
import timeit

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

import onnxc

#: calls in one measurement, and measurements, of which the least counts
CALLS, ROUNDS = 2000, 15


def model():
    """y = x + x"""
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4]) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Add", ["x", "x"], ["y"])], "graph", ports[:1], ports[1:])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def python(module, path):
    options = module.SessionOptions()
    options.intra_op_num_threads = 1
    session = module.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    feeds = {"x": numpy.ones((1, 4), numpy.float32)}
    return 1e6 * min(timeit.repeat(lambda: session.run(None, feeds), number=CALLS, repeat=ROUNDS)) / CALLS


def interface(program, library, path):
    return float(subprocess.check_output([program, library, path]))


def main():
    program, own = sys.argv[1:]
    theirs = next((pathlib.Path(onnxruntime.__file__).parent / "capi").glob("libonnxruntime.so*"))
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/model.onnx"
        onnx.save(model(), path)
        rows = [
            ("C interface", interface(program, theirs, path), interface(program, own, path)),
            ("Python", python(onnxruntime, path), python(onnxc, path)),
        ]
    print("| call of a model of one small Add | ONNX Runtime, µs | onnxc, µs | ratio |\n|---|---|---|---|")
    for name, other, ours in rows:
        print(f"| {name} | {other:.2f} | {ours:.2f} | {ours / other:.2f} |")


if __name__ == "__main__":
    main()
