"""Faults of quantization."""

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

case("quantization-tensor", at("annotation 0 'q'"), quantized("q"))
case("quantization-tensor", at("annotation 0"), quantized(""))
case("quantization-unique", at("annotation 1 'x'"), quantized(), lambda m: m.graph.quantization_annotation.add(tensor_name="x"))
case("quantization-key", at("annotation 0 'x'", "key 'SCALE'"), quantized(SCALE="w"))
case("quantization-key", at("annotation 0 'x'", "key 'AXIS'"), quantized(AXIS="w"))
case("quantization-key-unique", at("annotation 0 'x'", "key 'SCALE_TENSOR'"), quantized(),
     lambda m: m.graph.quantization_annotation[0].quant_parameter_tensor_names.add(key="SCALE_TENSOR", value="w"))
case("quantization-parameter", at("annotation 0 'x'", "key 'SCALE_TENSOR'"), quantized(SCALE_TENSOR="q"))
case("quantization-parameter", at("annotation 0 'x'", "key 'ZERO_POINT_TENSOR'"), quantized(SCALE_TENSOR="w", ZERO_POINT_TENSOR=""))
