"""Single operators at realistic sizes, this project and ONNX Runtime alternating: `operators.py ONNX_RUN`.

Each row of operators.tsv is a model of one node. Every number is the fastest run of all rounds, on one thread; ratios are ours
to ONNX Runtime's: smaller is better for us. A row that either cannot run is reported and left out of the means.

Operators are those of opset 24, or of the one after `@`. Inputs, separated by blanks:

- `f32[2,3]`     an input of normally distributed numbers; `i64[2,3]<7` of whole numbers below 7, `…<7+1` from 1 to 7
- `f32+[2,3]`    positive numbers; `f32u[2,3]` numbers between -1 and 1
- `f32box[9,4]`  corners of boxes inside 56²; `f32roi[9,5]` the same after the index of an image
- `=f32[2,3]`    the same as an initializer
- `=i64(1,2)`    a list, `=f32:0.5` a scalar, as initializers
- `-`            an input left out
"""

import argparse
import json
import math
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

BACKENDS = {"llvm": 1.5, "cranelift": 2.0}
OPSET = 24
TYPES = {
    "f16": numpy.float16, "f32": numpy.float32, "f64": numpy.float64, "bool": numpy.bool_,
    "i8": numpy.int8, "i32": numpy.int32, "i64": numpy.int64, "u8": numpy.uint8, "u32": numpy.uint32,
}  # fmt: skip
TENSOR = re.compile(r"(?P<type>[a-z]+\d*)(?P<form>\+|u|box|roi)?\[(?P<shape>[\d,]*)\](<(?P<below>\d+)(\+(?P<from>\d+))?)?")
LITERAL = re.compile(r"(?P<type>[a-z]+\d*)(\((?P<list>[^)]*)\)|:(?P<scalar>.+))")


def tensor_of(text, random):
    """The tensor that a word of the inputs column describes."""
    if literal := LITERAL.fullmatch(text):
        numbers = literal["scalar"] or literal["list"].split(",")
        return numpy.array(numbers).astype(float).astype(TYPES[literal["type"]])
    word = TENSOR.fullmatch(text)
    kind, form = TYPES[word["type"].removesuffix(word["form"] or "")], word["form"]
    shape = [int(extent) for extent in word["shape"].split(",")]
    if word["below"]:
        return (random.integers(0, int(word["below"]), shape) + int(word["from"] or 0)).astype(kind)
    if form in ("box", "roi"):
        corners = random.random([*shape[:-1], 2]) * 28
        boxes = numpy.concatenate([corners, corners + 4 + random.random(corners.shape) * 24], -1)
        return numpy.concatenate([numpy.zeros([*shape[:-1], shape[-1] - 4]), boxes], -1).astype(kind)
    if kind == numpy.bool_:
        return random.random(shape) < 0.5
    if numpy.issubdtype(kind, numpy.integer):
        return random.integers(-8, 8, shape).astype(kind)
    numbers = random.random(shape) * 2 - 1 if form == "u" else random.standard_normal(shape)
    return (numpy.abs(numbers) + 0.01 if form == "+" else numbers).astype(kind)


def attribute(text):
    name, _, value = text.partition("=")
    return name, json.loads(value)


