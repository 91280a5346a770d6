//! The interface of shape rules to an operation.

use dialects::onnx::views::View;
use ir::{Attribute, Attributes, DimExpr, Op, Type, Value};

use super::{Analyser, Answer, Condition, Elements, Remark, Requirement, Shape};

/// An operation and its context.
pub struct Node<'a, 'b> {
    pub(crate) analyser: &'a mut Analyser<'b>,
    pub(crate) op: Op,
}

impl<'b> Node<'_, 'b> {
    /// The view of the operation.
    pub(crate) fn view<V: View>(&self) -> V {
        V::of(self.analyser.body, self.op)
    }

    /// The shape of an operand, if its rank is known.
    pub(crate) fn shape_of(&self, operand: Value) -> Option<Shape> {
        self.analyser.known.shape(operand).map(<[DimExpr]>::to_vec)
    }

    /// The element type of an operand.
    pub(crate) fn element_of(&self, operand: Value) -> &'b Type {
        self.analyser.body.value_type(operand).element()
    }

    /// The only element of an operand, if it is known.
    pub(crate) fn number_of(&self, operand: Value) -> Option<DimExpr> {
        match self.elements_of(operand)?.as_slice() {
            [only] => only.clone(),
            _ => None,
        }
    }

    /// Number of operands, omitted ones included.
    pub(crate) fn operand_count(&self) -> usize {
        self.analyser.body.op(self.op).operands().len()
    }

    /// Number of results, omitted ones included.
    pub(crate) fn result_count(&self) -> usize {
        self.analyser.body.op(self.op).results().len()
    }

    /// Operand `index`, unless it is omitted.
    pub(crate) fn operand(&self, index: usize) -> Option<Value> {
        let value = self.analyser.body.op(self.op).operands().get(index).copied()?;
        (*self.analyser.body.value_type(value) != Type::None).then_some(value)
    }

    /// The shape of operand `index`, if its rank is known.
    pub(crate) fn shape(&self, index: usize) -> Option<Shape> {
        self.analyser.known.shape(self.operand(index)?).map(<[DimExpr]>::to_vec)
    }

    /// The elements of operand `index`, as far as they are known.
    pub(crate) fn elements(&self, index: usize) -> Option<&Elements> {
        self.elements_of(self.operand(index)?)
    }

    /// The elements of an operand, as far as they are known.
    pub(crate) fn elements_of(&self, operand: Value) -> Option<&Elements> {
        self.analyser.known.facts.get(&operand)?.elements.as_ref()
    }

    /// The number of elements of a list, if it is a constant. A list that is too long to be followed has no known
    /// length: its length may be a mere declaration.
    pub(crate) fn list_length(&self, list: Value) -> Option<usize> {
        let shape = self.shape_of(list)?;
        let [length] = shape.as_slice() else { return None };
        usize::try_from(length.as_constant()?).ok().filter(|&length| length <= super::ELEMENT_LIMIT)
    }

    /// The elements of an operand, if all are known.
    pub(crate) fn known_of(&self, operand: Value) -> Option<Vec<DimExpr>> {
        self.elements_of(operand)?.iter().cloned().collect()
    }

    /// The elements of an operand, if all are constants.
    pub(crate) fn numbers_of(&self, operand: Value) -> Option<Vec<i64>> {
        self.elements_of(operand)?.iter().map(|element| element.as_ref()?.as_constant()).collect()
    }

    /// The elements of operand `index`, if all are known.
    pub(crate) fn known(&self, index: usize) -> Option<Vec<DimExpr>> {
        self.known_of(self.operand(index)?)
    }

    /// The elements of operand `index`, if all are constants.
    pub(crate) fn numbers(&self, index: usize) -> Option<Vec<i64>> {
        self.numbers_of(self.operand(index)?)
    }

    /// The floats of an operand, if it is a constant or its elements are known to be integral.
    pub(crate) fn floats_of(&self, value: Value) -> Option<Vec<f64>> {
        if let Some(Attribute::Dense(dense)) = ir::constant_value(self.analyser.body, value)
            && dense.element_count() <= super::ELEMENT_LIMIT
            && dense.r#type.element().is_float()
        {
            return dense.floats();
        }
        Some(self.numbers_of(value)?.into_iter().map(|number| number as f64).collect())
    }

    /// The numbers in a list; their number follows from its length if they are unknown.
    pub(crate) fn list_of(&self, operand: Value) -> Option<Elements> {
        if let Some(elements) = self.elements_of(operand) {
            return Some(elements.clone());
        }
        self.list_length(operand).map(|length| vec![None; length])
    }

    /// The sizes in a one-dimensional shape operand. Unknown ones are checked by the run.
    pub(crate) fn sizes_of(&mut self, operand: Value) -> Option<Elements> {
        let sizes = self.list_of(operand);
        let are_known = sizes.as_ref().is_some_and(|sizes| sizes.iter().all(Option::is_some));
        self.checked_unless(are_known);
        sizes
    }

    /// Records that the operation checks operands that decide its extents, unless they are known.
    fn checked_unless(&mut self, are_known: bool) {
        if !are_known {
            self.analyser.known.checked.insert(self.op);
        }
    }

    /// All attributes.
    pub(crate) fn attributes(&self) -> &'b Attributes {
        &self.analyser.body.op(self.op).attributes
    }

    /// An attribute.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'b Attribute> {
        self.analyser.body.attribute(self.op, name)
    }

    /// An integer array attribute.
    pub(crate) fn integers(&self, name: &str) -> Option<Vec<i64>> {
        Some(self.attribute(name)?.as_integers()?.to_vec())
    }

    /// A symbol for extent `axis` of result `result`, which is only known from the finished value.
    pub(crate) fn fresh(&mut self, result: usize, axis: usize) -> DimExpr {
        let value = self.analyser.body.result(self.op, result);
        self.analyser.known.fresh(self.analyser.body, value, axis)
    }

    /// States a condition for the node to be valid. If it is known to be false, the error is `message`.
    pub(crate) fn require(&mut self, condition: Condition, message: impl FnOnce() -> String) -> Result<(), String> {
        match condition.decide() {
            Some(true) => Ok(()),
            Some(false) => Err(message()),
            None => {
                let requirement = Requirement { condition, message: message() };
                self.analyser.known.requirements.entry(self.op).or_default().push(requirement);
                Ok(())
            }
        }
    }

    /// Remarks that the node breaks a rule, though it can be computed.
    pub(crate) fn remark(&mut self, rule: &'static str, message: String) {
        self.analyser.known.remarks.entry(self.op).or_default().push(Remark { rule, message });
    }

    /// States that two extents are equal; `what` describes them.
    pub(crate) fn expect_equal(&mut self, a: &DimExpr, b: &DimExpr, what: &str) -> Result<(), String> {
        self.require(Condition::Equal(a.clone(), b.clone()), || format!("{what} {a} and {b} differ"))
    }

    /// States that `a` is a multiple of `b`, which is positive, and returns the quotient; `whole` and `parts` describe
    /// them.
    pub(crate) fn expect_multiple(
        &mut self,
        (a, whole): (&DimExpr, &str),
        (b, parts): (&DimExpr, &str),
    ) -> Result<DimExpr, String> {
        if b.as_constant().is_some_and(|b| b < 1) {
            return Err(format!("{b} {parts}, expected a positive number"));
        }
        let divisor = DimExpr::max(b, &DimExpr::ONE);
        let quotient = a.floor_div(&divisor);
        let message = || format!("{a} {whole}, expected a multiple of {b} {parts}");
        self.require(Condition::Equal(quotient.mul(&divisor), a.clone()), message)?;
        Ok(quotient)
    }

    /// States that operand `index`, if present, has a shape.
    pub(crate) fn expect_shape(
        &mut self,
        operand: Option<Value>,
        expected: &[DimExpr],
        what: &str,
    ) -> Result<(), String> {
        let Some(shape) = operand.and_then(|operand| self.shape_of(operand)) else { return Ok(()) };
        let message = || format!("{what} has shape {}, not {}", list(&shape), list(expected));
        if shape.len() != expected.len() {
            return Err(message());
        }
        for (found, expected) in shape.iter().zip(expected) {
            self.require(Condition::Equal(found.clone(), expected.clone()), message)?;
        }
        Ok(())
    }

    /// States that operand `index`, if present, is broadcast to a shape of the same or a higher rank.
    pub(crate) fn expect_stretches(
        &mut self,
        operand: Option<Value>,
        to: &[DimExpr],
        what: &str,
    ) -> Result<(), String> {
        let Some(shape) = operand.and_then(|operand| self.shape_of(operand)) else { return Ok(()) };
        let message = || format!("{what} of shape {} does not broadcast to {}", list(&shape), list(to));
        let shift = to.len().checked_sub(shape.len()).ok_or_else(message)?;
        for (from, to) in shape.iter().zip(&to[shift..]) {
            self.require(Condition::Stretches(from.clone(), to.clone()), message)?;
        }
        Ok(())
    }

    /// The more specific of two extents that must be equal.
    pub(crate) fn unify(&mut self, a: &DimExpr, b: &DimExpr) -> Result<DimExpr, String> {
        self.require(Condition::Equal(a.clone(), b.clone()), || format!("extent {a} meets extent {b}"))?;
        Ok(if b.as_constant().is_some() { b.clone() } else { a.clone() })
    }

    /// Multidirectional broadcasting of two shapes.
    pub(crate) fn broadcast(&mut self, a: &[DimExpr], b: &[DimExpr]) -> Result<Shape, String> {
        let rank = a.len().max(b.len());
        (0..rank).map(|axis| self.broadcast_extent(&extent_of(a, axis, rank), &extent_of(b, axis, rank))).collect()
    }

    /// The broadcast of two extents.
    pub(crate) fn broadcast_extent(&mut self, a: &DimExpr, b: &DimExpr) -> Result<DimExpr, String> {
        // the rest handles extents that differ, and extents that are broadcasts themselves
        if (a == b || *a == DimExpr::ONE) && !matches!(b, DimExpr::Broadcast(_)) {
            return Ok(b.clone());
        }
        if *b == DimExpr::ONE && !matches!(a, DimExpr::Broadcast(_)) {
            return Ok(a.clone());
        }
        let message = || format!("extent {a} does not broadcast with extent {b}");
        let joint = a.broadcast(b);
        let Some(settled) = self.analyser.known.settled.get(&joint).cloned() else {
            self.require(Condition::Broadcast(a.clone(), b.clone()), message)?;
            return Ok(joint);
        };
        for extent in [a, b] {
            self.require(Condition::Stretches(extent.clone(), settled.clone()), message)?;
        }
        Ok(settled)
    }

    /// The shapes of results, without negative extents.
    pub(super) fn expect_extents(&mut self, shapes: Vec<Option<Shape>>) -> Answer {
        for (index, shape) in shapes.iter().enumerate().take(self.result_count()) {
            for (axis, dim) in shape.iter().flatten().enumerate() {
                if matches!(dim, DimExpr::Constant(0..)) || self.is_operand_extent(dim) {
                    continue;
                }
                let message = || format!("extent {axis} of result {index} is {dim}, which is negative");
                self.require(Condition::Extent(dim.clone()), message)?;
            }
        }
        Ok(shapes)
    }

    /// Whether an operand has this extent, which was already checked where the operand was computed.
    fn is_operand_extent(&self, dim: &DimExpr) -> bool {
        let operands = self.analyser.body.op(self.op).operands();
        operands.iter().any(|&operand| self.analyser.known.shape(operand).is_some_and(|shape| shape.contains(dim)))
    }

    /// The axes in an operand, counted from the front. `Ok(None)` if they are unknown, so that the run checks them, or
    /// omitted.
    pub(crate) fn axes_of(&mut self, operand: Option<Value>, rank: usize) -> Result<Option<Vec<usize>>, String> {
        let axes = operand.and_then(|operand| self.numbers_of(operand));
        self.checked_unless(operand.is_none() || axes.is_some());
        axes.map(|axes| axes.into_iter().map(|axis| normalize_axis(axis, rank)).collect()).transpose()
    }

    /// A list of axes: operand `operand`, or attribute `axes`. `Ok(None)` if it is unknown, or omitted.
    pub(crate) fn axes(&self, operand: usize, rank: usize) -> Result<Option<Vec<usize>>, String> {
        let axes = self.numbers(operand).or_else(|| self.integers("axes"));
        axes.map(|axes| axes.into_iter().map(|axis| normalize_axis(axis, rank)).collect()).transpose()
    }
}

