"""Values and bindings, with ONNX Runtime's names. All memory is the processor's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

from . import _native
from ._options import RunOptions

if TYPE_CHECKING:
    from ._session import InferenceSession

#: NumPy's names of ONNX Runtime's names of element types.
_NAMES = {
    "float": "float32",
    "double": "float64",
    "string": "object",
    "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e5m2": "float8_e5m2",
    "float8e5m2fnuz": "float8_e5m2fnuz",
    "float8e8m0": "float8_e8m0fnu",
    "float4e2m1": "float4_e2m1fn",
}
_ONNX = {numpy: onnx for onnx, numpy in _NAMES.items()}


def _dtype(name: str) -> Any:
    """NumPy's type of a name such as ``tensor(float)``."""
    import numpy

    inner = name[len("tensor(") : -1]
    inner = _NAMES.get(inner, inner)
    try:
        return numpy.dtype(inner)
    except TypeError:
        import ml_dtypes

        return numpy.dtype(getattr(ml_dtypes, inner))


def _type(value: Any) -> str:
    """ONNX Runtime's name of the type of a Python value."""
    if isinstance(value, (list, tuple)):
        return f"seq({_type(value[0])})" if value else "seq(tensor(float))"
    if isinstance(value, dict):
        key = "string" if all(isinstance(key, str) for key in value) else "int64"
        return f"map({key},tensor(float))"
    name = "object" if value.dtype.kind in "OUS" else value.dtype.name
    return f"tensor({_ONNX.get(name, name)})"


class OrtDevice:
    """Where memory is: ``cpu``, 0."""

    def __init__(self, *_: Any) -> None:
        pass

    @staticmethod
    def cpu() -> int:
        """0, the type of the processor's memory."""
        return 0

    @staticmethod
    def default_memory() -> int:
        """0, the only kind of memory."""
        return 0

    @staticmethod
    def make(name: str, device_id: int, *_: Any) -> OrtDevice:
        """The device of a name."""
        _check_device(name)
        return OrtDevice()

    def device_id(self) -> int:
        """0."""
        return 0

    def device_type(self) -> int:
        """0, the processor."""
        return 0


def _check_device(name: Any) -> None:
    if isinstance(name, str) and name.lower().split(":")[0] not in ("cpu", "cpupinned"):
        raise _native.NotImplemented(f"memory of the device {name}: there is only cpu")


class OrtValue:
    """A tensor, sequence, map or optional. A tensor shares the memory of its array."""

    __slots__ = ("_type", "_value")

    def __init__(self, value: Any, type: Optional[str] = None) -> None:
        self._value = value
        self._type = type or _type(value)

    @staticmethod
    def ortvalue_from_numpy(numpy_obj: Any, device_type: str = "cpu", device_id: int = 0, *_: Any) -> OrtValue:
        """A tensor that shares the array's memory."""
        _check_device(device_type)
        return OrtValue(numpy_obj)

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(data: Any, onnx_element_type: int) -> OrtValue:
        """A tensor of an ONNX type that NumPy may not have: bits in an unsigned integer."""
        name = _native.type_text_of_number(onnx_element_type)
        if name is None:
            raise ValueError(f"{onnx_element_type} is not an element type of ONNX")
        return OrtValue(data.view(_dtype(name)), name)

    @staticmethod
    def ortvalue_from_shape_and_type(
        shape: Sequence[int], element_type: Any, device_type: str = "cpu", device_id: int = 0, *_: Any
    ) -> OrtValue:
        """A tensor of zeros."""
        import numpy

        _check_device(device_type)
        name = _native.type_text_of_number(element_type) if isinstance(element_type, int) else None
        dtype = numpy.dtype(_dtype(name) if name else element_type)
        return OrtValue(numpy.full(tuple(shape), "", object) if dtype.kind in "OUS" else numpy.zeros(tuple(shape), dtype))

    @staticmethod
    def ort_value_from_sparse_tensor(sparse_tensor: Any) -> OrtValue:
        """Refused: runs take dense tensors."""
        raise _native.NotImplemented("sparse tensors as values")

    @staticmethod
    def from_dlpack(data: Any, is_bool_tensor: bool = False) -> OrtValue:
        """A tensor that shares the memory of an object that implements DLPack."""
        import numpy

        array = numpy.from_dlpack(data)
        return OrtValue(array.view(numpy.bool_) if is_bool_tensor else array)

    def __dlpack__(self, **arguments: Any) -> Any:
        return self.numpy().__dlpack__(**arguments)

    def __dlpack_device__(self) -> Any:
        return (1, 0)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        import numpy

        return numpy.asarray(self.numpy(), dtype=dtype)

    def numpy(self) -> Any:
        """The tensor as an array that shares its memory."""
        if not self.is_tensor():
            raise _native.RuntimeException(f"the value is {self._type}, not a tensor")
        return self._value

    def update_inplace(self, array: Any) -> None:
        """Copies an array into the tensor."""
        self.numpy()[...] = array

    def data_ptr(self) -> int:
        """The address of the first element."""
        return int(self.numpy().ctypes.data)

    def data_type(self) -> str:
        """The type, such as ``tensor(float)``."""
        return self._type

    def element_type(self) -> int:
        """The number of the element type in ``TensorProto.DataType``."""
        for number in range(1, 64):
            if _native.type_text_of_number(number) == self._type:
                return number
        return 0

    def shape(self) -> List[int]:
        """The extents."""
        return list(self.numpy().shape)

    def tensor_size_in_bytes(self) -> int:
        """Bytes of the elements."""
        return int(self.numpy().nbytes)

    def device_name(self) -> str:
        """``cpu``"""
        return "cpu"

    def has_value(self) -> bool:
        """Whether an optional has a value."""
        return self._value is not None

    def is_tensor(self) -> bool:
        """Whether it is a tensor."""
        return self._type.startswith("tensor")

    def is_tensor_sequence(self) -> bool:
        """Whether it is a sequence of tensors."""
        return self._type.startswith("seq(tensor")

    def is_sparse_tensor(self) -> bool:
        """False."""
        return False

    def as_sparse_tensor(self) -> Any:
        """Refused: runs return dense tensors."""
        raise _native.NotImplemented("sparse tensors as values")

    def to_dlpack(self) -> Any:
        """The tensor as a DLPack capsule."""
        return self.numpy().__dlpack__()


