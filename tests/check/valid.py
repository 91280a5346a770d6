"""Models without a fault: `case(name, model)`. Each is near to one of `invalid`, or uses a feature in full.

Expected outputs are those of ONNX's reference evaluator, or of ONNX Runtime if that does not support an operator.
"""

import hashlib
from dataclasses import dataclass

import numpy
import onnx.reference
import onnxruntime
from onnx import AttributeProto, TensorProto, helper, numpy_helper

from models import *  # noqa: F403

CASES = []


@dataclass
class Case:
    """A model, the files next to it, and the inputs that it is run on; None is for random ones."""

    name: str
    model: object
    beside: object = None
    inputs: object = None
    runs: bool = True


def case(name, made, change=None, beside=None, inputs=None, runs=True):
    """A line of the table."""
    if change is not None:
        change(made)
    assert all(known.name != name for known in CASES), name
    CASES.append(Case(name, made, beside, inputs, runs))


# ---- what runs them

SIZES = {"n": 3}


def random(port, generator):
    """A value for an input."""
    kind = port.type.tensor_type
    shape = [dim.dim_value if dim.HasField("dim_value") else SIZES.get(dim.dim_param, 2) for dim in kind.shape.dim]
    element = helper.tensor_dtype_to_np_dtype(kind.elem_type)
    if kind.elem_type == TensorProto.BOOL:
        return generator.integers(0, 2, shape).astype(bool)
    if kind.elem_type == TensorProto.STRING:
        return numpy.array([f"text {i}" for i in range(int(numpy.prod(shape)))], dtype=object).reshape(shape)
    if numpy.issubdtype(element, numpy.integer):
        return generator.integers(0, 3, shape).astype(element)
    return generator.uniform(0.1, 0.9, shape).astype(numpy.float32).astype(element)


def compute(path, made, feeds):
    """The outputs by the reference evaluator, or by ONNX Runtime."""
    try:
        return onnx.reference.ReferenceEvaluator(str(path / "model.onnx")).run(None, feeds)
    except Exception:  # noqa: BLE001: whatever it does not know
        return onnxruntime.InferenceSession(str(path / "model.onnx")).run(None, feeds)


def write_data(path, case):
    """Inputs and outputs in the layout of ONNX's tests."""
    if not case.runs:
        return
    generator = numpy.random.default_rng(int(hashlib.sha256(case.name.encode()).hexdigest()[:8], 16))
    constants = {tensor.name for tensor in case.model.graph.initializer}
    ports = [port for port in case.model.graph.input if port.name not in constants]
    given = case.inputs or {}
    feeds = {port.name: numpy.asarray(given[port.name]) if port.name in given else random(port, generator) for port in ports}
    outputs = compute(path, case.model, feeds)
    folder = path / "test_data_set_0"
    folder.mkdir()
    for kind, names, values in (
        ("input", [port.name for port in ports], feeds.values()),
        ("output", [port.name for port in case.model.graph.output], outputs),
    ):
        for index, (name, value_of) in enumerate(zip(names, values)):
            proto = numpy_helper.from_array(numpy.asarray(value_of), name)
            (folder / f"{kind}_{index}.pb").write_bytes(proto.SerializeToString())


# ---- the models that the others break

BASES = (relu, chain, weighted, branch, loop, scan, called, sparse, window, convolution)
for base in BASES:
    case(f"base-{base.__name__}", base(), inputs={"n": numpy.array(3)} if base is loop else None)
case("base-training", training())
case("base-quantized", quantized())
case("base-devices", devices())
for version in range(3, 15):
    case(f"ir-{version}-relu", relu(ir=version, opset=min(21, 6 + version)))
for version in range(4, 15):
    case(f"ir-{version}-weighted", weighted(ir=version), lambda m: m.opset_import.__getitem__(0).__setattr__("version", 13))
for version in (1, 2):
    def old(made):
        made.ClearField("opset_import")
        made.graph.node[0].attribute.append(attribute("consumed_inputs", [0]))
        if version == 1:
            made.graph.node[0].attribute[0].ClearField("type")
    case(f"ir-{version}-relu", relu(ir=version, opset=1), old, runs=False)

# ---- names and documentation

