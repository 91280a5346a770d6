"""Models of one node for forms of operators that cannot be had from later cases: `cases()`."""

from dataclasses import dataclass

import numpy
import onnx.parser
from onnx import helper

LEARNING = "ai.onnx.ml"


@dataclass
class Case:
    """A node, the versions of its operator that it has the form of, its inputs, and its outputs if no implementation computes them."""

    operator: str
    versions: tuple
    inputs: dict
    attributes: dict
    domain: str = ""
    outputs: int = 1
    expected: object = None

    def node(self):
        outputs = [f"y{index}" for index in range(self.outputs)]
        return helper.make_node(self.operator, list(self.inputs), outputs, domain=self.domain, **self.attributes)


def ramp(*shape):
    """Numbers on both sides of zero, in disorder."""
    count = int(numpy.prod(shape))
    return ((numpy.arange(count) * 7 % 11 - 5) / 4).astype(numpy.float32).reshape(shape)


def floats(*values):
    return numpy.array(values, numpy.float32)


def body(operation):
    """A loop's body that carries `operation` of what it carries and a captured value round, and collects it."""
    text = f"step (int64 i, bool c0, float[2] v) => (bool c1, float[2] w, float[2] s) {{ c1 = Identity(c0) w = {operation}(v, x) s = Identity(w) }}"
    return onnx.parser.parse_graph(text)


def lp(x, axes, p=2.0):
    return [(numpy.abs(x) ** p).sum(axis=axes, keepdims=True) ** (1 / p)]


def lp_pool(x):
    windows = numpy.lib.stride_tricks.sliding_window_view(x, (2, 2), axis=(2, 3))
    return [numpy.sqrt((windows.astype(numpy.float64) ** 2).sum(axis=(4, 5))).astype(numpy.float32)]


def nearest(x):
    return [x.repeat(2, axis=2).repeat(2, axis=3)]


def normalized(x, scale, bias, mean, variance):
    shape = (1, -1, 1, 1)
    scale, bias, mean, variance = (value.reshape(shape) for value in (scale, bias, mean, variance))
    return [((x - mean) / numpy.sqrt(variance + numpy.float32(1e-5)) * scale + bias).astype(numpy.float32)]


def looped(m, c, x):
    states = [x * (count + 2) for count in range(int(m))]
    return [states[-1], numpy.stack(states)]


