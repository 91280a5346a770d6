//! The custom form of operations.

use crate::assembly::{Assembly, Element, FASTMATH, Group, SEGMENTS, TypeRule, elements, groups};
use crate::attributes::{Attribute, Attributes};
use crate::body::{Block, Body, Op, Region};
use crate::location::Location;
use crate::op_name::{self, OpName};
use crate::registry::{AttributeKind, OpDefinition};
use crate::types::{FunctionType, Type};
use crate::{Diagnostic, IndexMap};

use super::lexer::Kind;
use super::operations::{Labels, Scope, ValueUse};
use super::{Parsed, Parser};

/// A use of a value whose type is not known yet.
#[derive(Clone, Copy)]
pub struct Operand<'a>(ValueUse<'a>);

/// Parses what comes after the name of one operation. The functions report what they expected and where.
pub struct OpParser<'p, 'a> {
    parser: &'p mut Parser<'a>,
    body: &'p mut Body,
    scope: &'p mut Scope<'a>,
    labels: &'p mut Labels<'a>,
    op: Op,
}

impl<'a> Parser<'a> {
    /// `arith.addi %a, %b : i32 loc(…)`, after the names of the results.
    pub(super) fn custom_operation(
        &mut self,
        body: &mut Body,
        block: Block,
        scope: &mut Scope<'a>,
        labels: &mut Labels<'a>,
        results: Vec<(&'a str, usize)>,
    ) -> Parsed<()> {
        let start = self.token.start;
        let (name, definition) = self.custom_name()?;
        let assembly = definition.assembly.ok_or_else(|| {
            self.error_here(format!("'{name}' has no custom form, expected the generic form \"{name}\"(…)"))
        })?;
        self.advance();
        let op = body.create_op(name, &[], &[], Attributes::new(), Location::Unknown);
        body.append(block, op);
        let mut parser = OpParser { parser: self, body, scope, labels, op };
        match assembly {
            Assembly::Format { results, format } => {
                let form = Formatted {
                    operands: groups(definition.operand_names),
                    results: groups(results),
                    types: IndexMap::default(),
                };
                form.parse(&mut parser, &elements(format), definition)?;
            }
            Assembly::Functions { parse, .. } => parse(&mut parser)?,
        }
        self.define_results(body, scope, op, results, start)?;
        let location = self.trailing_location()?;
        body.op_mut(op).location = location.unwrap_or_else(|| self.location_at(start));
        Ok(())
    }

    /// The operation that the current token names; the prefix of the default dialect may be omitted.
    fn custom_name(&self) -> Parsed<(OpName, &'a OpDefinition)> {
        let spelled = self.spelling();
        let Some(registry) = self.registry else {
            let message = format!("expected an operation in generic form, \"dialect.name\"(…), found '{spelled}'");
            return Err(self.error_here(message));
        };
        let default = self.default_dialects.last().copied().unwrap_or("builtin");
        let names = [spelled.to_string(), format!("{default}.{spelled}"), format!("builtin.{spelled}")];
        let known = names.into_iter().find_map(|name| Some((registry.get(&name)?, name)));
        let (definition, name) =
            known.ok_or_else(|| self.error_here(format!("'{spelled}' is not a known operation")))?;
        Ok((OpName::from(name), definition))
    }
}

/// An operation whose custom form is a format.
struct Formatted<'f> {
    operands: Vec<Group<'f>>,
    results: Vec<Group<'f>>,
    /// The types that were parsed, by group.
    types: IndexMap<&'f str, Vec<Type>>,
}

