//! Folds of operations on constants: the folded module means the same.

use dialects::{func, memref, rt, vector};
use ir::transforms::canonicalize;
use ir::{Attribute, Attributes, Body, Builder, FunctionType, Location, Module, Type, Value};

use crate::loops::constant;
use crate::numbers::{mixed, special};
use crate::operations::{Case, cases};
use crate::{COUNT, Function, compare, interpreted};

/// Applications of each operation.
const APPLICATIONS: usize = 150;

/// A function that applies a case to constants and stores the results.
fn folded(case: &Case, lanes: usize) -> Body {
    let table = Type::memref([None], Type::I64);
    let mut body = Body::new();
    let entry = body.add_block(body.root(), &[table]);
    let arguments = body.arguments(entry).to_vec();
    let mut b = Builder::at_end(&mut body, entry);
    let buffer = Type::memref([None], case.result.clone());
    let buffer = b.value(rt::UNPACK, &arguments, buffer, rt::words::attributes(&[0]));
    let store = if lanes == 1 { memref::STORE } else { vector::STORE };
    for at in 0..APPLICATIONS {
        let operand = |(place, element): (u64, &Type)| {
            let special = special(element);
            constant(&mut b, element, lanes, special[mixed(at as u64, place) as usize % special.len()])
        };
        let operands: Vec<Value> = (0..).zip(&case.operands).map(operand).collect();
        let (result, index) = (case.build(&mut b, &operands, lanes), b.constant_index((at * lanes) as i64));
        b.create(store, &[result, buffer, index], &[], []);
    }
    let status = b.constant(Attribute::i64(0), Type::I64);
    b.create(func::RETURN, &[status], &[], []);
    body
}

#[test]
fn folds_keep_the_meaning() {
    let registry = dialects::registry();
    let [mut plain, mut simple] = [Module::new(), Module::new()];
    let (mut functions, mut removed) = (Vec::new(), 0);
    let cases = cases();
    for (case, lanes) in cases.iter().flat_map(|case| [(case, 1), (case, 4)]) {
        let name = format!("f{}", functions.len());
        let body = folded(case, lanes);
        let mut canonical = body.clone();
        canonicalize(&mut canonical, &registry);
        removed += body.walk_all().len().saturating_sub(canonical.walk_all().len());
        for (module, body) in [(&mut plain, body), (&mut simple, canonical)] {
            let r#type = FunctionType { inputs: vec![Type::memref([None], Type::I64)], results: vec![Type::I64] };
            module.add_function(&name, r#type, Attributes::new(), body, Location::Unknown);
        }
        let text = format!("{case}, {lanes} lanes");
        functions.push(Function { name, text, inputs: vec![], result: case.result.clone() });
    }
    assert!(removed > 10_000, "{removed} operations are folded");
    const { assert!(APPLICATIONS * 4 <= COUNT, "the results have space") };
    compare(&functions, &interpreted(&plain), &interpreted(&simple));
}
