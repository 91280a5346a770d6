"""The LLVM back end of onnxc: the program ``onnxc`` with LLVM, and the runtime that it links into programs and libraries.

``pip install onnxc[llvm]`` installs it; the package ``onnxc`` finds it.
"""

import pathlib

__all__ = ["program"]


def program() -> pathlib.Path:
    """The program's path."""
    return pathlib.Path(__file__).with_name("onnxc")
