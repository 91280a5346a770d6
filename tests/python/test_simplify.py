"""Simplified models: valid for ONNX's checker, with ONNX Runtime's results."""

import pathlib

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import onnxc

MODELS = pathlib.Path(__file__).parents[2] / "target/models"
#: names of models with an If, integers, dynamic extents, operators of ai.onnx.ml, and quantised weights
REAL = ["silero_vad_op18", "magika", "ppocrv4_det", "skl_gbr_diabetes", "skl_logreg_digits", "orientation_qdq"]


def redundant():
    """y = clip(x + 6) of x transposed twice and reshaped to its own shape, by a function of the model, with an optional input and a name for a dimension."""
    twice = helper.make_function(
        "local",
        "Twice",
        ["v"],
        ["w"],
        [helper.make_node("Transpose", ["v"], ["t"], perm=[1, 0]), helper.make_node("Transpose", ["t"], ["w"], perm=[1, 0])],
        [helper.make_opsetid("", 17)],
    )
    nodes = [
        helper.make_node("Twice", ["x"], ["same"], domain="local"),
        helper.make_node("Shape", ["same"], ["shape"]),
        helper.make_node("Reshape", ["same", "shape"], ["again"]),
        helper.make_node("Add", ["again", "six"], ["sum"], name="add"),
        helper.make_node("Clip", ["sum", "", "most"], ["y"], name="clip"),
    ]
    x, y = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 3]) for name in "xy"]
    constants = [numpy_helper.from_array(np.float32(number), name) for number, name in ((6, "six"), (8, "most"))]
    graph = helper.make_graph(nodes, "graph", [x], [y], constants)
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("local", 1)]
    return helper.make_model(graph, functions=[twice], opset_imports=sets, ir_version=9, producer_name="tests")


def run(model, feeds):
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feeds)


def test_what_changes_nothing_is_left_out_and_names_are_kept():
    simple = onnxc.simplify(redundant())
    onnx.checker.check_model(simple, full_check=True)
    assert [(node.op_type, node.name) for node in simple.graph.node] == [("Add", "add"), ("Clip", "clip")]
    assert simple.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "batch"
    assert simple.producer_name == "tests" and not simple.functions
    x = np.array([[-9, 0, 5]], np.float32)
    assert np.array_equal(run(simple, {"x": x})[0], [[-3, 6, 8]])


def test_extents_are_fixed():
    for fixed in ({"dims": {"batch": 4}}, {"shapes": {"x": [4, None]}}):
        shape = onnxc.simplify(redundant(), **fixed).graph.input[0].type.tensor_type.shape
        assert shape.dim[0].dim_value == 4


def test_an_invalid_model_is_refused():
    broken = redundant()
    broken.graph.node[3].input[0] = "nothing"
    with pytest.raises(onnxc.InvalidGraph, match="nothing"):
        onnxc.simplify(broken)


@pytest.mark.parametrize("name", REAL)
def test_real_models_have_the_same_results(name):
    path = MODELS / name / "model.onnx"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    given, simple = onnx.load(path), onnxc.simplify(path)
    onnx.checker.check_model(simple)
    assert len(simple.graph.node) <= len(given.graph.node)
    feeds = {}
    for port, file in zip(given.graph.input, sorted((path.parent / "test_data_set_0").glob("input_*.pb"))):
        feeds[port.name] = numpy_helper.to_array(onnx.load_tensor(file))
    for theirs, ours in zip(run(given, feeds), run(simple, feeds)):
        if isinstance(theirs, np.ndarray):
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)
