//! The custom form of operations.

use crate::assembly::{Assembly, Element, FASTMATH, Group, SEGMENTS, elements, groups};
use crate::attributes::{Attribute, quote};
use crate::body::{Block, Body, Op, Region, Value};
use crate::registry::OpDefinition;
use crate::types::Type;
use crate::verify::is_well_formed;

use super::names::Names;
use super::{Printer, Shown, attributes};

/// Prints the text after the name of one operation.
pub struct OpPrinter<'p, 'a> {
    printer: &'p mut Printer<'a>,
    names: &'p Names,
    depth: usize,
}

impl<'a> Printer<'a> {
    /// Prints an operation in its custom form, if it has one and is valid; as in upstream, others have the generic form.
    pub(super) fn custom_form(&mut self, body: &Body, op: Op, names: &Names, depth: usize) -> bool {
        let Some(registry) = self.naming_registry() else { return false };
        let name = body.name(op);
        let Some(definition) = registry.get(name) else { return false };
        let Some(assembly) = definition.assembly else { return false };
        if !is_well_formed(definition, body, op) {
            return false;
        }
        let elided = self.default_dialects.as_ref().and_then(|dialects| dialects.last().copied());
        let short = elided.and_then(|dialect| name.strip_prefix(dialect)?.strip_prefix('.'));
        self.text.push_str(short.filter(|short| !short.contains('.')).unwrap_or(name));
        let mut printer = OpPrinter { printer: self, names, depth };
        match assembly {
            Assembly::Format { results, format } => {
                let form =
                    Formatted { operands: groups(definition.operand_names), results: groups(results), definition };
                form.print(&mut printer, body, op, &elements(format));
            }
            Assembly::Functions { print, .. } => print(&mut printer, body, op),
        }
        true
    }

    /// `prefix{…}` unless there are no entries.
    pub(super) fn dictionary<'e>(&mut self, entries: impl Iterator<Item = (&'e str, &'e Attribute)>, prefix: &str) {
        let mut entries = entries.peekable();
        if entries.peek().is_some() {
            self.text.push_str(prefix);
            self.attributes.entries(entries, &mut self.text);
        }
    }
}

/// An operation whose custom form is a format.
struct Formatted<'f> {
    operands: Vec<Group<'f>>,
    results: Vec<Group<'f>>,
    definition: &'f OpDefinition,
}

impl Formatted<'_> {
    fn print(&self, printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op, elements: &[Element<'_>]) {
        let mut shown = vec![SEGMENTS];
        for element in elements {
            match element {
                Element::Variable(name) | Element::Keyword(name, _) => shown.push(name),
                Element::FastMath => shown.push(FASTMATH),
                _ => {}
            }
        }
        let mut before: Option<&str> = None;
        for element in elements {
            let after = before.take();
            match element {
                Element::Literal(text) => {
                    printer.literal(text, after);
                    before = Some(text);
                }
                Element::Keyword(name, words) => {
                    let number = body.op(op).attributes.integer(name).unwrap_or(0);
                    printer.space();
                    printer.text(words.get(number as usize).unwrap_or(&"?"));
                }
                Element::FastMath => printer.fastmath(body, op),
                Element::Dictionary => printer.attribute_dictionary(body, op, &shown),
                Element::Type(name) => {
                    let types: Vec<Type> =
                        self.values(body, op, name).iter().map(|&value| body.value_type(value).clone()).collect();
                    printer.space();
                    printer.types(&types);
                }
                Element::Variable(name) => match self.definition.attribute_kind(name) {
                    Some(_) => printer.bare_attribute(body.attribute(op, name)),
                    None => {
                        let values = self.values(body, op, name).to_vec();
                        printer.space_before_values(&values);
                        printer.values(&values);
                    }
                },
            }
        }
    }

    /// The operands or results of a group.
    fn values<'b>(&self, body: &'b Body, op: Op, name: &str) -> &'b [Value] {
        let operation = body.op(op);
        let sizes = operation.attributes.integers(SEGMENTS);
        let of = |groups: &[Group<'_>], values: &'b [Value], sizes: Option<&[i64]>| {
            let at = groups.iter().position(|group| group.name == name)?;
            let fixed = groups.iter().filter(|group| !group.is_variadic).count();
            let size = |at: usize| match sizes {
                Some(sizes) => sizes.get(at).map_or(0, |&size| size as usize),
                None if groups[at].is_variadic => values.len().saturating_sub(fixed),
                None => 1,
            };
            let start: usize = (0..at).map(size).sum();
            values.get(start..start + size(at))
        };
        of(&self.operands, operation.operands(), sizes.as_deref())
            .or_else(|| of(&self.results, operation.results(), None))
            .unwrap_or_default()
    }
}

impl OpPrinter<'_, '_> {
    /// Text, unchanged.
    pub fn text(&mut self, text: &str) {
        self.printer.text.push_str(text);
    }

    /// A space, unless an opening bracket comes before.
    fn space(&mut self) {
        if !self.printer.text.ends_with(['(', '[', '<', ' ']) {
            self.printer.text.push(' ');
        }
    }

    fn space_before_values(&mut self, values: &[Value]) {
        if !values.is_empty() {
            self.space();
        }
    }

    /// Text of a format, after another text of it or something else. As in upstream, a space comes before words and
    /// before an opening bracket that follows a bracket; an empty text suppresses the space.
    fn literal(&mut self, text: &str, after: Option<&str>) {
        let is_tight = match text {
            "" | "," | ")" | "]" | ">" => true,
            "[" | "(" | "<" => after.is_none_or(str::is_empty),
            _ => false,
        };
        if !is_tight {
            self.space();
        }
        self.text(text);
    }

