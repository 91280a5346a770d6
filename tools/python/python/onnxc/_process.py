"""Functions for the process and the build, with ONNX Runtime's names."""

from __future__ import annotations

import sys
from typing import Any, List

from . import _native


def get_available_providers() -> List[str]:
    """The only provider."""
    return ["CPUExecutionProvider"]


def get_all_providers() -> List[str]:
    """The only provider."""
    return get_available_providers()


def get_device() -> str:
    """``CPU``"""
    return "CPU"


def get_version_string() -> str:
    """The version of this package."""
    return _native.__version__


def get_build_info() -> str:
    """Name and version."""
    return f"onnxc {_native.__version__}"


def has_collective_ops() -> bool:
    """False."""
    return False


def set_default_logger_severity(severity: int) -> None:
    """Accepted without effect: a session's ``log_severity_level`` counts."""


def set_default_logger_verbosity(verbosity: int) -> None:
    """Accepted without effect."""


def set_seed(seed: int) -> None:
    """Accepted without effect: random operators take their seeds from the model."""


def disable_telemetry_events() -> None:
    """Accepted: telemetry does not exist."""


def enable_telemetry_events() -> None:
    """Accepted without effect: telemetry does not exist."""


def create_and_register_allocator(*_: Any) -> None:
    """Accepted without effect."""


def preload_dlls(*_: Any, **__: Any) -> None:
    """Accepted without effect: nothing is loaded."""


def install_as_onnxruntime(version: str = "1.31.0") -> None:
    """Makes ``import onnxruntime`` import this package from now on, in this process.

    :param version: what ``onnxruntime.__version__`` is, for code that looks at it
    """
    import importlib
    import types

    package = importlib.import_module("onnxc")
    capi = importlib.import_module("onnxc.capi")
    module = types.ModuleType("onnxruntime", package.__doc__)
    module.__dict__.update({name: getattr(package, name) for name in package.__all__})
    module.__dict__.update({"__version__": version, "__path__": package.__path__, "capi": capi})
    sys.modules["onnxruntime"] = module
    sys.modules["onnxruntime.capi"] = capi
    for name in ("onnxruntime_pybind11_state", "_pybind_state", "onnxruntime_inference_collection"):
        sys.modules[f"onnxruntime.capi.{name}"] = importlib.import_module(f"onnxc.capi.{name}")
