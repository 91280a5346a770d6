//! `tensor`: value-semantic arrays.

pub use crate::codes::operands::tensor::*;
pub use crate::codes::tensor::*;

use crate::{OpCodes, assembly};
use ir::registry::{AttributeDefinition, AttributeKind};
use ir::{Arity, Attribute, Body, Folded, Op, OpDefinition, Trait, Type, Value};

use crate::checks::{
    Check, all_index, ensure, only_block, operand_type, result_type, segments, terminator_types, types_of,
};
use crate::shape_ops::{
    fold_cast, fold_dim, verify_dim, verify_dynamic_sizes, verify_indices, verify_reassociation, verify_slice,
};

const REASSOCIATION: AttributeDefinition = AttributeDefinition::required("reassociation", AttributeKind::Array);
const SLICE: &[AttributeDefinition] = &[
    AttributeDefinition::required("static_offsets", AttributeKind::Integers),
    AttributeDefinition::required("static_sizes", AttributeKind::Integers),
    AttributeDefinition::required("static_strides", AttributeKind::Integers),
    AttributeDefinition::required("operandSegmentSizes", AttributeKind::Integers),
];

/// The tensor that a reshape or a cast shows with other extents.
pub fn viewed(body: &Body, op: Op) -> Option<Value> {
    match body.code(op) {
        Some(RESHAPE) => Some(Reshape::of(body, op).source),
        Some(CAST) => Some(body.sole_operand(op)),
        _ => None,
    }
}

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    let row = |name, summary, operands| {
        OpDefinition::new(name, summary, operands, Arity::exactly(1)).with_traits(&[Trait::Pure])
    };
    vec![
        row("tensor.empty", "A tensor without contents.", Arity::at_least(0))
            .with_format("sizes...: index", "result", "`(` $sizes `)` attr-dict `:` type($result)")
            .with_verify(|body, op| {
                verify_dynamic_sizes(body, op, 0, body.op(op).operands().len(), result_type(body, op, 0))
            }),
        row("tensor.dim", "The extent of a dimension.", Arity::exactly(2))
            .with_format("source, index: index", "result: index", "$source `,` $index attr-dict `:` type($source)")
            .with_result_names(|_, _| vec!["dim".to_string()])
            .with_verify(verify_dim)
            .with_fold(fold_dim),
        row("tensor.rank", "The number of dimensions.", Arity::exactly(1))
            .with_format("tensor", "result: index", "$tensor attr-dict `:` type($tensor)")
            .with_result_names(|_, _| vec!["rank".to_string()])
            .with_fold(fold_rank),
        row("tensor.cast", "The same tensor, with more or fewer static extents.", Arity::exactly(1))
            .with_format("source", "dest", "$source attr-dict `:` type($source) `to` type($dest)")
            .with_result_names(|_, _| vec!["cast".to_string()])
            .with_verify(verify_cast)
            .with_fold(fold_cast),
        row("tensor.bitcast", "The same bits as another element type.", Arity::exactly(1))
            .with_format("source", "dest", "$source attr-dict `:` type($source) `to` type($dest)"),
        row("tensor.extract", "One element.", Arity::at_least(1))
            .with_format(
                "tensor, indices...: index",
                "result: element(tensor)",
                "$tensor `[` $indices `]` attr-dict `:` type($tensor)",
            )
            .with_result_names(|_, _| vec!["extracted".to_string()])
            .with_verify(verify_extract),
        row("tensor.insert", "A tensor with one element replaced.", Arity::at_least(2))
            .with_format(
                "scalar: element(result), dest: result, indices...: index",
                "result",
                "$scalar `into` $dest `[` $indices `]` attr-dict `:` type($result)",
            )
            .with_result_names(|_, _| vec!["inserted".to_string()])
            .with_verify(verify_insert),
        row("tensor.extract_slice", "A strided part.", Arity::at_least(1))
            .with_attributes(SLICE)
            .with_operands("source, offsets_sizes_strides...")
            .with_assembly(assembly::memref::print_slice, assembly::memref::parse_slice)
            .with_result_names(|_, _| vec!["extracted_slice".to_string()])
            .with_verify(|body, op| verify_slice(body, op, 1, rank(body, op, 0)?)),
        row("tensor.insert_slice", "A tensor with a strided part replaced.", Arity::at_least(2))
            .with_attributes(SLICE)
            .with_verify(verify_insert_slice),
        row("tensor.expand_shape", "Dimensions split into several.", Arity::at_least(1))
            .with_attributes(const { &[
                REASSOCIATION,
                AttributeDefinition::required("static_output_shape", AttributeKind::Integers),
            ] })
            .with_verify(verify_expand_shape),
        row("tensor.collapse_shape", "Dimensions joined into one.", Arity::exactly(1))
            .with_attributes(const { &[REASSOCIATION] })
            .with_verify(|body, op| {
                verify_reassociation(body, op, result_type(body, op, 0), operand_type(body, op, 0))
            }),
        row("tensor.reshape", "The same elements in another shape.", Arity::exactly(2))
            .with_operands("source, shape")
            .with_assembly(assembly::tensor::print_reshape, assembly::tensor::parse_reshape)
            .with_result_names(|_, _| vec!["reshape".to_string()])
            .with_verify(verify_reshape),
        row("tensor.from_elements", "A tensor of scalars.", Arity::at_least(0))
            .with_assembly(assembly::tensor::print_from_elements, assembly::tensor::parse_from_elements)
            .with_result_names(|_, _| vec!["from_elements".to_string()])
            .with_verify(verify_from_elements),
        row("tensor.splat", "A tensor filled with one scalar.", Arity::at_least(1)).with_verify(|body, op| {
            let count = body.op(op).operands().len() - 1;
            verify_dynamic_sizes(body, op, 1, count, result_type(body, op, 0))
        }),
        row("tensor.concat", "Tensors joined along a dimension.", Arity::at_least(1))
            .with_attributes(const { &[AttributeDefinition::required("dim", AttributeKind::Integer)] })
            .with_assembly(assembly::tensor::print_concat, assembly::tensor::parse_concat)
            .with_result_names(|_, _| vec!["concat".to_string()])
            .with_verify(verify_concat),
        row("tensor.pad", "A tensor with a border.", Arity::at_least(1))
            .with_operands("source, bounds...")
            .with_assembly(assembly::tensor::print_pad, assembly::tensor::parse_pad)
            .with_result_names(|_, _| vec!["padded".to_string()])
            .with_regions(Arity::exactly(1))
            .with_traits(&[Trait::Pure, Trait::SingleBlock])
            .with_attributes(const { &[
                AttributeDefinition::required("static_low", AttributeKind::Integers),
                AttributeDefinition::required("static_high", AttributeKind::Integers),
                AttributeDefinition::required("operandSegmentSizes", AttributeKind::Integers),
                AttributeDefinition::optional("nofold", AttributeKind::Unit),
            ] })
            .with_verify(verify_pad),
        row("tensor.generate", "A tensor computed element by element.", Arity::at_least(0))
            .with_regions(Arity::exactly(1))
            .with_traits(&[Trait::RecursiveEffects, Trait::SingleBlock])
            .with_verify(verify_generate),
        OpDefinition::new("tensor.yield", "The element a region computed.", Arity::exactly(1), Arity::exactly(0))
            .with_assembly(assembly::print_values, assembly::parse_values)
            .with_traits(&[Trait::Terminator]),
    ]
}

