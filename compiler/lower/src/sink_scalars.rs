//! Scalar constants that all calls of a kernel agree on become constants of the kernel: code with a constant factor,
//! exponent or limit is shorter. If calls differ, the constant stays an argument, and the kernel is shared.

use dialects::linalg::generic::Generic;
use dialects::{OpCodes, arith};
use ir::{Attribute, Attributes, Body, Location, Op, Value};

use crate::contraction::Contraction;
use crate::outline::{Kernel, is_one_element};

/// Moves the one-element tensors that are equal in all calls into the kernel; `host` contains the calls.
pub(crate) fn sink_scalars(host: &mut Body, kernel: &mut Kernel) {
    let entry = kernel.body.entry().expect("a kernel has a block");
    for index in (0..kernel.r#type.inputs.len()).rev() {
        let Some(attributes) = agreed_number(host, &kernel.calls, index) else { continue };
        let argument = kernel.body.arguments(entry)[index];
        if is_multiplied(&kernel.body, argument) {
            continue;
        }
        let r#type = kernel.r#type.inputs.remove(index);
        let constant = kernel.body.create_op(arith::CONSTANT, &[], &[r#type], attributes, Location::Unknown);
        kernel.body.insert(entry, None, constant);
        kernel.body.replace_all_uses(argument, kernel.body.result(constant, 0));
        kernel.body.remove_argument(entry, index);
        for &call in &kernel.calls {
            let mut operands = host.op(call).operands().to_vec();
            operands.remove(index);
            host.set_operands(call, &operands);
        }
    }
}

/// Whether a contraction reads a value: micro-kernels take the addresses of their operands.
fn is_multiplied(kernel: &Body, value: Value) -> bool {
    kernel.uses(value).iter().any(|reader| {
        let generic = Generic::of(kernel, reader.op);
        generic.is_some_and(|generic| Contraction::of(kernel, &generic).is_some())
    })
}

/// The common constant of operand `index` in all calls.
fn agreed_number(host: &Body, calls: &[Op], index: usize) -> Option<Attributes> {
    let (first, others) = calls.split_first()?;
    let number = number(host, host.operand(*first, index))?;
    let same = |call: &Op| self::number(host, host.operand(*call, index)) == Some(number);
    others.iter().all(same).then(|| number.clone())
}

fn number(host: &Body, value: Value) -> Option<&Attributes> {
    let r#type = host.value_type(value);
    let op = host.defining_op(value).filter(|&op| host.is(op, arith::CONSTANT))?;
    let attributes = &host.op(op).attributes;
    let dense = attributes.get("value").and_then(Attribute::as_dense)?;
    (is_one_element(r#type) && dense.has_scalar_attributes()).then_some(attributes)
}