/// Refuses a list that names an axis twice.
pub(crate) fn expect_distinct(axes: &[usize]) -> Result<(), String> {
    match (1..axes.len()).find(|&at| axes[..at].contains(&axes[at])) {
        Some(at) => Err(format!("axis {} is given twice", axes[at])),
        None => Ok(()),
    }
}

/// An axis counted from the front.
pub(crate) fn normalize_axis(axis: i64, rank: usize) -> Result<usize, String> {
    let counted = if axis < 0 { axis + rank as i64 } else { axis };
    if (0..rank as i64).contains(&counted) {
        Ok(counted as usize)
    } else {
        Err(format!("axis {axis} does not exist in rank {rank}"))
    }
}

/// The larger of an expression and zero.
pub(crate) fn at_least_zero(extent: DimExpr) -> DimExpr {
    DimExpr::max(&extent, &DimExpr::ZERO)
}

/// Extent `axis` of a shape extended to rank `rank` by leading extents of 1.
pub(crate) fn extent_of(shape: &[DimExpr], axis: usize, rank: usize) -> DimExpr {
    (axis + shape.len()).checked_sub(rank).map_or(DimExpr::ONE, |axis| shape[axis].clone())
}

/// `[2, N, 3]`
pub(crate) fn list(shape: &[DimExpr]) -> String {
    format!("[{}]", shape.iter().map(DimExpr::to_string).collect::<Vec<_>>().join(", "))
}
