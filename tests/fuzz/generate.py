"""Random models that are valid by construction, with the value of everything in them.

A model grows node by node. A node is that of a case of ONNX's backend suite, so that every operator that has a case is covered, or one of a few that
connect others. The operands of a case's node are its own arrays, as inputs or constants, or values that are there already, brought to its type and shape.
Each node is evaluated when it is added, by itself. Then parts of the model are written in other ways that keep their values: as branches, bodies of loops,
functions, sequences, or by two movements that undo each other."""
import random
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from shapes import tensors

OPSET, IR_VERSION = 23, 11
FLOATS = ("float16", "float32", "float64")
# operators with random numbers of their own, which depend on the node's name
RANDOM = {"Bernoulli", "Dropout", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
# the largest number of elements of a value, and of nodes of a model
LARGEST, NODES = 4096, 14


class Refused(Exception):
    """A node that cannot be evaluated; the model grows without it."""


@dataclass
class Graph:
    """Nodes in order, and the arrays of all values: of inputs, constants and results."""

    values: dict = field(default_factory=dict)
    inputs: list = field(default_factory=list)
    constants: list = field(default_factory=list)
    nodes: list = field(default_factory=list)
    functions: list = field(default_factory=list)
    names: int = 0

    def fresh(self, prefix="v"):
        self.names += 1
        return f"{prefix}{self.names}"

    def given(self, array, rng, constant=None):
        """An array of nobody's, as a constant or an input."""
        name = self.fresh("c")
        self.values[name] = array
        (self.constants if (rng.random() < 0.5 if constant is None else constant) else self.inputs).append(name)
        return name

    def constant(self, array):
        return self.given(np.asarray(array), None, constant=True)

    def model(self, outputs, dims):
        """The model; `dims` gives an input's extents as numbers or names. The last extent of integers is a number: it may be the
        length of a list of axes or of an index tuple, which ranks come from."""
        typed = lambda name, shape: helper.make_tensor_value_info(name, element_of(self.values[name]), shape)
        graph = helper.make_graph(
            self.nodes, "g", [typed(name, self.stated(name, dims)) for name in self.inputs],
            [typed(name, [None] * self.values[name].ndim) for name in outputs],
            [numpy_helper.from_array(self.values[name], name) for name in self.constants])
        imports = [helper.make_opsetid("", OPSET)] + [helper.make_opsetid("local", 1)] * bool(self.functions)
        return helper.make_model(graph, opset_imports=imports, ir_version=IR_VERSION, functions=self.functions)

    def stated(self, name, dims):
        shape = self.values[name].shape
        return [*dims(shape[:-1]), shape[-1]] if shape and self.values[name].dtype == np.int64 else dims(shape)

    def feeds(self):
        return {name: self.values[name] for name in self.inputs}


def element_of(array):
    return helper.np_dtype_to_tensor_dtype(array.dtype)


def node_model(node, arrays):
    """A model of one node, without the shapes of its results."""
    infos = [helper.make_tensor_value_info(name, element_of(array), array.shape) for name, array in arrays.items()]
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output if name]
    graph = helper.make_graph([node], "g", infos, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)


@cache
def cases(suite):
    """The nodes of a suite's cases that mean the same in the opset of the models, by operator, each with its operands."""
    found = {}
    for path in sorted(Path(suite).glob("node/*/model.onnx")):
        model = onnx.load(path)
        if len(model.graph.node) != 1 or model.functions or len(model.opset_import) != 1 or model.opset_import[0].domain:
            continue
        node, version = model.graph.node[0], model.opset_import[0].version
        if node.op_type in RANDOM:
            continue
        try:
            since = [onnx.defs.get_schema(node.op_type, top).since_version for top in (version, OPSET)]
        except onnx.defs.SchemaError:
            continue
        arrays = tensors(path.parent / "test_data_set_0", "input")
        if since[0] != since[1] or arrays is None or any(array.size > LARGEST for array in arrays):
            continue
        given = dict(zip([port.name for port in model.graph.input], arrays))
        if set(filter(None, node.input)) <= set(given):
            found.setdefault(node.op_type, []).append((path.parent.name, node, given))
    return found


def small(rng, rank=None):
    return [rng.choice([1, 2, 3, 3, 4, 5, 7, 8, 16, 17]) for _ in range(rng.randint(1, 4) if rank is None else rank)]


