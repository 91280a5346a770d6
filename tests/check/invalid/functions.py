"""Faults of functions."""

from onnx import FunctionProto, helper

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

case("function-named", "function 1", called(), lambda m: m.functions.append(FunctionProto(domain="org.f", opset_import=[helper.make_opsetid("", 21)])))
case("function-domain", "function 1 'h'", called(), lambda m: m.functions.append(FunctionProto(name="h", opset_import=[helper.make_opsetid("", 21)])))
case("function-unique", "function 1 'f'", called(), lambda m: m.functions.add().CopyFrom(m.functions[0]))
case("function-not-recursive", "function 0 'f'", called(), lambda m: (m.functions[0].node[0].CopyFrom(node("f", ["a"], ["b"], name="leak", domain="org.f")), m.functions[0].opset_import.append(helper.make_opsetid("org.f", 1))))


def mutual(made):
    """f calls h, h calls f."""
    made.functions.add().CopyFrom(made.functions[0])
    made.functions[1].name = "h"
    for function, callee in zip(made.functions, "hf"):
        function.node[0].CopyFrom(node(callee, ["a"], ["b"], name="leak", domain="org.f"))
        function.opset_import.append(helper.make_opsetid("org.f", 1))


case("function-not-recursive", "function 0 'f'", called(), mutual)


def exponential(made, levels=30):
    """Each function calls the next one twice."""
    del made.functions[:]
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("org.f", 1)]
    for level in range(levels):
        name = "f" if level == 0 else f"f{level}"
        callee = f"f{level + 1}"
        nodes = [node(callee, ["a"], ["h"], name="one", domain="org.f"), node(callee, ["h"], ["b"], name="two", domain="org.f")]
        if level == levels - 1:
            nodes = [node("Relu", ["a"], ["b"], name="one")]
        made.functions.append(helper.make_function("org.f", name, ["a"], ["b"], nodes, opsets))


case("function-expansion", "model", called(), exponential)
case("function-input-unique", "function 0 'f' / input 1 'a'", called(), lambda m: m.functions[0].input.append("a"))
case("function-output-unique", "function 0 'f' / output 1 'b'", called(), lambda m: m.functions[0].output.append("b"))
case("function-attribute-unique", "function 0 'f' / attribute 1 'slope'", called(), lambda m: m.functions[0].attribute.append("slope"))
case("function-attribute-unique", "function 0 'f' / attribute 1 'other'", called(), lambda m: m.functions[0].attribute.extend(["other", "other"]))
case("function-port-named", "function 0 'f' / input 1", called(), lambda m: m.functions[0].input.append(""))
case("function-port-named", "function 0 'f' / output 1", called(), lambda m: m.functions[0].output.append(""))
case("function-value-unique", "function 0 'f' / value 1 'b'", called(), lambda m: m.functions[0].value_info.extend([info("b", FLOAT, [2, 3])] * 2))
