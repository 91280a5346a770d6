//! Assembly formats: how an operation reads in the custom form, `arith.addi %a, %b : i32`.
//!
//! A format is one line in the row of its operation, in the words of upstream's `assemblyFormat`:
//!
//! - `` `text` ``: the text itself,
//! - `$name`: operands, or an attribute by its kind (a symbol, a string, a number, a list of numbers),
//! - `keyword($name, a|b|c)`: an integer attribute, as the word of its number,
//! - `type($name)`: types of operands or results,
//! - `fastmath`: the flags of that attribute, if there are any,
//! - `attr-dict`: the attributes that are not printed elsewhere.
//!
//! Operands and results are named in the same row: `lhs: result` has the type of `result`, `indices...: index` are any
//! number of `index`, `value: element(memref)` has the element type. A group without a type in the row has
//! `type($name)` in the format. One engine prints and parses these; operations with regions or custom lists have a pair
//! of functions.

use crate::body::{Body, Op};
use crate::parse::OpParser;
use crate::print::OpPrinter;
use crate::types::Type;

/// The attribute with the transformations that floating-point arithmetic allows.
pub(crate) const FASTMATH: &str = "fastmath";

/// The attribute with the number of operands in each group.
pub(crate) const SEGMENTS: &str = "operandSegmentSizes";

/// Prints the text after an operation's name.
pub type PrintFunction = fn(&mut OpPrinter<'_, '_>, &Body, Op);

/// Parses the text after an operation's name.
pub type ParseFunction = fn(&mut OpParser<'_, '_>) -> Result<(), Box<crate::Diagnostic>>;

/// The custom form of an operation.
#[derive(Clone, Copy, Debug)]
pub enum Assembly {
    /// By a format.
    Format {
        /// Results, as the row names operands: `result: element(memref)`
        results: &'static str,
        /// The text after the operation's name.
        format: &'static str,
    },
    /// By functions.
    Functions {
        /// Prints.
        print: PrintFunction,
        /// Parses.
        parse: ParseFunction,
    },
}

/// Names of an operation's values in the custom form; other values are numbered.
#[derive(Clone, Copy, Debug, Default)]
pub struct ValueNames {
    /// Names of the results.
    pub results: Option<fn(&Body, Op) -> Vec<String>>,
    /// Names of the arguments of the first block of the first region.
    pub arguments: Option<fn(&Body, Op) -> Vec<&'static str>>,
}

/// Operands or results with one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group<'t> {
    pub(crate) name: &'t str,
    pub(crate) is_variadic: bool,
    pub(crate) r#type: Option<TypeRule<'t>>,
}

/// How the type of a group is derived from other groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeRule<'t> {
    /// A fixed type.
    Fixed(Type),
    /// The type of the group with this name.
    Same(&'t str),
    /// The element type of that group.
    Element(&'t str),
    /// The type of that group, with `i1` as element type.
    Mask(&'t str),
}

/// An element of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Element<'t> {
    Literal(&'t str),
    Variable(&'t str),
    Keyword(&'t str, Vec<&'t str>),
    Type(&'t str),
    FastMath,
    Dictionary,
}

/// `lhs: result, indices...: index`
pub(crate) fn groups(text: &str) -> Vec<Group<'_>> {
    let one = |text| {
        let (name, rule) = match str::split_once(text, ':') {
            Some((name, rule)) => (name.trim(), Some(type_rule(rule.trim()))),
            None => (text.trim(), None),
        };
        let (name, is_variadic) = match name.strip_suffix("...") {
            Some(name) => (name, true),
            None => (name, false),
        };
        Group { name, is_variadic, r#type: rule }
    };
    text.split(',').filter(|text| !text.trim().is_empty()).map(one).collect()
}

fn type_rule(text: &str) -> TypeRule<'_> {
    let inside = |name: &str| text.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
    match text {
        "index" => TypeRule::Fixed(Type::Index),
        "i1" => TypeRule::Fixed(Type::I1),
        _ => match (inside("element"), inside("mask")) {
            (Some(name), _) => TypeRule::Element(name),
            (_, Some(name)) => TypeRule::Mask(name),
            _ => TypeRule::Same(text),
        },
    }
}

/// The elements of a format; formats are part of the program, and valid.
pub(crate) fn elements(format: &str) -> Vec<Element<'_>> {
    let mut elements = Vec::new();
    let mut rest = format.trim();
    while !rest.is_empty() {
        let (element, length) =
            next_element(rest).unwrap_or_else(|| panic!("format '{format}' has an end at '{rest}'"));
        elements.push(element);
        rest = rest[length..].trim_start();
    }
    elements
}

fn next_element(text: &str) -> Option<(Element<'_>, usize)> {
    if let Some(literal) = text.strip_prefix('`') {
        let end = literal.find('`')?;
        return Some((Element::Literal(&literal[..end]), end + 2));
    }
    if let Some(name) = text.strip_prefix('$') {
        let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
        return Some((Element::Variable(&name[..end]), end + 1));
    }
    if text.starts_with(FASTMATH) {
        return Some((Element::FastMath, FASTMATH.len()));
    }
    if text.starts_with("attr-dict") {
        return Some((Element::Dictionary, "attr-dict".len()));
    }
    let close = text.find(')')?;
    if let Some(name) = text[..close].strip_prefix("type($") {
        return Some((Element::Type(name), close + 1));
    }
    let (name, words) = text[..close].strip_prefix("keyword($")?.split_once(',')?;
    Some((Element::Keyword(name, words.trim().split('|').collect()), close + 1))
}

impl TypeRule<'_> {
    /// The type, if the types of the other groups are known.
    pub(crate) fn apply(&self, known: impl Fn(&str) -> Option<Type>) -> Option<Type> {
        match self {
            TypeRule::Fixed(r#type) => Some(r#type.clone()),
            TypeRule::Same(name) => known(name),
            TypeRule::Element(name) => known(name).map(|r#type| r#type.element().clone()),
            TypeRule::Mask(name) => known(name).map(|r#type| r#type.with_element(Type::I1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_elements() {
        let format = "keyword($predicate, eq|ne) `,` $lhs attr-dict `:` type($lhs)";
        let expected = [
            Element::Keyword("predicate", vec!["eq", "ne"]),
            Element::Literal(","),
            Element::Variable("lhs"),
            Element::Dictionary,
            Element::Literal(":"),
            Element::Type("lhs"),
        ];
        assert_eq!(elements(format), expected);
    }

    #[test]
    fn groups_have_types() {
        let found = groups("memref, indices...: index, value: element(memref)");
        assert_eq!(found[0], Group { name: "memref", is_variadic: false, r#type: None });
        assert_eq!(found[1], Group { name: "indices", is_variadic: true, r#type: Some(TypeRule::Fixed(Type::Index)) });
        assert_eq!(found[2].r#type, Some(TypeRule::Element("memref")));
    }
}
