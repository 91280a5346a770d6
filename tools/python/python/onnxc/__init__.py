"""Compiles ONNX models to native code, in process, and runs them.

The names and the behaviour are those of ``onnxruntime``::

    import onnxc
    session = onnxc.InferenceSession("model.onnx")
    outputs = session.run(None, {"x": array})

Arrays are read where they are, and results own their memory: nothing is copied. Compiling and running release the interpreter's
lock; one session may be used by many threads.
"""

from ._native import __version__
from ._native import Fail, InvalidArgument, InvalidGraph, InvalidProtobuf, NoSuchFile, NotImplemented, RuntimeException
from ._options import (
    ExecutionMode,
    ExecutionOrder,
    GraphOptimizationLevel,
    RunOptions,
    SessionOptions,
)
from ._provider import register_ep, unregister_ep
from ._session import InferenceSession, ModelMetadata, NodeArg
from ._values import IOBinding, OrtDevice, OrtValue, SparseTensor
from ._tools import check, compile, inspect, program, simplify
from ._process import (
    create_and_register_allocator,
    disable_telemetry_events,
    enable_telemetry_events,
    get_all_providers,
    get_available_providers,
    get_build_info,
    get_device,
    get_version_string,
    has_collective_ops,
    install_as_onnxruntime,
    preload_dlls,
    set_default_logger_severity,
    set_default_logger_verbosity,
    set_seed,
)

__all__ = [
    "ExecutionMode",
    "ExecutionOrder",
    "Fail",
    "GraphOptimizationLevel",
    "IOBinding",
    "InferenceSession",
    "InvalidArgument",
    "InvalidGraph",
    "InvalidProtobuf",
    "ModelMetadata",
    "NoSuchFile",
    "NodeArg",
    "NotImplemented",
    "OrtDevice",
    "OrtValue",
    "RunOptions",
    "RuntimeException",
    "SessionOptions",
    "SparseTensor",
    "__version__",
    "check",
    "compile",
    "create_and_register_allocator",
    "disable_telemetry_events",
    "enable_telemetry_events",
    "get_all_providers",
    "get_available_providers",
    "get_build_info",
    "get_device",
    "get_version_string",
    "has_collective_ops",
    "inspect",
    "install_as_onnxruntime",
    "preload_dlls",
    "program",
    "register_ep",
    "set_default_logger_severity",
    "set_default_logger_verbosity",
    "set_seed",
    "simplify",
    "unregister_ep",
]
