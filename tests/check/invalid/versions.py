"""Faults of IR versions."""

from onnx import TensorProto, helper

from invalid.faults import *  # noqa: F403
from models import *  # noqa: F403

case("ir2-attribute-type", ALPHA, without_imports(unary("Elu", alpha=0.5, opset=1, ir=1)))
case("ir3-opset-import", "model", relu(ir=2, opset=1))
case("ir3-node-domain", at("node 0 'relu'"), relu(ir=2), lambda m: (m.ClearField("opset_import"), setattr(first(m), "domain", "ai.onnx")))
case("ir4-bfloat16", at("input 1 'unread'"), relu(ir=3), lambda m: unread(m, tensor_type(TensorProto.BFLOAT16)))
case("ir5-quantization-annotation", G, quantized(), lambda m: setattr(m, "ir_version", 4))
case("ir6-sparse-initializer", G, sparse(ir=5))
case("ir6-sparse-attribute", at("node 0 'c'", "attribute 'sparse_value'"),
     model([node("Constant", [], ["y"], name="c", sparse_value=sparse().graph.sparse_initializer[0])], [], [info("y", FLOAT, [3, 4])], ir=5, opset=11))
case("ir6-sequence-map", at("input 1 'unread'"), relu(ir=5), lambda m: unread(m, sequence_type()))
case("ir6-sequence-map", at("input 1 'unread'"), relu(ir=5), lambda m: unread(m, map_type(INT64)))
case("ir7-training", "model", training(), lambda m: setattr(m, "ir_version", 6))
case("ir8-function", "model", with_slope_given(called(ir=7)))
case("ir8-sparse-type", at("input 1 'unread'"), relu(ir=7), lambda m: unread(m, helper.make_sparse_tensor_type_proto(FLOAT, [2, 2])))
case("ir8-optional", at("input 1 'unread'"), relu(ir=7), lambda m: unread(m, optional_type()))
case("ir9-function-default", "function 0 'f'", called(ir=8))
for kind in (TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E5M2FNUZ):
    case("ir9-float8", at("input 1 'unread'"), relu(ir=8), lambda m: unread(m, tensor_type(kind)))
    case("ir9-float8", W, constant_of(kind, ir=8, raw_data=b"\0\0"), lambda m: (m.graph.ClearField("output"), m.graph.ClearField("node"), m.graph.node.append(node("Relu", ["x"], ["y"], name="relu")), m.graph.input.append(info("x", FLOAT, [1])), m.graph.output.append(info("y", FLOAT, [1]))))
for kind in (TensorProto.UINT4, TensorProto.INT4):
    case("ir10-int4", at("input 1 'unread'"), relu(ir=9), lambda m: unread(m, tensor_type(kind)))
case("ir10-overload", "function 0 'f'", called(ir=9), lambda m: (setattr(m.functions[0], "overload", "o"), setattr(first(m), "overload", "o")))
case("ir10-graph-metadata", G, relu(ir=9), lambda m: m.graph.metadata_props.add(key="k", value="v"))
case("ir10-node-metadata", at("node 0 'relu'"), relu(ir=9), lambda m: first(m).metadata_props.add(key="k", value="v"))
case("ir10-value-metadata", at("input 0 'x'"), relu(ir=9), lambda m: m.graph.input[0].metadata_props.add(key="k", value="v"))
case("ir10-function-metadata", "function 0 'f'", called(ir=9), lambda m: m.functions[0].metadata_props.add(key="k", value="v"))
case("ir11-float4", at("input 1 'unread'"), relu(ir=10), lambda m: unread(m, tensor_type(TensorProto.FLOAT4E2M1)))
case("ir11-device", "model", relu(ir=10), lambda m: m.configuration.add(name="one", num_devices=1))
case("ir11-node-device", at("node 0 'relu'"), relu(ir=10), lambda m: first(m).device_configurations.add(configuration_id="one"))
case("ir12-float8e8m0", at("input 1 'unread'"), relu(ir=11), lambda m: unread(m, tensor_type(24)))
for kind in (25, 26):
    case("ir13-int2", at("input 1 'unread'"), relu(ir=12), lambda m: unread(m, tensor_type(kind)))
for kind in (27, 28):
    case("ir14-float6", at("input 1 'unread'"), relu(ir=13), lambda m: unread(m, tensor_type(kind)))
