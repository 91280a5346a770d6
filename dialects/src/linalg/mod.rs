//! `linalg`: operations as index maps and a scalar body.

pub mod generic;

pub use crate::codes::linalg::*;

use crate::{OpCodes, assembly};
use ir::registry::{AttributeDefinition, AttributeKind};
use ir::{AffineMap, Arity, Attribute, Body, Op, OpDefinition, Trait, Type};

use crate::checks::{
    Check, ensure, only_block, operand_type, result_type, same_types, segments, terminator_types, types_of,
};

/// Columns of blocked layouts and contractions come in groups of this many, one AVX-512 vector of f32.
pub const GROUP: i64 = 16;

const SEGMENTS: AttributeDefinition = AttributeDefinition::required("operandSegmentSizes", AttributeKind::Integers);
const INNER_DIMS: AttributeDefinition = AttributeDefinition::required("inner_dims_pos", AttributeKind::Integers);
const INNER_TILES: AttributeDefinition = AttributeDefinition::required("static_inner_tiles", AttributeKind::Integers);
const OUTER_PERMUTATION: AttributeDefinition =
    AttributeDefinition::optional("outer_dims_perm", AttributeKind::Integers);

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    vec![
        OpDefinition::new(
            "linalg.generic",
            "A loop nest given by index maps and a body.",
            Arity::at_least(1),
            Arity::at_least(0),
        )
        .with_regions(Arity::exactly(1))
        .with_traits(&[Trait::RecursiveEffects, Trait::SingleBlock])
        .with_attributes(
            const {
                &[
                    AttributeDefinition::required("indexing_maps", AttributeKind::Array),
                    AttributeDefinition::required("iterator_types", AttributeKind::Array),
                    SEGMENTS,
                ]
            },
        )
        .with_assembly(assembly::linalg::print_generic, assembly::linalg::parse_generic)
        .with_argument_names(assembly::linalg::name_arguments)
        .with_verify(verify_generic),
        OpDefinition::new(
            "linalg.index",
            "The current iteration number of a loop.",
            Arity::exactly(0),
            Arity::exactly(1),
        )
        .with_traits(&[Trait::Pure])
        .with_attributes(const { &[AttributeDefinition::required("dim", AttributeKind::Integer)] })
        .with_format("", "result: index", "$dim attr-dict `:` type($result)")
        .with_verify(verify_index),
        OpDefinition::new("linalg.yield", "The elements a body computed.", Arity::at_least(0), Arity::exactly(0))
            .with_assembly(assembly::print_values, assembly::parse_values)
            .with_traits(&[Trait::Terminator]),
        OpDefinition::new("linalg.fill", "Fills with one scalar.", Arity::exactly(2), Arity::between(0, 1))
            .with_regions(Arity::exactly(1))
            .with_traits(&[Trait::RecursiveEffects, Trait::SingleBlock])
            .with_attributes(const { &[SEGMENTS] })
            .with_verify(verify_fill),
        OpDefinition::new(
            "linalg.pack",
            "Moves parts of dimensions into new innermost ones.",
            Arity::at_least(2),
            Arity::exactly(1),
        )
        .with_traits(&[Trait::Pure])
        .with_attributes(const { &[INNER_DIMS, INNER_TILES, OUTER_PERMUTATION, SEGMENTS] })
        .with_verify(verify_pack),
        OpDefinition::new("linalg.unpack", "Undoes linalg.pack.", Arity::at_least(2), Arity::exactly(1))
            .with_traits(&[Trait::Pure])
            .with_attributes(const { &[INNER_DIMS, INNER_TILES, OUTER_PERMUTATION] })
            .with_verify(|body, op| verify_tiles(body, op, operand_type(body, op, 1), operand_type(body, op, 0))),
    ]
}

/// `#linalg.iterator_type<parallel>`
pub fn parallel() -> Attribute {
    Attribute::Dialect("linalg".into(), "iterator_type<parallel>".into())
}

/// `#linalg.iterator_type<reduction>`
pub fn reduction() -> Attribute {
    Attribute::Dialect("linalg".into(), "iterator_type<reduction>".into())
}

/// The maps of `indexing_maps`; `None` if an entry is not a map.
pub fn indexing_maps(body: &Body, op: Op) -> Option<Vec<&AffineMap>> {
    body.attribute(op, "indexing_maps")?.as_array()?.iter().map(Attribute::as_affine_map).collect()
}

