"""The Python package against ONNX Runtime: the same calls, the same answers."""

import gc
import json
import os
import subprocess
import sys
import threading

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper

import onnxc

F, I64, STR = TensorProto.FLOAT, TensorProto.INT64, TensorProto.STRING


def model(nodes, inputs, outputs, initializers=(), opset=21, **fields):
    """A model of nodes, with inputs and outputs as (name, type, shape)."""
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(*port) for port in inputs],
        [helper.make_tensor_value_info(*port) for port in outputs],
        list(initializers),
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10, producer_name="tests")
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def add():
    return model([helper.make_node("Add", ["x", "x"], ["y"])], [("x", F, ["N", 3])], [("y", F, ["N", 3])])


@pytest.fixture
def session():
    return onnxc.InferenceSession(add())


def test_signature_is_onnxruntimes(session):
    theirs = onnxruntime.InferenceSession(add().SerializeToString(), providers=["CPUExecutionProvider"])
    for own, other in [(session.get_inputs(), theirs.get_inputs()), (session.get_outputs(), theirs.get_outputs())]:
        assert [(port.name, port.type, port.shape) for port in own] == [(port.name, port.type, port.shape) for port in other]
    assert session.get_modelmeta().producer_name == "tests"
    assert session.get_modelmeta().graph_name == theirs.get_modelmeta().graph_name
    assert session.get_providers() == ["CPUExecutionProvider"]
    assert "x: tensor(float)" in repr(session) and "<table>" in session._repr_html_()


@pytest.mark.parametrize("given", ["path", "bytes", "proto"])
def test_models_come_from_paths_bytes_and_messages(tmp_path, given):
    path = tmp_path / "model.onnx"
    onnx.save(add(), path)
    source = {"path": path, "bytes": path.read_bytes(), "proto": add()}[given]
    x = np.ones((2, 3), np.float32)
    assert (onnxc.InferenceSession(source).run(None, {"x": x})[0] == 2).all()


def test_arrays_of_any_layout_are_read(session):
    base = np.arange(24, dtype=np.float32).reshape(4, 6)
    odd = np.frombuffer(b"\0" + np.arange(6, dtype=np.float32).tobytes(), np.uint8)[1:].view(np.float32).reshape(2, 3)
    for x in [base[:, ::2], base[:, :3], np.asfortranarray(base[:, :3]), base[:, :3].astype(">f4"), base[:0, :3], odd]:
        assert np.array_equal(session.run(["y"], {"x": x})[0], 2 * x.astype(np.float32))
    assert np.array_equal(session.run([], {"x": [[1, 2, 3]]})[0], [[2, 4, 6]])


def test_results_outlive_everything(session):
    results = [session.run(None, {"x": np.full((1, 3), number, np.float32)})[0] for number in range(20)]
    del session
    gc.collect()
    for number, result in enumerate(results):
        assert (result == 2 * number).all()
    results[0][:] = 7
    assert (results[0] == 7).all() and (results[1] == 2).all()


NUMERIC = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]


