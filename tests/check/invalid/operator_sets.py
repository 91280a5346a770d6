"""Faults of operator sets."""

from onnx import helper

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

def imports(made, *pairs):
    del made.opset_import[:]
    made.opset_import.extend(helper.make_opsetid(domain, version) for domain, version in pairs)


case("opset-default-imported", at("node 0 'relu'"), relu(), lambda m: imports(m, ("ai.onnx.ml", 3)))
case("opset-none-imported", "model", relu(), imports)
case("opset-imported", at("node 0 'relu'"), relu(), lambda m: setattr(first(m), "domain", "org.unknown"))
case("opset-imported", at("node 0 'relu'"), relu(), lambda m: setattr(first(m), "domain", "ai.onnx.ml"))
case("opset-function-imported", at("node 0 'call'"), called(), lambda m: imports(m, ("", 21)))
case("opset-import-unique", "import 1 'ai.onnx'", relu(), lambda m: imports(m, ("", 21), ("", 13)))
case("opset-import-unique", "import 1 'ai.onnx'", relu(), lambda m: imports(m, ("", 13), ("ai.onnx", 21)))
case("opset-import-unique", "import 2 'ai.onnx.ml'", relu(), lambda m: imports(m, ("ai.onnx.ml", 3), ("", 21), ("ai.onnx.ml", 3)))
case("opset-import-unique", "function 0 'f' / import 1 'ai.onnx'", called(), lambda m: m.functions[0].opset_import.append(helper.make_opsetid("", 20)))
case("opset-version-positive", "import 0 'ai.onnx'", relu(), lambda m: imports(m, ("", 0)))
case("opset-version-positive", "import 1 'ai.onnx.ml'", relu(), lambda m: imports(m, ("", 21), ("ai.onnx.ml", -3)))
case("opset-version-exists", "import 0 'ai.onnx'", relu(), lambda m: imports(m, ("", 99)))
case("opset-version-exists", "import 1 'ai.onnx.ml'", relu(), lambda m: imports(m, ("", 21), ("ai.onnx.ml", 50)))
case("opset-domain-known", "import 1 'org.unknown'", relu(), lambda m: imports(m, ("", 21), ("org.unknown", 1)))
case("opset-function-own", "function 0 'f' / node 0 'leak'", called(), lambda m: m.functions[0].ClearField("opset_import"))
case("opset-function-compatible", "function 0 'f' / node 0 'leak'", called(), lambda m: setattr(m.functions[0].opset_import[0], "version", 15))
case("operator-exists", at("node 0 'relu'"), relu(), lambda m: setattr(first(m), "op_type", "Rectify"))
case("operator-exists", at("node 0 'relu'"), relu(), lambda m: setattr(first(m), "op_type", "relu"))
case("operator-exists", at("node 0 'one'"), unary("Gelu", opset=19))
case("operator-exists", at("node 0 'one'"), unary("Mish", opset=17))
case("operator-exists", at("node 0 'one'"), unary("HardSwish", opset=13))
case("operator-exists", at("node 0 'one'"), unary("Swish", opset=23))
case("operator-not-removed", at("node 0 'one'"), unary("Upsample", opset=10, shape=(1, 1, 2, 2)), lambda m: (first(m).input.append("s"), m.graph.initializer.append(tensor("s", FLOAT, [4], [1, 1, 1, 1]))))
case("operator-not-withdrawn", at("node 0 'one'"),
     model([node("GroupNormalization", ["x", "s", "s"], ["y"], name="one", num_groups=2)], [info("x", FLOAT, [1, 4, 2])], [info("y", FLOAT, [1, 4, 2])],
           [tensor("s", FLOAT, [2], [1, 1])], opset=18))
case("operator-no-overload", at("node 0 'relu'"), relu(), lambda m: setattr(first(m), "overload", "fast"))
case("function-not-standard", "function 0 'Relu'", called(), lambda m: (setattr(m.functions[0], "name", "Relu"), setattr(m.functions[0], "domain", "ai.onnx"), imports(m, ("", 21)), first(m).CopyFrom(node("Relu", ["x"], ["y"], name="call"))))
