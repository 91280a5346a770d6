//! Dialect conversion: illegal operations are replaced until every operation is legal, or those without a pattern are
//! known.
//!
//! Unlike the greedy rewriter, it does not simplify: a legal operation is not changed, and an illegal operation without
//! a pattern is an error. Operations that a pattern builds are converted in turn.

use std::collections::VecDeque;

use crate::IndexMap;

use crate::body::{Body, Op, Value};
use crate::builder::Builder;
use crate::diagnostics::{Diagnostic, Result};

/// Builds the replacement of an operation, before it; returns one value per result. `None` if the pattern does not
/// apply; it must not have built anything then.
pub type ConvertFunction = fn(&mut Builder<'_>, Op) -> Option<Vec<Value>>;

/// A replacement for the operations of one name.
#[derive(Clone, Copy, Debug)]
pub struct ConversionPattern {
    /// The operation that it replaces; a dialect's name and a dot match all of the dialect.
    pub root: &'static str,
    /// Patterns with more benefit are tried first.
    pub benefit: u16,
    /// The replacement.
    pub convert: ConvertFunction,
}

/// Patterns by root, by decreasing benefit.
#[derive(Clone, Debug, Default)]
pub struct ConversionPatterns {
    by_root: IndexMap<&'static str, Vec<ConversionPattern>>,
}

/// The maximum depth of replacements of replacements.
pub const MAX_STEPS: u32 = 64;

impl ConversionPatterns {
    /// The set of these patterns.
    pub fn new(patterns: impl IntoIterator<Item = ConversionPattern>) -> ConversionPatterns {
        let mut set = ConversionPatterns::default();
        for pattern in patterns {
            set.by_root.entry(pattern.root).or_default().push(pattern);
        }
        for patterns in set.by_root.values_mut() {
            patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.benefit));
        }
        set
    }

    /// The patterns for an operation: those of its name, then those of its dialect.
    fn of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a ConversionPattern> {
        let dialect = name.find('.').map_or("", |dot| &name[..=dot]);
        [name, dialect].into_iter().filter_map(|root| self.by_root.get(root)).flatten()
    }
}

/// Replaces every operation of a body for which `is_legal` is false; reports all that have no pattern.
pub fn convert(body: &mut Body, patterns: &ConversionPatterns, is_legal: impl Fn(&Body, Op) -> bool) -> Result<()> {
    let mut pending: VecDeque<(Op, u32)> = body.walk_all().into_iter().map(|op| (op, 0)).collect();
    let mut errors = Vec::new();
    while let Some((op, steps)) = pending.pop_front() {
        if body.op(op).parent().is_none() || is_legal(body, op) {
            continue;
        }
        let first = body.next_op();
        if steps == MAX_STEPS || !replace(body, patterns, op) {
            let operation = body.op(op);
            let message = format!("'{}' op is not legal, and nothing replaces it", operation.name);
            errors.push(Diagnostic::unsupported(operation.location.clone(), message));
        }
        pending.extend((first.as_u32()..body.next_op().as_u32()).map(|new| (Op::from_u32(new), steps + 1)));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn replace(body: &mut Body, patterns: &ConversionPatterns, op: Op) -> bool {
    let name = body.op(op).name.clone();
    let built = patterns.of(name.as_str()).find_map(|pattern| (pattern.convert)(&mut Builder::before(body, op), op));
    if let Some(values) = &built {
        body.replace(op, values);
    }
    built.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::module::Module;
    use crate::parse::parse_module;

    fn module() -> Module {
        let text = r#""builtin.module"() ({
          "func.func"() ({
          ^bb0(%x: f32):
            %y = "high.square"(%x) : (f32) -> f32
            %z = "high.other"(%y) : (f32) -> f32
            "low.end"(%z) : (f32) -> ()
          }) {sym_name = "f", function_type = (f32) -> ()} : () -> ()
        }) : () -> ()"#;
        parse_module(text, "test.mlir", None).expect("parses")
    }

    fn unary(builder: &mut Builder<'_>, op: Op, name: &'static str, operands: usize) -> Option<Vec<Value>> {
        let operand = builder.body.operand(op, 0);
        let r#type = builder.body.value_type(operand).clone();
        Some(vec![builder.value(name, &vec![operand; operands], r#type, [])])
    }

    fn names(module: &Module) -> Vec<String> {
        let body = module.function("f").expect("there is one").body;
        body.walk_all().into_iter().map(|op| body.name(op).to_string()).collect()
    }

    fn convert_function(module: &mut Module, patterns: &[ConversionPattern]) -> Result<()> {
        let op = module.symbol("f").expect("there is one");
        let body = module.function_body_mut(op).expect("has a body");
        convert(body, &ConversionPatterns::new(patterns.iter().copied()), |body, op| body.name(op).starts_with("low."))
    }

    const SQUARE: ConversionPattern = ConversionPattern {
        root: "high.square",
        benefit: 1,
        convert: |builder, op| unary(builder, op, "middle.multiply", 2),
    };
    const MULTIPLY: ConversionPattern = ConversionPattern {
        root: "middle.multiply",
        benefit: 1,
        convert: |builder, op| unary(builder, op, "low.multiply", 2),
    };
    const ANY: ConversionPattern =
        ConversionPattern { root: "high.", benefit: 1, convert: |builder, op| unary(builder, op, "low.other", 1) };

    #[test]
    fn built_operations_are_legalised() {
        let mut module = module();
        convert_function(&mut module, &[SQUARE, MULTIPLY, ANY]).expect("all have patterns");
        assert_eq!(names(&module), ["low.multiply", "low.other", "low.end"]);
    }

    #[test]
    fn all_that_cannot_be_replaced_are_reported() {
        let mut module = module();
        let errors = convert_function(&mut module, &[SQUARE]).expect_err("two operations have no conversion");
        let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "'high.other' op is not legal, and nothing replaces it",
                "'middle.multiply' op is not legal, and nothing replaces it"
            ]
        );
    }

    #[test]
    fn patterns_that_go_round_end() {
        let mut module = module();
        let round = ConversionPattern {
            root: "high.",
            benefit: 1,
            convert: |builder, op| unary(builder, op, "high.square", 1),
        };
        assert!(convert_function(&mut module, &[round]).is_err());
    }
}