def learning():
    """ai.onnx.ml: version 1 of what the suite has later forms of, or none."""
    rows = {"x": ramp(4, 3)}
    yield Case("Imputer", (1,), {"x": floats(1, numpy.nan, 3).reshape(1, 3)}, dict(imputed_value_floats=[7.0, 8.0, 9.0], replaced_value_float=float("nan")), LEARNING)
    texts = numpy.array(["b", "a", "c"], object)
    yield Case("LabelEncoder", (1,), {"x": texts}, dict(classes_strings=["a", "b"], default_int64=-1), LEARNING)
    yield Case("CategoryMapper", (1,), {"x": texts}, dict(cats_strings=["a", "b"], cats_int64s=[4, 5], default_int64=-1), LEARNING)
    yield Case("LinearClassifier", (1,), rows, dict(coefficients=[0.5, -1.0, 2.0, 1.0, 0.25, -0.5], intercepts=[0.1, -0.2], classlabels_ints=[3, 8], multi_class=1, post_transform="SOFTMAX"), LEARNING, 2)
    yield Case("LinearRegressor", (1,), rows, dict(coefficients=[0.5, -1.0, 2.0], intercepts=[0.5], targets=1), LEARNING)
    for norm in ("MAX", "L1", "L2"):
        yield Case("Normalizer", (1,), rows, dict(norm=norm), LEARNING)
    yield Case("OneHotEncoder", (1,), {"x": numpy.array([2, 0, 1], numpy.int64)}, dict(cats_int64s=[0, 1, 2]), LEARNING)
    yield Case("Scaler", (1,), rows, dict(offset=[0.5, 0.0, -1.0], scale=[2.0, 0.5, 1.0]), LEARNING)
    yield Case("FeatureVectorizer", (1,), {"a": ramp(2, 2), "b": ramp(2, 3)}, dict(inputdimensions=[2, 3]), LEARNING)
    vectors = dict(kernel_type="RBF", kernel_params=[0.5, 0.0, 3.0], support_vectors=[float(value) for value in ramp(2, 3).flatten()])
    yield Case("SVMRegressor", (1,), rows, dict(vectors, coefficients=[1.0, -0.5], n_supports=2, rho=[0.25]), LEARNING)
    yield Case("SVMClassifier", (1,), rows, dict(vectors, coefficients=[1.0, -0.5], rho=[0.25], vectors_per_class=[1, 1], classlabels_ints=[0, 1]), LEARNING, 2)
    tree = dict(
        nodes_falsenodeids=[2, 0, 0], nodes_truenodeids=[1, 0, 0], nodes_featureids=[0, 0, 0], nodes_nodeids=[0, 1, 2],
        nodes_treeids=[0, 0, 0], nodes_modes=["BRANCH_LEQ", "LEAF", "LEAF"], nodes_values=[0.0, 0.0, 0.0],
    )
    yield Case("TreeEnsembleRegressor", (1, 3), rows, dict(tree, n_targets=1, target_ids=[0, 0], target_nodeids=[1, 2], target_treeids=[0, 0], target_weights=[1.5, -2.5]), LEARNING)
    classes = dict(class_ids=[0, 2], class_nodeids=[1, 2], class_treeids=[0, 0], class_weights=[1.0, 2.0], classlabels_int64s=[4, 7, 9])
    yield Case("TreeEnsembleClassifier", (1, 3), rows, dict(tree, **classes, post_transform="NONE"), LEARNING, 2)


def cases():
    image = {"x": ramp(1, 2, 4, 4)}
    yield Case("Cast", (1,), {"x": ramp(5)}, dict(to="INT32"), expected=lambda x: [x.astype(numpy.int32)])
    yield Case("GlobalLpPool", (1,), image, dict(p=2.0), expected=lambda x: lp(x, (2, 3)))
    yield Case("GlobalLpPool", (2, 22), image, dict(p=2), expected=lambda x: lp(x, (2, 3)))
    yield Case("LpPool", (1,), image, dict(p=2.0, kernel_shape=[2, 2]), expected=lp_pool)
    regions = numpy.array([[0, 0, 0, 3, 3], [0, 1, 1, 2, 3]], numpy.float32)
    yield Case("MaxRoiPool", (1, 22), {**image, "rois": regions}, dict(pooled_shape=[2, 2]))
    yield Case("Upsample", (1,), image, dict(height_scale=2.0, width_scale=2.0, mode="nearest"), expected=nearest)
    yield Case("Resize", (10,), {**image, "scales": floats(1, 1, 2, 2)}, dict(mode="nearest"))
    sizes = {**image, "roi": floats(), "scales": floats(), "sizes": numpy.array([1, 2, 6, 3], numpy.int64)}
    yield Case("Resize", (11,), sizes, dict(mode="linear", coordinate_transformation_mode="half_pixel"))
    tiles = {"x": ramp(2, 3), "tiles": floats(2), "axis": floats(1)}
    yield Case("Tile", (1,), tiles, {}, expected=lambda x, tiles, axis: [numpy.tile(x, (1, 2))])
    statistics = {"scale": floats(1, 2), "bias": floats(0.5, 0), "mean": floats(0.25, -1), "variance": floats(1, 4)}
    yield Case("BatchNormalization", (1,), {**image, **statistics}, dict(consumed_inputs=[0, 0, 0, 1, 1], is_test=1), expected=normalized)
    given = {"m": numpy.array(3, numpy.int64), "c": numpy.array(True), "x": floats(1, -2)}
    yield Case("Loop", (1, 19, 21, 23, 24), given, dict(body=body("Add")), outputs=2, expected=looped)
    yield from learning()
