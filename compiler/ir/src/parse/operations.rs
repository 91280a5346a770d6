//! Operations, blocks and regions, and the values they refer to.

use crate::IndexMap;

use crate::attributes::Attributes;
use crate::body::{Block, Body, Op, Region, Value};
use crate::location::Location;
use crate::module::Module;
use crate::op_name;
use crate::registry::Trait;
use crate::types::{FunctionType, Type};

use super::lexer::{Kind, Token};
use super::{Parsed, Parser};

/// A use of a value: its name without `%`, its number and its position.
#[derive(Clone, Copy)]
pub(super) struct ValueUse<'a> {
    pub(super) name: &'a str,
    number: u32,
    pub(super) offset: usize,
}

/// The placeholder of a value that is used before its definition.
struct Forward {
    placeholder: Op,
    offset: usize,
}

/// The value names of one isolated body.
#[derive(Default)]
pub(super) struct Scope<'a> {
    values: IndexMap<&'a str, Vec<Value>>,
    /// Names defined in each open region, outermost first.
    open: Vec<Vec<&'a str>>,
    forward: IndexMap<(&'a str, u32), Forward>,
}

/// The block names of one region.
#[derive(Default)]
pub(super) struct Labels<'a> {
    blocks: IndexMap<&'a str, Label>,
}

struct Label {
    block: Block,
    defined: bool,
    offset: usize,
}

/// The part of an operation before its regions.
struct Header<'a> {
    start: Token,
    results: Vec<(&'a str, usize)>,
    operands: Vec<ValueUse<'a>>,
}

impl<'a> Parser<'a> {
    /// The whole file: one `builtin.module`, or operations that are wrapped in a module.
    pub(super) fn module(&mut self) -> Parsed<Module> {
        let mut module = Module::new();
        let mut scope = Scope { open: vec![vec![]], ..Scope::default() };
        let mut labels = Labels::default();
        let block = module.body.entry().expect("a module has one block");
        loop {
            match self.token.kind {
                Kind::End => break,
                Kind::Hash | Kind::Exclamation => self.alias_definition()?,
                Kind::MetadataBegin => self.skip_metadata(),
                _ => self.operation(&mut module.body, block, &mut scope, &mut labels)?,
            }
        }
        self.check_labels(&labels)?;
        self.resolve_forward(&scope)?;
        Ok(unwrap_module(module))
    }

    fn skip_metadata(&mut self) {
        while !matches!(self.token.kind, Kind::MetadataEnd | Kind::End) {
            self.advance();
        }
        self.advance();
    }

    // ---- regions and blocks

    /// `{ blocks }`
    fn region(&mut self, body: &mut Body, region: Region, scope: &mut Scope<'a>) -> Parsed<()> {
        self.region_with(body, region, scope, &[])
    }

