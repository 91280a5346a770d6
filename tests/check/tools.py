"""Lists the models with a fault that other tools refuse: `tools.py FOLDER` prints a line a model.

The folder is what `generate.py` writes. A line has the model, and the results of onnx's full checker and of ONNX Runtime:
`refused`, `accepted`, or `crashed`, which includes more than ten seconds. ONNX Runtime loads the model, it does not run it.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "corpus"))
from run import outcome  # noqa: E402


def check(path):
    import onnx

    onnx.checker.check_model(path, full_check=True)


def load(path):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def main(folder):
    import onnx
    import onnxruntime

    print(f"# onnx {onnx.__version__}, ONNX Runtime {onnxruntime.__version__}")
    for line in (folder / "cases.tsv").read_text().splitlines():
        name, rule, _ = line.split("\t")
        path = folder / name / "model.onnx"
        if rule:
            results = [outcome(lambda tool=tool: tool(str(path))) for tool in (check, load)]
            print(name, *results, sep="\t", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
