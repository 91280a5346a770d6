"""Writes graphs for the restrictions of SONNX to a folder: `sonnx.py FOLDER`.

Each graph is a file; `cases.tsv` lists the rule of the profile that each breaks and its place, both empty for a graph that
keeps them all, how often, and whether captures are accepted.
"""

import sys
from pathlib import Path

from onnx import TensorProto, helper

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
info, node = helper.make_tensor_value_info, helper.make_node
X, Y = info("x", FLOAT, [2, 3]), info("y", FLOAT, [2, 3])
CASES = []


def model(nodes, inputs=(X,), outputs=(Y,), constants=(), functions=()):
    """A model whose graph is called g."""
    for number, one in enumerate(nodes):
        one.name = one.name or f"n{number}"
    graph = helper.make_graph(list(nodes), "g", list(inputs), list(outputs), list(constants))
    opsets = [helper.make_opsetid("", 21)] + ([helper.make_opsetid("org.f", 1)] if functions else [])
    made = helper.make_model(graph, opset_imports=opsets, ir_version=10, functions=list(functions))
    made.producer_name, made.domain, made.model_version = "tests", "org.example", 1
    return made


def bad(rule, place, made, count=1):
    """A graph that breaks a rule the given number of times, first at a place in the main graph."""
    CASES.append((f"{rule}-{len(CASES)}", rule, "graph 'g' / " + place if place else "", made, count, False))


def good(made, captures=False):
    CASES.append((f"fine-{len(CASES)}", "", "", made, 0, captures))


def floats(name, shape, value=1.0):
    count = 1
    for extent in shape:
        count *= extent
    return helper.make_tensor(name, FLOAT, shape, [value] * count)


def function(name, inputs, outputs, nodes):
    for number, one in enumerate(nodes):
        one.name = one.name or f"f{number}"
    return helper.make_function("org.f", name, inputs, outputs, nodes, [helper.make_opsetid("", 21)])


def call(name, inputs, outputs):
    return node(name, inputs, outputs, domain="org.f", name="call")


def graph(name, nodes, outputs):
    for number, one in enumerate(nodes):
        one.name = one.name or f"{name}{number}"
    return helper.make_graph(nodes, name, [], outputs)


def choice(first, second, outputs=("y",)):
    """An If with branches of constants and what they make of them."""
    one = node("If", ["c"], list(outputs), name="choice", then_branch=first, else_branch=second)
    ports = [info(name, FLOAT, None) for name in outputs] if len(outputs) > 1 else [Y]
    return [one], [info("c", BOOL, [])] + [X], ports


def constant(name, shape=(2, 3), value=1.0):
    return node("Constant", [], [name], value=floats("v", list(shape), value))


# [R1]: every input and output of the operator is bound
IMAGE, WEIGHTS = info("x", FLOAT, [1, 1, 4, 4]), floats("w", [1, 1, 1, 1])
RESULT = info("y", FLOAT, [1, 1, 4, 4])
OMITTED = "node 0 'n0'"
bad("sonnx-r1-operator", OMITTED, model([node("Conv", ["x", "w"], ["y"])], [IMAGE], [RESULT], [WEIGHTS]))
bad("sonnx-r1-operator", OMITTED, model([node("Clip", ["x"], ["y"])]), 2)
bad("sonnx-r1-operator", OMITTED, model([node("Clip", ["x", "low"], ["y"])], constants=[floats("low", [])]))
bad("sonnx-r1-operator", OMITTED, model([node("Clip", ["x", "", "high"], ["y"])], constants=[floats("high", [])]))
normalized = node("LayerNormalization", ["x", "s", "b"], ["y"])
bad("sonnx-r1-operator", OMITTED, model([normalized], constants=[floats("s", [3]), floats("b", [3])]), 2)
pool = node("MaxPool", ["x"], ["y"], kernel_shape=[1, 1])
bad("sonnx-r1-operator", "node 0 'n0'", model([pool], [IMAGE], [RESULT]))
gemm = [node("Gemm", ["x", "m"], ["y"])]
bad("sonnx-r1-operator", "node 0 'n0'", model(gemm, constants=[floats("m", [3, 3])]))
slices = [helper.make_tensor(name, INT64, [1], [number]) for name, number in (("a", 0), ("b", 2))]
bad("sonnx-r1-operator", OMITTED, model([node("Slice", ["x", "a", "b"], ["y"])], constants=slices), 2)
good(model([node("Conv", ["x", "w", "b"], ["y"])], [IMAGE], [RESULT], [WEIGHTS, floats("b", [1])]))
good(model([node("Clip", ["x", "low", "high"], ["y"])], constants=[floats("low", [], 0.0), floats("high", [])]))
good(model([node("Gemm", ["x", "m", "b"], ["y"])], constants=[floats("m", [3, 3]), floats("b", [3])]))
good(model([node("Max", ["x"], ["y"])]))
good(model([node("Sum", ["x", "x", "x"], ["y"])]))
good(model([node("Concat", ["x"], ["y"], axis=0)]))