class Case:
    """A row: its model, written into a folder with the tensors it takes."""

    def __init__(self, line, folder):
        operator, inputs, attributes, outputs = (line.split("\t") + ["", ""])[:4]
        self.label = f"{operator} {inputs} {attributes}".strip()
        self.folder = folder
        random = numpy.random.default_rng(0)
        operator, _, opset = operator.partition("@")
        domain, _, operator = operator.rpartition(".")
        names, constants, self.inputs = [], [], {}
        for index, word in enumerate(inputs.split()):
            name = f"x{index}" if word != "-" else ""
            names.append(name)
            if word.startswith("="):
                constants.append(numpy_helper.from_array(tensor_of(word[1:], random), name))
            elif name:
                self.inputs[name] = tensor_of(word, random)
        results = [f"y{index}" for index in range(int(outputs or 1))]
        node = helper.make_node(operator, names, results, domain=domain, **dict(map(attribute, attributes.split())))
        opsets = [helper.make_opsetid("", int(opset or OPSET))] + ([helper.make_opsetid(domain, 1)] if domain else [])
        given = [self.info(name, tensor) for name, tensor in self.inputs.items()]
        untyped = [onnx.ValueInfoProto(name=name) for name in results]
        graph = helper.make_graph([node], "operator", given, untyped, constants)
        self.model = helper.make_model(graph, opset_imports=opsets, ir_version=11)

    @staticmethod
    def info(name, tensor):
        return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(tensor.dtype), tensor.shape)

    def session(self):
        """ONNX Runtime's session, whose results have the types of the model's results."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        session = onnxruntime.InferenceSession(self.model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        for output, meta in zip(self.model.graph.output, session.get_outputs()):
            kind = meta.type.removeprefix("tensor(").removesuffix(")")
            kind = {"float": "FLOAT", "double": "DOUBLE"}.get(kind, kind.upper())
            output.CopyFrom(helper.make_tensor_value_info(output.name, TensorProto.DataType.Value(kind), None))
        onnx.save(self.model, self.folder / "model.onnx")
        for index, (name, tensor) in enumerate(self.inputs.items()):
            (self.folder / f"input_{index}.pb").write_bytes(numpy_helper.from_array(tensor, name).SerializeToString())
        return session


def time_runtime(session, inputs, seconds):
    """The fastest run of ONNX Runtime, in milliseconds, and how many there were."""
    fastest, count, end = math.inf, 0, time.perf_counter() + seconds
    while time.perf_counter() < end or count < 3:
        start = time.perf_counter()
        session.run(None, inputs)
        fastest = min(fastest, time.perf_counter() - start)
        count += 1
    return fastest * 1e3, count


def time_ours(arguments, case, backend, runs):
    given = ["--inputs", case.folder] if case.inputs else []
    command = [arguments.onnx_run, case.folder / "model.onnx", *given, "--no-cache", "--backend", backend, "--threads", 1]
    command += ["--bench", "--json", "--runs", runs]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{case.label} on {backend}: {done.stderr.strip()[-200:]}", file=sys.stderr)
        return math.nan
    return json.loads(done.stdout.strip().splitlines()[-1])["latency_ms"]["min"]


def compare(case, arguments):
    """The fastest run of everybody, in milliseconds."""
    session = case.session()
    session.run(None, case.inputs)
    fastest = dict.fromkeys(["theirs", *arguments.backends], math.inf)
    for _ in range(arguments.rounds):
        theirs, runs = time_runtime(session, case.inputs, arguments.seconds)
        fastest["theirs"] = min(fastest["theirs"], theirs)
        for backend in arguments.backends:
            ours = time_ours(arguments, case, backend, max(3, min(runs, 2000)))
            fastest[backend] = math.nan if math.isnan(ours) else min(fastest[backend], ours)
    return fastest


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("onnx_run", type=Path)
    parser.add_argument("--filter", default="", help="only rows with this text, or that match this expression")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.05, help="how long a round of ONNX Runtime takes")
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=list(BACKENDS))
    arguments = parser.parse_args()
    lines = Path(__file__).with_suffix(".tsv").read_text().splitlines()[1:]
    ratios = {backend: [] for backend in arguments.backends}
    print(f"{'ONNX Runtime ms':>15}", *(f"{backend:>10}" for backend in arguments.backends), " operator")
    for line in lines:
        with tempfile.TemporaryDirectory() as folder:
            case = Case(line, Path(folder))
            if not re.search(arguments.filter, case.label):
                continue
            try:
                fastest = compare(case, arguments)
            except Exception as error:  # what ONNX Runtime raises has no common type
                print(f"{case.label}: {str(error).splitlines()[0][:200]}", file=sys.stderr)
                continue
        cells = []
        for backend, bar in BACKENDS.items():
            if backend in ratios:
                ratio = fastest[backend] / fastest["theirs"]
                ratios[backend].append((ratio, case.label))
                cells.append(f"{ratio:9.2f}{'*' if ratio > bar else ' '}")
        print(f"{fastest['theirs']:15.4f}", *cells, "", case.label, flush=True)
    for backend, rows in ratios.items():
        known = [ratio for ratio, _ in rows if not math.isnan(ratio)]
        mean = math.exp(sum(map(math.log, known)) / len(known)) if known else math.nan
        above = sum(ratio > BACKENDS[backend] for ratio in known)
        print(f"{backend}: {len(known)} of {len(rows)} run, geometric mean {mean:.2f}, {above} above {BACKENDS[backend]}")


if __name__ == "__main__":
    main()
