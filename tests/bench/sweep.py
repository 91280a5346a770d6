"""Matrix products of odd extents: their cost against the next multiple of the register tile.

    ./x bench sweep --backend llvm
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy
from onnx import TensorProto, helper, numpy_helper, save

# columns fill panels of 64, rows tiles of up to 14; the reduction is unrolled by 4
WHOLE = {"m": 14, "n": 64, "k": 4}


def time_of(arguments, folder, m, n, k, constant):
    weights = numpy.random.default_rng(0).standard_normal((k, n)).astype(numpy.float32)
    tensor = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    inputs = [tensor("x", [m, k])] + ([] if constant else [tensor("w", [k, n])])
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        "product",
        inputs,
        [tensor("y", [m, n])],
        [numpy_helper.from_array(weights, "w")] if constant else [],
    )
    path = pathlib.Path(folder) / "product.onnx"
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10), path)
    command = [arguments.onnx_run, path, "--no-cache", "--random", "--bench", "--json", "--threads", "1", "--runs", str(arguments.runs)]
    command += ["--backend", arguments.backend]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["latency_ms"]["min"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("onnx_run")
    parser.add_argument("--backend", default="cranelift")
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--extents", type=int, nargs="*", default=[1, 2, 3, 5, 7, 13, 15, 17, 31, 33, 47, 63, 65, 70, 129, 1000])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for constant in (True, False):
            for axis, whole in WHOLE.items():
                for extent in arguments.extents:
                    shape = {"m": 56, "n": 256, "k": 256, axis: extent}
                    round_up = {**shape, axis: -(-extent // whole) * whole}
                    odd, even = (time_of(arguments, folder, **extents, constant=constant) for extents in (shape, round_up))
                    weights = "constant" if constant else "given"
                    print(f"weights {weights} {axis}={extent:<5} {odd * 1e3:9.1f} us  {odd / even:5.2f} of the whole tile")


if __name__ == "__main__":
    main()
