//! Small modules compiled by both back ends and executed: the results must be equal.

#![allow(unsafe_code, reason = "loads and runs the code it compiled")]

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

use ir::{Module, parse_module};

use crate::{Optimization, Options, compile_assembly, compile_ir, compile_object};

unsafe extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

const RTLD_NOW: c_int = 2;

/// `@main` of every case: from a buffer of bytes to a buffer of bytes.
type Main = extern "C" fn(*const u8, *mut u8);

fn parse(text: &str) -> Module {
    parse_module(text, "test", None).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
}

/// `@main` of an object, linked into a library that stays loaded.
fn load(object: &[u8]) -> Main {
    static NUMBER: AtomicUsize = AtomicUsize::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let stem = std::env::temp_dir().join(format!("codegen-llvm-{}-{number}", std::process::id()));
    let library = stem.with_extension("so");
    let mut command = std::process::Command::new("cc");
    command.args(["-shared", "-o"]).arg(&library);
    let path = stem.with_extension("o");
    std::fs::write(&path, object).expect("the object is written");
    command.arg(&path);
    assert!(command.status().expect("there is a linker").success());
    let name = CString::new(library.to_str().expect("a plain path")).expect("a plain path");
    // SAFETY: the library contains nothing but the functions of the test.
    let address = unsafe { dlsym(dlopen(name.as_ptr(), RTLD_NOW), c"main".as_ptr()) };
    [path, library].iter().for_each(|path| drop(std::fs::remove_file(path)));
    assert!(!address.is_null());
    // SAFETY: `@main` of the tests has this type.
    unsafe { std::mem::transmute(address) }
}

fn cranelift(module: &Module) -> (Main, loader::Loaded) {
    let symbols: BTreeMap<String, usize> =
        runtime::symbols().into_iter().map(|(name, address)| (name.to_string(), address as usize)).collect();
    let options = codegen_cranelift::Options { symbols, threads: 1, ..Default::default() };
    let code = codegen_cranelift::compile(std::slice::from_ref(module), &options)
        .unwrap_or_else(|errors| panic!("{}", errors[0]));
    let address = code.function("main").expect("main is defined");
    // SAFETY: `@main` of the tests has this type.
    (unsafe { std::mem::transmute::<*const u8, Main>(address) }, code)
}

/// Bytes that are ordinary numbers and special ones, in any type.
fn input(element: &str) -> Vec<u8> {
    let floats = [0.0, -0.0, 1.5, -2.5, 1e10, -1e10, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.5, 3.0, -7.25];
    let numbers = [0, 1, -1, 7, -7, 127, -128, 32767, i64::MAX, i64::MIN, 3, 12345];
    let repeat = |at: usize| (at * 7 + at / 5) % 12;
    (0..64usize)
        .flat_map(|at| match element {
            "f32" => (floats[repeat(at)] as f32).to_le_bytes().to_vec(),
            "f64" => floats[repeat(at)].to_le_bytes().to_vec(),
            "f16" => (ir::floats::encode(floats[repeat(at)], ir::FloatType::F16) as u16).to_le_bytes().to_vec(),
            "bf16" => (ir::floats::encode(floats[repeat(at)], ir::FloatType::BF16) as u16).to_le_bytes().to_vec(),
            "i1" => vec![(at % 3 == 0) as u8],
            "i8" => (numbers[repeat(at)] as i8).to_le_bytes().to_vec(),
            "i16" => (numbers[repeat(at)] as i16).to_le_bytes().to_vec(),
            "i32" => (numbers[repeat(at)] as i32).to_le_bytes().to_vec(),
            _ => numbers[repeat(at)].to_le_bytes().to_vec(),
        })
        .collect()
}

