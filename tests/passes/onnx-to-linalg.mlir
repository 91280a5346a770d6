// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='onnx-to-linalg,verify-level{level=structured}' | FileCheck %s

// A static chain: index maps pair the elements of operands.
// CHECK: #map = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #map1 = affine_map<(d0, d1) -> (d1)>
// CHECK: ^bb0(%[[X:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<3xf32>):
// CHECK: %[[EMPTY:.*]] = "tensor.empty"() : () -> tensor<2x3xf32>
// CHECK: %[[SUM:.*]] = "linalg.generic"(%[[X]], %[[B]], %[[EMPTY]]) <{indexing_maps = [#map, #map1, #map]
// CHECK: "arith.addf"
// CHECK: "linalg.generic"(%[[SUM]],
// CHECK: "arith.maximumf"
// CHECK-NOT: onnx.Relu
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<2x3xf32>, %b: tensor<3xf32>):
    %sum = "onnx.Add"(%x, %b) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %relu = "onnx.Relu"(%sum) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%relu) : (tensor<2x3xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>} : () -> ()
}) : () -> ()

// -----

// Extents known at run time come from the inputs; one named twice is read once.
// CHECK: ^bb0(%[[X:.*]]: tensor<?x5xf32>, %{{.*}}: tensor<?x5xf32>):
// CHECK-COUNT-1: "tensor.dim"
// CHECK-NOT: "tensor.dim"
// CHECK: "tensor.empty"(%{{.*}}) : (index) -> tensor<?x5xf32>
// CHECK: "arith.mulf"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x5xf32>, %y: tensor<?x5xf32>):
    %product = "onnx.Mul"(%x, %y) : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
    "func.return"(%product) : (tensor<?x5xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>, arg_attrs = [{onnx.name = "x", onnx.dim_params = "0:N"}, {onnx.name = "y", onnx.dim_params = "0:N"}]} : () -> ()
}) : () -> ()

// -----

// A reduction starts from its neutral element and has a reduction loop.
// CHECK: iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>]
// CHECK: "arith.addf"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x5xf32>):
    %axes = "onnx.Constant"() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
    %sum = "onnx.ReduceSum"(%x, %axes) {keepdims = 1 : si64} : (tensor<?x5xf32>, tensor<1xi64>) -> tensor<?x1xf32>
    "func.return"(%sum) : (tensor<?x1xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x5xf32>) -> tensor<?x1xf32>} : () -> ()
}) : () -> ()

// -----

// The first part of an axis: the loop covers less than the operand, as its map states.
// CHECK: affine_map<(d0, d1) -> (d0, d1 mod 2)>
// CHECK: affine_map<(d0, d1) -> (d0, d1 + 2)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<3x6xf32>):
    %sizes = "onnx.Constant"() {value = dense<[2, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %parts:2 = "onnx.Split"(%x, %sizes) {axis = 1 : si64} : (tensor<3x6xf32>, tensor<2xi64>) -> (tensor<3x2xf32>, tensor<3x4xf32>)
    "func.return"(%parts#0, %parts#1) : (tensor<3x2xf32>, tensor<3x4xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<3x6xf32>) -> (tensor<3x2xf32>, tensor<3x4xf32>)} : () -> ()
}) : () -> ()

// -----

// Data-dependent axes: each extent is split into a kept and a reduced factor, one of which is 1.
// CHECK: "arith.select"
// CHECK: "tensor.reshape"{{.*}} -> tensor<?x?x?x?xf32>
// CHECK: iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>]
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<3x5xf32>, %axes: tensor<1xi64>):
    %sum = "onnx.ReduceSum"(%x, %axes) {keepdims = 1 : si64} : (tensor<3x5xf32>, tensor<1xi64>) -> tensor<?x?xf32>
    "func.return"(%sum) : (tensor<?x?xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<3x5xf32>, tensor<1xi64>) -> tensor<?x?xf32>} : () -> ()
}) : () -> ()

// -----

// A data-dependent shape must have the same number of elements.
// CHECK: %[[RAW:.*]] = "tensor.extract"
// CHECK: "cf.assert"{{.*}}another number of elements
// CHECK: "tensor.reshape"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<3x4xf32>, %target: tensor<2xi64>):
    %shaped = "onnx.Reshape"(%x, %target) : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    "func.return"(%shaped) : (tensor<?x?xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<3x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>} : () -> ()
}) : () -> ()

// -----

// uint8 values are converted as unsigned.
// CHECK-COUNT-4: "arith.uitofp"
// CHECK-NOT: "arith.sitofp"{{.*}}(i8)
// CHECK: "math.roundeven"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x1x4x4xui8>):
    %none = "onnx.NoValue"() {value} : () -> none
    %scales = "onnx.Constant"() {value = dense<[1.0, 1.0, 0.75, 0.75]> : tensor<4xf32>} : () -> tensor<4xf32>
    %y = "onnx.Resize"(%x, %none, %scales, %none) {mode = "linear"} : (tensor<1x1x4x4xui8>, none, tensor<4xf32>, none) -> tensor<1x1x3x3xui8>
    "func.return"(%y) : (tensor<1x1x3x3xui8>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x1x4x4xui8>) -> tensor<1x1x3x3xui8>} : () -> ()
}) : () -> ()

// -----

// An operand without elements adds none to a Concat.
// CHECK: ^bb0(%[[X:.*]]: tensor<2x3xf32>, %[[NONE:.*]]: tensor<2x0xf32>, %[[Y:.*]]: tensor<2x1xf32>):
// CHECK-NOT: "tensor.concat"(%[[X]], %[[NONE]])
// CHECK: "tensor.concat"(%[[X]], %[[Y]])
// CHECK: "func.return"(%[[X]], %
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<2x3xf32>, %none: tensor<2x0xf32>, %y: tensor<2x1xf32>):
    %same = "onnx.Concat"(%x, %none) {axis = -1 : si64} : (tensor<2x3xf32>, tensor<2x0xf32>) -> tensor<2x3xf32>
    %longer = "onnx.Concat"(%none, %x, %none, %y) {axis = 1 : si64} : (tensor<2x0xf32>, tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
    %nothing = "onnx.Concat"(%none, %none) {axis = 1 : si64} : (tensor<2x0xf32>, tensor<2x0xf32>) -> tensor<2x0xf32>
    "func.return"(%same, %longer, %nothing) : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x0xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x1xf32>) -> (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x0xf32>)} : () -> ()
}) : () -> ()
