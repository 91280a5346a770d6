//! Checks of the calls of micro-kernels: before each call the runtime compares what the kernel accesses through its
//! operands ([`abi::accesses`]) with the bounds of their buffers.

use abi::accesses::{BUFFER_WORDS, FAULT_WORDS, Kernel, Operand};
use dialects::arith::CmpIPredicate;
use dialects::rt::words::{attributes, pack};
use dialects::{OpCodes, arith, func, rt};
use ir::{Attribute, Body, Builder, Diagnostic, Op, Result, Type, Value};

use super::{Checker, Root};
use crate::low::provenance::Origin;
use crate::low::scope::{callee, stack_table};

/// The runtime's function that checks a call.
const CHECK: &str = "rt_check_call";
/// The functions of the runtime that kernels pass integers, but no address.
const WITHOUT_ADDRESSES: [&str; 2] = ["rt_scratch", "rt_winograd_parts"];

/// The function of the runtime that an operation calls with an address or an index, if it does.
fn called_with_address(body: &Body, op: Op) -> Option<&str> {
    let symbol = callee(body, op).filter(|_| body.is(op, func::CALL))?;
    let is_address = |&operand: &Value| matches!(body.value_type(operand), Type::Index | Type::MemRef(_));
    let takes_any = body.op(op).operands().iter().any(is_address);
    (takes_any && symbol.starts_with("rt_") && !WITHOUT_ADDRESSES.contains(&symbol)).then_some(symbol)
}

/// Refuses calls that access memory, in a function without bounds.
pub(super) fn refuse_calls(body: &Body, ops: &[Op]) -> Result<()> {
    match ops.iter().find_map(|&op| Some((op, called_with_address(body, op)?))) {
        Some((op, symbol)) => Err(unchecked_call(body, op, symbol)),
        None => Ok(()),
    }
}

fn unchecked_call(body: &Body, op: Op, symbol: &str) -> Vec<Diagnostic> {
    let message = format!("'{symbol}' accesses a buffer whose bounds are unknown");
    Diagnostic::internal(body.op(op).location.clone(), message).into()
}

/// A call of a micro-kernel.
pub(super) struct KernelCall {
    pub(super) op: Op,
    /// The index of the kernel in [`abi::accesses::KERNELS`].
    index: usize,
    kernel: &'static Kernel,
    /// The memory of each buffer; of a null address there is none, so that each access is refused.
    buffers: Vec<Option<Root>>,
}

/// The table for the checks of a function's calls.
pub(super) fn call_table(body: &mut Body, calls: &[KernelCall]) -> Option<Value> {
    let words = calls.iter().map(|call| call.kernel.words()).max()?;
    let entry = body.entry().expect("the function has a body");
    Some(stack_table(&mut Builder::at_start(body, entry), words))
}

impl Checker<'_> {
    /// The call of a micro-kernel that an operation is, if it is one. Those that are not described are refused in kernels;
    /// the host function only calls routines, which check themselves.
    pub(super) fn kernel_call(&mut self, op: Op) -> Result<Option<KernelCall>> {
        let Some(symbol) = called_with_address(self.body, op) else { return Ok(None) };
        let Some((index, kernel)) = Kernel::find(symbol) else {
            return if self.provenance.is_host { Ok(None) } else { Err(unchecked_call(self.body, op, symbol)) };
        };
        let operands = self.body.op(op).operands().to_vec();
        let mut buffers = Vec::new();
        for (&value, operand) in operands.iter().zip(kernel.operands) {
            if *operand == Operand::Buffer {
                let root = self.buffer_of_call(value);
                buffers.push(root.ok_or_else(|| unchecked_call(self.body, op, kernel.symbol))?);
            }
        }
        if operands.len() != kernel.operands.len() {
            return Err(unchecked_call(self.body, op, kernel.symbol));
        }
        Ok(Some(KernelCall { op, index, kernel, buffers }))
    }

    /// The memory of a buffer that a micro-kernel is passed: no memory for a null address, and `None` if it is not known.
    fn buffer_of_call(&mut self, address: Value) -> Option<Option<Root>> {
        if ir::constant_integer(self.body, address) == Some(0) {
            return Some(None);
        }
        let origin = self.provenance.origin(self.body, address).filter(|origin| *origin != Origin::Words)?;
        self.memory(origin).map(Some)
    }

    /// Checks a call before it.
    pub(super) fn require_call(&mut self, call: &KernelCall, table: Value) {
        let operands = self.body.op(call.op).operands().to_vec();
        let mut builder = Builder::before(self.body, call.op);
        let mut words: Vec<(i64, Value)> = (0..).zip(operands).collect();
        words.retain(|&(word, _)| call.kernel.operands[word as usize] != Operand::Float);
        let null = builder.constant_index(0);
        for (at, root) in call.buffers.iter().enumerate() {
            let known = match root {
                Some(root) => [root.start, root.bytes, builder.constant_index(root.number)],
                None => [null, null, builder.constant_index(self.provenance.number)],
            };
            let first = (call.kernel.operands.len() + at * BUFFER_WORDS) as i64;
            words.extend((first..).zip(known));
        }
        pack(&mut builder, table, &words);
        let index = builder.constant_index(call.index as i64);
        let callee = [("callee", Attribute::symbol(CHECK))];
        let inside = builder.value(func::CALL, &[index, table], Type::I64, callee);
        const FAULT: [i64; FAULT_WORDS] = [0, 1, 2, 3];
        let types = [Type::I64, Type::Index, Type::Index, Type::Index];
        let fault = builder.create(rt::UNPACK, &[table], &types, attributes(&FAULT));
        let zero = builder.constant(Attribute::i64(0), Type::I64);
        let fits = builder.value(arith::CMPI, &[inside, zero], Type::I1, [CmpIPredicate::Ne.attribute()]);
        let last = self.body.defining_op(fits).expect("just made");
        let report = std::array::from_fn(|at| self.body.result(fault, at));
        self.leave_unless(last, fits, report);
    }
}
