"""Writes the table of every ONNX operator at every version: `generate_schemas.py > src/onnx/schemas.txt`.

One line each, fields separated by blanks:

    types NUMBER TYPE...            a set of types, named by constraints; `float` is `tensor(float)`
    opset DOMAIN VERSION            the newest opset of a domain
    op DOMAIN NAME VERSION [deprecated]
    i MODE NAME TYPE MINIMUM        an input; MODE is single, optional, variadic or mixed (variadic, types differ)
    o MODE NAME TYPE MINIMUM        an output
    a NAME KIND VALUE               an attribute; VALUE is `required`, `optional` or `=` and its default
    t NAME NUMBER                   a type constraint

TYPE is a constraint's name or a type. The default domain is written `ai.onnx`.
"""

import onnx
from onnx import defs


def short(type_string):
    return type_string.replace("tensor(", "").replace(" ", "").replace(")", "").replace("(", ":")


def mode(parameter):
    option = parameter.option.name.lower()
    return "mixed" if option == "variadic" and not parameter.is_homogeneous else option


def default(attribute):
    if attribute.required:
        return "required"
    value = attribute.default_value
    if value.type == onnx.AttributeProto.UNDEFINED:
        return "optional"
    value = onnx.helper.get_attribute_value(value)
    values = value if isinstance(value, list) else [value]
    return "=" + ",".join(v.decode() if isinstance(v, bytes) else f"{v:.9g}" if isinstance(v, float) else str(v) for v in values)


def table(schemas):
    sets, lines = {}, []
    for schema in schemas:
        deprecated = " deprecated" if schema.deprecated else ""
        lines.append(f"op {schema.domain or 'ai.onnx'} {schema.name} {schema.since_version}{deprecated}")
        constraints = {c.type_param_str: c for c in schema.type_constraints}
        for letter, parameters in (("i", schema.inputs), ("o", schema.outputs)):
            for p in parameters:
                kind = p.type_str if p.type_str in constraints else short(p.type_str)
                lines.append(f"{letter} {mode(p)} {p.name} {kind} {p.min_arity}")
        for name, attribute in sorted(schema.attributes.items()):
            kind = attribute.type.name.lower()
            lines.append(f"a {name} {kind} {default(attribute)}")
        for name, constraint in sorted(constraints.items()):
            allowed = " ".join(sorted(short(t) for t in constraint.allowed_type_strs))
            lines.append(f"t {name} {sets.setdefault(allowed, len(sets))}")
    header = [f"# onnx {onnx.__version__}; written by generate_schemas.py"]
    header += [f"opset {domain} {version}" for domain, version in newest_opsets()]
    return header + [f"types {number} {allowed}" for allowed, number in sets.items()] + lines


def newest_opsets():
    newest = {}
    for _, _, *versions in onnx.helper.VERSION_TABLE:
        for domain, version in zip(("ai.onnx", "ai.onnx.ml", "ai.onnx.preview.training"), versions):
            newest[domain] = max(version, newest.get(domain, 0))
    return newest.items()


def main():
    schemas = defs.get_all_schemas_with_history()
    print("\n".join(table(sorted(schemas, key=lambda s: (s.domain, s.name, s.since_version)))))


if __name__ == "__main__":
    main()
