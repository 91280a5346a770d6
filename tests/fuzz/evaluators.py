"""Models on arrays, by the program under test, by ONNX's reference evaluator and by ONNX Runtime."""
import subprocess
import tempfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

onnxruntime.set_default_logger_severity(4)


def node_model(op_type, inputs, outputs, opset=22, **attributes):
    """A model of one node: inputs are arrays, None where the node has none; outputs are element types. With what to feed it."""
    infos, feeds, names = [], {}, []
    for at, value in enumerate(inputs):
        names.append("" if value is None else f"i{at}")
        if value is not None:
            value = np.asarray(value)
            infos.append(helper.make_tensor_value_info(names[-1], helper.np_dtype_to_tensor_dtype(value.dtype), value.shape))
            feeds[names[-1]] = value
    results = [helper.make_tensor_value_info(f"y{at}", element, None) for at, element in enumerate(outputs)]
    node = helper.make_node(op_type, names, [result.name for result in results], **attributes)
    graph = helper.make_graph([node], "g", infos, results)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10), feeds


def are_near(found, expected, tolerance):
    """Whether numbers differ by at most a part of the largest finite one; infinities and NaN are the same."""
    with np.errstate(all="ignore"):
        found, expected = found.astype("f8"), expected.astype("f8")
        special = ~np.isfinite(expected)
        if not np.array_equal(found[special], expected[special], equal_nan=True):
            return False
        size = max(np.abs(expected[~special]).max(initial=0), 1e-3)
        return bool((np.abs(found[~special] - expected[~special]) <= tolerance * size).all())


def same_bits(found, expected):
    """Whether two arrays are equal to the bit; one NaN is like another, and a text is like another object with it."""
    if found.shape != expected.shape:
        return False
    if expected.dtype.kind in "OUS":
        return bool((found.astype(str) == expected.astype(str)).all())
    if found.dtype != expected.dtype or found.dtype.kind != "f":
        return found.dtype == expected.dtype and found.tobytes() == expected.tobytes()
    missing = np.isnan(found)
    return bool((missing == np.isnan(expected)).all()) and found[~missing].tobytes() == expected[~missing].tobytes()


def own(program, model, feeds, *options, seconds=60):
    """Exit code 0 and the results, or another exit code and the message; 124 after so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, f"{folder}/model.onnx")
        given = []
        if feeds:
            np.savez(f"{folder}/in.npz", **feeds)
            given = ["--inputs", f"{folder}/in.npz"]
        command = [program, f"{folder}/model.onnx", *given, "--no-cache", "--save", f"{folder}/out.npz", *options]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=seconds)
        except subprocess.TimeoutExpired:
            return 124, f"takes more than {seconds} s"
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.startswith("error")] or done.stderr.splitlines() or [""]
            return done.returncode, said[0]
        found = np.load(f"{folder}/out.npz", allow_pickle=True)
        return 0, [found[port.name] for port in model.graph.output]


def reference(model, feeds):
    return ReferenceEvaluator(model).run(None, feeds)


def runtime(model, feeds):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, feeds)


def attempt(evaluate, model, feeds):
    """The results; None where the evaluator refuses. It has copies: ONNX Runtime writes into inputs of a BatchNormalization that trains."""
    try:
        with np.errstate(all="ignore"):
            return [np.asarray(value) for value in evaluate(model, {name: np.copy(value) for name, value in feeds.items()})]
    except Exception:
        return None


FLOAT, FLOAT16 = TensorProto.FLOAT, TensorProto.FLOAT16
