"""The execution provider for stock ONNX Runtime."""

from __future__ import annotations

from typing import Any, List

from . import _native

#: the provider's name, as ``session.get_providers()`` has it
NAME = "OnnxcExecutionProvider"


def register_ep(name: str = "onnxc") -> List[Any]:
    """Registers the execution provider with the package ``onnxruntime``, unless it is registered already.

    ::

        options = onnxruntime.SessionOptions()
        options.add_provider_for_devices(onnxc.register_ep(), {})
        session = onnxruntime.InferenceSession("model.onnx", options)

    :param name: the name of the registration, for :func:`unregister_ep`
    :return: the devices for ``add_provider_for_devices``
    :raises RuntimeError: if ``onnxruntime`` is older than 1.24, or is this package
    """
    import onnxruntime

    if not hasattr(onnxruntime, "register_execution_provider_library"):
        raise RuntimeError("the package imported as onnxruntime has no plugins: ONNX Runtime 1.24 or later is needed")
    if not _devices(onnxruntime):
        onnxruntime.register_execution_provider_library(name, _native.__file__)
    return _devices(onnxruntime)


def unregister_ep(name: str = "onnxc") -> None:
    """Ends the registration, after all sessions that use it.

    :param name: the name of the registration
    """
    import onnxruntime

    onnxruntime.unregister_execution_provider_library(name)


def _devices(onnxruntime: Any) -> List[Any]:
    return [device for device in onnxruntime.get_ep_devices() if device.ep_name == NAME]
