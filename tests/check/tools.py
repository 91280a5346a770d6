"""Lists the models with a fault that other tools refuse: `tools.py FOLDER` prints a line a model.

The folder is what `generate.py` writes. A line has the model, and the results of onnx's full checker and of ONNX Runtime:
`refused`, `taken`, or `crashed`, which includes more than ten seconds. ONNX Runtime loads the model, it does not run it.
"""

import os
import signal
import sys
from pathlib import Path


def check(path):
    import onnx

    onnx.checker.check_model(path, full_check=True)


def load(path):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def outcome(tool, path):
    """The result of a tool for a model, in a separate process."""
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            tool(str(path))
        except BaseException:  # noqa: BLE001: whatever it says, it refuses
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return "crashed"
    return "taken" if os.WEXITSTATUS(status) == 0 else "refused"


def main(folder):
    import onnx
    import onnxruntime

    print(f"# onnx {onnx.__version__}, ONNX Runtime {onnxruntime.__version__}")
    for line in (folder / "cases.tsv").read_text().splitlines():
        name, rule, _ = line.split("\t")
        path = folder / name / "model.onnx"
        if rule:
            print(f"{name}\t{outcome(check, path)}\t{outcome(load, path)}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
