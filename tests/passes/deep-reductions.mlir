// A deep matrix product is computed in K blocks, so that the block of a panel stays in a near cache while all rows are multiplied by it. The
// runtime's micro-kernels, which Cranelift's code calls, block on their own.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,outline-kernels{shapes=specialised},outline-initialization,build-kernels{target=llvm}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,outline-kernels{shapes=specialised},outline-initialization,build-kernels{target=cranelift}' | FileCheck %s --check-prefix=WHOLE

// the sums' loops are two groups of channels, 70 lines, 3 pixels and 16 channels: a block has 21 lines at most
// CHECK: ^bb0({{.*}}memref<2x2x70x3x16x16xf32>
// CHECK: %[[LINES:[a-z0-9]+]] = "arith.constant"() <{value = 21 : index}> : () -> index
// CHECK: "arith.minsi"({{.*}}, %[[LINES]])
// CHECK: "rt.contract"({{.*}}start = "values"

// WHOLE: "rt.contract"({{.*}}start = "zero"
// WHOLE-NOT: "rt.contract"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x20x90x40xf32>):
    %w = "onnx.Constant"() {value = dense<0.5> : tensor<32x20x70x3xf32>} : () -> tensor<32x20x70x3xf32>
    %0 = "onnx.Conv"(%x, %w) {auto_pad = "NOTSET", group = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x20x90x40xf32>, tensor<32x20x70x3xf32>) -> tensor<1x32x21x38xf32>
    "func.return"(%0) : (tensor<1x32x21x38xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x20x90x40xf32>) -> tensor<1x32x21x38xf32>} : () -> ()
}) : () -> ()
