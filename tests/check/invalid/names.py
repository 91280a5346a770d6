"""Faults of names."""

from onnx import AttributeProto

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

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
