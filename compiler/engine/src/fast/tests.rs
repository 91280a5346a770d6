//! Code on demand, on small modules.

#![allow(unsafe_code, reason = "runs the code it compiled")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use data::Blob;
use ir::{Attribute, Attributes, Body, Builder, Diagnostic, FunctionType, Location, Module, Result, Type, Value};

use codegen_cranelift::{Generator, Tier};

use super::background::Background;
use super::ondemand::{OnDemand, Provided, Source};
use super::text::Text;
use crate::globals::Place;
use crate::routine_calls::{self, RoutineCall};

fn buffer(element: Type) -> Type {
    Type::memref([None], element)
}

/// A module with one function `@main` built by `build` from the entry block's arguments.
fn module(inputs: &[Type], build: impl FnOnce(&mut Builder<'_>, &[Value])) -> Module {
    let mut module = Module::new();
    module.build_function("main", inputs, build);
    module
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
        module.build_function("sum", &Sums::inputs(), |b, arguments| {
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
    let address = code.function("main").expect("is defined");
    assert_eq!(source.made.load(Ordering::Relaxed), 0);
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
    let (blobs, pieces) = Blob::pending(&[8], None);
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
