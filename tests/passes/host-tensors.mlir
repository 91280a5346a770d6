// What the host function itself computes has memory: a tensor that nothing writes, and one of computed elements.
// RUN: onnx-opt %s --lower-to-kernels | FileCheck %s

func.func @main_graph(%x: tensor<2x2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>) {
  // CHECK: %[[EMPTY:.*]] = memref.view {{.*}} to memref<4xf32>
  %0 = tensor.empty() : tensor<4xf32>
  %c = arith.constant dense<[4]> : tensor<1xindex>
  %1 = tensor.reshape %x(%c) : (tensor<2x2xf32>, tensor<1xindex>) -> tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[ONE:.*]] = memref.load
  %a = tensor.extract %x[%c0, %c1] : tensor<2x2xf32>
  // CHECK: %[[ELEMENTS:.*]] = memref.view {{.*}} to memref<2x2xf32>
  // CHECK: memref.store %[[ONE]], %[[ELEMENTS]]{{\[}}%{{.*}}, %{{.*}}{{\]}} : memref<2x2xf32>
  %2 = tensor.from_elements %a, %a, %a, %a : tensor<2x2xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<2x2xf32>
}
