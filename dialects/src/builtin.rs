//! `builtin`: the module, and casts between types that a conversion has not reconciled yet.

pub use crate::codes::builtin::*;

use crate::assembly;
use ir::{Arity, OpDefinition, Trait};

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    vec![
        OpDefinition::new("builtin.module", "A list of symbols.", Arity::exactly(0), Arity::exactly(0))
            .with_assembly(assembly::builtin::print_module, assembly::builtin::parse_module)
            .with_regions(Arity::exactly(1))
            .with_traits(&[Trait::IsolatedFromAbove, Trait::SingleBlock, Trait::NoTerminator]),
        OpDefinition::new(
            "builtin.unrealized_conversion_cast",
            "A value in another type, to be gone when a conversion is complete.",
            Arity::at_least(0),
            Arity::at_least(1),
        )
        .with_assembly(assembly::builtin::print_cast, assembly::builtin::parse_cast)
        .with_traits(&[Trait::Pure]),
    ]
}
