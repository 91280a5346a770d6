"""Cases of operators on quantized integers."""

import numpy
from onnx import TensorProto

from generate import Case, Packed

# an 8-bit result may differ by one if it is halfway between two values
BYTES = (0, 1)
F16 = (5e-3, 5e-3)


def cases(numbers):
    yield from products(numbers)
    yield from blockwise(numbers)
    yield from linear(numbers)
    yield from images(numbers)
    yield from recurrent(numbers)
    yield from embeddings(numbers)
    yield from conversions(numbers)


def of_type(numbers, dtype, *shape):
    info = numpy.iinfo(dtype)
    return numbers.integers(info.min, info.max + 1, *shape, dtype=dtype)


def products(numbers):
    f32, u8, i8 = numpy.float32, numpy.uint8, numpy.int8
    a, b = of_type(numbers, u8, 2, 3, 8), numbers.weights(8, 5)
    scales, bias = numbers.positive(5), numbers.floats(5)
    name = "MatMulIntegerToFloat"
    yield Case("matmul_integer_to_float", name, [a, b, f32(0.02), f32(0.03)])
    yield Case("matmul_integer_to_float_columns", name, [a, b, f32(0.02), scales, u8(120), of_type(numbers, i8, 5), bias], weights=(1, 3, 5, 6))
    yield Case("matmul_integer_to_float_signed", name, [of_type(numbers, i8, 3, 8), b, f32(0.02), f32(0.03), i8(-5), i8(4), bias])
    name = "DynamicQuantizeMatMul"
    x = numbers.floats(2, 3, 8)
    yield Case("dynamic_quantize_matmul", name, [x, b, f32(0.03)], tolerance=(2e-3, 2e-3))
    yield Case("dynamic_quantize_matmul_columns", name, [x, of_type(numbers, u8, 8, 5), scales, of_type(numbers, u8, 5), bias], weights=(1, 2, 3, 4), tolerance=(2e-3, 2e-2))
    a, b, c = of_type(numbers, u8, 3, 8), numbers.weights(8, 5), numbers.integers(-999, 999, 5, dtype=numpy.int32)
    yield Case("qgemm_float", "QGemm", [a, f32(0.02), u8(100), b, f32(0.03), i8(0), c])
    yield Case("qgemm", "QGemm", [a, f32(0.02), u8(100), b, scales, of_type(numbers, i8, 5), c, f32(0.5), u8(128)], {"alpha": 0.5}, weights=(3, 4, 5, 6), tolerance=BYTES)
    turned = [numpy.ascontiguousarray(a.T), f32(0.02), u8(100), numpy.ascontiguousarray(b.T), f32(0.03), i8(0)]
    yield Case("qgemm_transposed", "QGemm", turned, {"transA": 1, "transB": 1})
    wide = numbers.integers(-30000, 30000, 3, 4, dtype=numpy.int16), numbers.integers(-30000, 30000, 4, 5, dtype=numpy.int16)
    yield Case("matmul_integer16", "MatMulInteger16", [*wide], expected=lambda a, b: a.astype(numpy.int32) @ b.astype(numpy.int32))
    yield Case("mul_integer", "MulInteger", [a, u8(3), of_type(numbers, u8, 8), u8(7)], expected=lambda a, x, b, y: (a.astype(numpy.int32) - 3) * (b.astype(numpy.int32) - 7))
    yield Case("reduce_sum_integer", "ReduceSumInteger", [b], {"axes": [0], "keepdims": 0}, expected=lambda b: b.astype(numpy.int32).sum(0, dtype=numpy.int32))


