"""Models that break one rule each: `case(rule, place, model, change)`, where the change makes the fault.

The rule's row cites the document and section (`onnxc check --list-rules`).
"""

import hashlib
import os
from copy import deepcopy
from dataclasses import dataclass

from onnx import AttributeProto, FunctionProto, SparseTensorProto, TensorProto, TypeProto, helper

from models import *  # noqa: F403

G = "graph 'g'"
CASES = []
# for each rule a model that keeps it, though little is missing
NEAR = {}


@dataclass
class Case:
    """A model with a fault, and the expected finding. `beside(folder)` writes the files next to the model; an operator set that
    the model is given is called `set.onnx`."""

    name: str
    rule: str
    place: str
    model: object
    beside: object = None


def case(rule, place, made, change=None, beside=None, near=None):
    """A line of the table. What the fault is made in is the model near it that keeps the rule."""
    if change is not None:
        near = near or deepcopy(made)
        change(made)
    if near is not None and rule not in NEAR:
        keep(rule, near, beside)
    number = 1 + sum(known.rule == rule for known in CASES)
    CASES.append(Case(f"{rule}-{number}", rule, place, made, beside))


def keep(rule, made, beside=None):
    """A model that keeps a rule, though little is missing."""
    NEAR[rule] = Case(rule, rule, "", made, beside)


def at(*steps):
    """A place in the main graph."""
    return " / ".join((G, *steps))


def first(made):
    """The first node, the only one in most models."""
    return made.graph.node[0]


def held(made, name):
    """The graph of an attribute of the first node."""
    return next(a for a in first(made).attribute if a.name == name).g


# ---- models

for damaged in (b"", b"hello, world", bytes(64), b"\x08\x0a", relu().SerializeToString()[:-20]):
    case("file-readable", "model", damaged)

for version in (0, -1, 15, 99):
    case("model-ir-version", "model", relu(), lambda m: setattr(m, "ir_version", version))
for domain in ("", "example", "org..example", ".org", "org.", "1org.example", "org.ex ample", "http://example.org"):
    case("model-domain", "model", relu(), lambda m: setattr(m, "domain", domain))
case("model-producer", "model", relu(), lambda m: m.ClearField("producer_name"))
for count, keys in enumerate((["a", "a"], ["a", "b", "a"], ["model_author", "model_author"])):
    made = relu()
    for key in keys:
        made.metadata_props.add(key=key, value="v")
    case("metadata-key-unique", f"metadata {len(keys) - 1} '{keys[-1]}'", made)
case("metadata-key-unique", at("metadata 1 'k'"), relu(),
     lambda m: [m.graph.metadata_props.add(key="k", value=v) for v in "ab"])
case("metadata-key-unique", at("node 0 'relu'", "metadata 1 'k'"), relu(),
     lambda m: [first(m).metadata_props.add(key="k", value=v) for v in "ab"])
case("metadata-key-unique", at("input 0 'x'", "metadata 1 'k'"), relu(),
     lambda m: [m.graph.input[0].metadata_props.add(key="k", value=v) for v in "ab"])
case("metadata-key-unique", at("initializer 0 'w'", "metadata 1 'k'"), weighted(),
     lambda m: [m.graph.initializer[0].metadata_props.add(key="k", value=v) for v in "ab"])
case("metadata-key-unique", "function 0 'f' / metadata 1 'k'", called(),
     lambda m: [m.functions[0].metadata_props.add(key="k", value=v) for v in "ab"])
case("metadata-key-named", "metadata 0", relu(), lambda m: m.metadata_props.add(key="", value="v"))
case("metadata-key-named", at("metadata 0"), relu(), lambda m: m.graph.metadata_props.add(key="", value="v"))
for text in ("<b>bold</b>", "see <a href='x'>this</a>", "one<br>two", "<TABLE><tr></tr></TABLE>", "<script>x</script>"):
    case("documentation-markdown", "model", relu(), lambda m: setattr(m, "doc_string", text))
case("documentation-markdown", G, relu(), lambda m: setattr(m.graph, "doc_string", "<p>text</p>"))
case("documentation-markdown", at("node 0 'relu'"), relu(), lambda m: setattr(first(m), "doc_string", "<i>text</i>"))
case("documentation-markdown", at("input 0 'x'"), relu(), lambda m: setattr(m.graph.input[0], "doc_string", "<em>x</em>"))

# ---- names

for bad in ("1x", "a b", "a-b", "a/b", "a:0", "a.b", "ä"):
    case("names-identifier", at(f"node 0 '{bad}'"), relu(), lambda m: setattr(first(m), "name", bad))


def rename(made, old, new):
    """Gives a value of the main graph another name."""
    for one in made.graph.node:
        one.input[:] = [new if name == old else name for name in one.input]
        one.output[:] = [new if name == old else name for name in one.output]
    for port in [*made.graph.input, *made.graph.output, *made.graph.initializer]:
        port.name = new if port.name == old else port.name


case("names-identifier", at("input 0 'x.1'"), relu(), lambda m: rename(m, "x", "x.1"))
case("names-identifier", at("node 0 'relu'", "output 0 '7'"), relu(), lambda m: rename(m, "y", "7"))
case("names-identifier", at("initializer 0 'w:0'"), weighted(), lambda m: rename(m, "w", "w:0"))
case("names-identifier", "graph 'main graph'", relu(), lambda m: setattr(m.graph, "name", "main graph"))
case("names-identifier", "function 0 'f-1'", called(),
     lambda m: (setattr(m.functions[0], "name", "f-1"), setattr(first(m), "op_type", "f-1")))
for bad in ("?", "0", "batch-size", "*", "a+b", "N 1"):
    case("names-identifier", at("input 0 'x'", f"dimension 0 '{bad}'"), relu(),
         lambda m: setattr(m.graph.input[0].type.tensor_type.shape.dim[0], "dim_param", bad))
case("names-identifier", at("node 0 'choice'", "attribute 'then_branch'", "graph 'a b'"), branch(),
     lambda m: setattr(held(m, "then_branch"), "name", "a b"))
case("graph-named", "graph ''", relu(), lambda m: setattr(m.graph, "name", ""))


THEN = "node 0 'choice'", "attribute 'then_branch'", "graph 'then'"
ELSE = "node 0 'choice'", "attribute 'else_branch'", "graph 'else'"
BODY = "node 0 'loop'", "attribute 'body'", "graph 'body'"

