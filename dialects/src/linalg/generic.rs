//! `linalg.generic`: decoding and building.
//!
//! At the structured level every computation is a `linalg.generic`; there are no named operations.
//!
//! Invariants
//! - Output maps are projected permutations, except that a result dimension of extent 1 may be the constant 0 (a
//!   reduction that keeps its dimensions).
//! - Bodies are one block of pure scalar operations; they may read scalars defined outside the operation.
//! - The initial value of an operation without reduction iterators is never read.

use super::{GENERIC, YIELD};
use crate::rt::attributes::PARTIAL;
use crate::{OpCodes, arith};
use ir::{AffineExpr, AffineMap, Attribute, Attributes, Block, Body, Builder, Op, Type, Value};

/// The kind of one loop of a generic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Iterator {
    /// Iterations are independent and write different elements.
    Parallel,
    /// Iterations accumulate into the same elements.
    Reduction,
}

impl Iterator {
    fn keyword(self) -> &'static str {
        match self {
            Iterator::Parallel => "iterator_type<parallel>",
            Iterator::Reduction => "iterator_type<reduction>",
        }
    }

    /// `#linalg.iterator_type<…>`
    pub fn attribute(self) -> Attribute {
        Attribute::Dialect("linalg".into(), self.keyword().into())
    }

    /// The kind in an attribute.
    fn of(attribute: &Attribute) -> Iterator {
        match attribute {
            Attribute::Dialect(_, text) if **text == *Iterator::Reduction.keyword() => Iterator::Reduction,
            _ => Iterator::Parallel,
        }
    }

    /// `[#linalg.iterator_type<…>, …]`
    fn attributes(iterators: &[Iterator]) -> Attribute {
        let mut attributes: Vec<Attribute> = Vec::with_capacity(iterators.len());
        for (at, iterator) in iterators.iter().enumerate() {
            // iterators of one kind share their text
            let known = iterators[..at].iter().rposition(|other| other == iterator);
            attributes.push(known.map_or_else(|| iterator.attribute(), |known| attributes[known].clone()));
        }
        Attribute::Array(attributes.into())
    }
}

/// A `linalg.generic` operation, decoded.
#[derive(Clone, Debug)]
pub struct Generic {
    /// The operation.
    pub op: Op,
    /// Input operands.
    pub inputs: Vec<Value>,
    /// Output operands: the initial values of the results.
    pub inits: Vec<Value>,
    /// One map per operand, inputs first.
    pub maps: Vec<AffineMap>,
    /// One kind per loop.
    pub iterators: Vec<Iterator>,
    /// The scalar computation.
    pub block: Block,
    /// Whether it may read a part of an operand at its own loop indices ([`PARTIAL`]).
    pub is_partial: bool,
}

impl Generic {
    /// Decodes `op`, or `None` for any other operation.
    pub fn of(body: &Body, op: Op) -> Option<Generic> {
        if !body.is(op, GENERIC) {
            return None;
        }
        let attributes = &body.op(op).attributes;
        let segments = attributes.integers("operandSegmentSizes")?;
        let operands = body.op(op).operands();
        let (inputs, inits) = operands.split_at(segments[0] as usize);
        let iterators = attributes.get("iterator_types")?.as_array()?;
        let mut generic = Generic {
            op,
            inputs: inputs.to_vec(),
            inits: inits.to_vec(),
            maps: written_maps(body, op)?,
            iterators: iterators.iter().map(Iterator::of).collect(),
            block: body.blocks(body.op(op).regions()[0])[0],
            is_partial: attributes.get(PARTIAL).is_some(),
        };
        generic.drop_modulo(body);
        Some(generic)
    }

    /// Decodes `op` if some loop of it is a reduction.
    pub fn reducing(body: &Body, op: Op) -> Option<Generic> {
        let iterators = body.attribute(op, "iterator_types")?.as_array()?;
        let reduces = iterators.iter().any(|iterator| Iterator::of(iterator) == Iterator::Reduction);
        if reduces { Generic::of(body, op) } else { None }
    }

    /// Drops moduli that have no effect, given the extents of the loops.
    fn drop_modulo(&mut self, body: &Body) {
        let is_modulo = |e: &AffineExpr| matches!(e, AffineExpr::Mod(..));
        if !self.maps.iter().any(|map| map.results.iter().any(is_modulo)) {
            return;
        }
        let extents = self.extents(body);
        for result in self.maps.iter_mut().flat_map(|map| &mut map.results) {
            if let AffineExpr::Mod(inner, divisor) = result
                && let AffineExpr::Constant(divisor) = **divisor
                && largest(inner, &extents).is_some_and(|largest| largest < divisor)
            {
                *result = (**inner).clone();
            }
        }
    }

    /// The generic operation that defines `value`.
    pub fn defining(body: &Body, value: Value) -> Option<Generic> {
        Generic::of(body, body.defining_op(value)?)
    }

    /// Number of loops.
    pub fn rank(&self) -> usize {
        self.iterators.len()
    }

