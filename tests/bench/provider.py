"""Models in stock ONNX Runtime, with the execution provider and with its own CPU provider, on one thread each, alternating:
`provider.py MODELS [NAME...] [--llvm PROGRAM]`.

Prints a table in Markdown: whether the results are those of ONNX Runtime without its optimisations, the nodes that run in compiled code, the time to create a session and run it
once, and the best of the rounds' median latencies.
"""

import argparse
import math
import pathlib
import statistics
import sys
import time
import tomllib

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

import onnxc

NAME = "OnnxcExecutionProvider"
#: rounds, and seconds that each contender runs in one of them
ROUNDS, SECONDS = 5, 0.4
#: seconds until LLVM's code is ready
LLVM_SECONDS = 20


def create(path, devices, llvm=None, level=onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL):
    """A session on one thread."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = level
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    if devices:
        options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
        options.add_provider_for_devices(devices, {"threads": "1", **({"llvm": llvm} if llvm else {})})
    return onnxruntime.InferenceSession(str(path), options)


def inputs(path):
    """The model's first test data."""
    graph = onnx.load(path, load_external_data=False).graph
    constants = {tensor.name for tensor in graph.initializer}
    ports = [port for port in graph.input if port.name not in constants]
    files = [path.parent / "test_data_set_0" / f"input_{at}.pb" for at in range(len(ports))]
    tensors = [onnx.TensorProto.FromString(file.read_bytes()) for file in files]
    return {port.name: numpy_helper.to_array(tensor) for port, tensor in zip(ports, tensors)}


def tolerances():
    """The tolerances of `tests/models/manifest.toml`, relative and absolute."""
    manifest = pathlib.Path(__file__).parents[1] / "models" / "manifest.toml"
    models = tomllib.loads(manifest.read_text(encoding="utf-8"))["model"]
    return {model["name"]: model["tolerance"] for model in models if "tolerance" in model}


def is_close(found, expected, tolerance):
    """Whether two results are equal."""
    if isinstance(expected, (list, dict)):
        pairs = zip(found, expected) if isinstance(expected, list) else [(found[key], expected[key]) for key in expected]
        return len(found) == len(expected) and all(is_close(*pair, tolerance) for pair in pairs)
    found, expected = numpy.asarray(found), numpy.asarray(expected)
    if expected.dtype.kind in "OSU":
        return numpy.array_equal(found, expected)
    scale = numpy.abs(expected.astype(numpy.float64)).max(initial=0)
    relative, absolute = tolerance.get("relative", 1e-3), max(tolerance.get("absolute", 0), 1e-3 * scale)
    return found.shape == expected.shape and numpy.allclose(found, expected, rtol=relative, atol=absolute)


def latency(session, feeds, seconds=SECONDS):
    """The median of the runs of some time."""
    times, begin = [], time.perf_counter()
    while not times or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        session.run(None, feeds)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure(path, devices, llvm):
    """Equal, nodes in compiled code, all nodes, first results and latencies: theirs and ours."""
    feeds, sessions, first, results = inputs(path), [], [], []
    expected = create(path, [], level=onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL).run(None, feeds)
    tolerance = tolerances().get(path.parent.name, {})
    for provider in [[], devices]:
        start = time.perf_counter()
        sessions.append(create(path, provider, llvm))
        results.append(sessions[-1].run(None, feeds))
        first.append(time.perf_counter() - start)
    parts = sessions[1].get_provider_graph_assignment_info()
    counts = [sum(len(part.get_nodes()) for part in parts if name in part.ep_name) for name in [NAME, ""]]
    # optimised tiers are compiled in the background
    latency(sessions[0], feeds)
    latency(sessions[1], feeds, LLVM_SECONDS if llvm else SECONDS)
    rounds = [[latency(session, feeds) for session in sessions] for _ in range(ROUNDS)]
    return is_close(results[1], expected, tolerance), counts, first, [min(times) for times in zip(*rounds)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--llvm", help="the program onnxc with LLVM")
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(4)
    devices = onnxc.register_ep()
    paths = sorted(pathlib.Path(options.models).glob("*/model.onnx"))
    paths = [path for path in paths if not options.names or path.parent.name in options.names]
    print("| model | equal | compiled nodes | first result, ms | with onnxc | latency, ms | with onnxc | ratio |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    ratios, are_equal = [], True
    for path in paths:
        equal, (own, nodes), first, times = measure(path, devices, options.llvm)
        are_equal &= equal
        ratios.append(times[1] / times[0])
        begin, run = ([f"{1000 * value:.2f}" for value in pair] for pair in (first, times))
        words = [path.parent.name, "yes" if equal else "NO", f"{own} of {nodes}", *begin, *run, f"{ratios[-1]:.2f}"]
        print(f"| {' | '.join(words)} |", flush=True)
    print(f"\nGeometric mean of {len(ratios)} ratios: {math.prod(ratios) ** (1 / len(ratios)):.3f}")
    return 0 if are_equal else 1


if __name__ == "__main__":
    sys.exit(main())