impl<'f> Formatted<'f> {
    fn parse<'t>(
        mut self,
        parser: &mut OpParser<'_, '_>,
        elements: &[Element<'t>],
        definition: &OpDefinition,
    ) -> Parsed<()>
    where
        't: 'f,
    {
        let offset = parser.parser.token.start;
        let mut read: IndexMap<&str, Vec<Operand<'_>>> = IndexMap::default();
        for element in elements {
            match element {
                Element::Literal(text) => parser.literal(text)?,
                Element::Keyword(name, words) => {
                    let word = parser.bare(&format!("one of {}", words.join(", ")))?;
                    let number = words.iter().position(|known| *known == word);
                    let number = number.ok_or_else(|| {
                        parser.parser.error_here(format!("'{word}' is not one of {}", words.join(", ")))
                    })?;
                    parser.set(name, Attribute::i64(number as i64));
                }
                Element::FastMath => parser.fastmath()?,
                Element::Dictionary => parser.attribute_dictionary()?,
                Element::Type(name) => {
                    let types = if self.is_variadic(name) { parser.types()? } else { vec![parser.r#type()?] };
                    self.types.insert(name, types);
                }
                Element::Variable(name) => match definition.attribute_kind(name) {
                    Some(kind) => parser.bare_attribute(name, kind)?,
                    None => {
                        let operands =
                            if self.is_variadic(name) { parser.operands()? } else { vec![parser.operand()?] };
                        read.insert(name, operands);
                    }
                },
            }
        }
        let groups: Vec<Vec<Operand<'_>>> =
            self.operands.iter().map(|group| read.swap_remove(group.name).unwrap_or_default()).collect();
        if self.operands.iter().filter(|group| group.is_variadic).count() > 1 {
            let sizes: Vec<i64> = groups.iter().map(|group| group.len() as i64).collect();
            parser.set(SEGMENTS, Attribute::DenseArray(Type::I32, sizes.into()));
        }
        let missing = |group: &Group<'_>| parser_error(parser, offset, group.name);
        let mut operands = Vec::new();
        for (group, read) in self.operands.iter().zip(&groups) {
            let types = self.group_types(group, read.len()).ok_or_else(|| missing(group))?;
            operands.extend(read.iter().copied().zip(types));
        }
        let mut results = Vec::new();
        for group in &self.results {
            results.extend(self.group_types(group, 1).ok_or_else(|| missing(group))?);
        }
        parser.finish(&operands, results)
    }

    fn is_variadic(&self, name: &str) -> bool {
        self.operands.iter().chain(&self.results).any(|group| group.name == name && group.is_variadic)
    }

    /// The types of a group of values: those that were parsed, or those derived from other groups.
    fn group_types(&self, group: &Group<'_>, count: usize) -> Option<Vec<Type>> {
        if let Some(types) = self.types.get(group.name) {
            return Some(types.clone()).filter(|types| group.is_variadic || types.len() == 1);
        }
        let one = group.r#type.as_ref().and_then(|rule: &TypeRule<'_>| rule.apply(|name| self.known(name, 0)));
        match one {
            Some(one) => Some(vec![one; count]),
            None if count == 0 => Some(vec![]),
            None => None,
        }
    }

    /// The type of a group, parsed or derived from another; formats have no cycles.
    fn known(&self, name: &str, depth: usize) -> Option<Type> {
        if let Some(types) = self.types.get(name) {
            return types.first().cloned();
        }
        let group = self.operands.iter().chain(&self.results).find(|group| group.name == name && depth < 4)?;
        group.r#type.as_ref()?.apply(|name| self.known(name, depth + 1))
    }
}

fn parser_error(parser: &OpParser<'_, '_>, offset: usize, name: &str) -> Box<Diagnostic> {
    parser.parser.error_at(offset, format!("the type of '{name}' is not given"))
}

impl<'a> OpParser<'_, 'a> {
    // ---- tokens

    /// A punctuation mark.
    pub fn punctuation(&mut self, mark: char) -> Parsed<()> {
        self.parser.expect(mark as u8)
    }

    /// A punctuation mark, if it comes next.
    pub fn eat(&mut self, mark: char) -> bool {
        self.parser.eat(mark as u8)
    }

    /// Whether a punctuation mark comes next.
    pub fn is(&self, mark: char) -> bool {
        self.parser.is(mark as u8)
    }

    /// `->`, if it comes next.
    pub fn eat_arrow(&mut self) -> bool {
        let found = self.parser.token.kind == Kind::Arrow;
        if found {
            self.parser.advance();
        }
        found
    }

    /// A keyword.
    pub fn keyword(&mut self, keyword: &str) -> Parsed<()> {
        self.parser.expect_keyword(keyword)
    }

    /// A keyword, if it comes next.
    pub fn eat_keyword(&mut self, keyword: &str) -> bool {
        self.parser.eat_keyword(keyword)
    }

    /// A word; `what` describes it in messages.
    pub fn bare(&mut self, what: &str) -> Parsed<&'a str> {
        self.parser.expect_kind(Kind::Bare, what)
    }

    /// Text of a format.
    fn literal(&mut self, text: &str) -> Parsed<()> {
        match text.as_bytes() {
            b"" => Ok(()),
            b"->" => self.parser.expect_kind(Kind::Arrow, "'->'").map(|_| ()),
            [mark] if mark.is_ascii_punctuation() => self.parser.expect(*mark),
            _ => self.parser.expect_keyword(text),
        }
    }