/// Runs a module on both back ends and compares.
fn compare(text: &str, source: &str, result: &str) {
    let module = parse(text);
    let bytes = input(source);
    let (mut expected, mut found) = (vec![0u8; 1024], vec![0u8; 1024]);
    let (main, _code) = cranelift(&module);
    main(bytes.as_ptr(), expected.as_mut_ptr());
    let object = compile_object(&module, &Options::default()).unwrap_or_else(|errors| panic!("{}", errors[0]));
    load(&object)(bytes.as_ptr(), found.as_mut_ptr());
    assert_eq!(readable(&found, result), readable(&expected, result), "{text}");
}

/// Numbers as text; all NaNs are equal.
fn readable(bytes: &[u8], element: &str) -> Vec<String> {
    let float = |bits: u64, format| ir::floats::decode(bits, format).to_string();
    let half = |chunk: &[u8]| u16::from_le_bytes([chunk[0], chunk[1]]) as u64;
    match element {
        "f32" => bytes.chunks(4).map(|c| f32::from_le_bytes(c.try_into().expect("4 bytes")).to_string()).collect(),
        "f64" => bytes.chunks(8).map(|c| f64::from_le_bytes(c.try_into().expect("8 bytes")).to_string()).collect(),
        "f16" => bytes.chunks(2).map(|c| float(half(c), ir::FloatType::F16)).collect(),
        "bf16" => bytes.chunks(2).map(|c| float(half(c), ir::FloatType::BF16)).collect(),
        _ => bytes.iter().map(u8::to_string).collect(),
    }
}

/// A function that applies one operation to vectors of `lanes` elements (scalars for 1), shifted against each other.
fn elementwise(operation: &str, operands: usize, lanes: usize, source: &str, result: &str) -> String {
    let typed = |element: &str| match lanes {
        1 => element.to_string(),
        _ => format!("vector<{lanes}x{element}>"),
    };
    let (from, to) = (typed(source), typed(result));
    let (load, store) = if lanes == 1 { ("memref.load", "memref.store") } else { ("vector.load", "vector.store") };
    let mut body = String::new();
    for at in 0..operands {
        body += &format!(
            "  %i{at} = \"arith.constant\"() {{value = {at} : index}} : () -> index
  %x{at} = \"{load}\"(%in, %i{at}) : (memref<?x{source}>, index) -> {from}\n"
        );
    }
    let names = (0..operands).map(|at| format!("%x{at}")).collect::<Vec<_>>().join(", ");
    let types = vec![from; operands].join(", ");
    format!(
        "\"func.func\"() ({{
^bb0(%in: memref<?x{source}>, %out: memref<?x{result}>):
{body}  %r = {} : ({types}) -> {to}
  \"{store}\"(%r, %out, %i0) : ({to}, memref<?x{result}>, index) -> ()
  \"func.return\"() : () -> ()
}}) {{sym_name = \"main\", function_type = (memref<?x{source}>, memref<?x{result}>) -> ()}} : () -> ()",
        operation.replace("$", &names)
    )
}

/// An operation on vectors of every length, those of registers and others.
fn check(operation: &str, operands: usize, source: &str, result: &str) {
    for lanes in [1, 4, 16] {
        compare(&elementwise(operation, operands, lanes, source, result), source, result);
    }
}

#[test]
fn integer_arithmetic() {
    for name in ["addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi", "minui", "maxui"] {
        for element in ["i1", "i8", "i32", "i64"] {
            check(&format!("\"arith.{name}\"($)"), 2, element, element);
        }
    }
}

#[test]
fn division_never_traps() {
    for name in ["divsi", "divui", "remsi", "remui"] {
        for element in ["i8", "i32", "i64"] {
            check(&format!("\"arith.{name}\"($)"), 2, element, element);
        }
    }
}

#[test]
fn integer_comparison() {
    for predicate in 0..10 {
        check(&format!("\"arith.cmpi\"($) {{predicate = {predicate} : i64}}"), 2, "i32", "i1");
    }
}

