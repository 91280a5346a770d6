"""Faults of initializers."""

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

case("initializer-is-input", at("initializer 0 'w'"), weighted(ir=3))

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
