"""The exported architectures, quantized by ONNX Runtime: `quantize.py FOLDER RESULT`.

Reads what `export.py FOLDER` has written and writes RESULT/NAME_SCHEME/model.onnx, with the same inputs and ONNX Runtime's
outputs without optimisations, so that `bench.py ONNX_RUN RESULT` measures it. Schemes are pairs of QuantizeLinear and
DequantizeLinear with one scale a tensor (`qdq`) or one a channel of weights (`channels`), quantized operators (`operators`),
and weights alone (`dynamic`). Ranges come from the one set of inputs.
"""

import argparse
import shutil
from pathlib import Path

import onnx
import onnxruntime
from onnx import numpy_helper
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static

MODELS = [
    ("mobilenet_v2", "qdq"), ("mobilenet_v2", "channels"), ("mobilenet_v2", "operators"), ("mobilenet_v3_large", "channels"),
    ("efficientnet_b0", "operators"), ("regnet_y_400mf", "channels"), ("densenet121", "channels"), ("vgg11", "operators"),
    ("ghostnet_100", "qdq"), ("convnext_tiny", "channels"), ("fcn_resnet50", "operators"), ("hf_bert", "qdq"),
    ("hf_distilbert", "dynamic"), ("hf_gpt2", "dynamic"), ("hf_dinov2", "dynamic"),
]  # fmt: skip


class Inputs(CalibrationDataReader):
    """The inputs of a model's data set, once."""

    def __init__(self, folder):
        names = [value.name for value in onnx.load(folder / "model.onnx", load_external_data=False).graph.input]
        self.values = {name: read(folder / "test_data_set_0" / f"input_{at}.pb") for at, name in enumerate(names)}
        self.rest = iter([self.values])

    def get_next(self):
        return next(self.rest, None)


def read(file):
    tensor = onnx.TensorProto()
    tensor.ParseFromString(file.read_bytes())
    return numpy_helper.to_array(tensor)


def quantize(folder, scheme, result):
    """One model by one scheme."""
    data = result / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    inputs = Inputs(folder)
    if scheme == "dynamic":
        quantize_dynamic(folder / "model.onnx", result / "model.onnx", weight_type=QuantType.QInt8)
    else:
        quantize_static(
            folder / "model.onnx",
            result / "model.onnx",
            inputs,
            quant_format=QuantFormat.QOperator if scheme == "operators" else QuantFormat.QDQ,
            per_channel=scheme == "channels",
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
        )
    plain = onnxruntime.SessionOptions()
    plain.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(result / "model.onnx", plain, providers=["CPUExecutionProvider"])
    for at, (value, output) in enumerate(zip(session.run(None, inputs.values), session.get_outputs())):
        (data / f"output_{at}.pb").write_bytes(numpy_helper.from_array(value, output.name).SerializeToString())
    for file in (folder / "test_data_set_0").glob("input_*.pb"):
        shutil.copy(file, data)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("result", type=Path)
    arguments = parser.parse_args()
    for name, scheme in MODELS:
        quantize(arguments.folder / name, scheme, arguments.result / f"{name}_{scheme}")
        print(name, scheme, flush=True)


if __name__ == "__main__":
    main()
