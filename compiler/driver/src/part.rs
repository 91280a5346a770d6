//! Optional features of the compiler, which can be left out to measure their benefit.

/// A feature of the compiler that results do not depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Rewrite rules between elementwise operators.
    Arithmetic,
    /// Rewrite rules that recognise activations in exported models.
    Activation,
    /// Rewrite rules for data movement.
    Shape,
    /// Rewrite rules for matrix products and convolutions.
    Contraction,
    /// Rewrite rules for attention heads that share keys and values.
    Heads,
    /// Rewrite rules that recognise normalizations.
    Normalization,
    /// Rewrite rules for quantized models.
    Quantization,
    /// Fusion of several operations into one kernel.
    Fusion,
    /// Attention fusion: scores are never in memory as a whole.
    Attention,
    /// Convolutions by Winograd's algorithm.
    Winograd,
    /// Byte lookup tables.
    Tables,
    /// Weights laid out by relayout routines.
    Relayouts,
    /// Row micro-kernels of the runtime, with the widest vectors.
    Rows,
}

impl Part {
    /// All of them.
    pub const ALL: [Part; 13] = [
        Part::Arithmetic,
        Part::Activation,
        Part::Shape,
        Part::Contraction,
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

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Part::Arithmetic => "arithmetic",
            Part::Activation => "activation",
            Part::Shape => "shape",
            Part::Contraction => "contraction",
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

    /// The feature of that name.
    pub fn of(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
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
