"""Structural mutations of ONNX models: each takes a source of random numbers and a model, and changes the model in place.

A mutation does nothing where the model has nothing of its kind. Mutants need not be valid: a reader must reject invalid ones."""
import numpy as np
from onnx import AttributeProto, GraphProto, TensorProto, helper, numpy_helper

INT_MIN, INT_MAX = -(2**63), 2**63 - 1
INTEGERS = [INT_MIN, INT_MIN + 1, -(2**31), -1000, -3, -2, -1, 0, 1, 2, 3, 5, 7, 64, 1000, 2**31 - 1, 2**31, 2**32, 2**40, 2**62, INT_MAX]
SMALL = [-2, -1, 0, 1, 2, 3, 4, 5]
FLOATS = [float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 1e-45, 1e38, -1e38, -1.0, 0.5, 2.0]
EXTENTS = [0, 1, 1, 2, 3, 4, 5, 7, 17, 1000, 2**31, 2**32, 2**40, 2**62, INT_MAX, -1, INT_MIN]
TYPES = [number for number in TensorProto.DataType.values() if number]
TEXTS = ["", "x", "NOTSET", "SAME_UPPER", "linear", "bilinear", "->", "...ij,...jk->...ik", "ii", "é", "a" * 300, "sum", "reflect", "bidirectional", "%s", "\0"]


def graphs(model):
    """All graphs of a model, the main one first."""
    found = [model.graph]
    for graph in found:
        for node in graph.node:
            found.extend(a.g for a in node.attribute if a.type == AttributeProto.GRAPH)
            found.extend(g for a in node.attribute for g in a.graphs)
    return found


def pick(random, items):
    items = list(items)
    return random.choice(items) if items else None


def node_of(random, model):
    return pick(random, (node for graph in graphs(model) for node in graph.node))


def attribute_of(random, model, kinds):
    return pick(random, (a for g in graphs(model) for n in g.node for a in n.attribute if a.type in kinds))


def values(graph):
    return [v.name for v in graph.input] + [t.name for t in graph.initializer] + [name for n in graph.node for name in n.output]


def tensor_types(model, ports=True):
    """The tensor types that graphs state for values."""
    infos = (v for g in graphs(model) for v in [*g.input, *g.output, *g.value_info])
    return [info.type.tensor_type for info in infos if info.type.HasField("tensor_type")]


# ---- attributes


def attribute_value(random, model):
    kinds = {AttributeProto.INT, AttributeProto.INTS, AttributeProto.FLOAT, AttributeProto.FLOATS, AttributeProto.STRING, AttributeProto.STRINGS}
    a = attribute_of(random, model, kinds)
    if a is None:
        return
    integers = random.choice([INTEGERS, SMALL])
    if a.type == AttributeProto.INT:
        a.i = random.choice(integers)
    elif a.type == AttributeProto.FLOAT:
        a.f = random.choice(FLOATS)
    elif a.type == AttributeProto.STRING:
        a.s = random.choice(TEXTS).encode()
    else:
        field = {AttributeProto.INTS: a.ints, AttributeProto.FLOATS: a.floats, AttributeProto.STRINGS: a.strings}[a.type]
        fresh = {AttributeProto.INTS: lambda: random.choice(integers), AttributeProto.FLOATS: lambda: random.choice(FLOATS),
                 AttributeProto.STRINGS: lambda: random.choice(TEXTS).encode()}[a.type]
        change = random.randrange(4)
        if change == 0 and field:
            field[random.randrange(len(field))] = fresh()
        elif change == 1:
            field.append(fresh())
        elif change == 2 and field:
            del field[random.randrange(len(field))]
        else:
            del field[:]
            field.extend(fresh() for _ in range(random.randrange(5)))


def attribute_dropped(random, model):
    node = pick(random, (n for g in graphs(model) for n in g.node if n.attribute))
    if node:
        del node.attribute[random.randrange(len(node.attribute))]


