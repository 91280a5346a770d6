"""Short programs over the subjects of ONNX Runtime's Python interface: each is a function of the module that it uses.

A result is anything that `test_snippets.compare` compares; an exception counts by the name of its class.
"""

import io
import os
import pickle
import tempfile
import threading

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

F, D, I64, I32, B, STR = (
    TensorProto.FLOAT,
    TensorProto.DOUBLE,
    TensorProto.INT64,
    TensorProto.INT32,
    TensorProto.BOOL,
    TensorProto.STRING,
)
CPU = ["CPUExecutionProvider"]
SNIPPETS = []


def snippet(function):
    """Adds a function to the list."""
    SNIPPETS.append(function)
    return function


def model(nodes, inputs, outputs, initializers=(), **fields):
    """The bytes of a model of nodes, with inputs and outputs as (name, type, shape)."""
    infos = [[helper.make_tensor_value_info(*port) for port in ports] for ports in (inputs, outputs)]
    graph = helper.make_graph(nodes, "graph", *infos, initializer=list(initializers))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10, **fields)
    return made.SerializeToString()


def unary(operator="Relu", element=F, shape=("N", 3), **attributes):
    """A model of one operator on `x`."""
    node = helper.make_node(operator, ["x"], ["y"], **attributes)
    return model([node], [("x", element, list(shape))], [("y", element, list(shape))])


def binary(operator="Add"):
    """A model of one operator on `a` and `b`, whose shapes are equal."""
    node = helper.make_node(operator, ["a", "b"], ["y"])
    return model([node], [("a", F, ["N"]), ("b", F, ["N"])], [("y", F, ["N"])])


def two_outputs():
    nodes = [helper.make_node("Relu", ["x"], ["p"]), helper.make_node("Neg", ["x"], ["q"])]
    return model(nodes, [("x", F, [2])], [("p", F, [2]), ("q", F, [2])])


def overridable():
    """A model with an initializer that is also an input."""
    initial = numpy_helper.from_array(np.array([1, 2], np.float32), "w")
    node = helper.make_node("Add", ["x", "w"], ["y"])
    return model([node], [("x", F, [2]), ("w", F, [2])], [("y", F, [2])], [initial])


def session(rt, source=None, options=None, **arguments):
    """A session of a model, by default of Relu."""
    return rt.InferenceSession(source or unary(), options, providers=CPU, **arguments)


X = np.array([[-1, 0, 2]], np.float32)
AB = {"a": np.array([1, 2], np.float32), "b": np.array([3, 4], np.float32)}


# ---- sessions


@snippet
def session_from_bytes(rt):
    return session(rt).run(None, {"x": X})


@snippet
def session_from_path(rt):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        with open(path, "wb") as file:
            file.write(unary())
        return session(rt, path).run(None, {"x": X})


@snippet
def session_with_external_data(rt):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.onnx")
        weights = numpy_helper.from_array(np.arange(300, dtype=np.float32), "w")
        made = onnx.load_from_string(model([helper.make_node("Add", ["x", "w"], ["y"])], [("x", F, [300])], [("y", F, [300])], [weights]))
        onnx.save(made, path, save_as_external_data=True, location="weights", size_threshold=0)
        return session(rt, path).run(None, {"x": np.ones(300, np.float32)})


@snippet
def session_of_missing_file(rt):
    return session(rt, "no-such-file.onnx")


@snippet
def session_of_damaged_bytes(rt):
    return session(rt, b"not a model")


@snippet
def session_of_unknown_operator(rt):
    return session(rt, unary("NoSuchOperator"))


@snippet
def session_of_cycle(rt):
    nodes = [helper.make_node("Relu", ["b"], ["a"]), helper.make_node("Relu", ["a"], ["b"])]
    return session(rt, model(nodes, [], [("a", F, [1])]))


@snippet
def session_of_wrong_argument(rt):
    return rt.InferenceSession(3.5, providers=CPU)


@snippet
def session_with_options_by_keyword(rt):
    return rt.InferenceSession(unary(), sess_options=rt.SessionOptions(), providers=CPU).run(["y"], {"x": X})


@snippet
def session_with_provider_options(rt):
    return rt.InferenceSession(unary(), providers=CPU, provider_options=[{}]).get_providers()


@snippet
def session_with_unequal_provider_options(rt):
    return rt.InferenceSession(unary(), providers=CPU, provider_options=[{}, {}])


@snippet
def session_with_provider_pairs(rt):
    return rt.InferenceSession(unary(), providers=[("CPUExecutionProvider", {})]).get_providers()


@snippet
def session_is_pickled(rt):
    return pickle.dumps(session(rt)) and None


# ---- what a model is


@snippet
def inputs_of_model(rt):
    return [(port.name, port.type, port.shape) for port in session(rt).get_inputs()]


@snippet
def outputs_of_model(rt):
    return [(port.name, port.type, port.shape) for port in session(rt, two_outputs()).get_outputs()]


