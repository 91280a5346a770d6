"""ONNX's backend interface: ``prepare``, ``run_model``, ``run_node``, ``supports_device``."""

from __future__ import annotations

from typing import Any, Sequence, Tuple

import numpy
from onnx import ModelProto, NodeProto, TensorProto, helper
from onnx.backend.base import Backend, BackendRep, Device, DeviceType

from ._options import SessionOptions
from ._session import InferenceSession


class PreparedModel(BackendRep):
    """A compiled model."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session

    def run(self, inputs: Any, **kwargs: Any) -> Tuple[Any, ...]:
        """Runs the model on inputs in its order, or by name."""
        names = [port.name for port in self._session.get_inputs()]
        names += [port.name for port in self._session.get_overridable_initializers()]
        if isinstance(inputs, dict):
            feeds = inputs
        elif isinstance(inputs, (list, tuple)):
            feeds = dict(zip(names, inputs))
        else:
            feeds = {names[0]: inputs}
        return tuple(self._session.run(None, feeds))


class OnnxcBackend(Backend):
    """Compiles models and runs them."""

    @classmethod
    def is_compatible(cls, model: ModelProto, device: str = "CPU", **kwargs: Any) -> bool:
        """Whether the model can be compiled."""
        try:
            cls.prepare(model, device, **kwargs)
        except RuntimeError:
            return False
        return True

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether the device is supported: only CPU."""
        return bool(Device(device).type == DeviceType.CPU)

    @classmethod
    def prepare(cls, model: Any, device: str = "CPU", **kwargs: Any) -> PreparedModel:
        """Compiles a model."""
        options = kwargs.get("sess_options") or SessionOptions()
        options.log_severity_level = max(options.log_severity_level, 3)
        return PreparedModel(InferenceSession(model, options))

    @classmethod
    def run_model(cls, model: Any, inputs: Any, device: str = "CPU", **kwargs: Any) -> Tuple[Any, ...]:
        """Compiles a model and runs it once."""
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(
        cls, node: NodeProto, inputs: Sequence[Any], device: str = "CPU", outputs_info: Any = None, **kwargs: Any
    ) -> Tuple[Any, ...]:
        """Runs a single node."""
        arrays = [numpy.asarray(value) for value in inputs]
        names = [name for name in node.input if name]
        info = [
            helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
            for name, array in zip(names, arrays)
        ]
        results = [helper.make_tensor_value_info(name, TensorProto.UNDEFINED, None) for name in node.output if name]
        if outputs_info:
            results = [
                helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(numpy.dtype(dtype)), shape)
                for name, (dtype, shape) in zip(node.output, outputs_info)
            ]
        model = helper.make_model(helper.make_graph([node], "node", info, results), **kwargs)
        return cls.run_model(model, dict(zip(names, arrays)), device)


is_compatible = OnnxcBackend.is_compatible
prepare = OnnxcBackend.prepare
run_model = OnnxcBackend.run_model
run_node = OnnxcBackend.run_node
supports_device = OnnxcBackend.supports_device