case("graph-named", at("node 0 'loop'", "attribute 'body'", "graph ''"), loop(), lambda m: setattr(held(m, "body"), "name", ""))
case("graph-named", at("node 0 'choice'", "attribute 'then_branch'", "graph ''"), branch(),
     lambda m: setattr(held(m, "then_branch"), "name", ""))
case("graph-name-unique", at("node 0 'loop'", "attribute 'body'", G), loop(), lambda m: setattr(held(m, "body"), "name", "g"))
case("graph-name-unique", at("node 0 'scan'", "attribute 'body'", G), scan(), lambda m: setattr(held(m, "body"), "name", "g"))
case("graph-name-unique", at("node 0 'choice'", "attribute 'then_branch'", "graph 'else'"), branch(),
     lambda m: (setattr(held(m, "then_branch"), "name", "else")))
case("node-name-unique", at("node 1 'first'"), chain(), lambda m: setattr(m.graph.node[1], "name", "first"))
case("node-name-unique", at(*BODY, "node 2 'double'"), loop(), lambda m: setattr(held(m, "body").node[2], "name", "double"))
case("value-named", at("input 0"), weighted(), lambda m: m.graph.input.insert(0, info("", FLOAT, [1])))
case("value-named", at("value 0"), chain(), lambda m: m.graph.value_info.append(info("", FLOAT, [2, 3])))
case("value-named", at("output 1"), relu(), lambda m: m.graph.output.append(info("", FLOAT, [2])))
case("value-named", at(*BODY, "value 0"), loop(), lambda m: held(m, "body").value_info.append(info("", FLOAT, [2])))
case("initializer-named", at("initializer 1"), weighted(), lambda m: m.graph.initializer.append(tensor("", FLOAT, [1], [1])))
case("initializer-named", at("sparse initializer 1 / values"), sparse(),
     lambda m: (m.graph.sparse_initializer.add().CopyFrom(m.graph.sparse_initializer[0]),
                setattr(m.graph.sparse_initializer[1].values, "name", "")))
case("node-operator-named", at("node 0 'relu'"), relu(), lambda m: setattr(first(m), "op_type", ""))
case("node-operator-named", at(*THEN, "node 0 'yes'"), branch(), lambda m: setattr(held(m, "then_branch").node[0], "op_type", ""))
case("input-unique", at("input 1 'x'"), relu(), lambda m: m.graph.input.append(info("x", FLOAT, [2, 3])))
case("input-unique", at("input 1 'x'"), relu(), lambda m: m.graph.input.append(info("x", INT64, [4])))
case("initializer-unique", at("initializer 1 'w'"), weighted(), lambda m: m.graph.initializer.append(tensor("w", FLOAT, [3], [4, 5, 6])))
case("initializer-unique", at("sparse initializer 1 'w'"), sparse(),
     lambda m: m.graph.sparse_initializer.add().CopyFrom(m.graph.sparse_initializer[0]))
case("initializer-unique", at("sparse initializer 0 'w'"), sparse(),
     lambda m: m.graph.initializer.append(tensor("w", FLOAT, [3, 4], [0.0] * 12)))
case("value-assigned-once", at("node 1 'second'", "output 0 'y'"), chain(),
     lambda m: (first(m).output.__setitem__(0, "y"), m.graph.node[1].input.__setitem__(0, "x")))
case("value-assigned-once", at("node 0 'relu'", "output 0 'x'"), relu(),
     lambda m: (first(m).output.__setitem__(0, "x"), setattr(m.graph.output[0], "name", "x")))
case("value-assigned-once", at("node 0 'add'", "output 0 'w'"), weighted(),
     lambda m: (first(m).output.__setitem__(0, "w"), setattr(m.graph.output[0], "name", "w")))
case("value-assigned-once", at("node 0 'split'", "output 1 'y'"),
     model([node("Split", ["x"], ["y", "y"], name="split", num_outputs=2)], [info("x", FLOAT, [4])], [info("y", FLOAT, [2])]))
case("value-assigned-once", "function 0 'f' / node 1 'again' / output 0 'b'", called(),
     lambda m: m.functions[0].node.append(node("Relu", ["a"], ["b"], name="again")))
case("value-assigned-once", at(*THEN, "node 1 'again'", "output 0 't'"), branch(),
     lambda m: held(m, "then_branch").node.append(node("Relu", ["x"], ["t"], name="again")))
case("attribute-name-distinct", at("node 0 'one'", "attribute 'alpha'"), unary("Elu", alpha=0.5), lambda m: rename(m, "x", "alpha"))
case("attribute-name-distinct", at("node 0 'one'", "attribute 'axis'"), unary("Softmax", axis=1), lambda m: rename(m, "y", "axis"))
case("attribute-named", at("node 0 'relu'", "attribute"), relu(), lambda m: first(m).attribute.add(type=AttributeProto.INT, i=1))

# ---- scopes

case("read-defined", at("node 0 'relu'", "input 0 'q'"), relu(), lambda m: first(m).input.__setitem__(0, "q"))
case("read-defined", at("node 0 'add'", "input 1 'q'"), weighted(), lambda m: first(m).input.__setitem__(1, "q"))
case("read-defined", at(*THEN, "node 0 'yes'", "input 0 'q'"), branch(), lambda m: held(m, "then_branch").node[0].input.__setitem__(0, "q"))
case("read-defined", at(*ELSE, "node 0 'no'", "input 0 't'"), branch(), lambda m: held(m, "else_branch").node[0].input.__setitem__(0, "t"))
case("read-defined", at("node 1 'out'", "input 0 'each'"), loop(),
     lambda m: m.graph.node.append(node("Relu", ["each"], ["z"], name="out")))
case("read-defined", "function 0 'f' / node 0 'leak' / input 0 'x'", called(), lambda m: m.functions[0].node[0].input.__setitem__(0, "x"))
case("output-defined", at("output 0 'z'"), relu(), lambda m: setattr(m.graph.output[0], "name", "z"))
case("output-defined", at("output 1 'z'"), relu(), lambda m: m.graph.output.append(info("z", FLOAT, [1])))
case("output-defined", at(*THEN, "output 0 'z'"), branch(), lambda m: setattr(held(m, "then_branch").output[0], "name", "z"))
case("output-defined", "function 0 'f' / output 0 'z'", called(), lambda m: m.functions[0].output.__setitem__(0, "z"))
case("output-defined", at("output 2 'each'"), loop(), lambda m: m.graph.output.append(info("each", FLOAT, [2])))
case("nodes-acyclic", at("node 0 'first'"), chain(), lambda m: first(m).input.__setitem__(0, "y"))
case("nodes-acyclic", at("node 0 'relu'"), relu(), lambda m: first(m).input.__setitem__(0, "y"))
case("nodes-acyclic", at(*BODY, "node 1 'double'"), loop(),
     lambda m: held(m, "body").node[1].input.__setitem__(0, "each"))
