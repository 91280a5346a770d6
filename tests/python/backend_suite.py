"""ONNX's own backend test runner on the package: `python -m pytest tests/python/backend_suite.py`.

Every third test, or all where `ALL_CASES` is set: in Rust, every case runs. Tests that are known to fail are those of
`tests/conformance/known.toml` and of `OWN`; one that passes is an error.
"""

import os
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
classes = runner.enable_report().test_cases
if "ALL_CASES" not in os.environ:
    tests = sorted((name, test) for name, test_case in classes.items() for test in vars(test_case) if test.startswith("test_") and not test.endswith("_cuda"))
    for number, (name, test) in enumerate(tests):
        if number % 3:
            delattr(classes[name], test)
globals().update(classes)
