"""The same names as :mod:`onnxc.capi.onnxruntime_pybind11_state`, at another place where ONNX Runtime has them."""

from .onnxruntime_pybind11_state import *  # noqa: F403
