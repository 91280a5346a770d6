"""Faults of scopes."""

from onnx import helper

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

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
