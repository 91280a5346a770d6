"""Writes cases for older versions of operators to a folder: `generate.py FOLDER`, next to the suite that `tests/conformance/fetch.py`
writes to `conformance` in the same place.

For each version of an operator that no case of the suite uses, a case of a later version is rewritten in the form of that
version: operands that were attributes become attributes again, and new ones are omitted. Expected outputs are those of ONNX
Runtime for that form, or the reference evaluator, or, where neither knows it and nothing was left out, what the later case
expects. Nothing is done when the folder already holds what this script writes.
"""

import hashlib
import shutil
import sys
from collections import defaultdict
from pathlib import Path

import numpy
import onnx
import onnxruntime
from onnx import defs, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import own

KIND = "versions"

# operands by the name of the attribute they were
FORMERLY = {
    "K": "k",
    "constant_value": "value",
    "repeats": "tiles",
    "sizes": "output_shape",
}
# the first versions knew what is now called otherwise
RENAMED = {("Pad", 1): {"pads": "paddings"}}
# later cases that mean something else in an older form: slopes lay along channels
OTHERWISE = {("PRelu", 1): ["test_prelu_broadcast"]}
# values that cannot be predicted
RANDOM = ["Bernoulli"]
# forms that other tests cover: those whose values are not tensors or cannot be predicted
ELSEWHERE = {
    "Bernoulli": "compiler/driver/tests/random.rs",
    "CastMap": "compiler/driver/tests/learned.rs",
    "DictVectorizer": "compiler/driver/tests/learned.rs",
    "Multinomial": "compiler/driver/tests/random.rs",
    "Optional": "compiler/driver/tests/sequences.rs",
    "RandomNormal": "compiler/driver/tests/random.rs",
    "RandomNormalLike": "compiler/driver/tests/random.rs",
    "RandomUniform": "compiler/driver/tests/random.rs",
    "RandomUniformLike": "compiler/driver/tests/random.rs",
    "ZipMap": "compiler/driver/tests/learned.rs",
}
HEAD = """# What covers which form of which operator

Written by `tests/versions/generate.py`; `UPDATE=1 cargo test -p tests --test conformance coverage` copies it here. For each
version of an operator, the table has the number of cases of the backend suite that use it, the cases derived from later
versions or written by hand (`tests/versions`), or the file of another test.

| operator | versions |
|---|---|
"""


def schemas():
    """Every version of every operator, by (domain, name)."""
    found = defaultdict(dict)
    for schema in defs.get_all_schemas_with_history():
        found[schema.domain, schema.name][schema.since_version] = schema
    return found


def opsets(imports):
    return {"" if o.domain == "ai.onnx" else o.domain: o.version for o in imports}


def nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from nodes(attribute.g)


def versions_used(model, known):
    parts = [(model.graph, opsets(model.opset_import))]
    parts += [(function, opsets(function.opset_import)) for function in model.functions]
    for part, imports in parts:
        for node in nodes(part):
            domain = "" if node.domain == "ai.onnx" else node.domain
            since = [version for version in known.get((domain, node.op_type), ()) if version <= imports.get(domain, 0)]
            if since:
                yield domain, node.op_type, max(since)


class Case:
    """A model of one node with its data."""

    def __init__(self, name, folder, tolerance):
        self.name = name
        self.model = onnx.load(folder / "model.onnx")
        self.data = folder / "test_data_set_0"
        self.tolerance = tolerance

    def values(self, kind, infos):
        for index, info in enumerate(infos):
            if info.type.WhichOneof("value") != "tensor_type":
                raise ValueError("not a tensor")
            tensor = onnx.TensorProto()
            tensor.ParseFromString((self.data / f"{kind}_{index}.pb").read_bytes())
            yield info.name, tensor


