"""The annotations of the package: complete, and those of the native module are its own."""

import os
import pathlib
import subprocess
import sys
import tempfile

import onnxc

PACKAGE = pathlib.Path(onnxc.__file__).resolve().parent
PROJECT = pathlib.Path(__file__).parents[2] / "pyproject.toml"

USE = """
import numpy
import onnxc

session = onnxc.InferenceSession("model.onnx", providers=["CPUExecutionProvider"])
names: list[str] = [port.name for port in session.get_inputs()]
outputs = session.run(None, {names[0]: numpy.zeros((1, 3), numpy.float32)})
onnxc.InferenceSession()
"""


def check(module, *arguments):
    """Runs a checker where nothing is imported by accident and no cache is left."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    # an installed package is found without this
    paths = {} if "site-packages" in PACKAGE.parts else {"MYPYPATH": str(PACKAGE.parent), "PYTHONPATH": str(PACKAGE.parent)}
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(command, capture_output=True, text=True, cwd=folder, env={**os.environ, **paths})


def test_every_function_is_annotated():
    done = check("mypy", "--strict", "--config-file", PROJECT, "-p", "onnxc")
    assert done.returncode == 0, done.stdout


def test_the_native_module_has_what_its_stubs_have():
    done = check("mypy.stubtest", "--mypy-config-file", PROJECT, "onnxc._native", "--concise")
    assert done.returncode == 0, done.stdout + done.stderr


def test_wrong_calls_are_found(tmp_path):
    script = tmp_path / "use.py"
    script.write_text(USE)
    done = check("mypy", "--strict", "--config-file", PROJECT, script)
    assert done.stdout.count("error:") == 1 and 'Missing positional argument "path_or_bytes"' in done.stdout, done.stdout


def test_public_names_are_documented():
    undocumented = [
        f"{name}.{member}" if member else name
        for name in onnxc.__all__
        for member in ["", *(vars(getattr(onnxc, name)) if isinstance(getattr(onnxc, name), type) else [])]
        if not member.startswith("_") and callable(value := getattr(getattr(onnxc, name), member) if member else getattr(onnxc, name))
        if not (value.__doc__ or "").strip()
    ]
    assert undocumented == []
