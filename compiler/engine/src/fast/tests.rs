//! Code on demand and templates, on small modules.

#![allow(unsafe_code, reason = "runs the code it compiled")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use data::Blob;
use ir::{Attribute, Attributes, Body, Builder, Diagnostic, FunctionType, Location, Module, Result, Type, Value};

use codegen_cranelift::{Generator, Options, Tier, compile};

use super::background::Background;
use super::ondemand::{OnDemand, Provided, Source};
use super::routine_calls::{self, RoutineCall};
use super::template;
use super::text::Text;
use crate::globals::Place;

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

/// Provides `@main`, which calls `@sum` twice, and `@sum`, which adds its arguments to a number.
struct Sums {
    generator: Generator,
    made: AtomicUsize,
    sum: Sum,
}

/// What happens when `@sum` is called.
#[derive(Clone, Copy)]
enum Sum {
    Exists,
    IsMissing,
    Panics,
}

impl Sums {
    /// The first six integers and the first eight floats are in registers.
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
            _ => match self.sum {
                Sum::Exists => Sums::sum(),
                Sum::IsMissing => return Err(Diagnostic::internal(Location::Unknown, "the sum does not exist").into()),
                Sum::Panics => panic!("the sum panics"),
            },
        };
        Ok(Provided::Functions { functions: Arc::new(self.generator.generate(&module)?), symbols: BTreeMap::new() })
    }
}

/// Runs `@main` on ones; returns the sum, the number of compiled functions, and the code.
fn run_on_demand(text: Text, sum: Sum) -> (f32, usize, OnDemand) {
    let generator = Generator::new(Tier::Quick, Arc::default()).expect("this machine is known");
    let source = Arc::new(Sums { generator, made: AtomicUsize::new(0), sum });
    let code = OnDemand::new(&["main", "sum"], source.clone(), text).expect("there is memory for stubs");
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
    if let Some(text) = OnDemand::memory() {
        let (total, made, code) = run_on_demand(text, Sum::Exists);
        assert_eq!((total, made), (2.0 * (1..17).sum::<i32>() as f32, 2));
        assert!(code.failure().is_none());
    }
}

#[test]
fn reports_failures() {
    if let Some(text) = OnDemand::memory() {
        let (total, made, code) = run_on_demand(text, Sum::IsMissing);
        assert_eq!((total, made), (0.0, 2));
        assert_eq!(code.failure().expect("it failed")[0].message, "the sum does not exist");
    }
}

/// Generated code is the caller of what panics.
#[test]
fn a_panic_in_a_stub_is_an_error() {
    if let Some(text) = OnDemand::memory() {
        let (total, _, code) = run_on_demand(text, Sum::Panics);
        assert_eq!(total, 0.0);
        assert_eq!(code.failure().expect("it failed")[0].message, "compilation panicked: the sum panics");
    }
}

#[test]
fn a_panic_in_the_background_is_an_error() {
    let ran = Background::<()>::new(|_| panic!("it has a fault"));
    ran.start();
    let errors = ran.finish().expect_err("it panics");
    assert_eq!(errors[0].message, "compilation panicked: it has a fault");
    let dropped = Background::<()>::new(|_| panic!("it has a fault"));
    dropped.start();
    drop(dropped);
}

#[test]
fn weights_whose_preparation_panics_are_an_error() {
    let (blobs, pieces) = Blob::pending(&[8]);
    let call = RoutineCall {
        symbol: "rt_missing".into(),
        words: vec![],
        length: 8,
        offset: Some(0),
        freed: vec![],
        discarded: vec![],
    };
    let pieces = pieces.into_iter().map(|piece| (1, piece)).collect();
    let job = crew::spawn(move || routine_calls::run(&[call], pieces, 1));
    let place = Place::Bytes(blobs[0].clone());
    assert!(place.ready().expect_err("no routine has that name").message.contains("preparation of weights"));
    assert!(job.outcome().is_err());
}

