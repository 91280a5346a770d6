// Without a runtime, calls of routines that have a definition become calls of functions of the module, for the element
// types of their tensors. The functions that those call are there once.

// RUN: onnx-opt %s --pass-pipeline='define-routines' | FileCheck %s

// CHECK-LABEL: func.func @main_graph
// CHECK: call @rt_call_cumulate.f32.f32
func.func @main_graph(%context: index, %words: index, %count: index) -> i64 {
  %0 = func.call @rt_call_cumulate.f32.f32(%context, %words, %count) : (index, index, index) -> i64
  %1 = func.call @rt_call_cumulate.i32.i32(%context, %words, %count) : (index, index, index) -> i64
  %2 = func.call @rt_call_fourier(%context, %words, %count) : (index, index, index) -> i64
  %3 = arith.addi %0, %1 : i64
  %4 = arith.addi %3, %2 : i64
  return %4 : i64
}

// CHECK: func.func private @rt_call_cumulate.f32.f32(
// CHECK-SAME: index, %{{.*}}: index, %{{.*}}: index) -> i64
// CHECK: arith.addf
// CHECK: memref.store {{.*}} : memref<?xf32>
func.func private @rt_call_cumulate.f32.f32(index, index, index) -> i64

// CHECK: func.func private @rt_call_cumulate.i32.i32(
// CHECK: arith.addi {{.*}} : i32
// CHECK: memref.store {{.*}} : memref<?xi32>
func.func private @rt_call_cumulate.i32.i32(index, index, index) -> i64

// CHECK: func.func private @rt_call_fourier(index, index, index) -> i64
func.func private @rt_call_fourier(index, index, index) -> i64

// CHECK-COUNT-1: func.func private @rt_product(
// CHECK-NOT: func.func private @rt_product(