for good in ("_", "a1", "A_b_C", "x" * 200, "_9", "If", "int"):
    case(f"name-{good[:8]}", relu(), lambda m: setattr(m.graph.node[0], "name", good))
case("name-node-empty", relu(), lambda m: m.graph.node[0].ClearField("name"))
case("name-node-twice-in-two-graphs", branch(), lambda m: setattr(m.graph.node[0].attribute[0].g.node[0], "name", "choice"))
case("name-value-like-node", relu(), lambda m: setattr(m.graph.node[0], "name", "x"))
case("name-value-in-both-branches", branch(), lambda m: [
    (setattr(a.g.output[0], "name", "same"), a.g.node[0].output.__setitem__(0, "same")) for a in m.graph.node[0].attribute])
for number, domain in enumerate(("org.onnx", "com.example.models", "_a.b", "a-b.c", "de.uni-x.ai")):
    case(f"domain-{number}", relu(), lambda m: setattr(m, "domain", domain))
for number, text in enumerate(("# Title\n\n*text*", "a < b > c", "<stdin>(3)<module>", "1 <2", "`x`", "use <tensor> here")):
    case(f"documentation-{number}", relu(), lambda m: setattr(m, "doc_string", text))
case("metadata-two-keys", relu(), lambda m: [m.metadata_props.add(key=k, value="v") for k in "ab"])
case("metadata-same-key-elsewhere", relu(), lambda m: (m.metadata_props.add(key="k", value="v"), m.graph.metadata_props.add(key="k", value="v")))
case("metadata-empty-value", relu(), lambda m: m.metadata_props.add(key="k", value=""))
case("denotation", relu(), lambda m: (setattr(m.graph.input[0].type, "denotation", "IMAGE"), setattr(m.graph.input[0].type.tensor_type.shape.dim[0], "denotation", "DATA_BATCH")))

# ---- types and shapes

for number, shape in enumerate(([], [0], [1], ["n"], ["n", "m"], ["n", 3], [None, 3], ["n", "n"], [2, 0, 3], [1] * 6)):
    case(f"shape-{number}", unary("Relu", shape=shape))
case("shape-name-underscore", unary("Relu", shape=["_", 2]))
case("shape-output-less-known", relu(), lambda m: m.graph.output[0].CopyFrom(info("y", FLOAT, [None, None])))
case("shape-output-named", relu(), lambda m: m.graph.output[0].CopyFrom(info("y", FLOAT, ["N", "M"])))
case("value-info", chain(), lambda m: m.graph.value_info.append(info("h", FLOAT, [2, 3])))
case("value-info-named", chain(), lambda m: m.graph.value_info.append(info("h", FLOAT, ["a", "b"])))
case("value-info-without-shape", chain(), lambda m: m.graph.value_info.append(info("h", FLOAT, None)))
case("value-info-of-initializer", weighted(), lambda m: m.graph.value_info.append(info("w", FLOAT, [3])))
case("output-is-input", relu(), lambda m: m.graph.output.append(info("x", FLOAT, [2, 3])))
case("output-is-constant", weighted(), lambda m: m.graph.output.append(info("w", FLOAT, [3])))
case("output-of-middle", chain(), lambda m: m.graph.output.append(info("h", FLOAT, [2, 3])))
case("input-unread", relu(), lambda m: m.graph.input.append(info("u", FLOAT, [1])))
case("sequence-type", passed(sequence_type()), runs=False)
case("optional-type", passed(optional_type()), runs=False)
case("optional-sequence-type", passed(optional_type(sequence_type())), runs=False)

# ---- element types, stored in either field