/// A host function that reads numbers from its table, computes everything that templates support, and writes the
/// results after them.
fn host(name: &str) -> Module {
    let mut module = Sums::sum();
    add_function(&mut module, name, &[buffer(Type::I64)], |b, arguments| {
        let table = arguments[0];
        let load = |b: &mut Builder<'_>, at: i64, r#type: Type| {
            let (at, from) = (b.constant_index(at), buffer(r#type.clone()));
            let address = b.value("rt.address", &[table], Type::Index, []);
            let words = b.value("rt.buffer", &[address], from, []);
            b.value("memref.load", &[words, at], r#type, [])
        };
        let (x, y) = (load(b, 0, Type::I64), load(b, 1, Type::I64));
        let [i, j] = [x, y].map(|word| b.value("arith.index_cast", &[word], Type::Index, []));
        let (v, w) = (load(b, 2, Type::F64), load(b, 3, Type::F64));
        let mut results = Vec::new();
        for name in ["addi", "subi", "muli", "andi", "ori", "xori", "minsi", "maxsi"] {
            results.push(b.value(format!("arith.{name}"), &[i, j], Type::Index, []));
        }
        let seven = b.constant_index(-7);
        results.push(b.value("arith.divsi", &[i, seven], Type::Index, []));
        let mut bits = Vec::new();
        for predicate in 0..10 {
            bits.push(b.value("arith.cmpi", &[x, y], Type::I1, [("predicate", Attribute::i64(predicate))]));
        }
        for predicate in 1..6 {
            bits.push(b.value("arith.cmpf", &[v, w], Type::I1, [("predicate", Attribute::i64(predicate))]));
        }
        for &bit in &bits {
            results.push(b.value("arith.select", &[bit, i, j], Type::Index, []));
        }
        let half = b.constant(Attribute::float(0.5, Type::F64), Type::F64);
        let mut float = b.value("arith.sitofp", &[x], Type::F64, []);
        for (name, other) in [("addf", v), ("mulf", half), ("subf", w), ("divf", v)] {
            float = b.value(format!("arith.{name}"), &[float, other], Type::F64, []);
            results.push(float);
        }
        // more arguments than there are registers
        let single = b.value("arith.sitofp", &[y], Type::F32, []);
        let (total, first) =
            (b.value("memref.alloca", &[], Type::memref([Some(3)], Type::F32), []), b.constant_index(0));
        let total = b.value("rt.address", &[total], Type::Index, []);
        let words = b.value("rt.buffer", &[total], buffer(Type::I64), []);
        let total = b.value("rt.buffer", &[total], buffer(Type::F32), []);
        let one = b.constant(Attribute::f32(1.5), Type::F32);
        b.create("rt.pack", &[words, one], &[], [("words", Attribute::i64_dense_array(&[0]))]);
        let many = [total, i, j, seven, i, j, i, j, single, one, single, one, single, one, single, one, single];
        b.create("func.call", &many, &[], [("callee", Attribute::symbol("sum"))]);
        results.push(b.value("memref.load", &[total, first], Type::F32, []));
        // the maximum is passed as the first argument of a block
        let root = b.body.root();
        let join = b.body.add_block(root, &[Type::Index, Type::Index]);
        let segments = Attribute::i32_dense_array(&[1, 2, 2]);
        let branch = b.create("cf.cond_br", &[bits[4], i, j, j, i], &[], [("operandSegmentSizes", segments)]);
        b.body.set_successors(branch, &[join, join]);
        b.set_block(join);
        results.extend(b.body.arguments(join).to_vec());
        let words: Vec<i64> = (0..results.len() as i64).map(|at| at + 8).collect();
        let operands: Vec<Value> = std::iter::once(table).chain(results).collect();
        b.create("rt.pack", &operands, &[], [("words", Attribute::i64_dense_array(&words))]);
        b.create("func.return", &[x], &[], []);
    });
    let op = module.symbol(name).expect("it was added");
    let mut r#type = module.function_view(op).expect("a function").r#type.clone();
    r#type.results = vec![Type::I64];
    let attributes = &mut module.body.op_mut(op).attributes;
    attributes.set("function_type", Attribute::Type(Type::Function(r#type.into())));
    attributes.set("rt.host", Attribute::Unit);
    module
}

#[test]
fn templates_compute_what_cranelift_does() {
    if !template::IS_SUPPORTED {
        return;
    }
    let module = host("host");
    let view = module.function("host").expect("it was added");
    assert!(template::assemble(&view).is_some(), "every operation has a template");
    let generator = Generator::new(Tier::Quick, Arc::default()).expect("this machine is known");
    let by_template =
        generator.relocatable(vec![Arc::new(generator.generate_or(&module, template::assemble).expect("compiles"))]);
    let by_template = by_template.link(&options().symbols).expect("links");
    let by_cranelift = compile(std::slice::from_ref(&module), &options()).expect("compiles");
    let run = |address: Option<*const u8>, mut table: [i64; 64]| {
        // SAFETY: the type of `@host`.
        let run: extern "C" fn(*mut i64) -> i64 = unsafe { std::mem::transmute(address.expect("is defined")) };
        (run(table.as_mut_ptr()), table)
    };
    let words = [0, 1, -1, 41, -1_000_000_007, 1 << 40, i64::MIN, i64::MAX];
    let floats = [0.0, -0.0, 2.5, -1e300, f64::INFINITY, f64::NAN];
    for (x, y) in words.iter().flat_map(|&x| words.iter().map(move |&y| (x, y))) {
        for (v, w) in floats.iter().flat_map(|&v| floats.iter().map(move |&w| (v, w))) {
            let mut table = [0; 64];
            table[..4].copy_from_slice(&[x, y, f64::to_bits(v) as i64, f64::to_bits(w) as i64]);
            let results = [by_template.function("host"), by_cranelift.function("host")].map(|host| run(host, table));
            assert_eq!(results[0], results[1], "{x} {y} {v} {w}");
        }
    }
}
