"""Writes the tables of operators: every ONNX operator at every version, and those ONNX Runtime adds.

    generate_schemas.py onnx      > src/onnx/schemas.txt
    generate_schemas.py microsoft > src/onnx/schemas_microsoft.txt

One line each, fields separated by blanks:

    types NUMBER TYPE...            a set of types, named by constraints; `float` is `tensor(float)`
    opset DOMAIN VERSION            the newest opset of a domain
    enumeration NAME CHOICE...      the texts that some string attributes are limited to
    op DOMAIN NAME VERSION [deprecated]
    i MODE NAME TYPE MINIMUM        an input; MODE is single, optional, variadic or mixed (variadic, types differ)
    o MODE NAME TYPE MINIMUM        an output
    a NAME KIND VALUE [ENUMERATION] an attribute; VALUE is `required`, `optional` or `=` and its default
    t NAME NUMBER                   a type constraint

TYPE is a constraint's name or a type. The default domain is written `ai.onnx`.
"""

import sys

import onnx
from onnx import defs

# What ONNX Runtime reads in the default domain though it is not of the standard, or was not yet: what its optimiser writes,
# and what old converters wrote.
EXTRA = [
    "Affine",
    "Crop",
    "DynamicSlice",
    "GivenTensorFill",
    "ImageScaler",
    "LayerNormalization",
    "MeanVarianceNormalization",
    "ParametricSoftplus",
    "Scale",
    "ScaledTanh",
    "SimplifiedLayerNormalization",
    "ThresholdedRelu",
]

# What the schemas say in words only: the texts an attribute of the newest version may hold.
ENUMERATIONS = {
    "AspectRatioPolicy": (["stretch", "not_larger", "not_smaller"], ["Resize.keep_aspect_ratio_policy"]),
    "AutoPad": (["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"], ["*.auto_pad"]),
    "CacheMode": (["linear", "circular"], ["TensorScatter.mode"]),
    "CaseChange": (["NONE", "LOWER", "UPPER"], ["StringNormalizer.case_change_action"]),
    "CastMapTarget": (["TO_FLOAT", "TO_STRING", "TO_INT64"], ["CastMap.cast_to"]),
    "ConvolutionActivation": (["none", "silu", "swish"], ["CausalConvWithState.activation"]),
    "CoordinateTransformation": (
        [
            "half_pixel",
            "half_pixel_symmetric",
            "pytorch_half_pixel",
            "align_corners",
            "asymmetric",
            "tf_half_pixel_for_nn",
            "tf_crop_and_resize",
        ],
        ["Resize.coordinate_transformation_mode"],
    ),
    "DepthOrder": (["DCR", "CRD"], ["DepthToSpace.mode", "SpaceToDepth.mode"]),
    "Direction": (["forward", "reverse", "bidirectional"], ["RNN.direction", "GRU.direction", "LSTM.direction", "DynamicQuantizeLSTM.direction"]),
    "GeluApproximation": (["none", "tanh"], ["Gelu.approximate"]),
    "GridMode": (["linear", "nearest", "cubic"], ["GridSample.mode"]),
    "GridPadding": (["zeros", "border", "reflection"], ["GridSample.padding_mode"]),
    "KernelType": (["LINEAR", "POLY", "RBF", "SIGMOID"], ["*.kernel_type"]),
    "LossReduction": (
        ["none", "sum", "mean"],
        ["NegativeLogLikelihoodLoss.reduction", "SoftmaxCrossEntropyLoss.reduction"],
    ),
    "MapForm": (["DENSE", "SPARSE"], ["CastMap.map_form"]),
    "MomentumMode": (["nesterov", "standard"], ["Momentum.mode"]),
    "NearestMode": (["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"], ["Resize.nearest_mode"]),
    "Norm": (["MAX", "L1", "L2"], ["Normalizer.norm"]),
    "PadMode": (["constant", "reflect", "edge", "wrap"], ["Pad.mode"]),
    "PixelFormat": (["RGB", "BGR", "Grayscale"], ["ImageDecoder.pixel_format"]),
    "PostTransform": (["NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"], ["*.post_transform"]),
    "ResizeMode": (["nearest", "linear", "cubic"], ["Resize.mode"]),
    "RoiCoordinates": (["half_pixel", "output_half_pixel"], ["RoiAlign.coordinate_transformation_mode"]),
    "RoiMode": (["avg", "max"], ["RoiAlign.mode"]),
    "ScaleRounding": (["up", "down", "nearest"], ["*.round_mode"]),
    "ScatterReduction": (
        ["none", "add", "mul", "max", "min"],
        ["ScatterElements.reduction", "ScatterND.reduction"],
    ),
    "ShiftDirection": (["LEFT", "RIGHT"], ["BitShift.direction"]),
    "UpdateRule": (["linear", "gated", "delta", "gated_delta"], ["LinearAttention.update_rule"]),
    "WeightingMode": (["TF", "IDF", "TFIDF"], ["TfIdfVectorizer.mode"]),
}
# ONNX Runtime's own domains; the second is that of images in blocks of channels, which its optimiser writes.
DOMAINS = ["com.microsoft", "com.microsoft.nchwc"]

