"""Small models without a fault, for others to break."""

from onnx import TensorProto, helper
from onnx import AttributeProto, FunctionProto, GraphProto, ModelProto  # noqa: F401
from onnx import OperatorSetProto, OperatorStatus

FLOAT, INT64, BOOL, STRING = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL, TensorProto.STRING
INT32, DOUBLE, FLOAT16 = TensorProto.INT32, TensorProto.DOUBLE, TensorProto.FLOAT16

info = helper.make_tensor_value_info
node = helper.make_node
tensor = helper.make_tensor
attribute = helper.make_attribute


def model(nodes, inputs, outputs, constants=(), ir=10, opset=21, functions=(), domains=(), **fields):
    """A model whose graph is called g."""
    graph = helper.make_graph(list(nodes), "g", list(inputs), list(outputs), list(constants))
    opsets = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in domains]
    made = helper.make_model(graph, opset_imports=opsets, ir_version=ir, functions=list(functions))
    made.producer_name, made.domain = "tests", "org.example"
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def relu(**fields):
    """y = relu(x)"""
    one = node("Relu", ["x"], ["y"], name="relu")
    return model([one], [info("x", FLOAT, [2, 3])], [info("y", FLOAT, [2, 3])], **fields)


def chain(**fields):
    """y = sigmoid(relu(x))"""
    nodes = [node("Relu", ["x"], ["h"], name="first"), node("Sigmoid", ["h"], ["y"], name="second")]
    return model(nodes, [info("x", FLOAT, [2, 3])], [info("y", FLOAT, [2, 3])], **fields)


def binary(operator, left=FLOAT, right=FLOAT, result=FLOAT, shapes=((2, 3), (2, 3), (2, 3)), opset=21, **attributes):
    """c = operator(a, b)"""
    one = node(operator, ["a", "b"], ["c"], name="both", **attributes)
    a, b, c = shapes
    return model([one], [info("a", left, a), info("b", right, b)], [info("c", result, c)], opset=opset)


def unary(operator, element=FLOAT, result=None, shape=(2, 3), out=None, opset=21, ir=10, **attributes):
    """y = operator(x)"""
    one = node(operator, ["x"], ["y"], name="one", **attributes)
    result = element if result is None else result
    out = shape if out is None else out
    return model([one], [info("x", element, shape)], [info("y", result, out)], opset=opset, ir=ir)


def weighted(constant=None, ir=10):
    """y = x + w, w a constant"""
    constant = constant or tensor("w", FLOAT, [3], [1, 2, 3])
    one = node("Add", ["x", "w"], ["y"], name="add")
    return model([one], [info("x", FLOAT, [2, 3])], [info("y", FLOAT, [2, 3])], [constant], ir=ir)


def constant_of(element, dims=(2,), shape=None, ir=10, opset=21, **fields):
    """A constant tensor with these fields, given as it is."""
    value = TensorProto(name="w", data_type=element, dims=dims, **fields)
    shape = list(dims) if shape is None else shape
    one = node("Identity", ["w"], ["y"], name="same")
    return model([one], [], [info("y", element, shape)], [value], ir=ir, opset=opset)


def window(shape=(1, 1, 6, 6), out=(1, 1, 4, 4), **attributes):
    """y = a window of 3 x 3 over x"""
    attributes = {"kernel_shape": [3, 3], **attributes}
    one = node("MaxPool", ["x"], ["y"], name="pool", **attributes)
    return model([one], [info("x", FLOAT, shape)], [info("y", FLOAT, out)])


def convolution(group=1, **attributes):
    """y = a convolution of 3 x 3 over x"""
    one = node("Conv", ["x", "w"], ["y"], name="conv", group=group, **attributes)
    weights = tensor("w", FLOAT, [1, 1, 3, 3], [1.0] * 9)
    return model([one], [info("x", FLOAT, [1, 1, 6, 6])], [info("y", FLOAT, [1, 1, 4, 4])], [weights])


