//! Building the scalar bodies of structured operations.

use dialects::arith::{CmpFPredicate, CmpIPredicate};
use dialects::{OpCode, arith, math};
use ir::{Attribute, Builder, Type, Value};

/// Scalar operations for a body, typed by their operands.
pub struct Scalars<'b, 'a> {
    /// The builder.
    pub builder: &'b mut Builder<'a>,
    /// Whether integer operands are unsigned.
    pub unsigned: bool,
}

/// The relation of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// What a predicate asks of signed numbers.
    pub fn of_signed(predicate: CmpIPredicate) -> Option<Comparison> {
        Some(match predicate {
            CmpIPredicate::Eq => Comparison::Equal,
            CmpIPredicate::Slt => Comparison::Less,
            CmpIPredicate::Sle => Comparison::LessOrEqual,
            CmpIPredicate::Sgt => Comparison::Greater,
            CmpIPredicate::Sge => Comparison::GreaterOrEqual,
            _ => return None,
        })
    }

    /// The predicate on integers.
    fn of_integers(self, unsigned: bool) -> CmpIPredicate {
        match (self, unsigned) {
            (Comparison::Equal, _) => CmpIPredicate::Eq,
            (Comparison::Less, false) => CmpIPredicate::Slt,
            (Comparison::LessOrEqual, false) => CmpIPredicate::Sle,
            (Comparison::Greater, false) => CmpIPredicate::Sgt,
            (Comparison::GreaterOrEqual, false) => CmpIPredicate::Sge,
            (Comparison::Less, true) => CmpIPredicate::Ult,
            (Comparison::LessOrEqual, true) => CmpIPredicate::Ule,
            (Comparison::Greater, true) => CmpIPredicate::Ugt,
            (Comparison::GreaterOrEqual, true) => CmpIPredicate::Uge,
        }
    }

    /// The predicate on floats; false if an operand is NaN.
    fn ordered(self) -> CmpFPredicate {
        match self {
            Comparison::Equal => CmpFPredicate::Oeq,
            Comparison::Less => CmpFPredicate::Olt,
            Comparison::LessOrEqual => CmpFPredicate::Ole,
            Comparison::Greater => CmpFPredicate::Ogt,
            Comparison::GreaterOrEqual => CmpFPredicate::Oge,
        }
    }

    /// The relation with swapped operands.
    pub fn swapped(self) -> Comparison {
        match self {
            Comparison::Equal => Comparison::Equal,
            Comparison::Less => Comparison::Greater,
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        }
    }
}

impl Scalars<'_, '_> {
    /// The type of a value.
    pub fn type_of(&self, value: Value) -> Type {
        self.builder.body.value_type(value).clone()
    }