def noise(rng, shape, dtype):
    """Numbers without units, some of them special."""
    source = np.random.default_rng(rng.getrandbits(32))
    if dtype == "bool":
        return source.random(shape) < 0.5
    if dtype.startswith(("int", "uint")):
        return source.integers(0 if dtype.startswith("u") else -6, 7, shape).astype(dtype)
    array = source.normal(size=shape).astype(dtype)
    if rng.random() < 0.15 and array.size:
        array.flat[rng.randrange(array.size)] = rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 65504.0])
    return array


class Grower:
    """Adds nodes to a graph. `evaluate(node, arrays)` gives the arrays of a node's results, or raises `Refused`."""

    def __init__(self, rng, suite, evaluate):
        self.rng, self.cases, self.evaluate, self.graph = rng, cases(suite), evaluate, Graph()

    def node(self, op_type, operands, count=1, **attributes):
        """Adds a node on named values; the names of its results."""
        node = helper.make_node(op_type, operands, [self.graph.fresh() for _ in range(count)], **attributes)
        return self.add(node)

    def add(self, node):
        node.name = f"{node.op_type}_{len(self.graph.nodes)}"
        operands = [name for name in dict.fromkeys(node.input) if name]
        results = self.evaluate(node, {name: self.graph.values[name] for name in operands})
        names = [name for name in node.output if name]
        if any(not isinstance(result, np.ndarray) or result.size > 16 * LARGEST for result in results):
            raise Refused("not a small tensor")
        self.graph.values.update(zip(names, results))
        self.graph.nodes.append(node)
        return names

    def integers(self, numbers):
        return self.graph.given(np.asarray(numbers, dtype=np.int64), self.rng)

    def some(self, kinds, shape=None):
        """A value of one of these types, and of this shape if there is one; a new one now and then."""
        fitting = [name for name, array in self.graph.values.items() if array.dtype.name in kinds]
        same = [name for name in fitting if shape is None or self.graph.values[name].shape == tuple(shape)]
        if (same or fitting) and self.rng.random() < 0.9:
            return self.rng.choice((same or fitting)[-8:])
        dtype = self.rng.choice(kinds)
        return self.graph.given(noise(self.rng, small(self.rng) if shape is None else shape, dtype), self.rng)

    def fit(self, name, array):
        """The elements of a value in the type and shape of an array."""
        rng, values = self.rng, self.graph.values
        if values[name].dtype != array.dtype:
            [name] = self.node("Cast", [name], to=element_of(array))
        if values[name].shape == array.shape:
            return name
        if values[name].size == 0 or array.size == 0:
            raise Refused("nothing to repeat")
        [name] = self.node("Reshape", [name, self.integers([-1])])
        have, want = values[name].size, array.size
        if have < want:
            [name] = self.node("Tile", [name, self.integers([-(-want // have)])])
        if values[name].size > want:
            start = rng.randint(0, values[name].size - want)
            [name] = self.node("Slice", [name, self.integers([start]), self.integers([start + want]), self.integers([0])])
        if array.ndim != 1:
            [name] = self.node("Reshape", [name, self.integers(array.shape)])
        return name

    # ---- nodes of the suite

    def of_suite(self):
        operator = self.rng.choice(sorted(self.cases))
        _, template, given = self.rng.choice(self.cases[operator])
        node = onnx.NodeProto()
        node.CopyFrom(template)
        names = {}
        for operand in dict.fromkeys(filter(None, node.input)):
            names[operand] = self.operand(given[operand])
        for at, operand in enumerate(node.input):
            node.input[at] = names.get(operand, "")
        for at, result in enumerate(node.output):
            node.output[at] = self.graph.fresh() if result else ""
        self.add(node)

    def operand(self, array):
        kind, chance = array.dtype.name, self.rng.random()
        kinds = FLOATS if kind in FLOATS else (kind,)
        if (kind in FLOATS and chance < 0.7) or (kind == "bool" and chance < 0.5):
            return self.fit(self.some(kinds, array.shape), array)
        if kind.startswith(("int", "uint")) and chance < 0.2 and array.ndim > 1:
            return self.fit(self.some(kinds, array.shape), array)
        return self.graph.given(array, self.rng)

    # ---- nodes that connect others

    def connecting(self):
        self.rng.choice([
            self.unary, self.unary, self.binary, self.binary, self.compared, self.chosen, self.transposed, self.reduced, self.sliced, self.joined, self.padded,
            self.scanned, self.normalised, self.cast, self.multiplied, self.gathered, self.split])()

    def unary(self):
        self.node(self.rng.choice("Relu Sigmoid Tanh Exp Neg Abs Sqrt Erf HardSwish Softplus Floor Reciprocal Elu Gelu Identity".split()), [self.some(FLOATS)])

    def partner(self, name):
        """Something that broadcasts with a value."""
        array, rng = self.graph.values[name], self.rng
        same = [other for other, found in self.graph.values.items() if found.dtype == array.dtype and broadcasts(found.shape, array.shape)]
        if same and rng.random() < 0.6:
            return rng.choice(same)
        shape = [rng.choice([1, extent]) for extent in array.shape][rng.randint(0, array.ndim):]
        return self.graph.given(noise(rng, shape, array.dtype.name), rng)

    def pair(self, kinds):
        name = self.some(kinds)
        pair = [name, self.partner(name)]
        self.rng.shuffle(pair)
        return pair

    def binary(self):
        self.node(self.rng.choice("Add Sub Mul Div Min Max".split()), self.pair(FLOATS + ("int64", "int32")))

    def compared(self):
        self.node(self.rng.choice("Less Equal GreaterOrEqual".split()), self.pair(FLOATS))

    def chosen(self):
        pair = self.pair(FLOATS)
        shape = np.broadcast_shapes(*(self.graph.values[name].shape for name in pair))
        condition = self.some(("bool",), shape)
        if not broadcasts(self.graph.values[condition].shape, shape):
            condition = self.graph.given(noise(self.rng, shape, "bool"), self.rng)
        self.node("Where", [condition, *pair])

    def transposed(self):
        name = self.some(FLOATS)
        self.axis(name)
        axes = list(range(self.graph.values[name].ndim))
        self.rng.shuffle(axes)
        self.node("Transpose", [name], perm=axes)

    def axis(self, name):
        rank = self.graph.values[name].ndim
        if rank == 0:
            raise Refused("no axis")
        return self.rng.randrange(-rank, rank)

    def reduced(self):
        name = self.some(FLOATS)
        operator = self.rng.choice("Sum Mean Max Min L2 SumSquare LogSumExp Prod".split())
        self.node("Reduce" + operator, [name, self.integers([self.axis(name)])], keepdims=self.rng.randint(0, 1))

    def sliced(self):
        name = self.some(FLOATS)
        axis, rng = self.axis(name), self.rng
        # slices that begin at 0 are accesses of their own kind
        bounds = rng.choice([0, rng.randint(-4, 4)]), rng.choice([-1, 3, 5, 2**31]), axis, rng.choice([1, 1, 2, -1])
        self.node("Slice", [name, *(self.integers([number]) for number in bounds)])

    def joined(self):
        name = self.some(FLOATS)
        shape, axis = self.graph.values[name].shape, self.axis(name)
        like = [other for other, array in self.graph.values.items() if array.dtype == self.graph.values[name].dtype and array.ndim == len(shape)
                and all(a == b or at == axis % len(shape) for at, (a, b) in enumerate(zip(array.shape, shape)))]
        self.node("Concat", [self.rng.choice(like) for _ in range(self.rng.randint(1, 3))], axis=axis)

    def padded(self):
        name, rng = self.some(FLOATS), self.rng
        rank = self.graph.values[name].ndim
        self.node("Pad", [name, self.integers([rng.choice([0, 0, 1, 2, -1]) for _ in range(2 * rank)])], mode=rng.choice(["constant", "edge", "reflect", "wrap"]))

    def scanned(self):
        name = self.some(FLOATS)
        self.node("CumSum", [name, self.graph.constant(np.int64(self.axis(name)))], exclusive=self.rng.randint(0, 1), reverse=self.rng.randint(0, 1))

    def normalised(self):
        name, rng = self.some(FLOATS), self.rng
        axis = self.axis(name)
        if rng.random() < 0.5:
            return self.node(rng.choice(["Softmax", "LogSoftmax"]), [name], axis=axis)
        array = self.graph.values[name]
        scale = self.graph.given(noise(rng, array.shape[axis % array.ndim:], array.dtype.name), rng)
        return self.node("LayerNormalization", [name, scale], axis=axis)

    def cast(self):
        self.node("Cast", [self.some(FLOATS + ("int64", "int32", "bool", "uint8"))], to=self.rng.choice([TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.DOUBLE]))

    def multiplied(self):
        name, rng = self.some(FLOATS), self.rng
        array = self.graph.values[name]
        if array.ndim == 0:
            raise Refused("no product")
        other = self.graph.given(noise(rng, [array.shape[-1], rng.choice([1, 3, 8, 16, 33])], array.dtype.name), rng)
        self.node("MatMul", [name, other])

    def gathered(self):
        name, rng = self.some(FLOATS), self.rng
        axis = self.axis(name)
        extent = self.graph.values[name].shape[axis]
        if extent == 0:
            raise Refused("nothing to gather")
        shape = small(rng, rng.randint(0, 2))
        indices = np.random.default_rng(rng.getrandbits(32)).integers(-extent, extent, shape)
        self.node("Gather", [name, self.integers(indices)], axis=axis)

    def split(self):
        name, rng = self.some(FLOATS), self.rng
        axis = self.axis(name)
        extent = self.graph.values[name].shape[axis]
        first = rng.randint(0, extent)
        self.node("Split", [name, self.integers([first, extent - first])], 2, axis=axis)


def broadcasts(a, b):
    try:
        np.broadcast_shapes(a, b)
        return True
    except ValueError:
        return False


# ---- other ways to write the same


class Rewriter:
    """Writes parts of a graph in other ways, which do not change the values."""

    def __init__(self, rng, graph):
        self.rng, self.graph = rng, graph

    def rewrite(self, times):
        for _ in range(times):
            self.rng.choice([self.detour, self.detour, self.branch, self.loop, self.function])()

    def insert(self, at, nodes):
        for number, node in enumerate(nodes):
            node.name = node.name or self.graph.fresh("n")
            self.graph.nodes.insert(at + number, node)

    def detour(self):
        """One reader takes a value on a way that ends where it began."""
        graph, rng = self.graph, self.rng
        readers = [(at, operand) for at, node in enumerate(graph.nodes) for operand, name in enumerate(node.input)
                   if name in graph.values and graph.values[name].dtype.name in FLOATS]
        if not readers:
            return
        at, operand = rng.choice(readers)
        name, end = graph.nodes[at].input[operand], graph.fresh()
        array, middle = graph.values[name], graph.fresh()
        node = helper.make_node
        rank, axis = array.ndim, rng.randrange(array.ndim) if array.ndim else 0
        ways = [
            lambda: [node("SequenceConstruct", [name, name], [middle]), node("SequenceAt", [middle, self.graph.constant(np.int64(rng.choice([0, 1, -1])))], [end])],
            lambda: [node("Optional", [name], [middle]), node("OptionalGetElement", [middle], [end])],
            lambda: [node("Reshape", [name, self.graph.constant(np.int64([-1]))], [middle]), node("Reshape", [middle, self.graph.given(np.asarray(array.shape, dtype=np.int64), self.rng)], [end])],
            lambda: [node("Unsqueeze", [name, self.graph.constant(np.int64([axis]))], [middle]), node("Squeeze", [middle, self.graph.constant(np.int64([axis]))], [end])],
            lambda: [node("Neg", [name], [middle]), node("Neg", [middle], [end])],
        ]
        if rank:
            permutation = list(range(rank))
            rng.shuffle(permutation)
            ways += [
                lambda: [node("Transpose", [name], [middle], perm=permutation), node("Transpose", [middle], [end], perm=list(np.argsort(permutation)))],
                lambda: [node("Concat", [name, name], [middle], axis=axis),
                         node("Slice", [middle, self.graph.constant(np.int64([array.shape[axis]])), self.graph.constant(np.int64([2**40])), self.graph.constant(np.int64([axis]))], [end])],
                lambda: [node("Pad", [name, self.graph.constant(np.int64([1] * 2 * rank))], [middle]),
                         node("Pad", [middle, self.graph.constant(np.int64([-1] * 2 * rank))], [end])],
                lambda: [node("Split", [name], [middle], num_outputs=1, axis=axis), node("Concat", [middle], [end], axis=axis)],
            ]
        if array.size == 0:
            ways = ways[:2]
        graph.values[end] = array
        graph.nodes[at].input[operand] = end
        self.insert(at, rng.choice(ways)())

    def part(self):
        """A few nodes in order, the values that they read and those that they make; none makes what is no tensor."""
        graph, rng = self.graph, self.rng
        at = rng.randrange(len(graph.nodes))
        count = rng.randint(1, min(4, len(graph.nodes) - at))
        nodes = graph.nodes[at:at + count]
        made = [name for node in nodes for name in node.output if name]
        if any(name not in graph.values for name in made) or any(node.domain for node in nodes):
            return None
        has_graphs = any(attribute.HasField("g") for node in nodes for attribute in node.attribute)
        read = dict.fromkeys(name for node in nodes for name in node.input if name and name not in made)
        if has_graphs or any(name not in graph.values for name in read):
            return None
        return at, nodes, list(read), made

    def body(self, nodes, made):
        """Copies of nodes whose results have new names."""
        names = {name: self.graph.fresh("b") for name in made}
        copies = []
        for node in nodes:
            copy = onnx.NodeProto()
            copy.CopyFrom(node)
            copy.input[:] = [names.get(name, name) for name in node.input]
            copy.output[:] = [names.get(name, name) for name in node.output]
            copies.append(copy)
        return copies, names

    def typed(self, name, of, lead=0):
        return helper.make_tensor_value_info(name, element_of(self.graph.values[of]), [None] * (lead + self.graph.values[of].ndim))

    def replace(self, at, nodes, new):
        del self.graph.nodes[at:at + len(nodes)]
        self.insert(at, new)

    def branch(self):
        part = self.part()
        if part is None:
            return
        at, nodes, _, made = part
        graphs = []
        for _ in range(2):
            copies, names = self.body(nodes, made)
            graphs.append(helper.make_graph(copies, self.graph.fresh("branch"), [], [self.typed(names[name], name) for name in made]))
        condition = self.graph.given(np.asarray(self.rng.random() < 0.5), self.rng)
        self.replace(at, nodes, [helper.make_node("If", [condition], made, then_branch=graphs[0], else_branch=graphs[1])])

    def loop(self):
        """The part is the body of a loop, of whose iterations the last counts."""
        part = self.part()
        if part is None:
            return
        at, nodes, _, made = part
        copies, names = self.body(nodes, made)
        count = self.rng.randint(1, 3)
        step, going, still = (self.graph.fresh("l") for _ in range(3))
        inputs = [helper.make_tensor_value_info(step, TensorProto.INT64, []), helper.make_tensor_value_info(going, TensorProto.BOOL, [])]
        outputs = [helper.make_tensor_value_info(still, TensorProto.BOOL, [])] + [self.typed(names[name], name) for name in made]
        inner = helper.make_graph([*copies, helper.make_node("Identity", [going], [still])], self.graph.fresh("body"), inputs, outputs)
        stacked = [self.graph.fresh("s") for _ in made]
        limit, start = self.graph.given(np.int64(count).reshape(()), self.rng), self.graph.constant(np.asarray(True))
        last = self.graph.constant(np.int64(count - 1))
        new = [helper.make_node("Loop", [limit, start], stacked, body=inner)]
        new += [helper.make_node("Gather", [stack, last], [name], axis=0) for stack, name in zip(stacked, made)]
        self.replace(at, nodes, new)

    def function(self):
        part = self.part()
        if part is None:
            return
        at, nodes, read, made = part
        copies, names = self.body(nodes, made)
        name = self.graph.fresh("f")
        self.graph.functions.append(helper.make_function(
            "local", name, read, [names[one] for one in made], copies, [helper.make_opsetid("", OPSET)]))
        self.replace(at, nodes, [helper.make_node(name, read, made, domain="local")])


def grow(seed, suite, evaluate):
    """A graph, before it is written in other ways."""
    rng = random.Random(seed)
    grower = Grower(rng, suite, evaluate)
    for _ in range(rng.randint(1, 3)):
        grower.graph.given(noise(rng, small(rng), rng.choice(FLOATS + ("float32",) * 4)), rng, constant=False)
    target = rng.randint(2, NODES)
    for _ in range(4 * NODES):
        if len(grower.graph.nodes) >= target:
            break
        try:
            grower.of_suite() if rng.random() < 0.45 else grower.connecting()
        except Refused:
            pass
    return rng, grower.graph


def extents(rng):
    """How inputs state their extents: as numbers, as names, or some as numbers; equal extents have one name now and then."""
    way = rng.choice(["static", "static", "dynamic", "named", "mixed"])

    def stated(shape):
        names = {"static": lambda n: n, "dynamic": lambda n: None, "named": lambda n: f"n{n}", "mixed": lambda n: rng.choice([n, None, f"n{n}"])}
        return [names[way](extent) for extent in shape]
    return stated


def outputs_of(rng, graph, values):
    """Of the results among `values`, those that nobody reads, and a few others; at least one."""
    read = {name for node in graph.nodes for name in node.input}
    made = [name for node in graph.nodes for name in node.output if name in values]
    return [name for name in made if name not in read or rng.random() < 0.15] or made[-1:]
