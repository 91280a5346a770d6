"""Faults of attributes."""

from onnx import AttributeProto

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

def fields(made, name, **values):
    """Fills further fields of an attribute."""
    own = next(a for a in first(made).attribute if a.name == name)
    for field, value_of in values.items():
        if isinstance(value_of, list):
            getattr(own, field).extend(value_of)
        else:
            setattr(own, field, value_of)


for values in ({"i": 1}, {"s": b"x"}, {"floats": [1.0]}, {"ints": [1]}, {"strings": [b"x"]}):
    case("attribute-one-value", ALPHA, unary("Elu", alpha=0.5), lambda m: fields(m, "alpha", **values))
case("attribute-one-value", ALPHA, unary("Elu", alpha=0.5), lambda m: first(m).attribute[0].t.CopyFrom(tensor("t", FLOAT, [1], [1])))


def replace(made, name, **values):
    """An attribute of these fields instead of the one there is."""
    own = next(a for a in first(made).attribute if a.name == name)
    own.CopyFrom(AttributeProto(name=name, **values))


TYPES = AttributeProto
for kind, values in ((TYPES.FLOAT, {"i": 1}), (TYPES.FLOAT, {"s": b"1"}), (TYPES.FLOAT, {"floats": [0.5]}), (TYPES.FLOAT, {"ints": [1]})):
    case("attribute-value-of-type", ALPHA, unary("Elu", alpha=0.5), lambda m: replace(m, "alpha", type=kind, **values))
case("attribute-value-of-type", at("node 0 'one'", "attribute 'axis'"), unary("Softmax", axis=1), lambda m: replace(m, "axis", type=TYPES.INT, f=1.0))
case("attribute-value-of-type", at("node 0 'pool'", "attribute 'kernel_shape'"), window(), lambda m: replace(m, "kernel_shape", type=TYPES.INTS, i=3))
case("attribute-value-of-type", at("node 0 'choice'", "attribute 'then_branch'"), branch(), lambda m: replace(m, "then_branch", type=TYPES.GRAPH))
case("attribute-value-of-type", at("node 0 'c'", "attribute 'value'"),
     model([node("Constant", [], ["y"], name="c", value=tensor("", FLOAT, [1], [1]))], [], [info("y", FLOAT, [1])]), lambda m: replace(m, "value", type=TYPES.TENSOR))
case("attribute-type-stated", ALPHA, unary("Elu", alpha=0.5), lambda m: first(m).attribute[0].ClearField("type"))
case("attribute-type-stated", at("node 0 'one'", "attribute 'axis'"), unary("Softmax", axis=1), lambda m: first(m).attribute[0].ClearField("type"))


def raw_number(made, name, number):
    """An attribute whose type is a number that the enumeration lacks, which only the bytes can say."""
    own = next(a for a in first(made).attribute if a.name == name)
    data = AttributeProto(name=name, f=0.5).SerializeToString() + bytes([160, 1, number])
    own.Clear()
    own.MergeFromString(data)


for number in (99, 15):
    case("attribute-type-known", ALPHA, unary("Elu", alpha=0.5), lambda m: raw_number(m, "alpha", number))
for kind, values in ((TYPES.INT, {"i": 1}), (TYPES.STRING, {"s": b"1"}), (TYPES.FLOATS, {"floats": [0.5]}), (TYPES.TENSORS, {}), (TYPES.GRAPHS, {}), (TYPES.TYPE_PROTOS, {}), (TYPES.SPARSE_TENSORS, {})):
    case("attribute-type-right", ALPHA, unary("Elu", alpha=0.5), lambda m: replace(m, "alpha", type=kind, **values))
case("attribute-type-right", at("node 0 'one'", "attribute 'axis'"), unary("Softmax", axis=1), lambda m: replace(m, "axis", type=TYPES.FLOAT, f=1.0))
case("attribute-type-right", at("node 0 'one'", "attribute 'axis'"), unary("Softmax", axis=1), lambda m: replace(m, "axis", type=TYPES.INTS, ints=[1]))
for name, operator in (("alpha", "Relu"), ("axis", "Sigmoid"), ("Alpha", "Elu"), ("kernel_shape", "Tanh"), ("consumed_inputs", "Abs")):
    case("attribute-declared", at("node 0 'one'", f"attribute '{name}'"), unary(operator), lambda m: first(m).attribute.append(attribute(name, 1)))