    /// An operation whose result has its first operand's type.
    pub fn same(&mut self, code: OpCode, operands: &[Value]) -> Value {
        let r#type = self.type_of(operands[0]);
        self.builder.value(code, operands, r#type, [])
    }

    /// A constant of the given type.
    pub fn number(&mut self, value: f64, r#type: &Type) -> Value {
        let attribute = match r#type {
            Type::Float(_) => Attribute::float(value, r#type.clone()),
            Type::Integer(integer) if integer.width == 1 => Attribute::Bool(value != 0.0),
            _ => Attribute::Integer(value as i64, r#type.clone()),
        };
        self.builder.constant(attribute, r#type.clone())
    }

    /// A constant of another value's type.
    pub fn like(&mut self, value: f64, other: Value) -> Value {
        let r#type = self.type_of(other);
        self.number(value, &r#type)
    }

    fn pick(&self, value: Value, float: OpCode, signed: OpCode, unsigned: OpCode) -> OpCode {
        match self.type_of(value) {
            Type::Float(_) => float,
            _ if self.unsigned => unsigned,
            _ => signed,
        }
    }

    /// `a + b`
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        let code = self.pick(a, arith::ADDF, arith::ADDI, arith::ADDI);
        self.same(code, &[a, b])
    }

    /// `a - b`
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        let code = self.pick(a, arith::SUBF, arith::SUBI, arith::SUBI);
        self.same(code, &[a, b])
    }

    /// `a * b`
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        let code = self.pick(a, arith::MULF, arith::MULI, arith::MULI);
        self.same(code, &[a, b])
    }

    /// `a / b`; integers truncate towards zero, as in C.
    pub fn div(&mut self, a: Value, b: Value) -> Value {
        let code = self.pick(a, arith::DIVF, arith::DIVSI, arith::DIVUI);
        self.same(code, &[a, b])
    }

    /// The larger; NaN if either is.
    pub fn max(&mut self, a: Value, b: Value) -> Value {
        let code = self.pick(a, arith::MAXIMUMF, arith::MAXSI, arith::MAXUI);
        self.same(code, &[a, b])
    }

    /// The smaller; NaN if either is.
    pub fn min(&mut self, a: Value, b: Value) -> Value {
        let code = self.pick(a, arith::MINIMUMF, arith::MINSI, arith::MINUI);
        self.same(code, &[a, b])
    }

    /// A comparison; false when an operand is NaN.
    pub fn compare(&mut self, what: Comparison, a: Value, b: Value) -> Value {
        let float = matches!(self.type_of(a), Type::Float(_));
        let (code, predicate) = match float {
            true => (arith::CMPF, what.ordered().attribute()),
            false => (arith::CMPI, what.of_integers(self.unsigned).attribute()),
        };
        self.builder.value(code, &[a, b], Type::I1, [predicate])
    }

    /// Whether a float is NaN.
    pub fn is_nan(&mut self, a: Value) -> Value {
        self.builder.value(arith::CMPF, &[a, a], Type::I1, [CmpFPredicate::Uno.attribute()])
    }

    /// `condition ? a : b`
    pub fn select(&mut self, condition: Value, a: Value, b: Value) -> Value {
        let r#type = self.type_of(a);
        self.builder.value_from(arith::Select { condition, true_value: a, false_value: b }, r#type, [])
    }

    /// The negation of a bool.
    pub fn not(&mut self, a: Value) -> Value {
        let one = self.number(1.0, &Type::I1);
        self.same(arith::XORI, &[a, one])
    }

    /// `max(low, min(high, x))`
    pub fn clamp(&mut self, x: Value, [low, high]: [Value; 2]) -> Value {
        let capped = self.min(x, high);
        self.max(capped, low)
    }

    /// `1 / (1 + exp(-x))`
    pub fn sigmoid(&mut self, x: Value) -> Value {
        let (zero, one) = (self.like(0.0, x), self.like(1.0, x));
        let negated = self.sub(zero, x);
        let exponential = self.same(math::EXP, &[negated]);
        let sum = self.add(one, exponential);
        self.div(one, sum)
    }

    /// `max(0, min(1, alpha * x + beta))`
    pub fn hard_sigmoid(&mut self, x: Value, alpha: f64, beta: f64) -> Value {
        let (alpha, beta) = (self.like(alpha, x), self.like(beta, x));
        let (zero, one) = (self.like(0.0, x), self.like(1.0, x));
        let scaled = self.mul(alpha, x);
        let shifted = self.add(scaled, beta);
        self.clamp(shifted, [zero, one])
    }

    /// A conversion by the rules of ONNX Cast: floats to integers truncate, anything to bool is `!= 0`.
    pub fn cast(&mut self, value: Value, to: &Type, from_unsigned: bool, to_unsigned: bool) -> Value {
        let from = self.type_of(value);
        if from == *to {
            return value;
        }
        let width = |r#type: &Type| r#type.bit_width().unwrap_or(64);
        let name = match (&from, to) {
            (Type::Float(_), to) if *to == Type::I1 => {
                let zero = self.number(0.0, &from);
                // unordered or not equal, so that NaN is true
                let predicate = CmpFPredicate::Une.attribute();
                return self.builder.value(arith::CMPF, &[value, zero], Type::I1, [predicate]);
            }
            (_, to) if *to == Type::I1 => {
                let zero = self.number(0.0, &from);
                return self.builder.value(arith::CMPI, &[value, zero], Type::I1, [CmpIPredicate::Ne.attribute()]);
            }
            (Type::Float(_), Type::Float(_)) if width(&from) < width(to) => arith::EXTF,
            (Type::Float(_), Type::Float(_)) if width(&from) > width(to) => arith::TRUNCF,
            (Type::Float(_), Type::Float(_)) => {
                let wide = self.builder.value(arith::EXTF, &[value], Type::F32, []);
                return self.builder.value(arith::TRUNCF, &[wide], to.clone(), []);
            }
            (Type::Float(_), _) => return self.whole(value, to, to_unsigned),
            (_, Type::Float(_)) if from_unsigned || from == Type::I1 => arith::UITOFP,
            (_, Type::Float(_)) => arith::SITOFP,
            _ if width(&from) > width(to) => arith::TRUNCI,
            _ if from_unsigned || from == Type::I1 => arith::EXTUI,
            _ => arith::EXTSI,
        };
        self.builder.value(name, &[value], to.clone(), [])
    }

    /// The integral part of a float. The standard leaves results for out-of-range values open; as in NumPy and ONNX
    /// Runtime, the lowest bits of a wider signed integer are kept, so that -1.0 becomes the largest unsigned number.
    fn whole(&mut self, value: Value, to: &Type, unsigned: bool) -> Value {
        let wider = match to.bit_width() {
            Some(..32) => Type::I32,
            Some(32) if unsigned => Type::I64,
            Some(64) if unsigned => {
                let zero = self.like(0.0, value);
                let negative = self.compare(Comparison::Less, value, zero);
                let [signed, unsigned] =
                    [arith::FPTOSI, arith::FPTOUI].map(|name| self.builder.value(name, &[value], to.clone(), []));
                return self.select(negative, signed, unsigned);
            }
            _ => return self.builder.value(arith::FPTOSI, &[value], to.clone(), []),
        };
        let whole = self.builder.value(arith::FPTOSI, &[value], wider, []);
        self.builder.value(arith::TRUNCI, &[whole], to.clone(), [])
    }
}