case("nodes-acyclic", "function 0 'f' / node 0 'leak'", called(), lambda m: m.functions[0].node[0].input.__setitem__(0, "b"))
case("nodes-acyclic", at("node 0 'choice'"), branch(),
     lambda m: held(m, "then_branch").node[0].input.__setitem__(0, "y"))


def swap(nodes):
    """The first two nodes change places."""
    one, two = type(nodes[0])(), type(nodes[0])()
    one.CopyFrom(nodes[0]), two.CopyFrom(nodes[1])
    nodes[0].CopyFrom(two), nodes[1].CopyFrom(one)


case("nodes-in-order", at("node 0 'second'"), chain(), lambda m: swap(m.graph.node))
case("nodes-in-order", at("node 0 'both'"),
     model([node("Add", ["h", "x"], ["y"], name="both"), node("Relu", ["x"], ["h"], name="h")], [info("x", FLOAT, [2])], [info("y", FLOAT, [2])]))
case("nodes-in-order", at(*BODY, "node 1 'copy'"), loop(),
     lambda m: (lambda n: (n[1].CopyFrom(node("Identity", ["w"], ["each"], name="copy")), n[2].CopyFrom(node("Add", ["v", "v"], ["w"], name="double"))))(held(m, "body").node))


def shadow(made, name, values, new):
    """A value inside a graph gets the name of one around it."""
    inner = held(made, name)
    for one in inner.node:
        one.input[:] = [new if n == values else n for n in one.input]
        one.output[:] = [new if n == values else n for n in one.output]
    for port in [*inner.input, *inner.output, *inner.initializer]:
        port.name = new if port.name == values else port.name


case("scope-no-shadow", at(*THEN, "node 0 'yes'", "output 0 'c'"), branch(), lambda m: shadow(m, "then_branch", "t", "c"))
case("scope-no-shadow", at(*BODY, "input 2 'x'"), loop(), lambda m: shadow(m, "body", "v", "x"))
case("scope-no-shadow", at(*BODY, "node 1 'double'", "output 0 'n'"), loop(), lambda m: shadow(m, "body", "w", "n"))
case("scope-no-shadow", at(*THEN, "initializer 0 'c'"), branch(),
     lambda m: held(m, "then_branch").initializer.append(tensor("c", FLOAT, [1], [1])))
case("scope-no-shadow", at(*THEN, "sparse initializer 0 'c'"), branch(),
     lambda m: held(m, "then_branch").sparse_initializer.append(helper.make_sparse_tensor(tensor("c", FLOAT, [1], [1]), tensor("i", INT64, [1], [0]), [2])))

# ---- types


def element(port):
    return port.type.tensor_type


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


def map_type(key, made=None):
    result = TypeProto()
    result.map_type.key_type = key
    result.map_type.value_type.CopyFrom(made or tensor_type())
    return result


def unread(made, type_proto):
    """An unused input, of any type."""
    made.graph.input.append(value("unread", of=type_proto))


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

# ---- operator sets


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

# ---- inputs and outputs of nodes

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

# ---- attributes


def fields(made, name, **values):
    """Fills further fields of an attribute."""
    own = next(a for a in first(made).attribute if a.name == name)
    for field, value_of in values.items():
        if isinstance(value_of, list):
            getattr(own, field).extend(value_of)
        else:
            setattr(own, field, value_of)


ALPHA = at("node 0 'one'", "attribute 'alpha'")
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

# ---- values of attributes

for bad in ([0, 1], [1, 0], [-1, 1]):
    case("stride-positive", at("node 0 'pool'", "attribute 'strides'"), window(strides=bad))
case("stride-positive", at("node 0 'conv'", "attribute 'strides'"), convolution(strides=[0, 0]))
for bad in ([0, 1], [1, -1], [-2, -2]):
    case("dilation-positive", at("node 0 'pool'", "attribute 'dilations'"), window(dilations=bad))
case("dilation-positive", at("node 0 'conv'", "attribute 'dilations'"), convolution(dilations=[1, 0]))
for bad in ([0, 3], [3, -3]):
    case("kernel-positive", at("node 0 'pool'", "attribute 'kernel_shape'"), window(kernel_shape=bad))
for bad in (0, -1):
    case("group-positive", at("node 0 'conv'", "attribute 'group'"), convolution(group=bad))
    case("block-positive", at("node 0 'one'", "attribute 'blocksize'"), unary("DepthToSpace", shape=(1, 4, 2, 2), blocksize=bad))
    case("block-positive", at("node 0 'one'", "attribute 'blocksize'"), unary("SpaceToDepth", shape=(1, 4, 2, 2), blocksize=bad))
case("pads-not-negative", at("node 0 'pool'"), window(out=(1, 1, 3, 4), pads=[-1, 0, 0, 0]))
case("pads-not-negative", at("node 0 'conv'"), convolution(pads=[0, 0, -1, -1]), lambda m: m.graph.output[0].CopyFrom(info("y", FLOAT, [1, 1, 3, 3])))
case("pads-or-auto", at("node 0 'pool'"), window(out=(1, 1, 6, 6), auto_pad="SAME_UPPER", pads=[1, 1, 1, 1]))
case("pads-or-auto", at("node 0 'conv'"), convolution(auto_pad="VALID", pads=[1, 1, 1, 1]))
for bad in ([0, 0], [1, 2], [0, 2], [-1, 0]):
    case("permutation", at("node 0 'one'", "attribute 'perm'"), unary("Transpose", perm=bad))
case("axes-unique", at("node 0 'one'", "attribute 'axes'"), unary("ReduceSum", opset=11, out=(1, 3), axes=[0, 0]))
case("axes-unique", at("node 0 'one'", "attribute 'axes'"), unary("Unsqueeze", opset=11, out=(1, 2, 3), axes=[0, 0]))
for bad in (99, 0, 29, -1):
    case("element-type-known", at("node 0 'one'", "attribute 'to'"), unary("Cast", to=bad))
