"""The snippets on ONNX Runtime and on the package: equal results, or a difference that the book lists."""

import numpy as np
import onnxruntime
import pytest
from snippets import SNIPPETS

import onnxc

#: Snippets whose results differ, with the reason, as in docs/src/using/python.md.
DIFFERENT = {
    "session_of_cycle": "InvalidGraph, not Fail",
    "session_with_unequal_provider_options": "a ValueError, not a second attempt",
    "run_with_contradicting_extents": "InvalidArgument, not Fail",
    "value_of_sparse_tensor": "sparse tensors are not values",
    "session_of_file_object": "files that are open are read",
}


def outcome(snippet, module):
    """The result, or the name of the exception's class."""
    try:
        return snippet(module)
    except Exception as exception:
        return type(exception).__name__


def equal(a, b):
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and bool((a == b).all())
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet.__name__)
def test_results_are_onnxruntimes(snippet):
    theirs, ours = outcome(snippet, onnxruntime), outcome(snippet, onnxc)
    assert equal(theirs, ours) != (snippet.__name__ in DIFFERENT), f"ONNX Runtime: {theirs}; onnxc: {ours}"
