//! Operations that move lanes or combine them, and accesses of memory.

use dialects::vector::combining_operation;
use engine::CodeGenerator;
use ir::{Type, parse_module};

use crate::numbers::{elements, mixed};
use crate::{COUNT, ELEMENTS, Function, LANES, check};

/// Operations that define `%r`, a vector, from the vectors `%x` and `%y`, the mask `%m`, and others. `$T` is the type
/// of elements, `$V` that of vectors, `$N` the number of lanes, `$L` the index of the last one.
const MOVES: &[(&str, &str)] = &[
    ("load", r#"%r = "vector.load"(%in, %five) : (memref<?x$T>, index) -> $V"#),
    ("select", r#"%r = "arith.select"(%m, %x, %y) : ($M, $V, $V) -> $V"#),
    ("masked load", r#"%r = "vector.maskedload"(%in, %five, %m, %y) : (memref<?x$T>, index, $M, $V) -> $V"#),
    (
        "load of the first lanes",
        r#"%k = "vector.create_mask"(%count) : (index) -> $M
           %r = "vector.maskedload"(%in, %five, %k, %y) : (memref<?x$T>, index, $M, $V) -> $V"#,
    ),
    (
        "load of one lane",
        r#"%k = "vector.constant_mask"() {mask_dim_sizes = [1]} : () -> $M
           %r = "vector.maskedload"(%in, %five, %k, %y) : (memref<?x$T>, index, $M, $V) -> $V"#,
    ),
    (
        "load of every lane",
        r#"%k = "vector.constant_mask"() {mask_dim_sizes = [$N]} : () -> $M
           %r = "vector.maskedload"(%in, %five, %k, %y) : (memref<?x$T>, index, $M, $V) -> $V"#,
    ),
    (
        "masked store",
        r#""vector.store"(%x, %out, %start) : ($V, memref<?x$T>, index) -> ()
           "vector.maskedstore"(%out, %start, %m, %y) : (memref<?x$T>, index, $M, $V) -> ()
           %r = "vector.load"(%out, %start) : (memref<?x$T>, index) -> $V"#,
    ),
    (
        "store of one lane",
        r#"%k = "vector.constant_mask"() {mask_dim_sizes = [1]} : () -> $M
           "vector.store"(%x, %out, %start) : ($V, memref<?x$T>, index) -> ()
           "vector.maskedstore"(%out, %start, %k, %y) : (memref<?x$T>, index, $M, $V) -> ()
           %r = "vector.load"(%out, %start) : (memref<?x$T>, index) -> $V"#,
    ),
    (
        "gather by i32",
        r#"%k = "vector.load"(%indices, %start) : (memref<?xi32>, index) -> vector<$Nxi32>
           %r = "vector.gather"(%in, %hundred, %k, %m, %y) : (memref<?x$T>, index, vector<$Nxi32>, $M, $V) -> $V"#,
    ),
    (
        "gather by index",
        r#"%s = "vector.load"(%indices, %start) : (memref<?xi32>, index) -> vector<$Nxi32>
           %k = "arith.index_cast"(%s) : (vector<$Nxi32>) -> vector<$Nxindex>
           %r = "vector.gather"(%in, %hundred, %k, %m, %y) : (memref<?x$T>, index, vector<$Nxindex>, $M, $V) -> $V"#,
    ),
    (
        "a lane in all",
        r#"%e = "vector.extract"(%x) {static_position = array<i64: $L>} : ($V) -> $T
           %r = "vector.broadcast"(%e) : ($T) -> $V"#,
    ),
    (
        "any lane in all",
        r#"%e = "vector.extract"(%x, %lane) {static_position = array<i64: -9223372036854775808>} : ($V, index) -> $T
           %r = "vector.broadcast"(%e) : ($T) -> $V"#,
    ),
    ("insertion", r#"%r = "vector.insert"(%a, %x) {static_position = array<i64: $L>} : ($T, $V) -> $V"#),
    (
        "insertion anywhere",
        r#"%r = "vector.insert"(%a, %x, %lane) {static_position = array<i64: -9223372036854775808>} : ($T, $V, index) -> $V"#,
    ),
    ("reversal", r#"%r = "vector.shuffle"(%x, %y) {mask = [$REVERSED]} : ($V, $V) -> $V"#),
    ("interleaving", r#"%r = "vector.shuffle"(%x, %y) {mask = [$INTERLEAVED]} : ($V, $V) -> $V"#),
    (
        "shuffle of two widths",
        r#"%z = "vector.load"(%in, %start) : (memref<?x$T>, index) -> vector<5x$T>
           %r = "vector.shuffle"(%z, %x) {mask = [$FROM_FOURTH]} : (vector<5x$T>, $V) -> $V"#,
    ),
    ("elements", r#"%r = "vector.from_elements"($SCALARS) : ($TYPES) -> $V"#),
    (
        "stack memory",
        r#"%s = "memref.alloca"() {operandSegmentSizes = array<i32: 0, 0>} : () -> memref<40x$T>
           %f = "memref.cast"(%s) : (memref<40x$T>) -> memref<?x$T>
           "vector.store"(%x, %f, %five) : ($V, memref<?x$T>, index) -> ()
           "memref.store"(%a, %f, %five) : ($T, memref<?x$T>, index) -> ()
           %r = "vector.load"(%f, %five) : (memref<?x$T>, index) -> $V"#,
    ),
    (
        "words of a table",
        r#"%s = "memref.alloca"() {operandSegmentSizes = array<i32: 0, 0>} : () -> memref<4xi64>
           %f = "memref.cast"(%s) : (memref<4xi64>) -> memref<?xi64>
           "rt.pack"(%f, %a, %in) {words = array<i64: 3, 1>} : (memref<?xi64>, $T, memref<?x$T>) -> ()
           %b, %e = "rt.unpack"(%f) {words = array<i64: 1, 3>} : (memref<?xi64>) -> (memref<?x$T>, $T)
           %z = "vector.load"(%b, %start) : (memref<?x$T>, index) -> $V
           %r = "vector.insert"(%e, %z) {static_position = array<i64: $L>} : ($T, $V) -> $V"#,
    ),
    (
        "a view",
        r#"%raw = "rt.address"(%in) : (memref<?x$T>) -> index
           %bytes = "rt.buffer"(%raw) : (index) -> memref<?xi8>
           %b = "memref.view"(%bytes, %hundred, %five) : (memref<?xi8>, index, index) -> memref<?x$T>
           %r = "vector.load"(%b, %five) : (memref<?x$T>, index) -> $V"#,
    ),
    (
        "a call",
        r#"%f = "vector.extract"(%m) {static_position = array<i64: $L>} : ($M) -> i1
           %e = "func.call"(%a, %lane, %f) {callee = @pick_$T} : ($T, index, i1) -> $T
           %r = "vector.broadcast"(%e) : ($T) -> $V"#,
    ),
    (
        "a switch",
        r#"%k = "arith.index_cast"(%lane) : (index) -> i32
           "cf.switch"(%k, %x, %y, %x)[^done, ^done, ^done] {case_values = dense<[1, 3]> : vector<2xi32>, case_operand_segments = array<i32: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 2>} : (i32, $V, $V, $V) -> ()
           ^done(%r: $V):"#,
    ),
];

/// A function that is called.
const PICK: &str = r#"
"func.func"() ({
^bb0(%a: $T, %at: index, %flag: i1):
  %s = "memref.alloca"() {operandSegmentSizes = array<i32: 0, 0>} : () -> memref<16x$T>
  %f = "memref.cast"(%s) : (memref<16x$T>) -> memref<?x$T>
  "memref.store"(%a, %f, %at) : ($T, memref<?x$T>, index) -> ()
  "cf.cond_br"(%flag, %a)[^return, ^load] {operandSegmentSizes = array<i32: 1, 1, 0>} : (i1, $T) -> ()
^load:
  %b = "memref.load"(%f, %at) : (memref<?x$T>, index) -> $T
  "cf.br"(%b)[^return] : ($T) -> ()
^return(%e: $T):
  "func.return"(%e) : ($T) -> ()
}) {sym_name = "pick_$T", function_type = ($T, index, i1) -> $T} : () -> ()
"#;

/// A function that stores `%r` for each vector of the input.
const LOOP: &str = r#"
"func.func"() ({
^bb0(%table: memref<?xi64>):
  %in, %bits, %indices, %lanes, %out = "rt.unpack"(%table) {words = array<i64: 0, 1, 2, 3, 4>} : (memref<?xi64>) -> (memref<?x$T>, memref<?xi1>, memref<?xi32>, memref<?xindex>, memref<?x$T>)
  %zero = "arith.constant"() {value = 0 : index} : () -> index
  %five = "arith.constant"() {value = 5 : index} : () -> index
  %hundred = "arith.constant"() {value = 128 : index} : () -> index
  %step = "arith.constant"() {value = $N : index} : () -> index
  %end = "arith.constant"() {value = 192 : index} : () -> index
  %y = "vector.load"(%in, %hundred) : (memref<?x$T>, index) -> $V
  "cf.br"(%zero)[^head] : (index) -> ()
^head(%start: index):
  %more = "arith.cmpi"(%start, %end) {predicate = 2 : i64} : (index, index) -> i1
  "cf.cond_br"(%more)[^body, ^exit] {operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()
^body:
  %x = "vector.load"(%in, %start) : (memref<?x$T>, index) -> $V
  %a = "memref.load"(%in, %start) : (memref<?x$T>, index) -> $T
  %m = "vector.load"(%bits, %start) : (memref<?xi1>, index) -> $M
  %count = "memref.load"(%lanes, %start) : (memref<?xindex>, index) -> index
  %lane = "arith.remui"(%count, %step) : (index, index) -> index
  $OPERATION
  "vector.store"(%r, %out, %start) : ($V, memref<?x$T>, index) -> ()
  %next = "arith.addi"(%start, %step) : (index, index) -> index
  "cf.br"(%next)[^head] : (index) -> ()
^exit:
  %status = "arith.constant"() {value = 0 : i64} : () -> i64
  "func.return"(%status) : (i64) -> ()
}) {sym_name = "$NAME", function_type = (memref<?xi64>) -> i64} : () -> ()
"#;

/// The kinds of `vector.reduction`.
const KINDS: [&str; 13] = [
    "add", "mul", "minui", "minsi", "maxui", "maxsi", "minnumf", "maxnumf", "minimumf", "maximumf", "and", "or", "xor",
];

/// Reductions, without and with an accumulator.
fn reductions(element: &Type) -> Vec<(String, String)> {
    let kinds = KINDS.into_iter().filter(|kind| combining_operation(kind, element.is_float()).is_some());
    let both = kinds.flat_map(|kind| [("%x", "$V", kind), ("%x, %a", "$V, $T", kind)]);
    let row = |(operands, types, kind): (&str, &str, &str)| {
        let text = format!(
            r#"%e = "vector.reduction"({operands}) {{kind = #vector.kind<{kind}>}} : ({types}) -> $T
               %r = "vector.broadcast"(%e) : ($T) -> $V"#
        );
        (format!("reduction of {operands} by {kind}"), text)
    };
    both.map(row).collect()
}

/// Fills in a text for a type of elements and a number of lanes.
fn filled(text: &str, element: &Type, lanes: usize) -> String {
    let list = |lane: &dyn Fn(usize) -> String| (0..lanes).map(lane).collect::<Vec<_>>().join(", ");
    let replacements = [
        ("$REVERSED", list(&|at| (lanes - 1 - at).to_string())),
        ("$INTERLEAVED", list(&|at| (at / 2 + at % 2 * lanes).to_string())),
        ("$FROM_FOURTH", list(&|at| (at + 3).to_string())),
        ("$SCALARS", list(&|_| "%a".to_string())),
        ("$TYPES", list(&|_| "$T".to_string())),
        ("$T", element.to_string()),
        ("$V", format!("vector<{lanes}x{element}>")),
        ("$M", format!("vector<{lanes}xi1>")),
        ("$N", lanes.to_string()),
        ("$L", (lanes - 1).to_string()),
    ];
    replacements.iter().fold(text.to_string(), |text, (name, value)| text.replace(name, value))
}

/// The inputs of [`LOOP`]: elements, a mask, indices from an element in the middle, and numbers of lanes.
fn inputs(element: &Type) -> Vec<Vec<u8>> {
    let indices = (0..COUNT as u64).flat_map(|at| ((mixed(at, 7) % 1000) as i32 - 100).to_le_bytes());
    let lanes = (0..COUNT as u64).flat_map(|at| ((mixed(at, 8) % 20) as i64 - 2).to_le_bytes());
    vec![elements(element, 0, 1), elements(&Type::I1, 0, 1), indices.collect(), lanes.collect()]
}

fn check_lanes(generator: CodeGenerator) {
    let (mut texts, mut functions) = (String::new(), Vec::new());
    for element in &ELEMENTS {
        texts += &filled(PICK, element, 1);
        // moves keep the bits of NaNs
        let bits = Type::integer(element.bit_width().expect("elements have a width"));
        let moves = MOVES.iter().map(|(name, text)| (name.to_string(), text.to_string(), bits.clone()));
        let reductions = reductions(element).into_iter().map(|(name, text)| (name, text, element.clone()));
        for (name, text, result) in moves.chain(reductions) {
            for lanes in LANES.into_iter().filter(|&lanes| lanes > 1) {
                let function = format!("f{}", functions.len());
                let all = LOOP.replace("$OPERATION", &text).replace("$NAME", &function);
                texts += &filled(&all, element, lanes);
                let text = format!("{name}, {lanes} lanes of {element}");
                functions.push(Function { name: function, text, inputs: inputs(element), result: result.clone() });
            }
        }
    }
    let module = parse_module(&texts, "lanes", None).unwrap_or_else(|errors| panic!("{}", errors[0]));
    if let Err(errors) = ir::verify(&module, &dialects::registry()) {
        panic!("{}", errors[0]);
    }
    check(&module, &functions, generator);
}

#[test]
fn lanes_on_cranelift() {
    check_lanes(CodeGenerator::Cranelift);
}

#[test]
fn lanes_on_llvm() {
    check_lanes(CodeGenerator::Llvm);
}