T = TensorProto
STORED = {
    T.FLOAT: ("float_data", [1.5, -2]), T.DOUBLE: ("double_data", [1.5, -2]), T.INT64: ("int64_data", [1, -(2**62)]), T.INT32: ("int32_data", [1, -(2**31)]),
    T.INT16: ("int32_data", [-(2**15), 2**15 - 1]), T.INT8: ("int32_data", [-128, 127]), T.UINT8: ("int32_data", [0, 255]), T.UINT16: ("int32_data", [0, 65535]),
    T.UINT32: ("uint64_data", [0, 2**32 - 1]), T.UINT64: ("uint64_data", [0, 2**64 - 1]), T.BOOL: ("int32_data", [0, 1]), T.FLOAT16: ("int32_data", [0x3C00, 0xC000]),
    T.BFLOAT16: ("int32_data", [0x3F80, 0xC000]), T.STRING: ("string_data", [b"a", b"\xc3\xa4"]), T.FLOAT8E4M3FN: ("int32_data", [0x38, 0xB8]), T.FLOAT8E5M2: ("int32_data", [0x3C, 0xBC]),
    T.FLOAT8E4M3FNUZ: ("int32_data", [0x40, 0xC0]), T.FLOAT8E5M2FNUZ: ("int32_data", [0x40, 0xC0]), T.UINT4: ("int32_data", [0xF1]), T.INT4: ("int32_data", [0xF1]),
}
RAW = {
    T.FLOAT: 8, T.DOUBLE: 16, T.INT64: 16, T.INT32: 8, T.INT16: 4, T.INT8: 2, T.UINT8: 2, T.UINT16: 4, T.UINT32: 8, T.UINT64: 16, T.BOOL: 2, T.FLOAT16: 4,
    T.BFLOAT16: 4, T.FLOAT8E4M3FN: 2, T.FLOAT8E5M2: 2, T.UINT4: 1, T.INT4: 1,
}
LOW = {T.BFLOAT16, T.FLOAT8E4M3FN, T.FLOAT8E5M2, T.FLOAT8E4M3FNUZ, T.FLOAT8E5M2FNUZ, T.UINT4, T.INT4}
for kind, (field, values) in STORED.items():
    case(f"typed-{T.DataType.Name(kind)}", constant_of(kind, **{field: values}), runs=kind not in LOW)
    case(f"typed-empty-{T.DataType.Name(kind)}", constant_of(kind, [0]), runs=kind not in LOW)
for kind, length in RAW.items():
    case(f"raw-{T.DataType.Name(kind)}", constant_of(kind, raw_data=bytes([1] * length)), runs=kind not in LOW)
case("raw-scalar", constant_of(FLOAT, [], raw_data=b"\0\0\x80\x3f"))
case("raw-odd-int4", constant_of(T.INT4, [3], raw_data=b"\x21\x03"), runs=False)
case("typed-float4", constant_of(T.FLOAT4E2M1, [4], ir=11, opset=23, int32_data=[0x21, 0x43]), runs=False)
case("typed-float8e8m0", constant_of(24, ir=12, opset=24, int32_data=[127, 128]), runs=False)
case("typed-int2", constant_of(26, [4], ir=13, opset=25, int32_data=[0x1B]), runs=False)
for number, fields in enumerate(({"data_type": 27, "int32_data": [1, 63]}, {"data_type": 28, "raw_data": b"\x41\x00"})):
    case(f"float6-{number}", relu(ir=14), lambda m: m.graph.initializer.append(TensorProto(name="u", dims=[2], **fields)))

# ---- operators

UNARY = "Abs Neg Exp Floor Ceil Sqrt Reciprocal Sigmoid Tanh Softplus Softsign Erf Sin Cos Tan Asin Acos Atan Sinh Cosh Asinh Atanh Sign Round Relu Elu Selu LeakyRelu HardSigmoid HardSwish Mish ThresholdedRelu Celu Identity Softmax LogSoftmax Hardmax Flatten Log Gelu"
for operator in UNARY.split():
    case(f"operator-{operator}", unary(operator))
for operator in ("Relu", "Abs", "Exp", "Sigmoid", "Tanh", "Sqrt", "Floor", "Neg"):
    for opset in (6, 13):
        case(f"operator-{operator}-opset-{opset}", unary(operator, opset=opset, ir=7))
for operator in ("Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Mean", "Sum", "PRelu"):
    case(f"operator-{operator}", binary(operator))
    case(f"operator-{operator}-broadcast", binary(operator, shapes=((2, 3), (3,), (2, 3))))
for operator in ("Add", "Mul", "Max"):
    for kind in (DOUBLE, INT32, INT64, FLOAT16):
        case(f"operator-{operator}-{T.DataType.Name(kind)}", binary(operator, kind, kind, kind))