fn rank(body: &Body, op: Op, operand: usize) -> Result<usize, String> {
    let r#type = operand_type(body, op, operand);
    r#type.rank().ok_or_else(|| format!("operand #{operand} must be a ranked tensor, found {type}"))
}

fn fold_rank(body: &Body, op: Op) -> Option<Vec<Folded>> {
    let rank = operand_type(body, op, 0).rank()?;
    Some(vec![Folded::Constant(Attribute::index(rank as i64))])
}

fn verify_cast(body: &Body, op: Op) -> Check {
    let (from, to) = (operand_type(body, op, 0), result_type(body, op, 0));
    let compatible = match (from.shape(), to.shape()) {
        (Some(from), Some(to)) => {
            from.len() == to.len() && from.iter().zip(&to).all(|(a, b)| a.is_none() || b.is_none() || a == b)
        }
        _ => true,
    };
    let holds = compatible && from.element() == to.element() && from.as_tensor().is_some() && to.as_tensor().is_some();
    ensure(holds, || format!("cannot cast {from} to {to}"))
}

fn verify_extract(body: &Body, op: Op) -> Check {
    let (tensor, result) = (operand_type(body, op, 0), result_type(body, op, 0));
    verify_indices(body, op, 1, body.op(op).operands().len() - 1, tensor)?;
    ensure(tensor.element() == result, || format!("result must be {}, found {result}", tensor.element()))
}