@pytest.mark.parametrize("name", [*NUMERIC, "complex64", "complex128", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_every_type_goes_in_and_out(name):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    element = helper.np_dtype_to_tensor_dtype(dtype)
    nodes = [helper.make_node("Identity", ["x"], ["y"])]
    x = np.array([0, 1, 1, 0]).astype(dtype)
    try:
        own = onnxc.InferenceSession(model(nodes, [("x", element, [4])], [("y", element, [4])]))
    except onnxc.NotImplemented:
        assert name.startswith("complex")
        return
    y = own.run(None, {"x": x})[0]
    assert y.dtype == dtype and y.tobytes() == x.tobytes()


def test_strings_sequences_and_optionals():
    texts = onnxc.InferenceSession(
        model([helper.make_node("Concat", ["x", "x"], ["y"], axis=0)], [("x", STR, ["N"])], [("y", STR, ["M"])])
    )
    for x in [np.array(["a", "ü"]), np.array(["a", "ü"], dtype=object), ["a", "ü"]]:
        assert texts.run(None, {"x": x})[0].tolist() == ["a", "ü", "a", "ü"]
    pairs = model([helper.make_node("SequenceConstruct", ["x", "x"], ["s"])], [("x", F, [2])], [])
    pairs.graph.output.append(helper.make_tensor_sequence_value_info("s", F, [2]))
    result = onnxc.InferenceSession(pairs).run(None, {"x": np.ones(2, np.float32)})[0]
    assert isinstance(result, list) and len(result) == 2 and result[0].dtype == np.float32
    at = model([helper.make_node("SequenceAt", ["s", "i"], ["y"])], [("i", I64, [])], [("y", F, [2])])
    at.graph.input.insert(0, helper.make_tensor_sequence_value_info("s", F, [2]))
    y = onnxc.InferenceSession(at).run(None, {"s": result, "i": np.array(1)})[0]
    assert y.tolist() == [1, 1]


def test_errors_have_onnxruntimes_names(session, tmp_path):
    state = __import__("onnxc.capi.onnxruntime_pybind11_state", fromlist=["*"])
    x = np.ones((1, 3), np.float32)
    with pytest.raises(state.InvalidArgument, match="Invalid input name: q"):
        session.run(None, {"x": x, "q": x})
    with pytest.raises(ValueError, match="Required inputs .*x"):
        session.run(None, {})
    with pytest.raises(state.InvalidArgument, match="Invalid Output Name: q"):
        session.run(["q"], {"x": x})
    with pytest.raises(state.InvalidArgument, match="input 'x' must be float32, found float64"):
        session.run(None, {"x": x.astype(np.float64)})
    with pytest.raises(state.InvalidArgument, match=r"input 'x' must be float32 \[N, 3\]"):
        session.run(None, {"x": np.ones((1, 4), np.float32)})
    with pytest.raises(state.NoSuchFile):
        onnxc.InferenceSession(str(tmp_path / "missing.onnx"))
    with pytest.raises(state.InvalidProtobuf):
        onnxc.InferenceSession(b"\xff\xff\xff")
    with pytest.raises((state.InvalidGraph, state.NotImplemented)):
        onnxc.InferenceSession(model([helper.make_node("Nonsense", ["x"], ["y"])], [("x", F, [1])], [("y", F, [1])]))
    with pytest.raises(TypeError):
        onnxc.InferenceSession(3)
    # the session goes on
    assert (session.run(None, {"x": x})[0] == 2).all()


def test_initializers_that_are_inputs_may_be_overridden():
    bias = helper.make_tensor("b", F, [3], [1, 2, 3])
    made = model([helper.make_node("Add", ["x", "b"], ["y"])], [("x", F, [3]), ("b", F, [3])], [("y", F, [3])], [bias])
    own = onnxc.InferenceSession(made)
    assert [port.name for port in own.get_inputs()] == ["x"]
    assert [port.name for port in own.get_overridable_initializers()] == ["b"]
    x = np.zeros(3, np.float32)
    for _ in range(2):
        assert own.run(None, {"x": x})[0].tolist() == [1, 2, 3]
        assert own.run(None, {"x": x, "b": x})[0].tolist() == [0, 0, 0]


def test_threads_share_a_session(session):
    failures = []

    def work(number):
        for extent in range(1, 60):
            x = np.full((extent, 3), number, np.float32)
            if not (session.run(None, {"x": x})[0] == 2 * number).all():
                failures.append((number, extent))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert not failures


def long_model():
    nodes = [helper.make_node("MatMul", [f"x{at}", "x0"], [f"x{at + 1}"]) for at in range(60)]
    return model(nodes, [("x0", F, ["N", "N"])], [("x60", F, ["N", "N"])])


def test_runs_can_be_ended():
    own = onnxc.InferenceSession(long_model())
    x = np.zeros((1500, 1500), np.float32)
    options = onnxc.RunOptions()
    timer = threading.Timer(0.1, lambda: setattr(options, "terminate", True))
    timer.start()
    with pytest.raises(onnxc.Fail, match="terminate"):
        own.run(None, {"x0": x}, options)
    timed = onnxc.RunOptions()
    timed.add_run_config_entry("onnxc.deadline", "0.05")
    with pytest.raises(onnxc.RuntimeException, match="deadline"):
        own.run(None, {"x0": x}, timed)
    assert own.run(None, {"x0": np.ones((1, 1), np.float32)})[0] == 1


def test_runs_on_another_thread(session):
    done, answers = threading.Event(), []

    def callback(results, user_data, error):
        answers.append((results, user_data, error))
        done.set()

    session.run_async(None, {"x": np.ones((1, 3), np.float32)}, callback, "data")
    assert done.wait(10)
    (results, user_data, error), = answers
    assert results[0].tolist() == [[2, 2, 2]] and (user_data, error) == ("data", "")


def test_bindings_read_and_write_memory(session):
    x, y = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
    binding = session.io_binding()
    binding.bind_input("x", "cpu", 0, np.float32, x.shape, x.ctypes.data)
    binding.bind_output("y", "cpu", 0, np.float32, y.shape, y.ctypes.data)
    session.run_with_iobinding(binding)
    assert (y == 2).all() and binding.get_outputs()[0].data_ptr() == y.ctypes.data
    binding.clear_binding_outputs()
    binding.bind_output("y")
    binding.bind_cpu_input("x", 3 * x)
    session.run_with_iobinding(binding)
    assert (binding.copy_outputs_to_cpu()[0] == 6).all()
    small = onnxc.OrtValue.ortvalue_from_shape_and_type([1, 3], np.float32)
    binding.bind_ortvalue_output("y", small)
    with pytest.raises(onnxc.RuntimeException):
        session.run_with_iobinding(binding)


def test_ort_values():
    x = np.ones((2, 3), np.float32)
    value = onnxc.OrtValue.ortvalue_from_numpy(x)
    assert value.data_ptr() == x.ctypes.data and value.data_type() == "tensor(float)" and value.shape() == [2, 3]
    assert value.element_type() == F and value.is_tensor() and value.device_name() == "cpu"
    assert np.from_dlpack(value).ctypes.data == x.ctypes.data
    results = onnxc.InferenceSession(add()).run_with_ort_values(None, {"x": value})
    assert (results[0].numpy() == 2).all()
    value.update_inplace(x * 0)
    assert (x == 0).all()


def test_options():
    options = onnxc.SessionOptions()
    options.add_free_dimension_override_by_name("N", 2)
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxc.GraphOptimizationLevel.ORT_DISABLE_ALL
    assert onnxc.InferenceSession(add(), options).get_inputs()[0].shape == [2, 3]
    with pytest.warns(UserWarning, match="CUDA"):
        onnxc.InferenceSession(add(), providers=["CUDAExecutionProvider", "CPUExecutionProvider"])


def test_initializers_are_replaced(tmp_path):
    missing = TensorProto(name="w", data_type=F, dims=[1], data_location=TensorProto.EXTERNAL)
    missing.external_data.add(key="location", value="missing.bin")
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    made = model(nodes, [("x", F, [1, 3])], [("y", F, [1, 3])], [missing])
    options = onnxc.SessionOptions()
    options.add_external_initializers(["w"], [onnxc.OrtValue.ortvalue_from_numpy(np.array([5], np.float32))])
    result = onnxc.InferenceSession(made, options).run(None, {"x": np.ones((1, 3), np.float32)})
    assert (result[0] == 6).all()
    options.optimized_model_filepath = str(tmp_path / "written.onnx")
    onnxc.InferenceSession(made, options)
    assert (onnxc.InferenceSession(options.optimized_model_filepath).run(None, {"x": np.ones((1, 3), np.float32)})[0] == 6).all()
    with pytest.raises(RuntimeError, match="names"):
        options.add_external_initializers(["w"], [])
    options.add_initializer("w", np.zeros(2, np.float32))
    with pytest.raises(onnxc.InvalidArgument, match="has the shape"):
        onnxc.InferenceSession(made, options)
    options = onnxc.SessionOptions()
    options.add_initializer("three", np.zeros(1, np.float32))
    with pytest.raises(onnxc.InvalidArgument, match="no initializer 'three'"):
        onnxc.InferenceSession(made, options)


def test_optimised_models_are_written(tmp_path):
    options = onnxc.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimised.onnx")
    x = {"x": np.ones((1, 3), np.float32)}
    first = onnxc.InferenceSession(add(), options).run(None, x)[0]
    assert (onnxc.InferenceSession(options.optimized_model_filepath).run(None, x)[0] == first).all()


def test_an_optimised_model_replaces_the_model(tmp_path):
    path = tmp_path / "model.onnx"
    onnx.save(add(), path)
    options = onnxc.SessionOptions()
    options.optimized_model_filepath = str(path)
    x = {"x": np.ones((1, 3), np.float32)}
    opened = onnxc.InferenceSession(str(path), options)
    assert (opened.run(None, x)[0] == 2).all()
    assert (onnxc.InferenceSession(str(path)).run(None, x)[0] == 2).all() and len(list(tmp_path.iterdir())) == 1
    options.optimized_model_filepath = str(tmp_path / "model.ort")
    with pytest.raises(onnxc.NotImplemented):
        onnxc.InferenceSession(str(path), options)


def test_bound_outputs_have_the_shape_of_results():
    opened = onnxc.InferenceSession(add())
    binding = opened.io_binding()
    binding.bind_cpu_input("x", np.ones((2, 3), np.float32))
    binding.bind_ortvalue_output("y", onnxc.OrtValue.ortvalue_from_numpy(np.zeros((3, 3), np.float32)))
    with pytest.raises(onnxc.InvalidArgument, match="is bound to an array of"):
        opened.run_with_iobinding(binding)


def test_narrow_types_have_onnxruntimes_names():
    value = onnxc.OrtValue.ortvalue_from_shape_and_type([3], TensorProto.FLOAT8E4M3FN)
    assert value.data_type() == "tensor(float8e4m3fn)" and value.numpy().dtype.name == "float8_e4m3fn"
    assert onnxc.OrtValue.ortvalue_from_shape_and_type([2], STR).numpy().tolist() == ["", ""]


def test_profiles_are_traces(tmp_path):
    options = onnxc.SessionOptions()
    options.enable_profiling = True
    options.profile_file_prefix = str(tmp_path / "profile")
    own = onnxc.InferenceSession(add(), options)
    own.run(None, {"x": np.ones((4, 3), np.float32)})
    events = json.load(open(own.end_profiling(), encoding="utf-8"))
    assert events and {"name", "ph", "ts", "dur"} <= events[0].keys()


def test_check_and_inspect():
    made = add()
    made.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 4
    assert any(finding.level in ("error", "violation") for finding in onnxc.check(made))
    assert onnxc.inspect(made)["producer_name"] == "tests"


def test_import_is_light_and_quick():
    script = "import sys, onnxc; assert 'numpy' not in sys.modules and 'onnx' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True, env=os.environ)


def test_stands_in_for_onnxruntime(tmp_path):
    script = tmp_path / "script.py"
    onnx.save(add(), tmp_path / "model.onnx")
    script.write_text(
        "import importlib.metadata, importlib.util, sys, numpy as np, onnxruntime as ort\n"
        "assert importlib.util.find_spec('onnxruntime') and importlib.metadata.version('onnxruntime')\n"
        "from onnxc._process import _add_distribution\n"
        "_add_distribution('not-installed', '1.2')\n"
        "assert importlib.metadata.version('not-installed') == '1.2'\n"
        "from onnxruntime.quantization import CalibrationDataReader\n"
        "from onnxruntime.capi.onnxruntime_pybind11_state import InvalidArgument\n"
        "session = ort.InferenceSession(sys.argv[1], providers=['CPUExecutionProvider'])\n"
        "print(session.run(None, {'x': np.ones((1, 3), np.float32)})[0].tolist(), ort.__version__)\n"
    )
    command = [sys.executable, "-m", "onnxc.as_onnxruntime", str(script), str(tmp_path / "model.onnx")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ)
    assert done.stdout.startswith("[[2.0, 2.0, 2.0]] 1.")
