//! Operation definitions, made from the schemas in `schemas.txt`. Shapes and lowering of operators are in `compiler/operators`.

use std::sync::{LazyLock, OnceLock};

use ir::{Arity, AttributeDefinition, AttributeKind, OpDefinition, Trait};

use super::OnnxOp;
use super::schema::{self, Kind, Schema};

/// The dialect's operations.
pub fn operations() -> Vec<&'static OpDefinition> {
    OWN.iter().chain(OnnxOp::all().map(of_operator)).collect()
}

/// The operation with a name.
pub fn find_operation(name: &str) -> Option<&'static OpDefinition> {
    OnnxOp::from_name(name).map(of_operator).or_else(|| OWN.iter().find(|own| own.name == name))
}

/// The operations that are not operators.
static OWN: LazyLock<[OpDefinition; 2]> = LazyLock::new(|| {
    [
        OpDefinition::new(super::NO_VALUE, "An omitted optional.", Arity::exactly(0), Arity::exactly(1))
            .with_traits(&[Trait::Pure]),
        OpDefinition::new(super::YIELD, "The outputs of a region.", Arity::at_least(0), Arity::exactly(0))
            .with_traits(&[Trait::Terminator]),
    ]
});

/// The operation of an operator, defined on first use: a model uses few of them.
fn of_operator(operator: OnnxOp) -> &'static OpDefinition {
    static DEFINITIONS: LazyLock<Vec<OnceLock<OpDefinition>>> =
        LazyLock::new(|| OnnxOp::all().map(|_| OnceLock::new()).collect());
    DEFINITIONS[operator as usize].get_or_init(|| {
        let schema = schema::of_operation(operator.name()).expect("the operators are those of the schemas");
        definition(operator, schema)
    })
}

/// Operators whose results may differ from one occurrence to the next; Dropout's do in training.
const RANDOM: [OnnxOp; 7] = [
    OnnxOp::Bernoulli,
    OnnxOp::Dropout,
    OnnxOp::Multinomial,
    OnnxOp::RandomNormal,
    OnnxOp::RandomNormalLike,
    OnnxOp::RandomUniform,
    OnnxOp::RandomUniformLike,
];

/// Whether two equal operations of this name may have different results, so that they must not be merged.
pub fn is_random(name: &str) -> bool {
    OnnxOp::from_name(name).is_some_and(|operator| RANDOM.contains(&operator))
}

/// Definitions are created once and live as long as the program, so their text is leaked.
fn definition(operator: OnnxOp, schema: &Schema) -> OpDefinition {
    let graphs = schema.attributes.iter().filter(|a| a.kind == Kind::Graph).count() as u16;
    let attributes: Vec<AttributeDefinition> = schema
        .attributes
        .iter()
        .filter(|a| a.kind != Kind::Graph)
        .map(|a| AttributeDefinition { name: a.name, kind: attribute_kind(a.kind), required: a.required })
        .collect();
    let summary = format!("{} of {}, as of opset {}.", schema.name, schema.domain, schema.since);
    OpDefinition {
        regions: Arity::exactly(graphs),
        attributes: attributes.leak(),
        traits: match operator {
            OnnxOp::Constant => &[Trait::Pure, Trait::ConstantLike],
            // as if they read the state of a generator: unused ones may be removed, equal ones not merged
            _ if RANDOM.contains(&operator) => &[Trait::ReadsMemory],
            _ if graphs > 0 => &[Trait::RecursiveEffects, Trait::SingleBlock],
            _ => &[Trait::Pure],
        },
        verify: Some(super::verify::verify),
        ..OpDefinition::new(operator.name(), summary.leak(), arity(schema.input_count()), arity(schema.output_count()))
    }
}

fn arity((minimum, maximum): (usize, usize)) -> Arity {
    Arity::between(minimum as u16, maximum.try_into().unwrap_or(u16::MAX))
}

fn attribute_kind(kind: Kind) -> AttributeKind {
    match kind {
        Kind::Float => AttributeKind::Float,
        Kind::Int => AttributeKind::Integer,
        Kind::Ints => AttributeKind::Integers,
        Kind::String => AttributeKind::String,
        Kind::Floats => AttributeKind::Floats,
        Kind::Strings => AttributeKind::Array,
        Kind::Tensor | Kind::SparseTensor => AttributeKind::Dense,
        Kind::TypeProto => AttributeKind::Type,
        Kind::Graph => AttributeKind::Any,
    }
}
