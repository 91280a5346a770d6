"""A decoder of the Llama family with a cache of keys and values, as an ONNX graph with the weights of a GGUF file.

The graph has dynamic dimensions `batch`, `seq`, `past` and `total = past + seq`, and is written as exporters write it:
grouped queries by Expand, rotary embedding by Slice, Neg and Concat, RMSNorm in five operators.
"""

import tempfile
from pathlib import Path

import gguf
import numpy as np
from onnx import TensorProto, helper, numpy_helper

OPSET = 17


class Weights:
    """Parameters and tensors of a GGUF file."""

    def __init__(self, data):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.gguf"
            path.write_bytes(data)
            reader = gguf.GGUFReader(path)
            family = reader.fields["general.architecture"].contents()
            get = lambda key: reader.fields[f"{family}.{key}"].contents()
            self.layers = get("block_count")
            self.heads = get("attention.head_count")
            self.key_heads = get("attention.head_count_kv")
            self.width = get("embedding_length")
            self.epsilon = get("attention.layer_norm_rms_epsilon")
            self.base = get("rope.freq_base")
            self.tensors = {tensor.name: self.plain(tensor) for tensor in reader.tensors}
        self.head_width = self.width // self.heads

    @staticmethod
    def plain(tensor):
        values = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        return values.reshape([int(extent) for extent in reversed(tensor.shape)])

    def __getitem__(self, name):
        return self.tensors[f"{name}.weight"]

    def halves(self, name, heads):
        """A projection whose rotary pairs are in the two halves of a head instead of adjacent."""
        weight = self[name]
        pairs = weight.reshape(heads, self.head_width // 2, 2, weight.shape[1])
        return pairs.swapaxes(1, 2).reshape(weight.shape)


class Builder:
    """Nodes and constants of a graph."""

    def __init__(self):
        self.nodes, self.constants = [], {}

    def constant(self, name, values):
        self.constants.setdefault(name, numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def integers(self, *values):
        return self.constant("ints_" + "_".join(map(str, values)).replace("-", "m"), np.array(values, np.int64))

    def number(self, value):
        return self.constant(f"number_{len(self.constants)}", np.float32(value))

    def op(self, kind, *inputs, output=None, **attributes):
        output = output or f"{kind.lower()}_{len(self.nodes)}"
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=name, **attributes))
        return output


