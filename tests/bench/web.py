#!/usr/bin/env python3
"""web.py ONNXC RUNTIME [NAME…]: real models as packages for npm against onnxruntime-web, in one process of Node.js for each model.

RUNTIME is the folder in which npm installed onnxruntime-web. Prints a line for each model, then the geometric mean of the ratios."""
import argparse
import json
import math
import subprocess
import sys
from pathlib import Path

import onnx
from onnx import numpy_helper

MODELS = ["ppocr_cls", "ppocrv4_det", "ppocrv4_rec", "squeezenet_seeded", "shufflenet_seeded", "basic_pitch", "magika", "orientation", "orientation_qdq", "resnet50_seeded", "dnsmos", "silero_vad_op18", "yolov8n_nudenet"]
HERE = Path(__file__).parent


def feeds(folder, scratch):
    """The inputs of the first data set: name, type, shape, and a file of elements."""
    graph = onnx.load(folder / "model.onnx", load_external_data=False).graph
    defaults = {initializer.name for initializer in graph.initializer}
    for number, name in enumerate(port.name for port in graph.input if port.name not in defaults):
        tensor = onnx.TensorProto.FromString((folder / f"test_data_set_0/input_{number}.pb").read_bytes())
        array = numpy_helper.to_array(tensor)
        file = scratch / f"input_{number}"
        file.write_bytes(array.tobytes())
        yield {"name": name, "type": str(array.dtype), "shape": list(array.shape), "file": str(file.resolve())}


def measure(options, name):
    folder, scratch = options.folder / name, options.scratch / name
    scratch.mkdir(parents=True, exist_ok=True)
    inputs = list(feeds(folder, scratch))
    (scratch / "feeds.json").write_text(json.dumps(inputs))
    shapes = [f"--shape={part['name']}={'x'.join(map(str, part['shape']))}" for part in inputs]
    package = scratch / "package"
    model = folder / "model.onnx"
    subprocess.run([options.onnxc, model, *shapes, *options.option, "--quiet", "--emit", "npm", "--name", "net", "-o", package], check=True)
    node = ["node", *options.node, HERE / "web.mjs", package.resolve(), model.resolve(), scratch / "feeds.json", options.runtime.resolve()]
    printed = subprocess.run([*node, str(options.rounds)], check=True, capture_output=True, text=True).stdout
    data = package / "net.data"
    sizes = {"module": (package / "net.wasm").stat().st_size, "data": data.stat().st_size if data.exists() else 0}
    return {**json.loads(printed), **sizes}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("onnxc")
    parser.add_argument("runtime", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--folder", type=Path, default=Path("target/models"))
    parser.add_argument("--scratch", type=Path, default=Path("target/web/models"))
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--option", action="append", default=[], help="of onnxc")
    parser.add_argument("--node", action="append", default=[], help="an option of node")
    options = parser.parse_intermixed_args()
    ratios, firsts = [], []
    print(f"{'model':20} {'run, ms':>9} {'ORT Web':>9} {'ratio':>6} {'first, ms':>10} {'ORT Web':>9} {'module':>7} {'data':>7} {'memory':>7} {'difference':>11}")
    for name in options.names or MODELS:
        found = measure(options, name)
        ratios.append(found["ours"] / found["theirs"])
        first, their_first = found["first"]
        firsts.append(first / their_first)
        # megabytes
        sizes = " ".join(f"{found[what] / 1e6:7.2f}" for what in ("module", "data", "memory"))
        print(f"{name:20} {found['ours']:9.2f} {found['theirs']:9.2f} {ratios[-1]:6.2f} {first:10.0f} {their_first:9.0f} {sizes} {found['difference']:11.1e}", flush=True)
    mean = lambda list: math.exp(sum(map(math.log, list)) / len(list))
    print(f"geometric mean of ratios: run {mean(ratios):.2f}, first result {mean(firsts):.2f}")


if __name__ == "__main__":
    sys.exit(main())
