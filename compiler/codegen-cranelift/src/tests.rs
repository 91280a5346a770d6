//! Executes small modules.

#![allow(unsafe_code, reason = "runs the code it compiled")]

use ir::{Attribute, Builder, Module, Type, Value};

use crate::{Options, compile};

fn buffer(element: Type) -> Type {
    Type::memref([None], element)
}

/// A module with one function `@main` built by `build` from the entry block's arguments.
fn module(inputs: &[Type], build: impl FnOnce(&mut Builder<'_>, &[Value])) -> Module {
    let mut module = Module::new();
    module.build_function("main", inputs, build);
    module
}

fn options() -> Options {
    let symbols = runtime::symbols().into_iter().map(|(name, address)| (name.to_string(), address as usize)).collect();
    Options { symbols, threads: 2, ..Options::default() }
}

#[test]
fn sums_a_vector() {
    let f32x4 = Type::vector(&[4], Type::F32);
    let module = module(&[buffer(Type::F32), Type::Index, buffer(Type::F32)], |b, arguments| {
        let zero = b.constant_index(0);
        let step = b.constant_index(4);
        let start = b.constant(Attribute::f32(0.0), Type::F32);
        let start = b.value("vector.broadcast", &[start], f32x4.clone(), []);
        let root = b.body.root();
        let head = b.body.add_block(root, &[Type::Index, f32x4.clone()]);
        let inner = b.body.add_block(root, &[]);
        let exit = b.body.add_block(root, &[]);
        let branch = b.create("cf.br", &[zero, start], &[], []);
        b.body.set_successors(branch, &[head]);
        b.set_block(head);
        let (i, sum) = (b.body.arguments(head)[0], b.body.arguments(head)[1]);
        let more = b.value("arith.cmpi", &[i, arguments[1]], Type::I1, [("predicate", Attribute::i64(2))]);
        let segments = Attribute::i32_dense_array(&[1, 0, 0]);
        let branch = b.create("cf.cond_br", &[more], &[], [("operandSegmentSizes", segments)]);
        b.body.set_successors(branch, &[inner, exit]);
        b.set_block(inner);
        let x = b.value("vector.load", &[arguments[0], i], f32x4.clone(), []);
        let sum_next = b.value("arith.addf", &[sum, x], f32x4.clone(), []);
        let next = b.value("arith.addi", &[i, step], Type::Index, []);
        let branch = b.create("cf.br", &[next, sum_next], &[], []);
        b.body.set_successors(branch, &[head]);
        b.set_block(exit);
        let kind = Attribute::Dialect("vector".into(), "kind<add>".into());
        let total = b.value("vector.reduction", &[sum], Type::F32, [("kind", kind)]);
        b.create("memref.store", &[total, arguments[2], zero], &[], []);
        b.create("func.return", &[], &[], []);
    });
    let compiled = compile(std::slice::from_ref(&module), &options()).expect("compiles");
    let address = compiled.function("main").expect("is defined");
    // SAFETY: the signature of `@main` above.
    let run: extern "C" fn(*const f32, i64, *mut f32) = unsafe { std::mem::transmute(address) };
    let numbers: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let mut total = 0.0;
    run(numbers.as_ptr(), 64, &mut total);
    assert_eq!(total, 2016.0);
}

#[test]
fn names_an_operation_it_does_not_know() {
    let module = module(&[], |b, _| {
        b.create("tensor.empty", &[], &[], []);
        b.create("func.return", &[], &[], []);
    });
    let diagnostics = compile(std::slice::from_ref(&module), &options()).expect_err("fails");
    assert!(diagnostics[0].message.contains("tensor.empty"), "{}", diagnostics[0]);
}

#[test]
fn names_an_undefined_symbol() {
    let module = module(&[], |b, _| {
        b.create("func.call", &[], &[], [("callee", Attribute::symbol("nowhere"))]);
        b.create("func.return", &[], &[], []);
    });
    let diagnostics = compile(std::slice::from_ref(&module), &options()).expect_err("fails");
    assert!(diagnostics[0].message.contains("@nowhere"), "{}", diagnostics[0]);
}
