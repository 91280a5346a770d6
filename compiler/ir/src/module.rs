//! The top of the tree: `builtin.module` and the functions in it.

use crate::IndexMap;
use crate::attributes::{Attribute, Attributes};
use crate::body::{Body, Op, Value};
use crate::builder::Builder;
use crate::layout::Ops;
use crate::location::Location;
use crate::op_name;
use crate::types::{FunctionType, Type};

/// `builtin.module`: a body whose one block lists symbols (`func.func`, `memref.global`).
#[derive(Clone, Debug)]
pub struct Module {
    /// The module operation's attributes.
    pub attributes: Attributes,
    /// The module operation's location.
    pub location: Location,
    /// One region, one block, symbols in order.
    pub body: Body,
}

/// A function of a module, read-only.
#[derive(Clone, Copy)]
pub struct FunctionView<'a> {
    /// The `func.func` operation in the module's body.
    pub op: Op,
    /// Its symbol name.
    pub name: &'a str,
    /// Its type.
    pub r#type: &'a FunctionType,
    /// Its body; without blocks for a declaration.
    pub body: &'a Body,
    /// Its attributes.
    pub attributes: &'a Attributes,
}

impl Default for Module {
    fn default() -> Self {
        Module::new()
    }
}

impl Module {
    /// An empty module.
    pub fn new() -> Module {
        let mut body = Body::new();
        body.add_block(body.root(), &[]);
        Module { attributes: Attributes::new(), location: Location::Unknown, body }
    }

    /// The symbols in order.
    pub fn ops(&self) -> Ops<'_> {
        self.body.ops(self.body.entry().expect("a module has one block"))
    }

    /// Appends a function that owns `body`; the body's entry block, if any, carries the arguments.
    pub fn add_function(
        &mut self,
        name: &str,
        r#type: FunctionType,
        attributes: Attributes,
        body: Body,
        location: Location,
    ) -> Op {
        let attributes = attributes
            .with("sym_name", Attribute::string(name))
            .with("function_type", Attribute::Type(Type::Function(r#type.into())));
        let op = self.body.create_op(&op_name::FUNCTION, &[], &[], attributes, location);
        self.body.set_isolated(op, body);
        let block = self.body.entry().expect("a module has one block");
        self.body.append(block, op);
        op
    }

    /// Appends a function whose one block `build` fills; it gets the arguments. The results are what the block returns.
    pub fn build_function(
        &mut self,
        name: &str,
        inputs: &[Type],
        build: impl FnOnce(&mut Builder<'_>, &[Value]),
    ) -> Op {
        let mut body = Body::new();
        let entry = body.add_block(body.root(), inputs);
        let arguments = body.arguments(entry).to_vec();
        build(&mut Builder::at_end(&mut body, entry), &arguments);
        let r#type = FunctionType { inputs: inputs.to_vec(), results: vec![] };
        let op = self.add_function(name, r#type, Attributes::new(), body, Location::Unknown);
        self.update_function_type(op);
        op
    }

    /// The symbol operation called `name`; one search through all of them. See [`SymbolTable`] for many names.
    pub fn symbol(&self, name: &str) -> Option<Op> {
        self.ops().find(|&op| self.body.op(op).attributes.str("sym_name") == Some(name))
    }

    /// The functions in order.
    pub fn functions(&self) -> impl Iterator<Item = FunctionView<'_>> {
        self.ops().filter_map(|op| self.function_view(op))
    }

    /// The function called `name`.
    pub fn function(&self, name: &str) -> Option<FunctionView<'_>> {
        self.symbol(name).and_then(|op| self.function_view(op))
    }

    /// `op` as a function.
    pub fn function_view(&self, op: Op) -> Option<FunctionView<'_>> {
        let operation = self.body.op(op);
        if operation.name != op_name::FUNCTION {
            return None;
        }
        Some(FunctionView {
            op,
            name: operation.attributes.str("sym_name")?,
            r#type: operation.attributes.get("function_type")?.as_type()?.as_function()?,
            body: operation.isolated()?,
            attributes: &operation.attributes,
        })
    }

    /// The function called `name` and its body, which is taken out of it, unless it has none.
    pub fn take_function(&mut self, name: &str) -> Option<(Op, Body)> {
        let op = self.function(name).filter(|function| function.body.entry().is_some())?.op;
        Some((op, self.body.take_isolated(op)?))
    }

    /// The body of a function, to change it.
    pub fn function_body_mut(&mut self, op: Op) -> Option<&mut Body> {
        self.body.op_mut(op).isolated_mut()
    }

    /// Sets `function_type` from the entry block's arguments and the operands of the first `func.return`; without one,
    /// the results stay.
    pub fn update_function_type(&mut self, op: Op) {
        let Some(body) = self.body.op(op).isolated() else { return };
        let Some(entry) = body.entry() else { return };
        let types = |values: &[Value]| values.iter().map(|&v| body.value_type(v).clone()).collect::<Vec<_>>();
        let inputs = types(body.arguments(entry));
        let stated = || self.body.op(op).attributes.get("function_type")?.as_type()?.as_function();
        let results = body
            .blocks(body.root())
            .iter()
            .filter_map(|&block| body.terminator(block))
            .find(|&end| body.op(end).name == op_name::RETURN)
            .map(|end| types(body.op(end).operands()))
            .or_else(|| Some(stated()?.results.to_vec()))
            .unwrap_or_default();
        self.body.op_mut(op).attributes.set("function_type", Attribute::Type(Type::function(inputs, results)));
    }
}

/// The symbols of a module by name, for as long as it does not change.
#[derive(Clone, Debug)]
pub struct SymbolTable<'a> {
    /// The module.
    pub module: &'a Module,
    by_name: IndexMap<&'a str, Op>,
}

impl<'a> SymbolTable<'a> {
    /// The symbols of `module`. The first of those with one name counts.
    pub fn of(module: &'a Module) -> SymbolTable<'a> {
        let mut by_name = IndexMap::default();
        for op in module.ops() {
            if let Some(name) = module.body.op(op).attributes.str("sym_name") {
                by_name.entry(name).or_insert(op);
            }
        }
        SymbolTable { module, by_name }
    }

    /// The symbol operation called `name`.
    pub fn symbol(&self, name: &str) -> Option<Op> {
        self.by_name.get(name).copied()
    }

    /// The function called `name`.
    pub fn function(&self, name: &str) -> Option<FunctionView<'a>> {
        self.module.function_view(self.symbol(name)?)
    }
}
