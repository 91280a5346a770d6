"""ONNX's own backend test runner on the package: `python -m pytest tests/python/backend_suite.py`.

Tests that are known to fail are those of `tests/conformance/known.toml` and of `OWN`; one that passes is an error.
"""

import pathlib
import tomllib

import onnx.backend.test

import onnxc.backend

LIST = pathlib.Path(__file__).parents[1] / "conformance" / "known.toml"
# the runner compares a list with an array without axes
OWN = ["test_loop16_seq_none_cpu"]

runner = onnx.backend.test.BackendTest(onnxc.backend, __name__)
entries = tomllib.loads(LIST.read_text(encoding="utf-8"))["known"]
cases = [case for entry in entries if "modes" not in entry for case in entry["cases"]]
for name in OWN + [f"{case.split('/')[1]}_cpu" for case in cases]:
    runner.xfail(f"^{name}$")
# models that are fetched from the network
for name in ["bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet", "vgg19", "zfnet512"]:
    runner.exclude(f"test_{name}_")
runner.exclude("_cuda")
globals().update(runner.enable_report().test_cases)
