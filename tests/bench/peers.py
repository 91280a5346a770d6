"""Measures one peer in a separate process: `peers.py onnxruntime|openvino MODEL DATA THREADS RUNS` prints one line of JSON.

- latency: median of the runs, after a warm-up run;
- cold: from loading the model to the first result, without the time Python takes to start and to import;
- memory: the most this process held, less what it held before it imported the peer.
"""

import json
import statistics
import sys
import time
from pathlib import Path

import numpy
import onnx
from onnx import numpy_helper


def status(field):
    """A line of /proc/self/status, in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    return 0.0


def inputs_of(model, data):
    """The tensors of a folder of test data, by the names of the model's inputs."""
    graph = onnx.load(model, load_external_data=False).graph
    constants = {initializer.name for initializer in graph.initializer}
    names = [info.name for info in graph.input if info.name not in constants]
    files = sorted(data.glob("input_*.pb"), key=lambda path: int(path.stem.split("_")[1]))
    return dict(zip(names, (numpy.ascontiguousarray(numpy_helper.to_array(onnx.load_tensor(path))) for path in files)))


def load_onnxruntime(model, threads):
    """What makes a function that runs the model on named tensors."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3

    def load():
        session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        return lambda inputs: session.run(None, inputs)

    return load


def load_openvino(model, threads):
    """The same, in the precision of the model."""
    import openvino

    core = openvino.Core()
    options = {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32"}

    def load():
        request = core.compile_model(str(model), "CPU", options).create_infer_request()
        return lambda inputs: [request.infer(inputs, share_inputs=True, share_outputs=True)]

    return load


PEERS = {"onnxruntime": load_onnxruntime, "openvino": load_openvino}


def main():
    peer, model, data, threads, runs = sys.argv[1:]
    inputs = inputs_of(model, Path(data))
    before = status("VmRSS")
    load = PEERS[peer](Path(model), int(threads))
    start = time.perf_counter()
    run = load()
    run(inputs)
    cold = time.perf_counter() - start
    times = []
    for _ in range(int(runs)):
        start = time.perf_counter()
        run(inputs)
        times.append(time.perf_counter() - start)
    print(json.dumps({"latency": statistics.median(times) * 1e3, "cold": cold * 1e3, "memory": status("VmHWM") - before}))


if __name__ == "__main__":
    main()
