"""Writes the backend suite's models in every text format that ONNX's own tools write, with what those read back.

    python tests/syntax/generate.py SUITE FOLDER

FOLDER gets NAME.onnxtxt with NAME.onnxtxt.onnx, the model as `onnx.parser` reads it, for each model that the printer writes
in full; NAME.json and NAME.textproto with their source, NAME.onnx.
"""

import pathlib
import sys

import onnx
from google.protobuf import json_format, text_format
from onnx import parser, printer

suite, folder = map(pathlib.Path, sys.argv[1:])
folder.mkdir(parents=True, exist_ok=True)


def written(model):
    """The model in ONNX's syntax and as read back; None where the printer writes what the parser does not read."""
    text = printer.to_text(model)
    try:
        return text, parser.parse_model(text)
    except parser.ParseError:
        return None


def main():
    for number, path in enumerate(sorted(suite.rglob("model.onnx"))):
        if path.stat().st_size > 1 << 20:
            continue
        name = "-".join(path.parent.relative_to(suite).parts)
        model = onnx.load(path)
        if pair := written(model):
            (folder / f"{name}.onnxtxt").write_text(pair[0])
            (folder / f"{name}.onnxtxt.onnx").write_bytes(pair[1].SerializeToString())
        if number % 10 == 0:
            (folder / f"{name}.onnx").write_bytes(model.SerializeToString())
            (folder / f"{name}.json").write_text(json_format.MessageToJson(model))
            (folder / f"{name}.textproto").write_text(text_format.MessageToString(model))


main()