class Decoder:
    """Builds the graph."""

    def __init__(self, weights):
        self.weights, self.b = weights, Builder()

    def linear(self, x, weight, name):
        return self.b.op("MatMul", x, self.b.constant(name, weight.T))

    def norm(self, x, name):
        """`x / sqrt(mean(x²) + ε) * w`"""
        b = self.b
        mean = b.op("ReduceMean", b.op("Pow", x, self.two), axes=[-1], keepdims=1)
        root = b.op("Sqrt", b.op("Add", mean, self.epsilon))
        return b.op("Mul", b.op("Div", x, root), b.constant(f"{name}_weight", self.weights[name]))

    def angles(self):
        """Cosines and sines of the positions, `[batch, 1, seq, head]`."""
        b, width = self.b, self.weights.head_width
        frequencies = (self.weights.base ** (-np.arange(0, width, 2) / width)).astype(np.float32)
        positions = b.op("Unsqueeze", b.op("Cast", "position_ids", to=TensorProto.FLOAT), b.integers(2))
        turns = b.op("Mul", positions, b.constant("frequencies", frequencies[None, None, :]))
        both = b.op("Concat", turns, turns, axis=-1)
        return [b.op("Unsqueeze", b.op(kind, both), b.integers(1)) for kind in ("Cos", "Sin")]

    def mask(self):
        """The lowest number if a key comes after its query or is padding, else 0."""
        b = self.b
        scalar = lambda value: b.op("Squeeze", value, b.integers(0))
        total = scalar(b.op("Shape", "attention_mask", start=1, end=2))
        keys = b.op("Range", scalar(b.integers(0)), total, scalar(b.integers(1)))
        keys = b.op("Reshape", keys, b.integers(1, 1, 1, -1))
        queries = b.op("Unsqueeze", b.op("Unsqueeze", "position_ids", b.integers(1)), b.integers(-1))
        given = b.op("Cast", b.op("Unsqueeze", "attention_mask", b.integers(1, 2)), to=TensorProto.BOOL)
        hidden = b.op("Or", b.op("Greater", keys, queries), b.op("Not", given))
        return b.op("Where", hidden, b.number(np.finfo(np.float32).min), b.number(0))

    def rotate(self, x):
        b, half = self.b, self.weights.head_width // 2
        low = b.op("Slice", x, b.integers(0), b.integers(half), b.integers(3))
        high = b.op("Slice", x, b.integers(half), b.integers(2 * half), b.integers(3))
        turned = b.op("Concat", b.op("Neg", high), low, axis=-1)
        return b.op("Add", b.op("Mul", x, self.cosines), b.op("Mul", turned, self.sines))

    def split_heads(self, x, heads):
        shape = self.b.integers(0, 0, heads, self.weights.head_width)
        return self.b.op("Transpose", self.b.op("Reshape", x, shape), perm=[0, 2, 1, 3])

    def repeat(self, x):
        """Each head of keys or values for all the query heads that share it."""
        b, w = self.b, self.weights
        shape = b.op("Shape", x)
        front = b.op("Slice", shape, b.integers(0), b.integers(2))
        back = b.op("Slice", shape, b.integers(2), b.integers(4))
        target = b.op("Concat", front, b.integers(w.heads // w.key_heads), back, axis=0)
        wide = b.op("Expand", b.op("Unsqueeze", x, b.integers(2)), target)
        return b.op("Reshape", wide, b.integers(0, w.heads, -1, w.head_width))

    def attention(self, x, layer):
        b, w, prefix = self.b, self.weights, f"blk.{layer}"
        query = self.linear(x, w.halves(f"{prefix}.attn_q", w.heads), f"q_{layer}")
        key = self.linear(x, w.halves(f"{prefix}.attn_k", w.key_heads), f"k_{layer}")
        value = self.linear(x, w[f"{prefix}.attn_v"], f"v_{layer}")
        query = self.rotate(self.split_heads(query, w.heads))
        key = self.rotate(self.split_heads(key, w.key_heads))
        value = self.split_heads(value, w.key_heads)
        cached = lambda kind, new: b.op(
            "Concat", f"past_key_values.{layer}.{kind}", new, output=f"present.{layer}.{kind}", axis=2
        )
        key, value = self.repeat(cached("key", key)), self.repeat(cached("value", value))
        scores = b.op("MatMul", query, b.op("Transpose", key, perm=[0, 1, 3, 2]))
        scores = b.op("Add", b.op("Mul", scores, self.scale), self.hidden)
        result = b.op("MatMul", b.op("Softmax", scores, axis=-1), value)
        result = b.op("Reshape", b.op("Transpose", result, perm=[0, 2, 1, 3]), b.integers(0, 0, w.width))
        return self.linear(result, w[f"{prefix}.attn_output"], f"o_{layer}")

    def feed_forward(self, x, layer):
        b, w, prefix = self.b, self.weights, f"blk.{layer}"
        gate = self.linear(x, w[f"{prefix}.ffn_gate"], f"gate_{layer}")
        up = self.linear(x, w[f"{prefix}.ffn_up"], f"up_{layer}")
        gated = b.op("Mul", b.op("Mul", gate, b.op("Sigmoid", gate)), up)
        return self.linear(gated, w[f"{prefix}.ffn_down"], f"down_{layer}")

    def build(self):
        b, w = self.b, self.weights
        self.two, self.epsilon = b.number(2), b.number(w.epsilon)
        self.scale = b.number(1 / np.sqrt(w.head_width))
        embedding = b.constant("embedding", w["token_embd"])
        x = b.op("Gather", embedding, "input_ids", axis=0)
        self.cosines, self.sines = self.angles()
        self.hidden = self.mask()
        for layer in range(w.layers):
            x = b.op("Add", x, self.attention(self.norm(x, f"blk.{layer}.attn_norm"), layer))
            x = b.op("Add", x, self.feed_forward(self.norm(x, f"blk.{layer}.ffn_norm"), layer))
        b.op("MatMul", self.norm(x, "output_norm"), b.op("Transpose", embedding, perm=[1, 0]), output="logits")

    def model(self):
        self.build()
        w = self.weights
        cache = lambda name, extent: helper.make_tensor_value_info(
            name, TensorProto.FLOAT, ["batch", w.key_heads, extent, w.head_width]
        )
        parts = [(layer, kind) for layer in range(w.layers) for kind in ("key", "value")]
        tokens = [("input_ids", "seq"), ("attention_mask", "total"), ("position_ids", "seq")]
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", extent]) for name, extent in tokens]
        inputs += [cache(f"past_key_values.{layer}.{kind}", "past") for layer, kind in parts]
        vocabulary = w["token_embd"].shape[0]
        outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", "seq", vocabulary])]
        outputs += [cache(f"present.{layer}.{kind}", "total") for layer, kind in parts]
        graph = helper.make_graph(self.b.nodes, "decoder", inputs, outputs, list(self.b.constants.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)


def decoder(data):
    """The ONNX model of a GGUF file's bytes."""
    return Decoder(Weights(data)).model()
