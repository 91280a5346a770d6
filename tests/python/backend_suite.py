"""ONNX's own backend test runner on the package: `python -m pytest tests/python/backend_suite.py`.

Failing tests are listed in `backend_failures.txt`, one test a line with its reason; a test that is listed and passes is an error.
"""

import pathlib

import onnx.backend.test

import onnxc.backend

LIST = pathlib.Path(__file__).with_name("backend_failures.txt")
KNOWN = {line.split()[0] for line in LIST.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")}

runner = onnx.backend.test.BackendTest(onnxc.backend, __name__)
for name in KNOWN:
    runner.xfail(f"^{name}$")
# models that are fetched from the network
for name in ["bvlc_alexnet", "densenet121", "inception_v1", "inception_v2", "resnet50", "shufflenet", "squeezenet", "vgg19", "zfnet512"]:
    runner.exclude(f"test_{name}_")
runner.exclude("_cuda")
globals().update(runner.enable_report().test_cases)
