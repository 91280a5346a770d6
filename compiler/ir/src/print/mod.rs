//! The textual forms: generic, `%0 = "d.op"(%a) <{properties}> ({…}) {attributes} : (t) -> t loc(…)`, and custom,
//! `%0 = arith.addi %a, %b : i32`, for operations that have an assembly format.
//!
//! Properties are the attributes that the operation's definition names. Where definitions are not known, all attributes
//! are printed as discardable ones, which reads the same.
//!
//! The text is deterministic and upstream's parser accepts it. Parsing it and printing again gives the same text.

mod assembly;
mod attributes;
mod names;
mod resources;
mod types;

use crate::IndexMap;
use crate::assembly::SEGMENTS;
use crate::attributes::{Attributes, quote};
use crate::body::{Block, Body, Op, Region};
use crate::location::Location;
use crate::module::Module;
use crate::op_name;
use crate::registry::{OpDefinition, Registry};

use attributes::AttributePrinter;
use names::Names;

pub use assembly::OpPrinter;
pub(crate) use attributes::is_bare_identifier;

/// Options of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintOptions {
    /// Print `loc(…)` after every operation.
    pub print_locations: bool,
    /// Print the bytes of `dense_resource<key>` in a section at the end.
    pub print_resources: bool,
    /// Print `dense_resource<__elided__>` for inline constants with more elements; such text does not contain the data.
    pub elide_elements_larger_than: Option<usize>,
    /// Print every operation in the generic form.
    pub generic: bool,
}

impl Default for PrintOptions {
    /// Everything except locations.
    fn default() -> Self {
        PrintOptions { print_locations: false, print_resources: true, elide_elements_larger_than: None, generic: false }
    }
}

impl PrintOptions {
    /// For reading: no bytes of constants, no locations.
    pub fn brief() -> PrintOptions {
        PrintOptions {
            print_locations: false,
            print_resources: false,
            elide_elements_larger_than: Some(16),
            generic: false,
        }
    }
}

/// The text of a whole module in the generic form, without a distinction of properties.
pub fn print_module(module: &Module, options: &PrintOptions) -> String {
    print_generic(module, None, options)
}

fn print_generic(module: &Module, registry: Option<&Registry>, options: &PrintOptions) -> String {
    let mut printer = Printer { registry, ..Printer::new(options) };
    // where properties are known, the text is upstream's
    printer.attributes.aliases = registry.map(|_| IndexMap::default());
    printer.text.push_str(&format!("\"{}\"()", op_name::MODULE.text));
    printer.properties(op_name::MODULE.text, &module.attributes);
    printer.text.push_str(" (");
    let names = Names::of_region(&module.body, module.body.root(), None);
    printer.region(&module.body, module.body.root(), &names, 1, Shown::default());
    printer.text.push(')');
    printer.discardable(op_name::MODULE.text, &module.attributes);
    printer.text.push_str(" : () -> ()");
    printer.location(&module.location);
    printer.text.push('\n');
    printer.finish()
}

/// The text of a whole module, in the form that the options ask for.
pub fn print_module_as(module: &Module, registry: &Registry, options: &PrintOptions) -> String {
    if options.generic {
        print_generic(module, Some(registry), options)
    } else {
        print_assembly(module, registry, options)
    }
}

/// The text of a whole module in the custom form, as upstream prints it.
pub fn print_assembly(module: &Module, registry: &Registry, options: &PrintOptions) -> String {
    let mut printer = Printer { registry: Some(registry), ..Printer::new(options) };
    printer.default_dialects = Some(vec!["builtin"]);
    printer.attributes.aliases = Some(IndexMap::default());
    printer.text.push_str("module");
    if let Some(name) = module.attributes.str("sym_name") {
        printer.text.push_str(&format!(" {}", attributes::symbol_name(name)));
    }
    let rest = module.attributes.iter().filter(|(name, _)| *name != "sym_name");
    printer.dictionary(rest, " attributes ");
    printer.text.push(' ');
    let names = Names::of_region(&module.body, module.body.root(), Some(registry));
    printer.region(&module.body, module.body.root(), &names, 1, Shown::default());
    printer.location(&module.location);
    printer.text.push('\n');
    printer.finish()
}

