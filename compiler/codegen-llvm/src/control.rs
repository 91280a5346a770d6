//! Branches, calls and returns.

use dialects::rt::attributes::ROLLED;
use dialects::{OpCodes, cf, func};
use inkwell::IntPredicate;
use inkwell::basic_block::BasicBlock;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum};
use ir::Op;

use crate::function::{Failure, Translated, Translator};
use crate::rolled::keep_rolled;

impl<'a, 'c> Translator<'a, 'c> {
    /// Operations of `cf` and `func`.
    pub(crate) fn control_op(&mut self, op: Op) -> Translated<()> {
        let body = self.body;
        match body.code(op) {
            Some(cf::BR) => {
                let target = self.enter(op, 0, body.op(op).operands())?;
                self.builder.build_unconditional_branch(target)?;
            }
            Some(cf::COND_BR) => self.conditional_branch(op)?,
            Some(cf::SWITCH) => self.switch(op)?,
            Some(func::RETURN) => match body.op(op).operands() {
                [] => drop(self.builder.build_return(None)?),
                &[value] => drop(self.builder.build_return(Some(&self.value(value)))?),
                _ => return Err(Failure::Broken("returns more than one value")),
            },
            Some(func::CALL) => self.call(op)?,
            _ => return Err(Failure::Unknown),
        }
        Ok(())
    }

    /// Records the values that reach a successor from here, and returns the successor.
    fn enter(&self, op: Op, successor: usize, operands: &[ir::Value]) -> Translated<BasicBlock<'c>> {
        let here = self.builder.get_insert_block().ok_or(Failure::Broken("is not inside a block"))?;
        let (target, phis) = self.target(op, successor);
        if phis.len() != operands.len() {
            return Err(Failure::Broken("forwards values that do not match its successor"));
        }
        for (phi, &operand) in phis.iter().zip(operands) {
            phi.add_incoming(&[(&self.value(operand), here)]);
        }
        Ok(target)
    }

    /// An intermediate block before a successor, so that two edges to one block stay distinct.
    fn enter_by_detour(&self, op: Op, successor: usize, operands: &[ir::Value]) -> Translated<BasicBlock<'c>> {
        let here = self.builder.get_insert_block().ok_or(Failure::Broken("is not inside a block"))?;
        let detour = self.unit.context.append_basic_block(self.function, "");
        self.builder.position_at_end(detour);
        let target = self.enter(op, successor, operands)?;
        self.builder.build_unconditional_branch(target)?;
        self.builder.position_at_end(here);
        Ok(detour)
    }

    /// Splits an operation's operands by its `operandSegmentSizes`.
    fn segments(&self, op: Op) -> Translated<Vec<&'a [ir::Value]>> {
        let sizes = self.body.op(op).attributes.integers("operandSegmentSizes").unwrap_or_default();
        let body = self.body;
        let mut rest = body.op(op).operands();
        let mut segments = Vec::new();
        for size in sizes.iter().copied() {
            let segment = usize::try_from(size).ok().and_then(|size| rest.split_off(..size));
            segments.push(segment.ok_or(Failure::Broken("has operandSegmentSizes that do not match its operands"))?);
        }
        Ok(segments)
    }

    fn conditional_branch(&mut self, op: Op) -> Translated<()> {
        let segments = self.segments(op)?;
        let &[&[condition], on_true, on_false] = segments.as_slice() else {
            return Err(Failure::Broken("needs three operand segments"));
        };
        let BasicValueEnum::IntValue(condition) = self.value(condition) else {
            return Err(Failure::Broken("needs a condition of i1"));
        };
        let successors = self.body.op(op).successors();
        let otherwise = match successors[0] == successors[1] {
            true => self.enter_by_detour(op, 1, on_false)?,
            false => self.enter(op, 1, on_false)?,
        };
        let then = self.enter(op, 0, on_true)?;
        let branch = self.builder.build_conditional_branch(condition, then, otherwise)?;
        if self.body.attribute(op, ROLLED).is_some() {
            keep_rolled(self.unit.context, branch);
        }
        Ok(())
    }

    /// A chain of comparisons: switches have few cases here, and LLVM recognises them.
    fn switch(&mut self, op: Op) -> Translated<()> {
        let attributes = &self.body.op(op).attributes;
        let cases = attributes.get("case_values").and_then(|values| values.as_dense()?.integers()).unwrap_or_default();
        let sizes = attributes.integers("case_operand_segments").unwrap_or_default();
        let segments = self.segments(op)?;
        let &[&[flag], default, mut operands] = segments.as_slice() else {
            return Err(Failure::Broken("needs three operand segments"));
        };
        if sizes.len() != cases.len() {
            return Err(Failure::Broken("has case_operand_segments that do not match its cases"));
        }
        let flag = self.value(flag);
        for (index, (&case, &size)) in cases.iter().zip(sizes.iter()).enumerate() {
            let arguments = usize::try_from(size).ok().and_then(|size| operands.split_off(..size));
            let arguments =
                arguments.ok_or(Failure::Broken("has case_operand_segments that do not match its cases"))?;
            let case = self.splat_constant(flag.get_type(), case)?;
            let BasicValueEnum::IntValue(equal) = self.compare_integers(IntPredicate::EQ, flag, case)? else {
                return Err(Failure::Broken("needs an integer"));
            };
            let target = self.enter(op, index + 1, arguments)?;
            let next = self.unit.context.append_basic_block(self.function, "");
            self.builder.build_conditional_branch(equal, target, next)?;
            self.builder.position_at_end(next);
        }
        let target = self.enter(op, 0, default)?;
        self.builder.build_unconditional_branch(target)?;
        Ok(())
    }

    fn call(&mut self, op: Op) -> Translated<()> {
        let operation = self.body.op(op);
        let callee = operation.attributes.get("callee").and_then(|callee| callee.as_symbol());
        let callee = callee.ok_or(Failure::Broken("has no callee"))?;
        let types = |values: &[ir::Value]| values.iter().map(|&v| self.body.value_type(v).clone()).collect::<Vec<_>>();
        let function = self.external(callee, &types(operation.operands()), &types(operation.results()))?;
        let arguments: Vec<BasicMetadataValueEnum<'c>> =
            operation.operands().iter().map(|&operand| self.value(operand).into()).collect();
        let call = self.builder.build_call(function, &arguments, "")?;
        if let (&[result], Some(value)) = (operation.results(), call.try_as_basic_value().basic()) {
            self.define(result, value);
        }
        Ok(())
    }
}