fn verify_insert(body: &Body, op: Op) -> Check {
    let (element, tensor) = (operand_type(body, op, 0), operand_type(body, op, 1));
    verify_indices(body, op, 2, body.op(op).operands().len() - 2, tensor)?;
    ensure(tensor.element() == element, || format!("operand #0 must be {}, found {element}", tensor.element()))?;
    ensure(tensor == result_type(body, op, 0), || format!("result must be {tensor}"))
}

fn verify_insert_slice(body: &Body, op: Op) -> Check {
    verify_slice(body, op, 2, rank(body, op, 1)?)?;
    let (tensor, result) = (operand_type(body, op, 1), result_type(body, op, 0));
    ensure(tensor == result, || format!("result must be {tensor}, found {result}"))
}

fn verify_expand_shape(body: &Body, op: Op) -> Check {
    let (from, to) = (operand_type(body, op, 0), result_type(body, op, 0));
    verify_reassociation(body, op, from, to)?;
    verify_dynamic_sizes(body, op, 1, body.op(op).operands().len() - 1, to)
}

fn verify_reshape(body: &Body, op: Op) -> Check {
    let (from, shape, to) = (operand_type(body, op, 0), operand_type(body, op, 1), result_type(body, op, 0));
    ensure(from.element() == to.element(), || format!("element types differ: {from} and {to}"))?;
    ensure(shape.rank() == Some(1), || format!("operand #1 must be a one-dimensional tensor, found {shape}"))
}

fn verify_from_elements(body: &Body, op: Op) -> Check {
    let result = result_type(body, op, 0);
    let count = result.static_shape().map(|shape| shape.iter().product::<i64>());
    let found = body.op(op).operands().len();
    ensure(count == Some(found as i64), || format!("{found} elements for {result}"))?;
    let other = types_of(body, body.op(op).operands()).into_iter().find(|r#type| r#type != result.element());
    other.map_or(Ok(()), |other| Err(format!("elements must be {}, found {other}", result.element())))
}

fn verify_concat(body: &Body, op: Op) -> Check {
    let rank = rank(body, op, 0)? as i64;
    let dim = body.op(op).attributes.integer("dim").unwrap_or(-1);
    ensure((0..rank).contains(&dim), || format!("attribute 'dim' must be 0 to {}, found {dim}", rank - 1))?;
    let types = types_of(body, body.op(op).operands());
    let odd = types.into_iter().find(|r#type| r#type.rank() != Some(rank as usize));
    odd.map_or(Ok(()), |odd| Err(format!("operands must have rank {rank}, found {odd}")))
}

fn verify_pad(body: &Body, op: Op) -> Check {
    let rank = rank(body, op, 0)?;
    segments(body, op, 3)?;
    all_index(body, op, 1)?;
    for name in ["static_low", "static_high"] {
        let entries = body.op(op).attributes.integers(name).unwrap_or_default();
        ensure(entries.len() == rank, || {
            format!("attribute '{name}' must have {rank} entries, found {}", entries.len())
        })?;
    }
    verify_element_region(body, op, rank)
}

fn verify_generate(body: &Body, op: Op) -> Check {
    let result = result_type(body, op, 0);
    verify_dynamic_sizes(body, op, 0, body.op(op).operands().len(), result)?;
    verify_element_region(body, op, result.rank().unwrap_or(0))
}

/// A region from `rank` indices to one element.
fn verify_element_region(body: &Body, op: Op, rank: usize) -> Check {
    let block = only_block(body, op, 0)?;
    let arguments = types_of(body, body.arguments(block));
    ensure(arguments == vec![Type::Index; rank], || format!("region must take {rank} indices"))?;
    let yielded = terminator_types(body, block, YIELD)?;
    let element = result_type(body, op, 0).element();
    ensure(yielded.as_slice() == std::slice::from_ref(element), || format!("region must yield {element}"))
}