/// The text of one operation of a body, without constants' bytes and locations.
pub fn print_op(body: &Body, op: Op) -> String {
    let options = PrintOptions::brief();
    let mut printer = Printer::new(&options);
    printer.operation(body, op, &Names::of_region(body, body.root(), None), 0);
    printer.text
}

/// The text of one isolated body, without constants' bytes and locations.
pub fn print_body(body: &Body) -> String {
    let options = PrintOptions::brief();
    let mut printer = Printer::new(&options);
    printer.region(body, body.root(), &Names::of_region(body, body.root(), None), 1, Shown::default());
    printer.text
}

/// Whether an attribute is part of the operation, by its definition.
fn is_property(definition: Option<&OpDefinition>, name: &str) -> bool {
    definition.is_some_and(|definition| name == SEGMENTS || definition.attribute_kind(name).is_some())
}

struct Printer<'a> {
    options: &'a PrintOptions,
    attributes: AttributePrinter,
    text: String,
    /// The definitions, which say what properties are.
    registry: Option<&'a Registry>,
    /// In the custom form, the dialects whose prefix operations go without, innermost last; empty where none.
    default_dialects: Option<Vec<&'static str>>,
}

/// What a region shows in the custom form.
#[derive(Clone, Copy)]
struct Shown {
    /// The label of the entry block, if that has arguments.
    entry_arguments: bool,
    /// The last operation of the blocks.
    terminator: bool,
}

impl Default for Shown {
    /// All of it.
    fn default() -> Self {
        Shown { entry_arguments: true, terminator: true }
    }
}

impl<'a> Printer<'a> {
    fn new(options: &'a PrintOptions) -> Printer<'a> {
        let attributes =
            AttributePrinter { elide_larger_than: options.elide_elements_larger_than, ..AttributePrinter::default() };
        Printer { options, attributes, text: String::new(), registry: None, default_dialects: None }
    }

    fn finish(mut self) -> String {
        if self.options.print_resources {
            self.attributes.resources.print(&mut self.text);
        }
        match self.attributes.aliases {
            Some(aliases) if !aliases.is_empty() => {
                let one = |(at, map): (usize, _)| format!("{} = affine_map<{map}>\n", attributes::map_alias(at));
                aliases.keys().enumerate().map(one).chain([self.text]).collect()
            }
            _ => self.text,
        }
    }

    fn is_custom(&self) -> bool {
        self.default_dialects.is_some()
    }

    /// The definitions that give values their names; values of the generic form have numbers.
    fn naming_registry(&self) -> Option<&'a Registry> {
        self.registry.filter(|_| self.is_custom())
    }

    fn indent(&mut self, depth: usize) {
        self.text.extend(std::iter::repeat_n("  ", depth));
    }

    fn location(&mut self, location: &Location) {
        if self.options.print_locations {
            self.text.push_str(&format!(" loc({location})"));
        }
    }

    /// `{ blocks }`; `depth` is the indentation of the operations inside.
    fn region(&mut self, body: &Body, region: Region, names: &Names, depth: usize, shown: Shown) {
        self.text.push_str("{\n");
        for (at, &block) in body.blocks(region).iter().enumerate() {
            let is_bare = body.ops(block).is_empty() && !self.is_custom();
            let needs_label = at > 0 || is_bare || shown.entry_arguments && !body.arguments(block).is_empty();
            if needs_label {
                self.block_label(body, block, names, depth);
            }
            let hidden = body.terminator(block).filter(|_| !shown.terminator);
            for op in body.ops(block).filter(|&op| Some(op) != hidden) {
                self.indent(depth);
                self.operation(body, op, names, depth);
                self.text.push('\n');
            }
        }
        self.indent(depth.saturating_sub(1));
        self.text.push('}');
    }

