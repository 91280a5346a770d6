//! Functions that a micro-kernel applies to each element of a row, or to all of them.

/// A function of one number and of parameters `p`, which are the same for a whole row; its value is what the micro-kernel is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum RowFunction {
    /// `e^x`
    Exp,
    /// `2^x`
    Exp2,
    /// `e^x - 1`
    Expm1,
    /// Natural logarithm.
    Log,
    /// Binary logarithm.
    Log2,
    /// Decimal logarithm.
    Log10,
    /// `log(1 + x)`
    Log1p,
    /// Hyperbolic tangent.
    Tanh,
    /// Error function.
    Erf,
    /// Inverse sine.
    Asin,
    /// Inverse cosine.
    Acos,
    /// Inverse tangent.
    Atan,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// The same number: f16 to f32.
    Widen,
    /// The same number: bf16 to f32.
    WidenBrain,
    /// The nearest number, ties to even: f32 to f16.
    Narrow,
    /// `1 / (1 + e^-x)`
    Sigmoid,
    /// `e^(x - p0)`
    ExpDifference,
    /// `(x - p0) p1`: u8 to f32.
    DequantizeUnsigned,
    /// `(x - p0) p1`: i8 to f32.
    DequantizeSigned,
    /// The whole number nearest to `x / p0`, ties to even, plus `p1`, but at least `p2` and at most `p3`: f32 to i8 or u8. NaN is 0.
    Quantize,
    /// `x p0`
    Multiply,
    /// `x / p0`
    Divide,
    /// `(x - p0) - p1`
    Subtract,
    /// `x (1 / (1 + e^-x))`
    Swish,
    /// The same number: i32 to i64.
    ExtendInteger,
    /// The lower half of the bits: i64 to i32.
    TruncateInteger,
    /// The same number: f32 to f64.
    ExtendFloat,
    /// The nearest number, ties to even: f64 to f32.
    TruncateFloat,
    /// Whether a number is another than zero, or none: f32 to bool.
    IsNotZero,
}

impl RowFunction {
    /// All of them, each at the place that is its value.
    pub const ALL: [RowFunction; 31] = [
        RowFunction::Exp,
        RowFunction::Exp2,
        RowFunction::Expm1,
        RowFunction::Log,
        RowFunction::Log2,
        RowFunction::Log10,
        RowFunction::Log1p,
        RowFunction::Tanh,
        RowFunction::Erf,
        RowFunction::Asin,
        RowFunction::Acos,
        RowFunction::Atan,
        RowFunction::Sin,
        RowFunction::Cos,
        RowFunction::Widen,
        RowFunction::WidenBrain,
        RowFunction::Narrow,
        RowFunction::Sigmoid,
        RowFunction::ExpDifference,
        RowFunction::DequantizeUnsigned,
        RowFunction::DequantizeSigned,
        RowFunction::Quantize,
        RowFunction::Multiply,
        RowFunction::Divide,
        RowFunction::Subtract,
        RowFunction::Swish,
        RowFunction::ExtendInteger,
        RowFunction::TruncateInteger,
        RowFunction::ExtendFloat,
        RowFunction::TruncateFloat,
        RowFunction::IsNotZero,
    ];

    /// How many numbers a function takes beside its elements, at most.
    pub const PARAMETERS: usize = 4;
}

/// What all numbers of a row come to; its value is what the micro-kernel is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum RowFold {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The largest of them.
    Largest,
    /// The smallest of them.
    Smallest,
}

impl RowFold {
    /// All of them, each at the place that is its value.
    pub const ALL: [RowFold; 4] = [RowFold::Sum, RowFold::Product, RowFold::Largest, RowFold::Smallest];
}
