"""Writes cases of ONNX Runtime's own operators to a folder: `generate.py FOLDER`.

The layout is that of `tests/conformance/fetch.py`. Each case is a model of one node; expected outputs are ONNX Runtime's or,
if it has no CPU kernel, those of a function in numpy. Nothing is done when the folder already holds what these scripts
write.
"""

import hashlib
import shutil
import sys
import zlib
from dataclasses import dataclass, field
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

MICROSOFT = "com.microsoft"
KIND = "contrib"


@dataclass
class Case:
    """A model of one node, and what goes in."""

    name: str
    operator: str
    # None is an omitted input
    inputs: list
    attributes: dict = field(default_factory=dict)
    # the names of outputs, "" for one that is not wanted; or how many
    outputs: list | int = 1
    # inputs that are weights of the model
    weights: tuple = ()
    domain: str = MICROSOFT
    opset: int = 21
    # relative and absolute
    tolerance: tuple = (1e-3, 1e-5)
    # the outputs from the inputs, where ONNX Runtime has no kernel
    expected: object = None

    def input_names(self):
        return ["" if value is None else f"x{index}" for index, value in enumerate(self.inputs)]

    def output_names(self):
        return [f"y{index}" for index in range(self.outputs)] if isinstance(self.outputs, int) else self.outputs

    def model(self):
        node = helper.make_node(
            self.operator, self.input_names(), self.output_names(), name="node", domain=self.domain, **self.attributes
        )
        given = [(name, value) for name, value in zip(self.input_names(), self.inputs) if value is not None]
        weights = {f"x{index}" for index in self.weights}
        inputs = [value_info(name, value) for name, value in given if name not in weights]
        outputs = [helper.make_empty_tensor_value_info(name) for name in self.output_names() if name]
        initializers = [to_tensor(value, name) for name, value in given if name in weights]
        graph = helper.make_graph([node], self.name, inputs, outputs, initializers)
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def fed(self):
        pairs = enumerate(zip(self.input_names(), self.inputs))
        return {name: value for index, (name, value) in pairs if value is not None and index not in self.weights}


@dataclass
class Packed:
    """Numbers of four bits, two a byte, which numpy has no type for."""

    type: int
    values: numpy.ndarray


def to_tensor(value, name):
    if isinstance(value, Packed):
        return helper.make_tensor(name, value.type, value.values.shape, value.values.flatten())
    return numpy_helper.from_array(numpy.asarray(value), name)


def value_info(name, value):
    tensor = to_tensor(value, name)
    return helper.make_tensor_value_info(name, tensor.data_type, tensor.dims)


def run(case, model):
    if case.expected is not None:
        results = case.expected(*[value for value in case.inputs])
        return list(results) if isinstance(results, (list, tuple)) else [results]
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {name: numpy.asarray(value) for name, value in case.fed().items()})


def write(case, folder):
    model = case.model()
    expected = run(case, model)
    names = [name for name in case.output_names() if name]
    for info, name, value in zip(model.graph.output, names, expected):
        info.CopyFrom(value_info(name, value))
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for kind, values in (("input", case.fed().values()), ("output", expected)):
        for index, value in enumerate(values):
            (data / f"{kind}_{index}.pb").write_bytes(to_tensor(value, "").SerializeToString())


class Numbers:
    """Made-up numbers, the same in every run."""

    def __init__(self, seed):
        self.generator = numpy.random.default_rng(zlib.crc32(seed.encode()))

    def floats(self, *shape, dtype=numpy.float32):
        return self.generator.standard_normal(shape).astype(dtype)

    def positive(self, *shape, dtype=numpy.float32):
        return (self.generator.random(shape) * 0.1 + 0.01).astype(dtype)

    def integers(self, low, high, *shape, dtype=numpy.int64):
        return self.generator.integers(low, high, shape).astype(dtype)

    def weights(self, *shape):
        """int8 of seven bits: without VNNI, ONNX Runtime saturates the sum of two products of uint8 and int8 at 16 bits."""
        return self.integers(-64, 64, *shape, dtype=numpy.int8)


def main():
    import attention
    import elementwise
    import quantized

    folder = Path(sys.argv[1])
    stamp = folder / "version"
    scripts = sorted(Path(__file__).parent.glob("*.py"))
    digest = hashlib.sha256(b"".join(script.read_bytes() for script in scripts)).hexdigest()
    version = f"{onnxruntime.__version__} {onnx.__version__} {digest}"
    if stamp.exists() and stamp.read_text() == version:
        return
    shutil.rmtree(folder, ignore_errors=True)
    lines = []
    for module in (elementwise, attention, quantized):
        for case in module.cases(Numbers(module.__name__)):
            try:
                write(case, folder / KIND / case.name)
            except Exception as error:
                raise RuntimeError(f"case {case.name}") from error
            lines.append(f"{KIND}\t{case.name}\t{case.tolerance[0]}\t{case.tolerance[1]}\n")
    (folder / "cases.tsv").write_text("".join(lines))
    stamp.write_text(version)


if __name__ == "__main__":
    main()