    /// `item, item, …` up to `close`, which is consumed; the list may be empty.
    pub fn list_until<T>(&mut self, close: char, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = vec![];
        while !self.eat(close) {
            items.push(item(self)?);
            if !self.is(close) {
                self.punctuation(',')?;
            }
        }
        Ok(items)
    }

    /// A whole number.
    pub fn integer(&mut self) -> Parsed<i64> {
        let negative = self.parser.eat(b'-');
        let value = self.parser.signed_integer()?;
        Ok(if negative { value.wrapping_neg() } else { value })
    }

    /// `[1, 2]`
    pub fn integers(&mut self) -> Parsed<Vec<i64>> {
        self.punctuation('[')?;
        self.list_until(']', Self::integer)
    }

    /// Whether a string comes next.
    pub fn is_string(&self) -> bool {
        self.parser.token.kind == Kind::String
    }

    /// `"text"`
    pub fn string(&mut self) -> Parsed<String> {
        self.parser.string()
    }

    /// Whether a symbol comes next.
    pub fn is_symbol(&self) -> bool {
        self.parser.token.kind == Kind::At
    }

    /// `@name`
    pub fn symbol(&mut self) -> Parsed<Attribute> {
        match self.parser.token.kind {
            Kind::At => self.parser.attribute(),
            _ => Err(self.parser.expected("a symbol")),
        }
    }

    /// An error at the current token.
    pub fn error(&self, message: impl Into<String>) -> Box<Diagnostic> {
        self.parser.error_here(message)
    }

    // ---- types and attributes