def attribute_added(random, model):
    """One that the schema knows, which the node did not give."""
    from onnx import defs

    node = node_of(random, model)
    if node is None:
        return
    try:
        known = defs.get_schema(node.op_type, 100, node.domain).attributes
    except Exception:
        return
    given = {a.name for a in node.attribute}
    name = pick(random, sorted(set(known) - given))
    if name is None:
        return
    kind = known[name].type.name
    value = {"INT": lambda: random.choice(INTEGERS), "INTS": lambda: [random.choice(SMALL) for _ in range(random.randrange(1, 5))],
             "FLOAT": lambda: random.choice(FLOATS), "FLOATS": lambda: [random.choice(FLOATS) for _ in range(random.randrange(1, 4))],
             "STRING": lambda: random.choice(TEXTS)}.get(kind)
    if value:
        node.attribute.append(helper.make_attribute(name, value()))


def flag(random, model):
    a = attribute_of(random, model, {AttributeProto.INT})
    if a is not None:
        a.i = random.choice([0, 1, 2, -1, INT_MAX])


# ---- operands


def input_dropped(random, model):
    node = pick(random, (n for g in graphs(model) for n in g.node if n.input))
    if node:
        del node.input[random.randrange(len(node.input))]


def input_empty(random, model):
    node = pick(random, (n for g in graphs(model) for n in g.node if n.input))
    if node:
        node.input[random.randrange(len(node.input))] = ""


def input_duplicated(random, model):
    node = pick(random, (n for g in graphs(model) for n in g.node if n.input))
    if node:
        node.input.append(random.choice(list(node.input)))


def input_other(random, model):
    graph = pick(random, (g for g in graphs(model) if g.node))
    node = graph and pick(random, (n for n in graph.node if n.input))
    if node:
        node.input[random.randrange(len(node.input))] = random.choice(values(graph) or [""])


def inputs_swapped(random, model):
    node = pick(random, (n for g in graphs(model) for n in g.node if len(n.input) > 1))
    if node:
        names = list(node.input)
        random.shuffle(names)
        node.input[:] = names


def output_changed(random, model):
    node = pick(random, (n for g in graphs(model) for n in g.node if n.output))
    if node:
        if random.random() < 0.5:
            node.output[random.randrange(len(node.output))] = ""
        else:
            node.output.append(f"more_{len(node.output)}")


def operator_changed(random, model):
    """Another operator of the model's, or one that many models have, on the same operands."""
    node = node_of(random, model)
    if node:
        names = [n.op_type for g in graphs(model) for n in g.node]
        node.op_type = random.choice(names + ["Relu", "Add", "MatMul", "Concat", "Reshape", "Shape", "Squeeze", "Unsqueeze", "ReduceSum",
                                              "Gather", "Slice", "Transpose", "Softmax", "Cast", "Where", "Expand", "Conv", "Flatten", "Size", "TopK"])


def node_repeated(random, model):
    graph = pick(random, (g for g in graphs(model) if g.node))
    if graph:
        node = graph.node.add()
        node.CopyFrom(random.choice(list(graph.node)[:-1] or [graph.node[0]]))
        if random.random() < 0.7:
            node.output[:] = [f"{name}_again" for name in node.output]


def reader_added(random, model):
    """An operator that reads a value of the graph, and becomes an output."""
    graph = model.graph
    name = pick(random, values(graph))
    if not name:
        return
    kind = random.choice(["Relu", "Shape", "Size", "Flatten", "Softmax", "ReduceSum", "Transpose", "Squeeze", "Neg", "Identity", "ArgMax", "NonZero", "Gemm", "MatMul", "Concat"])
    inputs = [name] * (2 if kind in ("Gemm", "MatMul", "Concat") else 1)
    graph.node.append(helper.make_node(kind, inputs, ["added"], **({"axis": random.choice(SMALL)} if kind == "Concat" else {})))
    info = graph.output.add()
    info.name = "added"
    if random.random() < 0.5:
        info.type.tensor_type.elem_type = random.choice([1, 7])


# ---- types of values


def shape_dropped(random, model):
    tensor = pick(random, (t for t in tensor_types(model) if t.HasField("shape")))
    if tensor:
        tensor.ClearField("shape")


def shapes_dropped(random, model):
    for tensor in tensor_types(model):
        if random.random() < 0.7:
            tensor.ClearField("shape")


