"""The execution provider in stock ONNX Runtime."""

import gc
import os
import pathlib
import shutil
import subprocess
import sys
import threading

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import onnxc

NAME = "OnnxcExecutionProvider"
F, I4, I64, STR = TensorProto.FLOAT, TensorProto.INT4, TensorProto.INT64, TensorProto.STRING
FOLDER = pathlib.Path(__file__).parent


def model(nodes, inputs, outputs, initializers=(), domains=()):
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(*port) for port in inputs],
        [helper.make_tensor_value_info(*port) for port in outputs],
        [numpy_helper.from_array(array, name) for name, array in initializers],
    )
    sets = [helper.make_opsetid("", 21)] + [helper.make_opsetid(domain, 1) for domain in domains]
    return helper.make_model(graph, opset_imports=sets, ir_version=10)


def session(proto, provider_options=None, entries=(), library=None):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
    for key, value in entries:
        options.add_session_config_entry(key, str(value))
    if library:
        options.register_custom_ops_library(str(library))
    options.add_provider_for_devices(onnxc.register_ep(), provider_options or {})
    source = proto if isinstance(proto, str) else proto.SerializeToString()
    return onnxruntime.InferenceSession(source, options, enable_fallback=0)


def parts(made):
    """The operators of each part that runs in compiled code, and all others."""
    info = made.get_provider_graph_assignment_info()
    operators = lambda part: sorted(node.op_type for node in part.get_nodes())
    own = sorted(operators(part) for part in info if part.ep_name == NAME)
    return own, sorted(name for part in info if part.ep_name != NAME for name in operators(part))


def affine():
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"]), helper.make_node("Relu", ["a"], ["y"])]
    weights = np.arange(12, dtype=np.float32).reshape(4, 3) - 5
    return model(nodes, [("x", F, ["N", 4])], [("y", F, ["N", 3])], [("w", weights)]), weights


def test_registration_is_one_line_and_may_be_repeated():
    assert [device.ep_name for device in onnxc.register_ep()] == [NAME]
    assert [device.ep_name for device in onnxc.register_ep("again")] == [NAME]


def test_a_model_that_is_supported_is_one_part_for_all_extents():
    proto, weights = affine()
    made = session(proto, {"threads": "1"})
    assert parts(made) == ([["MatMul", "Relu"]], [])
    for count in [3, 1, 7, 0]:
        x = np.random.default_rng(count).standard_normal((count, 4), np.float32)
        np.testing.assert_allclose(made.run(None, {"x": x})[0], np.maximum(x @ weights, 0), rtol=1e-5, atol=1e-5)


def test_extents_that_depend_on_data():
    nodes = [helper.make_node("NonZero", ["x"], ["at"]), helper.make_node("Cast", ["at"], ["y"], to=F)]
    made = session(model(nodes, [("x", F, ["N", "M"])], [("y", F, [2, None])]))
    x = np.array([[0, 1], [2, 0]], np.float32)
    assert made.run(None, {"x": x})[0].tolist() == [[0, 1], [1, 0]] and parts(made)[1] == []
    assert made.run(None, {"x": 0 * x})[0].shape == (2, 0)


def test_strings_and_types_that_are_not_passed():
    nodes = [helper.make_node("Identity", ["x"], ["y"])]
    made = session(model(nodes, [("x", STR, ["N"])], [("y", STR, ["N"])]))
    assert made.run(None, {"x": np.array(["a", "ß"], object)})[0].tolist() == ["a", "ß"]
    nodes = [
        helper.make_node("Relu", ["x"], ["r"]),
        helper.make_node("SequenceConstruct", ["r", "x"], ["s"]),
        helper.make_node("ConcatFromSequence", ["s"], ["c"], axis=0),
        helper.make_node("Neg", ["c"], ["y"]),
    ]
    made = session(model(nodes, [("x", F, [2])], [("y", F, [4])]))
    assert made.run(None, {"x": np.array([-1, 2], np.float32)})[0].tolist() == [0, -2, 1, -2]


def test_a_body_of_a_node_with_outer_values():
    body = helper.make_graph(
        [helper.make_node("Add", ["x", "c"], ["t"])], "then", [], [helper.make_tensor_value_info("t", F, [2])]
    )
    other = helper.make_graph(
        [helper.make_node("Mul", ["x", "c"], ["e"])], "else", [], [helper.make_tensor_value_info("e", F, [2])]
    )
    nodes = [helper.make_node("If", ["b"], ["i"], then_branch=body, else_branch=other), helper.make_node("Neg", ["i"], ["y"])]
    ports = [("b", TensorProto.BOOL, []), ("x", F, [2])]
    made = session(model(nodes, ports, [("y", F, [2])], [("c", np.array([3, 4], np.float32))]))
    x = np.array([1, 2], np.float32)
    assert made.run(None, {"b": np.array(True), "x": x})[0].tolist() == [-4, -6]
    assert made.run(None, {"b": np.array(False), "x": x})[0].tolist() == [-3, -8]


@pytest.fixture(scope="session")
def custom_operators(tmp_path_factory):
    compiler = ["cc"] if shutil.which("cc") else [sys.executable, "-m", "ziglang", "cc"]
    library = tmp_path_factory.mktemp("custom") / "libcustom_op.so"
    subprocess.run([*compiler, "-shared", "-fPIC", "-O1", "-o", library, FOLDER / "custom_op.c"], check=True)
    return library


