//! Arithmetic on floats of one precision and shape, and the functions with the same definition for all of them.

use dialects::arith::CmpFPredicate;
use dialects::{OpCode, arith, math};
use ir::{Attribute, Builder, DenseElements, Type, Value};

/// Builds operations on floats of one type, which the implementation determines.
pub(super) trait Floats<'b> {
    /// The builder.
    fn builder(&mut self) -> &mut Builder<'b>;
    /// Lanes of the vectors; `None` for scalars.
    fn lanes(&self) -> Option<i64>;
    /// A constant in every lane.
    fn float(&mut self, value: f64) -> Value;
    /// `arith.cmpf`.
    fn compare(&mut self, predicate: CmpFPredicate, a: Value, b: Value) -> Value;
    /// `e^x`.
    fn exp(&mut self, x: Value) -> Value;
    /// `e^r - 1` for |r| at most ln 2 / 2.
    fn exp_minus_one_reduced(&mut self, r: Value) -> Value;
    /// `ln x`.
    fn log(&mut self, x: Value) -> Value;

    /// The type of this shape with the given element.
    fn shaped(&self, element: Type) -> Type {
        match self.lanes() {
            Some(lanes) => Type::vector(&[lanes], element),
            None => element,
        }
    }

    /// A constant in every lane; floats are given by their value.
    fn constant(&mut self, value: Attribute, bytes: &[u8], element: Type) -> Value {
        let r#type = self.shaped(element);
        let value = match self.lanes() {
            Some(_) => Attribute::dense(DenseElements::splat(r#type.clone(), bytes)),
            None => value,
        };
        self.builder().constant(value, r#type)
    }

    /// A conversion to another element type.
    fn convert(&mut self, code: OpCode, value: Value, element: Type) -> Value {
        let r#type = self.shaped(element);
        self.builder().value(code, &[value], r#type, [])
    }

    /// An operation whose result has the type of its first operand.
    fn apply(&mut self, code: OpCode, operands: &[Value]) -> Value {
        let r#type = self.builder().body.value_type(operands[0]).clone();
        self.builder().value(code, operands, r#type, [])
    }

    fn add(&mut self, a: Value, b: Value) -> Value {
        self.apply(arith::ADDF, &[a, b])
    }

    fn sub(&mut self, a: Value, b: Value) -> Value {
        self.apply(arith::SUBF, &[a, b])
    }

    fn mul(&mut self, a: Value, b: Value) -> Value {
        self.apply(arith::MULF, &[a, b])
    }

    fn div(&mut self, a: Value, b: Value) -> Value {
        self.apply(arith::DIVF, &[a, b])
    }

    fn abs(&mut self, x: Value) -> Value {
        self.apply(math::ABSF, &[x])
    }

    fn scale(&mut self, a: Value, factor: f64) -> Value {
        let factor = self.float(factor);
        self.mul(a, factor)
    }

    fn compare_constant(&mut self, predicate: CmpFPredicate, a: Value, b: f64) -> Value {
        let b = self.float(b);
        self.compare(predicate, a, b)
    }

    fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        let r#type = self.builder().body.value_type(yes).clone();
        self.builder().value_from(arith::Select { condition, true_value: yes, false_value: no }, r#type, [])
    }

    /// `x` clamped to a range; NaN stays.
    fn clamp(&mut self, x: Value, [low, high]: [f64; 2]) -> Value {
        let (low, high) = (self.float(low), self.float(high));
        let x = self.apply(arith::MAXIMUMF, &[x, low]);
        self.apply(arith::MINIMUMF, &[x, high])
    }

    /// `e^x - 1`.
    fn expm1(&mut self, x: Value) -> Value {
        let near = self.exp_minus_one_reduced(x);
        let (power, one) = (self.exp(x), self.float(1.0));
        let far = self.sub(power, one);
        let size = self.abs(x);
        let small = self.compare_constant(CmpFPredicate::Olt, size, abi::elementary::EXPM1_LIMIT);
        self.select(small, near, far)
    }

    /// Replaces a logarithm's values at 0, below 0, at infinity and at NaN.
    fn log_edges(&mut self, x: Value, y: Value) -> Value {
        let (pole, none) = (self.float(f64::NEG_INFINITY), self.float(f64::NAN));
        let top = self.compare_constant(CmpFPredicate::Oeq, x, f64::INFINITY);
        let y = self.select(top, x, y);
        let negative = self.compare_constant(CmpFPredicate::Olt, x, 0.0);
        let y = self.select(negative, none, y);
        let at_pole = self.compare_constant(CmpFPredicate::Oeq, x, 0.0);
        let y = self.select(at_pole, pole, y);
        let missing = self.compare(CmpFPredicate::Uno, x, x);
        self.select(missing, x, y)
    }

    /// The logarithm to base 10.
    fn log10(&mut self, x: Value) -> Value {
        let natural = self.log(x);
        self.scale(natural, std::f64::consts::LOG10_E)
    }

    /// `log(1 + x)`; the rounding error of `1 + x` is corrected by the factor `x / ((1 + x) - 1)`.
    fn log1p(&mut self, x: Value) -> Value {
        let one = self.float(1.0);
        let sum = self.add(x, one);
        let logarithm = self.log(sum);
        let kept = self.sub(sum, one);
        let ratio = self.div(x, kept);
        let y = self.mul(logarithm, ratio);
        let lost = self.compare(CmpFPredicate::Oeq, sum, one);
        let y = self.select(lost, x, y);
        // at infinity the ratio is NaN
        let size = self.abs(logarithm);
        let edge = self.compare_constant(CmpFPredicate::Oeq, size, f64::INFINITY);
        self.select(edge, logarithm, y)
    }
}
