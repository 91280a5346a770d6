"""Faults of types and shapes of nodes."""

from onnx import helper

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

for operator, left, right in (("Add", FLOAT, INT64), ("Add", FLOAT, DOUBLE), ("And", FLOAT, FLOAT), ("Max", FLOAT, INT32), ("MatMul", FLOAT, FLOAT16), ("Equal", INT32, INT64), ("Mod", FLOAT16, FLOAT)):
    case("operator-types", at("node 0 'both'"), binary(operator, left, right, BOOL if operator in ("And", "Equal") else left, ((2, 2),) * 3))
for operator, kind in (("Relu", BOOL), ("Not", INT32), ("Sqrt", INT64), ("Sigmoid", INT32), ("Softmax", INT64), ("Neg", BOOL), ("Floor", INT32), ("IsNaN", INT64)):
    case("operator-types", at("node 0 'one'"), unary(operator, kind))
case("operator-types", at("node 0 'one'"), unary("Relu", INT32, opset=13))
case("operator-types", at("node 0 'same'"), model([node("Reshape", ["x", "s"], ["y"], name="same")], [info("x", FLOAT, [2, 3])], [info("y", FLOAT, [6])], [tensor("s", INT32, [1], [6])]))
case("operator-types", at("node 0 'pick'"), model([node("Where", ["c", "a", "b"], ["y"], name="pick")], [info("c", BOOL, [2]), info("a", FLOAT, [2]), info("b", DOUBLE, [2])], [info("y", FLOAT, [2])]))
case("operator-types", at("node 0 'pick'"), model([node("Where", ["c", "a", "b"], ["y"], name="pick")], [info("c", FLOAT, [2]), info("a", FLOAT, [2]), info("b", FLOAT, [2])], [info("y", FLOAT, [2])]))
for operator, shapes in (("Add", ((2, 3), (2, 4), (2, 3))), ("Mul", ((2,), (3,), (3,))), ("MatMul", ((2, 3), (4, 5), (2, 5))), ("Pow", ((2, 3), (3, 2), (2, 3)))):
    case("operator-shapes", at("node 0 'both'"), binary(operator, shapes=shapes))
case("operator-shapes", at("node 0 'all'"), model([node("Concat", ["a", "b"], ["y"], name="all", axis=0)], [info("a", FLOAT, [2, 3]), info("b", FLOAT, [2, 4])], [info("y", FLOAT, [4, 3])]))
case("operator-shapes", at("node 0 'one'"), unary("DepthToSpace", shape=(1, 3, 2, 2), out=(1, 1, 4, 4), blocksize=2))
case("operator-shapes", at("node 0 'one'"), unary("SpaceToDepth", shape=(1, 1, 3, 3), out=(1, 4, 1, 1), blocksize=2))
case("operator-shapes", at("node 0 'same'"), model([node("Reshape", ["x", "s"], ["y"], name="same")], [info("x", FLOAT, [2, 3])], [info("y", FLOAT, [7])], [tensor("s", INT64, [1], [7])]))
case("operator-shapes", at("node 0 'one'"), unary("Softmax", axis=2))
case("operator-shapes", at("node 0 'one'"), unary("Softmax", axis=-3))
case("operator-shapes", at("node 0 'all'"), model([node("Concat", ["a", "a"], ["y"], name="all", axis=2)], [info("a", FLOAT, [2, 3])], [info("y", FLOAT, [4, 3])]))
case("operator-shapes", at("node 0 'take'"), model([node("Gather", ["a", "i"], ["y"], name="take", axis=5)], [info("a", FLOAT, [2, 3]), info("i", INT64, [1])], [info("y", FLOAT, [1, 3])]))
case("operator-shapes", at("node 0 'one'"), unary("Transpose", perm=[0, 1, 2]))
case("operator-shapes", at("node 0 'one'"), unary("Squeeze", out=(3,)), lambda m: (first(m).input.append("k"), m.graph.initializer.append(tensor("k", INT64, [1], [0]))))
case("operator-shapes", at("node 0 'wide'"), model([node("Expand", ["x", "s"], ["y"], name="wide")], [info("x", FLOAT, [2, 3])], [info("y", FLOAT, [2, 4])], [tensor("s", INT64, [2], [2, 4])]))
for right, axis in (((2, 3), 1), ((3,), 2)):
    case("operator-conditions", at("node 0 'both'"), binary("Add", shapes=((2, 3), right, (2, 3)), opset=6, broadcast=1, axis=axis))
case("value-named-defined", at("node 1 'slope'"), relu(), lambda m: (m.graph.node.append(node("Gradient", ["x"], ["d"], name="slope", domain="ai.onnx.preview.training", xs=["q"], y="y")), m.opset_import.append(helper.make_opsetid("ai.onnx.preview.training", 1))))
LAYER = at("node 0 'layer'")
for operator, gates, names in (("RNN", 1, ["Tan"]), ("GRU", 3, ["Sigmoid", "tanhh"]), ("LSTM", 4, ["Sigmoid", "", "Tanh"])):
    case("activation-known", LAYER, recurrent(operator, gates, activations=names))
for operator, gates, directions, names in (("GRU", 3, 1, ["Sigmoid"]), ("LSTM", 4, 1, ["Sigmoid", "Tanh"]), ("LSTM", 4, 2, ["Sigmoid", "Tanh", "Tanh"]), ("RNN", 1, 1, ["Tanh"] * 3)):
    direction = {"direction": "bidirectional"} if directions == 2 else {}
    case("activation-count", LAYER, recurrent(operator, gates, directions, activations=names, **direction))