case("element-type-known", at("node 0 'one'", "attribute 'dtype'"), unary("EyeLike", dtype=99))
case("constant-one-value", at("node 0 'c'"), model([node("Constant", [], ["y"], name="c", value_int=1, value_float=2.0)], [], [info("y", INT64, [])]))
case("constant-one-value", at("node 0 'c'"), model([node("Constant", [], ["y"], name="c")], [], [info("y", INT64, [])]))


def normalisation(outputs, training=0):
    names = ["scale", "bias", "mean", "var"]
    one = node("BatchNormalization", ["x", *names], outputs, name="norm", training_mode=training)
    ports = [info(name, FLOAT, [3] if name else None) for name in outputs if name]
    ports[0] = info("y", FLOAT, [2, 3])
    return model([one], [info("x", FLOAT, [2, 3])], ports, [tensor(n, FLOAT, [3], [1, 1, 1]) for n in names])


case("output-computed", at("node 0 'norm'"), normalisation(["y", "m", "v"]))
case("output-computed", at("node 0 'norm'"), normalisation(["y", "m"]))

# ---- types and shapes of nodes

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

# ---- functions

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

# ---- initializers

case("initializer-is-input", at("initializer 0 'w'"), weighted(ir=3))


def also_input(made, element_type=FLOAT, shape=(3,)):
    made.graph.input.append(info("w", element_type, shape))


for kind in (DOUBLE, INT64, BOOL):
    case("initializer-type", at("initializer 0 'w'"), weighted(), lambda m: also_input(m, kind))
for shape in ([4], [1, 3], []):
    case("initializer-shape", at("initializer 0 'w'"), weighted(), lambda m: also_input(m, shape=shape))


def inner_default(made, at_front=False):
    """An input of a body that is an initializer there, too."""
    body = held(made, "body")
    body.initializer.append(tensor("k", FLOAT, [2], [1, 1]))
    body.input.insert(0 if at_front else len(body.input), info("k", FLOAT, [2]))


case("initializer-not-subgraph-input", at(*BODY, "initializer 0 'k'"), loop(), inner_default)
case("initializer-input-last", at(*BODY, "input 0 'k'"), loop(ir=3, opset=11), lambda m: inner_default(m, True))

# ---- tensors

W = at("initializer 0 'w'")
for number in (0, 29, 99, -1):
    case("tensor-type-known", W, weighted(), lambda m: setattr(m.graph.initializer[0], "data_type", number))
case("tensor-extent-not-negative", W, weighted(), lambda m: m.graph.initializer[0].dims.__setitem__(0, -1))
case("tensor-extent-not-negative", W, constant_of(FLOAT, [-2, -1], shape=[2, 1], float_data=[1, 2]))
case("tensor-size", W, constant_of(FLOAT, [2**40, 2**40], float_data=[1]))
case("tensor-size", W, constant_of(FLOAT, [2**62, 2**62, 4], float_data=[1]))
for extra in ({"raw_data": b"\0" * 8}, {"int32_data": [1, 2]}, {"int64_data": [1, 2]}, {"double_data": [1, 2]}, {"uint64_data": [1]}, {"string_data": [b"a"]}):
    case("tensor-one-field", W, constant_of(FLOAT, float_data=[1, 2], **extra))
for kind, values in (
    (FLOAT, {"double_data": [1, 2]}), (FLOAT, {"int32_data": [1, 2]}), (DOUBLE, {"float_data": [1, 2]}), (INT64, {"int32_data": [1, 2]}),
    (INT32, {"int64_data": [1, 2]}), (TensorProto.UINT8, {"uint64_data": [1, 2]}), (TensorProto.UINT32, {"int32_data": [1, 2]}),
    (STRING, {"raw_data": b"ab"}), (BOOL, {"int64_data": [1, 0]}), (FLOAT16, {"float_data": [1, 2]}), (TensorProto.UINT64, {"int64_data": [1, 2]}),
):
    case("tensor-field-of-type", W, constant_of(kind, **values))
for kind, dims, values in (
    (FLOAT, [2], {"float_data": [1]}), (FLOAT, [2], {"float_data": [1, 2, 3]}), (FLOAT, [2], {}), (FLOAT, [], {}), (FLOAT, [2], {"raw_data": b"\0" * 7}),
    (FLOAT, [2], {"raw_data": b"\0" * 12}), (FLOAT, [0], {"float_data": [1]}), (INT64, [2, 2], {"int64_data": [1, 2]}), (STRING, [2], {"string_data": [b"a"]}),
    (TensorProto.INT4, [3], {"int32_data": [1]}), (TensorProto.INT4, [4], {"raw_data": b"abc"}), (TensorProto.COMPLEX64, [2], {"float_data": [1, 2]}), (BOOL, [3], {"raw_data": b"\0\1"}),
):
    case("tensor-count", W, constant_of(kind, dims, **values))
for kind, bad in (
    (TensorProto.INT8, 300), (TensorProto.INT8, -129), (TensorProto.UINT8, -1), (TensorProto.UINT8, 256), (TensorProto.INT16, 40000), (TensorProto.UINT16, 65536),
    (TensorProto.UINT16, -1), (FLOAT16, 1 << 17), (TensorProto.BFLOAT16, -1), (BOOL, 2), (BOOL, 256), (BOOL, -1), (TensorProto.FLOAT8E4M3FN, 256), (TensorProto.FLOAT8E5M2, -1),
):
    case("tensor-value-range", W, constant_of(kind, int32_data=[0, bad]))
case("tensor-value-range", W, constant_of(TensorProto.UINT32, uint64_data=[0, 1 << 32]))
case("tensor-value-range", W, constant_of(TensorProto.UINT32, uint64_data=[(1 << 64) - 1, 0]))
case("tensor-value-range", W, constant_of(TensorProto.UINT4, [4], int32_data=[0, 256]))
for bad in (b"\x00\x02", b"\xff\x01", b"\x01\x80"):
    case("tensor-bool", W, constant_of(BOOL, raw_data=bad))
for bad in (b"\xff\xfe", b"\xc3\x28"):
    case("tensor-text", W, constant_of(STRING, string_data=[b"a", bad]))
case("tensor-text-plain", W, constant_of(STRING, string_data=[b"\xef\xbb\xbfa", b"b"]))
case("tensor-text-plain", W, constant_of(STRING, string_data=[b"a", b"b\0"]))
for begin, end in ((0, 2), (0, 1), (2, 4)):
    case("tensor-whole", W, constant_of(FLOAT, float_data=[1, 2], segment=TensorProto.Segment(begin=begin, end=end)))