def in_form(case, schema):
    """The case's model in the form of an older version, its inputs, and whether anything was left out."""
    model = onnx.ModelProto()
    model.CopyFrom(case.model)
    graph = model.graph
    (node,) = graph.node
    inputs = dict(case.values("input", graph.input))
    renamed = RENAMED.get((schema.name, schema.since_version), {})
    variadic = schema.inputs and schema.inputs[-1].option == defs.OpSchema.FormalParameterOption.Variadic
    newest = defs.get_schema(node.op_type, node.domain)
    names = [parameter.name for parameter in newest.inputs]
    kept, lossless = [], True
    for index, name in enumerate(list(node.input)):
        parameter = names[min(index, len(names) - 1)] if names else ""
        if variadic or index < len(schema.inputs) and (schema.inputs[index].name == parameter or parameter not in schema.attributes):
            kept.append(name)
            continue
        attribute = FORMERLY.get(parameter, parameter)
        attribute = renamed.get(attribute, attribute)
        if name and attribute in schema.attributes and name in inputs:
            values = numpy_helper.to_array(inputs.pop(name))
            is_list = schema.attributes[attribute].type in (defs.OpSchema.AttrType.INTS, defs.OpSchema.AttrType.FLOATS)
            node.attribute.append(helper.make_attribute(attribute, values.flatten().tolist() if is_list else values.item()))
        elif name:
            inputs.pop(name, None)
            lossless = False
    while kept and not kept[-1]:
        kept.pop()
    del node.input[:]
    node.input.extend(kept)
    attributes = [attribute for attribute in node.attribute if attribute.name in schema.attributes]
    lossless &= len(attributes) == len(node.attribute)
    del node.attribute[:]
    node.attribute.extend(attributes)
    rest = [info for info in graph.input if info.name in inputs]
    del graph.input[:]
    graph.input.extend(rest)
    most = len(schema.outputs)
    if schema.outputs and schema.outputs[-1].option != defs.OpSchema.FormalParameterOption.Variadic and len(node.output) > most:
        raise ValueError("more outputs than the version gives")
    del model.opset_import[:]
    model.opset_import.append(helper.make_opsetid(schema.domain, schema.since_version))
    if schema.domain:
        model.opset_import.append(helper.make_opsetid("", 15))
    model.ir_version = 8
    onnx.checker.check_model(model)
    check_types(node, schema, inputs)
    return model, inputs, lossless


def check_types(node, schema, inputs):
    """The version allows the types of all operands."""
    for index, name in enumerate(node.input):
        parameter = schema.inputs[min(index, len(schema.inputs) - 1)]
        kind = helper.tensor_dtype_to_string(inputs[name].data_type) if name in inputs else ""
        kind = kind.removeprefix("TensorProto.").lower()
        if name in inputs and f"tensor({kind})" not in parameter.types:
            raise ValueError(f"{parameter.name} may not be of {kind}")


def computed(model, inputs):
    """What ONNX Runtime or the reference evaluator computes; `None` where neither does."""
    fed = {name: numpy_helper.to_array(tensor) for name, tensor in inputs.items()}
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return session.run(None, fed)
    except Exception:
        pass
    try:
        # operators that the evaluator knows from a later version on are computed in their newest form
        evaluator = ReferenceEvaluator(model)
        return evaluator.run(None, fed)
    except Exception:
        return None


def older(case, schema):
    model, inputs, lossless = in_form(case, schema)
    given = [numpy_helper.to_array(tensor) for _, tensor in case.values("output", case.model.graph.output)]
    results = computed(model, inputs)
    if results is None:
        if not lossless:
            raise ValueError("no implementation computes it")
        results = given
    results = [numpy.asarray(result) for result in results]
    if any(result.dtype == object and not all(isinstance(x, (str, bytes)) for x in result.flatten()) for result in results):
        raise ValueError("not a tensor")
    return model, inputs, results


def write(folder, model, inputs, results):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    for info, value in zip(model.graph.output, results):
        tensor = numpy_helper.from_array(value, info.name)
        info.CopyFrom(helper.make_tensor_value_info(info.name, tensor.data_type, tensor.dims))
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for index, info in enumerate(model.graph.input):
        (data / f"input_{index}.pb").write_bytes(inputs[info.name].SerializeToString())
    for index, value in enumerate(results):
        (data / f"output_{index}.pb").write_bytes(numpy_helper.from_array(value, "").SerializeToString())


