//! Block-quantised weights, packed into bytes, with a scale for each block: MatMulNBits and its fused forms,
//! MatMulBnb4, GatherBlockQuantized.
//!
//! Constant weights of operators other than MatMulNBits are dequantised once, before the first run.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};
use ir::{Attribute, Blob, DenseElements, DimExpr, Type, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::normalize_axis;
use crate::structured::block_quantized::BlockMatrix;
use crate::upgrade::floats;

/// Constant weights with 4 or 8 bits stay packed; otherwise they are dequantised and multiplied as floats.
pub(crate) const MATMUL_NBITS: Operator = Operator {
    normalize: Some(|node, emit| {
        let product: microsoft::MatMulNBits = node.view(emit);
        if product.weight_prepacked != 0 {
            return Err(Problem::unsupported("has weights in a layout of one device"));
        }
        let layer = Layer::of(&product);
        if !layer.stays_packed(emit) {
            let result = layer.product(emit, product.a)?;
            node.replace(result, emit);
        }
        Ok(())
    }),
    shapes: Some(|node| {
        let product: microsoft::MatMulNBits = node.view();
        let Some(mut shape) = node.shape_of(product.a) else { return Ok(vec![]) };
        let Some(last) = shape.last_mut() else { return Err("the operand must have rank 1 or more".to_string()) };
        node.expect_equal(&last.clone(), &DimExpr::Constant(product.k), "inner extents")?;
        *last = DimExpr::Constant(product.n);
        Ok(vec![Some(shape)])
    }),
    compose: Some(|emit, op| {
        let product: microsoft::MatMulNBits = View::of(&emit.body, op);
        Ok(vec![Some(Layer::of(&product).product(emit, product.a)?)])
    }),
    lower: Some(|lowering, op| {
        let product: microsoft::MatMulNBits = View::of(lowering.source, op);
        let result = lowering.source.op(op).results()[0];
        let element = lowering.element(product.a);
        let rows = lowering.shaped(product.a);
        let rows = lowering.in_type(&rows, &Type::F32);
        let matrix = BlockMatrix {
            numbers: product.b,
            scales: product.scales,
            zero_points: product.zero_points,
            outputs: product.n,
            inputs: product.k,
            block: product.block_size,
            bits: product.bits,
        };
        let mut sums = lowering.block_product(&rows, &matrix);
        if let Some(bias) = product.bias {
            let bias = lowering.shaped(bias);
            let bias = lowering.in_type(&bias, &Type::F32);
            sums = lowering.map(&[&sums, &bias], &sums.shape, Type::F32, |s, e| s.add(e[0], e[1]));
        }
        let results = lowering.in_type(&sums, &element);
        lowering.bind(result, results.value);
        Ok(())
    }),
    ..Operator::of(OnnxOp::MicrosoftMatMulNBits)
};

/// Two matrix products of the same rows, one of which gates the other.
pub(crate) const MATMUL_NBITS_MLP: Operator = Operator::read_as(OnnxOp::MicrosoftMatMulNBitsMlp, |node, emit| {
    let mlp: microsoft::MatMulNBitsMlp = node.view(emit);
    let layer = |numbers, scales, bias| Layer {
        numbers,
        scales,
        zero_points: None,
        groups: None,
        bias,
        inputs: mlp.k,
        outputs: mlp.n,
        block: mlp.block_size,
        bits: mlp.bits,
    };
    let (rows, sum) = normalized(emit, mlp.a, mlp.skip, mlp.norm_scale, mlp.epsilon);
    let gate = layer(mlp.gate_b, mlp.gate_scales, mlp.gate_bias).product(emit, rows)?;
    let up = layer(mlp.up_b, mlp.up_scales, mlp.up_bias).product(emit, rows)?;
    let function = match &*mlp.activation {
        "silu" | "swish" => "Swish",
        "gelu" => "Gelu",
        "relu" => "Relu",
        other => return Err(Problem::unsupported(format!("has activation \"{other}\""))),
    };
    let gate = emit.plain(function, &[gate]);
    node.results = Some(vec![emit.plain("Mul", &[gate, up]), sum]);
    Ok(())
});

/// Queries, keys and values as matrix products of the same rows.
pub(crate) const MATMUL_NBITS_QKV: Operator = Operator::read_as(OnnxOp::MicrosoftMatMulNBitsQkv, |node, emit| {
    let qkv: microsoft::MatMulNBitsQkv = node.view(emit);
    let layer = |numbers, scales, bias, outputs| Layer {
        numbers,
        scales,
        zero_points: None,
        groups: None,
        bias,
        inputs: qkv.k,
        outputs,
        block: qkv.block_size,
        bits: qkv.bits,
    };
    let (rows, sum) = normalized(emit, qkv.a, qkv.skip, Some(qkv.norm_scale), qkv.epsilon);
    let query = layer(qkv.q_b, qkv.q_scales, qkv.q_bias, qkv.nq).product(emit, rows)?;
    let key = layer(qkv.k_b, qkv.k_scales, qkv.k_bias, qkv.nkv).product(emit, rows)?;
    let value = layer(qkv.v_b, qkv.v_scales, qkv.v_bias, qkv.nkv).product(emit, rows)?;
    node.results = Some(vec![query, key, value, sum]);
    Ok(())
});

/// Rows plus an optional term, normalized if there is a scale; and their sum.
fn normalized(
    emit: &mut Emitter,
    rows: Value,
    skip: Option<Value>,
    scale: Option<Value>,
    epsilon: f64,
) -> (Value, Value) {
    let sum = skip.map_or(rows, |skip| emit.plain("Add", &[rows, skip]));
    let Some(scale) = scale else { return (sum, sum) };
    (emit.op("RMSNormalization", &[sum, scale], [("epsilon", Attribute::f32(epsilon as f32))]), sum)
}

/// A block-quantised matrix, with blocks along its rows, and a bias.
struct Layer {
    numbers: Value,
    scales: Value,
    zero_points: Option<Value>,
    /// The block of each input, if blocks are not in order.
    groups: Option<Value>,
    bias: Option<Value>,
    inputs: i64,
    outputs: i64,
    block: i64,
    bits: i64,
}

impl Layer {
    fn of(product: &microsoft::MatMulNBits) -> Layer {
        Layer {
            numbers: product.b,
            scales: product.scales,
            zero_points: product.zero_points,
            groups: product.g_idx,
            bias: product.bias,
            inputs: product.k,
            outputs: product.n,
            block: product.block_size,
            bits: product.bits,
        }
    }

    /// Whether the weights are constant, and in a layout that can be multiplied directly.
    fn stays_packed(&self, emit: &Emitter) -> bool {
        let blocks = (self.inputs + self.block - 1) / self.block.max(1);
        let count = |value: Value| {
            Some(emit.body.value_type(emit.known(value).map(|_| value)?).static_shape()?.iter().product::<i64>())
        };
        let has = |value: Value, extent: i64| count(value) == Some(extent);
        let zero_bytes = (blocks * self.bits + 7) / 8;
        let is_byte = |value: Value| emit.element(value) == Type::unsigned(8);
        // sums of a block stay below 2^31
        let longest = if self.bits == 4 { 4096 } else { 256 };
        [4, 8].contains(&self.bits)
            && self.inputs > 0
            && self.outputs > 0
            && (16..=longest).contains(&self.block)
            && self.block % 8 == 0
            && self.groups.is_none()
            && has(self.numbers, self.outputs * blocks * self.block * self.bits / 8)
            && has(self.scales, self.outputs * blocks)
            && self.zero_points.is_none_or(|zeros| is_byte(zeros) && has(zeros, self.outputs * zero_bytes))
    }

    fn product(&self, emit: &mut Emitter, rows: Value) -> Result<Value, Problem> {
        let element = emit.element(rows);
        let weights = weights(emit, self, &element)?;
        let columns = emit.transpose(weights, &[1, 0]);
        let product = emit.plain("MatMul", &[rows, columns]);
        Ok(self.bias.map_or(product, |bias| emit.plain("Add", &[product, bias])))
    }
}

/// `[outputs, inputs]` from blocks: `(number - zero point) · scale`.
fn weights(emit: &mut Emitter, layer: &Layer, element: &Type) -> Result<Value, Problem> {
    let &Layer { inputs, outputs, block, bits, .. } = layer;
    if block < 1 || inputs < 1 || outputs < 1 {
        return Err(Problem::input("has no weights"));
    }
    let blocks = (inputs + block - 1) / block;
    let numbers = unpacked(emit, layer.numbers, bits, &[outputs, blocks, block])?;
    let numbers = emit.convert(numbers, element);
    let by_block = emit.integers(&[outputs, blocks, 1]);
    let scales = emit.plain("Reshape", &[layer.scales, by_block]);
    let zero_points = match layer.zero_points {
        None => emit.number_like(default_zero_point(bits), scales),
        Some(packed) if emit.element(packed) == Type::unsigned(8) => {
            let all = unpacked(emit, packed, bits, &[outputs, -1])?;
            let (start, end) = (emit.integers(&[0]), emit.integers(&[blocks]));
            let own = emit.slice(all, start, end, 1);
            let own = emit.convert(own, element);
            emit.plain("Reshape", &[own, by_block])
        }
        Some(zero_points) => emit.plain("Reshape", &[zero_points, by_block]),
    };
    let [numbers, scales, zero_points] = match layer.groups {
        None => [numbers, scales, zero_points],
        Some(groups) => by_group(emit, groups, [numbers, scales, zero_points], outputs),
    };
    let centred = emit.plain("Sub", &[numbers, zero_points]);
    let weights = emit.plain("Mul", &[centred, scales]);
    let matrix = emit.integers(&[outputs, -1]);
    let weights = emit.plain("Reshape", &[weights, matrix]);
    let (start, end) = (emit.integers(&[0]), emit.integers(&[inputs]));
    Ok(if inputs == blocks * block { weights } else { emit.slice(weights, start, end, 1) })
}

/// Quantised values `[outputs, inputs]` with the scales and zero points of the given group of each input.
fn by_group(emit: &mut Emitter, groups: Value, parts: [Value; 3], outputs: i64) -> [Value; 3] {
    let matrix = emit.integers(&[outputs, -1]);
    let [numbers, scales, zero_points] = parts;
    let numbers = emit.plain("Reshape", &[numbers, matrix]);
    let (start, end) = (emit.integers(&[0]), emit.extent(groups, 0));
    let numbers = emit.slice(numbers, start, end, 1);
    let [scales, zero_points] = [scales, zero_points].map(|parameter| {
        if emit.rank(parameter) == Some(0) {
            return parameter;
        }
        let parameter = emit.plain("Reshape", &[parameter, matrix]);
        emit.op("Gather", &[parameter, groups], [("axis", Attribute::i64(1))])
    });
    [numbers, scales, zero_points]
}

/// Values from bytes, the lowest bits first.
fn unpacked(emit: &mut Emitter, bytes: Value, bits: i64, shape: &[i64]) -> Result<Value, Problem> {
    let shape = emit.integers(shape);
    let numbers = bytes_apart(emit, bytes, bits)?;
    Ok(emit.plain("Reshape", &[numbers, shape]))
}

/// Bytes with an additional axis for the values in each.
fn bytes_apart(emit: &mut Emitter, bytes: Value, bits: i64) -> Result<Value, Problem> {
    match bits {
        8 => return Ok(bytes),
        1 | 2 | 4 => {}
        _ => return Err(Problem::unsupported(format!("has values of {bits} bits"))),
    }
    let shifts: Vec<u8> = (0..8).step_by(bits as usize).collect();
    let apart = emit.unsqueeze(bytes, &[-1]);
    let shifts = byte_list(emit, &shifts);
    let lowest = emit.op("BitShift", &[apart, shifts], [("direction", Attribute::string("RIGHT"))]);
    let mask = byte_list(emit, &[(1u8 << bits) - 1]);
    Ok(emit.plain("BitwiseAnd", &[lowest, mask]))
}

fn byte_list(emit: &mut Emitter, bytes: &[u8]) -> Value {
    let r#type = Type::static_tensor(&[bytes.len() as i64], Type::unsigned(8));
    emit.constant(DenseElements::new(r#type, Blob::copy_of(bytes)))
}

/// The middle of the range of `bits` bits.
fn default_zero_point(bits: i64) -> f64 {
    ir::floats::power_of_two(bits as i32 - 1)
}

/// The values of 4-bit codes, for `quant_type` 0 and 1: <https://arxiv.org/abs/2305.14314>.
const FP4: [f32; 16] = [
    0.0,
    0.005_208_333_3,
    0.666_666_7,
    1.0,
    0.333_333_34,
    0.5,
    0.166_666_67,
    0.25,
    0.0,
    -0.005_208_333_3,
    -0.666_666_7,
    -1.0,
    -0.333_333_34,
    -0.5,
    -0.166_666_67,
    -0.25,
];
const NF4: [f32; 16] = [
    -1.0,
    -0.696_192_8,
    -0.525_073_05,
    -0.394_917_5,
    -0.284_441_38,
    -0.184_773_43,
    -0.091_050_036,
    0.0,
    0.079_580_3,
    0.160_930_2,
    0.246_112_3,
    0.337_915_24,
    0.440_709_83,
    0.562_617,
    0.722_956_84,
    1.0,
];

pub(crate) const MATMUL_BNB4: Operator = Operator::read_as(OnnxOp::MicrosoftMatMulBnb4, |node, emit| {
    let product: microsoft::MatMulBnb4 = node.view(emit);
    let table = match product.quant_type {
        0 => FP4,
        1 => NF4,
        other => return Err(Problem::unsupported(format!("has values of type {other}"))),
    };
    if product.trans_b == 0 {
        return Err(Problem::unsupported("has weights that are not transposed"));
    }
    if product.k < 1 || product.n < 1 || product.block_size < 1 {
        return Err(Problem::input("has no weights"));
    }
    let pairs = emit.unsqueeze(product.b, &[-1]);
    // the high bits of a byte come first
    let shifts = byte_list(emit, &[4, 0]);
    let shifted = emit.op("BitShift", &[pairs, shifts], [("direction", Attribute::string("RIGHT"))]);
    let low = byte_list(emit, &[15]);
    let codes = emit.plain("BitwiseAnd", &[shifted, low]);
    let codes = emit.convert(codes, &Type::I32);
    let list = emit.integers(&[-1]);
    let codes = emit.plain("Reshape", &[codes, list]);
    let count = emit.integers(&[product.k * product.n]);
    let start = emit.integers(&[0]);
    let codes = emit.slice(codes, start, count, 0);
    let table = emit.constant(floats(&table));
    let table = emit.plain("CastLike", &[table, product.a]);
    let numbers = emit.plain("Gather", &[table, codes]);
    let index = emit.count_up(count);
    let block = emit.integers(&[product.block_size]);
    let block = emit.plain("Div", &[index, block]);
    let scales = emit.plain("Gather", &[product.absmax, block]);
    let weights = emit.plain("Mul", &[numbers, scales]);
    let matrix = emit.integers(&[product.n, product.k]);
    let weights = emit.plain("Reshape", &[weights, matrix]);
    let weights = emit.transpose(weights, &[1, 0]);
    let result = emit.plain("MatMul", &[product.a, weights]);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const GATHER_BLOCK_QUANTIZED: Operator =
    Operator::read_as(OnnxOp::MicrosoftGatherBlockQuantized, |node, emit| {
        let gather: microsoft::GatherBlockQuantized = node.view(emit);
        let rank = emit.rank(gather.data).ok_or_else(|| Problem::unsupported("has data of unknown rank"))?;
        let axis = |axis| normalize_axis(axis, rank).map_err(Problem::input);
        let (gathered, quantized) = (axis(gather.gather_axis)? as i64, axis(gather.quantize_axis)? as i64);
        if emit.element(gather.data).is_float() || gather.block_size < 1 {
            return Err(Problem::unsupported("has data that are floats, or in one block"));
        }
        let bytes = emit.element(gather.data) == Type::unsigned(8);
        let bits = if bytes { gather.bits } else { 8 };
        let along = [("axis", Attribute::i64(gathered))];
        let data = in_bytes(emit, gather.data);
        let numbers = emit.op("Gather", &[data, gather.indices], along.clone());
        let numbers = last_axis_unpacked(emit, numbers, bits)?;
        let zero_points = match gather.zero_points {
            Some(packed) if bits < 8 => {
                let all = last_axis_unpacked(emit, packed, bits)?;
                let (start, end) = (emit.integers(&[0]), emit.extent(gather.scales, -1));
                Some(emit.slice(all, start, end, -1))
            }
            None if bytes => Some(byte_list(emit, &[default_zero_point(bits) as u8])),
            given => given.map(|zero_points| in_bytes(emit, zero_points)),
        };
        // each index selects the parameters of its block; otherwise they are expanded after gathering
        let in_blocks = gathered == quantized;
        let indices = if in_blocks { blocks_of(emit, &gather, gathered) } else { gather.indices };
        let scales = emit.op("Gather", &[gather.scales, indices], along.clone());
        let one = |value: Value| emit.body.value_type(value).static_shape().is_some_and(|shape| shape == [1]);
        let zero_points = match zero_points {
            Some(zero_point) if one(zero_point) && rank > 1 => Some(zero_point),
            Some(zero_points) => Some(emit.op("Gather", &[zero_points, indices], along)),
            None => None,
        };
        let result = if in_blocks {
            scaled(emit, numbers, scales, zero_points)
        } else {
            let axis = if quantized > gathered { quantized - rank as i64 } else { quantized };
            let attributes = [("axis", Attribute::i64(axis)), ("block_size", Attribute::i64(gather.block_size))];
            let operands: Vec<Value> = [Some(numbers), Some(scales), zero_points].into_iter().flatten().collect();
            emit.op("DequantizeLinear", &operands, attributes)
        };
        node.replace(result, emit);
        Ok(())
    });

/// Integers as uint8, which `Gather` supports.
fn in_bytes(emit: &mut Emitter, numbers: Value) -> Value {
    let byte = if emit.element(numbers).is_unsigned() { Type::unsigned(8) } else { Type::I8 };
    emit.convert(numbers, &byte)
}

fn last_axis_unpacked(emit: &mut Emitter, bytes: Value, bits: i64) -> Result<Value, Problem> {
    if bits == 8 {
        return Ok(bytes);
    }
    let numbers = bytes_apart(emit, bytes, bits)?;
    let outer = emit.op("Shape", &[bytes], [("end", Attribute::i64(-1))]);
    let rest = emit.integers(&[-1]);
    let shape = emit.list(&[outer, rest]);
    Ok(emit.plain("Reshape", &[numbers, shape]))
}

/// The block that contains each index.
fn blocks_of(emit: &mut Emitter, gather: &microsoft::GatherBlockQuantized, axis: i64) -> Value {
    let extent = emit.extent(gather.data, axis);
    let indices = emit.convert(gather.indices, &Type::I64);
    let (zero, block) = (emit.integer(0), emit.integer(gather.block_size));
    let (negative, extent) = (emit.plain("Less", &[indices, zero]), emit.scalar(extent));
    let counted = emit.plain("Add", &[indices, extent]);
    let indices = emit.plain("Where", &[negative, counted, indices]);
    emit.plain("Div", &[indices, block])
}

/// `(q - zero point) · scale`, elementwise.
fn scaled(emit: &mut Emitter, numbers: Value, scales: Value, zero_points: Option<Value>) -> Value {
    let element = emit.element(scales);
    let mut numbers = emit.convert(numbers, &element);
    if let Some(zero_points) = zero_points {
        let zero_points = emit.convert(zero_points, &element);
        numbers = emit.plain("Sub", &[numbers, zero_points]);
    }
    emit.plain("Mul", &[numbers, scales])
}