def extent_changed(random, model):
    tensor = pick(random, (t for t in tensor_types(model) if t.shape.dim))
    if tensor:
        dim = random.choice(list(tensor.shape.dim))
        change = random.randrange(3)
        if change == 0:
            dim.dim_param = random.choice(["N", "M", "?", ""])
        elif change == 1:
            dim.Clear()
        else:
            dim.dim_value = random.choice(EXTENTS)


def rank_changed(random, model):
    tensor = pick(random, tensor_types(model))
    if tensor:
        if random.random() < 0.5 and tensor.shape.dim:
            del tensor.shape.dim[random.randrange(len(tensor.shape.dim))]
        else:
            tensor.shape.dim.add().dim_value = random.choice([0, 1, 2, 3])


def made_dynamic(random, model):
    for tensor in tensor_types(model):
        for axis, dim in enumerate(tensor.shape.dim):
            if random.random() < 0.6:
                dim.dim_param = random.choice(["N", "M", f"d{axis}"])


def element_changed(random, model):
    tensor = pick(random, tensor_types(model))
    if tensor:
        tensor.elem_type = random.choice(TYPES)


def elements_changed(random, model):
    """All values of one element type get another."""
    tensor = pick(random, tensor_types(model))
    if tensor:
        old, new = tensor.elem_type, random.choice(TYPES)
        for other in tensor_types(model):
            if other.elem_type == old:
                other.elem_type = new


# ---- constants


def constants(model):
    found = [t for g in graphs(model) for t in g.initializer]
    return found + [a.t for g in graphs(model) for n in g.node for a in n.attribute if a.type == AttributeProto.TENSOR]


def input_constant(random, model):
    """An input becomes a constant, of values that lists of axes, sizes and the like would not have."""
    graph = model.graph
    places = [i for i, v in enumerate(graph.input) if v.type.HasField("tensor_type") and all(d.HasField("dim_value") for d in v.type.tensor_type.shape.dim)]
    if not places:
        return
    info = graph.input[random.choice(places)]
    tensor = info.type.tensor_type
    shape = [d.dim_value for d in tensor.shape.dim]
    if any(extent < 0 for extent in shape) or np.prod(shape, dtype=float) > 10000:
        return
    try:
        kind = helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        array = filled(random, shape, np.dtype(kind))
        constant = numpy_helper.from_array(array, info.name)
        if constant.data_type != tensor.elem_type:
            return
    except Exception:
        return
    graph.initializer.append(constant)
    if random.random() < 0.7:
        graph.input.remove(info)


def filled(random, shape, kind):
    count = int(np.prod(shape))
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        pool = random.choice([INTEGERS, SMALL, [1], [0, 1]])
        return np.array([min(max(random.choice(pool), limits.min), limits.max) for _ in range(count)], kind).reshape(shape)
    if kind.kind == "b":
        return np.array([random.random() < 0.5 for _ in range(count)], kind).reshape(shape)
    if kind.kind == "f":
        return np.array([random.choice(FLOATS) if random.random() < 0.3 else random.uniform(-2, 2) for _ in range(count)]).astype(kind).reshape(shape)
    return np.full(shape, "a", object)


def constant_changed(random, model):
    tensor = pick(random, constants(model))
    if tensor is None:
        return
    try:
        array = numpy_helper.to_array(tensor)
        shape = random.choice([array.shape, (), (1,), (0,), (2,), (1, 1), array.shape + (1,), array.shape[1:], (2**62,), (2**32, 0)])
        if np.prod(shape, dtype=float) > 10000:
            tensor.dims[:] = shape
            return
        tensor.CopyFrom(numpy_helper.from_array(filled(random, shape, array.dtype), tensor.name))
    except Exception:
        return


def constant_damaged(random, model):
    tensor = pick(random, constants(model))
    if tensor is None:
        return
    change = random.randrange(4)
    if change == 0:
        tensor.dims[:] = [random.choice(EXTENTS) for _ in range(random.randrange(4))]
    elif change == 1:
        tensor.data_type = random.choice(TYPES)
    elif change == 2 and tensor.raw_data:
        tensor.raw_data = tensor.raw_data[: random.randrange(len(tensor.raw_data))]
    else:
        tensor.name = random.choice(["", tensor.name])


