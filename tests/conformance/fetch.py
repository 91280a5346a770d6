"""Writes the ONNX backend suite of the installed onnx package to a folder: `fetch.py FOLDER`.

Each case becomes KIND/NAME/{model.onnx, test_data_set_*/{input,output}_*.pb}; `cases.tsv` lists kind, name, relative and
absolute tolerance. Nothing is done when the folder already holds these kinds of cases of this version.

The models of kind `real` come without their weights, as the suite runs them: weights and the input are made up.
"""

import shutil
import sys
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, numpy_helper
from onnx.backend.test.loader import load_model_tests

KINDS = ["node", "simple", "pytorch-converted", "pytorch-operator", "real"]


def to_proto(value, info):
    kind = info.type.WhichOneof("value")
    if isinstance(value, TensorProto):
        return value
    if kind == "map_type":
        return numpy_helper.from_dict(value, info.name)
    if kind == "sequence_type":
        return numpy_helper.from_list(value, info.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, info.name)
    return numpy_helper.from_array(value, info.name)


def made_up_input(info):
    """What the suite's runner feeds: numbers from 0 up to 1."""
    shape = [dimension.dim_value or 1 for dimension in info.type.tensor_type.shape.dim]
    count = numpy.prod(shape)
    return (numpy.arange(count).reshape(shape) / count).astype(numpy.float32)


def write_light_case(case, folder):
    source = Path(onnx.__file__).parent.parent / case.url
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    shutil.copy(source, folder / "model.onnx")
    graph = onnx.load(source).graph
    weights = {weight.name for weight in graph.initializer}
    inputs = [info for info in graph.input if info.name not in weights]
    for index, info in enumerate(inputs):
        (data / f"input_{index}.pb").write_bytes(to_proto(made_up_input(info), info).SerializeToString())
    for index in range(len(graph.output)):
        shutil.copy(source.with_name(f"{source.stem}_output_{index}.pb"), data / f"output_{index}.pb")


def write_case(case, folder):
    if case.url:
        write_light_case(case, folder)
        return
    if case.model_dir:
        shutil.copytree(case.model_dir, folder)
        return
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        for kind, values, infos in (("input", inputs, case.model.graph.input), ("output", outputs, case.model.graph.output)):
            for index, (value, info) in enumerate(zip(values, infos)):
                (data / f"{kind}_{index}.pb").write_bytes(to_proto(value, info).SerializeToString())


def main():
    folder = Path(sys.argv[1])
    stamp = folder / "version"
    version = " ".join([onnx.__version__, *KINDS])
    if stamp.exists() and stamp.read_text() == version:
        return
    shutil.rmtree(folder, ignore_errors=True)
    lines = []
    for kind in KINDS:
        for case in sorted(load_model_tests(kind=kind), key=lambda case: case.name):
            write_case(case, folder / kind / case.name)
            lines.append(f"{kind}\t{case.name}\t{case.rtol}\t{case.atol}\n")
    (folder / "cases.tsv").write_text("".join(lines))
    stamp.write_text(version)


if __name__ == "__main__":
    main()