    /// The same with arguments of the first block that were named before.
    pub(super) fn region_with(
        &mut self,
        body: &mut Body,
        region: Region,
        scope: &mut Scope<'a>,
        arguments: &[(&'a str, usize, Type)],
    ) -> Parsed<()> {
        self.nested(|parser| {
            parser.expect(b'{')?;
            scope.open.push(vec![]);
            let mut labels = Labels::default();
            let has_entry = !parser.is(b'}') && parser.token.kind != Kind::Caret || !arguments.is_empty();
            if has_entry {
                let entry = body.add_block(region, &[]);
                for (name, offset, r#type) in arguments {
                    let value = body.add_argument(entry, r#type.clone());
                    parser.define(body, scope, name, vec![value], *offset)?;
                }
                parser.block_ops(body, entry, scope, &mut labels)?;
            }
            while parser.token.kind == Kind::Caret {
                let block = parser.block_label(body, region, scope, &mut labels)?;
                parser.block_ops(body, block, scope, &mut labels)?;
            }
            parser.expect(b'}')?;
            parser.check_labels(&labels)?;
            for name in scope.open.pop().unwrap_or_default() {
                scope.values.swap_remove(name);
            }
            Ok(())
        })
    }

    fn check_labels(&self, labels: &Labels<'a>) -> Parsed<()> {
        match labels.blocks.iter().find(|(_, label)| !label.defined) {
            Some((name, label)) => Err(self.error_at(label.offset, format!("undefined block '^{name}'"))),
            None => Ok(()),
        }
    }

    fn block_ops(
        &mut self,
        body: &mut Body,
        block: Block,
        scope: &mut Scope<'a>,
        labels: &mut Labels<'a>,
    ) -> Parsed<()> {
        while !self.is(b'}') && self.token.kind != Kind::Caret {
            self.operation(body, block, scope, labels)?;
        }
        Ok(())
    }

    /// `^name(%a: t, …):`
    fn block_label(
        &mut self,
        body: &mut Body,
        region: Region,
        scope: &mut Scope<'a>,
        labels: &mut Labels<'a>,
    ) -> Parsed<Block> {
        let (offset, name) = (self.token.start, &self.spelling()[1..]);
        let block = self.block_named(body, labels)?;
        let label = labels.blocks.get_mut(name).expect("block_named enters the name");
        if label.defined {
            return Err(self.error_at(offset, format!("block '^{name}' is defined twice")));
        }
        label.defined = true;
        let end = body.blocks(region).len();
        body.insert_block(region, end, block);
        if self.eat(b'(') {
            self.list_until(b')', |parser| {
                let (offset, name) = (parser.token.start, parser.expect_kind(Kind::Percent, "a block argument")?);
                parser.expect(b':')?;
                let r#type = parser.r#type()?;
                parser.trailing_location()?;
                let value = body.add_argument(block, r#type);
                parser.define(body, scope, &name[1..], vec![value], offset)
            })?;
        }
        self.expect(b':')?;
        Ok(block)
    }

    /// The block `^name`, created when it is first mentioned.
    pub(super) fn block_named(&mut self, body: &mut Body, labels: &mut Labels<'a>) -> Parsed<Block> {
        let offset = self.token.start;
        let name = &self.expect_kind(Kind::Caret, "a block")?[1..];
        let label = labels.blocks.entry(name).or_insert_with(|| Label {
            block: body.create_block(&[]),
            defined: false,
            offset,
        });
        Ok(label.block)
    }

    // ---- operations

    /// `%r = "d.op"(%a)[^bb1] <{properties}> ({regions}) {attributes} : (t) -> t loc(…)`
    fn operation(
        &mut self,
        body: &mut Body,
        block: Block,
        scope: &mut Scope<'a>,
        labels: &mut Labels<'a>,
    ) -> Parsed<()> {
        let results = self.result_names()?;
        let start = self.token;
        if start.kind == Kind::Bare {
            return self.custom_operation(body, block, scope, labels, results);
        }
        let name = self.string()?;
        if !name.contains('.') {
            return Err(
                self.error_at(start.start, format!("an operation's name is \"dialect.name\", found \"{name}\""))
            );
        }
        self.expect(b'(')?;
        let operands = self.list_until(b')', Self::value_use)?;
        let header = Header { start, results, operands };
        let op = body.create_op(name, &[], &[], Attributes::new(), Location::Unknown);
        body.append(block, op);
        if self.eat(b'[') {
            let successors = self.list_until(b']', |parser| parser.block_named(body, labels))?;
            body.set_successors(op, &successors);
        }
        let mut attributes = Attributes::new();
        if self.eat(b'<') {
            self.dictionary_into(&mut attributes)?;
            self.expect(b'>')?;
        }
        if self.is(b'(') {
            self.regions(body, op, scope)?;
        }
        if self.is(b'{') {
            self.dictionary_into(&mut attributes)?;
        }
        body.op_mut(op).attributes = attributes;
        self.signature(body, op, scope, header)
    }

    /// `%a, %b:2 =`, or nothing.
    fn result_names(&mut self) -> Parsed<Vec<(&'a str, usize)>> {
        let mut names = Vec::new();
        while self.token.kind == Kind::Percent {
            let name = &self.spelling()[1..];
            self.advance();
            let mut count = 1;
            if self.eat(b':') {
                let offset = self.token.start;
                count = self.signed_integer()?;
                if !(1..=u16::MAX as i64).contains(&count) {
                    return Err(self.error_at(offset, format!("{count} is not a number of results")));
                }
            }
            names.push((name, count as usize));
            if !self.eat(b',') {
                self.expect(b'=')?;
                return Ok(names);
            }
        }
        if names.is_empty() { Ok(names) } else { Err(self.expected("a result's name")) }
    }

    /// `%name` or `%name#number`
    pub(super) fn value_use(&mut self) -> Parsed<ValueUse<'a>> {
        let offset = self.token.start;
        let name = &self.expect_kind(Kind::Percent, "an operand")?[1..];
        let mut number = 0;
        if self.token.kind == Kind::Hash && self.token.start == self.last_end {
            let spelling = &self.spelling()[1..];
            number = spelling.parse().map_err(|_| self.expected("a result number"))?;
            self.advance();
        }
        Ok(ValueUse { name, number, offset })
    }

    /// `({…}, {…})`
    fn regions(&mut self, body: &mut Body, op: Op, scope: &mut Scope<'a>) -> Parsed<()> {
        let name = body.op(op).name.clone();
        let isolated = name == op_name::FUNCTION
            || name == op_name::MODULE
            || self.registry.is_some_and(|registry| registry.has_trait(name.as_str(), Trait::IsolatedFromAbove));
        self.expect(b'(')?;
        if !isolated {
            self.list_until(b')', |parser| {
                let region = body.add_region(op);
                parser.region(body, region, scope)
            })?;
            return Ok(());
        }
        let mut inner = Body::new();
        let mut inner_scope = Scope::default();
        let root = inner.root();
        self.region(&mut inner, root, &mut inner_scope)?;
        self.resolve_forward(&inner_scope)?;
        if name == op_name::MODULE && inner.blocks(root).is_empty() {
            inner.add_block(root, &[]);
        }
        body.set_isolated(op, inner);
        if self.is(b',') {
            return Err(self.error_here(format!("{name} has one region")));
        }
        self.expect(b')')
    }

    /// `: (t) -> t loc(…)`, which gives operands and results their types.
    fn signature(&mut self, body: &mut Body, op: Op, scope: &mut Scope<'a>, header: Header<'a>) -> Parsed<()> {
        self.expect(b':')?;
        let offset = self.token.start;
        let FunctionType { inputs, results } = self.function_type()?;
        if inputs.len() != header.operands.len() {
            let message = format!("expected {} operand types, found {}", header.operands.len(), inputs.len());
            return Err(self.error_at(offset, message));
        }
        let mut operands = Vec::with_capacity(inputs.len());
        for (used, r#type) in header.operands.iter().zip(&inputs) {
            operands.push(self.resolve(body, scope, *used, r#type)?);
        }
        body.set_operands(op, &operands);
        for r#type in results {
            body.add_result(op, r#type);
        }
        self.define_results(body, scope, op, header.results, header.start.start)?;
        let location = self.trailing_location()?;
        body.op_mut(op).location = location.unwrap_or_else(|| self.location_at(header.start.start));
        Ok(())
    }

    /// Gives the results of an operation their names.
    pub(super) fn define_results(
        &self,
        body: &mut Body,
        scope: &mut Scope<'a>,
        op: Op,
        names: Vec<(&'a str, usize)>,
        offset: usize,
    ) -> Parsed<()> {
        let values = body.op(op).results().to_vec();
        let named: usize = names.iter().map(|(_, count)| count).sum();
        if named > 0 && named != values.len() {
            let message = format!("the operation has {} results, but {named} are named", values.len());
            return Err(self.error_at(offset, message));
        }
        let mut rest = values.into_iter();
        for (name, count) in names {
            let group = rest.by_ref().take(count).collect();
            self.define(body, scope, name, group, offset)?;
        }
        Ok(())
    }

    // ---- values

    /// The value that a use refers to; a placeholder if it is not defined yet.
    pub(super) fn resolve(
        &self,
        body: &mut Body,
        scope: &mut Scope<'a>,
        used: ValueUse<'a>,
        r#type: &Type,
    ) -> Parsed<Value> {
        let ValueUse { name, number, offset } = used;
        let value = match scope.values.get(name) {
            Some(group) => *group.get(number as usize).ok_or_else(|| {
                self.error_at(offset, format!("'%{name}' has {} results; result {number} does not exist", group.len()))
            })?,
            None => {
                let forward = scope.forward.entry((name, number)).or_insert_with(|| Forward {
                    placeholder: body.create_op(
                        &op_name::CONVERSION_CAST,
                        &[],
                        std::slice::from_ref(r#type),
                        Attributes::new(),
                        Location::Unknown,
                    ),
                    offset,
                });
                body.result(forward.placeholder, 0)
            }
        };
        let known = body.value_type(value);
        if known != r#type {
            return Err(self.error_at(offset, format!("'%{name}' has type {known}, used as {type}")));
        }
        Ok(value)
    }

    /// Gives values a name and replaces the placeholders of earlier uses.
    fn define(
        &self,
        body: &mut Body,
        scope: &mut Scope<'a>,
        name: &'a str,
        values: Vec<Value>,
        offset: usize,
    ) -> Parsed<()> {
        for (number, &value) in values.iter().enumerate() {
            let Some(forward) = scope.forward.swap_remove(&(name, number as u32)) else { continue };
            let placeholder = body.result(forward.placeholder, 0);
            if body.value_type(placeholder) != body.value_type(value) {
                let (used, defined) = (body.value_type(placeholder), body.value_type(value));
                return Err(self.error_at(forward.offset, format!("'%{name}' has type {defined}, used as {used}")));
            }
            body.replace(forward.placeholder, &[value]);
        }
        if scope.values.insert(name, values).is_some() {
            return Err(self.error_at(offset, format!("value '%{name}' is defined twice")));
        }
        if let Some(innermost) = scope.open.last_mut() {
            innermost.push(name);
        }
        Ok(())
    }

    /// Reports the first value in the text without a definition.
    pub(super) fn resolve_forward(&self, scope: &Scope<'a>) -> Parsed<()> {
        match scope.forward.iter().min_by_key(|(_, forward)| forward.offset) {
            None => Ok(()),
            Some(((name, number), forward)) => {
                let number = if *number > 0 { format!("#{number}") } else { String::new() };
                Err(self.error_at(forward.offset, format!("undefined value '%{name}{number}'")))
            }
        }
    }
}

/// A file with one `builtin.module` is that module.
fn unwrap_module(mut module: Module) -> Module {
    let mut ops = module.ops();
    if let (Some(op), None) = (ops.next(), ops.next())
        && module.body.op(op).name == op_name::MODULE
        && let Some(body) = module.body.take_isolated(op)
    {
        let operation = module.body.op(op);
        return Module { attributes: operation.attributes.clone(), location: operation.location.clone(), body };
    }
    module
}
