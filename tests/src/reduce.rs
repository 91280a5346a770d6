//! Makes a module smaller while something about it stays: what `mlir-reduce` and `onnx-reduce` are for.
//!
//! Each kind of `Cut` lists its sites in the module, and takes away a half of them, a quarter and so on, down to single ones
//! (delta debugging: Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input"). A module that was valid stays valid.

use ir::{Attribute, Attributes, Block, Body, DenseElements, Module, Op, PrintOptions, Registry, Value};
use regex::Regex;

/// What can be taken from a module, from the largest to the smallest.
#[derive(Clone, Copy, Debug)]
enum Cut {
    /// A symbol of the module.
    Symbol,
    /// An operation inside a symbol that does not end a block. Arguments of the function take the places of results that are used.
    Operation,
    /// A result of a function with one `func.return`.
    Result,
    /// An argument of a function that nothing uses.
    Argument,
    /// An attribute.
    Attribute,
    /// The elements of a constant, which all become the first one.
    Elements,
    /// An extent of the types in the text, which becomes 1.
    Extent,
}

const CUTS: [Cut; 7] =
    [Cut::Symbol, Cut::Operation, Cut::Result, Cut::Argument, Cut::Attribute, Cut::Elements, Cut::Extent];

/// Something that can be taken from a module.
#[derive(Clone, Debug)]
enum Site {
    Symbol(Op),
    Operation(Op, Op),
    Result(Op, usize),
    Argument(Op, usize),
    /// An attribute of the symbol, or of an operation inside it.
    Attribute(Op, Option<Op>, String),
    Elements(Op, Option<Op>, String),
    Extent(String),
}

/// The text of the smallest module found on which `fails` still holds, from the text of one.
///
/// # Errors
/// If the text is not a module, or `fails` does not hold on it.
pub fn reduce(text: &str, mut fails: impl FnMut(&str) -> bool) -> Result<String, String> {
    let registry = dialects::registry();
    let mut best = parse(text, &registry).ok_or("the text is not a module")?;
    let is_valid = ir::verify(&best, &registry).is_ok();
    let mut holds = |module: &Module| (!is_valid || ir::verify(module, &registry).is_ok()) && fails(&print(module));
    if !holds(&best) {
        return Err("the module does not fail as it is printed".into());
    }
    loop {
        let mut is_smaller = false;
        for cut in CUTS {
            is_smaller |= reduce_by(cut, &mut best, &registry, &mut holds);
        }
        if !is_smaller {
            return Ok(print(&best));
        }
    }
}

fn parse(text: &str, registry: &Registry) -> Option<Module> {
    ir::parse_module(text, "module", Some(registry)).ok()
}

fn print(module: &Module) -> String {
    ir::print_module(module, &PrintOptions::default())
}

/// Takes as many sites of one kind away as possible; whether any.
fn reduce_by(cut: Cut, best: &mut Module, registry: &Registry, holds: &mut impl FnMut(&Module) -> bool) -> bool {
    let mut is_smaller = false;
    let mut size = sites(cut, best).len();
    while size > 0 {
        // from the end, as operations use what comes before them
        let mut end = sites(cut, best).len();
        while end > 0 {
            let chosen: Vec<Site> = sites(cut, best).drain(end.saturating_sub(size)..end).rev().collect();
            end = end.saturating_sub(size);
            let Some(smaller) = without(best, &chosen, registry).filter(|smaller| holds(smaller)) else { continue };
            (*best, is_smaller) = (smaller, true);
            end = end.min(sites(cut, best).len());
        }
        size /= 2;
    }
    is_smaller
}

fn sites(cut: Cut, module: &Module) -> Vec<Site> {
    let symbols: Vec<Op> = module.ops().collect();
    let of_symbol = |symbol: Op| -> Vec<Site> {
        let operation = module.body.op(symbol);
        let body = operation.isolated();
        let ops = body.map(Body::walk_all).unwrap_or_default();
        let attributes = |site: fn(Op, Option<Op>, String) -> Site, keep: fn(&str, &Attribute) -> bool| {
            let own = (None, &operation.attributes);
            let inner = ops.iter().filter_map(|&op| Some((Some(op), &body?.op(op).attributes)));
            let of_one = |(op, attributes): (Option<Op>, &Attributes)| -> Vec<Site> {
                let kept = attributes.iter().filter(|(name, value)| keep(name, value));
                kept.map(|(name, _)| site(symbol, op, name.to_owned())).collect()
            };
            std::iter::once(own).chain(inner).flat_map(of_one).collect()
        };
        match cut {
            Cut::Symbol => vec![Site::Symbol(symbol)],
            Cut::Operation => {
                let is_end =
                    |body: &Body, op: Op| body.op(op).parent().is_some_and(|block| body.terminator(block) == Some(op));
                let inner = ops.into_iter().filter(|&op| body.is_some_and(|body| !is_end(body, op)));
                inner.map(|op| Site::Operation(symbol, op)).collect()
            }
            Cut::Result => {
                let count = body.and_then(|body| Some(body.op(returned(body)?).operands().len())).unwrap_or(0);
                (0..count).map(|index| Site::Result(symbol, index)).collect()
            }
            Cut::Argument => {
                let arguments = body.and_then(|body| Some(body.arguments(body.entry()?))).unwrap_or_default();
                let is_unused = |&at: &usize| body.is_some_and(|body| body.uses(arguments[at]).is_empty());
                (0..arguments.len()).filter(is_unused).map(|at| Site::Argument(symbol, at)).collect()
            }
            Cut::Attribute => attributes(Site::Attribute, |name, _| !matches!(name, "sym_name" | "function_type")),
            Cut::Elements => attributes(Site::Elements, |_, value| {
                value.as_dense().is_some_and(|elements| !elements.is_splat() && elements.element_count() > 1)
            }),
            Cut::Extent => vec![],
        }
    };
    match cut {
        Cut::Extent => extents(&print(module)),
        _ => symbols.into_iter().flat_map(of_symbol).collect(),
    }
}

