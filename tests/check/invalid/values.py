"""Faults of values of attributes."""

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

for bad in ([0, 1], [1, 0], [-1, 1]):
    case("stride-positive", at("node 0 'pool'", "attribute 'strides'"), window(strides=bad))
case("stride-positive", at("node 0 'conv'", "attribute 'strides'"), convolution(strides=[0, 0]))
for bad in ([0, 1], [1, -1], [-2, -2]):
    case("dilation-positive", at("node 0 'pool'", "attribute 'dilations'"), window(dilations=bad))
case("dilation-positive", at("node 0 'conv'", "attribute 'dilations'"), convolution(dilations=[1, 0]))
for bad in ([0, 3], [3, -3]):
    case("kernel-positive", at("node 0 'pool'", "attribute 'kernel_shape'"), window(kernel_shape=bad))
for bad in (0, -1):
    case("group-positive", at("node 0 'conv'", "attribute 'group'"), convolution(group=bad))
    case("block-positive", at("node 0 'one'", "attribute 'blocksize'"), unary("DepthToSpace", shape=(1, 4, 2, 2), blocksize=bad))
    case("block-positive", at("node 0 'one'", "attribute 'blocksize'"), unary("SpaceToDepth", shape=(1, 4, 2, 2), blocksize=bad))
case("pads-not-negative", at("node 0 'pool'"), window(out=(1, 1, 3, 4), pads=[-1, 0, 0, 0]))
case("pads-not-negative", at("node 0 'conv'"), convolution(pads=[0, 0, -1, -1]), lambda m: m.graph.output[0].CopyFrom(info("y", FLOAT, [1, 1, 3, 3])))
case("pads-or-auto", at("node 0 'pool'"), window(out=(1, 1, 6, 6), auto_pad="SAME_UPPER", pads=[1, 1, 1, 1]))
case("pads-or-auto", at("node 0 'conv'"), convolution(auto_pad="VALID", pads=[1, 1, 1, 1]))
for bad in ([0, 0], [1, 2], [0, 2], [-1, 0]):
    case("permutation", at("node 0 'one'", "attribute 'perm'"), unary("Transpose", perm=bad))
case("axes-unique", at("node 0 'one'", "attribute 'axes'"), unary("ReduceSum", opset=11, out=(1, 3), axes=[0, 0]))
case("axes-unique", at("node 0 'one'", "attribute 'axes'"), unary("Unsqueeze", opset=11, out=(1, 2, 3), axes=[0, 0]))
for bad in (99, 0, 29, -1):
    case("element-type-known", at("node 0 'one'", "attribute 'to'"), unary("Cast", to=bad))
case("element-type-known", at("node 0 'one'", "attribute 'dtype'"), unary("EyeLike", dtype=99))
case("constant-one-value", at("node 0 'c'"), model([node("Constant", [], ["y"], name="c", value_int=1, value_float=2.0)], [], [info("y", INT64, [])]))
case("constant-one-value", at("node 0 'c'"), model([node("Constant", [], ["y"], name="c")], [], [info("y", INT64, [])]))

case("output-computed", at("node 0 'norm'"), normalisation(["y", "m", "v"]))
case("output-computed", at("node 0 'norm'"), normalisation(["y", "m"]))
