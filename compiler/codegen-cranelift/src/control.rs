//! Branches, calls and returns.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, BlockArg, InstBuilder, Value};
use dialects::{OpCodes, cf, func};
use ir::Op;

use crate::function::{Translated, Translator};

impl<'a> Translator<'a> {
    /// Operations of `cf` and `func`.
    pub(crate) fn control_op(&mut self, op: Op) -> Translated<()> {
        match self.body.code(op) {
            Some(cf::BR) => {
                let target = self.target(op, 0);
                let arguments = self.forwarded(self.body.op(op).operands());
                self.builder.ins().jump(target, &arguments);
            }
            Some(cf::COND_BR) => self.conditional_branch(op)?,
            Some(cf::SWITCH) => self.switch(op)?,
            Some(func::RETURN) => {
                let values: Vec<Value> =
                    self.body.op(op).operands().iter().flat_map(|&v| self.parts(v).to_vec()).collect();
                self.builder.ins().return_(&values);
            }
            Some(func::CALL) => self.call(op)?,
            _ => return Err(self.unknown(op)),
        }
        Ok(())
    }

    fn target(&self, op: Op, index: usize) -> Block {
        self.blocks[self.body.op(op).successors()[index]].expect("successors of reachable blocks are reachable")
    }

    fn forwarded(&self, operands: &[ir::Value]) -> Vec<BlockArg> {
        operands.iter().flat_map(|&operand| self.parts(operand)).map(|&part| BlockArg::from(part)).collect()
    }

    /// Splits an operation's operands by its `operandSegmentSizes`.
    fn segments(&self, op: Op) -> Translated<Vec<&'a [ir::Value]>> {
        let sizes = self.body.op(op).attributes.integers("operandSegmentSizes").unwrap_or_default();
        let body = self.body;
        let operands = body.op(op).operands();
        if sizes.iter().sum::<i64>() != operands.len() as i64 || sizes.iter().any(|&size| size < 0) {
            return Err(self.broken(op, "has operandSegmentSizes that do not match its operands"));
        }
        let mut rest = operands;
        Ok(sizes.iter().map(|&size| rest.split_off(..size as usize).expect("sizes add up")).collect())
    }

    fn conditional_branch(&mut self, op: Op) -> Translated<()> {
        let segments = self.segments(op)?;
        let &[condition, on_true, on_false] = segments.as_slice() else {
            return Err(self.broken(op, "needs three operand segments"));
        };
        let (condition, on_true, on_false) =
            (self.single(condition[0]), self.forwarded(on_true), self.forwarded(on_false));
        let (then, otherwise) = (self.target(op, 0), self.target(op, 1));
        self.builder.ins().brif(condition, then, &on_true, otherwise, &on_false);
        Ok(())
    }

    /// A chain of comparisons: switches have few cases here.
    fn switch(&mut self, op: Op) -> Translated<()> {
        let attributes = &self.body.op(op).attributes;
        let cases = attributes.get("case_values").and_then(|values| values.as_dense()?.integers()).unwrap_or_default();
        let sizes = attributes.integers("case_operand_segments").unwrap_or_default();
        let segments = self.segments(op)?;
        let &[flag, default, mut operands] = segments.as_slice() else {
            return Err(self.broken(op, "needs three operand segments"));
        };
        if sizes.len() != cases.len() || sizes.iter().sum::<i64>() != operands.len() as i64 {
            return Err(self.broken(op, "has case_operand_segments that do not match its cases"));
        }
        let (flag, default) = (self.single(flag[0]), self.forwarded(default));
        for (index, (&case, &size)) in cases.iter().zip(sizes.iter()).enumerate() {
            let arguments = self.forwarded(operands.split_off(..size as usize).expect("sizes add up"));
            let equal = self.builder.ins().icmp_imm_s(IntCC::Equal, flag, case);
            let next = self.builder.create_block();
            let target = self.target(op, index + 1);
            self.builder.ins().brif(equal, target, &arguments, next, &[]);
            self.builder.switch_to_block(next);
        }
        let target = self.target(op, 0);
        self.builder.ins().jump(target, &default);
        Ok(())
    }

    fn call(&mut self, op: Op) -> Translated<()> {
        let operation = self.body.op(op);
        let callee = operation.attributes.get("callee").and_then(|callee| callee.as_symbol());
        let callee = callee.ok_or_else(|| self.broken(op, "has no callee"))?.to_string();
        let types = |values: &[ir::Value]| values.iter().map(|&v| self.body.value_type(v).clone()).collect::<Vec<_>>();
        let (inputs, results) = (types(operation.operands()), types(operation.results()));
        let function = self.function(op, &callee, &inputs, &results)?;
        let arguments: Vec<Value> = operation.operands().iter().flat_map(|&v| self.parts(v).to_vec()).collect();
        let call = self.builder.ins().call(function, &arguments);
        let values = self.builder.inst_results(call).to_vec();
        for (&result, value) in operation.results().iter().zip(values) {
            self.define(result, vec![value]);
        }
        Ok(())
    }
}
