//! Operators that are compositions of others, built from them when they are read.
//!
//! Each is what its definition in the standard says, in terms of operators in their newest form. Extents are computed
//! with `Shape`, so that nothing here asks whether they are static; where a rank decides, it has to be known.

mod attention;
mod loss;
mod quantization;
mod sequence;
mod statistics;
mod windows;

use ir::{Attribute, Attributes, Type, Value};

use crate::graph::Emitter;
use crate::graph::{Node, Problem};
use crate::types::element_type;

/// Builds the results of a node, which has its newest form.
type Composite = fn(&mut Node, &mut Emitter) -> Result<(), Problem>;

/// How an operator is composed of others, if it is.
pub(crate) fn composite(name: &str) -> Option<Composite> {
    Some(match name {
        "Attention" => attention::attention,
        "RotaryEmbedding" => attention::rotary_embedding,
        "NegativeLogLikelihoodLoss" => loss::negative_log_likelihood,
        "SoftmaxCrossEntropyLoss" => loss::softmax_cross_entropy,
        "QuantizeLinear" => quantization::quantize_linear,
        "DequantizeLinear" => quantization::dequantize_linear,
        "DynamicQuantizeLinear" => quantization::dynamic_quantize_linear,
        "MatMulInteger" => quantization::matmul_integer,
        "ConvInteger" => quantization::convolution_integer,
        "QLinearMatMul" => quantization::quantized_matmul,
        "QLinearConv" => quantization::quantized_convolution,
        "CausalConvWithState" => sequence::causal_convolution,
        "CenterCropPad" => sequence::center_crop_pad,
        "AffineGrid" => sequence::affine_grid,
        "LpNormalization" => statistics::lp_normalization,
        "LRN" => statistics::local_response,
        "MeanVarianceNormalization" => statistics::mean_variance,
        "SwiGLU" => statistics::swish_gated,
        "HannWindow" => windows::hann,
        "HammingWindow" => windows::hamming,
        "BlackmanWindow" => windows::blackman,
        _ => return None,
    })
}

// ---- what compositions have in common

impl Node {
    fn integer(&self, name: &str, default: i64) -> i64 {
        self.attributes.integer(name).unwrap_or(default)
    }

    fn float(&self, name: &str, default: f64) -> f64 {
        self.attributes.float(name).unwrap_or(default)
    }

    /// Operand `index`, unless it is omitted.
    fn given(&self, index: usize, emit: &Emitter) -> Option<Value> {
        self.operands.get(index).copied().filter(|&value| value != emit.none)
    }

    /// Sets the results; omitted ones and those that are missing at the end stay absent.
    fn finish(&mut self, results: &[Option<Value>], emit: &Emitter) {
        let value = |index: usize| results.get(index).copied().flatten().unwrap_or(emit.none);
        self.results = Some((0..self.outputs.len()).map(value).collect());
    }
}

impl Emitter {
    /// An operator without attributes.
    pub(crate) fn plain(&mut self, name: &str, operands: &[Value]) -> Value {
        self.op(name, operands, [])
    }

    /// The extent of an axis as a list of one; negative axes count from the back.
    fn extent(&mut self, value: Value, axis: i64) -> Value {
        let mut bounds = Attributes::from([("start", Attribute::i64(axis))]);
        if axis != -1 {
            bounds.set("end", Attribute::i64(axis + 1));
        }
        self.op("Shape", &[value], bounds)
    }

    /// Lists joined to one.
    fn list(&mut self, parts: &[Value]) -> Value {
        self.op("Concat", parts, [("axis", Attribute::i64(0))])
    }

    /// A list of one as a scalar.
    fn scalar(&mut self, list: Value) -> Value {
        let axes = self.integers(&[0]);
        self.plain("Squeeze", &[list, axes])
    }

    fn unsqueeze(&mut self, value: Value, axes: &[i64]) -> Value {
        let axes = self.integers(axes);
        self.plain("Unsqueeze", &[value, axes])
    }

    fn transpose(&mut self, value: Value, order: &[i64]) -> Value {
        self.op("Transpose", &[value], [("perm", Attribute::i64_array(order))])
    }

    /// `0, 1, …` up to a list of one.
    fn count_up(&mut self, limit: Value) -> Value {
        let (zero, one) = (self.integer(0), self.integer(1));
        let limit = self.scalar(limit);
        self.plain("Range", &[zero, limit, one])
    }

    /// Elements from `start` up to `end`, lists of one, along an axis.
    fn slice(&mut self, value: Value, start: Value, end: Value, axis: i64) -> Value {
        let axes = self.integers(&[axis]);
        self.plain("Slice", &[value, start, end, axes])
    }

    pub(crate) fn element(&self, value: Value) -> Type {
        self.body.value_type(value).element().clone()
    }

    /// A scalar of another value's float type.
    pub(crate) fn number_like(&mut self, number: f64, other: Value) -> Value {
        let element = self.element(other);
        match self.float(number, &element) {
            Some(value) => value,
            None => {
                let value = self.integer(number as i64);
                self.plain("CastLike", &[value, other])
            }
        }
    }

    /// A conversion to another element type.
    pub(crate) fn convert(&mut self, value: Value, element: &Type) -> Value {
        if self.element(value) == *element {
            return value;
        }
        self.op("Cast", &[value], [("to", Attribute::i64(type_number(element)))])
    }

    /// The rank of a value, without which the node cannot be built.
    fn known_rank(&self, value: Value) -> Result<i64, Problem> {
        let rank = self.rank(value).ok_or_else(|| Problem::unsupported("has an operand of unknown rank"))?;
        Ok(rank as i64)
    }
}

/// The number ONNX gives an element type.
fn type_number(element: &Type) -> i64 {
    (1..=proto::DataType::Float6e3m2 as i32)
        .find(|&number| element_type(number).is_ok_and(|found| found == *element))
        .map_or(0, i64::from)
}
