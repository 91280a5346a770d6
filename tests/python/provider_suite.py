"""ONNX's backend test in stock ONNX Runtime, with the execution provider and without it.

    python tests/python/provider_suite.py FOLDER [--plugin FILE] [--filter TEXT] [--every N]

FOLDER is what `tests/conformance/fetch.py` wrote; FILE is the plugin, by default that of the package `onnxc`.

Prints the cases whose results are wrong, or that only ONNX Runtime's own provider runs, and the number of nodes that run in compiled
code. The exit code is 1 if there are such cases.
"""

import argparse
import collections
import ctypes
import os
import pathlib
import sys
import tomllib

import numpy
import onnx
os.environ["ALLOW_RELEASED_ONNX_OPSET_ONLY"] = "0"  # before the import
import onnxruntime
from onnx import numpy_helper

NAME = "OnnxcExecutionProvider"
# element types that ONNX Runtime's arrays do not have: the type of equally wide ones
VIEWS = {1: numpy.uint8, 2: numpy.uint16}


def decoded(path, kind):
    """A value from a file of a test: an array, a list, or None."""
    if kind.HasField("sequence_type"):
        return numpy_helper.to_list(onnx.SequenceProto.FromString(path.read_bytes()))
    if kind.HasField("optional_type"):
        return numpy_helper.to_optional(onnx.OptionalProto.FromString(path.read_bytes()))
    return numpy_helper.to_array(onnx.TensorProto.FromString(path.read_bytes()))


def values(folder, kind, ports):
    """The values in a folder; a test has none for initializers that are inputs."""
    paths = [folder / f"{kind}_{at}.pb" for at in range(len(ports))]
    return [decoded(path, port.type) for path, port in zip(paths, ports) if path.exists()]


def given(value):
    """A value as ONNX Runtime takes it."""
    if is_plain(value):
        return value
    if value.dtype.name in PACKED:
        raise NotImplementedError("elements of fewer than 8 bits in Python")
    number = onnx.helper.np_dtype_to_tensor_dtype(value.dtype)
    return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(value.view(VIEWS[value.dtype.itemsize]), number)


def taken(value, expected):
    """A result as an array; of elements that numpy does not have, their bytes."""
    if is_plain(expected):
        return value.numpy()
    if expected.dtype.name in PACKED:
        raise NotImplementedError("elements of fewer than 8 bits in Python")
    bytes_ = ctypes.string_at(value.data_ptr(), expected.nbytes)
    return numpy.frombuffer(bytes_, VIEWS[expected.dtype.itemsize]).reshape(value.shape())


PACKED = ["int4", "uint4", "float4_e2m1fn", "int2", "uint2"]
NUMPY_TYPES = {"bool", "float16", "float32", "float64", "object"} | {
    f"{sign}int{bits}" for sign in ["", "u"] for bits in [8, 16, 32, 64]
}


def differs(found, expected, rtol, atol):
    """What is wrong with a result; an empty text if nothing is."""
    if isinstance(expected, list):
        if len(found) != len(expected):
            return f"{len(found)} values, not {len(expected)}"
        return next((text for pair in zip(found, expected) if (text := differs(*pair, rtol, atol))), "")
    if expected is None or found is None:
        return "" if expected is None and found is None else f"{found} is not {expected}"
    found, expected = numpy.asarray(found), numpy.asarray(expected)
    if found.shape != expected.shape:
        return f"shape {found.shape}, not {expected.shape}"
    if expected.dtype.kind in "OSU":
        same = numpy.array_equal(found.astype(str), expected.astype(str))
        return "" if same else "other strings"
    if expected.dtype.name == "bfloat16":
        rtol = max(rtol, 2**-6)  # the suite's
    if expected.dtype.name not in NUMPY_TYPES:
        found, expected = found.view(expected.dtype).astype(numpy.float32), expected.astype(numpy.float32)
    elif found.dtype != expected.dtype:
        return f"type {found.dtype}, not {expected.dtype}"
    if numpy.allclose(found, expected, rtol=rtol, atol=atol, equal_nan=True):
        return ""
    return f"largest difference {numpy.nanmax(numpy.abs(found.astype(numpy.float64) - expected.astype(numpy.float64)))}"


def is_plain(value):
    """Whether ONNX Runtime passes a value as an array or a list."""
    return not isinstance(value, numpy.ndarray) or value.dtype.name in NUMPY_TYPES


