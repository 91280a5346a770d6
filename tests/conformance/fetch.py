"""Writes the ONNX backend suite of the installed onnx package to a folder: `fetch.py FOLDER`.

Each case becomes KIND/NAME/{model.onnx, test_data_set_*/{input,output}_*.pb}; `cases.tsv` lists kind, name, relative and
absolute tolerance. Nothing is done when the folder already holds the suite of this version.
"""

import shutil
import sys
from pathlib import Path

import onnx
from onnx import TensorProto, numpy_helper
from onnx.backend.test.loader import load_model_tests

KINDS = ["node", "simple", "pytorch-converted", "pytorch-operator"]


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


def write_case(case, folder):
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
    if stamp.exists() and stamp.read_text() == onnx.__version__:
        return
    shutil.rmtree(folder, ignore_errors=True)
    lines = []
    for kind in KINDS:
        for case in sorted(load_model_tests(kind=kind), key=lambda case: case.name):
            write_case(case, folder / kind / case.name)
            lines.append(f"{kind}\t{case.name}\t{case.rtol}\t{case.atol}\n")
    (folder / "cases.tsv").write_text("".join(lines))
    stamp.write_text(onnx.__version__)


if __name__ == "__main__":
    main()