# [R1] of functions
TWICE = function("twice", ["a", "b"], ["s"], [node("Add", ["a", "b"], ["s"])])
BOTH = function("both", ["a"], ["p", "q"], [node("Relu", ["a"], ["p"]), node("Neg", ["a"], ["q"])])
bad("sonnx-r1-function", "node 0 'call'", model([call("both", ["x"], ["y"])], functions=[BOTH]))
bad("sonnx-r1-function", "node 0 'call'", model([call("both", ["x"], ["", "y"])], functions=[BOTH]))
good(model([call("twice", ["x", "x"], ["y"])], functions=[TWICE]))
good(model([call("both", ["x"], ["y", "z"])], outputs=[Y, info("z", FLOAT, [2, 3])], functions=[BOTH]))
nested = function("nested", ["a"], ["s"], [call("twice", ["a", "a"], ["s"])])
nested.opset_import.append(helper.make_opsetid("org.f", 1))
good(model([call("nested", ["x"], ["y"])], functions=[TWICE, nested]))

# [R2]: no dead node, no dead output
bad("sonnx-r2", "node 1 'n1' / output 0 'z'", model([node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["z"])]))
bad("sonnx-r2", "node 0 'n0' / output 0 'z'", model([node("Neg", ["x"], ["z"]), node("Relu", ["x"], ["y"])]))
three = [node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["a"]), node("Abs", ["a"], ["b"])]
bad("sonnx-r2", "node 2 'n2' / output 0 'b'", model(three))
halves = helper.make_tensor("h", INT64, [2], [1, 1])
split = node("Split", ["x", "h"], ["y", "z"], axis=0)
bad("sonnx-r2", "node 0 'n0' / output 1 'z'", model([split], outputs=[info("y", FLOAT, [1, 3])], constants=[halves]))
bad("sonnx-r2", "node 0 'n0' / output 0 'k'", model([constant("k"), node("Relu", ["x"], ["y"])]))
good(model([node("Relu", ["x"], ["a"]), node("Neg", ["a"], ["y"])]))
good(model([node("Relu", ["x"], ["a"]), node("Add", ["a", "a"], ["y"])]))
good(model([node("Relu", ["x"], ["y"]), node("Neg", ["y"], ["z"])], outputs=[Y, info("z", FLOAT, [2, 3])]))

# [R3]: deterministic operators only
bad("sonnx-r3", "node 0 'n0'", model([node("RandomNormalLike", ["x"], ["y"])]))
bad("sonnx-r3", "node 0 'n0'", model([node("RandomUniformLike", ["x"], ["y"], seed=1.0)]))
bad("sonnx-r3", "node 0 'n0'", model([node("Bernoulli", ["x"], ["y"])]))
bad("sonnx-r3", "node 0 'n0'", model([node("RandomNormal", [], ["y"], shape=[2, 3])], []))
bad("sonnx-r3", "node 0 'n0'", model([node("RandomUniform", [], ["y"], shape=[2, 3])], []))
drawn = node("Multinomial", ["x"], ["y"], sample_size=3, dtype=INT64)
bad("sonnx-r3", "node 0 'n0'", model([drawn], outputs=[info("y", INT64, [2, 3])]))
good(model([node("Softmax", ["x"], ["y"])]))

# the branches of an If
same = [graph("yes", [constant("t")], [info("t", FLOAT, [2, 3])]), graph("no", [constant("e")], [info("e", FLOAT, [2, 3])])]
good(model(*choice(*same)[:1], choice(*same)[1][:1], choice(*same)[2]))
wide = graph("wide", [constant("e", (3, 3))], [info("e", FLOAT, [3, 3])])
nodes, inputs, outputs = choice(same[0], wide)
bad("sonnx-branches", "node 0 'choice'", model(nodes, inputs[:1], [info("y", FLOAT, [None, 3])]))
flat = graph("flat", [constant("e", (3,))], [info("e", FLOAT, [3])])
nodes, inputs, outputs = choice(same[0], flat)
bad("sonnx-branches", "node 0 'choice'", model(nodes, inputs[:1], [info("y", FLOAT, None)]))

# captures
capturing = [
    graph("yes", [node("Relu", ["x"], ["t"])], [info("t", FLOAT, [2, 3])]),
    graph("no", [node("Neg", ["x"], ["e"])], [info("e", FLOAT, [2, 3])]),
]
made = model(*choice(*capturing))
then = "node 0 'choice' / attribute 'then_branch' / graph 'yes' / node 0 'yes0' / input 0 'x'"
otherwise = "node 0 'choice' / attribute 'else_branch' / graph 'no' / node 0 'no0' / input 0 'x'"
bad("sonnx-captures", otherwise, made, 2)
good(made, captures=True)
half = [capturing[0], same[1]]
bad("sonnx-captures", then, model(*choice(*half)))
good(model(*choice(*half)), captures=True)

# what ONNX demands already: identifiers and assignments are unique, an order exists, no function calls itself
clash = model([node("Relu", ["x"], ["y"]), node("Neg", ["x"], ["y"])])
bad("value-assigned-once", None, clash)
circle = model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Neg", ["b"], ["y"])])
bad("nodes-acyclic", None, circle)
bad("read-defined", None, model([node("Add", ["x", "nowhere"], ["y"])]))
recursive = function("again", ["a"], ["b"], [call("again", ["a"], ["b"])])
recursive.opset_import.append(helper.make_opsetid("org.f", 1))
bad("function-not-recursive", None, model([call("again", ["x"], ["y"])], functions=[recursive]))


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for name, rule, place, made, count, captures in CASES:
        (folder / f"{name}.onnx").write_bytes(made.SerializeToString())
        lines.append("\t".join((name, rule, place, str(count), "captures" if captures else "")) + "\n")
    (folder / "cases.tsv").write_text("".join(lines))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