def location_number(made, number):
    """A location that the enumeration lacks, which only the bytes can say."""
    own = made.graph.initializer[0]
    data = own.SerializeToString() + bytes([112, number])
    own.Clear()
    own.MergeFromString(data)


case("tensor-location-known", W, weighted(), lambda m: location_number(m, 2))
C = at("node 0 'c'", "attribute 'value'", "tensor 't'")
CONSTANT = lambda value_of: model([node("Constant", [], ["y"], name="c", value=value_of)], [], [info("y", value_of.data_type, list(value_of.dims))])  # noqa: E731
case("tensor-count", C, CONSTANT(TensorProto(name="t", data_type=FLOAT, dims=[3], float_data=[1])))
case("tensor-value-range", C, CONSTANT(TensorProto(name="t", data_type=TensorProto.INT8, dims=[1], int32_data=[300])))
case("tensor-field-of-type", C, CONSTANT(TensorProto(name="t", data_type=INT64, dims=[1], int32_data=[3])))
case("tensor-padding", W, constant_of(28, [2], ir=14, opset=25, raw_data=b"\x01\xf0"))
case("tensor-padding", W, constant_of(27, [1], ir=14, opset=25, raw_data=b"\xc1"))

# ---- external data


def data(folder):
    (folder / "data.bin").write_bytes(bytes(8192))


def pipe(folder):
    os.mkfifo(folder / "data.bin")


def link(folder):
    (folder / "data.bin").symlink_to("/etc/hostname")


case("external-location", W, external(location=None), beside=data)
case("external-location", W, external(location=""), beside=data)
for bad in ("../data.bin", "/tmp/data.bin", "a/../../data.bin", "..\\\\data.bin"):
    case("external-inside-folder", W, external(location=bad), beside=data)
case("external-inside-folder", W, external(), beside=link)
case("external-file", W, external())
case("external-file", W, external(location="missing/data.bin"), beside=data)
case("external-file", W, external(location="."), beside=data)
case("external-file", W, external(), beside=pipe)
case("external-file", W, external(), beside=lambda folder: (folder / "data.bin").mkdir())
for bad in ("-4", "x", "", "1.5", "0x10", "99999999999999999999"):
    case("external-number", W, external(offset=bad), beside=data)
    if bad:
        case("external-number", W, external(length=bad), beside=data)
for bad in (0, 11, 13, 8192):
    case("external-length", W, external(length=bad), beside=data)
for bad in (8184, 8192, 1 << 40, (1 << 63) - 1):
    case("external-range", W, external(offset=bad), beside=data)
case("external-range", W, external(), beside=lambda folder: (folder / "data.bin").write_bytes(b""))
for bad in ("0" * 40, "garbage", "", "da39a3ee5e6b4b0d3255bfef95601890afd80709"):
    case("external-checksum", W, external(checksum=bad), beside=data)
case("external-key-unique", W, external(offset=0, key="offset"), beside=data)
case("external-key-unique", W, external(key="location"), beside=data)
case("external-key-known", W, external(key="size"), beside=data)
case("external-key-known", W, external(key="Offset"), beside=data)
case("external-alone", W, external(), lambda m: m.graph.initializer[0].float_data.extend([1, 2, 3]), beside=data)
case("external-alone", W, external(), lambda m: setattr(m.graph.initializer[0], "raw_data", bytes(12)), beside=data)
case("external-no-text", W, constant_of(STRING, data_location=TensorProto.EXTERNAL), lambda m: m.graph.initializer[0].external_data.add(key="location", value="data.bin"), beside=data)
case("external-stated", W, weighted(), lambda m: m.graph.initializer[0].external_data.add(key="location", value="data.bin"))
case("external-aligned", W, constant_of(FLOAT, [1024], data_location=TensorProto.EXTERNAL),
     lambda m: [m.graph.initializer[0].external_data.add(key=k, value=v) for k, v in (("location", "data.bin"), ("offset", "64"))], beside=data)

# ---- sparse tensors

S = at("sparse initializer 0 'w'")
case("sparse-complete", S, sparse(), lambda m: m.graph.sparse_initializer[0].ClearField("indices"))
for bad in ([], [0, 4], [-3, 4]):
    case("sparse-extents", S, sparse(), lambda m: (m.graph.sparse_initializer[0].ClearField("dims"), m.graph.sparse_initializer[0].dims.extend(bad)))
case("sparse-size", S, sparse(), lambda m: (m.graph.sparse_initializer[0].dims.__setitem__(0, 1 << 40)))
case("sparse-size", S, sparse(), lambda m: (m.graph.sparse_initializer[0].ClearField("dims"), m.graph.sparse_initializer[0].dims.extend([1 << 62, 1 << 62])))
case("sparse-values-rank", S, sparse(), lambda m: m.graph.sparse_initializer[0].values.dims.append(1))
case("sparse-values-rank", S, sparse(values=(1.0,), indices=(1,)), lambda m: m.graph.sparse_initializer[0].values.ClearField("dims"))
case("sparse-index-type", S, sparse(), lambda m: m.graph.sparse_initializer[0].indices.CopyFrom(tensor("", INT32, [2], [1, 7])))
case("sparse-index-type", S, sparse(), lambda m: m.graph.sparse_initializer[0].indices.CopyFrom(tensor("", FLOAT, [2], [1, 7])))
case("sparse-index-shape", S, sparse(indices=(1, 5, 7), shape=[3]))
case("sparse-index-shape", S, sparse(indices=(0, 1, 1, 1, 2, 2), shape=[2, 3]))
case("sparse-index-shape", S, sparse(indices=(1, 7), shape=[1, 2, 1]))
for bad in ((1, 12), (-1, 7), (1, 1 << 40)):
    case("sparse-index-range", S, sparse(indices=bad))
for bad in ((0, 1, 1, 4), (0, 1, 3, 0), (-1, 1, 2, 2)):
    case("sparse-index-range", S, sparse(indices=bad, shape=[2, 2]))
case("sparse-index-unique", S, sparse(indices=(7, 7)))
case("sparse-index-unique", S, sparse(indices=(1, 2, 1, 2), shape=[2, 2]))
case("sparse-index-order", S, sparse(indices=(7, 1)))
case("sparse-index-order", S, sparse(indices=(2, 0, 1, 3), shape=[2, 2]))
case("sparse-index-order", S, sparse(indices=(1, 3, 1, 0), shape=[2, 2]))

# ---- quantization