/// The extents of types in a module's text, the largest last, as sites are taken from the end.
fn extents(text: &str) -> Vec<Site> {
    let extent = Regex::new("[<x]([0-9]+)x").expect("it is an expression");
    // extents that follow each other share the `x` between them
    let spread = text.replace('x', "xx");
    let mut found: Vec<u64> = extent.captures_iter(&spread).filter_map(|found| found[1].parse().ok()).collect();
    found.retain(|&extent| extent > 1);
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|extent| Site::Extent(extent.to_string())).collect()
}

/// The only `func.return` of a function with one block.
fn returned(body: &Body) -> Option<Op> {
    let &[only] = body.blocks(body.root()) else { return None };
    body.terminator(only).filter(|&end| body.name(end) == "func.return")
}

/// A module without some sites of one kind, which come in reverse order; none if its text cannot be read.
fn without(module: &Module, sites: &[Site], registry: &Registry) -> Option<Module> {
    let mut smaller = module.clone();
    for site in sites {
        match site {
            Site::Symbol(symbol) => smaller.body.erase(*symbol),
            Site::Operation(symbol, op) => {
                let body = smaller.function_body_mut(*symbol)?;
                erase(body, *op);
                smaller.update_function_type(*symbol);
            }
            Site::Result(symbol, index) => {
                let body = smaller.function_body_mut(*symbol)?;
                let end = returned(body)?;
                let mut operands = body.op(end).operands().to_vec();
                operands.remove(*index);
                body.set_operands(end, &operands);
                smaller.update_function_type(*symbol);
            }
            Site::Argument(symbol, at) => {
                let body = smaller.function_body_mut(*symbol)?;
                body.remove_argument(body.entry()?, *at);
                smaller.update_function_type(*symbol);
            }
            Site::Attribute(symbol, op, name) => {
                attributes_mut(&mut smaller, *symbol, *op)?.remove(name);
            }
            Site::Elements(symbol, op, name) => {
                let attributes = attributes_mut(&mut smaller, *symbol, *op)?;
                let elements = attributes.get(name)?.as_dense()?;
                let same = DenseElements::splat(elements.r#type.clone(), elements.element_bytes(0));
                attributes.set(name.clone(), Attribute::dense(same));
            }
            Site::Extent(extent) => {
                let one = Regex::new(&format!("(^|[<x]){extent}x")).ok()?;
                // twice, as extents that follow each other share the `x` between them
                let once = one.replace_all(&print(&smaller), "${1}1x").into_owned();
                smaller = parse(&one.replace_all(&once, "${1}1x"), registry)?;
            }
        }
    }
    Some(smaller)
}

fn attributes_mut(module: &mut Module, symbol: Op, op: Option<Op>) -> Option<&mut Attributes> {
    match op {
        None => Some(&mut module.body.op_mut(symbol).attributes),
        Some(op) => Some(&mut module.function_body_mut(symbol)?.op_mut(op).attributes),
    }
}

/// Erases an operation. A value of the same type takes the place of each result that is used: one of
/// its operands, or an argument of the function, a new one if there is none.
fn erase(body: &mut Body, op: Op) {
    let Some(entry) = body.entry() else { return };
    for result in body.op(op).results().to_vec() {
        if !body.uses(result).is_empty() {
            let other = other_value(body, op, result, entry);
            body.replace_all_uses(result, other);
        }
    }
    body.erase(op);
}

fn other_value(body: &mut Body, op: Op, result: Value, entry: Block) -> Value {
    let r#type = body.value_type(result).clone();
    let known = body.op(op).operands().iter().chain(body.arguments(entry)).copied();
    let same = known.into_iter().find(|&value| *body.value_type(value) == r#type);
    same.unwrap_or_else(|| body.add_argument(entry, r#type))
}