case("activation-numbers", at("node 0 'layer'", "attribute 'activation_alpha'"), recurrent("RNN", 1, activations=["LeakyRelu"], activation_alpha=[0.5, 0.25]))
case("activation-numbers", at("node 0 'layer'", "attribute 'activation_beta'"), recurrent("GRU", 3, activations=["HardSigmoid", "Tanh"], activation_beta=[0.5] * 3))
FOLD = at("node 0 'fold'")
case("reduction-of-nothing", FOLD, reduction("ReduceMean"))
for operator in ("ArgMax", "ArgMin"):
    made = model([node(operator, ["x"], ["y"], name="fold", axis=1)], [info("x", FLOAT, [2, 0])], [info("y", INT64, [2, 1])])
    case("reduction-of-nothing", FOLD, made)
CALLED = "function 0 'f' / node 0 'leak'"
case("operator-types", CALLED, called(), lambda m: setattr(m.functions[0].node[0], "op_type", "Not") or m.functions[0].node[0].ClearField("attribute"))
case("operator-shapes", "function 0 'f' / node 2 'sum'", called(), lambda m: (
    m.functions[0].node[0].output.__setitem__(0, "c"),
    m.functions[0].node.append(node("Constant", [], ["five"], name="five", value_floats=[1.0] * 5)),
    m.functions[0].node.append(node("Add", ["c", "five"], ["b"], name="sum"))))
case("value-shape-declared", "function 0 'f' / value 0 'b'", called(), lambda m: m.functions[0].value_info.append(info("b", FLOAT, [2, 4])))
case("value-addressable", at("node 0 'huge'"), model([node("ConstantOfShape", ["s"], ["y"], name="huge")], [], [info("y", FLOAT, [None, None])], [tensor("s", INT64, [2], [1 << 40, 1 << 40])]))
case("value-addressable", at("node 0 'huge'"), model([node("ConstantOfShape", ["s"], ["y"], name="huge")], [], [info("y", FLOAT, [None, None, None])], [tensor("s", INT64, [3], [1 << 40, 1 << 40, 0])]))
case("value-type-declared", at("node 0 'relu'"), relu(), lambda m: m.graph.output[0].CopyFrom(info("y", DOUBLE, [2, 3])))
case("value-type-declared", at("node 0 'first'"), chain(), lambda m: m.graph.value_info.append(info("h", INT64, [2, 3])))
case("value-type-declared", at("initializer 0 'w'"), weighted(), lambda m: m.graph.output[0].CopyFrom(info("w", DOUBLE, [3])))
case("value-type-declared", at("output 0 'y'"), passed(sequence_type()), lambda m: m.graph.output[0].CopyFrom(value("y", of=sequence_type(tensor_type(INT64)))))
case("value-shape-declared", at("output 0 'y'"), relu(), lambda m: m.graph.output[0].CopyFrom(info("y", FLOAT, [2, 4])))
case("value-shape-declared", at("output 0 'y'"), relu(), lambda m: m.graph.output[0].CopyFrom(info("y", FLOAT, [6])))
case("value-shape-declared", at("output 0 'y'"), relu(), lambda m: m.graph.output[0].CopyFrom(info("y", FLOAT, [])))
case("value-shape-declared", at("output 0 'y'"), relu(), lambda m: m.graph.output[0].CopyFrom(info("y", FLOAT, ["N", 3, 1])))
case("value-shape-declared", at("value 0 'h'"), chain(), lambda m: m.graph.value_info.append(info("h", FLOAT, [3, 2])))
case("value-shape-declared", at("value 0 'h'"), chain(), lambda m: m.graph.value_info.append(info("h", FLOAT, [2])))
case("value-shape-declared", at(*THEN, "output 0 't'"), branch(), lambda m: held(m, "then_branch").output[0].CopyFrom(info("t", FLOAT, [3, 3])))
case("symbol-one-extent", at("output 0 'y'"), relu(), lambda m: m.graph.output[0].CopyFrom(info("y", FLOAT, ["N", "N"])))
case("symbol-one-extent", at("value 0 'h'"), chain(), lambda m: (m.graph.value_info.append(info("h", FLOAT, ["N", None])), m.graph.output[0].CopyFrom(info("y", FLOAT, [None, "N"]))))
case("operator-bodies", at("node 0 'choice'"), branch(), lambda m: (held(m, "else_branch").node[0].CopyFrom(node("Cast", ["x"], ["e"], name="no", to=INT64)), held(m, "else_branch").output[0].CopyFrom(info("e", INT64, [2, 3]))))
case("operator-bodies", at("node 0 'choice'"), branch(), lambda m: (held(m, "else_branch").output.append(info("e2", FLOAT, [2, 3])), held(m, "else_branch").node.append(node("Relu", ["x"], ["e2"], name="more"))))

case("operator-bodies", at("node 0 'choice'"), branch(), lambda m: held(m, "then_branch").input.append(info("u", FLOAT, [2])))
case("operator-bodies", at("node 0 'loop'"), loop(), lambda m: held(m, "body").input.append(info("u", FLOAT, [2])))
case("operator-bodies", at("node 0 'loop'"), loop(), lambda m: held(m, "body").output.pop())
case("operator-bodies", at("node 0 'loop'"), loop(), lambda m: setattr(element(held(m, "body").input[0]), "elem_type", FLOAT))
case("operator-bodies", at("node 0 'scan'"), scan(), lambda m: held(m, "body").input.append(info("u", FLOAT, [2])))
case("operator-bodies", at("node 0 'scan'"), scan(), lambda m: held(m, "body").output.pop())
