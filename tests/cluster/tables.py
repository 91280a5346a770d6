"""A table scored by one process and by executors of Ballista, with this compiler and with ONNX Runtime."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import urllib.request

import numpy
import onnx
import onnxruntime
import pyarrow
import pyarrow.compute
import pyarrow.parquet

#: rows that are generated at a time, and of a row group
CHUNK = 250_000
#: what one column of a model's input has
VALUES = {
    "skl_rf_digits": lambda random, rows: random.integers(0, 17, rows, numpy.uint8),
    "skl_gbr_diabetes": lambda random, rows: random.normal(0, 0.05, rows).astype(numpy.float32),
}


def ports(path):
    """The number of columns of a model's input, and the name of its first output."""
    graph = onnx.load(path).graph
    return graph.input[0].type.tensor_type.shape.dim[1].dim_value, graph.output[0].name


def generate(path, model, rows, width):
    """Writes a table with the columns `id` and `c0`, `c1`, …, unless it is there."""
    if path.exists():
        return
    draft = path.with_suffix(".draft")
    names = ["id", *(f"c{at}" for at in range(width))]
    writer = None
    for start in range(0, rows, CHUNK):
        random = numpy.random.default_rng([0, start])
        count = min(CHUNK, rows - start)
        columns = [numpy.arange(start, start + count), *(VALUES[model](random, count) for _ in range(width))]
        table = pyarrow.table(dict(zip(names, columns)))
        writer = writer or pyarrow.parquet.ParquetWriter(draft, table.schema)
        writer.write_table(table, row_group_size=CHUNK)
    writer.close()
    draft.rename(path)


