//! Mathematical operators.

mod arithmetic;
mod clip;
mod cumulative;
mod det;
mod dft;
mod einsum;
mod elu;
mod exponential;
mod gelu;
mod gemm;
mod loss;
mod matmul;
mod mel_weight_matrix;
mod modulo;
mod power;
mod relu;
mod rounding;
mod sigmoid;
mod sign;
mod softmax;
mod softplus;
mod softsign;
mod stft;
mod swiglu;
mod swish;
mod top_k;
mod trigonometric;
mod window_functions;

pub(crate) use matmul::{as_matrices, matrix_product_shape, product_shape};

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &arithmetic::ADD,
    &arithmetic::DIV,
    &arithmetic::MAX,
    &arithmetic::MEAN,
    &arithmetic::MIN,
    &arithmetic::MUL,
    &arithmetic::SUB,
    &arithmetic::SUM,
    &clip::CLIP,
    &cumulative::CUM_PROD,
    &cumulative::CUM_SUM,
    &det::DET,
    &dft::DFT,
    &einsum::EINSUM,
    &elu::CELU,
    &elu::ELU,
    &elu::SELU,
    &exponential::ERF,
    &exponential::EXP,
    &exponential::LOG,
    &gelu::GELU,
    &gemm::GEMM,
    &loss::NEGATIVE_LOG_LIKELIHOOD_LOSS,
    &loss::SOFTMAX_CROSS_ENTROPY_LOSS,
    &matmul::MATMUL,
    &mel_weight_matrix::MEL_WEIGHT_MATRIX,
    &modulo::MOD,
    &power::POW,
    &power::RECIPROCAL,
    &power::SQRT,
    &relu::LEAKY_RELU,
    &relu::PRELU,
    &relu::RELU,
    &relu::THRESHOLDED_RELU,
    &rounding::CEIL,
    &rounding::FLOOR,
    &rounding::ROUND,
    &sigmoid::HARD_SIGMOID,
    &sigmoid::HARD_SWISH,
    &sigmoid::SIGMOID,
    &sign::ABS,
    &sign::NEG,
    &sign::SIGN,
    &softmax::HARDMAX,
    &softmax::LOG_SOFTMAX,
    &softmax::SOFTMAX,
    &softplus::MISH,
    &softplus::SOFTPLUS,
    &softsign::SOFTSIGN,
    &stft::STFT,
    &swiglu::SWI_GLU,
    &swish::SWISH,
    &top_k::TOP_K,
    &trigonometric::ACOS,
    &trigonometric::ACOSH,
    &trigonometric::ASIN,
    &trigonometric::ASINH,
    &trigonometric::ATAN,
    &trigonometric::ATANH,
    &trigonometric::COS,
    &trigonometric::COSH,
    &trigonometric::SIN,
    &trigonometric::SINH,
    &trigonometric::TAN,
    &trigonometric::TANH,
    &window_functions::BLACKMAN_WINDOW,
    &window_functions::HAMMING_WINDOW,
    &window_functions::HANN_WINDOW,
];
