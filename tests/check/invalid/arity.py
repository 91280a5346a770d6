"""Faults of inputs and outputs of nodes."""

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

for operator, names in (("Relu", ["x", "x"]), ("Relu", []), ("Add", ["x"]), ("Add", ["x", "x", "x"]), ("Where", ["x", "x"]), ("Max", []), ("Clip", ["x"] * 4)):
    case("input-count", at("node 0 'relu'"), relu(), lambda m: (setattr(first(m), "op_type", operator), first(m).ClearField("input"), first(m).input.extend(names)))
for operator, names in (("Relu", ["y", "z"]), ("TopK", ["y"]), ("Add", ["y", "z"])):
    count = {"Relu": 1, "TopK": 2, "Add": 2}[operator]
    case("output-count", at("node 0 'relu'"), relu(), lambda m: (setattr(first(m), "op_type", operator), first(m).ClearField("input"), first(m).input.extend(["x"] * count), first(m).ClearField("output"), first(m).output.extend(names)))
case("input-not-omitted", at("node 0 'add'", "input 0"), weighted(), lambda m: first(m).input.__setitem__(0, ""))
case("input-not-omitted", at("node 0 'add'", "input 1"), weighted(), lambda m: first(m).input.__setitem__(1, ""))
case("input-not-omitted", at("node 0 'relu'", "input 0"), relu(), lambda m: first(m).input.__setitem__(0, ""))
case("output-not-omitted", at("node 0 'top'", "output 0"),
     model([node("TopK", ["x", "k"], ["", "y"], name="top")], [info("x", FLOAT, [4])], [info("y", INT64, [2])], [tensor("k", INT64, [1], [2])]))
case("input-variadic-named", at("node 0 'all'", "input 1"),
     model([node("Max", ["x", "", "x"], ["y"], name="all")], [info("x", FLOAT, [4])], [info("y", FLOAT, [4])]))
case("input-variadic-named", at("node 0 'all'", "input 2"),
     model([node("Concat", ["x", "x", ""], ["y"], name="all", axis=0)], [info("x", FLOAT, [4])], [info("y", FLOAT, [8])]))
case("node-has-output", at("node 1 'none'"), relu(), lambda m: m.graph.node.append(node("Relu", ["x"], [], name="none")))
case("call-input-count", at("node 0 'call'"), called(), lambda m: first(m).input.append("x"))
case("call-output-count", at("node 0 'call'"), called(), lambda m: first(m).output.append("z"))