    /// `%a`
    pub fn value(&mut self, value: Value) {
        let name = self.names.value(value);
        self.text(&name);
    }

    /// `%a, %b`
    pub fn values(&mut self, values: &[Value]) {
        let list: Vec<String> = values.iter().map(|&value| self.names.value(value)).collect();
        self.text(&list.join(", "));
    }

    /// `i32`
    pub fn r#type(&mut self, r#type: &Type) {
        self.text(&r#type.to_string());
    }

    /// `i32, f32`
    pub fn types(&mut self, types: &[Type]) {
        let list: Vec<String> = types.iter().map(Type::to_string).collect();
        self.text(&list.join(", "));
    }

    /// `(i32, f32) -> i1`, with brackets around results unless there is one.
    pub fn function_type(&mut self, body: &Body, operands: &[Value], results: &[Value]) {
        let types = |values: &[Value]| values.iter().map(|&value| body.value_type(value).clone()).collect();
        let function = crate::types::FunctionType { inputs: types(operands), results: types(results) };
        self.text(&function.to_string());
    }

    /// An attribute with its type.
    pub fn attribute(&mut self, attribute: &Attribute) {
        let printer = &mut *self.printer;
        printer.attributes.attribute(attribute, &mut printer.text);
    }

    /// An attribute of a known kind, without the parts that the kind determines.
    fn bare_attribute(&mut self, attribute: Option<&Attribute>) {
        let Some(attribute) = attribute else { return };
        self.space();
        match attribute {
            Attribute::DenseArray(_, values) => {
                let list: Vec<String> = values.iter().map(i64::to_string).collect();
                self.text(&format!("[{}]", list.join(", ")));
            }
            Attribute::Integer(..) => {
                let printer = &mut *self.printer;
                printer.attributes.elided(attribute, &mut printer.text);
            }
            _ => self.attribute(attribute),
        }
    }

    /// A constant without its type.
    pub fn attribute_without_type(&mut self, attribute: &Attribute) {
        let printer = &mut *self.printer;
        match attribute {
            Attribute::Dense(elements) => printer.attributes.dense_value(elements, &mut printer.text),
            _ => printer.attributes.elided(attribute, &mut printer.text),
        }
    }

    /// Continues on a new line, indented by `levels` more than the operation.
    pub fn new_line(&mut self, levels: usize) {
        self.text("\n");
        self.printer.indent(self.depth + levels);
    }

    /// ` fastmath<reassoc>`, if the operation has flags.
    pub fn fastmath(&mut self, body: &Body, op: Op) {
        if let Some(Attribute::Dialect(_, flags)) = body.attribute(op, FASTMATH) {
            self.text(&format!(" {flags}"));
        }
    }

    /// `@name`
    pub fn symbol(&mut self, name: &str) {
        let name = attributes::symbol_name(name);
        self.text(&name);
    }

    /// `"text"`
    pub fn string(&mut self, text: &str) {
        self.text(&quote(text));
    }

    /// ` {name = value}` with all attributes but those shown elsewhere.
    pub fn attribute_dictionary(&mut self, body: &Body, op: Op, shown: &[&str]) {
        self.attribute_dictionary_after(" ", body, op, shown);
    }

    /// The same after a text other than a space.
    pub fn attribute_dictionary_after(&mut self, prefix: &str, body: &Body, op: Op, shown: &[&str]) {
        let rest = body.op(op).attributes.iter().filter(|(name, _)| !shown.contains(name));
        self.printer.dictionary(rest, prefix);
    }

    /// ` {name = value}` of any attributes.
    pub fn dictionary(&mut self, attributes: &crate::Attributes) {
        self.printer.dictionary(attributes.iter(), " ");
    }

    /// `^bb1`
    pub fn block(&mut self, block: Block) {
        let name = self.names.block(block);
        self.text(&name);
    }

    /// `^bb1` or `^bb1(%a : i32)`
    pub fn successor(&mut self, body: &Body, block: Block, operands: &[Value]) {
        self.block(block);
        if !operands.is_empty() {
            self.text("(");
            self.values(operands);
            self.text(" : ");
            let types: Vec<Type> = operands.iter().map(|&value| body.value_type(value).clone()).collect();
            self.types(&types);
            self.text(")");
        }
    }

    /// `{ … }`: the blocks of a region, with the label of its first block and the terminators if requested.
    pub fn region(&mut self, body: &Body, region: Region, entry_arguments: bool, terminator: bool) {
        self.push_dialect("");
        let shown = Shown { entry_arguments, terminator };
        self.printer.region(body, region, self.names, self.depth + 1, shown);
        self.pop_dialect();
    }

    /// The region of an operation that is isolated from above, whose operations omit the prefix of `dialect`; the
    /// function first prints the names of the region's arguments.
    pub fn isolated_region(
        &mut self,
        inner: &Body,
        dialect: &'static str,
        before: impl FnOnce(&mut OpPrinter<'_, '_>),
    ) {
        let names = Names::of_region(inner, inner.root(), self.printer.naming_registry());
        self.push_dialect(dialect);
        let mut printer = OpPrinter { printer: self.printer, names: &names, depth: self.depth };
        before(&mut printer);
        if !inner.blocks(inner.root()).is_empty() {
            printer.text(" ");
            let shown = Shown { entry_arguments: false, terminator: true };
            printer.printer.region(inner, inner.root(), &names, printer.depth + 1, shown);
        }
        self.pop_dialect();
    }

    fn push_dialect(&mut self, dialect: &'static str) {
        if let Some(dialects) = &mut self.printer.default_dialects {
            dialects.push(dialect);
        }
    }

    fn pop_dialect(&mut self) {
        if let Some(dialects) = &mut self.printer.default_dialects {
            dialects.pop();
        }
    }
}