@pytest.mark.parametrize("shape", [[2, 3], None])
def test_a_custom_operator_is_left_to_onnxruntime(custom_operators, shape):
    # Twice is between Neg and Relu, and is bypassed by the Add
    nodes = [
        helper.make_node("Neg", ["x"], ["n"]),
        helper.make_node("Twice", ["n"], ["t"], domain="test.ops"),
        helper.make_node("Relu", ["t"], ["r"]),
        helper.make_node("Add", ["r", "n"], ["y"]),
    ]
    proto = model(nodes, [("x", F, [2, 3])], [("y", F, [2, 3])], domains=["test.ops"])
    if shape:
        proto.graph.value_info.append(helper.make_tensor_value_info("t", F, shape))
    made = session(proto, library=custom_operators)
    x = np.array([[1, -2, 3], [-4, 5, -6]], np.float32)
    assert made.run(None, {"x": x})[0].tolist() == (np.maximum(-2 * x, 0) - x).tolist()
    own, others = parts(made)
    assert "Twice" in others and ["Neg"] in own
    assert not shape or own == [["Add", "Relu"], ["Neg"]]


def test_several_threads_and_sessions():
    proto, weights = affine()
    made = [session(proto, {"threads": str(count)}) for count in [1, 2]]
    wrong = []

    def run(seed):
        random = np.random.default_rng(seed)
        for _ in range(50):
            x = random.standard_normal((random.integers(1, 9), 4), np.float32)
            found = made[seed % 2].run(None, {"x": x})[0]
            if not np.allclose(found, np.maximum(x @ weights, 0), rtol=1e-5, atol=1e-5):
                wrong.append(seed)

    threads = [threading.Thread(target=run, args=(seed,)) for seed in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not wrong


def test_errors_of_runs_have_sentences_and_places():
    nodes = [helper.make_node("Reshape", ["x", "s"], ["y"], name="fold")]
    made = session(model(nodes, [("x", F, ["N"]), ("s", I64, [2])], [("y", F, [None, None])]))
    assert made.run(None, {"x": np.ones(6, np.float32), "s": np.array([2, 3])})[0].shape == (2, 3)
    with pytest.raises(Exception, match="fold") as caught:
        made.run(None, {"x": np.ones(6, np.float32), "s": np.array([4, 2])})
    assert "OnnxcExecutionProvider" in str(caught.value)
    # the session still runs
    assert made.run(None, {"x": np.ones(4, np.float32), "s": np.array([4, 1])})[0].shape == (4, 1)


def test_wrong_options_are_refused_by_name():
    with pytest.raises(Exception, match="no option 'thread'; its options are threads, cache, arithmetic, llvm"):
        session(affine()[0], {"thread": "1"})
    with pytest.raises(Exception, match="'many'"):
        session(affine()[0], {"threads": "many"})


def test_compiled_parts_are_in_the_cache(tmp_path):
    x = np.ones((2, 4), np.float32)
    proto, weights = affine()
    first = session(proto, {"cache": str(tmp_path / "cache")})
    expected = first.run(None, {"x": x})[0]
    first.run(None, {"x": x})
    del first
    gc.collect()
    entries = [path for path in (tmp_path / "cache").iterdir() if path.name.startswith("cranelift-")]
    assert entries
    second = session(proto, {"cache": str(tmp_path / "cache")})
    np.testing.assert_array_equal(second.run(None, {"x": x})[0], expected)


@pytest.mark.parametrize("embedded", ["0", "1"])
def test_context_models_are_written_and_loaded(tmp_path, embedded):
    path, context = str(tmp_path / "model.onnx"), tmp_path / "model_ctx.onnx"
    proto, weights = affine()
    onnx.save(proto, path)
    entries = [("ep.context_enable", 1), ("ep.context_embed_mode", embedded), ("ep.context_file_path", context)]
    session(path, entries=entries)
    assert [node.op_type for node in onnx.load(context).graph.node] == ["EPContext"]
    made = session(str(context))
    x = np.random.default_rng(0).standard_normal((5, 4), np.float32)
    np.testing.assert_allclose(made.run(None, {"x": x})[0], np.maximum(x @ weights, 0), rtol=1e-5, atol=1e-5)
    os.remove(path)
    if embedded == "0":
        [part.unlink() for part in tmp_path.glob("*.onnxc")]
        with pytest.raises(Exception, match="the file cannot be read"):
            session(str(context))


def test_weights_in_files_of_external_data(tmp_path):
    proto, weights = affine()
    onnx.save(proto, tmp_path / "model.onnx", save_as_external_data=True, location="weights.bin", size_threshold=0)
    made = session(str(tmp_path / "model.onnx"))
    x = np.ones((2, 4), np.float32)
    np.testing.assert_allclose(made.run(None, {"x": x})[0], np.maximum(x @ weights, 0), rtol=1e-5)


def test_nothing_is_left_of_a_registration():
    def resident():
        return int(pathlib.Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGESIZE")

    def round_(count):
        made = session(affine()[0])
        for _ in range(3):
            made.run(None, {"x": np.ones((count % 5 + 1, 4), np.float32)})
        del made
        gc.collect()
        onnxc.unregister_ep()

    gc.collect()
    onnxc.unregister_ep()
    [round_(count) for count in range(20)]
    before = resident()
    [round_(count) for count in range(100)]
    assert resident() - before < 2e6
    onnxc.register_ep()
