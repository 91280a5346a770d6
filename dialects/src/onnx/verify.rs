//! The verifier of the dialect, beyond arities and attributes: the types that schemas allow and tie together, and the
//! signatures of regions.

use std::borrow::Cow;

use ir::{Attribute, Attributes, Body, FloatType, IndexMap, Op, Type};

use super::schema::{self, Mode, Parameter, Schema};
use super::{OnnxOp, YIELD};
use crate::checks::{Check, ensure, only_block, terminator_types, types_of};

/// Verifies an operator's operation.
pub(super) fn verify(body: &Body, op: Op) -> Check {
    let Some(schema) = schema::of_operation(body.name(op)) else { return Ok(()) };
    let operation = body.op(op);
    let (operands, results) = (types_of(body, operation.operands()), types_of(body, operation.results()));
    let operator = OnnxOp::of(body, op);
    // initializers are constants too, of whatever type
    check_types(schema, &operands, if operator == Some(OnnxOp::Constant) { &[] } else { &results })?;
    check_choices(schema, &operation.attributes)?;
    check_numbers(schema, &operation.attributes)?;
    match operator {
        Some(OnnxOp::Constant) => verify_constant(&operation.attributes, &results),
        Some(OnnxOp::If) => verify_if(body, op, &results),
        Some(OnnxOp::Loop) => verify_loop(body, op, &operands, &results),
        Some(OnnxOp::Scan) => verify_scan(body, op, &operands, &results),
        _ => Ok(()),
    }
}

