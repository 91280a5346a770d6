// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=infer-shapes --split-input-file --verify-diagnostics

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>):
    // expected-error@+1 {{MatMul: inner extents 3 and 4 differ}}
    %product = "onnx.MatMul"(%x, %y) : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
    "func.return"(%product) : (tensor<2x5xf32>) -> ()
  }) {sym_name = "f", function_type = (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x2x5x5xui8>, %w: tensor<3x2x3x3xui8>, %x_zero: tensor<ui8>, %w_zero: tensor<3x1xui8>):
    // expected-error@+1 {{ConvInteger: operand 3 must have rank 1 or less, found 2}}
    %sums = "onnx.ConvInteger"(%x, %w, %x_zero, %w_zero) : (tensor<1x2x5x5xui8>, tensor<3x2x3x3xui8>, tensor<ui8>, tensor<3x1xui8>) -> tensor<1x3x3x3xi32>
    "func.return"(%sums) : (tensor<1x3x3x3xi32>) -> ()
  }) {sym_name = "f", function_type = (tensor<1x2x5x5xui8>, tensor<3x2x3x3xui8>, tensor<ui8>, tensor<3x1xui8>) -> tensor<1x3x3x3xi32>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x2x5x5xui8>, %w: tensor<3x2x3x3xui8>, %x_zero: tensor<ui8>, %w_zero: tensor<40xui8>):
    // expected-error@+1 {{ConvInteger: 40 zero points for weights of 3 outputs}}
    %sums = "onnx.ConvInteger"(%x, %w, %x_zero, %w_zero) : (tensor<1x2x5x5xui8>, tensor<3x2x3x3xui8>, tensor<ui8>, tensor<40xui8>) -> tensor<1x3x3x3xi32>
    "func.return"(%sums) : (tensor<1x3x3x3xi32>) -> ()
  }) {sym_name = "f", function_type = (tensor<1x2x5x5xui8>, tensor<3x2x3x3xui8>, tensor<ui8>, tensor<40xui8>) -> tensor<1x3x3x3xi32>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<3x2xf32>, %low: tensor<3x2x2xf32>):
    // expected-error@+1 {{Clip: operand 1 must have rank 1 or less, found 3}}
    %r = "onnx.Clip"(%x, %low) : (tensor<3x2xf32>, tensor<3x2x2xf32>) -> tensor<3x2xf32>
    "func.return"(%r) : (tensor<3x2xf32>) -> ()
  }) {sym_name = "f", function_type = (tensor<3x2xf32>, tensor<3x2x2xf32>) -> tensor<3x2xf32>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x1x3x3xf32>, %w: tensor<1x2x3x3xf32>):
    // expected-error@+1 {{ConvTranspose: output_padding has 1 values for 2 spatial axes}}
    %r = "onnx.ConvTranspose"(%x, %w) {output_padding = [1]} : (tensor<1x1x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x5x5xf32>
    "func.return"(%r) : (tensor<1x2x5x5xf32>) -> ()
  }) {sym_name = "f", function_type = (tensor<1x1x3x3xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x5x5xf32>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<f32>):
    // expected-error@+1 {{SplitToSequence: operand 0 must have rank 1 or more, found 0}}
    %r = "onnx.SplitToSequence"(%x) : (tensor<f32>) -> !onnx.Seq<tensor<*xf32>>
    "func.return"(%r) : (!onnx.Seq<tensor<*xf32>>) -> ()
  }) {sym_name = "f", function_type = (tensor<f32>) -> !onnx.Seq<tensor<*xf32>>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<4xf32>):
    // expected-error@+1 {{Split: -2147483648 parts for 1 results}}
    %r = "onnx.Split"(%x) {num_outputs = -2147483648 : si64} : (tensor<4xf32>) -> tensor<4xf32>
    "func.return"(%r) : (tensor<4xf32>) -> ()
  }) {sym_name = "f", function_type = (tensor<4xf32>) -> tensor<4xf32>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a0: tensor<2x4xui8>, %a1: tensor<4x3xui8>, %a2: tensor<5xui8>):
    // expected-error@+1 {{MatMulInteger: the zero point of A of shape [5] does not broadcast to [2]}}
    %r = "onnx.MatMulInteger"(%a0, %a1, %a2) : (tensor<2x4xui8>, tensor<4x3xui8>, tensor<5xui8>) -> tensor<2x3xi32>
    "func.return"(%r) : (tensor<2x3xi32>) -> ()
  }) {sym_name = "f", function_type = (tensor<2x4xui8>, tensor<4x3xui8>, tensor<5xui8>) -> tensor<2x3xi32>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a0: tensor<2x4xui8>, %a1: tensor<4x3xui8>, %a2: tensor<ui8>, %a3: tensor<1x1x3xui8>):
    // expected-error@+1 {{MatMulInteger: the zero point of B of shape [1, 1, 3] does not broadcast to [1, 3]}}
    %r = "onnx.MatMulInteger"(%a0, %a1, %a2, %a3) : (tensor<2x4xui8>, tensor<4x3xui8>, tensor<ui8>, tensor<1x1x3xui8>) -> tensor<2x3xi32>
    "func.return"(%r) : (tensor<2x3xi32>) -> ()
  }) {sym_name = "f", function_type = (tensor<2x4xui8>, tensor<4x3xui8>, tensor<ui8>, tensor<1x1x3xui8>) -> tensor<2x3xi32>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a0: tensor<1x2x5x5xui8>, %a1: tensor<3x2x3x3xui8>, %a2: tensor<0xui8>):
    // expected-error@+1 {{ConvInteger: the zero point of X of shape [0] does not broadcast to [1]}}
    %r = "onnx.ConvInteger"(%a0, %a1, %a2) : (tensor<1x2x5x5xui8>, tensor<3x2x3x3xui8>, tensor<0xui8>) -> tensor<1x3x3x3xi32>
    "func.return"(%r) : (tensor<1x3x3x3xi32>) -> ()
  }) {sym_name = "f", function_type = (tensor<1x2x5x5xui8>, tensor<3x2x3x3xui8>, tensor<0xui8>) -> tensor<1x3x3x3xi32>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a0: tensor<3xf32>):
    // expected-error@+1 {{Einsum: label 'i' occurs more than once in the result}}
    %r = "onnx.Einsum"(%a0) {equation = "i->ii"} : (tensor<3xf32>) -> tensor<3x3xf32>
    "func.return"(%r) : (tensor<3x3xf32>) -> ()
  }) {sym_name = "f", function_type = (tensor<3xf32>) -> tensor<3x3xf32>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a0: tensor<f32>, %a1: tensor<f32>):
    // expected-error@+1 {{TensorScatter: operand 0 must have rank 1 or more, found 0}}
    %r = "onnx.TensorScatter"(%a0, %a1) {axis = 0 : si64} : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "func.return"(%r) : (tensor<f32>) -> ()
  }) {sym_name = "f", function_type = (tensor<f32>, tensor<f32>) -> tensor<f32>} : () -> ()
}) : () -> ()
