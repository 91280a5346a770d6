"""Pictures scored by two workers of Ray, with onnxc.ray.Predictor and with ONNX Runtime in its place."""

import os
import pathlib
import signal
import threading
import time

import numpy
import onnx
import onnxruntime
import ray

import onnxc.ray

BATCH = 32
WORKERS = 2


class Reference:
    """What onnxc.ray.Predictor does, by ONNX Runtime on one thread."""

    def __init__(self, model, inputs):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        self.inputs = inputs

    def __call__(self, batch):
        feeds = {name: batch[column] for name, column in self.inputs.items()}
        return {"id": batch["id"], "prediction": self.session.run(None, feeds)[0]}


class Predictor(onnxc.ray.Predictor):
    """Its results have no pictures."""

    def __init__(self, model, inputs):
        super().__init__(model, inputs, keep=["id"])


class Watched(Predictor):
    """A predictor that writes the number of its process to a folder."""

    def __init__(self, model, inputs, folder):
        super().__init__(model, inputs)
        (pathlib.Path(folder) / str(os.getpid())).touch()


def shape(path):
    """The name of a model's input, and the shape of a picture."""
    port = onnx.load(path).graph.input[0]
    extents = [dimension.dim_value for dimension in port.type.tensor_type.shape.dim]
    return port.name, [extent if extent > 0 else default for extent, default in zip(extents[1:], (3, 48, 192))]


class Pictures:
    """Pictures of smooth noise, each a part of the same one at another position."""

    def __init__(self, extents):
        self.extents = extents
        channels, height, width = extents
        random = numpy.random.default_rng(0)
        coarse = random.normal(0, 0.5, (channels, height // 8 + 1, 2 * width // 8)).astype(numpy.float32)
        self.texture = coarse.repeat(8, 1)[:, :height].repeat(8, 2)

    def __call__(self, batch):
        width = self.extents[-1]
        starts = [int(number) * 7 % width for number in batch["id"]]
        return {"id": batch["id"], "picture": numpy.stack([self.texture[..., at : at + width] for at in starts])}


def scored(options, predictor, arguments, count):
    """The ids and predictions of pictures in the order of ids."""
    _, extents = shape(options.models / options.picture_model / "model.onnx")
    pictures = ray.data.range(count, override_num_blocks=max(2 * WORKERS, count // 256))
    pictures = pictures.map_batches(Pictures(extents), batch_size=BATCH)
    # half of a processor each, which leaves some to the producer of the pictures
    pool = ray.data.ActorPoolStrategy(size=WORKERS)
    settings = {"batch_size": BATCH, "num_cpus": 0.5, "compute": pool}
    results = pictures.map_batches(predictor, fn_constructor_args=arguments, **settings)
    batches = list(results.iter_batches(batch_size=None))
    ids = numpy.concatenate([batch["id"] for batch in batches])
    values = numpy.concatenate([numpy.stack(list(batch["prediction"])) for batch in batches])
    order = numpy.argsort(ids, kind="stable")
    if not numpy.array_equal(ids[order], numpy.arange(count)):
        raise RuntimeError("pictures are lost or doubled")
    return values[order]


def start():
    quiet = {"include_dashboard": False, "log_to_driver": False, "logging_level": "ERROR"}
    ray.init(num_cpus=WORKERS, object_store_memory=2 << 30, **quiet)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False


def model_and_inputs(options):
    model = options.models / options.picture_model / "model.onnx"
    return str(model.resolve()), {shape(model)[0]: "picture"}


def measure(options):
    """Pictures per second of both."""
    start()
    arguments = model_and_inputs(options)
    rates, results = {}, {}
    for name, predictor in (("onnxc", Predictor), ("ONNX Runtime", Reference)):
        scored(options, predictor, arguments, min(options.pictures, 1000))
        began = time.perf_counter()
        results[name] = scored(options, predictor, arguments, options.pictures)
        rates[name] = options.pictures / (time.perf_counter() - began)
    ray.shutdown()
    print(f"{options.picture_model}, {options.pictures} pictures, {WORKERS} workers of Ray")
    for name, rate in rates.items():
        print(f"  {name}: {rate:,.0f} pictures/s")
    if not numpy.allclose(results["onnxc"], results["ONNX Runtime"], rtol=1e-3, atol=1e-4):
        raise RuntimeError("the results differ")
    print(f"  equal to 1e-3; onnxc / ONNX Runtime in Ray: {rates['onnxc'] / rates['ONNX Runtime']:.2f}", flush=True)


def kill_one(folder, after):
    """Kills the first of the watched processes after some seconds."""
    deadline = time.monotonic() + 120
    while len(list(folder.iterdir())) < WORKERS and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(after)
    os.kill(int(min(folder.iterdir()).name), signal.SIGKILL)


def faults(options):
    """A worker that is killed, and pictures that the model refuses."""
    # the optimised tier may have other bits, and begins at any time
    os.environ.pop("ONNXC", None)
    start()
    model, inputs = model_and_inputs(options)
    count = min(options.pictures, 10_000)
    expected = scored(options, Predictor, (model, inputs), count)
    folder = options.scratch.resolve() / "workers"
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    killer = threading.Thread(target=kill_one, args=(folder, 1))
    killer.start()
    found = scored(options, Watched, (model, inputs, str(folder)), count)
    killer.join()
    if len(list(folder.iterdir())) <= WORKERS:
        raise RuntimeError("the worker was killed after the last picture: use more pictures")
    if found.tobytes() != expected.tobytes():
        raise RuntimeError("the result after the loss of a worker differs")
    print(f"faults, {count} pictures\n  a worker of Ray killed in the middle: all pictures once, equal bits")
    try:
        scored(options, Predictor, (model, {next(iter(inputs)): "id"}), BATCH)
        raise RuntimeError("numbers were taken as pictures")
    except ray.exceptions.RayError as error:
        lines = [line for line in str(error).splitlines() if "InvalidArgument" in line]
        if not lines:
            raise
        print(f"  an input that the model refuses: {lines[-1].strip()[:200]}")
    ray.shutdown()
