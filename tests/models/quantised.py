"""A float model with eight-bit weights and activations, by ONNX Runtime's static quantisation."""

import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static
from onnxruntime.quantization.shape_inference import quant_pre_process

# how each form spells a quantised graph, with the types its exporters choose
FORMS = {
    "qdq": {"quant_format": QuantFormat.QDQ, "per_channel": True, "weight_type": QuantType.QInt8},
    "qoperator": {"quant_format": QuantFormat.QOperator, "per_channel": False, "weight_type": QuantType.QUInt8},
}


class Calibration(CalibrationDataReader):
    """The inputs over which ranges of activations are measured."""

    def __init__(self, name, values):
        self.inputs = iter([{name: value} for value in values])

    def get_next(self):
        return next(self.inputs, None)


def quantised(data, form, calibration):
    """The model of these bytes, quantised; `calibration` are values of its only input."""
    with tempfile.TemporaryDirectory() as folder:
        given, prepared, result = (str(Path(folder) / f"{step}.onnx") for step in ("given", "prepared", "result"))
        Path(given).write_bytes(data)
        quant_pre_process(given, prepared, skip_symbolic_shape=True)
        name = onnx.load(prepared).graph.input[0].name
        inputs = Calibration(name, [np.asarray(value, np.float32) for value in calibration])
        quantize_static(prepared, result, inputs, activation_type=QuantType.QUInt8, **FORMS[form])
        return onnx.load(result)