for operator in ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"):
    case(f"operator-{operator}", binary(operator, result=BOOL))
for operator in ("And", "Or", "Xor"):
    case(f"operator-{operator}", binary(operator, BOOL, BOOL, BOOL))
case("operator-Not", unary("Not", BOOL))
for operator in ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSumExp", "ReduceSumSquare"):
    case(f"operator-{operator}", unary(operator, out=(1, 1)))
    case(f"operator-{operator}-flat", unary(operator, out=(), keepdims=0))
for operator in ("ArgMax", "ArgMin"):
    case(f"operator-{operator}", unary(operator, result=INT64, out=(2, 1), axis=1))
for left in (FLOAT, INT32, BOOL):
    for right in (FLOAT, DOUBLE, INT64, T.UINT8, BOOL):
        case(f"cast-{T.DataType.Name(left)}-{T.DataType.Name(right)}", unary("Cast", left, right, to=right))
for number, perm in enumerate(([0, 1], [1, 0])):
    case(f"permutation-{number}", unary("Transpose", out=[(2, 3), (3, 2)][number], perm=perm))
case("permutation-omitted", unary("Transpose", out=(3, 2)))
for number, (out, fields) in enumerate((
    ((1, 1, 4, 4), {}), ((1, 1, 2, 2), {"strides": [2, 2]}), ((1, 1, 6, 6), {"pads": [1, 1, 1, 1]}), ((1, 1, 2, 2), {"dilations": [2, 2]}),
    ((1, 1, 6, 6), {"auto_pad": "SAME_UPPER"}), ((1, 1, 4, 4), {"auto_pad": "VALID"}), ((1, 1, 3, 3), {"strides": [2, 2], "ceil_mode": 1}), ((1, 1, 4, 4), {"auto_pad": "NOTSET", "pads": [0, 0, 0, 0]}),
)):
    case(f"window-{number}", window(out=out, **fields))
for number, fields in enumerate(({}, {"strides": [1, 1]}, {"dilations": [1, 1]}, {"kernel_shape": [3, 3]}, {"auto_pad": "VALID"})):
    case(f"convolution-{number}", convolution(**fields))
case("pads-negative", unary("Pad", opset=2, ir=7, out=(1, 3), pads=[-1, 0, 0, 0]), runs=False)
case("gelu-tanh", unary("Gelu", approximate="tanh"))
case("grid-bilinear", model([node("GridSample", ["x", "g"], ["y"], name="one", mode="bilinear")], [info("x", FLOAT, [1, 1, 3, 3]), info("g", FLOAT, [1, 2, 2, 2])], [info("y", FLOAT, [1, 1, 2, 2])], opset=16))
case("depth-to-space", unary("DepthToSpace", shape=(1, 4, 2, 2), out=(1, 1, 4, 4), blocksize=2, mode="CRD"))
case("space-to-depth", unary("SpaceToDepth", shape=(1, 1, 4, 4), out=(1, 4, 2, 2), blocksize=2))
case("attribute-default-left-out", unary("LeakyRelu"), lambda m: m.graph.node[0].attribute.append(AttributeProto(name="alpha", type=AttributeProto.FLOAT, f=0.0)))
case("attribute-zero-left-out", unary("Softmax"), lambda m: m.graph.node[0].attribute.append(AttributeProto(name="axis", type=AttributeProto.INT)))
case("optional-input-trailing", unary("Clip"), lambda m: m.graph.node[0].input.extend(["", ""]))
case("optional-input-omitted", unary("Clip"), lambda m: (m.graph.node[0].input.extend(["", "top"]), m.graph.initializer.append(tensor("top", FLOAT, [], [0.5]))))
case("optional-output-omitted", model([node("Dropout", ["x"], ["y", ""], name="drop")], [info("x", FLOAT, [4])], [info("y", FLOAT, [4])]))
case("variadic-one", model([node("Max", ["x"], ["y"], name="one")], [info("x", FLOAT, [4])], [info("y", FLOAT, [4])]))
case("variadic-many", model([node("Concat", ["x"] * 5, ["y"], name="one", axis=0)], [info("x", FLOAT, [2])], [info("y", FLOAT, [10])]))
case("split-all", model([node("Split", ["x"], ["y", "z"], name="one", num_outputs=2)], [info("x", FLOAT, [4])], [info("y", FLOAT, [2]), info("z", FLOAT, [2])]))
case("split-one-omitted", model([node("Split", ["x"], ["", "z"], name="one", num_outputs=2)], [info("x", FLOAT, [4])], [info("z", FLOAT, [2])]), runs=False)
for number, fields in enumerate(({"value_int": 3}, {"value_float": 1.5}, {"value_ints": [1, 2]}, {"value_floats": [0.5]}, {"value_string": "a"}, {"value_strings": ["a", "b"]})):
    kind = [INT64, FLOAT, INT64, FLOAT, STRING, STRING][number]
    case(f"constant-{number}", model([node("Constant", [], ["y"], name="c", **fields)], [], [info("y", kind, [[], [], [2], [1], [], [2]][number])]))

