"""Inference sessions, with ONNX Runtime's names."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from . import _native
from ._options import RunOptions, SessionOptions
from ._values import IOBinding, OrtValue

_PROVIDER = "CPUExecutionProvider"


class NodeArg:
    """An input or an output: ``name``, ``type`` such as ``tensor(float)``, ``shape`` with extents, names, or None."""

    __slots__ = ("name", "shape", "type")

    def __init__(self, name: str, type: str, shape: List[Union[int, str, None]]) -> None:
        self.name = name
        self.type = type
        self.shape = shape

    def __repr__(self) -> str:
        return f"NodeArg(name='{self.name}', type='{self.type}', shape={self.shape})"

    def __str__(self) -> str:
        return self.__repr__()


class ModelMetadata:
    """The metadata of a model."""

    def __init__(self, facts: Dict[str, Any]) -> None:
        self.producer_name: str = facts["producer_name"]
        self.graph_name: str = facts["graph_name"]
        self.domain: str = facts["domain"]
        self.description: str = facts["description"]
        self.graph_description: str = facts["graph_description"]
        self.version: int = facts["version"]
        self.custom_metadata_map: Dict[str, str] = facts["custom_metadata_map"]


def _model(model: Any) -> Dict[str, Any]:
    """The arguments of the native module for a path, bytes, or a ModelProto."""
    if isinstance(model, (str, os.PathLike)):
        return {"path": os.fspath(model)}
    if isinstance(model, (bytes, bytearray, memoryview)):
        return {"bytes": bytes(model)}
    if hasattr(model, "SerializeToString"):
        return {"bytes": model.SerializeToString()}
    if hasattr(model, "read"):
        return {"bytes": model.read()}
    raise TypeError(f"Unable to load from type '{type(model)}': a path, bytes or a ModelProto is expected")


def _write(options: SessionOptions, session: Any) -> None:
    """Writes the simplified model of a session, in place of a file that may be the model's own."""
    path = os.path.realpath(options.optimized_model_filepath)
    if path.endswith(".ort") or options._entries.get("session.save_model_format") == "ORT":
        raise _native.NotImplemented("optimized_model_filepath: models are written in the format of ONNX, not of ONNX Runtime")
    data = session.simplified()
    draft = f"{path}.{os.getpid()}.draft"
    try:
        with open(draft, "wb") as file:
            file.write(data)
        os.replace(draft, path)
    finally:
        if os.path.exists(draft):
            os.remove(draft)


