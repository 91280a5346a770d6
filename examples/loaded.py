"""Opens a model's library with ctypes and runs it on zeros, with every open extent 1: loaded.py LIBRARY NAME"""

import ctypes
import sys

import numpy as np

TYPES = {"bool": np.bool_, "float16": np.float16, "float32": np.float32, "float64": np.float64}
TYPES |= {name: np.dtype(name) for name in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")}


class Port(ctypes.Structure):
    """An input or output, as in the header of every model."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_char_p),
        ("element_bytes", ctypes.c_int64),
        ("rank", ctypes.c_int64),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("message", ctypes.c_char_p),
    ]


class Model:
    """A compiled model."""

    def __init__(self, path, name):
        library = ctypes.CDLL(path)
        self.functions = {
            function: getattr(library, f"{name}_{function}")
            for function in ("run", "free", "close", "message", "input", "output")
        }
        self.functions["run"].restype = ctypes.c_int64
        self.functions["message"].restype = ctypes.c_char_p
        self.functions["message"].argtypes = [ctypes.c_int64]
        for function in ("input", "output"):
            self.functions[function].restype = ctypes.POINTER(Port)
            self.functions[function].argtypes = [ctypes.c_int64]
        self.inputs, self.outputs = self.ports("input"), self.ports("output")
        ranks = [port.rank for port in self.inputs + self.outputs]
        # an address, extents, and the element type, which may be 0
        self.words = 2 + max([1, *ranks])
        self.session = ctypes.c_void_p()

    def ports(self, function):
        """The inputs or the outputs."""
        found = []
        while port := self.functions[function](len(found)):
            found.append(port.contents)
        return found

    def run(self, arrays):
        """The outputs for some inputs, all of them NumPy arrays."""
        arrays = [np.ascontiguousarray(array) for array in arrays]
        inputs = np.zeros((len(self.inputs), self.words), np.int64)
        outputs = np.zeros((len(self.outputs), self.words), np.int64)
        for tensor, array in zip(inputs, arrays):
            tensor[0] = array.ctypes.data
            tensor[1 : 1 + array.ndim] = array.shape
        address = lambda array: ctypes.c_void_p(array.ctypes.data)
        status = self.functions["run"](ctypes.byref(self.session), address(inputs), address(outputs))
        if status:
            raise RuntimeError(self.functions["message"](status).decode())
        results = []
        for tensor, port in zip(outputs, self.outputs):
            shape = tuple(int(extent) for extent in tensor[1 : 1 + port.rank])
            size = int(np.prod(shape)) * port.element_bytes
            data = ctypes.string_at(int(tensor[0]), size)
            results.append(np.frombuffer(data, TYPES[port.type.decode()]).reshape(shape))
            self.functions["free"](address(tensor))
        return results

    def close(self):
        """Gives the memory between runs back."""
        self.functions["close"](ctypes.byref(self.session))


def main():
    model = Model(sys.argv[1], sys.argv[2])
    shape = lambda port: [max(port.shape[axis], 1) for axis in range(port.rank)]
    arrays = [np.zeros(shape(port), TYPES[port.type.decode()]) for port in model.inputs]
    for port, array in zip(model.outputs, model.run(arrays)):
        print(f"{port.name.decode()}: {array.dtype} {list(array.shape)}")
    model.close()


if __name__ == "__main__":
    main()
