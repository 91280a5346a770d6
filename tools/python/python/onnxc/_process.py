"""Functions for the process and the build, with ONNX Runtime's names."""

from __future__ import annotations

import sys
from typing import Any, Iterator, List, Optional

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


def install_as_onnxruntime(version: Optional[str] = None) -> None:
    """Makes ``import onnxruntime`` import this package from now on, in this process.

    If ONNX Runtime is installed, its modules that this package does not have, as ``onnxruntime.quantization``, are
    imported from there, and use this package.

    :param version: what ``onnxruntime.__version__`` is, for code that looks at it; that of an installed ONNX Runtime, or 1.31.0
    """
    import importlib.machinery
    import importlib.metadata
    import importlib.util

    try:
        version = version or importlib.metadata.version("onnxruntime")
    except importlib.metadata.PackageNotFoundError:
        version = "1.31.0"
        _add_distribution("onnxruntime", version)
    package = importlib.import_module("onnxc")
    capi = importlib.import_module("onnxc.capi")
    sys.modules.pop("onnxruntime", None)
    installed = importlib.util.find_spec("onnxruntime")
    spec = importlib.machinery.ModuleSpec("onnxruntime", None, origin=package.__file__, is_package=True)
    spec.submodule_search_locations = [*package.__path__, *((installed and installed.submodule_search_locations) or [])]
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update({name: getattr(package, name) for name in package.__all__})
    module.__dict__.update({"__doc__": package.__doc__, "__file__": package.__file__, "__version__": version, "capi": capi})
    sys.modules["onnxruntime"] = module
    sys.modules["onnxruntime.capi"] = capi
    for name in ("onnxruntime_pybind11_state", "_pybind_state", "onnxruntime_inference_collection"):
        sys.modules[f"onnxruntime.capi.{name}"] = importlib.import_module(f"onnxc.capi.{name}")


def _add_distribution(name: str, version: str) -> None:
    """Makes ``importlib.metadata`` find a distribution, for code that asks which packages are installed."""
    from importlib.metadata import Distribution, DistributionFinder

    class Stated(Distribution):
        def read_text(self, filename: str) -> Optional[str]:
            return f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n" if filename == "METADATA" else None

        def locate_file(self, path: Any) -> Any:
            return path

    class Finder(DistributionFinder):
        def find_spec(self, *_: Any) -> None:
            return None

        def find_distributions(self, context: Any = DistributionFinder.Context()) -> Iterator[Distribution]:
            return iter([Stated()] if context.name is None or context.name.lower().replace("_", "-") == name else [])

    sys.meta_path.append(Finder())