case("quantization-tensor", at("annotation 0 'q'"), quantized("q"))
case("quantization-tensor", at("annotation 0"), quantized(""))
case("quantization-unique", at("annotation 1 'x'"), quantized(), lambda m: m.graph.quantization_annotation.add(tensor_name="x"))
case("quantization-key", at("annotation 0 'x'", "key 'SCALE'"), quantized(SCALE="w"))
case("quantization-key", at("annotation 0 'x'", "key 'AXIS'"), quantized(AXIS="w"))
case("quantization-key-unique", at("annotation 0 'x'", "key 'SCALE_TENSOR'"), quantized(),
     lambda m: m.graph.quantization_annotation[0].quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="w"))
case("quantization-parameter", at("annotation 0 'x'", "key 'SCALE_TENSOR'"), quantized(SCALE_TENSOR="q"))
case("quantization-parameter", at("annotation 0 'x'", "key 'ZERO_POINT_TENSOR'"), quantized(SCALE_TENSOR="w", ZERO_POINT_TENSOR=""))

# ---- devices


def spec(made):
    return first(made).device_configurations[0].sharding_spec[0]


NODE_DEVICE = at("node 0 'relu'", "device configuration 0 'pair'", "tensor 0 'x'")
case("device-named", "configuration 1", devices(), lambda m: m.configuration.add(num_devices=1))
case("device-unique", "configuration 1 'pair'", devices(), lambda m: m.configuration.add(name="pair", num_devices=2))
for bad in (0, -1):
    case("device-count", "configuration 1 'none'", devices(), lambda m: m.configuration.add(name="none", num_devices=bad))
case("device-names", "configuration 0 'pair'", devices(), lambda m: m.configuration[0].device.append("third"))
case("device-names", "configuration 0 'pair'", devices(), lambda m: m.configuration[0].device.pop())
case("device-configuration-known", at("node 0 'relu'", "device configuration 0 'other'"), devices(), lambda m: setattr(first(m).device_configurations[0], "configuration_id", "other"))
case("device-configuration-known", at("node 0 'relu'", "device configuration 0"), devices(), lambda m: setattr(first(m).device_configurations[0], "configuration_id", ""))
case("sharding-tensor", at("node 0 'relu'", "device configuration 0 'pair'", "tensor 0 'q'"), devices(), lambda m: (setattr(spec(m), "tensor_name", "q")))
for bad in (2, -1):
    case("sharding-device", NODE_DEVICE, devices(), lambda m: spec(m).device.__setitem__(0, bad))
case("sharding-device", NODE_DEVICE, devices(), lambda m: spec(m).index_to_device_group_map.add(key=0, value=[0, 5]))
for bad in (2, -3):
    case("sharding-axis", NODE_DEVICE, devices(), lambda m: setattr(spec(m).sharded_dim[0], "axis", bad))
for bad in (0, -2):
    case("sharding-shards", NODE_DEVICE, devices(), lambda m: setattr(spec(m).sharded_dim[0].simple_sharding[0], "num_shards", bad))

# ---- training


def info_of(made):
    return made.training_info[0]


case("training-update-unique", "training 0 / binding 1 'w'", training(), lambda m: info_of(m).update_binding.add(key="w", value="next"))
case("training-update-variable", "training 0 / binding 0 'q'", training(), lambda m: setattr(info_of(m).update_binding[0], "key", "q"))
case("training-update-variable", "training 0 / binding 0 'y'", training(), lambda m: setattr(info_of(m).update_binding[0], "key", "y"))
case("training-update-value", "training 0 / binding 0 'w'", training(), lambda m: setattr(info_of(m).update_binding[0], "value", "q"))
case("training-update-value", "training 0 / binding 0 'w'", training(), lambda m: setattr(info_of(m).update_binding[0], "value", "step"))
case("training-variable-no-input", "training 0 / binding 0 'w'", training(), also_input)
case("training-initialization-variable", "training 0 / binding 0 'q'", training(), lambda m: setattr(info_of(m).initialization_binding[0], "key", "q"))
case("training-initialization-value", "training 0 / binding 0 'w'", training(), lambda m: setattr(info_of(m).initialization_binding[0], "value", "q"))
case("training-initialization-value", "training 0 / binding 0 'w'", training(), lambda m: info_of(m).ClearField("initialization"))
case("training-initialization-unique", "training 0 / binding 1 'w'", training(), lambda m: info_of(m).initialization_binding.add(key="w", value="zero"))
case("training-initialization-no-input", "training 0 / initialization 'initialization' / input 0 'u'", training(), lambda m: info_of(m).initialization.input.append(info("u", FLOAT, [3])))
case("training-combined", "training 0 / algorithm 'algorithm' / node 0 'scale' / output 0 'y'", training(),
     lambda m: (info_of(m).algorithm.node[0].output.__setitem__(0, "y"), info_of(m).algorithm.node[1].input.__setitem__(1, "y")))
case("training-combined", "training 0 / algorithm 'algorithm' / initializer 0 'x'", training(),
     lambda m: (setattr(info_of(m).algorithm.initializer[0], "name", "x"), info_of(m).algorithm.node[0].input.__setitem__(0, "x")))
case("read-defined", "training 0 / algorithm 'algorithm' / node 0 'scale' / input 1 'q'", training(), lambda m: info_of(m).algorithm.node[0].input.__setitem__(1, "q"))
case("output-defined", "training 0 / algorithm 'algorithm' / output 0 'q'", training(), lambda m: (setattr(info_of(m).algorithm.output[0], "name", "q"), setattr(info_of(m).update_binding[0], "value", "q")))

# ---- operator-set documents

SET = "operator set 'org.f'"

for damaged in (operator_set().SerializeToString()[:-20], b"\x0a\x09ONNXOPSET\xff"):
    case("file-readable", "model", damaged)
for version in (0, -1, 15):
    case("set-ir-version", SET, operator_set(), lambda m: setattr(m, "ir_version", version))
for domain in ("", "ai.onnx"):
    case("set-domain-stated", f"operator set '{domain}'".removesuffix(" ''"), operator_set(), lambda m: (
        m.ClearField("functions"), setattr(m, "domain", domain)))
for domain in ("shapes", "org..example"):
    case("set-domain", f"operator set '{domain}'", operator_set(domain=domain))
for version in (0, -3):
    case("set-version-positive", SET, operator_set(), lambda m: setattr(m, "opset_version", version))
