#!/usr/bin/env python3
"""seeds.py FOLDER: writes inputs for the fuzz targets, a folder for each, from the tests and the ONNX backend suite.

With --limit, at most that many bytes for each target: what is checked in as fuzz/corpus."""
import argparse
import io
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import onnx
from google.protobuf import json_format, text_format

ROOT = Path(__file__).resolve().parent.parent
PIPELINES = 16
LARGEST = 4096


def small_models(suite):
    """The small models of the suite, one for each operator first."""
    paths = sorted(suite.glob("*/*/model.onnx"), key=lambda path: path.stat().st_size)
    seen, models = set(), []
    for path in paths:
        if path.stat().st_size > LARGEST:
            break
        model = onnx.load(path)
        kinds = frozenset(node.op_type for node in model.graph.node)
        if not kinds <= seen:
            seen |= kinds
            models.append((path.parent, model))
    return models


def modules():
    """The modules in the tests, as text."""
    for folder in ("passes", "roundtrip", "upstream", "errors"):
        for path in sorted((ROOT / "tests" / folder).glob("*.mlir")):
            for part in path.read_text().split("// -----"):
                text = "\n".join(line for line in part.splitlines() if not line.startswith("//")).strip()
                if text:
                    yield text.encode()


def arrays():
    """Files of arrays, each after the byte that chooses its kind."""
    kinds = ["f2", "f4", "f8", "i1", "u2", "i8", "?", "c8", "U3", ">i4"]
    for at, kind in enumerate(kinds):
        array = np.ones((2, 3), kind)
        file = io.BytesIO()
        np.save(file, np.asfortranarray(array) if at % 2 else array)
        yield b"\0" + file.getvalue()
        file = io.BytesIO()
        (np.savez_compressed if at % 2 else np.savez)(file, a=array, b=array[0])
        yield b"\1" + file.getvalue()
    for kind in ("float32", "float16", "int64", "bool"):
        yield b"\2" + onnx.numpy_helper.from_array(np.ones((2, 3), kind), "x").SerializeToString()
    strings = onnx.helper.make_tensor("s", onnx.TensorProto.STRING, [2], [b"a", b"bc"])
    yield b"\2" + strings.SerializeToString()


def pictures(suite):
    for path in sorted(suite.glob("*/test_image_decoder*/test_data_set_0/input_0.pb")):
        tensor = onnx.TensorProto()
        tensor.ParseFromString(path.read_bytes())
        yield onnx.numpy_helper.to_array(tensor).tobytes()


def cache_entries(models, tools):
    for folder, _ in models[::20]:
        with tempfile.TemporaryDirectory() as cache:
            subprocess.run([tools / "onnx-run", folder / "model.onnx", "--inputs", folder / "test_data_set_0", "--cache", cache], capture_output=True, timeout=60)
            for path in Path(cache).iterdir():
                if not path.name.startswith("hash-"):
                    yield path.read_bytes()


def objects(models, tools):
    for folder, _ in models[::20]:
        done = subprocess.run([tools / "onnxc", folder / "model.onnx", "--emit", "obj"], capture_output=True, timeout=60)
        if done.returncode == 0:
            yield done.stdout


def seeds(suite, tools):
    models = small_models(suite)
    protos = [model for _, model in models]
    texts = [path.read_bytes() for path in sorted((ROOT / "tests").glob("*/*.onnxtxt"))]
    found = list(modules())
    yield "model", [model.SerializeToString() for model in protos] + texts[::4]
    yield "text", texts
    yield "json", [json_format.MessageToJson(model, indent=None).encode() for model in protos[::3]] + [text_format.MessageToString(model).encode() for model in protos[1::3]]
    yield "mlir", found
    yield "passes", [bytes([at % PIPELINES]) + text for at, text in enumerate(found * 3)]
    yield "arrays", list(arrays())
    yield "pictures", list(pictures(suite))
    if tools is not None:
        yield "entries", list(cache_entries(models, tools))
        yield "objects", list(objects(models, tools))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--suite", type=Path, default=ROOT / "target/conformance")
    parser.add_argument("--tools", type=Path, help="the folder of onnx-run and onnxc, for cache entries and objects")
    parser.add_argument("--limit", type=int, help="bytes for each target")
    options = parser.parse_args()
    for target, contents in seeds(options.suite, options.tools):
        folder = options.folder / target
        folder.mkdir(parents=True, exist_ok=True)
        if options.limit is not None:
            # short ones, of the whole range
            contents = sorted((seed for seed in contents if len(seed) <= options.limit // 8), key=len)
            contents = contents[:: max(1, sum(map(len, contents)) // options.limit)]
        left = options.limit if options.limit is not None else float("inf")
        for number, seed in enumerate(contents):
            left -= len(seed)
            if left >= 0:
                (folder / f"seed-{number:04}").write_bytes(seed)


if __name__ == "__main__":
    main()
