"""What makes a fault: `case`, and changes of models that several files use."""

from copy import deepcopy
from dataclasses import dataclass

from onnx import TypeProto

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


def element(port):
    return port.type.tensor_type


def map_type(key, made=None):
    result = TypeProto()
    result.map_type.key_type = key
    result.map_type.value_type.CopyFrom(made or tensor_type())
    return result


def unread(made, type_proto):
    """An unused input, of any type."""
    made.graph.input.append(value("unread", of=type_proto))


def normalisation(outputs, training=0):
    names = ["scale", "bias", "mean", "var"]
    one = node("BatchNormalization", ["x", *names], outputs, name="norm", training_mode=training)
    ports = [info(name, FLOAT, [3] if name else None) for name in outputs if name]
    ports[0] = info("y", FLOAT, [2, 3])
    return model([one], [info("x", FLOAT, [2, 3])], ports, [tensor(n, FLOAT, [3], [1, 1, 1]) for n in names])


def also_input(made, element_type=FLOAT, shape=(3,)):
    made.graph.input.append(info("w", element_type, shape))


def data(folder):
    (folder / "data.bin").write_bytes(bytes(8192))


def without_imports(made):
    made.ClearField("opset_import")
    return made


def with_slope_given(made):
    """The call gives what the function has no default for"""
    made.functions[0].ClearField("attribute_proto")
    made.functions[0].attribute.append("slope")
    first(made).attribute.append(attribute("slope", 0.5))
    return made


THEN = "node 0 'choice'", "attribute 'then_branch'", "graph 'then'"
ELSE = "node 0 'choice'", "attribute 'else_branch'", "graph 'else'"
BODY = "node 0 'loop'", "attribute 'body'", "graph 'body'"
ALPHA = at("node 0 'one'", "attribute 'alpha'")
W = at("initializer 0 'w'")