for version in (1, 3):
    case("set-version-given", "model", calling(version), near=calling(), beside=beside_set)
case("set-operator-named", f"{SET} / operator 1", operator_set(), lambda m: m.operator[1].ClearField("op_type"))
case("set-operator-unique", f"{SET} / operator 1 'f'", operator_set(), lambda m: setattr(m.operator[1], "op_type", "f"))
for version in (0, 3):
    case("set-operator-version", f"{SET} / operator 0 'f'", operator_set(), lambda m: setattr(m.operator[0], "since_version", version))
case("set-function-domain", f"{SET} / function 0 'f'", operator_set(), lambda m: setattr(m.functions[0], "domain", "org.g"))
case("documentation-markdown", f"{SET} / operator 0 'f'", operator_set(), lambda m: setattr(m.operator[0], "doc_string", "<b>f</b>"))
case("function-unique", f"{SET} / function 1 'f'", operator_set(), lambda m: (
    m.functions[1].node[0].ClearField("domain"), setattr(m.functions[1].node[0], "op_type", "Relu"), setattr(m.functions[1], "name", "f")))
case("function-not-recursive", f"{SET} / function 1 'g'", operator_set(), lambda m: setattr(m.functions[1].node[0], "op_type", "g"))
case("read-defined", f"{SET} / function 0 'f' / node 0 'leak' / input 0 'c'", operator_set(), lambda m: m.functions[0].node[0].input.__setitem__(0, "c"))
case("attribute-declared", f"{SET} / function 0 'f' / node 0 'leak' / attribute 'beta'", operator_set(), lambda m: m.functions[0].node[0].attribute.append(attribute("beta", 0.5)))
case("call-attribute-declared", at("node 0 'call'", "attribute 'slope'"), calling(), lambda m: first(m).attribute.append(attribute("slope", 0.5)), beside=beside_set)

# ---- IR versions

def without_imports(made):
    made.ClearField("opset_import")
    return made


def with_slope_given(made):
    """The call gives what the function has no default for"""
    made.functions[0].ClearField("attribute_proto")
    made.functions[0].attribute.append("slope")
    first(made).attribute.append(attribute("slope", 0.5))
    return made


case("ir2-attribute-type", ALPHA, without_imports(unary("Elu", alpha=0.5, opset=1, ir=1)))
case("ir3-opset-import", "model", relu(ir=2, opset=1))
case("ir3-node-domain", at("node 0 'relu'"), relu(ir=2), lambda m: (m.ClearField("opset_import"), setattr(first(m), "domain", "ai.onnx")))
case("ir4-bfloat16", at("input 1 'unread'"), relu(ir=3), lambda m: unread(m, tensor_type(TensorProto.BFLOAT16)))
case("ir5-quantization-annotation", G, quantized(), lambda m: setattr(m, "ir_version", 4))
case("ir6-sparse-initializer", G, sparse(ir=5))
case("ir6-sparse-attribute", at("node 0 'c'", "attribute 'sparse_value'"),
     model([node("Constant", [], ["y"], name="c", sparse_value=sparse().graph.sparse_initializer[0])], [], [info("y", FLOAT, [3, 4])], ir=5, opset=11))
case("ir6-sequence-map", at("input 1 'unread'"), relu(ir=5), lambda m: unread(m, sequence_type()))
case("ir6-sequence-map", at("input 1 'unread'"), relu(ir=5), lambda m: unread(m, map_type(INT64)))
case("ir7-training", "model", training(), lambda m: setattr(m, "ir_version", 6))
case("ir8-function", "model", with_slope_given(called(ir=7)))
case("ir8-sparse-type", at("input 1 'unread'"), relu(ir=7), lambda m: unread(m, helper.make_sparse_tensor_type_proto(FLOAT, [2, 2])))
case("ir8-optional", at("input 1 'unread'"), relu(ir=7), lambda m: unread(m, optional_type()))
case("ir9-function-default", "function 0 'f'", called(ir=8))
for kind in (TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E5M2FNUZ):
    case("ir9-float8", at("input 1 'unread'"), relu(ir=8), lambda m: unread(m, tensor_type(kind)))
    case("ir9-float8", W, constant_of(kind, ir=8, raw_data=b"\0\0"), lambda m: (m.graph.ClearField("output"), m.graph.ClearField("node"), m.graph.node.append(node("Relu", ["x"], ["y"], name="relu")), m.graph.input.append(info("x", FLOAT, [1])), m.graph.output.append(info("y", FLOAT, [1]))))
for kind in (TensorProto.UINT4, TensorProto.INT4):
    case("ir10-int4", at("input 1 'unread'"), relu(ir=9), lambda m: unread(m, tensor_type(kind)))
case("ir10-overload", "function 0 'f'", called(ir=9), lambda m: (setattr(m.functions[0], "overload", "o"), setattr(first(m), "overload", "o")))
case("ir10-graph-metadata", G, relu(ir=9), lambda m: m.graph.metadata_props.add(key="k", value="v"))
case("ir10-node-metadata", at("node 0 'relu'"), relu(ir=9), lambda m: first(m).metadata_props.add(key="k", value="v"))
case("ir10-value-metadata", at("input 0 'x'"), relu(ir=9), lambda m: m.graph.input[0].metadata_props.add(key="k", value="v"))
case("ir10-function-metadata", "function 0 'f'", called(ir=9), lambda m: m.functions[0].metadata_props.add(key="k", value="v"))
case("ir11-float4", at("input 1 'unread'"), relu(ir=10), lambda m: unread(m, tensor_type(TensorProto.FLOAT4E2M1)))
case("ir11-device", "model", relu(ir=10), lambda m: m.configuration.add(name="one", num_devices=1))
case("ir11-node-device", at("node 0 'relu'"), relu(ir=10), lambda m: first(m).device_configurations.add(configuration_id="one"))
case("ir12-float8e8m0", at("input 1 'unread'"), relu(ir=11), lambda m: unread(m, tensor_type(24)))
for kind in (25, 26):
    case("ir13-int2", at("input 1 'unread'"), relu(ir=12), lambda m: unread(m, tensor_type(kind)))
for kind in (27, 28):
    case("ir14-float6", at("input 1 'unread'"), relu(ir=13), lambda m: unread(m, tensor_type(kind)))

# ---- models near to those that were made with their fault

INT8, FLOAT6 = TensorProto.INT8, 28


def with_constant(made, value):
    made.graph.initializer.append(value)
    return made


