//! The textual generic form: `%0 = "d.op"(%a) ({…}) {attributes} : (t) -> t loc(…)`.
//!
//! The text is deterministic and upstream's parser accepts it. Parsing it and printing again gives the same text.

mod attributes;
mod names;
mod resources;
mod types;

use crate::body::{Block, Body, Op, Region};
use crate::location::Location;
use crate::module::Module;

use attributes::AttributePrinter;
use names::Names;
use resources::Resources;

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
}

impl Default for PrintOptions {
    /// Everything except locations.
    fn default() -> Self {
        PrintOptions { print_locations: false, print_resources: true, elide_elements_larger_than: None }
    }
}

impl PrintOptions {
    /// For reading: no bytes of constants, no locations.
    pub fn brief() -> PrintOptions {
        PrintOptions { print_locations: false, print_resources: false, elide_elements_larger_than: Some(16) }
    }
}

/// The text of a whole module.
pub fn print_module(module: &Module, options: &PrintOptions) -> String {
    let mut printer = Printer::new(options);
    printer.text.push_str("\"builtin.module\"() (");
    let names = Names::of_region(&module.body, module.body.root());
    printer.region(&module.body, module.body.root(), &names, 1);
    printer.text.push(')');
    if !module.attributes.is_empty() {
        printer.text.push(' ');
        printer.attributes.dictionary(&module.attributes, &mut printer.text);
    }
    printer.text.push_str(" : () -> ()");
    printer.location(&module.location);
    printer.text.push('\n');
    printer.finish()
}

/// The text of one operation of a body, without constants' bytes and locations.
pub fn print_op(body: &Body, op: Op) -> String {
    let options = PrintOptions::brief();
    let mut printer = Printer::new(&options);
    printer.operation(body, op, &Names::of_region(body, body.root()), 0);
    printer.text
}

/// The text of one isolated body, without constants' bytes and locations.
pub fn print_body(body: &Body) -> String {
    let options = PrintOptions::brief();
    let mut printer = Printer::new(&options);
    printer.region(body, body.root(), &Names::of_region(body, body.root()), 1);
    printer.text
}

struct Printer<'a> {
    options: &'a PrintOptions,
    attributes: AttributePrinter,
    text: String,
}

impl<'a> Printer<'a> {
    fn new(options: &'a PrintOptions) -> Printer<'a> {
        let attributes =
            AttributePrinter { elide_larger_than: options.elide_elements_larger_than, resources: Resources::default() };
        Printer { options, attributes, text: String::new() }
    }

    fn finish(mut self) -> String {
        if self.options.print_resources {
            self.attributes.resources.print(&mut self.text);
        }
        self.text
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
    fn region(&mut self, body: &Body, region: Region, names: &Names, depth: usize) {
        self.text.push_str("{\n");
        for (at, &block) in body.blocks(region).iter().enumerate() {
            let needs_label = at > 0 || !body.arguments(block).is_empty() || body.ops(block).is_empty();
            if needs_label {
                self.block_label(body, block, names, depth);
            }
            for &op in body.ops(block) {
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
        let operands = operation.operands().iter().map(|&v| names.value(v)).collect::<Vec<_>>().join(", ");
        self.text.push_str(&format!("\"{}\"({operands})", operation.name));
        if !operation.successors().is_empty() {
            let successors = operation.successors().iter().map(|&b| names.block(b)).collect::<Vec<_>>().join(", ");
            self.text.push_str(&format!("[{successors}]"));
        }
        self.regions(body, op, names, depth);
        if !operation.attributes.is_empty() {
            self.text.push(' ');
            self.attributes.dictionary(&operation.attributes, &mut self.text);
        }
        self.signature(body, op);
        self.location(&operation.location);
    }

    fn regions(&mut self, body: &Body, op: Op, names: &Names, depth: usize) {
        let operation = body.op(op);
        if let Some(inner) = operation.isolated() {
            self.text.push_str(" (");
            self.region(inner, inner.root(), &Names::of_region(inner, inner.root()), depth + 1);
            self.text.push(')');
        } else if !operation.regions().is_empty() {
            self.text.push_str(" (");
            for (at, &region) in operation.regions().iter().enumerate() {
                if at > 0 {
                    self.text.push_str(", ");
                }
                self.region(body, region, names, depth + 1);
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