@snippet
def types_of_ports(rt):
    elements = [F, D, I64, I32, B, STR, TensorProto.FLOAT16, TensorProto.UINT8]
    return [session(rt, unary("Identity", element)).get_inputs()[0].type for element in elements]


@snippet
def type_of_sequence(rt):
    info = helper.make_value_info("y", helper.make_sequence_type_proto(helper.make_tensor_type_proto(F, None)))
    graph = helper.make_graph([helper.make_node("SequenceConstruct", ["x"], ["y"])], "g", [helper.make_tensor_value_info("x", F, [1])], [info])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10).SerializeToString()
    opened = session(rt, made)
    return opened.get_outputs()[0].type, opened.run(None, {"x": np.ones(1, np.float32)})


@snippet
def shape_without_extents(rt):
    return session(rt, unary(shape=(None, 3))).get_inputs()[0].shape


@snippet
def shape_of_scalar(rt):
    return session(rt, unary(shape=())).get_inputs()[0].shape


@snippet
def overridable_initializers(rt):
    return [(port.name, port.shape) for port in session(rt, overridable()).get_overridable_initializers()]


@snippet
def metadata(rt):
    made = onnx.load_from_string(unary())
    made.producer_name, made.domain, made.model_version, made.doc_string = "me", "ai.me", 7, "text"
    helper.set_model_props(made, {"key": "value"})
    facts = session(rt, made.SerializeToString()).get_modelmeta()
    return [facts.producer_name, facts.domain, facts.version, facts.description, facts.custom_metadata_map, facts.graph_name]


# ---- runs


@snippet
def run_all_outputs(rt):
    return session(rt, two_outputs()).run(None, {"x": np.array([-1, 1], np.float32)})


@snippet
def run_empty_list_of_outputs(rt):
    return session(rt, two_outputs()).run([], {"x": np.array([-1, 1], np.float32)})


@snippet
def run_some_outputs(rt):
    return session(rt, two_outputs()).run(["q"], {"x": np.array([-1, 1], np.float32)})


@snippet
def run_outputs_in_another_order(rt):
    return session(rt, two_outputs()).run(["q", "p"], {"x": np.array([-1, 1], np.float32)})


@snippet
def run_with_list(rt):
    return session(rt).run(None, {"x": [[1.0, -2.0, 3.0]]})


@snippet
def run_with_unknown_output(rt):
    return session(rt).run(["z"], {"x": X})


@snippet
def run_with_unknown_input(rt):
    return session(rt).run(None, {"x": X, "z": X})


@snippet
def run_without_input(rt):
    return session(rt, binary()).run(None, {"a": AB["a"]})


@snippet
def run_with_wrong_type(rt):
    return session(rt).run(None, {"x": X.astype(np.float64)})


@snippet
def run_with_wrong_rank(rt):
    return session(rt).run(None, {"x": X[0]})


@snippet
def run_with_wrong_extent(rt):
    return session(rt).run(None, {"x": X[:, :2]})


@snippet
def run_with_contradicting_extents(rt):
    return session(rt, binary("Mul")).run(None, {"a": np.ones(2, np.float32), "b": np.ones(3, np.float32)})


@snippet
def run_with_strided_array(rt):
    return session(rt).run(None, {"x": np.arange(-6, 6, dtype=np.float32).reshape(2, 6)[:, ::2]})


@snippet
def run_with_fortran_order(rt):
    return session(rt).run(None, {"x": np.asfortranarray(np.arange(-3, 3, dtype=np.float32).reshape(2, 3))})


@snippet
def run_with_no_rows(rt):
    return session(rt).run(None, {"x": np.zeros((0, 3), np.float32)})


@snippet
def run_with_scalar(rt):
    return session(rt, unary(shape=())).run(None, {"x": np.array(-3, np.float32)})


@snippet
def run_with_strings(rt):
    return session(rt, unary("Identity", STR)).run(None, {"x": np.array([["a", "β", ""]], dtype=object)})


@snippet
def run_with_unicode_array(rt):
    return session(rt, unary("Identity", STR)).run(None, {"x": np.array([["a", "bc", "d"]])})


@snippet
def run_with_halves(rt):
    return session(rt, unary("Neg", TensorProto.FLOAT16)).run(None, {"x": X.astype(np.float16)})


@snippet
def run_with_booleans(rt):
    return session(rt, unary("Not", B)).run(None, {"x": np.array([[True, False, True]])})


@snippet
def run_with_default_of_initializer(rt):
    return session(rt, overridable()).run(None, {"x": np.ones(2, np.float32)})


@snippet
def run_with_other_value_of_initializer(rt):
    return session(rt, overridable()).run(None, {"x": np.ones(2, np.float32), "w": np.array([5, 6], np.float32)})


@snippet
def run_twice_keeps_first_result(rt):
    opened = session(rt)
    first = opened.run(None, {"x": X})[0]
    opened.run(None, {"x": 2 * X})
    return first


@snippet
def run_in_threads(rt):
    opened, results = session(rt), [None] * 4

    def work(number):
        results[number] = opened.run(None, {"x": number * X})[0]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    return results


