//! Symbolic dimensions as `index` values.
//!
//! Each distinct expression is computed once. Expressions of the inputs' extents alone are computed at the beginning of
//! the entry block, where the memory plan can use them; those that depend on a computed value, at their first use.

use crate::shape::{Condition, SymbolSource};
use dialects::arith::CmpIPredicate;
use dialects::{OpCode, arith, cf, tensor};
use ir::{Attribute, Attributes, Builder, DimExpr, Location, OpName, Operands, Type, Value};

use super::Lowering;

/// The value of `dim`.
pub fn materialize(lowering: &mut Lowering<'_>, dim: &DimExpr) -> Value {
    if let Some(&known) = lowering.dims.get(dim) {
        return known;
    }
    let early = lowering.only_inputs(dim);
    let value = match dim {
        DimExpr::Constant(value) => lowering.size_op(arith::CONSTANT, &[], Some(*value), true),
        DimExpr::Symbol(symbol) => lowering.symbol(symbol),
        _ => compound(lowering, dim, early),
    };
    if early || lowering.at == lowering.entry {
        lowering.dims.insert(dim.clone(), value);
    }
    value
}

fn compound(lowering: &mut Lowering<'_>, dim: &DimExpr, early: bool) -> Value {
    let fold = |lowering: &mut Lowering<'_>, code: OpCode, parts: &[DimExpr]| {
        let values: Vec<Value> = parts.iter().map(|part| materialize(lowering, part)).collect();
        values
            .into_iter()
            .reduce(|a, b| lowering.size_op(code, &[a, b], None, early))
            .expect("compound dimensions have operands")
    };
    match dim {
        DimExpr::Constant(_) | DimExpr::Symbol(_) => unreachable!("only compound dimensions are folded"),
        DimExpr::Sum(terms) => fold(lowering, arith::ADDI, terms),
        DimExpr::Product(factors) => fold(lowering, arith::MULI, factors),
        DimExpr::FloorDiv(a, b) => fold(lowering, arith::FLOORDIVSI, &[(**a).clone(), (**b).clone()]),
        DimExpr::CeilDiv(a, b) => fold(lowering, arith::CEILDIVSI, &[(**a).clone(), (**b).clone()]),
        DimExpr::Mod(a, b) => fold(lowering, arith::REMSI, &[(**a).clone(), (**b).clone()]),
        DimExpr::Max(parts) => fold(lowering, arith::MAXSI, parts),
        DimExpr::Min(parts) => fold(lowering, arith::MINSI, parts),
        DimExpr::Broadcast(parts) => broadcast(lowering, parts, early),
    }
}

/// The broadcast of several extents: the one that is not 1.
fn broadcast(lowering: &mut Lowering<'_>, parts: &[DimExpr], early: bool) -> Value {
    let one = materialize(lowering, &DimExpr::ONE);
    let values: Vec<Value> = parts.iter().map(|part| materialize(lowering, part)).collect();
    values
        .into_iter()
        .reduce(|a, b| {
            let is_one = lowering.size_op_with(arith::CMPI, &[a, one], Type::I1, CmpIPredicate::Eq.attribute(), early);
            lowering.size_from(arith::Select { condition: is_one, true_value: b, false_value: a }, early)
        })
        .expect("compound dimensions have operands")
}

