"""Models that break one rule each, in one file for each file of `compiler/check/src/rules`: `case(rule, place, model, change)`, where the
change makes the fault.

The rule's row cites the document and section (`onnxc check --list-rules`).
"""

from importlib import import_module

from invalid.faults import CASES, NEAR

#: in the order of the rules; the models of the last one are beside the others
FILES = (
    "model",
    "names",
    "scopes",
    "types",
    "operator_sets",
    "arity",
    "attributes",
    "values",
    "inference",
    "functions",
    "initializers",
    "tensors",
    "external",
    "sparse",
    "quantization",
    "devices",
    "training",
    "opsets",
    "versions",
    "near",
)

for file in FILES:
    import_module(f"invalid.{file}")

__all__ = ["CASES", "NEAR"]