    /// A type.
    pub fn r#type(&mut self) -> Parsed<Type> {
        self.parser.r#type()
    }

    /// `i32, f32`; none if no type comes next.
    pub fn types(&mut self) -> Parsed<Vec<Type>> {
        let mut types = Vec::new();
        while self.parser.starts_type() {
            types.push(self.parser.r#type()?);
            if !self.parser.eat(b',') {
                break;
            }
        }
        Ok(types)
    }

    /// `(i32, f32) -> i1`
    pub fn function_type(&mut self) -> Parsed<FunctionType> {
        self.parser.function_type()
    }

    /// An attribute, with its type if it has one.
    pub fn attribute(&mut self) -> Parsed<Attribute> {
        self.parser.attribute()
    }

    /// An attribute in the notation of formats.
    fn bare_attribute(&mut self, name: &str, kind: AttributeKind) -> Parsed<()> {
        let value = match kind {
            AttributeKind::Integers => Attribute::i64_dense_array(&self.integers()?),
            AttributeKind::Integer => Attribute::i64(self.integer()?),
            AttributeKind::String => Attribute::string(&self.string()?),
            _ => self.parser.attribute()?,
        };
        self.set(name, value);
        Ok(())
    }

    /// An attribute without the type of its constant, which is this one.
    pub fn attribute_of_type(&mut self, r#type: &Type) -> Parsed<Attribute> {
        self.parser.implied_type = Some(r#type.clone());
        let attribute = self.parser.attribute();
        self.parser.implied_type = None;
        attribute
    }

    /// An attribute that the operation already has.
    pub fn attribute_of(&self, name: &str) -> Option<Attribute> {
        self.body.attribute(self.op, name).cloned()
    }

    /// `fastmath<reassoc>`, if it comes next.
    pub fn fastmath(&mut self) -> Parsed<()> {
        if !self.eat_keyword(FASTMATH) {
            return Ok(());
        }
        self.punctuation('<')?;
        let mut flags = vec![self.bare("a flag")?];
        while self.eat(',') {
            flags.push(self.bare("a flag")?);
        }
        self.punctuation('>')?;
        self.set(FASTMATH, Attribute::Dialect("arith".into(), format!("{FASTMATH}<{}>", flags.join(",")).into()));
        Ok(())
    }

    /// Sets an attribute of the operation.
    pub fn set(&mut self, name: &str, value: Attribute) {
        self.body.op_mut(self.op).attributes.set(name.to_string(), value);
    }

    /// `{name = value}`, if it comes next, as attributes of the operation.
    pub fn attribute_dictionary(&mut self) -> Parsed<()> {
        if !self.is('{') {
            return Ok(());
        }
        let mut attributes = std::mem::take(&mut self.body.op_mut(self.op).attributes);
        let read = self.parser.dictionary_into(&mut attributes);
        self.body.op_mut(self.op).attributes = attributes;
        read
    }

    /// `{name = value}`, if it comes next.
    pub fn dictionary(&mut self) -> Parsed<Attributes> {
        let mut attributes = Attributes::new();
        if self.is('{') {
            self.parser.dictionary_into(&mut attributes)?;
        }
        Ok(attributes)
    }

    // ---- values

    /// Whether a value comes next.
    pub fn is_operand(&self) -> bool {
        self.parser.token.kind == Kind::Percent
    }

    /// `%a`
    pub fn operand(&mut self) -> Parsed<Operand<'a>> {
        self.parser.value_use().map(Operand)
    }

    /// `%a, %b`; none if no value comes next.
    pub fn operands(&mut self) -> Parsed<Vec<Operand<'a>>> {
        let mut operands = Vec::new();
        while self.is_operand() {
            operands.push(self.operand()?);
            if !self.eat(',') {
                break;
            }
        }
        Ok(operands)
    }

    /// Sets the operands and results of the operation.
    pub fn finish(&mut self, operands: &[(Operand<'a>, Type)], results: Vec<Type>) -> Parsed<()> {
        let mut values = Vec::with_capacity(operands.len());
        for (operand, r#type) in operands {
            values.push(self.parser.resolve(self.body, self.scope, operand.0, r#type)?);
        }
        self.body.set_operands(self.op, &values);
        for result in results {
            self.body.add_result(self.op, result);
        }
        Ok(())
    }

    /// The operation's segment sizes.
    pub fn set_segments(&mut self, sizes: &[usize]) {
        let sizes: Vec<i64> = sizes.iter().map(|&size| size as i64).collect();
        self.set(SEGMENTS, Attribute::DenseArray(Type::I32, sizes.into()));
    }

    // ---- blocks and regions

    /// `^bb1` or `^bb1(%a : i32)`
    pub fn successor(&mut self) -> Parsed<(Block, Vec<(Operand<'a>, Type)>)> {
        let block = self.parser.block_named(self.body, self.labels)?;
        let mut operands = vec![];
        if self.eat('(') {
            let values = self.operands()?;
            self.punctuation(':')?;
            let types = self.types()?;
            if values.len() != types.len() {
                return Err(self.error(format!("{} values have {} types", values.len(), types.len())));
            }
            operands = values.into_iter().zip(types).collect();
            self.punctuation(')')?;
        }
        Ok((block, operands))
    }

    /// The operation's successors.
    pub fn set_successors(&mut self, blocks: &[Block]) {
        self.body.set_successors(self.op, blocks);
    }

    /// `{ … }`, a region whose first block has these arguments, unless the block has a label.
    pub fn region(&mut self, arguments: &[(Operand<'a>, Type)]) -> Parsed<Region> {
        let region = self.body.add_region(self.op);
        self.parser.default_dialects.push("");
        let arguments: Vec<(&'a str, usize, Type)> = named(arguments);
        let read = self.parser.region_with(self.body, region, self.scope, &arguments);
        self.parser.default_dialects.pop();
        read.map(|()| region)
    }

    /// An empty region.
    pub fn empty_region(&mut self) {
        self.body.add_region(self.op);
    }

    /// Adds an operation without operands to the end of a region's blocks that have no terminator.
    pub fn ensure_terminator(&mut self, region: Region, name: impl Into<OpName>) {
        let name = name.into();
        if self.body.blocks(region).is_empty() {
            self.body.add_block(region, &[]);
        }
        for block in self.body.blocks(region).to_vec() {
            let ends = self.body.terminator(block).is_some_and(|op| self.body.op(op).name == name);
            if !ends {
                let op = self.body.create_op(name.clone(), &[], &[], Attributes::new(), Location::Unknown);
                self.body.append(block, op);
            }
        }
    }

    /// `{ … }`, if it comes next: the region of an operation that is isolated from above, in which the prefix of
    /// `dialect` may be omitted.
    pub fn isolated_region(&mut self, arguments: &[(Operand<'a>, Type)], dialect: &'static str) -> Parsed<()> {
        let mut inner = Body::new();
        let root = inner.root();
        if self.is('{') {
            let mut scope = Scope::default();
            self.parser.default_dialects.push(dialect);
            let read = self.parser.region_with(&mut inner, root, &mut scope, &named(arguments));
            self.parser.default_dialects.pop();
            read?;
            self.parser.resolve_forward(&scope)?;
        }
        if inner.blocks(root).is_empty() && self.body.op(self.op).name == op_name::MODULE {
            inner.add_block(root, &[]);
        }
        self.body.set_isolated(self.op, inner);
        Ok(())
    }
}

fn named<'a>(arguments: &[(Operand<'a>, Type)]) -> Vec<(&'a str, usize, Type)> {
    arguments.iter().map(|(operand, r#type)| (operand.0.name, operand.0.offset, r#type.clone())).collect()
}
