"""Options of sessions and runs, with ONNX Runtime's names."""

from __future__ import annotations

import enum
from typing import Any, Optional

from . import _native


class GraphOptimizationLevel(enum.IntEnum):
    """How far the graph may be rewritten. Anything but ``ORT_ENABLE_ALL`` keeps the order of operations of the graph's nodes."""

    ORT_DISABLE_ALL = 0
    ORT_ENABLE_BASIC = 1
    ORT_ENABLE_EXTENDED = 2
    ORT_ENABLE_LAYOUT = 3
    ORT_ENABLE_ALL = 99


class ExecutionMode(enum.IntEnum):
    """Accepted without effect: kernels run one after the other, each on all threads."""

    ORT_SEQUENTIAL = 0
    ORT_PARALLEL = 1


class ExecutionOrder(enum.IntEnum):
    """Accepted without effect."""

    DEFAULT = 0
    PRIORITY_BASED = 1
    MEMORY_EFFICIENT = 2


def _entry(entries: dict[str, str], key: str) -> str:
    """A configuration entry that was set."""
    try:
        return entries[key]
    except KeyError:
        raise RuntimeError(f"no configuration entry {key} was set") from None


class SessionOptions:
    """How a model is compiled.

    Honoured: ``intra_op_num_threads``, ``graph_optimization_level``, ``use_deterministic_compute``, ``log_severity_level``,
    ``enable_profiling`` with ``profile_file_prefix``, ``add_free_dimension_override_by_name``, and of the configuration entries
    ``onnxc.cache`` (a directory), ``onnxc.arithmetic`` (``relaxed``, ``strict`` or ``fixed``) and ``onnxc.llvm`` (the program
    ``onnxc`` with the LLVM back end). ``optimized_model_filepath`` is where a session writes the model as :func:`onnxc.simplify` returns
    it. Refused: ``register_custom_ops_library``. All other attributes are accepted without effect.
    """

    def __init__(self) -> None:
        self.enable_cpu_mem_arena = True
        self.enable_mem_pattern = True
        self.enable_mem_reuse = True
        self.enable_profiling = False
        self.execution_mode = ExecutionMode.ORT_SEQUENTIAL
        self.execution_order = ExecutionOrder.DEFAULT
        self.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_ALL
        self.inter_op_num_threads = 0
        self.intra_op_num_threads = 0
        #: -1 is the default of the process, warnings
        self.log_severity_level = -1
        self.log_verbosity_level = 0
        self.logid = ""
        self.optimized_model_filepath = ""
        self.profile_file_prefix = "onnxc_profile_"
        self.use_deterministic_compute = False
        self.use_per_session_threads = True
        self._entries: dict[str, str] = {}
        self._dimensions: dict[str, int] = {}
        self._initializers: list[tuple[str, Any]] = []

    def add_free_dimension_override_by_name(self, name: str, extent: int) -> None:
        """Fixes a named dimension."""
        self._dimensions[name] = int(extent)

    def add_free_dimension_override_by_denotation(self, denotation: str, extent: int) -> None:
        """Accepted without effect: dimensions are known by name."""

    def add_session_config_entry(self, key: str, value: str) -> None:
        """Sets a configuration entry. Those that begin with ``onnxc.`` have an effect."""
        self._entries[key] = value

    def get_session_config_entry(self, key: str) -> str:
        """A configuration entry that was set."""
        return _entry(self._entries, key)

    def add_initializer(self, name: str, value: Any) -> None:
        """Replaces the value of an initializer by an :class:`OrtValue` or an array."""
        self._initializers.append((name, value))

    def add_external_initializers(self, names: Any, values: Any) -> None:
        """Replaces the values of initializers, whose external data need not exist."""
        if len(names) != len(values):
            raise RuntimeError(f"{len(names)} names for {len(values)} values")
        self._initializers += zip(names, values)

    def register_custom_ops_library(self, path: str) -> None:
        """Refused: custom operators for ONNX Runtime are not compiled."""
        raise _native.NotImplemented("register_custom_ops_library: custom operators are not supported")

    def has_providers(self) -> bool:
        """Whether providers were added to the options."""
        return False

    def _arithmetic(self) -> str:
        if "onnxc.arithmetic" in self._entries:
            return self._entries["onnxc.arithmetic"]
        if self.use_deterministic_compute:
            return "fixed"
        is_whole = int(self.graph_optimization_level) >= int(GraphOptimizationLevel.ORT_ENABLE_EXTENDED)
        return "relaxed" if is_whole else "strict"


class RunOptions:
    """Limits of one run.

    ``terminate`` ends the runs that were given these options when it is set from another thread. The configuration entry
    ``onnxc.deadline`` is a number of seconds after which a run is ended.
    """

    def __init__(self) -> None:
        self.log_severity_level = 2
        self.log_verbosity_level = 0
        self.logid = ""
        self.only_execute_path_to_fetches = False
        self.training_mode = False
        self._entries: dict[str, str] = {}
        self._cancel = _native.Cancel()
        self._terminate = False

    @property
    def terminate(self) -> bool:
        """Whether runs with these options are to end."""
        return self._terminate

    @terminate.setter
    def terminate(self, value: bool) -> None:
        if value:
            self._cancel.cancel()
        elif self._terminate:
            self._cancel = _native.Cancel()
        self._terminate = bool(value)

    def add_run_config_entry(self, key: str, value: str) -> None:
        """Sets a configuration entry."""
        self._entries[key] = value

    def get_run_config_entry(self, key: str) -> str:
        """A configuration entry that was set."""
        return _entry(self._entries, key)

    def _deadline(self) -> Optional[float]:
        text = self._entries.get("onnxc.deadline")
        return None if text is None else float(text)