def branch(**fields):
    """y = c ? relu(x) : sigmoid(x)"""
    yes = helper.make_graph([node("Relu", ["x"], ["t"], name="yes")], "then", [], [info("t", FLOAT, [2, 3])])
    no = helper.make_graph([node("Sigmoid", ["x"], ["e"], name="no")], "else", [], [info("e", FLOAT, [2, 3])])
    one = node("If", ["c"], ["y"], name="choice", then_branch=yes, else_branch=no)
    inputs = [info("c", BOOL, []), info("x", FLOAT, [2, 3])]
    return model([one], inputs, [info("y", FLOAT, [2, 3])], **fields)


def loop(**fields):
    """y = x doubled n times, s all the steps"""
    nodes = [
        node("Identity", ["go"], ["on"], name="keep"),
        node("Add", ["v", "v"], ["w"], name="double"),
        node("Identity", ["w"], ["each"], name="copy"),
    ]
    inputs = [info("i", INT64, []), info("go", BOOL, []), info("v", FLOAT, [2])]
    outputs = [info("on", BOOL, []), info("w", FLOAT, [2]), info("each", FLOAT, [2])]
    body = helper.make_graph(nodes, "body", inputs, outputs)
    one = node("Loop", ["n", "", "x"], ["y", "s"], name="loop", body=body)
    ports = [info("n", INT64, []), info("x", FLOAT, [2])]
    return model([one], ports, [info("y", FLOAT, [2]), info("s", FLOAT, [None, 2])], **fields)


def scan(**fields):
    """s = the sums of x so far, y the whole"""
    nodes = [node("Add", ["a", "row"], ["b"], name="sum"), node("Identity", ["b"], ["each"], name="copy")]
    ports = [info("a", FLOAT, [2]), info("row", FLOAT, [2])], [info("b", FLOAT, [2]), info("each", FLOAT, [2])]
    body = helper.make_graph(nodes, "body", *ports)
    one = node("Scan", ["z", "x"], ["y", "s"], name="scan", body=body, num_scan_inputs=1)
    inputs = [info("z", FLOAT, [2]), info("x", FLOAT, [3, 2])]
    return model([one], inputs, [info("y", FLOAT, [2]), info("s", FLOAT, [3, 2])], **fields)


def called(ir=10, **fields):
    """y = f(x), f the function of the domain org.f that is a leaky relu; its slope has a default"""
    inner = node("LeakyRelu", ["a"], ["b"], name="leak")
    inner.attribute.append(AttributeProto(name="alpha", type=AttributeProto.FLOAT, ref_attr_name="slope"))
    opsets = [helper.make_opsetid("", 21)]
    function = helper.make_function("org.f", "f", ["a"], ["b"], [inner], opsets)
    function.attribute_proto.append(attribute("slope", 0.5))
    one = node("f", ["x"], ["y"], name="call", domain="org.f")
    ports = [info("x", FLOAT, [2, 3])], [info("y", FLOAT, [2, 3])]
    return model([one], *ports, functions=[function], domains=["org.f"], ir=ir, **fields)


def operator_set(version=2, domain="org.f"):
    """A document with a function f that is a leaky relu, and one that calls it"""
    opsets = [helper.make_opsetid("", 21), helper.make_opsetid(domain, version)]
    leak = helper.make_function(domain, "f", ["a"], ["b"], [node("LeakyRelu", ["a"], ["b"], name="leak")], opsets)
    calls = helper.make_function(domain, "g", ["a"], ["b"], [node("f", ["a"], ["b"], name="call", domain=domain)], opsets)
    made = OperatorSetProto(magic="ONNXOPSET", ir_version=10, domain=domain, opset_version=version)
    for function in (leak, calls):
        made.operator.add(op_type=function.name, since_version=1, status=OperatorStatus.STABLE)
        made.functions.append(function)
    return made


def calling(version=2):
    """y = g(x), g of an operator set"""
    one = node("g", ["x"], ["y"], name="call", domain="org.f")
    made = model([one], [info("x", FLOAT, [2, 3])], [info("y", FLOAT, [2, 3])], domains=["org.f"])
    made.opset_import[1].version = version
    return made


def beside_set(folder):
    """The operator set, given with the model"""
    (folder / "set.onnx").write_bytes(operator_set().SerializeToString())