#[test]
fn float_arithmetic() {
    for name in ["addf", "subf", "mulf", "divf", "maximumf", "minimumf", "maxnumf", "minnumf"] {
        for element in ["f32", "f64", "f16", "bf16"] {
            check(&format!("\"arith.{name}\"($)"), 2, element, element);
        }
    }
    for name in ["absf", "floor", "ceil", "trunc", "roundeven", "sqrt"] {
        check(&format!("\"math.{name}\"($)"), 1, "f32", "f32");
    }
    check("\"math.fma\"($)", 3, "f32", "f32");
    check("\"math.copysign\"($)", 2, "f32", "f32");
    check("\"arith.negf\"($)", 1, "f64", "f64");
}

#[test]
fn float_comparison() {
    for predicate in 0..16 {
        check(&format!("\"arith.cmpf\"($) {{predicate = {predicate} : i64}}"), 2, "f32", "i1");
    }
}

#[test]
fn conversions() {
    for (name, from, to) in [
        ("extsi", "i8", "i32"),
        ("extui", "i8", "i64"),
        ("extsi", "i1", "i32"),
        ("extui", "i1", "i8"),
        ("trunci", "i64", "i8"),
        ("trunci", "i32", "i1"),
        ("sitofp", "i32", "f32"),
        ("uitofp", "i8", "f32"),
        ("sitofp", "i64", "f64"),
        ("fptosi", "f32", "i32"),
        ("fptosi", "f32", "i8"),
        ("fptoui", "f32", "i8"),
        ("fptosi", "f64", "i64"),
        ("extf", "f16", "f32"),
        ("extf", "bf16", "f32"),
        ("extf", "f32", "f64"),
        ("truncf", "f64", "f32"),
        ("truncf", "f32", "f16"),
        ("truncf", "f32", "bf16"),
        ("bitcast", "f32", "i32"),
        ("bitcast", "i16", "f16"),
    ] {
        check(&format!("\"arith.{name}\"($)"), 1, from, to);
    }
}

/// Quotients that are rounded to integers between bounds, with infinities and NaNs among the dividends.
#[test]
fn numbers_become_bytes() {
    for scale in ["0.05", "0.3", "7.0", "1.0e30"] {
        let text = format!(
            r#"
"func.func"() ({{
^bb0(%in: memref<?xf32>, %out: memref<?xi8>):
  %zero = "arith.constant"() {{value = 0 : index}} : () -> index
  %scale = "arith.constant"() {{value = {scale} : f32}} : () -> f32
  %scales = "vector.broadcast"(%scale) : (f32) -> vector<16xf32>
  %point = "arith.constant"() {{value = dense<3.0> : vector<16xf32>}} : () -> vector<16xf32>
  %low = "arith.constant"() {{value = dense<-128.0> : vector<16xf32>}} : () -> vector<16xf32>
  %high = "arith.constant"() {{value = dense<127.0> : vector<16xf32>}} : () -> vector<16xf32>
  %x = "vector.load"(%in, %zero) : (memref<?xf32>, index) -> vector<16xf32>
  %quotient = "arith.divf"(%x, %scales) : (vector<16xf32>, vector<16xf32>) -> vector<16xf32>
  %round = "math.roundeven"(%quotient) : (vector<16xf32>) -> vector<16xf32>
  %sum = "arith.addf"(%round, %point) : (vector<16xf32>, vector<16xf32>) -> vector<16xf32>
  %raised = "arith.maximumf"(%sum, %low) : (vector<16xf32>, vector<16xf32>) -> vector<16xf32>
  %clipped = "arith.minimumf"(%raised, %high) : (vector<16xf32>, vector<16xf32>) -> vector<16xf32>
  %byte = "arith.fptosi"(%clipped) : (vector<16xf32>) -> vector<16xi8>
  "vector.store"(%byte, %out, %zero) : (vector<16xi8>, memref<?xi8>, index) -> ()
  "func.return"() : () -> ()
}}) {{sym_name = "main", function_type = (memref<?xf32>, memref<?xi8>) -> ()}} : () -> ()"#
        );
        compare(&text, "f32", "i8");
    }
}

