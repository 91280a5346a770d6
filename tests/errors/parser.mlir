// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --verify-diagnostics

"builtin.module"() ({
  // expected-error@+1 {{expected '(', found '{'}}
  %x = "arith.constant" {value = 0 : index} : () -> index
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: f32):
    // expected-error@+1 {{undefined value '%b'}}
    "func.return"(%b) : (f32) -> ()
  }) {sym_name = "f", function_type = (f32) -> f32} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  // expected-error@+1 {{expected a type, found 'f33'}}
  ^bb0(%a: tensor<4xf33>):
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: f32):
    // expected-error@+1 {{value '%a' is defined twice}}
    %a = "arith.addf"(%a, %a) : (f32, f32) -> f32
    "func.return"(%a) : (f32) -> ()
  }) {sym_name = "f", function_type = (f32) -> f32} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
    // expected-error@+1 {{undefined block '^bb7'}}
    "cf.br"()[^bb7] : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
    // expected-error@+1 {{expected 2 entries in this dimension, found 3}}
    %0 = "arith.constant"() {value = dense<[1, 2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
    // expected-error@+1 {{expected a string that ends on its line}}
    "test.op"() {text = "never closed} : () -> ()
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
    // expected-error@+1 {{'d1' is neither a dimension nor a symbol}}
    "test.op"() {map = affine_map<(d0) -> (d1)>} : () -> ()
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: f32):
    // expected-error@+1 {{expected 2 operand types, found 1}}
    %r = "arith.addf"(%a, %a) : (f32) -> f32
    "func.return"(%r) : (f32) -> ()
  }) {sym_name = "f", function_type = (f32) -> f32} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
    // expected-error@+1 {{invalid dialect namespace ''}}
    "test.op"() {text = #.<x>} : () -> ()
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
    // expected-error@+1 {{invalid dialect namespace 'a-b'}}
    "test.op"() {text = !a-b.c} : () -> ()
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
    // expected-error@+1 {{invalid dialect namespace '1'}}
    "test.op"() {text = #1<x>} : () -> ()
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
    // expected-error@+1 {{values of this type are too large to address}}
    "test.op"() {type = tensor<4611686018427387904x4x0xf32>} : () -> ()
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
    // expected-error@+1 {{values of this type are too large to address}}
    "test.op"() {type = memref<?x4611686018427387904xi8>} : () -> ()
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()