# ---- control flow

for truth in (True, False):
    case(f"branch-{truth}", branch(), inputs={"c": numpy.array(truth)})
for count in (0, 1, 5):
    case(f"loop-{count}", loop(), inputs={"n": numpy.array(count)})
case("branch-gives-outer", branch(), lambda m: (m.graph.node[0].attribute[1].g.ClearField("node"), setattr(m.graph.node[0].attribute[1].g.output[0], "name", "x")))
case("branch-untyped-output", branch(), lambda m: m.graph.node[0].attribute[0].g.output[0].ClearField("type"))
case("branch-constant", branch(), lambda m: (m.graph.node[0].attribute[0].g.initializer.append(tensor("k", FLOAT, [2, 3], [1] * 6)), m.graph.node[0].attribute[0].g.node[0].CopyFrom(node("Identity", ["k"], [m.graph.node[0].attribute[0].g.output[0].name], name="k"))))

# ---- functions

case("function-slope-given", called(), lambda m: m.graph.node[0].attribute.append(attribute("slope", 0.25)))
case("function-negative", called(), inputs={"x": -numpy.ones((2, 3), numpy.float32)})


def overloaded(made):
    """Two functions of one name, told apart by the overload."""
    made.functions.add().CopyFrom(made.functions[0])
    made.functions[1].overload = "other"
    made.functions[1].ClearField("attribute_proto")
    made.functions[1].node[0].CopyFrom(node("Relu", ["a"], ["b"], name="relu"))
    made.graph.node[0].overload = "other"


case("function-overload", called(), overloaded, inputs={"x": -numpy.ones((2, 3), numpy.float32)}, runs=False)


def deep(made, levels):
    """Each function calls the next one."""
    del made.functions[:]
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid("org.f", 1)]
    for level in range(levels):
        name = "f" if level == 0 else f"f{level}"
        one = node(f"f{level + 1}", ["a"], ["b"], name="call", domain="org.f")
        if level == levels - 1:
            one = node("Relu", ["a"], ["b"], name="relu")
        made.functions.append(helper.make_function("org.f", name, ["a"], ["b"], [one], opsets))


for levels in (2, 10, 90):
    case(f"function-depth-{levels}", called(), lambda m: deep(m, levels), runs=levels < 90)
case("function-value-info", called(), lambda m: m.functions[0].value_info.append(info("b", FLOAT, [2, 3])))
case("function-unused", relu(), lambda m: (m.functions.add().CopyFrom(called().functions[0])))
case("function-input-left-out", called(), lambda m: m.functions[0].input.append("unused"))

# ---- initializers

case("initializer-default-of-input", weighted(), lambda m: m.graph.input.append(info("w", FLOAT, [3])))
case("initializer-default-symbolic", weighted(), lambda m: m.graph.input.append(info("w", FLOAT, ["k"])))
case("initializer-ir-3", weighted(ir=3), lambda m: (m.graph.input.append(info("w", FLOAT, [3])), setattr(m.opset_import[0], "version", 8)))
case("initializer-unread", weighted(), lambda m: m.graph.initializer.append(tensor("u", FLOAT, [1], [1])))

# ---- external data


def data(folder):
    (folder / "data.bin").write_bytes(numpy.arange(2048, dtype=numpy.float32).tobytes())