impl Lowering<'_> {
    /// Whether a dimension is computed from the extents of the inputs alone.
    pub(super) fn only_inputs(&self, dim: &DimExpr) -> bool {
        self.shapes.only_inputs(dim)
    }

    fn size_op(&mut self, code: OpCode, operands: &[Value], constant: Option<i64>, early: bool) -> Value {
        let attributes = match constant {
            Some(value) => Attributes::from([("value", Attribute::index(value))]),
            None => Attributes::new(),
        };
        self.place_size(code, operands, Type::Index, attributes, early)
    }

    /// The operation on sizes that has these operands.
    fn size_from<O: Operands>(&mut self, operands: O, early: bool) -> Value {
        self.place_size(O::name(), &operands.list(), Type::Index, Attributes::new(), early)
    }

    fn size_op_with(
        &mut self,
        code: OpCode,
        operands: &[Value],
        result: Type,
        attribute: (&'static str, Attribute),
        early: bool,
    ) -> Value {
        self.place_size(code, operands, result, Attributes::from([attribute]), early)
    }

    /// Emits an operation on sizes: at the beginning of the function, or here.
    fn place_size(
        &mut self,
        name: impl Into<OpName>,
        operands: &[Value],
        result: Type,
        attributes: Attributes,
        early: bool,
    ) -> Value {
        if !early {
            return self.builder().value(name, operands, result, attributes);
        }
        let op = self.body.create_op(name, operands, &[result], attributes, Location::Unknown);
        self.body.insert(self.entry, self.sizes.replace(op), op);
        self.body.result(op, 0)
    }

    /// Whether a condition on extents holds, computed at the beginning of the function, or here.
    pub(super) fn holds(&mut self, condition: &Condition, early: bool) -> Value {
        let dims: Vec<Value> = condition.dims().into_iter().map(|dim| materialize(self, dim)).collect();
        let compare = |lowering: &mut Self, predicate: CmpIPredicate, a: Value, b: DimExpr| {
            let b = materialize(lowering, &b);
            lowering.size_op_with(arith::CMPI, &[a, b], Type::I1, predicate.attribute(), early)
        };
        let either = |lowering: &mut Self, a: Value, b: Value| {
            lowering.place_size(arith::ORI, &[a, b], Type::I1, Attributes::new(), early)
        };
        match condition {
            Condition::Equal(_, b) => compare(self, CmpIPredicate::Eq, dims[0], b.clone()),
            Condition::Extent(_) => compare(self, CmpIPredicate::Sge, dims[0], DimExpr::ZERO),
            Condition::Stretches(_, b) => {
                let equal = compare(self, CmpIPredicate::Eq, dims[0], b.clone());
                let single = compare(self, CmpIPredicate::Eq, dims[0], DimExpr::ONE);
                either(self, equal, single)
            }
            Condition::Broadcast(_, b) => {
                let equal = compare(self, CmpIPredicate::Eq, dims[0], b.clone());
                let first = compare(self, CmpIPredicate::Eq, dims[0], DimExpr::ONE);
                let second = compare(self, CmpIPredicate::Eq, dims[1], DimExpr::ONE);
                let single = either(self, first, second);
                either(self, equal, single)
            }
        }
    }

    /// Ends the run unless `truth` holds: at the beginning of the function, or here.
    pub(super) fn place_check(&mut self, truth: Value, message: &str, early: bool) {
        if !early {
            return self.check(truth, message);
        }
        let message = &self.blame(message);
        let attributes = Attributes::from([("msg", Attribute::string(message))]);
        let op = self.body.create_op(cf::ASSERT, &[truth], &[], attributes, self.location.clone());
        self.body.insert(self.entry, self.sizes.replace(op), op);
    }

    /// Defines an extent that is only known from its operator's data.
    pub fn define_dim(&mut self, dim: &DimExpr, value: Value) {
        self.dims.insert(dim.clone(), value);
    }

    fn symbol(&mut self, symbol: &str) -> Value {
        match self.shapes.sources.get(symbol) {
            Some(&SymbolSource::Argument { argument, axis }) => {
                let axis = self.size_op(arith::CONSTANT, &[], Some(axis as i64), true);
                let argument = self.body.arguments(self.entry)[argument];
                self.size_from(tensor::Dim { source: argument, index: axis }, true)
            }
            Some(&SymbolSource::Result { value, .. }) if !self.is_bound(value) => {
                // reported after the operation that needs it, so that its lowering does not matter
                self.undefined.get_or_insert_with(|| symbol.into());
                self.index(0)
            }
            Some(&SymbolSource::Result { value, axis }) => {
                let value = self.value(value);
                let axis = Builder::at_end(&mut self.body, self.at).constant_index(axis as i64);
                self.builder().value_from(tensor::Dim { source: value, index: axis }, Type::Index, [])
            }
            None => unreachable!("symbols without a source are defined where they are made"),
        }
    }
}
