//! Definitions of the operations, made from the schemas.

use std::sync::LazyLock;

use ir::{Arity, AttributeDefinition, AttributeKind, OpDefinition, Trait};

use super::OnnxOp;
use super::schema::{self, Kind, Schema};

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    static DEFINITIONS: LazyLock<Vec<OpDefinition>> = LazyLock::new(|| {
        let own = [
            OpDefinition::new(super::NO_VALUE, "An omitted optional.", Arity::exactly(0), Arity::exactly(1))
                .with_traits(&[Trait::Pure]),
            OpDefinition::new(super::YIELD, "The outputs of a region.", Arity::at_least(0), Arity::exactly(0))
                .with_traits(&[Trait::Terminator]),
        ];
        own.into_iter().chain(schema::all_newest().map(definition)).collect()
    });
    DEFINITIONS.clone()
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

/// Whether two equal operations of this name may give different results, so that both are needed.
pub fn is_random(name: &str) -> bool {
    OnnxOp::from_name(name).is_some_and(|operator| RANDOM.contains(&operator))
}

/// Definitions are made once and live as long as the program, so their text is leaked.
fn definition(schema: &Schema) -> OpDefinition {
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
        traits: match OnnxOp::from_name(&schema.op_name()) {
            Some(OnnxOp::Constant) => &[Trait::Pure, Trait::ConstantLike],
            // as if they read the state of a generator: unused ones may go, equal ones are not one
            Some(operator) if RANDOM.contains(&operator) => &[Trait::ReadsMemory],
            _ if graphs > 0 => &[Trait::RecursiveEffects, Trait::SingleBlock],
            _ => &[Trait::Pure],
        },
        verify: Some(super::verify::verify),
        ..OpDefinition::new(
            schema.op_name().leak(),
            summary.leak(),
            arity(schema.input_count()),
            arity(schema.output_count()),
        )
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