# ---- graphs


def nested(random, model):
    """The graph becomes a branch of an If, a body of a Loop, or the graph of one in itself."""
    graph = model.graph
    if not graph.node or len(graph.node) > 50:
        return
    outputs = [o.name for o in graph.output if o.name in {name for n in graph.node for name in n.output}]
    if not outputs:
        return
    inner = GraphProto(name="inner")
    inner.node.extend(graph.node)
    kind = random.choice(["If", "Loop"])
    if kind == "If":
        inner.output.extend(o for o in graph.output if o.name in outputs)
        other = GraphProto()
        other.CopyFrom(inner)
        flag_name = "condition"
        graph.input.add().CopyFrom(helper.make_tensor_value_info(flag_name, TensorProto.BOOL, random.choice([[], [1]])))
        holder = helper.make_node("If", [flag_name], outputs, then_branch=inner, else_branch=other)
    else:
        inner.input.extend([helper.make_tensor_value_info("i_", TensorProto.INT64, []), helper.make_tensor_value_info("c_", TensorProto.BOOL, [])])
        inner.node.append(helper.make_node("Identity", ["c_"], ["c_out"]))
        inner.output.append(helper.make_tensor_value_info("c_out", TensorProto.BOOL, []))
        inner.output.extend(o for o in graph.output if o.name in outputs)
        graph.initializer.append(numpy_helper.from_array(np.array(random.choice([0, 1, 3]), np.int64), "trips"))
        holder = helper.make_node("Loop", ["trips", ""], outputs, body=inner)
        for output in graph.output:
            output.type.tensor_type.ClearField("shape")
    del graph.node[:]
    graph.node.append(holder)


def branch_differs(random, model):
    """A graph in an attribute yields something else."""
    inner = pick(random, graphs(model)[1:])
    if inner and inner.output:
        output = random.choice(list(inner.output))
        output.name = random.choice(values(inner) + values(model.graph) or [""])


def opset_changed(random, model):
    if model.opset_import:
        random.choice(list(model.opset_import)).version = random.choice([1, 5, 7, 9, 10, 11, 13, 15, 17, 18, 19, 20, 21, 22, 23, 24])


def output_other(random, model):
    graph = model.graph
    if graph.output:
        random.choice(list(graph.output)).name = random.choice(values(graph) or [""])


MUTATIONS = [attribute_value, attribute_value, attribute_value, attribute_dropped, attribute_added, attribute_added, flag, input_dropped, input_empty,
             input_duplicated, input_other, inputs_swapped, output_changed, operator_changed, node_repeated, reader_added, shape_dropped,
             shapes_dropped, extent_changed, extent_changed, rank_changed, rank_changed, made_dynamic, element_changed, elements_changed, input_constant,
             input_constant, constant_changed, constant_changed, constant_damaged, nested, branch_differs, opset_changed, output_other]


def mutate(random, model):
    """Changes a model in one to four ways; the names of the mutations."""
    chosen = [random.choice(MUTATIONS) for _ in range(random.choice([1, 1, 2, 2, 3, 4]))]
    for mutation in chosen:
        mutation(random, model)
    return [mutation.__name__ for mutation in chosen]


def damage(random, data):
    """The bytes of a file with a few of them changed, dropped, added, repeated, or all dropped from one on; and what was done."""
    data, changes = bytearray(data), []
    for _ in range(random.randint(1, 4)):
        at, size = random.randrange(len(data) + 1), random.choice([1, 1, 2, 4, 8, 100])
        change = random.choice(["bit", "byte", "byte", "byte", "dropped", "added", "repeated", "cut"])
        match change:
            case "bit":
                data[at:at + 1] = bytes(byte ^ 1 << random.randrange(8) for byte in data[at:at + 1])
            case "byte":
                data[at:at + 1] = bytes(random.choice([0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)]) for _ in data[at:at + 1])
            case "dropped":
                del data[at:at + size]
            case "added":
                data[at:at] = random.randbytes(size)
            case "repeated":
                data[at:at] = data[at:at + size]
            case "cut":
                del data[at:]
        changes.append(change)
    return bytes(data), changes