    /// The map of output `index`.
    pub fn output_map(&self, index: usize) -> &AffineMap {
        &self.maps[self.inputs.len() + index]
    }

    /// Whether some loop is a reduction.
    pub fn is_reduction(&self) -> bool {
        self.iterators.contains(&Iterator::Reduction)
    }

    /// The yielded values, one per result.
    pub fn yields<'a>(&self, body: &'a Body) -> &'a [Value] {
        let end = body.terminator(self.block).expect("a generic's block ends in linalg.yield");
        body.op(end).operands()
    }

    /// For each loop the first operand and dimension with its extent: `(operand index, dimension)`.
    pub fn extent_sources(&self) -> Vec<Option<(usize, usize)>> {
        (0..self.rank() as u32)
            .map(|dim| {
                // outputs first: their extents are the ones the loop nest must cover
                let order = (self.inputs.len()..self.maps.len()).chain(0..self.inputs.len());
                order.into_iter().find_map(|operand| {
                    let position = self.maps[operand].results.iter().position(|e| *e == AffineExpr::Dim(dim))?;
                    Some((operand, position))
                })
            })
            .collect()
    }

    /// The operand (input or init) at `index` in the order of `maps`.
    pub fn operand(&self, index: usize) -> Value {
        if index < self.inputs.len() { self.inputs[index] } else { self.inits[index - self.inputs.len()] }
    }

    /// Static extents of the loops, as far as known.
    pub fn extents(&self, body: &Body) -> Vec<Option<i64>> {
        self.extent_sources()
            .into_iter()
            .map(|source| {
                let (operand, dimension) = source?;
                body.value_type(self.operand(operand)).extent(dimension)
            })
            .collect()
    }
}

/// The largest value of a non-negative linear expression.
pub(super) fn largest(expression: &AffineExpr, extents: &[Option<i64>]) -> Option<i64> {
    let (coefficients, constant) = expression.as_linear(extents.len() as u32)?;
    if constant < 0 {
        return None;
    }
    let mut terms = coefficients.iter().zip(extents).filter(|(coefficient, _)| **coefficient != 0);
    terms.try_fold(constant, |sum, (&coefficient, &extent)| {
        if coefficient < 0 { None } else { sum.checked_add(coefficient.checked_mul(extent? - 1)?) }
    })
}

/// One input of a generic operation under construction: a tensor and how it is indexed.
#[derive(Clone, Debug)]
pub struct Input {
    /// The tensor (or scalar, with a map without results).
    pub value: Value,
    /// Loop indices to its subscripts.
    pub map: AffineMap,
}

/// Builds a `linalg.generic` with one or more results. `body` receives the input elements, then the current output
/// elements, and returns the new output elements.
pub fn build_generic(
    builder: &mut Builder<'_>,
    inputs: &[Input],
    outputs: &[Input],
    iterators: &[Iterator],
    body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    let operands: Vec<Value> = inputs.iter().chain(outputs).map(|input| input.value).collect();
    let maps = inputs.iter().chain(outputs).map(|input| Attribute::affine_map(input.map.clone())).collect();
    let attributes = Attributes::from([
        ("indexing_maps", Attribute::Array(maps)),
        ("iterator_types", Iterator::attributes(iterators)),
        ("operandSegmentSizes", Attribute::i32_dense_array(&[inputs.len() as i64, outputs.len() as i64])),
    ]);
    let element = |builder: &Builder<'_>, value: Value| builder.body.value_type(value).element().clone();
    let result_types: Vec<Type> = outputs.iter().map(|o| builder.body.value_type(o.value).clone()).collect();
    let argument_types: Vec<Type> = operands.iter().map(|&v| element(builder, v)).collect();
    let op = builder.create(GENERIC, &operands, &result_types, attributes);
    let (_, block) = builder.region_with_block(op, &argument_types);
    let arguments = builder.body.arguments(block).to_vec();
    builder.within(block, |inner| {
        let yields = body(inner, &arguments);
        inner.create(YIELD, &yields, &[], []);
    });
    builder.body.op(op).results().to_vec()
}

/// The f16 or bf16 tensor that an `f32` tensor was widened from.
pub fn widened_from(body: &Body, value: Value) -> Option<Value> {
    let generic = Generic::defining(body, value)?;
    let &[from] = &generic.inputs[..] else { return None };
    let op = body.defining_op(generic.yields(body)[0]).filter(|&op| body.is(op, arith::EXTF))?;
    let is_widening = *body.value_type(value).element() == Type::F32
        && body.operand(op, 0) == body.arguments(generic.block)[0]
        && generic.maps.iter().all(|map| map.is_identity());
    is_widening.then_some(from)
}

/// The maps of a generic operation as written, including moduli that have no effect.
pub fn written_maps(body: &Body, op: Op) -> Option<Vec<AffineMap>> {
    let maps = body.attribute(op, "indexing_maps")?.as_array()?;
    maps.iter().map(|map| map.as_affine_map().cloned()).collect()
}

/// `Parallel` for `rank` loops.
pub fn parallel(rank: usize) -> Vec<Iterator> {
    vec![Iterator::Parallel; rank]
}