def own_model(case, since):
    inputs = [helper.make_tensor_value_info(name, *typed(value)) for name, value in case.inputs.items()]
    node = case.node()
    outputs = [helper.make_empty_tensor_value_info(name) for name in node.output]
    imports = [helper.make_opsetid(case.domain, since)] + ([helper.make_opsetid("", 15)] if case.domain else [])
    graph = helper.make_graph([node], case.operator, inputs, outputs)
    return helper.make_model(graph, opset_imports=imports, ir_version=8)


def typed(value):
    tensor = numpy_helper.from_array(value)
    return tensor.data_type, tensor.dims


def own_forms(case):
    """The models of a case that is written by hand, one a version; the versions mean the same."""
    tensors = {name: numpy_helper.from_array(value, name) for name, value in case.inputs.items()}
    models = {since: own_model(case, since) for since in case.versions}
    if case.expected:
        results = case.expected(*case.inputs.values())
    else:
        results = next((found for model in models.values() if (found := computed(model, tensors)) is not None), None)
    if results is None:
        raise ValueError(f"no implementation computes {case.operator} {case.versions}")
    for since, model in models.items():
        yield since, (model, tensors, [numpy.asarray(result) for result in results])


def table(known, covered, made):
    """The rows of the table; a form that nothing covers is an error."""
    for (domain, operator), forms in sorted(known.items()):
        cells = []
        for since, schema in sorted(forms.items()):
            form = (domain, operator, since)
            if schema.deprecated:
                cells.append(f"{since}: removed")
            elif form in covered:
                cells.append(f"{since}: {len(covered[form])}")
            elif form in made:
                cells.append(f"{since}: {', '.join(made[form])}")
            else:
                cells.append(f"{since}: {ELSEWHERE[operator]}")
        name = f"{domain}.{operator}" if domain else operator
        yield f"| {name} | {'; '.join(cells)} |\n"


def main():
    folder = Path(sys.argv[1])
    suite = folder.parent / "conformance"
    stamp = folder / "version"
    scripts = sorted(Path(__file__).parent.glob("*.py"))
    sources = b"".join(script.read_bytes() for script in scripts) + (suite / "version").read_bytes()
    digest = hashlib.sha256(sources).hexdigest()
    version = f"{onnxruntime.__version__} {onnx.__version__} {digest}"
    if stamp.exists() and stamp.read_text() == version:
        return
    shutil.rmtree(folder, ignore_errors=True)
    known = schemas()
    covered, single = defaultdict(list), defaultdict(list)
    for line in (suite / "cases.tsv").read_text().splitlines():
        kind, name, relative, absolute = line.split("\t")
        path = suite / kind / name
        if not (path / "model.onnx").exists():
            continue
        model = onnx.load(path / "model.onnx", load_external_data=False)
        for form in set(versions_used(model, known)):
            covered[form].append(name)
        if kind == "node" and len(model.graph.node) == 1:
            node = model.graph.node[0]
            size = sum(file.stat().st_size for file in path.rglob("*.pb"))
            domain = "" if node.domain == "ai.onnx" else node.domain
            single[domain, node.op_type].append((size, name, (relative, absolute), path))
    lines, made = [], defaultdict(list)
    for number, case in enumerate(own.cases()):
        for since, form in own_forms(case):
            title = f"{case.operator.lower()}_{since}_{number}"
            write(folder / KIND / title, *form)
            lines.append(f"{KIND}\t{title}\t1e-3\t1e-5\n")
            made[case.domain, case.operator, since].append(title)
    for (domain, operator), forms in sorted(known.items()):
        for since, schema in sorted(forms.items()):
            form = (domain, operator, since)
            if form in covered or form in made or schema.deprecated:
                continue
            for _, name, tolerance, path in sorted(single[domain, operator]):
                if operator in RANDOM or name in OTHERWISE.get((operator, since), []):
                    continue
                try:
                    case = older(Case(name, path, tolerance), schema)
                except Exception:
                    continue
                title = f"{operator.lower()}_{since}"
                write(folder / KIND / title, *case)
                made[form].append(title)
                lines.append(f"{KIND}\t{title}\t{tolerance[0]}\t{tolerance[1]}\n")
                break
    (folder / "COVERAGE.md").write_text(HEAD + "".join(table(known, covered, made)))
    (folder / "cases.tsv").write_text("".join(lines))
    stamp.write_text(version)


if __name__ == "__main__":
    main()