    fn block_label(&mut self, body: &Body, block: Block, names: &Names, depth: usize) {
        self.indent(depth.saturating_sub(1));
        self.text.push_str(&names.block(block));
        let arguments = body.arguments(block);
        if !arguments.is_empty() {
            self.text.push('(');
            for (at, &argument) in arguments.iter().enumerate() {
                let comma = if at > 0 { ", " } else { "" };
                let r#type = body.value_type(argument);
                self.text.push_str(&format!("{comma}{}: {}", names.value(argument), r#type));
            }
            self.text.push(')');
        }
        self.text.push(':');
        match names.predecessors(block) {
            [] if self.is_custom() && !names.is_entry(block) => self.text.push_str("  // no predecessors"),
            [] => {}
            [one] => self.text.push_str(&format!("  // pred: {}", names.block(*one))),
            many => {
                let list = many.iter().map(|&b| names.block(b)).collect::<Vec<_>>().join(", ");
                self.text.push_str(&format!("  // {} preds: {list}", many.len()));
            }
        }
        self.text.push('\n');
    }

    fn operation(&mut self, body: &Body, op: Op, names: &Names, depth: usize) {
        let operation = body.op(op);
        if let Some(&first) = operation.results().first() {
            self.text.push_str(&names.value_group(first));
            if operation.results().len() > 1 {
                self.text.push_str(&format!(":{}", operation.results().len()));
            }
            self.text.push_str(" = ");
        }
        if self.custom_form(body, op, names, depth) {
            return self.location(&operation.location);
        }
        let operands = operation.operands().iter().map(|&v| names.value(v)).collect::<Vec<_>>().join(", ");
        self.text.push_str(&format!("{}({operands})", quote(operation.name.as_str())));
        if !operation.successors().is_empty() {
            let successors = operation.successors().iter().map(|&b| names.block(b)).collect::<Vec<_>>().join(", ");
            self.text.push_str(&format!("[{successors}]"));
        }
        self.properties(operation.name.as_str(), &operation.attributes);
        self.regions(body, op, names, depth);
        self.discardable(operation.name.as_str(), &operation.attributes);
        self.signature(body, op);
        self.location(&operation.location);
    }

    /// ` <{…}>`, unless the operation has no properties.
    fn properties(&mut self, op: &str, attributes: &Attributes) {
        let definition = self.registry.and_then(|registry| registry.get(op));
        let mut properties = attributes.iter().filter(|(name, _)| is_property(definition, name)).peekable();
        if properties.peek().is_some() {
            self.text.push_str(" <");
            self.attributes.entries(properties, &mut self.text);
            self.text.push('>');
        }
    }

    /// ` {…}`, unless all attributes are properties.
    fn discardable(&mut self, op: &str, attributes: &Attributes) {
        let definition = self.registry.and_then(|registry| registry.get(op));
        self.dictionary(attributes.iter().filter(|(name, _)| !is_property(definition, name)), " ");
    }

    fn regions(&mut self, body: &Body, op: Op, names: &Names, depth: usize) {
        let operation = body.op(op);
        if let Some(inner) = operation.isolated() {
            self.text.push_str(" (");
            let names = Names::of_region(inner, inner.root(), self.naming_registry());
            self.region(inner, inner.root(), &names, depth + 1, Shown::default());
            self.text.push(')');
        } else if !operation.regions().is_empty() {
            self.text.push_str(" (");
            for (at, &region) in operation.regions().iter().enumerate() {
                if at > 0 {
                    self.text.push_str(", ");
                }
                self.region(body, region, names, depth + 1, Shown::default());
            }
            self.text.push(')');
        }
    }

    fn signature(&mut self, body: &Body, op: Op) {
        let operation = body.op(op);
        let function = crate::types::FunctionType {
            inputs: operation.operands().iter().map(|&v| body.value_type(v).clone()).collect(),
            results: operation.results().iter().map(|&v| body.value_type(v).clone()).collect(),
        };
        self.text.push_str(&format!(" : {function}"));
    }
}
