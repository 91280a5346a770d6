//! Objects that call outside symbols, read constants and call each other.

use std::collections::BTreeMap;

use crate::load;

const CALLER: &str = r#""builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: f32, %y: f32):
    %power = "func.call"(%x, %y) {callee = @rt_pow_f32} : (f32, f32) -> f32
    %half = "func.call"(%power) {callee = @halve} : (f32) -> f32
    "func.return"(%half) : (f32) -> ()
  }) {sym_name = "main", function_type = (f32, f32) -> f32} : () -> ()
  "func.func"() ({}) {sym_name = "rt_pow_f32", function_type = (f32, f32) -> f32, sym_visibility = "private"} : () -> ()
  "func.func"() ({}) {sym_name = "halve", function_type = (f32) -> f32, sym_visibility = "private"} : () -> ()
}) : () -> ()"#;

const CALLED: &str = r#""builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: f32):
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %table = "memref.get_global"() {name = @factor} : () -> memref<?xf32>
    %factor = "memref.load"(%table, %zero) : (memref<?xf32>, index) -> f32
    %y = "arith.mulf"(%x, %factor) : (f32, f32) -> f32
    "func.return"(%y) : (f32) -> ()
  }) {sym_name = "halve", function_type = (f32) -> f32} : () -> ()
}) : () -> ()"#;

fn object(text: &str) -> Vec<u8> {
    let module = ir::parse_module(text, "test.mlir", None).expect("parses");
    codegen_cranelift::object(&module, &Default::default()).unwrap_or_else(|errors| panic!("{}", errors[0]))
}

#[test]
fn links_objects_with_each_other_and_the_runtime() {
    let factor = [0.5f32];
    let mut symbols: BTreeMap<String, usize> =
        runtime::symbols().into_iter().map(|(name, at)| (name.to_string(), at.expose_provenance())).collect();
    symbols.insert("factor".into(), factor.as_ptr().expose_provenance());
    let loaded = load(&[object(CALLER), object(CALLED)], &symbols).expect("loads");
    let main = loaded.function("main").expect("is defined");
    // SAFETY: the signature of `@main` above.
    let main: extern "C" fn(f32, f32) -> f32 = unsafe { std::mem::transmute(main) };
    assert_eq!(main(3.0, 2.0), 4.5);
}

#[test]
fn names_what_is_missing() {
    let error = load(&[object(CALLER)], &BTreeMap::new()).expect_err("has undefined symbols");
    assert!(error.contains("is defined nowhere"), "{error}");
}

#[test]
fn refuses_what_is_no_object() {
    assert!(load(&[b"ELF".to_vec()], &BTreeMap::new()).is_err());
}