def box(value):
    """A value of ONNX Runtime's."""
    is_boxed = isinstance(value, onnxruntime.OrtValue)
    return value if is_boxed else onnxruntime.OrtValue.ortvalue_from_numpy(value)


class Runs:
    """Sessions with the provider or without it."""

    def __init__(self, devices):
        self.devices = devices
        self.taken, self.nodes = 0, 0

    def session(self, model):
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        if self.devices:
            options.add_session_config_entry("session.record_ep_graph_assignment_info", "1")
            options.add_provider_for_devices(self.devices, {})
        session = onnxruntime.InferenceSession(str(model), options)
        if self.devices:
            for part in session.get_provider_graph_assignment_info():
                count = len(part.get_nodes())
                self.nodes += count
                self.taken += count if part.ep_name == NAME else 0
        return session

    def outcome(self, case, proto):
        """`right`, `refused: …` or `wrong: …`."""
        try:
            session = self.session(case.folder / "model.onnx")
        except Exception as error:
            return f"refused: {error}"
        for data in sorted(case.folder.glob("test_data_set_*")):
            inputs, expected = values(data, "input", proto.graph.input), values(data, "output", proto.graph.output)
            try:
                feeds = {port.name: given(value) for port, value in zip(proto.graph.input, inputs)}
                if all(is_plain(value) for value in inputs + expected):
                    found = session.run(None, feeds)
                else:
                    boxed = {name: box(value) for name, value in feeds.items()}
                    found = [taken(*pair) for pair in zip(session.run_with_ort_values(None, boxed), expected)]
            except Exception as error:
                return f"refused: {error}"
            for port, pair in zip(proto.graph.output, zip(found, expected)):
                if text := differs(*pair, case.rtol, case.atol):
                    return f"wrong: {port.name}: {text}"
        return "right"


Case = collections.namedtuple("Case", ["name", "folder", "rtol", "atol"])


def all_cases(folder):
    """The cases in a folder that `tests/conformance/fetch.py` wrote."""
    rows = [line.split("\t") for line in (folder / "cases.tsv").read_text(encoding="utf-8").splitlines()]
    return [Case(name, folder / kind / name, float(rtol), float(atol)) for kind, name, rtol, atol in rows]


def known(path):
    """The cases whose expected results are not the only right ones, by `tests/conformance/known.toml`."""
    entries = tomllib.loads(path.read_text(encoding="utf-8"))["known"]
    return {case.split("/")[1] for entry in entries if "modes" not in entry for case in entry["cases"]}


def compare(case, plugin, plain):
    """The outcome with the provider, and what is wrong with it."""
    proto = onnx.load(case.folder / "model.onnx", load_external_data=False)
    own = plugin.outcome(case, proto)
    if own == "right":
        return "right", ""
    theirs = plain.outcome(case, proto)
    if theirs.split(":")[0] == own.split(":")[0]:
        return f"{own.split(':')[0]} by both", f"both {own.splitlines()[0]}" if own.startswith("wrong") else ""
    return "worse", f"{own.splitlines()[0]} | ONNX Runtime: {theirs.splitlines()[0]}"


def register(library):
    """The devices of the plugin."""
    if library is None:
        import onnxc

        return onnxc.register_ep()
    onnxruntime.register_execution_provider_library("onnxc", str(pathlib.Path(library).resolve()))
    return [device for device in onnxruntime.get_ep_devices() if device.ep_name == NAME]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--plugin")
    parser.add_argument("--filter", default="")
    parser.add_argument("--every", type=int, default=1, help="run each Nth case only")
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(4)
    devices = register(options.plugin)
    plugin, plain = Runs(devices), Runs([])
    cases = [case for case in all_cases(pathlib.Path(options.folder)) if options.filter in case.name][:: options.every]
    left_out = known(pathlib.Path(__file__).parents[1] / "conformance" / "known.toml")
    counts = collections.Counter()
    for case in cases:
        if case.name in left_out:
            counts["known"] += 1
            continue
        outcome, text = compare(case, plugin, plain)
        counts[outcome] += 1
        if text:
            print(f"{case.name}: {text}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    print(f"{plugin.taken} of {plugin.nodes} nodes run in compiled code")
    return 1 if counts["worse"] else 0


if __name__ == "__main__":
    sys.exit(main())
