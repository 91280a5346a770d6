//! Exact rules for data movement: optimised graphs give the same bits, and every rule is applied. Rules between
//! elementwise operators are tested one by one in `elementwise`.

use std::sync::Arc;

use driver::{Compiler, Session, Tensor, Type};
use ir::{Blob, IndexSet};

use super::{elementwise, module_of};
use crate::rules::{Kind, RULES};
use crate::{Options, optimize};

const EXPRESSIONS: &[&str] = &[
    "Relu(Identity(image))",
    "Relu(Transpose(image){perm=p0123})",
    "Transpose(Transpose(image){perm=p0231}){perm=p0321}",
    "Transpose(image){perm=p1023}",
    "Relu(Reshape(image, image_shape))",
    "Relu(Expand(image, image_shape))",
    "Relu(Flatten(matrix))",
    "Relu(Tile(image, ones))",
    "Relu(Squeeze(image, nothing))",
    "Reshape(Reshape(image, pixels), image_shape)",
    "Reshape(Squeeze(image, first), pixels)",
    "Reshape(Unsqueeze(image, first), pixels)",
    "Reshape(Flatten(image), pixels)",
    "Flatten(Reshape(image, pixels))",
    "Squeeze(Reshape(image, pixels), first)",
    "Unsqueeze(Reshape(image, pixels), first)",
    "Squeeze(Unsqueeze(image, first), first)",
    "Unsqueeze(Squeeze(image, first), first)",
    "Relu(Squeeze(image, first))",
    "Relu(Unsqueeze(image, first))",
    "Relu(Flatten(image))",
    "Relu(Cast(x){to=1})",
    "Cast(Cast(x){to=11}){to=6}",
    "Relu(Concat(x){axis=1})",
    "Relu(Slice(x, first, far, first, ones_of_one))",
    "Relu(Slice(x, first, far, first))",
    "Relu(Pad(image, zeros))",
    "Relu(Pad(image, zeros, 3))",
    "Relu(Transpose(image){perm=p0231})",
    "Sigmoid(Transpose(image){perm=p0231})",
    "Tanh(Transpose(image){perm=p0231})",
];

/// The result of an expression in bytes, and the rules that were applied.
fn run(expression: &str, optimized: bool) -> (Vec<u8>, Vec<&'static str>) {
    let mut module = module_of(&[expression]);
    let strict = Options { strict_fp: true, ..Options::default() };
    let report =
        if optimized { optimize(&mut module, &strict).expect("the case is valid") } else { Default::default() };
    operators::structured::lower_function(&mut module, crate::MAIN).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let main = module.function(crate::MAIN).expect("there is a main");
    let inputs: Vec<Tensor> = main.r#type.inputs.iter().map(input).collect();
    let compiler = Compiler::new(driver::Options { threads: 1, ..driver::Options::default() });
    let compiled = compiler.compile_structured(module).unwrap_or_else(|errors| panic!("{expression}: {}", errors[0]));
    let outputs = Session::new(Arc::new(compiled)).run(&inputs).unwrap_or_else(|errors| panic!("{}", errors[0]));
    (outputs[0].data.bytes().to_vec(), report.rules.keys().copied().collect())
}

/// Numbers of a type, with dynamic extents of three.
fn input(r#type: &Type) -> Tensor {
    let shape: Vec<i64> = r#type.shape().expect("is ranked").iter().map(|extent| extent.unwrap_or(3)).collect();
    let count = shape.iter().product::<i64>() as usize;
    let bytes: Vec<u8> = match r#type.element() {
        Type::Float(_) => (0..count).flat_map(|at| ((at * 37 % 101) as f32 / 7.0 - 6.5).to_le_bytes()).collect(),
        _ => (0..count).map(|at| (at % 2) as u8).collect(),
    };
    Tensor::new(r#type.element().clone(), shape, Blob::copy_of(&bytes)).expect("the number of bytes matches the shape")
}

#[test]
fn movements_are_exact_and_all_are_met() {
    let mut met: IndexSet<&str> = IndexSet::default();
    for expression in EXPRESSIONS {
        let ((plain, _), (optimized, rules)) = (run(expression, false), run(expression, true));
        assert_eq!(plain, optimized, "{expression}");
        met.extend(rules);
    }
    let is_moving =
        |rule: &&crate::rules::Compiled| rule.rule.kind == Kind::Exact && !elementwise::is_elementwise(&rule.from);
    let missed: Vec<&str> =
        RULES.all.iter().filter(is_moving).map(|rule| rule.rule.name).filter(|name| !met.contains(name)).collect();
    assert!(missed.is_empty(), "no expression is the left side of {missed:?}");
}