/// Checks that operands and results have types that a schema allows, and equal types where it ties them together. The
/// error is the end of a sentence that starts with the operator. Absent values have no type.
pub fn check_types(schema: &Schema, operands: &[Type], results: &[Type]) -> Result<(), String> {
    let mut bound: IndexMap<&str, (&str, Cow<'static, str>)> = IndexMap::default();
    let inputs = operands.iter().enumerate().map(|(index, r#type)| ("operand", schema.input(index), r#type));
    let outputs = results.iter().enumerate().map(|(index, r#type)| ("result", schema.output(index), r#type));
    for (what, parameter, r#type) in inputs.chain(outputs) {
        let Some(parameter) = parameter.filter(|_| *r#type != Type::None) else { continue };
        let found = allowed_name(schema, parameter, r#type)
            .map_err(|problem| format!("has {what} \"{}\" {problem}", parameter.name))?;
        if parameter.mode == Mode::Mixed {
            continue;
        }
        let (first, expected) = bound.entry(parameter.r#type).or_insert_with(|| (parameter.name, found.clone()));
        ensure(*expected == found, || {
            format!(
                "has {what} \"{}\" of {found}, but \"{first}\" of {expected}: they must be of one type",
                parameter.name
            )
        })?;
    }
    Ok(())
}

/// Checks that texts with an enumeration are members of it. The error is the end of a sentence.
pub fn check_choices(schema: &Schema, attributes: &Attributes) -> Result<(), String> {
    for known in &schema.attributes {
        let (Some(enumeration), Some(found)) = (known.enumeration, attributes.str(known.name)) else { continue };
        let choices = schema::choices(enumeration);
        ensure(choices.contains(&found), || {
            format!("has attribute \"{}\" of \"{found}\"; it may be {}", known.name, choices.join(", "))
        })?;
    }
    Ok(())
}

/// Checks that integers that are extents, distances or counts have at most 32 bits, so that sums and products of two of them
/// do not overflow. The error is the end of a sentence.
pub fn check_numbers(schema: &Schema, attributes: &Attributes) -> Result<(), String> {
    let counts = schema.attributes.iter().map(|known| known.name).filter(|name| !is_any_integer(name));
    for name in counts {
        let listed = attributes.integers(name);
        let found = attributes.integer(name).into_iter().chain(listed.iter().flat_map(|list| list.iter().copied()));
        if let Some(beyond) = found.into_iter().find(|&number| i32::try_from(number).is_err()) {
            return Err(format!("has attribute \"{name}\" with {beyond}; numbers of 32 bits are supported"));
        }
    }
    Ok(())
}

/// Whether an attribute's integers are elements of tensors, keys, seeds, or bounds that are clamped.
fn is_any_integer(attribute: &str) -> bool {
    let exact = ["value_int", "value_ints", "start", "end", "seed", "ignore_index", "classlabels_ints"];
    attribute.contains("int64") || attribute.ends_with("ids") || exact.contains(&attribute)
}

/// ONNX's name of a type, if the schema allows it there.
fn allowed_name(schema: &Schema, parameter: &Parameter, r#type: &Type) -> Result<Cow<'static, str>, String> {
    let found = type_name(r#type).ok_or_else(|| format!("of type {type}, which ONNX does not have"))?;
    let allowed = schema.allowed_types(parameter);
    match allowed.contains(&&*found) {
        true => Ok(found),
        false => Err(format!("of {found}; it may be {}", allowed.join(", "))),
    }
}

/// ONNX's name of a type without its shape: `float`, `seq:int64`.
pub fn type_name(r#type: &Type) -> Option<Cow<'static, str>> {
    match r#type {
        Type::Tensor(tensor) => element_name(&tensor.element),
        Type::Dialect(dialect) if *dialect.dialect == *"onnx" => match (&*dialect.name, &*dialect.parameters) {
            ("Seq", [element]) => Some(format!("seq:{}", type_name(element)?).into()),
            ("Opt", [element]) => Some(format!("optional:{}", type_name(element)?).into()),
            ("Map", [key, value]) => Some(format!("map:{},{}", element_name(key)?, type_name(value)?).into()),
            _ => None,
        },
        _ => None,
    }
}

fn element_name(element: &Type) -> Option<Cow<'static, str>> {
    Some(Cow::Borrowed(match element {
        Type::Integer(integer) => match (integer.width, element.is_unsigned()) {
            (1, _) => "bool",
            (8, true) => "uint8",
            (8, false) => "int8",
            (32, false) => "int32",
            (64, false) => "int64",
            (width, true) => return Some(format!("uint{width}").into()),
            (width, false) => return Some(format!("int{width}").into()),
        },
        Type::Float(float) => match float {
            FloatType::F4E2M1FN => "float4e2m1",
            FloatType::F6E2M3FN => "float6e2m3",
            FloatType::F6E3M2FN => "float6e3m2",
            FloatType::F8E4M3FN => "float8e4m3fn",
            FloatType::F8E4M3FNUZ => "float8e4m3fnuz",
            FloatType::F8E5M2 => "float8e5m2",
            FloatType::F8E5M2FNUZ => "float8e5m2fnuz",
            FloatType::F8E8M0FNU => "float8e8m0",
            FloatType::BF16 => "bfloat16",
            FloatType::F16 => "float16",
            FloatType::F32 => "float",
            FloatType::F64 => "double",
        },
        Type::Complex(FloatType::F64) => "complex128",
        Type::Complex(_) => "complex64",
        Type::Dialect(dialect) if *dialect.dialect == *"onnx" && *dialect.name == *"String" => "string",
        _ => return None,
    }))
}

/// Checks that types are equal except for their shapes; absent ones match anything.
fn same_kinds(what: &str, found: &[Type], expected: &[Type]) -> Check {
    ensure(found.len() == expected.len(), || format!("expects {} {what}, found {}", expected.len(), found.len()))?;
    for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
        let [found_kind, expected_kind] = [found, expected].map(|r#type| type_name(held(r#type)));
        let fits = [found, expected].contains(&&Type::None) || found_kind == expected_kind;
        ensure(fits, || {
            let [found, expected] =
                [found, expected].map(|r#type| type_name(r#type).unwrap_or_else(|| r#type.to_string().into()));
            format!("expects number {at} of the {what} to be of type {expected}, found {found}")
        })?;
    }
    Ok(())
}

/// The value type of an optional, if that is a sequence: a sequence is accepted as an optional with this value.
fn held(r#type: &Type) -> &Type {
    match r#type {
        Type::Dialect(dialect) if &*dialect.name == "Opt" => match dialect.parameters.first() {
            Some(sequence @ Type::Dialect(_)) => sequence,
            _ => r#type,
        },
        other => other,
    }
}

/// The value has the type of the result, of which extents may be unknown.
fn verify_constant(attributes: &Attributes, results: &[Type]) -> Check {
    let (Some(Attribute::Dense(value)), [result]) = (attributes.get("value"), results) else { return Ok(()) };
    let found = &value.r#type;
    let (extents, stated) = (found.shape().unwrap_or_default(), result.shape());
    let fits = stated.is_none_or(|stated| {
        stated.len() == extents.len() && stated.iter().zip(extents.iter()).all(|(s, e)| s.is_none() || s == e)
    });
    ensure(fits && found.element() == result.element(), || format!("value has type {found}, result has type {result}"))
}

fn verify_if(body: &Body, op: Op, results: &[Type]) -> Check {
    for region in 0..body.op(op).regions().len() {
        let block = only_block(body, op, region)?;
        ensure(body.arguments(block).is_empty(), || format!("region #{region} must have no arguments"))?;
        let name = if region == 0 { "then_branch" } else { "else_branch" };
        same_kinds(&format!("values from {name}"), &terminator_types(body, block, YIELD)?, results)?;
    }
    Ok(())
}

/// The body takes the iteration, the condition and the carried values; it returns the condition, the carried and the
/// collected values.
fn verify_loop(body: &Body, op: Op, operands: &[Type], results: &[Type]) -> Check {
    let block = only_block(body, op, 0)?;
    let scalar = |element| Type::static_tensor(&[], element);
    let carried = operands.get(2..).unwrap_or_default();
    let expected = [&[scalar(Type::I64), scalar(Type::I1)], carried].concat();
    same_kinds("arguments of the body", &types_of(body, body.arguments(block)), &expected)?;
    ensure(results.len() >= carried.len(), || {
        format!("expects a result for each of {} carried values, found {}", carried.len(), results.len())
    })?;
    same_kinds("carried results", &results[..carried.len()], carried)?;
    let expected = [&[scalar(Type::I1)], results].concat();
    same_kinds("values from the body", &terminator_types(body, block, YIELD)?, &expected)
}

fn verify_scan(body: &Body, op: Op, operands: &[Type], results: &[Type]) -> Check {
    let block = only_block(body, op, 0)?;
    same_kinds("arguments of the body", &types_of(body, body.arguments(block)), operands)?;
    same_kinds("values from the body", &terminator_types(body, block, YIELD)?, results)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(operator: &str, operands: &[Type], results: &[Type]) -> Result<(), String> {
        let tensors = |types: &[Type]| types.iter().map(|t| Type::unranked_tensor(t.clone())).collect::<Vec<_>>();
        let schema = schema::newest("", operator).expect("a known operator");
        check_types(schema, &tensors(operands), &tensors(results))
    }

    #[test]
    fn types_are_allowed_and_tied() {
        assert_eq!(check("Add", &[Type::F32, Type::F32], &[Type::F32]), Ok(()));
        let tied = "has operand \"B\" of int32, but \"A\" of float: they must be of one type";
        assert_eq!(check("Add", &[Type::F32, Type::I32], &[Type::F32]), Err(tied.into()));
        let tied = "has result \"C\" of double, but \"A\" of float: they must be of one type";
        assert_eq!(check("Add", &[Type::F32, Type::F32], &[Type::F64]), Err(tied.into()));
        let message = check("Sqrt", &[Type::I64], &[]).expect_err("not a float");
        assert_eq!(message, "has operand \"X\" of int64; it may be bfloat16, double, float, float16");
        assert_eq!(check("Cast", &[Type::unsigned(8)], &[Type::I1]), Ok(()));
    }

    #[test]
    fn containers_have_names() {
        let tensor = Type::unranked_tensor(Type::F32);
        let sequence = Type::dialect("onnx", "Seq", vec![tensor]);
        let optional = Type::dialect("onnx", "Opt", vec![sequence.clone()]);
        assert_eq!(type_name(&sequence).as_deref(), Some("seq:float"));
        assert_eq!(type_name(&optional).as_deref(), Some("optional:seq:float"));
    }
}
