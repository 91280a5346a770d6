"""The programs that the package installs: ``onnxc``, ``onnx-run`` and ``onnx-opt``, which are in the native module."""

from __future__ import annotations

import os
import sys

from . import _native
from ._session import _llvm


def _run(name: str) -> None:
    import signal

    # native code runs, which does not look at Python's flag of an interrupt
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.tool(name, [name, *sys.argv[1:]]))


def onnxc() -> None:
    """``onnxc``: the program with LLVM if it is installed, else what needs no LLVM."""
    program = _llvm()
    if program is not None and os.path.exists(program):
        os.execv(program, ["onnxc", *sys.argv[1:]])
    _run("onnxc")


def onnx_run() -> None:
    """``onnx-run``"""
    _run("onnx-run")


def onnx_opt() -> None:
    """``onnx-opt``"""
    _run("onnx-opt")