def blockwise(numbers):
    outputs, inputs, block = 5, 40, 16
    blocks = 3
    x = numbers.floats(2, 3, inputs)
    scales = numbers.positive(outputs, blocks)
    bias = numbers.floats(outputs)
    shape = {"K": inputs, "N": outputs, "block_size": block}
    for bits in (2, 4, 8):
        weights = of_type(numbers, numpy.uint8, outputs, blocks, block * bits // 8)
        zero_points = of_type(numbers, numpy.uint8, outputs, (blocks * bits + 7) // 8)
        own = {**shape, "bits": bits}
        yield Case(f"matmul_{bits}_bits", "MatMulNBits", [x, weights, scales], own, weights=(1, 2))
        yield Case(f"matmul_{bits}_bits_zero_points", "MatMulNBits", [x, weights, scales, zero_points], own, weights=(1, 2, 3))
    weights = of_type(numbers, numpy.uint8, outputs, blocks, block // 2)
    centres = numbers.positive(outputs, blocks) * 100
    yield Case("matmul_4_bits_float_zero_points", "MatMulNBits", [x, weights, scales, centres, None, bias], shape)
    yield Case("matmul_4_bits_flat", "MatMulNBits", [x[0], weights, scales.flatten(), of_type(numbers, numpy.uint8, outputs * 2)], shape)
    half = [x.astype(numpy.float16), weights, scales.astype(numpy.float16)]
    yield Case("matmul_4_bits_half", "MatMulNBits", half, shape, weights=(1, 2), tolerance=(1e-2, 1e-2))
    groups = numbers.integers(0, blocks, inputs, dtype=numpy.int32)
    apart = numpy.stack([weights & 15, weights >> 4], -1).reshape(outputs, -1)[:, :inputs].astype(numpy.float32) - 8
    yield Case("matmul_4_bits_groups", "MatMulNBits", [x, weights, scales, None, groups], shape, weights=(1, 2, 4), expected=lambda x, w, s, _, g: x @ (apart * s[:, g]).T)
    yield from fused_blockwise(numbers, x, shape)
    for kind, name in enumerate(("fp4", "nf4")):
        packed, largest = of_type(numbers, numpy.uint8, outputs * inputs // 2), numbers.positive((outputs * inputs + 15) // 16)
        attributes = {**shape, "quant_type": kind}
        yield Case(f"matmul_{name}", "MatMulBnb4", [x, packed, largest], attributes, weights=(1, 2))
    name = "GatherBlockQuantized"
    ids = numpy.array([[3, 0], [-1, 5]])
    for kind, low in (("UINT4", 0), ("INT4", -8)):
        data = Packed(getattr(TensorProto, kind), numbers.integers(low, low + 16, 6, 32, dtype=numpy.int8))
        zero_points = Packed(getattr(TensorProto, kind), numbers.integers(low, low + 16, 6, 2, dtype=numpy.int8))
        scales = numbers.positive(6, 2)
        yield Case(f"gather_{kind.lower()}", name, [data, ids, scales], {"block_size": 16}, weights=(0, 2))
        yield Case(f"gather_{kind.lower()}_zero_points", name, [data, ids, scales, zero_points], {"block_size": 16}, weights=(0, 2, 3))
    columns = Packed(TensorProto.UINT4, numbers.integers(0, 16, 32, 6, dtype=numpy.int8))
    yield Case("gather_columns", name, [columns, ids, numbers.positive(2, 6)], {"block_size": 16, "gather_axis": 1, "quantize_axis": 0}, weights=(0, 2))
    yield Case("gather_in_blocks", name, [columns, ids, numbers.positive(2, 6)], {"block_size": 16, "gather_axis": 0, "quantize_axis": 0}, weights=(0, 2))
    for bits in (4, 8):
        bytes = of_type(numbers, numpy.uint8, 6, 48 * bits // 8)
        zero_points = of_type(numbers, numpy.uint8, 6, (3 * bits + 7) // 8)
        scales = numbers.positive(6, 3)
        attributes = {"block_size": 16, "bits": bits}
        yield Case(f"gather_bytes_{bits}", name, [bytes, ids, scales], attributes, weights=(0, 2))
        yield Case(f"gather_bytes_{bits}_zero_points", name, [bytes, ids, scales, zero_points], attributes, weights=(0, 2, 3))


def fused_blockwise(numbers, x, shape):
    outputs, blocks, block = shape["N"], 3, shape["block_size"]
    layer = lambda: (of_type(numbers, numpy.uint8, outputs, blocks, block // 2), numbers.positive(outputs, blocks), numbers.floats(outputs))
    gate, up, third = layer(), layer(), layer()
    skip, scale = numbers.floats(*x.shape), numbers.floats(shape["K"])

    def product(x, packed, scales, bias):
        weights = numpy.stack([packed & 15, packed >> 4], -1).reshape(outputs, blocks, block).astype(numpy.float32) - 8
        return x @ (weights * scales[..., None]).reshape(outputs, -1)[:, : shape["K"]].T + bias

    def norm(x):
        return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * scale

    def mlp(rows):
        gated = product(rows, *gate)
        return gated / (1 + numpy.exp(-gated)) * product(rows, *up)

    attributes = {**shape, "activation": "silu"}
    yield Case("matmul_4_bits_mlp", "MatMulNBitsMlp", [x, None, None, *gate, *up], attributes, expected=lambda x, *_: mlp(x))
    yield Case("matmul_4_bits_mlp_norm", "MatMulNBitsMlp", [x, skip, scale, *gate, *up], attributes, outputs=2, weights=(3, 4, 5, 6, 7, 8), expected=lambda x, *_: [mlp(norm(x + skip)), x + skip])
    attributes = {"K": shape["K"], "Nq": outputs, "Nkv": outputs, "block_size": block, "epsilon": 1e-5}
    yield Case("matmul_4_bits_qkv", "MatMulNBitsQkv", [x, None, scale, *gate, *up, *third], attributes, outputs=3, weights=tuple(range(3, 12)), expected=lambda x, *_: [product(norm(x), *part) for part in (gate, up, third)])


def linear(numbers):
    f32 = numpy.float32
    for dtype in (numpy.uint8, numpy.int8):
        name = dtype.__name__
        x, y = of_type(numbers, dtype, 2, 3, 4), of_type(numbers, dtype, 3, 1)
        one, two, three = [f32(0.02), dtype(5)], [f32(0.03), dtype(11)], [f32(0.05), dtype(60)]
        yield Case(f"qlinear_add_{name}", "QLinearAdd", [x, *one, y, *two, *three], tolerance=BYTES)
        yield Case(f"qlinear_mul_{name}", "QLinearMul", [x, *one, y, *two, *three], tolerance=BYTES)
        yield Case(f"qlinear_sigmoid_{name}", "QLinearSigmoid", [x, *one, f32(1 / 256), dtype(0)], tolerance=BYTES)
        yield Case(f"qlinear_leaky_relu_{name}", "QLinearLeakyRelu", [x, *one, *three], {"alpha": 0.2}, tolerance=BYTES)
        for opset in (12, 13):
            yield Case(f"qlinear_softmax_{opset}_{name}", "QLinearSoftmax", [x, *one, f32(1 / 256), dtype(0)], {"axis": 1, "opset": opset}, tolerance=BYTES)
        yield Case(f"qlinear_where_{name}", "QLinearWhere", [numbers.integers(0, 2, 3, 4, dtype=bool), x, *one, y, *two, *three], tolerance=BYTES)
        yield Case(f"qlinear_concat_{name}", "QLinearConcat", [*three, x, *one, of_type(numbers, dtype, 2, 1, 4), *two], {"axis": 1}, tolerance=BYTES)
    x = of_type(numbers, numpy.uint8, 2, 3, 4)
    mean = numpy.round((x.astype(f32) - 5).mean((0, 2)) * f32(0.02) / f32(0.01)) + 20
    yield Case("qlinear_reduce_mean", "QLinearReduceMean", [x, f32(0.02), numpy.uint8(5), f32(0.01), numpy.uint8(20)], {"axes": [0, 2], "keepdims": 0}, tolerance=BYTES, expected=lambda *_: numpy.clip(mean, 0, 255).astype(numpy.uint8))


def images(numbers):
    f32, u8, i8 = numpy.float32, numpy.uint8, numpy.int8
    x = of_type(numbers, u8, 1, 3, 6, 7)
    last = numpy.ascontiguousarray(numpy.moveaxis(x, 1, -1))
    scales = [f32(0.02), u8(100), f32(0.03), u8(90)]
    pool = {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 1, 1]}
    yield Case("qlinear_average_pool", "QLinearAveragePool", [x, *scales], pool, tolerance=BYTES)
    yield Case("qlinear_average_pool_padding", "QLinearAveragePool", [x, *scales], {**pool, "count_include_pad": 1}, tolerance=BYTES)
    yield Case("qlinear_average_pool_last", "QLinearAveragePool", [last, *scales], {**pool, "channels_last": 1}, tolerance=BYTES)
    yield Case("qlinear_global_average_pool", "QLinearGlobalAveragePool", [x, *scales], tolerance=BYTES)
    yield Case("qlinear_global_average_pool_last", "QLinearGlobalAveragePool", [last, *scales], {"channels_last": 1}, tolerance=BYTES)
    w, b = numbers.weights(4, 3, 3, 3), numbers.integers(-999, 999, 4, dtype=numpy.int32)
    kernel = [w, numbers.positive(4), numpy.zeros(4, i8), f32(5), u8(120), b]
    yield Case("qlinear_conv", "QLinearConv", [x, *scales[:2], *kernel], {"pads": [1, 1, 1, 1]}, weights=(3, 4, 5, 8), tolerance=BYTES)
    yield Case("qlinear_conv_last", "QLinearConv", [last, *scales[:2], *kernel], {"pads": [1, 1, 1, 1], "channels_last": 1}, weights=(3, 4, 5, 8), tolerance=BYTES)


def recurrent(numbers):
    name, hidden = "DynamicQuantizeLSTM", 4
    tolerance = (1e-2, 1e-2)
    for directions, direction in ((1, "forward"), (1, "reverse"), (2, "bidirectional")):
        x = numbers.floats(5, 1, 3)
        w, r = numbers.weights(directions, 3, 4 * hidden), numbers.weights(directions, hidden, 4 * hidden)
        b, scale, zero = numbers.floats(directions, 8 * hidden), numbers.positive(directions) / 10, numpy.zeros(directions, numpy.int8)
        attributes = {"hidden_size": hidden, "direction": direction}
        inputs = [x, w, r, b, None, None, None, None, scale, zero, scale, zero]
        yield Case(f"dynamic_quantize_lstm_{direction}", name, inputs, attributes, outputs=3, weights=(1, 2, 3, 8, 9, 10, 11), tolerance=tolerance)
    columns = numbers.positive(1, 4 * hidden) / 10
    zeros = numpy.zeros((1, 4 * hidden), numpy.int8)
    x, states = numbers.floats(5, 2, 3), [numbers.floats(1, 2, hidden), numbers.floats(1, 2, hidden)]
    inputs = [x, w[:1], r[:1], None, numpy.array([5, 3], numpy.int32), *states, None, columns, zeros, columns, zeros]
    yield Case("dynamic_quantize_lstm_columns", name, inputs, {"hidden_size": hidden}, outputs=3, tolerance=tolerance)


def embeddings(numbers):
    ids, segments = numbers.integers(0, 9, 2, 5, dtype=numpy.int32), numbers.integers(0, 2, 2, 5, dtype=numpy.int32)
    tables = [of_type(numbers, numpy.uint8, *shape) for shape in ((9, 8), (6, 8), (2, 8), (8,), (8,))]
    scales, zeros = list(numbers.positive(5)), [numpy.uint8(100 + index) for index in range(5)]
    mask = numpy.array([[1, 1, 1, 0, 0], [1] * 5], numpy.int32)
    inputs = [ids, segments, *tables, mask, *scales, *zeros]
    yield Case("qembed_layer_norm", "QEmbedLayerNormalization", inputs, outputs=2, weights=tuple(range(2, 7)))


def conversions(numbers):
    f32 = numpy.float32
    x = numbers.floats(3, 4)
    for dtype in (numpy.uint8, numpy.int8, numpy.uint16, numpy.int16):
        name = dtype.__name__
        scale, zero = f32(0.01), dtype(3)
        yield Case(f"quantize_{name}", "QuantizeLinear", [x, scale, zero], tolerance=BYTES)
        yield Case(f"dequantize_{name}", "DequantizeLinear", [of_type(numbers, dtype, 3, 4), scale, zero])
    yield Case("quantize_columns", "QuantizeLinear", [x, numbers.positive(4), of_type(numbers, numpy.int8, 4)], {"axis": 1}, tolerance=BYTES)
    yield Case("dequantize_rows", "DequantizeLinear", [of_type(numbers, numpy.uint8, 3, 4), numbers.positive(3), of_type(numbers, numpy.uint8, 3)], {"axis": 0}, weights=(1, 2))
    small = Packed(TensorProto.INT4, numbers.integers(-8, 8, 3, 4, dtype=numpy.int8))
    yield Case("dequantize_int4", "DequantizeLinear", [small, f32(0.1)], weights=(0,))
    yield Case("dequantize_half", "DequantizeLinear", [of_type(numbers, numpy.uint8, 3, 4), numpy.float16(0.1), numpy.uint8(9)], tolerance=F16)
