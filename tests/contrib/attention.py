"""Cases of attention and of its preprocessing."""

import numpy

from generate import Case

F16 = (5e-3, 5e-3)


def cases(numbers):
    yield from embeddings(numbers)
    yield from packed(numbers)
    yield from multi_head(numbers)
    yield from group_query(numbers)


def integers32(values):
    return numpy.array(values, numpy.int32)


def embeddings(numbers):
    ids, segments = numbers.integers(0, 9, 2, 5, dtype=numpy.int32), numbers.integers(0, 2, 2, 5, dtype=numpy.int32)
    words, positions, kinds = numbers.floats(9, 8), numbers.floats(6, 8), numbers.floats(2, 8)
    gamma, beta = numbers.floats(8), numbers.floats(8)
    mask = integers32([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
    tables = (2, 3, 4, 5, 6)
    inputs = [ids, segments, words, positions, kinds, gamma, beta]
    yield Case("embed_layer_norm", "EmbedLayerNormalization", [*inputs, mask], outputs=2, weights=tables)
    yield Case("embed_layer_norm_no_mask", "EmbedLayerNormalization", inputs, outputs=2)
    yield Case("embed_layer_norm_no_segments", "EmbedLayerNormalization", [ids, None, words, positions, None, gamma, beta, mask], outputs=2)
    places = numbers.integers(0, 6, 2, 5, dtype=numpy.int32)
    yield Case("embed_layer_norm_positions", "EmbedLayerNormalization", [*inputs, None, places], outputs=["y", "", "sum"])
    flat, by_head = numbers.floats(2, 3, 16), numbers.floats(2, 4, 3, 4)
    cos, sin = numbers.floats(8, 2), numbers.floats(8, 2)
    rows = numpy.array([[0, 1, 2], [4, 5, 6]])
    yield Case("rotary", "RotaryEmbedding", [flat, rows, cos, sin])
    yield Case("rotary_heads", "RotaryEmbedding", [by_head, rows, cos, sin], {"interleaved": 1})
    yield Case("rotary_offset", "RotaryEmbedding", [flat, numpy.array([3]), cos, sin], weights=(2, 3))
    wide = numbers.floats(2, 3, 16)
    yield Case("rotary_partial", "RotaryEmbedding", [wide, rows, cos, sin], {"num_heads": 2, "rotary_embedding_dim": 4})


def packed(numbers):
    x, w, b = numbers.floats(2, 3, 6), numbers.floats(6, 24), numbers.floats(24)
    heads = {"num_heads": 2}
    yield Case("attention", "Attention", [x, w, b], heads)
    yield Case("attention_weights", "Attention", [x, w, b, integers32([3, 2])], heads, weights=(1, 2))
    # ONNX Runtime crashes
    yield Case("attention_no_bias", "Attention", [x, w], {**heads, "unidirectional": 1}, expected=lambda x, w: attention(*numpy.split(x @ w, 3, -1), 2))
    yield Case("attention_scale", "Attention", [x, w, b], {**heads, "scale": 0.3})
    yield Case("attention_causal", "Attention", [x, w, b], {**heads, "unidirectional": 1})
    yield Case("attention_ends_and_starts", "Attention", [x, w, b, integers32([3, 2, 1, 0])], heads)
    yield Case("attention_mask_2d", "Attention", [x, w, b, integers32([[1, 1, 0], [0, 1, 1]])], heads)
    yield Case("attention_mask_3d", "Attention", [x, w, b, numbers.integers(0, 2, 2, 3, 3, dtype=numpy.int32) | numpy.eye(3, dtype=numpy.int32)], {**heads, "mask_filter_value": -5.0})
    past = numbers.floats(2, 2, 2, 4, 4)
    yield Case("attention_past", "Attention", [x, w, b, None, past], {**heads, "unidirectional": 1}, outputs=2)
    yield Case("attention_past_mask", "Attention", [x, w, b, integers32([[0, 1, 1, 1, 1, 1, 1], [1] * 7]), past], {**heads, "unidirectional": 1}, outputs=2)
    yield Case("attention_added", "Attention", [x, w, b, None, None, numbers.floats(1, 2, 3, 3)], heads)
    yield Case("attention_sizes", "Attention", [x, numbers.floats(6, 8 + 8 + 12), numbers.floats(28)], {**heads, "qkv_hidden_sizes": [8, 8, 12]})
    bytes, weights = numbers.integers(0, 256, 2, 3, 6, dtype=numpy.uint8), numbers.weights(6, 24)
    one, zero = numpy.float32(0.02), numpy.uint8(120)
    yield Case("qattention", "QAttention", [bytes, weights, b, one, numpy.float32(0.01), None, zero, numpy.int8(3)], heads)
    yield Case("qattention_columns", "QAttention", [bytes, weights, b, one, numbers.positive(24) / 10, integers32([3, 2]), zero, numpy.zeros(24, numpy.int8)], heads, weights=(1, 2, 4, 7))
    yield Case("qattention_past", "QAttention", [bytes, weights, b, one, numpy.float32(0.01), None, zero, numpy.int8(0), past], {**heads, "unidirectional": 1}, outputs=2)


def multi_head(numbers):
    heads = {"num_heads": 2}
    q, k, v = numbers.floats(2, 3, 8), numbers.floats(2, 5, 8), numbers.floats(2, 5, 12)
    bias = numbers.floats(8 + 8 + 12)
    name = "MultiHeadAttention"
    yield Case("mha", name, [q, k, v], heads)
    yield Case("mha_bias", name, [q, k, v, bias], {**heads, "scale": 0.4}, weights=(3,))
    yield Case("mha_lengths", name, [q, k, v, bias, integers32([5, 2])], heads)
    yield Case("mha_mask_2d", name, [q, k, v, None, integers32([[1, 1, 1, 0, 0], [1] * 5])], heads)
    yield Case("mha_added", name, [q, k, v, None, None, numbers.floats(2, 1, 3, 5)], heads)
    own, other = numbers.floats(2, 3, 8), numbers.floats(2, 3, 8)
    past_key, past_value = numbers.floats(2, 2, 4, 4), numbers.floats(2, 2, 4, 4)
    yield Case("mha_causal", name, [q, own, other], {**heads, "unidirectional": 1}, outputs=3)
    yield Case("mha_past", name, [q, own, other, numbers.floats(24), None, None, past_key, past_value], heads, outputs=3)
    yield Case("mha_past_causal", name, [q, own, other, None, integers32([[0] + [1] * 6] * 2), numbers.floats(1, 2, 3, 7), past_key, past_value], {**heads, "unidirectional": 1}, outputs=3)
    yield Case("mha_cross", name, [q, past_key, past_value, numbers.floats(24)], heads)
    half = [value.astype(numpy.float16) for value in (q, own, other)]
    yield Case("mha_half", name, half, {**heads, "unidirectional": 1}, tolerance=F16, expected=lambda *parts: attention(*[part.astype(numpy.float32) for part in parts], 2).astype(numpy.float16))
    packed = numbers.floats(2, 3, 2, 3, 4)
    flat = lambda part: packed[:, :, :, part].reshape(2, 3, 8)
    yield Case("mha_packed", name, [packed], {**heads, "unidirectional": 1}, expected=lambda _: attention(flat(0), flat(1), flat(2), 2))
    one = numbers.floats(2, 1, 8)
    new = numbers.floats(2, 1, 8)
    name = "DecoderMaskedMultiHeadAttention"
    room = {**heads, "past_present_share_buffer": 1}
    shared = [one, new, new, None, None, numbers.floats(2, 2, 6, 4), numbers.floats(2, 2, 6, 4), integers32([4])]
    yield Case("decoder_mha", name, shared, room, outputs=3)
    shared[3:5] = [integers32([[0, 1, 1, 1, 1], [1] * 5]), numbers.floats(1, 2, 1, 5)]
    yield Case("decoder_mha_mask", name, [*shared, None, None, numbers.floats(24)], room, outputs=3)
    yield Case("decoder_mha_cross", name, [one, past_key, past_value, integers32([[1, 1, 0, 1], [1] * 4])], heads)


def attention(q, k, v, heads):
    """Causal attention."""
    split = lambda x: x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)
    q, k, v = split(q), split(k), split(v)
    scores = q @ k.swapaxes(2, 3) / numpy.sqrt(q.shape[-1])
    scores = numpy.where(numpy.tri(*scores.shape[2:], dtype=bool), scores, -numpy.inf)
    weights = numpy.exp(scores - scores.max(-1, keepdims=True))
    result = weights / weights.sum(-1, keepdims=True) @ v
    return result.swapaxes(1, 2).reshape(*result.shape[:1], result.shape[2], -1).astype(numpy.float32)


def group_query(numbers):
    name, heads = "GroupQueryAttention", {"num_heads": 4, "kv_num_heads": 2}
    q, k, v = numbers.floats(2, 3, 64), numbers.floats(2, 3, 32), numbers.floats(2, 3, 32)
    cos, sin = numbers.floats(16, 8), numbers.floats(16, 8)
    # without caches for outputs, ONNX Runtime reads memory that it has not written
    empty = numpy.zeros((2, 2, 0, 16), numpy.float32)
    prompt = [integers32([2, 2]), integers32([3])]
    yield Case("gqa_prompt", name, [q, k, v, None, None, *prompt], heads, outputs=3, weights=(6,))
    yield Case("gqa_prompt_empty_past", name, [q, k, v, empty, empty, *prompt], heads, outputs=3)
    yield Case("gqa_prompt_rotary", name, [q, k, v, empty, empty, *prompt, cos, sin], {**heads, "do_rotary": 1}, outputs=3, weights=(7, 8))
    yield Case("gqa_packed", name, [numbers.floats(2, 3, 128), None, None, empty, empty, *prompt, cos, sin], {**heads, "do_rotary": 1, "rotary_interleaved": 1}, outputs=3)
    one = [numbers.floats(2, 1, 64), numbers.floats(2, 1, 32), numbers.floats(2, 1, 32)]
    past = [numbers.floats(2, 2, 5, 16), numbers.floats(2, 2, 5, 16)]
    token = [integers32([5, 5]), integers32([6])]
    ragged = [integers32([5, 3]), integers32([6])]
    # values after the end of a sequence are unspecified
    past[0][1, :, 3:] = past[1][1, :, 3:] = 0
    rotary = [cos, sin]
    yield Case("gqa_token", name, [*one, *past, *token], heads, outputs=3)
    yield Case("gqa_token_ragged", name, [*one, *past, *ragged, *rotary], {**heads, "do_rotary": 1}, outputs=3)
    yield Case("gqa_token_window", name, [*one, *past, *token], {**heads, "local_window_size": 3}, outputs=3)
    yield Case("gqa_token_softcap", name, [*one, *past, *token], {**heads, "softcap": 2.0, "scale": 1.5}, outputs=3)
    yield Case("gqa_token_smooth", name, [*one, *past, *token], {**heads, "smooth_softmax": 1}, outputs=3)
    sink = numbers.floats(4)
    yield Case("gqa_token_sink", name, [*one, *past, *token, None, None, None, None, sink], heads, outputs=3)
    yield Case("gqa_token_bias", name, [*one, *past, *token, None, None, None, numbers.floats(1, 4, 1, 6)], heads, outputs=3)
    yield Case("gqa_positions", name, [*one, *past, *token, *rotary, numpy.array([[7], [9]])], {**heads, "do_rotary": 1}, outputs=3)
    yield Case("gqa_prompt_window", name, [q, k, v, empty, empty, *prompt], {**heads, "local_window_size": 2}, outputs=3)
    yield Case("gqa_prompt_sink", name, [q, k, v, empty, empty, *prompt, None, None, None, None, sink], heads, outputs=3)
    chunk = [numbers.floats(1, 3, 64), numbers.floats(1, 3, 32), numbers.floats(1, 3, 32)]
    before = [part[:1] for part in past]
    yield Case("gqa_chunk", name, [*chunk, *before, integers32([7]), integers32([8]), *rotary], {**heads, "do_rotary": 1}, outputs=3)
    half = [part.astype(numpy.float16) for part in (*one, *past)]
    yield Case("gqa_half", name, [*half, *token], heads, outputs=3, tolerance=F16)
