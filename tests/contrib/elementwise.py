"""Cases of operators that are, or fuse, ordinary ones."""

import numpy

from generate import Case

F16 = (2e-3, 2e-3)


def cases(numbers):
    yield from activations(numbers)
    yield from products(numbers)
    yield from convolutions(numbers)
    yield from normalizations(numbers)
    yield from renamed(numbers)
    yield from tensors(numbers)
    yield from gated(numbers)
    yield from early(numbers)


def softmax(x):
    weights = numpy.exp(x - x.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def erf(x):
    import math

    return numpy.vectorize(math.erf)(x).astype(numpy.float32)


def gelu(x):
    return x * (1 + erf(x / numpy.sqrt(2))) / 2


def activations(numbers):
    x, bias = numbers.floats(3, 4, 6), numbers.floats(6)
    half = x.astype(numpy.float16)
    yield Case("gelu", "Gelu", [x])
    yield Case("fast_gelu", "FastGelu", [x])
    yield Case("fast_gelu_bias", "FastGelu", [x, bias])
    yield Case("bias_gelu", "BiasGelu", [x, bias])
    yield Case("quick_gelu", "QuickGelu", [x])
    yield Case("quick_gelu_alpha", "QuickGelu", [x], {"alpha": 0.7})
    yield Case("quick_gelu_half", "QuickGelu", [half], tolerance=F16)
    scores = numbers.floats(2, 3, 4, 5)
    inner, outer = {"axis": 3, "is_inner_broadcast": 1}, {"axis": 2, "is_inner_broadcast": 0}
    yield Case("bias_softmax_inner", "BiasSoftmax", [scores, numbers.floats(2, 1, 1, 5)], inner, expected=lambda x, b: softmax(x + b))
    yield Case("bias_softmax_short", "BiasSoftmax", [scores, numbers.floats(2, 5)], inner, expected=lambda x, b: softmax(x + b[:, None, None]))
    yield Case("bias_softmax_outer", "BiasSoftmax", [scores, numbers.floats(4, 5)], outer, expected=lambda x, b: softmax((x + b).reshape(6, 20)).reshape(x.shape))
    skip = numbers.floats(3, 4, 6)
    yield Case("bias_add", "BiasAdd", [x, bias, skip], expected=lambda x, b, s: x + b + s)
    yield Case("bias_split_gelu", "BiasSplitGelu", [x, bias], expected=lambda x, b: (x + b)[..., :3] * gelu((x + b)[..., 3:]))
    yield Case("bias_dropout", "BiasDropout", [x, bias, skip], outputs=2, expected=lambda x, b, s: [x + b + s, numpy.ones(x.shape, bool)])


def products(numbers):
    a, b = numbers.floats(2, 3, 4), numbers.floats(2, 4, 5)
    flip = lambda x: numpy.ascontiguousarray(x.swapaxes(-1, -2))
    rows_first = lambda x: numpy.ascontiguousarray(numpy.moveaxis(x, -2, 0))
    yield Case("fused_matmul", "FusedMatMul", [a, b], {"alpha": 0.5})
    yield Case("fused_matmul_trans_a", "FusedMatMul", [flip(a), b], {"transA": 1})
    yield Case("fused_matmul_trans_b", "FusedMatMul", [a, flip(b)], {"transB": 1, "alpha": 2.0}, weights=(1,))
    yield Case("fused_matmul_trans_both", "FusedMatMul", [flip(a), flip(b)], {"transA": 1, "transB": 1})
    yield Case("fused_matmul_batch_a", "FusedMatMul", [rows_first(a), b], {"transBatchA": 1})
    yield Case("fused_matmul_batch_b", "FusedMatMul", [a, rows_first(flip(b))], {"transBatchB": 1, "transB": 1})
    four, other = numbers.floats(2, 3, 4, 5), numbers.floats(2, 3, 5, 6)
    yield Case("fused_matmul_batch_4d", "FusedMatMul", [rows_first(four), rows_first(other)], {"transBatchA": 1, "transBatchB": 1})
    yield Case("fused_matmul_vector", "FusedMatMul", [numbers.floats(4), b], {"transA": 1})
    yield Case("fused_matmul_broadcast", "FusedMatMul", [a, numbers.floats(5, 4)], {"transB": 1})
    yield Case("transpose_matmul", "TransposeMatMul", [flip(a), b], {"transA": 1, "alpha": 1.5})
    yield Case("fused_matmul_activation", "FusedMatMulActivation", [a, flip(b)], {"transB": 1, "activation": "LeakyRelu", "activation_alpha": 0.3}, expected=lambda a, b: leaky(a @ b.swapaxes(-1, -2), 0.3))
    x, w, c = numbers.floats(3, 4), numbers.floats(4, 5), numbers.floats(5)
    yield Case("fused_gemm_relu", "FusedGemm", [x, w, c], {"activation": "Relu"})
    yield Case("fused_gemm_leaky", "FusedGemm", [x, flip(w), c], {"activation": "LeakyRelu", "activation_alpha": 0.2, "transB": 1, "alpha": 0.5, "beta": 2.0}, weights=(1, 2))
    yield Case("fused_gemm_no_bias", "FusedGemm", [x, w], {"activation": "Sigmoid"})
    yield Case("gemm_fast_gelu", "GemmFastGelu", [x, w, c], expected=lambda x, w, c: fast_gelu(x @ w + c))


def leaky(x, alpha):
    return numpy.where(x < 0, alpha * x, x).astype(numpy.float32)


def fast_gelu(x):
    return x / 2 * (1 + numpy.tanh(0.7978846 * (x + 0.044715 * x**3)))


def convolutions(numbers):
    x, w, b = numbers.floats(1, 4, 5, 6), numbers.floats(3, 4, 3, 3), numbers.floats(3)
    pads = {"pads": [1, 1, 1, 1], "kernel_shape": [3, 3]}
    for name, activation in [("Relu", {}), ("Tanh", {}), ("Sigmoid", {}), ("LeakyRelu", {"activation_params": [0.1]}), ("Clip", {"activation_params": [-0.5, 0.5]}), ("HardSigmoid", {"activation_params": [0.3, 0.4]})]:
        yield Case(f"fused_conv_{name.lower()}", "FusedConv", [x, w, b], {**pads, **activation, "activation": name}, weights=(1, 2))
    yield Case("fused_conv_sum", "FusedConv", [x, w, b, numbers.floats(1, 3, 5, 6)], {**pads, "activation": "Relu"})
    yield Case("fused_conv_group", "FusedConv", [x, numbers.floats(4, 2, 3, 3)], {**pads, "group": 2, "activation": "Relu"})
    last = lambda x: numpy.ascontiguousarray(numpy.moveaxis(x, 1, -1))
    onnx_conv = lambda x, w, b: last(conv(numpy.moveaxis(x, -1, 1), w, b))
    yield Case("nhwc_conv", "NhwcConv", [last(x), w, b], {"pads": [1, 1, 1, 1]}, expected=onnx_conv)
    z = numbers.floats(1, 5, 6, 3)
    yield Case("nhwc_fused_conv", "NhwcFusedConv", [last(x), w, b, z], {"pads": [1, 1, 1, 1], "activation": "Relu"}, expected=lambda x, w, b, z: numpy.maximum(onnx_conv(x, w, b) + z, 0))
    for dtype in (numpy.int8, numpy.uint8):
        low = -128 if dtype is numpy.int8 else 0
        pixels = numbers.integers(low, low + 256, 1, 6, 7, 3, dtype=dtype)
        yield Case(f"nhwc_max_pool_{dtype.__name__}", "NhwcMaxPool", [pixels], {"kernel_shape": [3, 2], "strides": [2, 1], "pads": [1, 0, 0, 1]})


def conv(x, w, b):
    """A convolution with a border of one."""
    x = numpy.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = numpy.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    return (numpy.einsum("nchwij,mcij->nmhw", windows, w) + b[:, None, None]).astype(numpy.float32)


def normalizations(numbers):
    x, skip = numbers.floats(2, 3, 8), numbers.floats(2, 3, 8)
    gamma, beta, bias = numbers.floats(8), numbers.floats(8), numbers.floats(8)
    half = [value.astype(numpy.float16) for value in (x, skip, gamma, beta, bias)]
    everything = ["y", "", "", "sum"]
    yield Case("skip_layer_norm", "SkipLayerNormalization", [x, skip, gamma, beta, bias], outputs=everything)
    yield Case("skip_layer_norm_no_beta", "SkipLayerNormalization", [x, skip, gamma], {"epsilon": 1e-2})
    yield Case("skip_layer_norm_rows", "SkipLayerNormalization", [x, skip[0], gamma, beta])
    yield Case("skip_layer_norm_matrix", "SkipLayerNormalization", [x[0], skip[0], gamma, beta], weights=(2, 3))
    yield Case("skip_layer_norm_half", "SkipLayerNormalization", half, outputs=everything, tolerance=(5e-3, 5e-3))
    yield Case("skip_rms_norm", "SkipSimplifiedLayerNormalization", [x, skip, gamma, bias], outputs=everything)
    yield Case("skip_rms_norm_epsilon", "SkipSimplifiedLayerNormalization", [x, skip, gamma], {"epsilon": 1e-1})
    yield Case("rms_norm", "SimplifiedLayerNormalization", [x, gamma], {"epsilon": 1e-5, "axis": -1}, domain="")
    yield Case("rms_norm_statistics", "SimplifiedLayerNormalization", [x, gamma], {"epsilon": 1e-5, "stash_type": 1}, outputs=2, domain="")
    yield Case("rms_norm_half", "SimplifiedLayerNormalization", [half[0], half[2]], {"axis": 2}, domain="", tolerance=(5e-3, 5e-3))


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / numpy.sqrt(x.var(-1, keepdims=True) + 1e-5)


def renamed(numbers):
    x = numbers.floats(3, 4)
    yield Case("expand_dims", "ExpandDims", [x, numpy.array(1, numpy.int32)], weights=(1,))
    yield Case("expand_dims_back", "ExpandDims", [x, numpy.array([-1], numpy.int32)], weights=(1,))
    yield Case("pad", "Pad", [x, numpy.array([1, 0, 2, 1]), numpy.array([0.5], numpy.float32)], weights=(1,))
    yield Case("pad_reflect", "Pad", [x, numpy.array([[1, 2, 0, 1]])], {"mode": "reflect"}, weights=(1,))
    yield Case("trilu", "Trilu", [numbers.floats(2, 4, 5), numpy.array(1)], {"upper": 0})
    yield Case("range", "Range", numpy.array([1, 7.5, 1.5], numpy.float32))
    yield Case("range_integers", "Range", [numpy.array([2], numpy.int32), numpy.array([9], numpy.int32)])
    grid = numpy.clip(numbers.floats(1, 3, 4, 2), -1.2, 1.2)
    image = numbers.floats(1, 2, 5, 6)
    for mode in ("bilinear", "nearest"):
        yield Case(f"grid_sample_{mode}", "GridSample", [image, grid], {"mode": mode, "padding_mode": "border"})
    # outside the image, ONNX Runtime differs from PyTorch and from the standard
    yield Case("grid_sample_bicubic", "GridSample", [image, grid / 2], {"mode": "bicubic", "padding_mode": "border"})
    yield Case("unique", "Unique", [numpy.array([3, 1, 3, 2, 1, 1], numpy.float32)], outputs=3)
    yield Case("gather_nd", "GatherND", [x, numpy.array([[0, 1], [2, 3]], numpy.int32)], weights=(1,), expected=lambda x, i: x[i[:, 0], i[:, 1]])


def tensors(numbers):
    a, b = numbers.floats(4, 6), numbers.floats(5, 6)
    yield Case("cdist", "CDist", [a, b])
    yield Case("cdist_root", "CDist", [a, b], {"metric": "euclidean"})
    yield Case("inverse", "Inverse", [numbers.floats(3, 4, 4) + 3 * numpy.eye(4, dtype=numpy.float32)])
    for count in (8, 10):
        signal = numbers.floats(2, count)
        apart = lambda z: numpy.stack([z.real, z.imag], -1).astype(numpy.float32)
        yield Case(f"rfft_{count}", "Rfft", [signal], {"signal_ndim": 1}, expected=lambda x: apart(numpy.fft.rfft(x)))
        yield Case(f"irfft_{count}", "Irfft", [apart(numpy.fft.rfft(signal))], {"signal_ndim": 1}, expected=lambda _: signal)
    complex = lambda x: x[..., 0] + 1j * x[..., 1]
    z, w = numbers.floats(3, 4, 2), numbers.floats(4, 2)
    yield Case("complex_mul", "ComplexMul", [z, w], expected=lambda a, b: apart(complex(a) * complex(b)))
    yield Case("complex_mul_conj", "ComplexMulConj", [z, w], expected=lambda a, b: apart(complex(a) * complex(b).conj()))
    yield Case("is_all_finite", "IsAllFinite", [a, b], expected=lambda *_: numpy.array(True))
    yield Case("is_all_finite_not", "IsAllFinite", [a, numpy.append(b, numpy.float32(numpy.inf))], expected=lambda *_: numpy.array(False))
    yield Case("sample_op", "SampleOp", [a])
    yield Case("torch_embedding", "TorchEmbedding", [a, numpy.array([[1, 3], [0, 0]])], expected=lambda x, i: x[i])
    yield Case("unfold", "UnfoldTensor", [numbers.floats(2, 9, 3)], {"dim": 1, "size": 4, "step": 2})
    yield Case("unfold_last", "UnfoldTensor", [numbers.integers(0, 99, 2, 7)], {"size": 3})


def group_norm(x, gamma, beta, groups):
    """Of images with the channels last."""
    rows = x.reshape(x.shape[0], -1, groups, x.shape[-1] // groups)
    rows = (rows - rows.mean((1, 3), keepdims=True)) / numpy.sqrt(rows.var((1, 3), keepdims=True) + 1e-5)
    return rows.reshape(x.shape) * gamma + beta


def swish(x):
    return x / (1 + numpy.exp(-x))


def gated(numbers):
    x, gamma, beta = numbers.floats(2, 3, 4, 6), numbers.floats(6), numbers.floats(6)
    attributes = {"groups": 2, "activation": 1}
    first, last = (lambda x: numpy.ascontiguousarray(numpy.moveaxis(x, -1, 1))), (lambda x: numpy.moveaxis(x, 1, -1))
    yield Case("group_norm", "GroupNorm", [x, gamma, beta], attributes, expected=lambda x, g, b: swish(group_norm(x, g, b, 2)))
    yield Case("group_norm_first", "GroupNorm", [first(x), gamma, beta], {**attributes, "channels_last": 0, "activation": 0}, expected=lambda x, g, b: first(group_norm(last(x), g, b, 2)))
    skip, bias = numbers.floats(2, 6), numbers.floats(6)
    sum = lambda x, s, b: x + s[:, None, None] + b
    yield Case("skip_group_norm", "SkipGroupNorm", [x, gamma, beta, skip, bias], attributes, outputs=2, expected=lambda x, g, b, s, c: [swish(group_norm(sum(x, s, c), g, b, 2)), sum(x, s, c)])
    rows, other, gate = numbers.floats(2, 3, 8), numbers.floats(2, 3, 8), numbers.floats(2, 3, 1)
    yield Case("gated_add", "GatedAdd", [rows, other, gate])
    yield Case("scaled_silu", "ScaledSiLU", [rows], {"alpha": 0.7})
    yield Case("scaled_silu_scale", "ScaledSiLU", [rows, numpy.array(1.5, numpy.float32)])
    yield Case("gated_rms_norm", "GatedRMSNorm", [rows, numbers.floats(4), other])
    yield Case("gated_rms_norm_sigmoid", "GatedRMSNorm", [rows, numbers.floats(8), other], {"activation": "sigmoid"})
    yield Case("linear_attention_gate", "LinearAttentionGate", [rows, numbers.floats(8), numbers.floats(8), other], outputs=2)
    q, k, v = numbers.floats(1, 3, 8), numbers.floats(1, 3, 8) / 4, numbers.floats(1, 3, 4)
    decay, rate = -numbers.positive(1, 3, 2), numbers.positive(1, 3, 2)
    yield Case("linear_attention", "LinearAttention", [q, k, v, None, decay, rate], {"q_num_heads": 2, "kv_num_heads": 2}, outputs=2)
    yield Case("causal_conv", "CausalConvWithState", [numbers.floats(1, 4, 6), numbers.floats(4, 1, 3), numbers.floats(4), numbers.floats(1, 4, 2)], {"activation": "silu"}, outputs=2, weights=(1, 2))


def early(numbers):
    x, image = numbers.floats(2, 3), numbers.floats(1, 3, 5, 6)
    old = {"domain": "", "opset": 7}
    yield Case("affine", "Affine", [x], {"alpha": 2.0, "beta": -1.0}, **old)
    yield Case("layer_norm_12", "LayerNormalization", [x, numbers.floats(3), numbers.floats(3)], domain="", opset=12)
    half = x.astype(numpy.float16), numbers.floats(3)
    yield Case("layer_norm_types_12", "LayerNormalization", [*half], domain="", opset=12, expected=lambda x, s: layer_norm(x.astype(numpy.float32)) * s)
    yield Case("thresholded_relu", "ThresholdedRelu", [x], {"alpha": 0.3}, **old)
    for across in (0, 1):
        yield Case(f"mean_variance_{across}", "MeanVarianceNormalization", [image], {"across_channels": across}, **old)
    yield Case("mean_without_variance", "MeanVarianceNormalization", [image], {"across_channels": 1, "normalize_variance": 0}, **old)
    yield Case("parametric_softplus", "ParametricSoftplus", [x], {"alpha": 2.0, "beta": 0.5}, **old)
    yield Case("scaled_tanh", "ScaledTanh", [x], {"alpha": 2.0, "beta": 0.5}, **old)
    yield Case("scale", "Scale", [x], {"scale": 3.0}, **old, expected=lambda x: x * 3)
    yield Case("image_scaler", "ImageScaler", [image], {"scale": 0.5, "bias": [0.1, -0.2, 0.3]}, **old)
    yield Case("crop_border", "Crop", [image], {"border": [1, 0, 2, 1]}, **old)
    yield Case("crop_scale", "Crop", [image], {"border": [1, 2, 0, 0], "scale": [2, 3]}, **old)
    bounds = [numpy.array([1, 0]), numpy.array([2, 2])]
    yield Case("dynamic_slice", "DynamicSlice", [x, *bounds, numpy.array([0, 1])], **old)
    yield Case("given_tensor_fill", "GivenTensorFill", [x], {"values": [1.0] * 24, "extra_shape": [4]}, **old, expected=lambda x: numpy.ones((2, 3, 4), numpy.float32))
