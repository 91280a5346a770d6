//! Functions that apply operations to the elements of buffers.

use dialects::arith::CmpIPredicate;
use dialects::{arith, cf, func, memref, rt, vector};
use ir::{Attribute, Attributes, Body, Builder, DenseElements, FunctionType, Location, Module, Type, Value};

use crate::COUNT;

/// Elements of a type in lanes; one lane is a scalar.
pub(crate) fn typed(element: &Type, lanes: usize) -> Type {
    if lanes == 1 { element.clone() } else { Type::vector(&[lanes as i64], element.clone()) }
}

/// Adds `@name(%table) -> 0`, which computes a result from the elements of each input, in vectors of `lanes`. The table
/// has the addresses of the inputs and then of the results.
pub(crate) fn add_function(
    module: &mut Module,
    name: &str,
    (inputs, result): (&[Type], &Type),
    lanes: usize,
    compute: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value,
) {
    let table = Type::memref([None], Type::I64);
    let mut body = Body::new();
    let root = body.root();
    let entry = body.add_block(root, std::slice::from_ref(&table));
    let head = body.add_block(root, &[Type::Index]);
    let [inner, exit] = [(); 2].map(|()| body.add_block(root, &[]));
    let (arguments, at) = (body.arguments(entry).to_vec(), body.arguments(head)[0]);
    let mut b = Builder::at_end(&mut body, entry);
    let buffers: Vec<Type> =
        inputs.iter().chain([result]).map(|element| Type::memref([None], element.clone())).collect();
    let words: Vec<i64> = (0..buffers.len() as i64).collect();
    let unpacked = b.create(rt::UNPACK, &arguments, &buffers, rt::words::attributes(&words));
    let buffers = b.body.op(unpacked).results().to_vec();
    let [zero, step, end] = [0, lanes, COUNT].map(|number| b.constant_index(number as i64));
    let branch = b.create(cf::BR, &[zero], &[], []);
    b.body.set_successors(branch, &[head]);
    b.set_block(head);
    let more = b.value(arith::CMPI, &[at, end], Type::I1, [CmpIPredicate::Slt.attribute()]);
    let segments = Attribute::i32_dense_array(&[1, 0, 0]);
    let branch = b.create(cf::COND_BR, &[more], &[], [("operandSegmentSizes", segments)]);
    b.body.set_successors(branch, &[inner, exit]);
    b.set_block(inner);
    let (load, store) = if lanes == 1 { (memref::LOAD, memref::STORE) } else { (vector::LOAD, vector::STORE) };
    let loaded: Vec<Value> = inputs
        .iter()
        .zip(&buffers)
        .map(|(element, &buffer)| b.value(load, &[buffer, at], typed(element, lanes), []))
        .collect();
    let computed = compute(&mut b, &loaded);
    b.create(store, &[computed, buffers[inputs.len()], at], &[], []);
    let next = b.value(arith::ADDI, &[at, step], Type::Index, []);
    let branch = b.create(cf::BR, &[next], &[], []);
    b.body.set_successors(branch, &[head]);
    b.set_block(exit);
    let status = b.constant(Attribute::i64(0), Type::I64);
    b.create(func::RETURN, &[status], &[], []);
    let r#type = FunctionType { inputs: vec![table], results: vec![Type::I64] };
    module.add_function(name, r#type, Attributes::new(), body, Location::Unknown);
}

/// The same constant in each lane, given by its bits.
pub(crate) fn constant(builder: &mut Builder<'_>, element: &Type, lanes: usize, bits: u64) -> Value {
    let (width, r#type) = (element.byte_width().expect("elements have a width"), typed(element, lanes));
    let elements = DenseElements::splat(r#type.clone(), &bits.to_le_bytes()[..width]);
    let value = if lanes == 1 { elements.element_attribute(0) } else { Attribute::dense(elements) };
    builder.constant(value, r#type)
}