fn verify_generic(body: &Body, op: Op) -> Check {
    let operation = body.op(op);
    let sizes = segments(body, op, 2)?;
    let maps = indexing_maps(body, op).ok_or("attribute 'indexing_maps' must be an array of affine maps")?;
    let iterators = body.attribute(op, "iterator_types").and_then(|types| types.as_array()).unwrap_or_default();
    let operands = types_of(body, operation.operands());
    ensure(maps.len() == operands.len(), || {
        format!("has {} operands, but {} indexing maps", operands.len(), maps.len())
    })?;
    if let Some(other) = iterators.iter().find(|&iterator| *iterator != parallel() && *iterator != reduction()) {
        return Err(format!("attribute 'iterator_types' holds {other}, which is neither parallel nor reduction"));
    }
    for (at, (map, r#type)) in maps.iter().zip(&operands).enumerate() {
        verify_map(at, map, r#type, iterators.len())?;
    }
    let extents = verify_extents(&maps, &operands)?;
    verify_subscripts(&maps, &operands, &extents)?;
    for (dim, iterator) in (0..).zip(iterators) {
        let writes = |map: &&AffineMap| map.results.iter().any(|result| result.uses_dim(dim));
        ensure(*iterator != parallel() || maps[sizes[0]..].iter().any(writes), || {
            format!("loop d{dim} is parallel, but the map of no output depends on it")
        })?;
    }
    let outputs = &operands[sizes[0]..];
    let tensors: Vec<Type> = outputs.iter().filter(|r#type| r#type.as_tensor().is_some()).cloned().collect();
    same_types("results", &types_of(body, operation.results()), &tensors)?;
    let elements: Vec<Type> = operands.iter().map(|r#type| r#type.element().clone()).collect();
    let block = only_block(body, op, 0)?;
    same_types("region arguments", &types_of(body, body.arguments(block)), &elements)?;
    same_types("yielded values", &terminator_types(body, block, YIELD)?, &elements[sizes[0]..])
}

fn verify_map(at: usize, map: &AffineMap, r#type: &Type, iterators: usize) -> Check {
    ensure(map.dims as usize == iterators && map.symbols == 0, || {
        format!("indexing map #{at} must have {iterators} dimensions and no symbols, found {map}")
    })?;
    let rank = r#type.rank().unwrap_or(0);
    ensure(map.results.len() == rank, || {
        format!("indexing map #{at} must have {rank} results for {type}, found {}", map.results.len())
    })
}

/// Checks that static extents of all operands agree on the size of every loop that indexes a dimension alone; returns the
/// sizes that are known.
fn verify_extents(maps: &[&AffineMap], types: &[Type]) -> Result<Vec<Option<i64>>, String> {
    let loops = maps.first().map_or(0, |map| map.dims as usize);
    let mut extents: Vec<Option<i64>> = vec![None; loops];
    for (map, r#type) in maps.iter().zip(types) {
        for (result, extent) in map.results.iter().zip(r#type.shape().unwrap_or_default()) {
            let (ir::AffineExpr::Dim(dim), Some(extent)) = (result, extent) else { continue };
            let known = extents[*dim as usize].get_or_insert(extent);
            ensure(*known == extent, || {
                format!("loop d{dim} has {known} iterations by one operand and {extent} by {type}")
            })?;
        }
    }
    ensure(loops == 0 || maps.iter().any(|map| !map.results.is_empty()), || "no operand bounds the loops".to_string())?;
    Ok(extents)
}

/// Checks that no subscript that grows with the loops exceeds a static extent.
fn verify_subscripts(maps: &[&AffineMap], types: &[Type], extents: &[Option<i64>]) -> Check {
    for (at, (map, r#type)) in maps.iter().zip(types).enumerate() {
        for (dimension, (result, extent)) in map.results.iter().zip(r#type.shape().unwrap_or_default()).enumerate() {
            let (Some(extent), Some(largest)) = (extent, generic::largest(result, extents)) else { continue };
            ensure(largest < extent, || {
                format!("indexing map #{at} reaches {largest} in dimension {dimension} of {type}")
            })?;
        }
    }
    Ok(())
}

fn verify_index(body: &Body, op: Op) -> Check {
    let dim = body.op(op).attributes.integer("dim").unwrap_or(-1);
    let parent = body.parent_op(op).filter(|&parent| body.is(parent, GENERIC));
    let parent = parent.ok_or("must be inside a linalg.generic")?;
    let loops = body.attribute(parent, "iterator_types").and_then(|types| types.as_array()).map_or(0, <[_]>::len);
    ensure((0..loops as i64).contains(&dim), || format!("loop {dim} of {loops}"))?;
    let result = result_type(body, op, 0);
    ensure(*result == Type::Index, || format!("result must be index, found {result}"))
}

fn verify_fill(body: &Body, op: Op) -> Check {
    let (value, target) = (operand_type(body, op, 0), operand_type(body, op, 1));
    ensure(target.rank().is_some(), || format!("operand #1 must be a ranked tensor or memref, found {target}"))?;
    ensure(value == target.element(), || format!("fills {target} with {value}"))?;
    let expected: &[Type] = if target.as_tensor().is_some() { std::slice::from_ref(target) } else { &[] };
    same_types("results", &types_of(body, body.op(op).results()), expected)
}

fn verify_pack(body: &Body, op: Op) -> Check {
    segments(body, op, 4)?;
    verify_tiles(body, op, operand_type(body, op, 0), operand_type(body, op, 1))
}

/// `packed` has one more dimension than `plain` for each inner tile.
fn verify_tiles(body: &Body, op: Op, plain: &Type, packed: &Type) -> Check {
    let attributes = &body.op(op).attributes;
    let axes = attributes.integers("inner_dims_pos").unwrap_or_default();
    let tiles = attributes.integers("static_inner_tiles").unwrap_or_default();
    let rank = plain.rank().ok_or_else(|| format!("expects a ranked tensor, found {plain}"))?;
    ensure(axes.len() == tiles.len(), || format!("has {} inner dimensions and {} tiles", axes.len(), tiles.len()))?;
    ensure(axes.iter().all(|axis| (0..rank as i64).contains(axis)), || {
        format!("inner dimensions {axes:?} of {plain}")
    })?;
    ensure(packed.rank() == Some(rank + tiles.len()), || {
        format!("packing {plain} into {} tiles does not give {packed}", tiles.len())
    })?;
    ensure(result_type(body, op, 0) == operand_type(body, op, 1), || {
        "result must have the destination's type".to_string()
    })
}
