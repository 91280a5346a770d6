"""Faults of types."""

from onnx import TypeProto

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

case("input-typed", at("input 0 'x'"), relu(), lambda m: m.graph.input[0].ClearField("type"))
case("input-typed", at("input 0 'x'"), relu(), lambda m: m.graph.input[0].type.CopyFrom(TypeProto()))
case("input-typed", at("input 0 'x'"), relu(), lambda m: setattr(element(m.graph.input[0]), "elem_type", 0))
case("output-typed", at("output 0 'y'"), relu(), lambda m: m.graph.output[0].ClearField("type"))
case("value-shaped", at("input 0 'x'"), relu(), lambda m: element(m.graph.input[0]).ClearField("shape"))
case("value-shaped", at("output 0 'y'"), relu(), lambda m: element(m.graph.output[0]).ClearField("shape"))
case("type-known", at("output 0 'y'"), relu(), lambda m: m.graph.output[0].type.CopyFrom(TypeProto()))
case("type-known", at("value 0 'h'"), chain(), lambda m: m.graph.value_info.add(name="h", type=TypeProto()))
case("type-known", at(*THEN, "output 0 't'"), branch(), lambda m: held(m, "then_branch").output[0].type.CopyFrom(TypeProto()))
case("type-element-stated", at("output 0 'y'"), relu(), lambda m: setattr(element(m.graph.output[0]), "elem_type", 0))
case("type-element-stated", at(*BODY, "input 2 'v'"), loop(), lambda m: setattr(element(held(m, "body").input[2]), "elem_type", 0))
for number in (29, 99, -1):
    case("type-element-known", at("input 0 'x'"), relu(), lambda m: setattr(element(m.graph.input[0]), "elem_type", number))
case("type-element-known", at("output 0 'y'"), relu(), lambda m: setattr(element(m.graph.output[0]), "elem_type", 99))
case("type-inner-stated", at("input 0 'x'"), passed(sequence_type()), lambda m: m.graph.input[0].type.sequence_type.ClearField("elem_type"))
case("type-inner-stated", at("input 0 'x'"), passed(optional_type()), lambda m: m.graph.input[0].type.optional_type.ClearField("elem_type"))

case("type-inner-stated", at("input 1 'unread'"), relu(), lambda m: (unread(m, map_type(INT64)), m.graph.input[1].type.map_type.ClearField("value_type")))
for key in (FLOAT, BOOL, FLOAT16, DOUBLE):
    case("type-map-key", at("input 1 'unread'"), relu(), lambda m: unread(m, map_type(key)))
case("type-optional-element", at("input 1 'unread'"), relu(), lambda m: unread(m, optional_type(optional_type())))
case("type-optional-element", at("input 1 'unread'"), relu(ir=14), lambda m: (unread(m, optional_type()), m.graph.input[1].type.optional_type.elem_type.opaque_type.SetInParent()))
case("type-sequence-element", at("input 1 'unread'"), relu(ir=14), lambda m: (unread(m, sequence_type()), m.graph.input[1].type.sequence_type.elem_type.opaque_type.SetInParent()))
for extent in (-1, -7, -(2**63)):
    case("dimension-not-negative", at("input 0 'x'", "dimension 0"), relu(), lambda m: setattr(element(m.graph.input[0]).shape.dim[0], "dim_value", extent))
case("dimension-not-negative", at("output 0 'y'", "dimension 1"), relu(), lambda m: setattr(element(m.graph.output[0]).shape.dim[1], "dim_value", -1))
case("dimension-name-not-empty", at("input 0 'x'", "dimension 0"), relu(), lambda m: setattr(element(m.graph.input[0]).shape.dim[0], "dim_param", ""))
case("dimension-name-not-empty", at("output 0 'y'", "dimension 1"), relu(), lambda m: setattr(element(m.graph.output[0]).shape.dim[1], "dim_param", ""))
case("value-info-unique", at("value 1 'h'"), chain(), lambda m: m.graph.value_info.extend([info("h", FLOAT, [2, 3])] * 2))
case("value-info-unique", at(*BODY, "value 1 'w2'"), loop(),
     lambda m: (held(m, "body").node.append(node("Relu", ["w"], ["w2"], name="more")), held(m, "body").value_info.extend([info("w2", FLOAT, [2])] * 2)))
case("value-info-inner", at("value 0 'x'"), relu(), lambda m: m.graph.value_info.append(info("x", FLOAT, [2, 3])))
case("value-info-inner", at("value 0 'y'"), relu(), lambda m: m.graph.value_info.append(info("y", FLOAT, [2, 3])))
case("value-info-defined", at("value 0 'q'"), relu(), lambda m: m.graph.value_info.append(info("q", FLOAT, [2, 3])))
case("value-info-defined", "function 0 'f' / value 0 'q'", called(), lambda m: m.functions[0].value_info.append(info("q", FLOAT, [2])))
case("output-unique", at("output 1 'y'"), relu(), lambda m: m.graph.output.append(info("y", FLOAT, [2, 3])))
case("input-output-type", at("output 1 'x'"), relu(), lambda m: m.graph.output.append(info("x", INT64, [2, 3])))
case("denotation-type-known", at("input 0 'x'"), relu(), lambda m: setattr(m.graph.input[0].type, "denotation", "PICTURE"))
case("denotation-type-known", at("output 0 'y'"), relu(), lambda m: setattr(m.graph.output[0].type, "denotation", "image"))
case("denotation-dimension-known", at("input 0 'x'", "dimension 0"), relu(), lambda m: setattr(element(m.graph.input[0]).shape.dim[0], "denotation", "BATCH"))
