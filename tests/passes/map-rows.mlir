// Functions of vectors in a loop are computed for row buffers: the argument is stored, or read in place, the runtime
// computes the function, and the rest of the loop reads the results.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='map-rows' | FileCheck %s

// A row of loads and a store of the function need no loop: only calls on row buffers remain.
// CHECK: sym_name = "direct"
// CHECK: "scf.for"
// CHECK-NOT: math.exp
// CHECK: "func.call"({{.*}}) <{callee = @rt_map_row}> : (index, index, index, index, f32, f32, f32, f32) -> ()
// CHECK-NEXT: "scf.yield"
// CHECK-NOT: math.exp
"func.func"() ({
^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %row: index):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %4 = "arith.constant"() {value = 4 : index} : () -> index
  "scf.for"(%0, %n, %4) ({
  ^bb0(%i: index):
    %start = "arith.muli"(%row, %n) : (index, index) -> index
    %at = "arith.addi"(%start, %i) : (index, index) -> index
    %v = "vector.load"(%x, %at) : (memref<?xf32>, index) -> vector<4xf32>
    %e = "math.exp"(%v) : (vector<4xf32>) -> vector<4xf32>
    "vector.store"(%e, %y, %at) : (vector<4xf32>, memref<?xf32>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "direct", function_type = (memref<?xf32>, memref<?xf32>, index, index) -> ()} : () -> ()

// The hyperbolic tangent of a logarithm is in a later stage; loop-carried values pass through all row buffers.
// CHECK: sym_name = "staged"
// CHECK: "scf.for"
// CHECK: "scf.for"
// CHECK: "arith.addf"
// CHECK-NEXT: "arith.constant"
// CHECK: "vector.store"
// CHECK: callee = @rt_map_row
// CHECK: "scf.for"
// CHECK: "vector.load"
// CHECK: "arith.mulf"
// CHECK: "vector.store"
// CHECK: callee = @rt_map_row
// CHECK: "scf.for"
// CHECK: "arith.addf"(%{{.*}}) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
// CHECK-NEXT: "scf.yield"
"func.func"() ({
^bb0(%x: memref<?xf32>, %n: index, %sum: vector<4xf32>):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %4 = "arith.constant"() {value = 4 : index} : () -> index
  %total = "scf.for"(%0, %n, %4, %sum) ({
  ^bb0(%i: index, %carried: vector<4xf32>):
    %v = "vector.load"(%x, %i) : (memref<?xf32>, index) -> vector<4xf32>
    %w = "arith.addf"(%v, %v) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %l = "math.log"(%w) : (vector<4xf32>) -> vector<4xf32>
    %d = "arith.mulf"(%l, %l) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %t = "math.tanh"(%d) : (vector<4xf32>) -> vector<4xf32>
    %next = "arith.addf"(%carried, %t) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    "scf.yield"(%next) : (vector<4xf32>) -> ()
  }) : (index, index, index, vector<4xf32>) -> vector<4xf32>
  "func.return"(%total) : (vector<4xf32>) -> ()
}) {sym_name = "staged", function_type = (memref<?xf32>, index, vector<4xf32>) -> vector<4xf32>} : () -> ()

// A function of a loop-carried value stays.
// CHECK: sym_name = "carried"
// CHECK-NOT: rt_map_row
// CHECK: "math.exp"
"func.func"() ({
^bb0(%n: index, %start: vector<4xf32>):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %4 = "arith.constant"() {value = 4 : index} : () -> index
  %last = "scf.for"(%0, %n, %4, %start) ({
  ^bb0(%i: index, %carried: vector<4xf32>):
    %next = "math.exp"(%carried) : (vector<4xf32>) -> vector<4xf32>
    "scf.yield"(%next) : (vector<4xf32>) -> ()
  }) : (index, index, index, vector<4xf32>) -> vector<4xf32>
  "func.return"(%last) : (vector<4xf32>) -> ()
}) {sym_name = "carried", function_type = (index, vector<4xf32>) -> vector<4xf32>} : () -> ()

// A loop that only copies a row is one call.
// CHECK: sym_name = "copied"
// CHECK-NOT: "scf.for"
// CHECK: callee = @rt_copy_row
// CHECK-NOT: "scf.for"
"func.func"() ({
^bb0(%x: memref<?xi64>, %y: memref<?xi64>, %n: index, %row: index):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %2 = "arith.constant"() {value = 2 : index} : () -> index
  "scf.for"(%0, %n, %2) ({
  ^bb0(%i: index):
    %at = "arith.addi"(%row, %i) : (index, index) -> index
    %v = "vector.load"(%x, %i) : (memref<?xi64>, index) -> vector<2xi64>
    "vector.store"(%v, %y, %at) : (vector<2xi64>, memref<?xi64>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "copied", function_type = (memref<?xi64>, memref<?xi64>, index, index) -> ()} : () -> ()

// Vectors across a loop make no rows.
// CHECK: sym_name = "across"
// CHECK-NOT: rt_map_row
// CHECK: "math.exp"
"func.func"() ({
^bb0(%x: memref<?xf32>, %n: index, %sum: vector<4xf32>):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %1 = "arith.constant"() {value = 1 : index} : () -> index
  %total = "scf.for"(%0, %n, %1, %sum) ({
  ^bb0(%i: index, %carried: vector<4xf32>):
    %v = "vector.load"(%x, %i) : (memref<?xf32>, index) -> vector<4xf32>
    %e = "math.exp"(%v) : (vector<4xf32>) -> vector<4xf32>
    %next = "arith.addf"(%carried, %e) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    "scf.yield"(%next) : (vector<4xf32>) -> ()
  }) : (index, index, index, vector<4xf32>) -> vector<4xf32>
  "func.return"(%total) : (vector<4xf32>) -> ()
}) {sym_name = "across", function_type = (memref<?xf32>, index, vector<4xf32>) -> vector<4xf32>} : () -> ()

// Several operations may be one function, with scalars that are the same for the whole row: bytes minus a zero point, scaled, and the
// nearest bytes of the result; a sigmoid; an exponential of a difference.
// CHECK: sym_name = "bytes"
// CHECK: "func.call"({{.*}}, %arg4, %{{.*}}) <{callee = @rt_map_row}>
// CHECK: "scf.for"
// CHECK-NOT: arith.uitofp
// CHECK: "arith.mulf"
// CHECK: "func.call"({{.*}}, %arg3, %{{.*}}, %{{.*}}) <{callee = @rt_map_row}>
// CHECK-NOT: arith.trunci
"func.func"() ({
^bb0(%x: memref<?xi8>, %y: memref<?xi8>, %n: index, %zero: f32, %scale: f32):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %4 = "arith.constant"() {value = 4 : index} : () -> index
  %least = "arith.constant"() {value = 0.0 : f32} : () -> f32
  %most = "arith.constant"() {value = 255.0 : f32} : () -> f32
  "scf.for"(%0, %n, %4) ({
  ^bb0(%i: index):
    %v = "vector.load"(%x, %i) : (memref<?xi8>, index) -> vector<4xi8>
    %f = "arith.uitofp"(%v) : (vector<4xi8>) -> vector<4xf32>
    %z = "vector.broadcast"(%zero) : (f32) -> vector<4xf32>
    %d = "arith.subf"(%f, %z) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %s = "vector.broadcast"(%scale) : (f32) -> vector<4xf32>
    %m = "arith.mulf"(%d, %s) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %square = "arith.mulf"(%m, %m) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %r = "math.roundeven"(%square) : (vector<4xf32>) -> vector<4xf32>
    %a = "arith.addf"(%r, %z) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %low = "vector.broadcast"(%least) : (f32) -> vector<4xf32>
    %b = "arith.maximumf"(%a, %low) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %high = "vector.broadcast"(%most) : (f32) -> vector<4xf32>
    %c = "arith.minimumf"(%b, %high) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %w = "arith.fptosi"(%c) : (vector<4xf32>) -> vector<4xi32>
    %t = "arith.trunci"(%w) : (vector<4xi32>) -> vector<4xi8>
    "vector.store"(%t, %y, %i) : (vector<4xi8>, memref<?xi8>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "bytes", function_type = (memref<?xi8>, memref<?xi8>, index, f32, f32) -> ()} : () -> ()

// Two rows of bytes may be operands of one function, read in place.
// CHECK: sym_name = "sum_of_bytes"
// CHECK: "scf.for"
// CHECK-NOT: "scf.for"
// CHECK-NOT: arith.addf
// CHECK: "func.call"({{.*}}, %arg3, %arg4, %arg3, %arg4, %arg5, %arg3, %{{.*}}, %{{.*}}) <{callee = @rt_add_bytes_row}>
// CHECK-NOT: arith.trunci
"func.func"() ({
^bb0(%x: memref<?xi8>, %y: memref<?xi8>, %n: index, %zero: f32, %scale: f32, %to: f32):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %4 = "arith.constant"() {value = 4 : index} : () -> index
  %least = "arith.constant"() {value = -128.0 : f32} : () -> f32
  %most = "arith.constant"() {value = 127.0 : f32} : () -> f32
  "scf.for"(%0, %n, %4) ({
  ^bb0(%i: index):
    %v = "vector.load"(%x, %i) : (memref<?xi8>, index) -> vector<4xi8>
    %f = "arith.sitofp"(%v) : (vector<4xi8>) -> vector<4xf32>
    %z = "vector.broadcast"(%zero) : (f32) -> vector<4xf32>
    %d = "arith.subf"(%f, %z) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %s = "vector.broadcast"(%scale) : (f32) -> vector<4xf32>
    %m = "arith.mulf"(%d, %s) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %v2 = "vector.load"(%y, %i) : (memref<?xi8>, index) -> vector<4xi8>
    %f2 = "arith.uitofp"(%v2) : (vector<4xi8>) -> vector<4xf32>
    %d2 = "arith.subf"(%f2, %z) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %m2 = "arith.mulf"(%d2, %s) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %sum = "arith.addf"(%m, %m2) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %to_all = "vector.broadcast"(%to) : (f32) -> vector<4xf32>
    %q = "arith.divf"(%sum, %to_all) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %r = "math.roundeven"(%q) : (vector<4xf32>) -> vector<4xf32>
    %a = "arith.addf"(%r, %z) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %low = "vector.broadcast"(%least) : (f32) -> vector<4xf32>
    %b = "arith.maximumf"(%a, %low) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %high = "vector.broadcast"(%most) : (f32) -> vector<4xf32>
    %c = "arith.minimumf"(%b, %high) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %w = "arith.fptosi"(%c) : (vector<4xf32>) -> vector<4xi32>
    %t = "arith.trunci"(%w) : (vector<4xi32>) -> vector<4xi8>
    "vector.store"(%t, %y, %i) : (vector<4xi8>, memref<?xi8>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "sum_of_bytes", function_type = (memref<?xi8>, memref<?xi8>, index, f32, f32, f32) -> ()} : () -> ()

// CHECK: sym_name = "composed"
// CHECK: "func.call"({{.*}}, %arg3, %{{.*}}, %{{.*}}) <{callee = @rt_map_row}>
// CHECK: callee = @rt_map_row
// CHECK-NOT: math.exp
// CHECK: "arith.mulf"
// CHECK-NOT: arith.divf
"func.func"() ({
^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %largest: f32):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %4 = "arith.constant"() {value = 4 : index} : () -> index
  %nothing = "arith.constant"() {value = 0.0 : f32} : () -> f32
  %unit = "arith.constant"() {value = 1.0 : f32} : () -> f32
  "scf.for"(%0, %n, %4) ({
  ^bb0(%i: index):
    %v = "vector.load"(%x, %i) : (memref<?xf32>, index) -> vector<4xf32>
    %m = "vector.broadcast"(%largest) : (f32) -> vector<4xf32>
    %d = "arith.subf"(%v, %m) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %e = "math.exp"(%d) : (vector<4xf32>) -> vector<4xf32>
    %z = "vector.broadcast"(%nothing) : (f32) -> vector<4xf32>
    %o = "vector.broadcast"(%unit) : (f32) -> vector<4xf32>
    %minus = "arith.subf"(%z, %v) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %power = "math.exp"(%minus) : (vector<4xf32>) -> vector<4xf32>
    %sum = "arith.addf"(%o, %power) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %gate = "arith.divf"(%o, %sum) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %p = "arith.mulf"(%e, %gate) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    "vector.store"(%p, %y, %i) : (vector<4xf32>, memref<?xf32>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "composed", function_type = (memref<?xf32>, memref<?xf32>, index, f32) -> ()} : () -> ()

// A row that combines another one with scalars is one call.
// CHECK: sym_name = "differences"
// CHECK-NOT: "scf.for"
// CHECK: "func.call"({{.*}}) <{callee = @rt_map_row}> : (index, index, index, index, f32, f32, f32, f32) -> ()
// CHECK-NEXT: "func.return"
"func.func"() ({
^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %p: f32, %q: f32):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %4 = "arith.constant"() {value = 4 : index} : () -> index
  "scf.for"(%0, %n, %4) ({
  ^bb0(%i: index):
    %v = "vector.load"(%x, %i) : (memref<?xf32>, index) -> vector<4xf32>
    %one = "vector.broadcast"(%p) : (f32) -> vector<4xf32>
    %two = "vector.broadcast"(%q) : (f32) -> vector<4xf32>
    %d = "arith.subf"(%v, %one) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %e = "arith.subf"(%d, %two) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    "vector.store"(%e, %y, %i) : (vector<4xf32>, memref<?xf32>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "differences", function_type = (memref<?xf32>, memref<?xf32>, index, f32, f32) -> ()} : () -> ()

// A division by a scalar of the row with rounding to bytes is one call, and lookups of bytes in one table are another; the
// table has no other readers.
// CHECK: sym_name = "tables"
// CHECK: "func.call"({{.*}}, %arg4, %arg5, %{{.*}}, %{{.*}}) <{callee = @rt_map_row}>
// CHECK: "rt.address"(%arg3)
// CHECK: "func.call"({{.*}}) <{callee = @rt_look_up_row}> : (index, index, index, index, index) -> ()
// CHECK-NOT: arith.divf
// CHECK-NOT: "memref.load"(%arg3
"func.func"() ({
^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %n: index, %table: memref<256xf32>, %scale: f32, %zero: f32):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %4 = "arith.constant"() {value = 4 : index} : () -> index
  %least = "arith.constant"() {value = 0.0 : f32} : () -> f32
  %most = "arith.constant"() {value = 255.0 : f32} : () -> f32
  "scf.for"(%0, %n, %4) ({
  ^bb0(%i: index):
    %v = "vector.load"(%x, %i) : (memref<?xf32>, index) -> vector<4xf32>
    %s = "vector.broadcast"(%scale) : (f32) -> vector<4xf32>
    %d = "arith.divf"(%v, %s) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %r = "math.roundeven"(%d) : (vector<4xf32>) -> vector<4xf32>
    %z = "vector.broadcast"(%zero) : (f32) -> vector<4xf32>
    %a = "arith.addf"(%r, %z) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %low = "vector.broadcast"(%least) : (f32) -> vector<4xf32>
    %b = "arith.maximumf"(%a, %low) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %high = "vector.broadcast"(%most) : (f32) -> vector<4xf32>
    %c = "arith.minimumf"(%b, %high) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %w = "arith.fptosi"(%c) : (vector<4xf32>) -> vector<4xi32>
    %t = "arith.trunci"(%w) : (vector<4xi32>) -> vector<4xi8>
    %t0 = "vector.extract"(%t) {static_position = array<i64: 0>} : (vector<4xi8>) -> i8
    %t1 = "vector.extract"(%t) {static_position = array<i64: 1>} : (vector<4xi8>) -> i8
    %t2 = "vector.extract"(%t) {static_position = array<i64: 2>} : (vector<4xi8>) -> i8
    %t3 = "vector.extract"(%t) {static_position = array<i64: 3>} : (vector<4xi8>) -> i8
    %i0 = "arith.index_castui"(%t0) : (i8) -> index
    %i1 = "arith.index_castui"(%t1) : (i8) -> index
    %i2 = "arith.index_castui"(%t2) : (i8) -> index
    %i3 = "arith.index_castui"(%t3) : (i8) -> index
    %e0 = "memref.load"(%table, %i0) : (memref<256xf32>, index) -> f32
    %e1 = "memref.load"(%table, %i1) : (memref<256xf32>, index) -> f32
    %e2 = "memref.load"(%table, %i2) : (memref<256xf32>, index) -> f32
    %e3 = "memref.load"(%table, %i3) : (memref<256xf32>, index) -> f32
    %e = "vector.from_elements"(%e0, %e1, %e2, %e3) : (f32, f32, f32, f32) -> vector<4xf32>
    "vector.store"(%e, %y, %i) : (vector<4xf32>, memref<?xf32>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "tables", function_type = (memref<?xf32>, memref<?xf32>, index, memref<256xf32>, f32, f32) -> ()} : () -> ()

// Requantising i32 sums to bytes is one call; without a conversion to bytes it is not, and wider sums are scaled separately.
// CHECK: sym_name = "sums"
// CHECK: callee = @rt_requantize_row
// CHECK-NOT: arith.sitofp
// CHECK: sym_name = "words"
// CHECK-NOT: rt_requantize_row
// CHECK: math.roundeven
// CHECK: sym_name = "wide_sums"
// CHECK-NOT: rt_requantize_row
// CHECK: arith.sitofp
// CHECK: callee = @rt_map_row
"func.func"() ({
^bb0(%x: memref<?xi32>, %y: memref<?xi8>, %n: index, %scale: f32):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %4 = "arith.constant"() {value = 4 : index} : () -> index
  %least = "arith.constant"() {value = 0.0 : f32} : () -> f32
  %most = "arith.constant"() {value = 255.0 : f32} : () -> f32
  "scf.for"(%0, %n, %4) ({
  ^bb0(%i: index):
    %v = "vector.load"(%x, %i) : (memref<?xi32>, index) -> vector<4xi32>
    %f = "arith.sitofp"(%v) : (vector<4xi32>) -> vector<4xf32>
    %s = "vector.broadcast"(%scale) : (f32) -> vector<4xf32>
    %m = "arith.mulf"(%f, %s) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %r = "math.roundeven"(%m) : (vector<4xf32>) -> vector<4xf32>
    %low = "vector.broadcast"(%least) : (f32) -> vector<4xf32>
    %b = "arith.maximumf"(%r, %low) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %high = "vector.broadcast"(%most) : (f32) -> vector<4xf32>
    %c = "arith.minimumf"(%b, %high) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %w = "arith.fptosi"(%c) : (vector<4xf32>) -> vector<4xi32>
    %t = "arith.trunci"(%w) : (vector<4xi32>) -> vector<4xi8>
    "vector.store"(%t, %y, %i) : (vector<4xi8>, memref<?xi8>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "sums", function_type = (memref<?xi32>, memref<?xi8>, index, f32) -> ()} : () -> ()

"func.func"() ({
^bb0(%x: memref<?xi32>, %y: memref<?xi16>, %n: index, %scale: f32):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %4 = "arith.constant"() {value = 4 : index} : () -> index
  %least = "arith.constant"() {value = 0.0 : f32} : () -> f32
  %most = "arith.constant"() {value = 255.0 : f32} : () -> f32
  "scf.for"(%0, %n, %4) ({
  ^bb0(%i: index):
    %v = "vector.load"(%x, %i) : (memref<?xi32>, index) -> vector<4xi32>
    %f = "arith.sitofp"(%v) : (vector<4xi32>) -> vector<4xf32>
    %s = "vector.broadcast"(%scale) : (f32) -> vector<4xf32>
    %m = "arith.mulf"(%f, %s) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %r = "math.roundeven"(%m) : (vector<4xf32>) -> vector<4xf32>
    %low = "vector.broadcast"(%least) : (f32) -> vector<4xf32>
    %b = "arith.maximumf"(%r, %low) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %high = "vector.broadcast"(%most) : (f32) -> vector<4xf32>
    %c = "arith.minimumf"(%b, %high) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %w = "arith.fptosi"(%c) : (vector<4xf32>) -> vector<4xi32>
    %t = "arith.trunci"(%w) : (vector<4xi32>) -> vector<4xi16>
    "vector.store"(%t, %y, %i) : (vector<4xi16>, memref<?xi16>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "words", function_type = (memref<?xi32>, memref<?xi16>, index, f32) -> ()} : () -> ()

"func.func"() ({
^bb0(%x: memref<?xf32>, %y: memref<?xi8>, %n: index, %scale: f32):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %4 = "arith.constant"() {value = 4 : index} : () -> index
  %least = "arith.constant"() {value = 0.0 : f32} : () -> f32
  %most = "arith.constant"() {value = 255.0 : f32} : () -> f32
  "scf.for"(%0, %n, %4) ({
  ^bb0(%i: index):
    %e = "vector.load"(%x, %i) : (memref<?xf32>, index) -> vector<4xf32>
    %v = "arith.fptosi"(%e) : (vector<4xf32>) -> vector<4xi64>
    %f = "arith.sitofp"(%v) : (vector<4xi64>) -> vector<4xf32>
    %s = "vector.broadcast"(%scale) : (f32) -> vector<4xf32>
    %m = "arith.mulf"(%f, %s) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %r = "math.roundeven"(%m) : (vector<4xf32>) -> vector<4xf32>
    %low = "vector.broadcast"(%least) : (f32) -> vector<4xf32>
    %b = "arith.maximumf"(%r, %low) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %high = "vector.broadcast"(%most) : (f32) -> vector<4xf32>
    %c = "arith.minimumf"(%b, %high) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
    %w = "arith.fptosi"(%c) : (vector<4xf32>) -> vector<4xi32>
    %t = "arith.trunci"(%w) : (vector<4xi32>) -> vector<4xi8>
    "vector.store"(%t, %y, %i) : (vector<4xi8>, memref<?xi8>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "wide_sums", function_type = (memref<?xf32>, memref<?xi8>, index, f32) -> ()} : () -> ()