for rule, kept in {
    "file-readable": relu(),
    "output-not-omitted": model([node("TopK", ["x", "k"], ["v", "y"], name="top")], [info("x", FLOAT, [4])],
                                [info("y", INT64, [2])], [tensor("k", INT64, [1], [2])]),
    "input-variadic-named": model([node("Concat", ["x", "x"], ["y"], name="all", axis=0)], [info("x", FLOAT, [2])], [info("y", FLOAT, [4])]),
    "attribute-choice": unary("Gelu", approximate="tanh"),
    "attribute-choice-not-empty": unary("Gelu", approximate="none"),
    "attribute-flag": unary("ReduceSum", opset=11, shape=(2, 3), out=(2, 1), axes=[1], keepdims=1),
    "attribute-text": model([node("Constant", [], ["y"], name="c", value_string="\xe9".encode())], [], [info("y", STRING, [])]),
    "stride-positive": convolution(strides=[1, 1]),
    "dilation-positive": convolution(dilations=[1, 1]),
    "kernel-positive": window(kernel_shape=[1, 1], out=(1, 1, 6, 6)),
    "group-positive": convolution(group=1),
    "block-positive": unary("SpaceToDepth", shape=(1, 4, 2, 2), blocksize=1),
    "pads-or-auto": window(out=(1, 1, 6, 6), auto_pad="NOTSET", pads=[1, 1, 1, 1]),
    "permutation": unary("Transpose", perm=[1, 0], out=(3, 2)),
    "axes-unique": unary("ReduceSum", opset=11, out=(1, 1), axes=[0, 1]),
    "element-type-known": unary("Cast", to=DOUBLE, result=DOUBLE),
    "constant-one-value": model([node("Constant", [], ["y"], name="c", value_int=1)], [], [info("y", INT64, [])]),
    "output-computed": normalisation(["y"]),
    "operator-types": binary("And", BOOL, BOOL, BOOL),
    "operator-conditions": binary("Add", shapes=((2, 3), (3,), (2, 3)), opset=6, broadcast=1, axis=1),
    "value-addressable": model([node("ConstantOfShape", ["s"], ["y"], name="huge")], [], [info("y", FLOAT, [None, None])],
                               [tensor("s", INT64, [2], [1 << 4, 1 << 4])]),
    "activation-known": recurrent("RNN", 1, activations=["Softsign"]),
    "activation-count": recurrent("LSTM", 4, 2, activations=["Sigmoid", "Tanh", "Tanh"] * 2, direction="bidirectional"),
    "activation-numbers": recurrent("GRU", 3, activations=["HardSigmoid", "Elu"], activation_alpha=[0.5, 0.25]),
    "reduction-of-nothing": reduction("ReduceMean", shape=(0, 0), out=(0,)),
    "initializer-is-input": weighted(ir=4),
    "tensor-size": constant_of(FLOAT, [1, 1], float_data=[1]),
    "tensor-one-field": constant_of(FLOAT, float_data=[1, 2]),
    "tensor-field-of-type": constant_of(INT32, int32_data=[1, 2]),
    "tensor-count": constant_of(FLOAT, [3], float_data=[1, 2, 3]),
    "tensor-value-range": constant_of(INT8, int32_data=[-128, 127]),
    "tensor-bool": constant_of(BOOL, raw_data=b"\0\1"),
    "tensor-text": constant_of(STRING, string_data=[b"a", "\xe9".encode()]),
    "tensor-text-plain": constant_of(STRING, string_data=[b"a", b"b"]),
    "tensor-whole": constant_of(FLOAT, float_data=[1, 2]),
    "tensor-padding": with_constant(relu(ir=14), TensorProto(name="w", data_type=FLOAT6, dims=[2], raw_data=b"\x01\x00")),
    "sparse-index-shape": sparse(indices=(0, 1, 1, 3), shape=[2, 2]),
    "sparse-index-range": sparse(indices=(0, 11)),
    "sparse-index-unique": sparse(indices=(7, 8)),
    "sparse-index-order": sparse(indices=(1, 2, 1, 3), shape=[2, 2]),
    "quantization-tensor": quantized("y"),
    "quantization-key": quantized(ZERO_POINT_TENSOR="w", SCALE_TENSOR="w"),
    "quantization-parameter": quantized(SCALE_TENSOR="w"),
    "set-domain": operator_set(),
    "ir3-opset-import": relu(ir=3, opset=1),
    "ir6-sparse-initializer": sparse(ir=6),
    "ir6-sparse-attribute": model([node("Constant", [], ["y"], name="c", sparse_value=sparse().graph.sparse_initializer[0])], [],
                                  [info("y", FLOAT, [3, 4])], ir=6, opset=11),
    "ir9-function-default": called(ir=9),
    "operator-not-removed": model([node("Upsample", ["x", "s"], ["y"], name="one")], [info("x", FLOAT, [2, 3])], [info("y", FLOAT, [2, 6])],
                                  [tensor("s", FLOAT, [2], [1, 2])], opset=9),
    "operator-not-withdrawn": model([node("GroupNormalization", ["x", "s", "s"], ["y"], name="one", num_groups=2)], [info("x", FLOAT, [1, 4, 2])],
                                    [info("y", FLOAT, [1, 4, 2])], [tensor("s", FLOAT, [4], [1, 1, 1, 1])], opset=21),
    "pads-not-negative": convolution(pads=[0, 0, 0, 0]),
    "operator-shapes": binary("Add", shapes=((2, 3), (1, 3), (2, 3))),
    "external-no-text": constant_of(STRING, string_data=[b"a", b"b"]),
    "ir2-attribute-type": without_imports(unary("Elu", alpha=0.5, opset=1, ir=2)),
    "ir3-node-domain": model([node("Relu", ["x"], ["y"], name="relu", domain="ai.onnx")], [info("x", FLOAT, [2])], [info("y", FLOAT, [2])], ir=3, opset=1),
    "ir8-function": with_slope_given(called(ir=8)),
}.items():
    keep(rule, kept)
for rule, kept in {
    "external-location": external(),
    "external-inside-folder": external(location="./data.bin"),
    "external-file": external(),
    "external-number": external(offset=0, length=12),
    "external-length": external(length=12),
    "external-range": external(offset=0),
    "external-checksum": external(checksum=hashlib.sha1(bytes(8192)).hexdigest()),
    "external-key-unique": external(offset=0),
    "external-key-known": external(length=12),
    "external-aligned": external(offset=4096),
}.items():
    keep(rule, kept, data)