SHA1 = hashlib.sha1(numpy.arange(2048, dtype=numpy.float32).tobytes()).hexdigest()
for number, fields in enumerate(({}, {"offset": 0}, {"offset": 4096}, {"offset": 64}, {"length": 12}, {"offset": 8180, "length": 12}, {"checksum": SHA1}, {"checksum": SHA1.upper()})):
    case(f"external-{number}", external(**fields), beside=data)
case("external-folder", external(location="below/data.bin"), beside=lambda folder: ((folder / "below").mkdir(), data(folder / "below")))
case("external-dot", external(location="./data.bin"), beside=data)

# ---- sparse tensors

for number, (indices, shape) in enumerate((((0, 11), None), ((1, 7), None), ((0, 0, 2, 3), [2, 2]), ((0, 1, 0, 2), [2, 2]))):
    case(f"sparse-{number}", sparse(indices=indices, shape=shape), runs=False)
case("sparse-empty", sparse(values=(), indices=(), shape=[0]), runs=False)
case("sparse-double", sparse(element=DOUBLE), runs=False)
case("sparse-rank-1", sparse(dims=(12,)), runs=False)

# ---- recurrent layers and reductions

ACTIVATIONS = ("Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid", "Elu", "Softsign", "Softplus")
for function in ACTIVATIONS:
    case(f"activation-{function}", recurrent("RNN", 1, activations=[function], activation_alpha=[0.5], activation_beta=[0.25]), runs=False)
case("activations-default", recurrent("LSTM", 4))
case("activations-both-directions", recurrent("RNN", 1, 2, activations=["Tanh", "Relu"], direction="bidirectional"), runs=False)
for operator in ("ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceLogSum", "ReduceLogSumExp"):
    case(f"nothing-{operator}", reduction(operator, opset=18), runs=False)
for operator in ("ReduceMax", "ReduceMin", "ReduceSum"):
    case(f"nothing-{operator}-int", reduction(operator, opset=20, element=INT32), runs=False)
for operator in ("ReduceMax", "ReduceMin"):
    case(f"nothing-{operator}-bool", reduction(operator, opset=20, element=BOOL), runs=False)

# ---- quantization, devices, operator sets

case("quantization-two", quantized(SCALE_TENSOR="w", ZERO_POINT_TENSOR="w"))
case("quantization-of-output", quantized("y"))
case("device-unnamed", devices(), lambda m: m.configuration[0].ClearField("device"))
case("device-group", devices(), lambda m: (m.graph.node[0].device_configurations[0].sharding_spec[0].index_to_device_group_map.add(key=7, value=[0, 1]), m.graph.node[0].device_configurations[0].sharding_spec[0].device.__setitem__(0, 7)))
case("device-axis-negative", devices(), lambda m: setattr(m.graph.node[0].device_configurations[0].sharding_spec[0].sharded_dim[0], "axis", -2))
case("opset-ml", relu(), lambda m: m.opset_import.append(helper.make_opsetid("ai.onnx.ml", 3)))
case("opset-spelt-out", relu(), lambda m: setattr(m.opset_import[0], "domain", "ai.onnx"))
case("opset-node-spelt-out", relu(), lambda m: setattr(m.graph.node[0], "domain", "ai.onnx"), runs=False)
case("set-alone", operator_set(), runs=False)
case("set-of-operators", operator_set(), lambda m: m.ClearField("functions"), runs=False)
case("set-functions-without-domain", operator_set(), lambda m: [f.ClearField("domain") for f in m.functions], runs=False)
case("set-overloads", operator_set(), lambda m: (m.functions.add().CopyFrom(m.functions[0]), setattr(m.functions[2], "overload", "other")), runs=False)
case("set-called", calling(), beside=beside_set, runs=False)
case("set-own-function-first", called(), beside=beside_set, change=lambda m: setattr(m.opset_import[1], "version", 2), runs=False)
case("training-two", training(), lambda m: (m.graph.initializer.append(tensor("w2", FLOAT, [3], [1, 1, 1])), m.training_info.add(), m.training_info[1].algorithm.CopyFrom(helper.make_graph([node("Neg", ["w2"], ["n2"], name="n2")], "second", [], [info("n2", FLOAT, [3])])), m.training_info[1].update_binding.add(key="w2", value="n2")))