/// A sum over a vector by a loop, with masks at its end.
const MASKED_SUM: &str = r#"
"func.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>):
  %zero = "arith.constant"() {value = 0 : index} : () -> index
  %step = "arith.constant"() {value = 8 : index} : () -> index
  %end = "arith.constant"() {value = 37 : index} : () -> index
  %nothing = "arith.constant"() {value = dense<0.0> : vector<8xf32>} : () -> vector<8xf32>
  "cf.br"(%zero, %nothing)[^head] : (index, vector<8xf32>) -> ()
^head(%i: index, %sum: vector<8xf32>):
  %more = "arith.cmpi"(%i, %end) {predicate = 2 : i64} : (index, index) -> i1
  "cf.cond_br"(%more)[^body, ^exit] {operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()
^body:
  %left = "arith.subi"(%end, %i) : (index, index) -> index
  %mask = "vector.create_mask"(%left) : (index) -> vector<8xi1>
  %x = "vector.maskedload"(%in, %i, %mask, %nothing) : (memref<?xf32>, index, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
  %finite = "arith.cmpf"(%x, %x) {predicate = 7 : i64} : (vector<8xf32>, vector<8xf32>) -> vector<8xi1>
  %y = "arith.select"(%finite, %x, %nothing) : (vector<8xi1>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  %next_sum = "arith.addf"(%sum, %y) : (vector<8xf32>, vector<8xf32>) -> vector<8xf32>
  "vector.maskedstore"(%out, %i, %mask, %next_sum) : (memref<?xf32>, index, vector<8xi1>, vector<8xf32>) -> ()
  %next = "arith.addi"(%i, %step) : (index, index) -> index
  "cf.br"(%next, %next_sum)[^head] : (index, vector<8xf32>) -> ()
^exit:
  %total = "vector.reduction"(%sum) {kind = #vector.kind<maxnumf>} : (vector<8xf32>) -> f32
  %at = "arith.constant"() {value = 60 : index} : () -> index
  "memref.store"(%total, %out, %at) : (f32, memref<?xf32>, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "main", function_type = (memref<?xf32>, memref<?xf32>) -> ()} : () -> ()"#;

#[test]
fn loops_and_masks() {
    compare(MASKED_SUM, "f32", "f32");
}

#[test]
fn lanes() {
    let text = r#"
"func.func"() ({
^bb0(%in: memref<?xi32>, %out: memref<?xi32>):
  %zero = "arith.constant"() {value = 0 : index} : () -> index
  %four = "arith.constant"() {value = 4 : index} : () -> index
  %x = "vector.load"(%in, %four) : (memref<?xi32>, index) -> vector<4xi32>
  %y = "vector.load"(%in, %zero) : (memref<?xi32>, index) -> vector<8xi32>
  %s = "vector.shuffle"(%x, %y) {mask = [3, 0, 11, 4]} : (vector<4xi32>, vector<8xi32>) -> vector<4xi32>
  %e = "vector.extract"(%y) {static_position = array<i64: 5>} : (vector<8xi32>) -> i32
  %b = "vector.broadcast"(%e) : (i32) -> vector<4xi32>
  %n = "vector.insert"(%e, %s) {static_position = array<i64: 2>} : (i32, vector<4xi32>) -> vector<4xi32>
  %t = "vector.step"() : () -> vector<4xindex>
  %m = "vector.constant_mask"() {mask_dim_sizes = [3]} : () -> vector<4xi1>
  %g = "vector.gather"(%in, %four, %t, %m, %b) : (memref<?xi32>, index, vector<4xindex>, vector<4xi1>, vector<4xi32>) -> vector<4xi32>
  %sum = "arith.addi"(%n, %g) : (vector<4xi32>, vector<4xi32>) -> vector<4xi32>
  "vector.store"(%sum, %out, %zero) : (vector<4xi32>, memref<?xi32>, index) -> ()
  %total = "vector.reduction"(%y, %e) {kind = #vector.kind<add>} : (vector<8xi32>, i32) -> i32
  "memref.store"(%total, %out, %four) : (i32, memref<?xi32>, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "main", function_type = (memref<?xi32>, memref<?xi32>) -> ()} : () -> ()"#;
    compare(text, "i32", "i32");
}

#[test]
fn reductions_of_floats() {
    let halves = [("f16", "add"), ("bf16", "mul"), ("f16", "maxnumf"), ("bf16", "minimumf")];
    let wider = [("f32", "maximumf"), ("f32", "minimumf"), ("f64", "maximumf"), ("f64", "minimumf")];
    for (element, kind) in halves.into_iter().chain(wider) {
        let text = format!(
            r#"
"func.func"() ({{
^bb0(%in: memref<?x{element}>, %out: memref<?x{element}>):
  %zero = "arith.constant"() {{value = 0 : index}} : () -> index
  %two = "arith.constant"() {{value = 2 : index}} : () -> index
  %start = "memref.load"(%in, %two) : (memref<?x{element}>, index) -> {element}
  %x = "vector.load"(%in, %two) : (memref<?x{element}>, index) -> vector<2x{element}>
  %total = "vector.reduction"(%x, %start) {{kind = #vector.kind<{kind}>}} : (vector<2x{element}>, {element}) -> {element}
  "memref.store"(%total, %out, %zero) : ({element}, memref<?x{element}>, index) -> ()
  %y = "vector.load"(%in, %zero) : (memref<?x{element}>, index) -> vector<8x{element}>
  %all = "vector.reduction"(%y) {{kind = #vector.kind<{kind}>}} : (vector<8x{element}>) -> {element}
  "memref.store"(%all, %out, %two) : ({element}, memref<?x{element}>, index) -> ()
  "func.return"() : () -> ()
}}) {{sym_name = "main", function_type = (memref<?x{element}>, memref<?x{element}>) -> ()}} : () -> ()"#
        );
        compare(&text, element, element);
    }
}

#[test]
fn halves_are_compared_as_vectors_of_floats() {
    let module = parse(&elementwise("\"arith.maximumf\"($)", 2, 16, "f16", "f16"));
    let options = Options {
        triple: Some("x86_64-unknown-linux-gnu".to_string()),
        cpu: Some("x86-64-v4".to_string()),
        ..Options::default()
    };
    let assembly = compile_assembly(&module, &options).expect("compiles");
    assert!(assembly.contains("vmaxps") && !assembly.contains("ucomiss"), "{assembly}");
}

#[test]
fn calls_stack_and_switches() {
    let text = r#"
"func.func"() ({
^bb0(%n: index):
  "cf.switch"(%n, %n, %n)[^other, ^one, ^other] {case_values = dense<[1, 2]> : vector<2xindex>, case_operand_segments = array<i32: 0, 1>, operandSegmentSizes = array<i32: 1, 1, 1>} : (index, index, index) -> ()
^one:
  %hundred = "arith.constant"() {value = 100 : index} : () -> index
  "func.return"(%hundred) : (index) -> ()
^other(%m: index):
  "func.return"(%m) : (index) -> ()
}) {sym_name = "pick", function_type = (index) -> index} : () -> ()
"func.func"() ({
^bb0(%in: memref<?xi64>, %out: memref<?xi64>):
  %zero = "arith.constant"() {value = 0 : index} : () -> index
  %one = "arith.constant"() {value = 1 : index} : () -> index
  %stack = "memref.alloca"() {operandSegmentSizes = array<i32: 0, 0>} : () -> memref<4xi64>
  %raw = "rt.address"(%stack) : (memref<4xi64>) -> index
  %table = "rt.buffer"(%raw) : (index) -> memref<?xi64>
  %a = "func.call"(%one) {callee = @pick} : (index) -> index
  %b = "func.call"(%zero) {callee = @pick} : (index) -> index
  %c = "arith.index_cast"(%a) : (index) -> i64
  %d = "arith.index_cast"(%b) : (index) -> i64
  "memref.store"(%c, %table, %one) : (i64, memref<?xi64>, index) -> ()
  %e = "memref.load"(%table, %one) : (memref<?xi64>, index) -> i64
  %f = "arith.addi"(%d, %e) : (i64, i64) -> i64
  "memref.store"(%f, %out, %one) : (i64, memref<?xi64>, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "main", function_type = (memref<?xi64>, memref<?xi64>) -> ()} : () -> ()"#;
    compare(text, "i64", "i64");
}

#[test]
#[cfg(target_arch = "x86_64")]
fn code_without_a_runtime_detects_the_level_that_the_runtime_detects() {
    let text = r#"
"func.func"() ({}) {sym_name = "rt_detect_level", sym_visibility = "private", function_type = () -> i64} : () -> ()
"func.func"() ({
^bb0(%in: memref<?xi64>, %out: memref<?xi64>):
  %zero = "arith.constant"() {value = 0 : index} : () -> index
  %level = "func.call"() {callee = @rt_detect_level} : () -> i64
  "memref.store"(%level, %out, %zero) : (i64, memref<?xi64>, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "main", function_type = (memref<?xi64>, memref<?xi64>) -> ()} : () -> ()"#;
    let object = compile_object(&parse(text), &Options::default()).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut found = [0; 8];
    load(&object)([0; 8].as_ptr(), found.as_mut_ptr());
    assert_eq!(i64::from_le_bytes(found), runtime::processor::level());
}

#[test]
fn constants_in_the_object() {
    let text = r#"
"memref.global"() {sym_name = "weights", type = memref<4xf32>, initial_value = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>, sym_visibility = "private"} : () -> ()
"func.func"() ({
^bb0(%in: memref<?xf32>, %out: memref<?xf32>):
  %zero = "arith.constant"() {value = 0 : index} : () -> index
  %w = "memref.get_global"() {name = @weights} : () -> memref<?xf32>
  %x = "vector.load"(%w, %zero) : (memref<?xf32>, index) -> vector<4xf32>
  "vector.store"(%x, %out, %zero) : (vector<4xf32>, memref<?xf32>, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "main", function_type = (memref<?xf32>, memref<?xf32>) -> ()} : () -> ()"#;
    let options = Options { embed_constants: true, ..Options::default() };
    let object = compile_object(&parse(text), &options).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut found = vec![0u8; 1024];
    load(&object)(std::ptr::null(), found.as_mut_ptr());
    assert_eq!(readable(&found[..16], "f32"), ["1", "2", "3", "4"]);
}

#[test]
fn other_targets_and_texts() {
    let module = parse(MASKED_SUM);
    let options = Options {
        triple: Some("aarch64-unknown-linux-gnu".to_string()),
        optimization: Optimization::Less,
        ..Options::default()
    };
    assert!(compile_assembly(&module, &options).expect("compiles").contains("fadd"));
    assert!(compile_ir(&module, &options).expect("compiles").contains("define void @main"));
    let wrong = Options { triple: Some("vax-dec-ultrix".to_string()), ..Options::default() };
    assert_eq!(compile_object(&module, &wrong).expect_err("fails")[0].class, ir::ErrorClass::Usage);
}

#[test]
fn names_an_operation_it_does_not_know() {
    let text = r#"
"func.func"() ({
^bb0(%in: memref<?xi64>, %out: memref<?xi64>):
  %x = "tensor.empty"() : () -> tensor<4xf32>
  "func.return"() : () -> ()
}) {sym_name = "main", function_type = (memref<?xi64>, memref<?xi64>) -> ()} : () -> ()"#;
    let errors = compile_object(&parse(text), &Options::default()).expect_err("fails");
    assert!(errors[0].message.contains("tensor.empty"), "{}", errors[0]);
}