ENUMERATION_OF = {place: name for name, (_, places) in ENUMERATIONS.items() for place in places}


class Onnx:
    """The schemas of the `onnx` package."""

    version = f"onnx {onnx.__version__}"

    def schemas(self):
        return defs.get_all_schemas_with_history()

    def newest_opsets(self):
        newest = {"ai.onnx.preview": 1}
        for _, _, *versions in onnx.helper.VERSION_TABLE:
            for domain, version in zip(("ai.onnx", "ai.onnx.ml", "ai.onnx.preview.training"), versions):
                newest[domain] = max(version, newest.get(domain, 0))
        return sorted(newest.items())

    def type_of(self, parameter):
        return parameter.type_str

    def minimum(self, schema, parameter):
        return parameter.min_arity

    def is_homogeneous(self, parameter):
        return parameter.is_homogeneous

    def default(self, attribute):
        return attribute.default_value


class Microsoft:
    """The schemas of ONNX Runtime's own operators."""

    def __init__(self):
        import onnxruntime

        self.version = f"onnxruntime {onnxruntime.__version__}"

    def schemas(self):
        from onnxruntime.capi import onnxruntime_pybind11_state as state

        return [schema for schema in state.get_all_operator_schema() if self.is_own(schema)]

    def is_own(self, schema):
        if schema.domain != "":
            return schema.domain in DOMAINS
        return schema.name in EXTRA and not schema.deprecated and not self.is_standard(schema)

    def is_standard(self, schema):
        try:
            return defs.get_schema(schema.name, schema.since_version).since_version == schema.since_version
        except defs.SchemaError:
            return False

    def newest_opsets(self):
        return [(domain, 1) for domain in DOMAINS]

    def type_of(self, parameter):
        return parameter.typeStr

    def minimum(self, schema, parameter):
        return schema.min_input if "variadic" in parameter.option.name.lower() else 1

    def is_homogeneous(self, parameter):
        return parameter.isHomogeneous

    def default(self, attribute):
        return onnx.AttributeProto.FromString(attribute._default_value)


def short(type_string):
    return type_string.replace("tensor(", "").replace(" ", "").replace(")", "").replace("(", ":")


def mode(source, parameter):
    option = parameter.option.name.lower()
    return "mixed" if option == "variadic" and not source.is_homogeneous(parameter) else option


def default(source, attribute):
    if attribute.required:
        return "required"
    value = source.default(attribute)
    if value.type == onnx.AttributeProto.UNDEFINED:
        return "optional"
    value = onnx.helper.get_attribute_value(value)
    values = value if isinstance(value, list) else [value]
    return "=" + ",".join(v.decode() if isinstance(v, bytes) else f"{v:.9g}" if isinstance(v, float) else str(v) for v in values)


def enumeration(source, schema, newest, attribute):
    if attribute.type.name != "STRING" or schema.since_version != newest[schema.domain, schema.name]:
        return ""
    name = ENUMERATION_OF.get(f"{schema.name}.{attribute.name}") or ENUMERATION_OF.get(f"*.{attribute.name}")
    # another domain's operator of the same name may have other strings
    fits = name and default(source, attribute).lstrip("=") in ENUMERATIONS[name][0] + ["required", "optional"]
    return f" {name}" if fits else ""


def table(source):
    schemas = sorted(source.schemas(), key=lambda s: (s.domain, s.name, s.since_version))
    newest = {(s.domain, s.name): s.since_version for s in schemas}
    sets, lines, used = {}, [], set()
    for schema in schemas:
        deprecated = " deprecated" if schema.deprecated else ""
        lines.append(f"op {schema.domain or 'ai.onnx'} {schema.name} {schema.since_version}{deprecated}")
        constraints = {c.type_param_str: c for c in schema.type_constraints}
        for letter, parameters in (("i", schema.inputs), ("o", schema.outputs)):
            for p in parameters:
                kind = source.type_of(p) if source.type_of(p) in constraints else short(source.type_of(p))
                lines.append(f"{letter} {mode(source, p)} {p.name} {kind} {source.minimum(schema, p)}")
        for name, attribute in sorted(schema.attributes.items()):
            choices = enumeration(source, schema, newest, attribute)
            used.add(choices.strip())
            lines.append(f"a {name} {attribute.type.name.lower()} {default(source, attribute)}{choices}")
        for name, constraint in sorted(constraints.items()):
            allowed = " ".join(sorted(short(t) for t in constraint.allowed_type_strs))
            lines.append(f"t {name} {sets.setdefault(allowed, len(sets))}")
    header = [f"# {source.version}; written by generate_schemas.py"]
    header += [f"opset {domain} {version}" for domain, version in source.newest_opsets()]
    header += [f"enumeration {name} {' '.join(choices)}" for name, (choices, _) in ENUMERATIONS.items() if name in used]
    return header + [f"types {number} {allowed}" for allowed, number in sets.items()] + lines


def main():
    source = {"onnx": Onnx, "microsoft": Microsoft}[sys.argv[1]]()
    print("\n".join(table(source)))


if __name__ == "__main__":
    main()
