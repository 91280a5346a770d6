//! Small modules, executed.

#![allow(unsafe_code, reason = "runs the code it compiled")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ir::{Attribute, Attributes, Body, Builder, Diagnostic, FunctionType, Location, Module, Result, Type, Value};

use crate::{Generator, OnDemand, Options, Provided, Source, Tier, compile};

fn buffer(element: Type) -> Type {
    Type::memref([None], element)
}

/// A module with one function `@main` built by `build` from the entry block's arguments.
fn module(inputs: &[Type], build: impl FnOnce(&mut Builder<'_>, &[Value])) -> Module {
    let mut module = Module::new();
    add_function(&mut module, "main", inputs, build);
    module
}

fn add_function(module: &mut Module, name: &str, inputs: &[Type], build: impl FnOnce(&mut Builder<'_>, &[Value])) {
    let mut body = Body::new();
    let entry = body.add_block(body.root(), inputs);
    let arguments = body.arguments(entry).to_vec();
    build(&mut Builder::at_end(&mut body, entry), &arguments);
    let r#type = FunctionType { inputs: inputs.to_vec(), results: vec![] };
    let op = module.add_function(name, r#type, Attributes::new(), body, Location::Unknown);
    module.update_function_type(op);
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
    let diagnostics = compile(std::slice::from_ref(&module), &options()).err().expect("fails");
    assert!(diagnostics[0].message.contains("tensor.empty"), "{}", diagnostics[0]);
}

#[test]
fn names_an_undefined_symbol() {
    let module = module(&[], |b, _| {
        b.create("func.call", &[], &[], [("callee", Attribute::symbol("nowhere"))]);
        b.create("func.return", &[], &[], []);
    });
    let diagnostics = compile(std::slice::from_ref(&module), &options()).err().expect("fails");
    assert!(diagnostics[0].message.contains("@nowhere"), "{}", diagnostics[0]);
}

/// Makes `@main`, which calls `@sum` twice, and `@sum`, which adds what it is given to a number.
struct Sums {
    generator: Generator,
    made: AtomicUsize,
    can_sum: bool,
}

impl Sums {
    /// Of integers the first six are in registers, of floats the first eight.
    fn inputs() -> Vec<Type> {
        let integers = std::iter::repeat_n(Type::Index, 7);
        std::iter::once(buffer(Type::F32)).chain(integers).chain(std::iter::repeat_n(Type::F32, 9)).collect()
    }

    fn main() -> Module {
        let mut module = module(&Sums::inputs(), |b, arguments| {
            for _ in 0..2 {
                b.create("func.call", arguments, &[], [("callee", Attribute::symbol("sum"))]);
            }
            b.create("func.return", &[], &[], []);
        });
        let r#type = FunctionType { inputs: Sums::inputs(), results: vec![] };
        let private = Attributes::from([("sym_visibility", Attribute::string("private"))]);
        module.add_function("sum", r#type, private, Body::new(), Location::Unknown);
        module
    }

    fn sum() -> Module {
        let mut module = Module::new();
        add_function(&mut module, "sum", &Sums::inputs(), |b, arguments| {
            let zero = b.constant_index(0);
            let mut total = b.value("memref.load", &[arguments[0], zero], Type::F32, []);
            for (number, &argument) in arguments.iter().enumerate().skip(1) {
                let term = match number {
                    ..8 => {
                        let word = b.value("arith.index_cast", &[argument], Type::I64, []);
                        b.value("arith.sitofp", &[word], Type::F32, [])
                    }
                    _ => argument,
                };
                let weight = b.constant(Attribute::f32(number as f32), Type::F32);
                let product = b.value("arith.mulf", &[term, weight], Type::F32, []);
                total = b.value("arith.addf", &[total, product], Type::F32, []);
            }
            b.create("memref.store", &[total, arguments[0], zero], &[], []);
            b.create("func.return", &[], &[], []);
        });
        module
    }
}

impl Source for Sums {
    fn provide(&self, number: usize) -> Result<Provided> {
        self.made.fetch_add(1, Ordering::Relaxed);
        let module = match number {
            0 => Sums::main(),
            _ if self.can_sum => Sums::sum(),
            _ => return Err(Diagnostic::internal(Location::Unknown, "there is no sum").into()),
        };
        Ok(Provided::Functions { functions: Arc::new(self.generator.generate(&module)?), symbols: BTreeMap::new() })
    }
}

/// Runs `@main` on ones; what it adds up, how many functions were made, and the code.
fn run_on_demand(can_sum: bool) -> (f32, usize, OnDemand) {
    let generator = Generator::new(Tier::Quick, Arc::default()).expect("this machine is known");
    let source = Arc::new(Sums { generator, made: AtomicUsize::new(0), can_sum });
    let code = OnDemand::new(&["main", "sum"], source.clone()).expect("there is memory for stubs");
    let address = code.function("main").expect("compiles").expect("is defined");
    assert_eq!(source.made.load(Ordering::Relaxed), 1);
    type Main = extern "C" fn(*mut f32, i64, i64, i64, i64, i64, i64, i64, f32, f32, f32, f32, f32, f32, f32, f32, f32);
    // SAFETY: the signature of `@main` above.
    let run = unsafe { std::mem::transmute::<*const u8, Main>(address) };
    let mut total = 0.0;
    run(&mut total, 1, 1, 1, 1, 1, 1, 1, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0);
    (total, source.made.load(Ordering::Relaxed), code)
}

#[test]
fn makes_what_is_called_once() {
    if OnDemand::is_supported() {
        let (total, made, code) = run_on_demand(true);
        assert_eq!((total, made), (2.0 * (1..17).sum::<i32>() as f32, 2));
        assert!(code.failure().is_none());
    }
}

#[test]
fn tells_what_could_not_be_made() {
    if OnDemand::is_supported() {
        let (total, made, code) = run_on_demand(false);
        assert_eq!((total, made), (0.0, 2));
        assert_eq!(code.failure().expect("it failed")[0].message, "there is no sum");
    }
}