@snippet
def run_async(rt):
    done, box = threading.Event(), []

    def finished(results, data, error):
        box.extend([results, data, error])
        done.set()

    session(rt).run_async(None, {"x": X}, finished, "data")
    done.wait(20)
    return box


@snippet
def run_with_terminate(rt):
    options = rt.RunOptions()
    options.terminate = True
    return session(rt).run(None, {"x": X}, options)


@snippet
def run_with_options(rt):
    options = rt.RunOptions()
    options.log_severity_level, options.logid = 3, "run"
    return session(rt).run(None, {"x": X}, options), options.log_severity_level


# ---- options


@snippet
def options_of_session(rt):
    options = rt.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = rt.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.execution_mode = rt.ExecutionMode.ORT_SEQUENTIAL
    return session(rt, options=options).run(None, {"x": X})


@snippet
def options_have_defaults(rt):
    options = rt.SessionOptions()
    return [options.enable_profiling, options.intra_op_num_threads, options.enable_mem_pattern, options.log_severity_level]


@snippet
def options_with_entry(rt):
    options = rt.SessionOptions()
    options.add_session_config_entry("session.disable_prepacking", "1")
    return options.get_session_config_entry("session.disable_prepacking")


@snippet
def options_without_entry(rt):
    return rt.SessionOptions().get_session_config_entry("none")


@snippet
def options_fix_dimension(rt):
    options = rt.SessionOptions()
    options.add_free_dimension_override_by_name("N", 2)
    return session(rt, options=options).get_inputs()[0].shape


@snippet
def options_profile(rt):
    with tempfile.TemporaryDirectory() as folder:
        options = rt.SessionOptions()
        options.enable_profiling = True
        options.profile_file_prefix = os.path.join(folder, "profile")
        opened = session(rt, options=options)
        opened.run(None, {"x": X})
        return os.path.getsize(opened.end_profiling()) > 0


@snippet
def options_save_optimised_model(rt):
    with tempfile.TemporaryDirectory() as folder:
        options = rt.SessionOptions()
        options.optimized_model_filepath = os.path.join(folder, "model.onnx")
        session(rt, options=options)
        return os.path.exists(options.optimized_model_filepath)


@snippet
def options_of_opened_session(rt):
    options = rt.SessionOptions()
    options.intra_op_num_threads = 1
    return session(rt, options=options).get_session_options().intra_op_num_threads


# ---- values and bindings


@snippet
def value_from_array(rt):
    value = rt.OrtValue.ortvalue_from_numpy(X)
    return [value.shape(), value.data_type(), value.is_tensor(), value.has_value(), value.device_name(), value.numpy()]


@snippet
def value_of_shape(rt):
    value = rt.OrtValue.ortvalue_from_shape_and_type([2, 3], np.float32)
    value.update_inplace(np.ones((2, 3), np.float32))
    return value.numpy(), value.element_type()


@snippet
def values_of_run(rt):
    values = session(rt).run_with_ort_values(["y"], {"x": rt.OrtValue.ortvalue_from_numpy(X)})
    return [value.numpy() for value in values]


@snippet
def binding_of_arrays(rt):
    opened = session(rt, binary())
    binding = opened.io_binding()
    [binding.bind_cpu_input(name, array) for name, array in AB.items()]
    binding.bind_output("y")
    opened.run_with_iobinding(binding)
    return binding.copy_outputs_to_cpu()


@snippet
def binding_of_memory(rt):
    opened, result = session(rt), rt.OrtValue.ortvalue_from_numpy(np.zeros((1, 3), np.float32))
    binding = opened.io_binding()
    binding.bind_input("x", "cpu", 0, np.float32, [1, 3], X.ctypes.data)
    binding.bind_ortvalue_output("y", result)
    opened.run_with_iobinding(binding)
    return result.numpy()


@snippet
def binding_is_cleared(rt):
    binding = session(rt).io_binding()
    binding.bind_cpu_input("x", X)
    binding.bind_output("y")
    binding.clear_binding_inputs()
    binding.clear_binding_outputs()
    return len(binding.get_outputs())


@snippet
def value_of_sparse_tensor(rt):
    return rt.SparseTensor.sparse_coo_from_numpy(np.array([3, 3]), np.ones(1, np.float32), np.array([1]), rt.OrtDevice.make("cpu", 0)).format()


# ---- the module


@snippet
def providers(rt):
    return "CPUExecutionProvider" in rt.get_available_providers() and "CPUExecutionProvider" in rt.get_all_providers()


@snippet
def device(rt):
    return rt.get_device()


@snippet
def levels_of_optimisation(rt):
    names = ["ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED", "ORT_ENABLE_ALL"]
    return [int(getattr(rt.GraphOptimizationLevel, name).value) for name in names]


@snippet
def logger(rt):
    return rt.set_default_logger_severity(3), rt.set_default_logger_verbosity(0), rt.set_seed(1)


@snippet
def session_of_file_object(rt):
    return session(rt, io.BytesIO(unary()))