class SparseTensor:
    """Sparse tensors are not inputs of compiled models and cannot be created."""

    def __init__(self, *_: Any) -> None:
        raise _native.NotImplemented("sparse tensors as values")


class IOBinding:
    """Inputs and outputs of runs, bound once. Outputs that are bound to memory are written there."""

    def __init__(self, session: InferenceSession) -> None:
        self._session = session
        self._feeds: Dict[str, Any] = {}
        self._names: List[str] = []
        self._memory: Dict[str, Any] = {}
        self._results: Dict[str, Any] = {}

    def bind_cpu_input(self, name: str, arr_on_cpu: Any) -> None:
        """Binds an array to an input."""
        self._feeds[name] = arr_on_cpu

    def bind_input(
        self, name: str, device_type: str, device_id: int, element_type: Any, shape: Sequence[int], buffer_ptr: int
    ) -> None:
        """Binds memory at an address to an input; the caller keeps it."""
        _check_device(device_type)
        self._feeds[name] = _at(buffer_ptr, element_type, shape)

    def bind_ortvalue_input(self, name: str, ortvalue: OrtValue) -> None:
        """Binds a value to an input."""
        self._feeds[name] = ortvalue._value

    def bind_output(
        self,
        name: str,
        device_type: str = "cpu",
        device_id: int = 0,
        element_type: Any = None,
        shape: Optional[Sequence[int]] = None,
        buffer_ptr: Optional[int] = None,
    ) -> None:
        """Binds an output, to memory at an address if one is passed."""
        _check_device(device_type)
        self._bind(name)
        if buffer_ptr is not None:
            self._memory[name] = _at(buffer_ptr, element_type, shape or ())

    def bind_ortvalue_output(self, name: str, ortvalue: OrtValue) -> None:
        """Binds an output to the memory of a tensor."""
        self._bind(name)
        self._memory[name] = ortvalue.numpy()

    def _bind(self, name: str) -> None:
        if name not in self._names:
            self._names.append(name)
        self._memory.pop(name, None)

    def _run(self, options: Optional[RunOptions]) -> None:
        names = self._names or [output.name for output in self._session.get_outputs()]
        cancel, deadline = (options._cancel, options._deadline()) if options else (None, None)
        results = self._session._execute(names, self._feeds, cancel, deadline, self._memory or None)
        types = {output.name: output.type for output in self._session.get_outputs()}
        self._results = {
            name: OrtValue(self._memory[name] if name in self._memory else result, types.get(name))
            for name, result in zip(names, results)
        }

    def get_outputs(self) -> List[OrtValue]:
        """The outputs of the last run."""
        return list(self._results.values())

    def get_outputs_as_ortvaluevector(self) -> List[OrtValue]:
        """The outputs of the last run."""
        return self.get_outputs()

    def copy_outputs_to_cpu(self) -> List[Any]:
        """The outputs of the last run as arrays."""
        return [value._value for value in self._results.values()]

    def clear_binding_inputs(self) -> None:
        """Forgets the inputs."""
        self._feeds.clear()

    def clear_binding_outputs(self) -> None:
        """Forgets the outputs."""
        self._names.clear()
        self._memory.clear()
        self._results.clear()

    def synchronize_inputs(self) -> None:
        """Nothing to wait for."""

    def synchronize_outputs(self) -> None:
        """Nothing to wait for."""


def _at(address: int, element_type: Any, shape: Sequence[int]) -> Any:
    """An array that shows memory at an address."""
    import ctypes
    import math

    import numpy

    name = _native.type_text_of_number(element_type) if isinstance(element_type, int) else None
    dtype = _dtype(name) if name else numpy.dtype(element_type)
    count = math.prod(shape) * dtype.itemsize
    memory = (ctypes.c_char * count).from_address(address) if count else b""
    return numpy.frombuffer(memory, dtype=dtype).reshape(tuple(shape))
