//! Parts of the compiler that can be left out, to see what each is worth.

use crate::compiler::Options;

/// A part of the compiler that no result needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Rewrite rules between elementwise operators.
    Arithmetic,
    /// Rewrite rules that find activations in what exporters write.
    Activation,
    /// Rewrite rules for what moves elements.
    Shape,
    /// Rewrite rules for products and convolutions.
    Linear,
    /// Rewrite rules for heads that share keys and values.
    Heads,
    /// Rewrite rules that find normalizations.
    Normalization,
    /// Rewrite rules for quantized models.
    Quantization,
    /// Several operations in one kernel.
    Fusion,
    /// Scores of attention that are never in memory as a whole.
    Attention,
    /// Convolutions by fewer products.
    Winograd,
    /// Functions of one byte as tables.
    Tables,
    /// Weights laid out by routines.
    Relayouts,
    /// Functions of rows in the runtime's widest vectors.
    Rows,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 13] = [
        Part::Arithmetic,
        Part::Activation,
        Part::Shape,
        Part::Linear,
        Part::Heads,
        Part::Normalization,
        Part::Quantization,
        Part::Fusion,
        Part::Attention,
        Part::Winograd,
        Part::Tables,
        Part::Relayouts,
        Part::Rows,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Part::Arithmetic => "arithmetic",
            Part::Activation => "activation",
            Part::Shape => "shape",
            Part::Linear => "linear",
            Part::Heads => "heads",
            Part::Normalization => "normalization",
            Part::Quantization => "quantization",
            Part::Fusion => "fusion",
            Part::Attention => "attention",
            Part::Winograd => "winograd",
            Part::Tables => "tables",
            Part::Relayouts => "relayouts",
            Part::Rows => "rows",
        }
    }

    /// The part of a name.
    pub fn of(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }
}

impl Options {
    /// Whether a part is not left out.
    pub(crate) fn has(&self, part: Part) -> bool {
        !self.without.contains(&part)
    }

    /// The families of rules that are left out, as the pass takes them.
    pub(crate) fn rules_without(&self) -> String {
        let families = optimize::families().filter(|&family| Part::of(family).is_some_and(|part| !self.has(part)));
        families.collect::<Vec<_>>().join("+")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_family_of_rules_is_a_part() {
        assert!(optimize::families().all(|family| Part::of(family).is_some()));
    }
}
