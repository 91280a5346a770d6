"""The command-line tools as functions."""

from __future__ import annotations

import os
import sys
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from . import _native
from ._session import _model


class Finding(NamedTuple):
    """A finding of the checker."""

    #: ``error``, ``violation`` or ``advice``
    level: str
    #: the identifier of the rule
    rule: str
    #: where in the model
    place: str
    #: what is wrong
    message: str


def check(model: Any) -> List[Finding]:
    """Checks a model against the rules of the ONNX documents.

    :param model: a path, bytes, or a ``ModelProto``
    :return: what is wrong; empty if nothing is
    """
    return [Finding(*finding) for finding in _native.check(**_model(model))]


def inspect(model: Any) -> Dict[str, Any]:
    """The metadata of a model: producer, versions, operator sets, properties."""
    return _native.metadata(**_model(model))


def simplify(
    model: Any,
    *,
    dims: Optional[Dict[str, int]] = None,
    shapes: Optional[Dict[str, Sequence[Optional[int]]]] = None,
) -> Any:
    """A model after the rewrites that keep every bit of its results.

    Operators have their newest form, functions of the model are inlined, training information is left out.

    :param model: a path, bytes, or a ``ModelProto``
    :param dims: named dimensions to fix
    :param shapes: shapes of inputs, by name; None is a dynamic extent
    :return: an ``onnx.ModelProto``; this needs the package ``onnx``
    :raises InvalidGraph: if the model breaks a rule of ONNX
    """
    import onnx

    given = None if shapes is None else {name: list(shape) for name, shape in shapes.items()}
    return onnx.load_from_string(_native.simplify(**_model(model), dims=dims, shapes=given))


def program(name: str = "onnxc") -> str:
    """The path of one of the command-line tools: named by the environment variable ``ONNXC``, in the package ``onnxc-llvm``, next to
    this Python, or on the path."""
    import shutil

    from ._session import _llvm

    named = _llvm() if name == "onnxc" else None
    here = os.path.join(os.path.dirname(sys.executable), name)
    found = named or (here if os.path.exists(here) else shutil.which(name))
    if found is None:
        raise _native.NotImplemented(f"the program {name} is not installed")
    return found


def compile(
    model: Any,
    output: str,
    *,
    emit: str = "lib",
    name: Optional[str] = None,
    dims: Optional[Dict[str, int]] = None,
    options: Sequence[str] = (),
) -> str:
    """Compiles a model to an object file, a library, a program or a header.

    :param model: a path, bytes, or a ``ModelProto``
    :param output: the file to write
    :param emit: ``obj``, ``lib``, ``exe`` or ``header``
    :param name: the identifier that what the object exports begins with
    :param dims: named dimensions to fix
    :param options: further options of the program ``onnxc``
    :return: the file that was written
    :raises Fail: with what the program says
    """
    import subprocess

    arguments = _model(model)
    command = [program(), arguments.get("path", "-"), "--emit", emit, "-o", output, *options]
    command += ["--name", name] if name else []
    for dimension, extent in (dims or {}).items():
        command += ["--dim", f"{dimension}={extent}"]
    done = subprocess.run(command, input=arguments.get("bytes"), capture_output=True)
    if done.returncode:
        kind = {1: _native.InvalidGraph, 3: _native.NotImplemented}.get(done.returncode, _native.Fail)
        raise kind(done.stderr.decode(errors="replace").strip())
    return output
