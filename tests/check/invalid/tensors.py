"""Faults of tensors."""

from onnx import TensorProto

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

for number in (0, 29, 99, -1):
    case("tensor-type-known", W, weighted(), lambda m: setattr(m.graph.initializer[0], "data_type", number))
case("tensor-extent-not-negative", W, weighted(), lambda m: m.graph.initializer[0].dims.__setitem__(0, -1))
case("tensor-extent-not-negative", W, constant_of(FLOAT, [-2, -1], shape=[2, 1], float_data=[1, 2]))
case("tensor-size", W, constant_of(FLOAT, [2**40, 2**40], float_data=[1]))
case("tensor-size", W, constant_of(FLOAT, [2**62, 2**62, 4], float_data=[1]))
for extra in ({"raw_data": b"\0" * 8}, {"int32_data": [1, 2]}, {"int64_data": [1, 2]}, {"double_data": [1, 2]}, {"uint64_data": [1]}, {"string_data": [b"a"]}):
    case("tensor-one-field", W, constant_of(FLOAT, float_data=[1, 2], **extra))
for kind, values in (
    (FLOAT, {"double_data": [1, 2]}), (FLOAT, {"int32_data": [1, 2]}), (DOUBLE, {"float_data": [1, 2]}), (INT64, {"int32_data": [1, 2]}),
    (INT32, {"int64_data": [1, 2]}), (TensorProto.UINT8, {"uint64_data": [1, 2]}), (TensorProto.UINT32, {"int32_data": [1, 2]}),
    (STRING, {"raw_data": b"ab"}), (BOOL, {"int64_data": [1, 0]}), (FLOAT16, {"float_data": [1, 2]}), (TensorProto.UINT64, {"int64_data": [1, 2]}),
):
    case("tensor-field-of-type", W, constant_of(kind, **values))
for kind, dims, values in (
    (FLOAT, [2], {"float_data": [1]}), (FLOAT, [2], {"float_data": [1, 2, 3]}), (FLOAT, [2], {}), (FLOAT, [], {}), (FLOAT, [2], {"raw_data": b"\0" * 7}),
    (FLOAT, [2], {"raw_data": b"\0" * 12}), (FLOAT, [0], {"float_data": [1]}), (INT64, [2, 2], {"int64_data": [1, 2]}), (STRING, [2], {"string_data": [b"a"]}),
    (TensorProto.INT4, [3], {"int32_data": [1]}), (TensorProto.INT4, [4], {"raw_data": b"abc"}), (TensorProto.COMPLEX64, [2], {"float_data": [1, 2]}), (BOOL, [3], {"raw_data": b"\0\1"}),
):
    case("tensor-count", W, constant_of(kind, dims, **values))
for kind, bad in (
    (TensorProto.INT8, 300), (TensorProto.INT8, -129), (TensorProto.UINT8, -1), (TensorProto.UINT8, 256), (TensorProto.INT16, 40000), (TensorProto.UINT16, 65536),
    (TensorProto.UINT16, -1), (FLOAT16, 1 << 17), (TensorProto.BFLOAT16, -1), (BOOL, 2), (BOOL, 256), (BOOL, -1), (TensorProto.FLOAT8E4M3FN, 256), (TensorProto.FLOAT8E5M2, -1),
):
    case("tensor-value-range", W, constant_of(kind, int32_data=[0, bad]))
case("tensor-value-range", W, constant_of(TensorProto.UINT32, uint64_data=[0, 1 << 32]))
case("tensor-value-range", W, constant_of(TensorProto.UINT32, uint64_data=[(1 << 64) - 1, 0]))
case("tensor-value-range", W, constant_of(TensorProto.UINT4, [4], int32_data=[0, 256]))
for bad in (b"\x00\x02", b"\xff\x01", b"\x01\x80"):
    case("tensor-bool", W, constant_of(BOOL, raw_data=bad))
for bad in (b"\xff\xfe", b"\xc3\x28"):
    case("tensor-text", W, constant_of(STRING, string_data=[b"a", bad]))
case("tensor-text-plain", W, constant_of(STRING, string_data=[b"\xef\xbb\xbfa", b"b"]))
case("tensor-text-plain", W, constant_of(STRING, string_data=[b"a", b"b\0"]))
for begin, end in ((0, 2), (0, 1), (2, 4)):
    case("tensor-whole", W, constant_of(FLOAT, float_data=[1, 2], segment=TensorProto.Segment(begin=begin, end=end)))


def location_number(made, number):
    """A location that the enumeration lacks, which only the bytes can say."""
    own = made.graph.initializer[0]
    data = own.SerializeToString() + bytes([112, number])
    own.Clear()
    own.MergeFromString(data)


case("tensor-location-known", W, weighted(), lambda m: location_number(m, 2))
C = at("node 0 'c'", "attribute 'value'", "tensor 't'")
CONSTANT = lambda value_of: model([node("Constant", [], ["y"], name="c", value=value_of)], [], [info("y", value_of.data_type, list(value_of.dims))])  # noqa: E731
case("tensor-count", C, CONSTANT(TensorProto(name="t", data_type=FLOAT, dims=[3], float_data=[1])))
case("tensor-value-range", C, CONSTANT(TensorProto(name="t", data_type=TensorProto.INT8, dims=[1], int32_data=[300])))
case("tensor-field-of-type", C, CONSTANT(TensorProto(name="t", data_type=INT64, dims=[1], int32_data=[3])))
case("tensor-padding", W, constant_of(28, [2], ir=14, opset=25, raw_data=b"\x01\xf0"))
case("tensor-padding", W, constant_of(27, [1], ir=14, opset=25, raw_data=b"\xc1"))
