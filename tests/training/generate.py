"""Writes models with training information, and the results of their steps in ONNX's reference evaluator.

    python tests/training/generate.py FOLDER

For each model FOLDER gets NAME/model.onnx, NAME/inputs/*.pb for a step, and NAME/expected/STEP/*.pb with the outputs of
a step and the variables after it; step 0 is the initialization.
"""

import pathlib
import sys

import numpy
import onnx
from onnx import helper, numpy_helper, parser
from onnx.reference import ReferenceEvaluator

TRAINING = "ai.onnx.preview.training"
OPSETS = {"": 18, TRAINING: 1}
STEPS = 5

RANDOM = numpy.random.default_rng(3)
WEIGHTS = {
    "w1": RANDOM.normal(0, 0.5, (4, 16)).astype("float32"),
    "b1": RANDOM.normal(0, 0.5, 16).astype("float32"),
    "w2": RANDOM.normal(0, 0.5, (16, 2)).astype("float32"),
    "b2": numpy.zeros(2, "float32"),
}
X = RANDOM.normal(0, 1, (8, 4)).astype("float32")
INPUTS = {"x": X, "target": numpy.stack([X[:, 0] * X[:, 1], numpy.sin(X[:, 2])], 1).astype("float32")}

NETWORK = """
    network (float[N, 4] x) => (float[N, 2] y) {
        p1 = MatMul (x, w1)
        s1 = Add (p1, b1)
        h = Tanh (s1)
        p2 = MatMul (h, w2)
        y = Add (p2, b2)
    }
"""

LOSS = """
        d = Sub (y, target)
        e = Mul (d, d)
        loss = ReduceMean <keepdims = 0> (e)
"""

BACKWARD = """
        sizes = Shape (d)
        size = ReduceProd <keepdims = 0> (sizes)
        count = Cast <to = 1> (size)
        two = Constant <value_float = 2.0> ()
        d2 = Mul (d, two)
        gy = Div (d2, count)
        ht = Transpose (h)
        g_w2 = MatMul (ht, gy)
        zero = Constant <value_ints = [0]> ()
        g_b2 = ReduceSum <keepdims = 0> (gy, zero)
        w2t = Transpose (w2)
        gh = MatMul (gy, w2t)
        hh = Mul (h, h)
        ghh = Mul (gh, hh)
        gs1 = Sub (gh, ghh)
        xt = Transpose (x)
        g_w1 = MatMul (xt, gs1)
        g_b1 = ReduceSum <keepdims = 0> (gs1, zero)
"""

GRADIENT = f"""
        g_w1, g_b1, g_w2, g_b2 = {TRAINING}.Gradient <xs = ["w1", "b1", "w2", "b2"], y = "loss"> (w1, b1, w2, b2)
"""

NAMES = list(WEIGHTS)


def each(form):
    return ", ".join(form.format(name) for name in NAMES)


ADAM = f"""
        {each("new_{}")}, {each("new_v_{}")}, {each("new_h_{}")} = {TRAINING}.Adam
            <norm_coefficient = 0.001, alpha = 0.9, beta = 0.99, epsilon = 0.00001>
            (rate, steps, {each("{}")}, {each("g_{}")}, {each("v_{}")}, {each("h_{}")})
        one = Constant <value_int = 1> ()
        new_steps = Add (steps, one)
"""

DESCENT = """
        change_{0} = Mul (g_{0}, rate)
        new_{0} = Sub ({0}, change_{0})
"""


def graph(text, initializers):
    model = parser.parse_model('<ir_version: 10, opset_import: ["": 18]>' + text)
    for name, value in initializers.items():
        model.graph.initializer.append(numpy_helper.from_array(numpy.asarray(value), name))
    return model.graph


def algorithm(body, outputs, initializers):
    return graph(f"step (float[N, 2] target) => ({outputs}) {{ {body} }}", initializers)


def info(algorithm, updates, initialization=None, initial=None):
    info = onnx.TrainingInfoProto(algorithm=algorithm)
    for variable, value in updates.items():
        info.update_binding.add(key=variable, value=value)
    if initialization:
        info.initialization.CopyFrom(initialization)
    for variable, value in (initial or {}).items():
        info.initialization_binding.add(key=variable, value=value)
    return info


