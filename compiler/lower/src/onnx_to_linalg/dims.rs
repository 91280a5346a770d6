//! Symbolic dimensions as `index` values.
//!
//! Each distinct expression is computed once. What depends only on the inputs' extents is computed at the head of the
//! entry block, where the memory plan can see it; what depends on a value computed on the way, where it is first used.

use dialects::onnx::shape::SymbolSource;
use ir::{Attribute, Builder, DimExpr, Type, Value};

use super::Lowering;

/// The value of `dim`.
pub fn materialize(lowering: &mut Lowering<'_>, dim: &DimExpr) -> Value {
    if let Some(&known) = lowering.dims.get(dim) {
        return known;
    }
    let early = lowering.only_inputs(dim);
    let value = match dim {
        DimExpr::Constant(value) => lowering.size_op("arith.constant", &[], Some(*value), true),
        DimExpr::Symbol(symbol) => lowering.symbol(symbol),
        _ => compound(lowering, dim, early),
    };
    if early || lowering.at == lowering.entry {
        lowering.dims.insert(dim.clone(), value);
    }
    value
}

fn compound(lowering: &mut Lowering<'_>, dim: &DimExpr, early: bool) -> Value {
    let fold = |lowering: &mut Lowering<'_>, name: &'static str, parts: &[DimExpr]| {
        let values: Vec<Value> = parts.iter().map(|part| materialize(lowering, part)).collect();
        values
            .into_iter()
            .reduce(|a, b| lowering.size_op(name, &[a, b], None, early))
            .expect("compound dimensions have operands")
    };
    let (name, parts) = dim.operation();
    match name {
        ir::dim::Operation::Sum => fold(lowering, "arith.addi", &parts),
        ir::dim::Operation::Product => fold(lowering, "arith.muli", &parts),
        ir::dim::Operation::FloorDiv => fold(lowering, "arith.floordivsi", &parts),
        ir::dim::Operation::CeilDiv => fold(lowering, "arith.ceildivsi", &parts),
        ir::dim::Operation::Mod => fold(lowering, "arith.remsi", &parts),
        ir::dim::Operation::Max | ir::dim::Operation::Broadcast => fold(lowering, "arith.maxsi", &parts),
        ir::dim::Operation::Min => fold(lowering, "arith.minsi", &parts),
    }
}

impl Lowering<'_> {
    /// Whether a dimension is computed from the extents of the inputs alone.
    fn only_inputs(&self, dim: &DimExpr) -> bool {
        dim.symbols().iter().all(|symbol| matches!(self.shapes.sources.get(symbol), Some(SymbolSource::Argument { .. })))
    }

    fn size_op(&mut self, name: &'static str, operands: &[Value], constant: Option<i64>, early: bool) -> Value {
        let attributes = match constant {
            Some(value) => ir::Attributes::from([("value", Attribute::index(value))]),
            None => ir::Attributes::new(),
        };
        if !early {
            return self.builder().value(name, operands, Type::Index, attributes);
        }
        let op = self.body.create_op(name, operands, &[Type::Index], attributes, ir::Location::Unknown);
        self.body.insert(self.entry, self.sizes, op);
        self.sizes += 1;
        self.body.result(op, 0)
    }

    fn symbol(&mut self, symbol: &str) -> Value {
        match self.shapes.sources.get(symbol) {
            Some(&SymbolSource::Argument { argument, axis }) => {
                let axis = self.size_op("arith.constant", &[], Some(axis as i64), true);
                let argument = self.body.arguments(self.entry)[argument];
                self.size_op("tensor.dim", &[argument, axis], None, true)
            }
            Some(&SymbolSource::Result { value, axis }) => {
                let value = self.value(value);
                let axis = Builder::at_end(&mut self.body, self.at).constant_index(axis as i64);
                self.builder().value("tensor.dim", &[value, axis], Type::Index, [])
            }
            None => unreachable!("every symbol of the analysis has a source"),
        }
    }
}