def recurrent(operator, gates, directions=1, **attributes):
    """y = the outputs of a recurrent layer"""
    one = node(operator, ["x", "w", "r"], ["y"], name="layer", hidden_size=2, **attributes)
    weights = [tensor(name, FLOAT, [directions, 2 * gates, 2], [0.25] * (4 * gates * directions)) for name in "wr"]
    return model([one], [info("x", FLOAT, [3, 1, 2])], [info("y", FLOAT, [3, directions, 1, 2])], weights)


def reduction(operator, shape=(2, 0), axis=1, out=(2,), element=FLOAT, result=None, opset=18):
    """y = x folded along an axis"""
    axes = [tensor("axes", INT64, [1], [axis])]
    one = node(operator, ["x", "axes"], ["y"], name="fold", keepdims=0)
    result = element if result is None else result
    return model([one], [info("x", element, shape)], [info("y", result, out)], axes, opset=opset)


def sparse(dims=(3, 4), indices=(1, 7), shape=None, values=(1.0, 2.0), element=FLOAT, ir=10):
    """y = x + w, w a sparse constant"""
    shape = [len(values)] if shape is None else shape
    made = helper.make_sparse_tensor(
        tensor("w", element, [len(values)], list(values)), tensor("", INT64, shape, list(indices)), list(dims)
    )
    made.indices.name = ""
    one = node("Add", ["x", "w"], ["y"], name="add")
    result = model([one], [info("x", element, dims)], [info("y", element, dims)], ir=ir)
    result.graph.sparse_initializer.append(made)
    return result


def external(ir=10, offset=None, length=None, location="data.bin", checksum=None, key=None):
    """y = x + w, w three floats of another file"""
    value = TensorProto(name="w", data_type=FLOAT, dims=[3], data_location=TensorProto.EXTERNAL)
    entries = {"location": location, "offset": offset, "length": length, "checksum": checksum}
    for name, text in entries.items():
        if text is not None:
            value.external_data.add(key=name, value=str(text))
    if key:
        value.external_data.add(key=key, value="1")
    return weighted(value, ir)


def training():
    """w learns: w becomes w - r g, where g is the gradient that the algorithm computes as x"""
    made = weighted()
    nodes = [node("Mul", ["r", "x0"], ["step"], name="scale"), node("Sub", ["w", "step"], ["next"], name="update")]
    rate, seen = tensor("r", FLOAT, [1], [0.5]), info("x0", FLOAT, [3])
    algorithm = helper.make_graph(nodes, "algorithm", [seen], [info("next", FLOAT, [3])], [rate])
    start = helper.make_graph(
        [node("Constant", [], ["zero"], name="zero", value=tensor("", FLOAT, [3], [0, 0, 0]))],
        "initialization", [], [info("zero", FLOAT, [3])],
    )
    one = made.training_info.add()
    one.algorithm.CopyFrom(algorithm)
    one.initialization.CopyFrom(start)
    one.update_binding.add(key="w", value="next")
    one.initialization_binding.add(key="w", value="zero")
    return made


def quantized(tensor_name="x", **keys):
    """y = x + w with an annotation"""
    made = weighted()
    annotation = made.graph.quantization_annotation.add(tensor_name=tensor_name)
    for key, value in (keys or {"SCALE_TENSOR": "w"}).items():
        annotation.quant_parameter_tensor_names.add(key=key, value=value)
    return made


def devices():
    """y = relu(x), over two devices"""
    made = relu(ir=11)
    made.configuration.add(name="pair", num_devices=2, device=["first", "second"])
    own = made.graph.node[0].device_configurations.add(configuration_id="pair")
    sharding = own.sharding_spec.add(tensor_name="x", device=[0, 1])
    sharding.sharded_dim.add(axis=0).simple_sharding.add(dim_value=2, num_shards=2)
    return made


def value(name, of):
    """A value of any type."""
    return helper.make_value_info(name, of)


def tensor_type(element=FLOAT, shape=(2,)):
    return helper.make_tensor_type_proto(element, shape)


def sequence_type(inner=None):
    return helper.make_sequence_type_proto(inner or tensor_type())


def optional_type(inner=None):
    return helper.make_optional_type_proto(inner or tensor_type())


def passed(type_proto, ir=10):
    """y = x, of any type"""
    one = node("Identity", ["x"], ["y"], name="same")
    return model([one], [value("x", of=type_proto)], [value("y", of=type_proto)], ir=ir)
