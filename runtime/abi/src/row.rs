//! Functions that a micro-kernel applies to each element of a row, or to all of them.

/// An elementwise function with parameters `p` that are the same for a whole row; its discriminant selects it in calls
/// of the micro-kernel.
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
    /// Exact conversion of f16 to f32.
    Widen,
    /// Exact conversion of bf16 to f32.
    WidenBrain,
    /// Rounding of f32 to f16, to nearest even.
    Narrow,
    /// `1 / (1 + e^-x)`
    Sigmoid,
    /// `e^(x - p0)`
    ExpDifference,
    /// `(x - p0) p1`: u8 to f32.
    DequantizeUnsigned,
    /// `(x - p0) p1`: i8 to f32.
    DequantizeSigned,
    /// `x / p0` rounded to nearest even, plus `p1`, clamped to `p2..=p3`: f32 to i8 or u8. NaN becomes 0.
    Quantize,
    /// `x p0`
    Multiply,
    /// `x / p0`
    Divide,
    /// `(x - p0) - p1`
    Subtract,
    /// `x (1 / (1 + e^-x))`
    Swish,
    /// Sign extension of i32 to i64.
    ExtendInteger,
    /// The low 32 bits: i64 to i32.
    TruncateInteger,
    /// Exact conversion of f32 to f64.
    ExtendFloat,
    /// Rounding of f64 to f32, to nearest even.
    TruncateFloat,
    /// `x != 0`, true for NaN: f32 to bool.
    IsNotZero,
}

impl RowFunction {
    /// All functions, indexed by discriminant.
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

    /// The maximum number of parameters.
    pub const PARAMETERS: usize = 4;

    /// The bytes of an element of the operand, and of the result.
    pub const fn widths(self) -> [i64; 2] {
        match self {
            RowFunction::Widen | RowFunction::WidenBrain => [2, 4],
            RowFunction::Narrow => [4, 2],
            RowFunction::DequantizeUnsigned | RowFunction::DequantizeSigned => [1, 4],
            RowFunction::Quantize | RowFunction::IsNotZero => [4, 1],
            RowFunction::ExtendInteger | RowFunction::ExtendFloat => [4, 8],
            RowFunction::TruncateInteger | RowFunction::TruncateFloat => [8, 4],
            _ => [4, 4],
        }
    }
}

/// A reduction of a row; its discriminant selects it in calls of the micro-kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
pub enum RowFold {
    /// The sum.
    Sum,
    /// The product.
    Product,
    /// The maximum.
    Largest,
    /// The minimum.
    Smallest,
}

impl RowFold {
    /// All reductions, indexed by discriminant.
    pub const ALL: [RowFold; 4] = [RowFold::Sum, RowFold::Product, RowFold::Largest, RowFold::Smallest];
}