case("attribute-declared", at("node 0 'one'", "attribute 'axes'"), unary("ReduceSum", opset=21, shape=(2, 3), out=(1, 1)), lambda m: first(m).attribute.append(attribute("axes", [0])))
case("call-attribute-declared", at("node 0 'call'", "attribute 'steep'"), called(), lambda m: first(m).attribute.append(attribute("steep", 1.0)))
case("attribute-unique", ALPHA, unary("Elu", alpha=0.5), lambda m: first(m).attribute.append(attribute("alpha", 0.5)))
case("attribute-unique", ALPHA, unary("Elu", alpha=0.5), lambda m: first(m).attribute.append(attribute("alpha", 2.0)))
case("attribute-unique", at("node 0 'call'", "attribute 'slope'"), called(), lambda m: first(m).attribute.extend([attribute("slope", 0.1), attribute("slope", 0.2)]))
case("attribute-required", at("node 0 'one'"), unary("Cast", result=INT64))
case("attribute-required", at("node 0 'all'"), model([node("Concat", ["x", "x"], ["y"], name="all")], [info("x", FLOAT, [4])], [info("y", FLOAT, [8])]))
case("attribute-required", at("node 0 'choice'"), branch(), lambda m: first(m).attribute.pop())
case("attribute-required", at("node 0 'loop'"), loop(), lambda m: first(m).ClearField("attribute"))
case("attribute-required", at("node 0 'pool'"), window(), lambda m: first(m).ClearField("attribute"))
case("attribute-choice", at("node 0 'one'", "attribute 'approximate'"), unary("Gelu", approximate="cubic"))
case("attribute-choice", at("node 0 'pool'", "attribute 'auto_pad'"), window(auto_pad="SAME"))
case("attribute-choice", at("node 0 'one'", "attribute 'mode'"), unary("DepthToSpace", shape=(1, 4, 2, 2), out=(1, 1, 4, 4), blocksize=2, mode="ABC"))
case("attribute-choice", at("node 0 'pool'", "attribute 'auto_pad'"), window(auto_pad="valid"))
case("attribute-choice-not-empty", at("node 0 'one'", "attribute 'approximate'"), unary("Gelu", approximate=""))
case("attribute-choice-not-empty", at("node 0 'pool'", "attribute 'auto_pad'"), window(auto_pad=""))
case("attribute-flag", at("node 0 'one'", "attribute 'keepdims'"), unary("ReduceSum", opset=11, shape=(2, 3), out=(2, 1), axes=[1], keepdims=2))
case("attribute-flag", at("node 0 'one'", "attribute 'select_last_index'"), unary("ArgMax", shape=(2, 3), out=(1, 3), result=INT64, select_last_index=-1))
case("attribute-text", at("node 0 'c'", "attribute 'value_string'"), model([node("Constant", [], ["y"], name="c", value_string=b"\xff\xfe")], [], [info("y", STRING, [])]))
case("attribute-text", at("node 0 'c'", "attribute 'value_strings'"), model([node("Constant", [], ["y"], name="c", value_strings=[b"a", b"\xc0"])], [], [info("y", STRING, [2])]))


def refer(made, name, kind=TYPES.FLOAT, **values):
    """The attribute refers to one of a call."""
    first(made).attribute.append(AttributeProto(name=name, type=kind, ref_attr_name="slope", **values))


case("reference-in-function", ALPHA, unary("Elu"), lambda m: refer(m, "alpha"))
case("reference-in-function", at(*THEN, "node 0 'yes'", "attribute 'alpha'"), branch(),
     lambda m: held(m, "then_branch").node[0].CopyFrom(node("Elu", ["x"], ["t"], name="yes")) or held(m, "then_branch").node[0].attribute.append(AttributeProto(name="alpha", type=TYPES.FLOAT, ref_attr_name="a")))
case("reference-in-function", ALPHA, unary("Elu"), lambda m: refer(m, "alpha", f=0.5))
LEAK = "function 0 'f' / node 0 'leak' / attribute 'alpha'"
case("reference-without-value", LEAK, called(), lambda m: setattr(m.functions[0].node[0].attribute[0], "f", 0.25))
case("reference-declared", LEAK, called(), lambda m: setattr(m.functions[0].node[0].attribute[0], "ref_attr_name", "steep"))
case("reference-declared", LEAK, called(), lambda m: m.functions[0].ClearField("attribute_proto"))
case("reference-type", LEAK, called(), lambda m: m.functions[0].attribute_proto[0].CopyFrom(attribute("slope", 1)))