class InferenceSession:
    """A compiled model. Threads may use one session at the same time.

    :param path_or_bytes: the path of a model, its bytes, or a ``ModelProto``
    :param sess_options: a :class:`SessionOptions`
    :param providers: names of providers; all but ``CPUExecutionProvider`` are ignored with a warning
    :raises NoSuchFile: if the file does not exist
    :raises InvalidProtobuf: if it is not a model
    :raises InvalidGraph: if the model breaks a rule of ONNX and cannot be run
    :raises NotImplemented: if something in it is not supported
    """

    def __init__(
        self,
        path_or_bytes: Any,
        sess_options: Optional[SessionOptions] = None,
        providers: Optional[Sequence[Any]] = None,
        provider_options: Optional[Sequence[Dict[Any, Any]]] = None,
        **kwargs: Any,
    ) -> None:
        if sess_options is None:
            sess_options = kwargs.pop("session_options", None) or SessionOptions()
        unknown = set(kwargs) - {"disabled_optimizers", "enable_fallback", "read_config_from_model"}
        if unknown:
            raise TypeError(f"InferenceSession has no arguments {sorted(unknown)}")
        _check_providers(providers, provider_options)
        arguments = _model(path_or_bytes)
        self._model_path = arguments.get("path", "")
        self._options = sess_options
        entries = sess_options._entries
        llvm = entries.get("onnxc.llvm") or _llvm()
        self._session = _native.NativeSession(
            threads=max(0, int(sess_options.intra_op_num_threads)),
            dims=sess_options._dimensions or None,
            arithmetic=sess_options._arithmetic(),
            cache=entries.get("onnxc.cache"),
            llvm=llvm,
            profile=bool(sess_options.enable_profiling),
            warn=_warning(sess_options),
            initializers=[(name, getattr(value, "_value", value)) for name, value in sess_options._initializers],
            **arguments,
        )
        if sess_options.optimized_model_filepath:
            _write(sess_options, self._session)
        self._start = time.time()
        self._execute = self._session.execute
        self._inputs = [NodeArg(*port) for port in self._session.input_ports()]
        self._outputs = [NodeArg(*port) for port in self._session.output_ports()]

    def run(
        self,
        output_names: Optional[Sequence[str]],
        input_feed: Mapping[str, Any],
        run_options: Optional[RunOptions] = None,
    ) -> List[Any]:
        """Runs the model.

        :param output_names: names of the outputs to return; None or an empty list for all
        :param input_feed: inputs by name. A tensor is an array of the dtype and the shape that :meth:`get_inputs` describes, where
            equal names of extents stand for equal extents; anything that ``numpy.asarray`` converts; or an object with
            ``__dlpack__``. Strings are arrays of objects or of text. Sequences are lists, maps are dicts, an empty optional is None
        :param run_options: a :class:`RunOptions`
        :return: a list in the order of the names: arrays, lists, dicts or None
        :raises InvalidArgument: if an input or a name does not fit the model
        :raises ValueError: if an input is missing
        :raises Fail: if ``terminate`` of the options ended the run
        :raises RuntimeException: if the run fails, or takes longer than ``onnxc.deadline``
        """
        if run_options is None:
            return self._execute(output_names or None, input_feed)
        return self._execute(output_names or None, input_feed, run_options._cancel, run_options._deadline())

    def run_async(
        self,
        output_names: Optional[Sequence[str]],
        input_feed: Mapping[str, Any],
        callback: Callable[[List[Any], Any, str], None],
        user_data: Any,
        run_options: Optional[RunOptions] = None,
    ) -> None:
        """Runs the model on another thread and calls ``callback(results, user_data, error)`` there."""
        import threading

        def work() -> None:
            try:
                results, error = self.run(output_names, input_feed, run_options), ""
            except Exception as exception:
                results, error = [], str(exception)
            callback(results, user_data, error)

        threading.Thread(target=work, daemon=True).start()

    def run_with_ort_values(
        self,
        output_names: Optional[Sequence[str]],
        input_dict_ort_values: Mapping[str, OrtValue],
        run_options: Optional[RunOptions] = None,
    ) -> List[OrtValue]:
        """The same as :meth:`run` on values of the type :class:`OrtValue`."""
        feeds = {name: value._value for name, value in input_dict_ort_values.items()}
        names = list(output_names) if output_names else [output.name for output in self._outputs]
        types = {output.name: output.type for output in self._outputs}
        return [OrtValue(value, types[name]) for name, value in zip(names, self.run(names, feeds, run_options))]

    def run_with_iobinding(self, iobinding: IOBinding, run_options: Optional[RunOptions] = None) -> None:
        """Runs the model on the bound values."""
        iobinding._run(run_options)

    def run_with_feeds_fetches(self, *_: Any) -> None:
        """Refused: it belongs to ONNX Runtime's training."""
        raise _native.NotImplemented("run_with_feeds_fetches")

    def io_binding(self) -> IOBinding:
        """An empty binding of inputs and outputs."""
        return IOBinding(self)

    def get_inputs(self) -> List[NodeArg]:
        """The inputs, without initializers."""
        return list(self._inputs)

    def get_outputs(self) -> List[NodeArg]:
        """The outputs."""
        return list(self._outputs)

    def get_overridable_initializers(self) -> List[NodeArg]:
        """Initializers that are inputs: a feed may give another value."""
        return [NodeArg(*port) for port in self._session.overridable_ports()]

    def get_modelmeta(self) -> ModelMetadata:
        """The metadata of the model."""
        return ModelMetadata(self._session.metadata())

    def get_session_options(self) -> SessionOptions:
        """The options that the session was made with."""
        return self._options

    def get_providers(self) -> List[str]:
        """The providers in use."""
        return [_PROVIDER]

    def get_provider_options(self) -> Dict[str, Dict[str, str]]:
        """Options by provider."""
        return {_PROVIDER: {}}

    def set_providers(self, providers: Optional[Sequence[Any]] = None, provider_options: Any = None) -> None:
        """Accepted; there is one provider."""
        _check_providers(providers, provider_options)

    def disable_fallback(self) -> None:
        """Accepted without effect."""

    def enable_fallback(self) -> None:
        """Accepted without effect."""

    def get_profiling_start_time_ns(self) -> int:
        """When profiling began, in nanoseconds."""
        return int(self._start * 1e9)

    def wait_until_optimized(self) -> None:
        """Waits until the optimised tier is ready. Not in ONNX Runtime."""
        self._session.wait_until_optimized()

    def end_profiling(self) -> str:
        """Writes the time of each kernel as a Chrome trace and returns the file's name."""
        if not self._options.enable_profiling:
            return ""
        import json

        path = f"{self._options.profile_file_prefix}{time.strftime('%Y-%m-%d_%H-%M-%S')}_{os.getpid()}.json"
        events, now = [], 0.0
        for kernel, nodes, operators, seconds, calls in self._session.profile():
            duration = seconds * 1e6
            events.append(
                {
                    "cat": "Node",
                    "name": ", ".join(nodes) or kernel,
                    "ph": "X",
                    "pid": os.getpid(),
                    "tid": 1,
                    "ts": int(now),
                    "dur": int(duration),
                    "args": {"kernel": kernel, "op_name": ", ".join(operators), "calls": calls, "provider": _PROVIDER},
                }
            )
            now += duration
        with open(path, "w", encoding="utf-8") as file:
            json.dump(events, file)
        return path

    def __repr__(self) -> str:
        ports = [f"  in  {port.name}: {port.type} {port.shape}" for port in self._inputs]
        ports += [f"  out {port.name}: {port.type} {port.shape}" for port in self._outputs]
        return "\n".join([f"InferenceSession({self._model_path or 'bytes'})", *ports])

    def _repr_html_(self) -> str:
        import html

        def row(kind: str, port: NodeArg) -> str:
            cells = (kind, port.name, port.type, str(port.shape))
            return "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"

        rows = [row("input", port) for port in self._inputs] + [row("output", port) for port in self._outputs]
        return "<table><tr><th></th><th>name</th><th>type</th><th>shape</th></tr>" + "".join(rows) + "</table>"


def _check_providers(providers: Optional[Sequence[Any]], options: Any) -> None:
    """Warns about providers that do not exist here."""
    names = [provider if isinstance(provider, str) else provider[0] for provider in providers or ()]
    if options is not None and providers is not None and len(options) != len(names):
        raise ValueError("provider_options must have an entry for each of providers")
    others = [name for name in names if name != _PROVIDER]
    if others:
        import warnings

        warnings.warn(f"Specified providers {others} are not available; {_PROVIDER} is used", UserWarning, stacklevel=4)


def _warning(options: SessionOptions) -> Optional[Callable[[str], None]]:
    if options.log_severity_level > 2:
        return None
    return lambda text: print(f"onnxc warning: {text}", file=sys.stderr)


def _llvm() -> Optional[str]:
    """The program that optimises with LLVM, if the package that has it is installed or the environment names it."""
    named = os.environ.get("ONNXC")
    if named:
        return named
    try:
        import onnxc_llvm
    except ImportError:
        return None
    return str(onnxc_llvm.program())
