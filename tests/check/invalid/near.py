"""Models near to those that were made with their fault: `keep(rule, model)`."""

import hashlib

from onnx import TensorProto

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

INT8, FLOAT6 = TensorProto.INT8, 28


def with_constant(made, value):
    made.graph.initializer.append(value)
    return made


for rule, kept in {
    "file-readable": relu(),
    "output-not-omitted": model([node("TopK", ["x", "k"], ["v", "y"], name="top")], [info("x", FLOAT, [4])],
                                [info("y", INT64, [2])], [tensor("k", INT64, [1], [2])]),
    "input-variadic-named": model([node("Concat", ["x", "x"], ["y"], name="all", axis=0)], [info("x", FLOAT, [2])], [info("y", FLOAT, [4])]),
    "attribute-choice": unary("Gelu", approximate="tanh"),
    "attribute-choice-not-empty": unary("Gelu", approximate="none"),
    "attribute-flag": unary("ReduceSum", opset=11, shape=(2, 3), out=(2, 1), axes=[1], keepdims=1),
    "attribute-text": model([node("Constant", [], ["y"], name="c", value_string="\xe9".encode())], [], [info("y", STRING, [])]),
    "stride-positive": convolution(strides=[1, 1]),
    "dilation-positive": convolution(dilations=[1, 1]),
    "kernel-positive": window(kernel_shape=[1, 1], out=(1, 1, 6, 6)),
    "group-positive": convolution(group=1),
    "block-positive": unary("SpaceToDepth", shape=(1, 4, 2, 2), blocksize=1),
    "pads-or-auto": window(out=(1, 1, 6, 6), auto_pad="NOTSET", pads=[1, 1, 1, 1]),
    "permutation": unary("Transpose", perm=[1, 0], out=(3, 2)),
    "axes-unique": unary("ReduceSum", opset=11, out=(1, 1), axes=[0, 1]),
    "element-type-known": unary("Cast", to=DOUBLE, result=DOUBLE),
    "constant-one-value": model([node("Constant", [], ["y"], name="c", value_int=1)], [], [info("y", INT64, [])]),
    "output-computed": normalisation(["y"]),
    "operator-types": binary("And", BOOL, BOOL, BOOL),
    "operator-conditions": binary("Add", shapes=((2, 3), (3,), (2, 3)), opset=6, broadcast=1, axis=1),
    "value-addressable": model([node("ConstantOfShape", ["s"], ["y"], name="huge")], [], [info("y", FLOAT, [None, None])],
                               [tensor("s", INT64, [2], [1 << 4, 1 << 4])]),
    "activation-known": recurrent("RNN", 1, activations=["Softsign"]),
    "activation-count": recurrent("LSTM", 4, 2, activations=["Sigmoid", "Tanh", "Tanh"] * 2, direction="bidirectional"),
    "activation-numbers": recurrent("GRU", 3, activations=["HardSigmoid", "Elu"], activation_alpha=[0.5, 0.25]),
    "reduction-of-nothing": reduction("ReduceMean", shape=(0, 0), out=(0,)),
    "initializer-is-input": weighted(ir=4),
    "tensor-size": constant_of(FLOAT, [1, 1], float_data=[1]),
    "tensor-one-field": constant_of(FLOAT, float_data=[1, 2]),
    "tensor-field-of-type": constant_of(INT32, int32_data=[1, 2]),
    "tensor-count": constant_of(FLOAT, [3], float_data=[1, 2, 3]),
    "tensor-value-range": constant_of(INT8, int32_data=[-128, 127]),
    "tensor-bool": constant_of(BOOL, raw_data=b"\0\1"),
    "tensor-text": constant_of(STRING, string_data=[b"a", "\xe9".encode()]),
    "tensor-text-plain": constant_of(STRING, string_data=[b"a", b"b"]),
    "tensor-whole": constant_of(FLOAT, float_data=[1, 2]),
    "tensor-padding": with_constant(relu(ir=14), TensorProto(name="w", data_type=FLOAT6, dims=[2], raw_data=b"\x01\x00")),
    "sparse-index-shape": sparse(indices=(0, 1, 1, 3), shape=[2, 2]),
    "sparse-index-range": sparse(indices=(0, 11)),
    "sparse-index-unique": sparse(indices=(7, 8)),
    "sparse-index-order": sparse(indices=(1, 2, 1, 3), shape=[2, 2]),
    "quantization-tensor": quantized("y"),
    "quantization-key": quantized(ZERO_POINT_TENSOR="w", SCALE_TENSOR="w"),
    "quantization-parameter": quantized(SCALE_TENSOR="w"),
    "set-domain": operator_set(),
    "ir3-opset-import": relu(ir=3, opset=1),
    "ir6-sparse-initializer": sparse(ir=6),
    "ir6-sparse-attribute": model([node("Constant", [], ["y"], name="c", sparse_value=sparse().graph.sparse_initializer[0])], [],
                                  [info("y", FLOAT, [3, 4])], ir=6, opset=11),
    "ir9-function-default": called(ir=9),
    "operator-not-removed": model([node("Upsample", ["x", "s"], ["y"], name="one")], [info("x", FLOAT, [2, 3])], [info("y", FLOAT, [2, 6])],
                                  [tensor("s", FLOAT, [2], [1, 2])], opset=9),
    "operator-not-withdrawn": model([node("GroupNormalization", ["x", "s", "s"], ["y"], name="one", num_groups=2)], [info("x", FLOAT, [1, 4, 2])],
                                    [info("y", FLOAT, [1, 4, 2])], [tensor("s", FLOAT, [4], [1, 1, 1, 1])], opset=21),
    "pads-not-negative": convolution(pads=[0, 0, 0, 0]),
    "operator-shapes": binary("Add", shapes=((2, 3), (1, 3), (2, 3))),
    "external-no-text": constant_of(STRING, string_data=[b"a", b"b"]),
    "ir2-attribute-type": without_imports(unary("Elu", alpha=0.5, opset=1, ir=2)),
    "ir3-node-domain": model([node("Relu", ["x"], ["y"], name="relu", domain="ai.onnx")], [info("x", FLOAT, [2])], [info("y", FLOAT, [2])], ir=3, opset=1),
    "ir8-function": with_slope_given(called(ir=8)),
}.items():
    keep(rule, kept)
for rule, kept in {
    "external-location": external(),
    "external-inside-folder": external(location="./data.bin"),
    "external-file": external(),
    "external-number": external(offset=0, length=12),
    "external-length": external(length=12),
    "external-range": external(offset=0),
    "external-checksum": external(checksum=hashlib.sha1(bytes(8192)).hexdigest()),
    "external-key-unique": external(offset=0),
    "external-key-known": external(length=12),
    "external-aligned": external(offset=4096),
}.items():
    keep(rule, kept, data)
