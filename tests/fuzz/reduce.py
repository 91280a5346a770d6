#!/usr/bin/env python3
"""reduce.py MODEL COMMAND…: makes a model smaller while a command fails on it.

The command is run with the path of a model in the place of `{}`, and fails if its exit status is not 0. Nodes are taken away as long as it still fails: by outputs
that are dropped, and by results that become inputs where their types are known. Then attributes are taken away, the elements of initialisers become their first
one, and extents become smaller."""
import argparse
import shlex
import subprocess
import sys
import tempfile
from types import SimpleNamespace

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference


def needed(graph, outputs, cut):
    """The nodes, in order, that outputs need, if the values `cut` are inputs."""
    wanted, nodes = set(outputs) - cut, []
    for node in reversed(graph.node):
        if wanted & set(node.output):
            nodes.append(node)
            inner = {name for attribute in node.attribute for subgraph in [attribute.g, *attribute.graphs] for name in captured(subgraph)}
            wanted = (wanted - set(node.output) | set(filter(None, node.input)) | inner) - cut
    return nodes[::-1], wanted


def captured(graph):
    """All names that a subgraph reads, its own ones included."""
    for node in graph.node:
        yield from filter(None, node.input)
        for attribute in node.attribute:
            for inner in [attribute.g, *attribute.graphs]:
                yield from captured(inner)
    yield from (port.name for port in graph.output)


def part(model, outputs, cut, values):
    """The part of a model that makes some of its values from others."""
    smaller = onnx.ModelProto()
    smaller.CopyFrom(model)
    graph = smaller.graph
    nodes, wanted = needed(model.graph, outputs, cut)
    used = {name for node in nodes for name in node.input} | {name for node in nodes for attribute in node.attribute for name in captured(attribute.g)} | wanted | set(outputs)
    typed = {port.name: port for port in list(graph.input) + list(graph.output)}
    stated = lambda name, shape: helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(values[name].dtype), shape)
    inputs = [port for port in graph.input if port.name in used] + [stated(name, values[name].shape) for name in sorted(cut & used)]
    results = [typed.get(name) or stated(name, [None] * values[name].ndim) for name in outputs]
    constants = [tensor for tensor in graph.initializer if tensor.name in used]
    for field, kept in (("node", nodes), ("input", inputs), ("output", results), ("initializer", constants)):
        kept = [type(one).FromString(one.SerializeToString()) for one in kept]
        del getattr(graph, field)[:]
        getattr(graph, field).extend(kept)
    called = {node.op_type for node in graph.node}
    functions = [function for function in model.functions if function.name in called]
    del smaller.functions[:]
    smaller.functions.extend(functions)
    return smaller


def shrink(model, feeds, values, fails):
    """A smaller model that fails, with what to feed it. `values` has the arrays of values that may become inputs."""
    outputs, cut = [port.name for port in model.graph.output], set()
    given = lambda smaller: {port.name: feeds.get(port.name, values.get(port.name)) for port in smaller.graph.input}

    def still(new_outputs, new_cut):
        smaller = part(model, new_outputs, new_cut, values)
        return bool(smaller.graph.node) and fails(smaller, given(smaller))

    for name in list(outputs):
        if len(outputs) > 1 and still([name], cut):
            outputs = [name]
            break
    made = [name for node in model.graph.node for name in node.output if name in values]
    # an earlier output that fails by itself
    for name in made:
        if name in outputs:
            break
        if still([name], cut):
            outputs = [name]
            break
    for name in reversed(made):
        if name not in outputs and still(outputs, cut | {name}):
            cut = cut | {name}
    smaller = part(model, outputs, cut, values)
    return smaller, given(smaller)


def simplify(model, fails):
    """A model that fails without some attributes, with initialisers of equal elements, and with smaller extents."""
    def accept(change):
        nonlocal model
        smaller = onnx.ModelProto()
        smaller.CopyFrom(model)
        change(smaller.graph)
        if smaller != model and fails(smaller):
            model = smaller

    for node in reversed(range(len(model.graph.node))):
        for attribute in reversed(range(len(model.graph.node[node].attribute))):
            accept(lambda graph: graph.node[node].attribute.pop(attribute))
    for at in range(len(model.graph.initializer)):
        accept(lambda graph: level(graph.initializer[at]))
    dims = lambda port: [dim.dim_value for dim in port.type.tensor_type.shape.dim]
    extents = {extent for tensor in model.graph.initializer for extent in tensor.dims} | {extent for port in model.graph.input for extent in dims(port)}
    for extent in sorted(extents, reverse=True):
        # the smallest first
        for smaller in [1, 2, extent // 2]:
            if 0 < smaller < extent:
                accept(lambda graph: resize(graph, extent, smaller))
    return model


def level(tensor):
    """Makes the elements of a tensor equal to its first one."""
    elements = numpy_helper.to_array(tensor)
    if elements.size > 1:
        tensor.CopyFrom(numpy_helper.from_array(np.full_like(elements, elements.flat[0]), tensor.name))


def resize(graph, extent, smaller):
    """Makes axes of one extent smaller, of the inputs, the outputs and the initialisers."""
    for port in [*graph.input, *graph.output, *graph.value_info]:
        for dim in port.type.tensor_type.shape.dim:
            if dim.dim_value == extent:
                dim.dim_value = smaller
    for tensor in graph.initializer:
        if extent in tensor.dims:
            part = tuple(slice(smaller if axis == extent else None) for axis in tensor.dims)
            tensor.CopyFrom(numpy_helper.from_array(np.ascontiguousarray(numpy_helper.to_array(tensor)[part]), tensor.name))


def known(model):
    """The types of results, in the place of arrays; unknown extents are None."""
    inferred = shape_inference.infer_shapes(model)
    for port in inferred.graph.value_info:
        tensor = port.type.tensor_type
        if tensor.HasField("shape"):
            shape = [dim.dim_value if dim.dim_value > 0 else None for dim in tensor.shape.dim]
            yield port.name, SimpleNamespace(dtype=helper.tensor_dtype_to_np_dtype(tensor.elem_type), shape=shape, ndim=len(shape))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()

    def fails(model, _):
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(model.SerializeToString())
            file.flush()
            command = [word.replace("{}", file.name) for word in options.command]
            return subprocess.run(command, capture_output=True).returncode != 0

    model = onnx.load(options.model)
    if not fails(model, {}):
        sys.exit(f"{shlex.join(options.command)} does not fail")
    feeds = {port.name: None for port in model.graph.input}
    smaller, _ = shrink(model, feeds, dict(known(model)), fails)
    smaller = simplify(smaller, lambda model: fails(model, {}))
    onnx.save(smaller, options.model.removesuffix(".onnx") + ".reduced.onnx")
    print(f"{len(model.graph.node)} nodes, {len(smaller.graph.node)} left")


if __name__ == "__main__":
    main()