def run(graphs, values):
    """The outputs of ONNX's reference evaluator for graphs that run in sequence."""
    nodes = [node for part in graphs for node in part.node]
    outputs = [output for part in graphs for output in part.output]
    inputs = [helper.make_tensor_value_info(name, 1, None) for name in values]
    constants = [tensor for part in graphs for tensor in part.initializer if tensor.name not in values]
    whole = helper.make_graph(nodes, "whole", inputs, outputs, constants)
    opsets = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
    results = ReferenceEvaluator(helper.make_model(whole, opset_imports=opsets)).run(None, values)
    return dict(zip([output.name for output in outputs], results))


def write(folder, values):
    folder.mkdir(parents=True, exist_ok=True)
    for name, value in values.items():
        (folder / f"{name}.pb").write_bytes(numpy_helper.from_array(numpy.asarray(value), name).SerializeToString())


def generate(folder, network, infos, evaluated):
    """Writes a model; `evaluated` are the same infos in operators that the reference evaluator has."""
    opsets = [helper.make_opsetid(domain, version) for domain, version in OPSETS.items()]
    model = helper.make_model(network, opset_imports=opsets, ir_version=10, producer_name="tests")
    model.training_info.extend(infos)
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "model.onnx")
    write(folder / "inputs", INPUTS)
    state = {}
    for part in evaluated:
        known = {tensor.name: tensor for tensor in [*network.initializer, *part.algorithm.initializer]}
        for binding in [*part.initialization_binding, *part.update_binding]:
            state[binding.key] = numpy_helper.to_array(known[binding.key])
    for part in evaluated:
        if part.initialization_binding:
            found = run([part.initialization], {})
            state |= {binding.key: found[binding.value] for binding in part.initialization_binding}
    write(folder / "expected" / "0", state)
    for step in range(1, STEPS + 1):
        outputs = {}
        for part in evaluated:
            outputs |= run([network, part.algorithm], INPUTS | state)
            state |= {binding.key: outputs[binding.value] for binding in part.update_binding}
        named = {name: value for name, value in outputs.items() if name in ("y", "loss")}
        write(folder / "expected" / str(step), named | state)


def network():
    return graph(NETWORK, WEIGHTS)


def adam(gradient):
    """Variables that a graph initializes, gradients, and Adam."""
    moments = {f"{kind}_{name}": numpy.zeros_like(value) for name, value in WEIGHTS.items() for kind in "vh"}
    own = moments | {"rate": numpy.float32(0.05), "steps": numpy.int64(0)}
    changed = [*NAMES, *moments, "steps"]
    results = ", ".join(["float loss", *(f"float[] new_{name}" for name in changed if name != "steps"), "int64 new_steps"])
    initial = """initial () => (float[4, 16] first, int64 none) {
        start = Constant <value_float = 0.0> ()
        limit = Constant <value_float = 64.0> ()
        delta = Constant <value_float = 1.0> ()
        line = Range (start, limit, delta)
        wave = Sin (line)
        shape = Constant <value_ints = [4, 16]> ()
        first = Reshape (wave, shape)
        none = Constant <value_int = 0> ()
    }"""
    return info(
        algorithm(LOSS + gradient + ADAM, results, own),
        {name: f"new_{name}" for name in changed},
        graph(initial, {}),
        {"w1": "first", "steps": "none"},
    )


def descent(names, gradient, prefix):
    """Plain descent on some of the weights, at a rate that halves with every step; two variables are swapped."""
    body = LOSS + gradient + "".join(DESCENT.format(name) for name in names)
    body += "half = Constant <value_float = 0.5> () less = Mul (rate, half) a = Identity (left) b = Identity (right)"
    body = body.replace("rate", f"{prefix}_rate").replace("left", f"{prefix}_left").replace("right", f"{prefix}_right")
    results = ", ".join(["float loss", *(f"float[] new_{name}" for name in names), "float less", "float a", "float b"])
    own = {f"{prefix}_rate": numpy.float32(0.4), f"{prefix}_left": numpy.float32(1), f"{prefix}_right": numpy.float32(2)}
    updates = {name: f"new_{name}" for name in names}
    updates |= {f"{prefix}_rate": "less", f"{prefix}_left": "b", f"{prefix}_right": "a"}
    return info(algorithm(body, results, own), updates)


def main():
    folder = pathlib.Path(sys.argv[1])
    generate(folder / "gradient", network(), [adam(GRADIENT)], [adam(BACKWARD)])
    exported = [descent(NAMES, BACKWARD, "all")]
    generate(folder / "exported", network(), exported, exported)
    several = [descent(["w2", "b2"], BACKWARD, "upper"), descent(["w1", "b1"], BACKWARD, "lower")]
    generate(folder / "several", network(), several, several)


main()
