//! Operators on quantised tensors, `(q - zero point) · scale`.

mod convolution;
mod dequantize_linear;
mod dynamic_quantize_linear;
mod matmul;
mod parameters;
mod products;
mod quantize_linear;

pub(crate) use products::IntegerProduct;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &convolution::CONV_INTEGER,
    &convolution::QLINEAR_CONV,
    &dequantize_linear::DEQUANTIZE_LINEAR,
    &dynamic_quantize_linear::DYNAMIC_QUANTIZE_LINEAR,
    &matmul::MATMUL_INTEGER,
    &matmul::QLINEAR_MATMUL,
    &quantize_linear::QUANTIZE_LINEAR,
];