def free_port():
    """A port that is free, and so is probably the next."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Cluster:
    """A scheduler and executors, each with one thread."""

    def __init__(self, options, executors=2):
        self.program = options.programs / "onnxc-ballista"
        self.folder = options.scratch / "ballista"
        self.log = (options.scratch / "ballista.log").open("w")
        self.port = free_port()
        shutil.rmtree(self.folder, ignore_errors=True)
        self.scheduler = self.start("scheduler", "--port", self.port, "--executors", executors)
        self.executors = [self.executor(at) for at in range(executors)]
        self.wait()

    def start(self, *arguments):
        environment = {**os.environ, "RUST_LOG": "warn", "ORT_DYLIB_PATH": onnxruntime_library()}
        command = [self.program, *map(str, arguments)]
        return subprocess.Popen(command, env=environment, stdout=self.log, stderr=self.log)

    def executor(self, at):
        folder = self.folder / str(at)
        folder.mkdir(parents=True)
        return self.start("executor", "--scheduler", self.port, "--port", free_port(), "--folder", folder)

    def wait(self):
        """Waits until all executors are registered."""
        for _ in range(300):
            with contextlib.suppress(OSError):
                if urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz").status == 200:
                    return
            time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"the executors are not registered: {self.log.name}")

    def query(self, sql, table, save):
        """Starts a query whose result goes to a file."""
        save.unlink(missing_ok=True)
        command = [self.program, "query", sql, "--table", table.resolve(), "--save", save, "--scheduler", str(self.port)]
        environment = {**os.environ, "ORT_DYLIB_PATH": onnxruntime_library()}
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def stop(self):
        for process in (*self.executors, self.scheduler):
            process.kill()
            process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def onnxruntime_library():
    """The library of the Python package."""
    return str(next(pathlib.Path(onnxruntime.__file__).parent.glob("capi/libonnxruntime.so.*")))


def finished(process):
    """The output of a process that succeeds."""
    output, error = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{' '.join(map(str, process.args))}\n{error}")
    return output


def score(options, model, table, save, *further):
    """Starts the table program."""
    save.unlink(missing_ok=True)
    width, _ = ports(model)
    columns = ",".join(f"c{at}" for at in range(width))
    command = [options.programs / "onnxc-table", model, "--table", table, "--columns", columns, "--save", save, *further]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def prediction(function, model):
    """The query that scores a table."""
    width, output = ports(model)
    columns = ", ".join(f"c{at}" for at in range(width))
    return f"SELECT id, {function}('{model.resolve()}#{output}', {columns}) AS prediction FROM t"


def predictions(path):
    """The predictions of a result in the order of the rows, each of which must be there once."""
    table = pyarrow.parquet.read_table(path, columns=["id", "prediction"])
    ids, values = (table[name].combine_chunks().to_numpy(zero_copy_only=False) for name in ("id", "prediction"))
    order = numpy.argsort(ids, kind="stable")
    if not numpy.array_equal(ids[order], numpy.arange(len(ids))):
        raise RuntimeError(f"{path}: rows are lost or doubled")
    return values[order]


def same_bits(a, b):
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


def timed(process):
    """The seconds until a process that succeeds ends."""
    start = time.perf_counter()
    finished(process)
    return time.perf_counter() - start


def measure(options):
    """Rows per second of one process and of two executors."""
    model = options.models / options.model / "model.onnx"
    table = options.scratch / f"{options.model}-{options.rows}.parquet"
    generate(table, options.model, options.rows, ports(model)[0])
    one, many, theirs = (options.scratch / f"{name}.parquet" for name in ("one", "many", "theirs"))
    seconds = {"one process, onnxc": timed(score(options, model, table, one))}
    with Cluster(options) as cluster:
        seconds["two executors, onnxc"] = timed(cluster.query(prediction("predict", model), table, many))
        query = prediction("predict_onnxruntime", model)
        seconds["two executors, ONNX Runtime"] = timed(cluster.query(query, table, theirs))
    print(f"{options.model}, {options.rows} rows")
    for name, time_taken in seconds.items():
        print(f"  {name}: {time_taken:.1f} s, {options.rows / time_taken:,.0f} rows/s")
    expected, reference = predictions(one), predictions(theirs)
    if len(expected) != options.rows or not same_bits(predictions(many), expected):
        raise RuntimeError("the results of the executors and of one process differ")
    differences = numpy.count_nonzero(~numpy.isclose(expected, reference, rtol=1e-4, atol=1e-4))
    print(f"  executors and one process: equal bits; ONNX Runtime: {differences} rows differ")
    ratio = seconds["two executors, ONNX Runtime"] / seconds["two executors, onnxc"]
    print(f"  onnxc / ONNX Runtime in Ballista: {ratio:.2f}", flush=True)


def damaged(table, path, row_group):
    """A copy of a table with a row group whose second column is overwritten."""
    shutil.copyfile(table, path)
    column = pyarrow.parquet.read_metadata(path).row_group(row_group).column(1)
    with path.open("r+b") as file:
        file.seek(column.data_page_offset)
        file.write(b"\xff" * min(4096, column.total_compressed_size // 2))


def refusing(path):
    """A model that refuses numbers above 9."""
    helper = onnx.helper
    row = helper.make_tensor_value_info("x", onnx.TensorProto.INT64, ["N", 1])
    result = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["N", 1])
    weights = onnx.numpy_helper.from_array(numpy.arange(10, dtype=numpy.float32), "w")
    graph = helper.make_graph([helper.make_node("Gather", ["w", "x"], ["y"])], "refusing", [row], [result], [weights])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


def expect_failure(process, save, *words):
    """Checks that a process fails with a message and leaves no result."""
    _, error = process.communicate()
    missing = [word for word in words if word not in error]
    if process.returncode == 0 or missing or save.exists():
        raise RuntimeError(f"{' '.join(map(str, process.args))}: expected an error with {words}, got\n{error}")
    print(f"    {error.strip().splitlines()[0][:200]}")


def lost_executor(options, model, table, expected):
    """Kills one of two executors in the middle of a query."""
    many = options.scratch / "many.parquet"
    with Cluster(options) as cluster:
        seconds = timed(cluster.query(prediction("predict", model), table, many))
        query = cluster.query(prediction("predict", model), table, many)
        time.sleep(seconds / 2)
        if query.poll() is not None:
            raise RuntimeError("the query ended before the executor was killed: use more rows")
        cluster.executors[0].kill()
        finished(query)
    if not same_bits(predictions(many), expected):
        raise RuntimeError("the result after the loss of an executor differs")
    print("  an executor killed in the middle: all rows once, equal bits")


def killed_program(options, model, table):
    """Ends the table program in the middle."""
    save = options.scratch / "killed.parquet"
    folder = set(options.scratch.iterdir())
    for number in (signal.SIGTERM, signal.SIGKILL):
        process = score(options, model, table, save)
        time.sleep(0.5)
        process.send_signal(number)
        if process.wait() == 0 or save.exists():
            raise RuntimeError("a program that was killed left a result")
        left = set(options.scratch.iterdir()) - folder
        if number == signal.SIGTERM and left:
            raise RuntimeError(f"a program that was ended left {left}")
        for path in left:
            path.unlink()
    print("  the table program killed in the middle: no result")


def faults(options):
    """Lost processes, damaged files, refused rows."""
    rows = min(options.rows, 2_000_000)
    model = options.models / options.model / "model.onnx"
    table = options.scratch / f"{options.model}-{rows}.parquet"
    generate(table, options.model, rows, ports(model)[0])
    one, save = options.scratch / "one.parquet", options.scratch / "refused.parquet"
    print(f"faults, {rows} rows")
    finished(score(options, model, table, one))
    lost_executor(options, model, table, predictions(one))
    killed_program(options, model, table)
    broken = options.scratch / "broken.parquet"
    damaged(table, broken, rows // CHUNK // 2)
    refuses = options.scratch / "refuses.onnx"
    refusing(refuses)
    values = numpy.arange(rows) % 10
    values[rows // 3] = 77
    refused = options.scratch / "refused-rows.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"id": numpy.arange(rows), "c0": values}), refused, row_group_size=CHUNK)
    with Cluster(options) as cluster:
        print("  a damaged row group:")
        expect_failure(score(options, model, broken, save), save, str(broken), "after row ")
        expect_failure(cluster.query(prediction("predict", model), broken, save), save, "Parquet")
        print("  a row that the model refuses:")
        expect_failure(score(options, refuses, refused, save), save, f"{refused}: row {rows // 3}: ", "c0 = 77")
        expect_failure(cluster.query(prediction("predict", refuses), refused, save), save, "row: ", "c0 = 77")
        # executors survive errors
        finished(cluster.query(prediction("predict", model), table, options.scratch / "many.parquet"))
