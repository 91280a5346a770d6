"""Sessions and values, at the place where ONNX Runtime has them."""

from .._session import InferenceSession
from .._values import IOBinding, OrtDevice, OrtValue, SparseTensor

__all__ = ["IOBinding", "InferenceSession", "OrtDevice", "OrtValue", "SparseTensor"]
