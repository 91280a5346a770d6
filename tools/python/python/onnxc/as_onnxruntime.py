"""Runs a script or a module in which ``import onnxruntime`` imports this package.

``python -m onnxc.as_onnxruntime script.py …`` or ``python -m onnxc.as_onnxruntime -m module …``
"""

from __future__ import annotations

import runpy
import sys

from ._process import install_as_onnxruntime


def main() -> None:
    """Runs the script or module on the command line."""
    arguments = sys.argv[1:]
    is_module = arguments[:1] == ["-m"]
    arguments = arguments[1:] if is_module else arguments
    if not arguments or (arguments[0].startswith("-") and not is_module):
        sys.exit("usage: python -m onnxc.as_onnxruntime [-m] SCRIPT_OR_MODULE [ARGUMENT…]")
    install_as_onnxruntime()
    sys.argv = arguments
    if is_module:
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        import os

        script = os.path.abspath(arguments[0])
        if not os.path.exists(script):
            sys.exit(f"{arguments[0]}: the script does not exist")
        sys.path[0] = os.path.dirname(script)
        runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
