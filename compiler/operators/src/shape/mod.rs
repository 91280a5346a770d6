//! Symbolic shapes of the graph level, inferred operator by operator.
//!
//! Every operator has one rule: a function from the facts about its operands to the shapes of its results. Next to
//! shapes, the analysis follows the contents of small integer tensors, because later shapes are computed from them.
//! The text of a rule's error becomes a diagnostic here, of the checker rule `operator-shapes`.
//!
//! Invariants
//! - Every symbol that occurs in a shape has an entry in [`ShapeAnalysis::sources`].
//! - A symbol for a value inside a region does not occur outside of that region.

mod demand;
pub(crate) mod elements;
mod math;
mod node;
mod rank;
pub(crate) mod region;
mod remarks;
mod requirement;

use std::sync::Arc;

use ir::{
    Attributes, Block, Body, Diagnostic, DimExpr, IndexMap, IndexSet, Location, Module, Op, Type, Value,
    ValueDefinition,
};

use crate::table;
pub use demand::Reading;
pub(crate) use math::{broadcast_operands, like_first, like_first_along_axis, like_first_each};
pub use node::Node;
pub(crate) use node::{at_least_zero, expect_distinct, extent_of, list, normalize_axis};
pub use remarks::{Remark, WARNINGS, remarked, warn};
pub(crate) use requirement::Stated;
pub use requirement::{Condition, Requirement};

/// A symbolic shape, outermost extent first.
pub type Shape = Vec<DimExpr>;
/// The elements of a small tensor in row-major order; `None` for unknown elements.
pub type Elements = Vec<Option<DimExpr>>;
/// Shapes of the results, `None` where unknown; missing ones at the end are unknown too. The error is a contradiction.
pub type Answer = Result<Vec<Option<Shape>>, String>;
/// The rule for an operator's result shapes.
pub type Rule = fn(&mut Node<'_, '_>) -> Answer;

/// Tensors with more elements than this are not followed.
const ELEMENT_LIMIT: usize = 1024;

/// The location of a symbol's value at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolSource {
    /// An extent of an argument of the function.
    Argument {
        /// The index of the argument.
        argument: usize,
        /// Its axis.
        axis: usize,
    },
    /// An extent of a computed value, which is data-dependent.
    Result {
        /// The value.
        value: Value,
        /// Its axis.
        axis: usize,
    },
}

/// The facts about one value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fact {
    pub(crate) shape: Option<Shape>,
    pub(crate) element: Option<Type>,
    pub(crate) elements: Option<Elements>,
    /// The elements in the form of the public interface: integers, all known.
    known: Option<Vec<DimExpr>>,
}

/// A branch of an If that is invalid for the known shapes, whereas the other one is valid: no valid run takes it.
#[derive(Clone, Debug)]
pub struct ImpossibleBranch {
    /// The index of its region.
    pub region: usize,
    /// The contradiction, with the location where it was found.
    pub contradiction: Diagnostic,
}

impl ImpossibleBranch {
    /// The message of a run that takes the branch.
    pub fn statement(&self) -> String {
        let branch = if self.region == 0 { "then" } else { "else" };
        format!("the {branch} branch contradicts the shapes of its operands: {}", self.contradiction.statement())
    }
}

/// The facts about the values of one function.
#[derive(Clone, Debug, Default)]
pub struct ShapeAnalysis {
    facts: IndexMap<Value, Fact>,
    /// The location of each symbol's value.
    pub sources: IndexMap<Arc<str>, SymbolSource>,
    /// The symbols for unknown extents.
    fresh: IndexMap<(Value, usize), Arc<str>>,
    /// The conditions on extents that are checked at run time.
    requirements: IndexMap<Op, Vec<Requirement>>,
    /// The operations whose extents depend on operands with unknown elements, which a run checks.
    checked: IndexSet<Op>,
    /// The branches that contradict the shapes of what they read, by their If.
    impossible: IndexMap<Op, ImpossibleBranch>,
    /// Remarks on operations that break a rule, though they can be computed.
    remarks: IndexMap<Op, Vec<Remark>>,
    /// Broadcast extents that must equal one of their parts, because the function is invalid otherwise.
    settled: IndexMap<DimExpr, DimExpr>,
}

impl ShapeAnalysis {
    /// The shape of a value; `None` if its rank is unknown.
    pub fn shape(&self, value: Value) -> Option<&[DimExpr]> {
        self.facts.get(&value)?.shape.as_deref()
    }

    /// The element type of a value.
    pub fn element(&self, value: Value) -> Option<Type> {
        self.facts.get(&value)?.element.clone()
    }

    /// The elements of a small integer or boolean tensor if all are known, in row-major order. For a tensor of rank two
    /// or more, only if they are constants.
    pub fn known_value(&self, value: Value) -> Option<&[DimExpr]> {
        self.facts.get(&value)?.known.as_deref()
    }

    /// A tensor type with the static extents; `None` if the element type is unknown.
    pub fn tensor_type(&self, value: Value) -> Option<Type> {
        let fact = self.facts.get(&value)?;
        let element = fact.element.clone()?;
        Some(match &fact.shape {
            Some(shape) => Type::tensor(shape.iter().map(DimExpr::as_constant).collect::<Vec<_>>(), element),
            None => Type::unranked_tensor(element),
        })
    }

    /// Writes the inferred types into the values of the analysed body.
    pub fn write_types(&self, body: &mut Body) {
        for &value in self.facts.keys() {
            if let (Some(r#type), Type::Tensor(_)) = (self.tensor_type(value), body.value_type(value)) {
                body.set_value_type(value, r#type);
            }
        }
    }

    /// The conditions on extents that a run asserts before an operation.
    pub fn requirements(&self, op: Op) -> &[Requirement] {
        self.requirements.get(&op).map_or(&[], Vec::as_slice)
    }

    /// Whether a run of the operation checks sizes or axes in its operands, so that it can fail even where its result's
    /// extents are known.
    pub fn checks_sizes(&self, op: Op) -> bool {
        self.checked.contains(&op)
    }

    /// The branch of an If that no valid run takes, if it is the only one.
    pub fn impossible_branch(&self, r#if: Op) -> Option<&ImpossibleBranch> {
        self.impossible.get(&r#if)
    }

    /// Whether an extent only depends on those of the function's arguments.
    pub(crate) fn only_inputs(&self, dim: &DimExpr) -> bool {
        dim.all_symbols(&mut |symbol| matches!(self.sources.get(symbol), Some(SymbolSource::Argument { .. })))
    }

    /// The remarks on operations, in their order.
    pub fn remarks(&self) -> impl Iterator<Item = (Op, &Remark)> {
        self.remarks.iter().flat_map(|(&op, remarks)| remarks.iter().map(move |remark| (op, remark)))
    }

    /// Infers one more operation of the analysed body, whose operands are known.
    pub fn infer(&mut self, body: &Body, op: Op) -> ir::Result<()> {
        let mut analyser = Analyser { body, known: std::mem::take(self), errors: Vec::new() };
        analyser.operation(op);
        *self = analyser.known;
        if analyser.errors.is_empty() { Ok(()) } else { Err(analyser.errors) }
    }

    /// States the shape of a value without a defining operation.
    pub(crate) fn assume(&mut self, body: &Body, value: Value, shape: Option<Shape>) {
        let element = body.value_type(value).as_tensor().map(|tensor| tensor.element.clone());
        self.record(value, Fact { shape, element, elements: None, known: None });
    }

    /// Broadcast extents that follow from a later operation: if `[T] + [N]` must have `N` elements, it has `N`
    /// elements. Only for operations that every run reaches, and extents of arguments, so that it can be asserted at
    /// the beginning.
    fn settled_later(&self, body: &Body) -> IndexMap<DimExpr, DimExpr> {
        let mut settled = IndexMap::default();
        let is_given = |name: &Arc<str>| matches!(self.sources.get(name), Some(SymbolSource::Argument { .. }));
        for (&op, requirements) in &self.requirements {
            if body.op(op).parent() != body.entry() {
                continue;
            }
            for Requirement { condition, .. } in requirements {
                let Condition::Equal(a, b) = condition else { continue };
                for (joint, part) in [(a, b), (b, a)] {
                    let is_part = matches!(joint, DimExpr::Broadcast(parts) if parts.contains(part));
                    if is_part && joint.all_symbols(&mut |name| is_given(name)) {
                        settled.insert(joint.clone(), part.clone());
                    }
                }
            }
        }
        settled
    }

    /// Drops what is known about an operation, though not about its results.
    fn forget(&mut self, op: Op) {
        self.requirements.swap_remove(&op);
        self.remarks.swap_remove(&op);
        self.checked.swap_remove(&op);
        self.impossible.swap_remove(&op);
    }

    fn record(&mut self, value: Value, mut fact: Fact) {
        let shape = fact.shape.as_deref().unwrap_or_default();
        let count = known_count(shape);
        fact.elements = match count {
            Some(0) if fact.shape.is_some() => Some(vec![]),
            _ => fact.elements.filter(|elements| {
                fact.shape.is_some() && count == Some(elements.len() as i64) && elements.iter().any(Option::is_some)
            }),
        };
        let integral = fact.element.as_ref().is_some_and(|element| element.is_integer() || *element == Type::Index);
        let all = fact.elements.as_ref().filter(|_| integral).and_then(|elements| elements.iter().cloned().collect());
        fact.known = all.filter(|known: &Vec<DimExpr>| {
            shape.len() <= 1 || known.iter().all(|element| element.as_constant().is_some())
        });
        self.facts.insert(value, fact);
    }

    /// The symbol for an extent that is only known from the finished value.
    pub(crate) fn fresh(&mut self, body: &Body, value: Value, axis: usize) -> DimExpr {
        if let Some(name) = self.fresh.get(&(value, axis)) {
            return DimExpr::Symbol(name.clone());
        }
        let stem = match body.definition(value) {
            ValueDefinition::Result { op, .. } => body.name(op).trim_start_matches("onnx.").to_lowercase(),
            ValueDefinition::Argument { .. } => "argument".to_string(),
        };
        let mut number = self.fresh.len();
        while self.sources.contains_key(format!("{stem}_{number}").as_str()) {
            number += 1;
        }
        let name: Arc<str> = format!("{stem}_{number}").into();
        self.sources.insert(name.clone(), SymbolSource::Result { value, axis });
        self.fresh.insert((value, axis), name.clone());
        DimExpr::Symbol(name)
    }
}

/// The number of elements of a shape, if it is a constant whatever the symbols are, and not too large.
fn known_count(shape: &[DimExpr]) -> Option<i64> {
    match shape.contains(&DimExpr::Constant(0)) {
        true => Some(0),
        false => shape.iter().try_fold(1i64, |count, extent| count.checked_mul(extent.as_constant()?)),
    }
}

/// Whether the constants in a shape are exact, and a machine could address a tensor of this shape as far as its extents are known.
fn is_addressable(shape: &[DimExpr], element: &Type) -> bool {
    let is_exact = |extent: &DimExpr| matches!(extent, DimExpr::Constant(0..=0xffff_ffff)) || extent.is_exact();
    shape.iter().all(is_exact) && ir::is_addressable(shape.iter().map(DimExpr::as_constant), element)
}

/// Infers the shapes of a function. `attributes` are the function's: `arg_attrs` name its arguments and their
/// dimensions. `bindings` replaces named dimensions by constants.
pub fn analyse(body: &Body, attributes: &Attributes, bindings: &IndexMap<Arc<str>, i64>) -> ir::Result<ShapeAnalysis> {
    let walk = |settled: IndexMap<DimExpr, DimExpr>| {
        let mut known = ShapeAnalysis { settled, ..ShapeAnalysis::default() };
        known.facts.reserve(body.value_count());
        let mut analyser = Analyser { body, known, errors: Vec::new() };
        if let Some(entry) = body.entry() {
            analyser.arguments(entry, attributes, bindings);
            analyser.block(entry);
        }
        if analyser.errors.is_empty() { Ok(analyser.known) } else { Err(analyser.errors) }
    };
    let known = walk(IndexMap::default())?;
    let settled = known.settled_later(body);
    if settled.is_empty() { Ok(known) } else { walk(settled) }
}

/// Writes inferred types into the values of every function of a module: constant extents become static.
pub fn infer_shapes(module: &mut Module, bindings: &IndexMap<Arc<str>, i64>) -> ir::Result<()> {
    let mut errors = Vec::new();
    for op in module.ops().to_vec() {
        let Some(function) = module.function_view(op) else { continue };
        match analyse(function.body, function.attributes, bindings) {
            Ok(analysis) => {
                let messages = remarked(function.attributes, function.body, &analysis);
                warn(&mut module.attributes, &messages);
                write_types(module, op, &analysis);
            }
            Err(found) => errors.extend(found),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn write_types(module: &mut Module, function: Op, analysis: &ShapeAnalysis) {
    let Some(body) = module.function_body_mut(function) else { return };
    analysis.write_types(body);
    module.update_function_type(function);
}

/// One walk over a function.
pub struct Analyser<'a> {
    pub(crate) body: &'a Body,
    pub(crate) known: ShapeAnalysis,
    errors: Vec<Diagnostic>,
}

impl Analyser<'_> {
    fn arguments(&mut self, entry: Block, attributes: &Attributes, bindings: &IndexMap<Arc<str>, i64>) {
        let notes = attributes.get("arg_attrs").and_then(ir::Attribute::as_array).unwrap_or_default();
        for (argument, &value) in self.body.arguments(entry).iter().enumerate() {
            let r#type = self.body.value_type(value);
            let empty = Attributes::new();
            let note = match notes.get(argument) {
                Some(ir::Attribute::Dictionary(note)) => note,
                _ => &empty,
            };
            let input = note.str("onnx.name").map_or_else(|| format!("input{argument}"), str::to_string);
            let names = dimension_names(note.str("onnx.dim_params").unwrap_or_default());
            let shape = r#type.shape().map(|extents| {
                let dims = extents.iter().enumerate().map(|(axis, extent)| match extent {
                    Some(extent) => DimExpr::Constant(*extent),
                    None => {
                        let name = names.get(&axis).cloned().unwrap_or_else(|| format!("{input}_{axis}"));
                        self.argument_symbol(name.into(), argument, axis, bindings)
                    }
                });
                dims.collect()
            });
            let shape = shape.or_else(|| {
                let readers = demand::Readers { body: self.body, known: &self.known };
                let rank = r#type.as_tensor().and_then(|_| readers.demanded_rank(value))?;
                let symbol = |axis| self.argument_symbol(format!("{input}_{axis}").into(), argument, axis, bindings);
                Some((0..rank).map(symbol).collect())
            });
            self.expect_addressable(value, &input, shape.as_deref());
            self.set_shape(value, shape);
        }
    }

    /// An argument that is larger than the address space cannot be given.
    fn expect_addressable(&mut self, value: Value, input: &str, shape: Option<&[DimExpr]>) {
        let Some(tensor) = self.body.value_type(value).as_tensor() else { return };
        if shape.is_some_and(|shape| !is_addressable(shape, &tensor.element)) {
            let diagnostic = Diagnostic::input(Location::name(input), "the input is too large to address");
            self.errors.push(diagnostic.breaks("value-addressable"));
        }
    }

    fn argument_symbol(
        &mut self,
        name: Arc<str>,
        argument: usize,
        axis: usize,
        bindings: &IndexMap<Arc<str>, i64>,
    ) -> DimExpr {
        if let Some(&number) = bindings.get(&name) {
            return DimExpr::Constant(number);
        }
        self.known.sources.entry(name.clone()).or_insert(SymbolSource::Argument { argument, axis });
        DimExpr::Symbol(name)
    }

    /// Infers every operation of a block in order.
    pub(crate) fn block(&mut self, block: Block) {
        let body = self.body;
        for op in body.ops(block) {
            self.operation(op);
        }
    }

    /// Infers every operation of a block in order, and returns what it contradicts instead of reporting it.
    pub(crate) fn attempt(&mut self, block: Block) -> Vec<Diagnostic> {
        let before = self.errors.len();
        self.block(block);
        self.errors.split_off(before)
    }

    /// Reports contradictions that were found in an attempt.
    pub(crate) fn report(&mut self, contradictions: Vec<Diagnostic>) {
        self.errors.extend(contradictions);
    }

    /// Records that no valid run takes a branch of an If. What was inferred about the branch is forgotten, so that
    /// nothing is concluded from a contradiction.
    pub(crate) fn exclude(&mut self, r#if: Op, branch: ImpossibleBranch) {
        let body = self.body;
        for op in body.walk(body.op(r#if).regions()[branch.region]) {
            self.known.forget(op);
            let blocks = body.op(op).regions().iter().flat_map(|&region| body.blocks(region));
            let arguments = blocks.flat_map(|&block| body.arguments(block));
            for value in body.op(op).results().iter().chain(arguments) {
                self.known.facts.swap_remove(value);
            }
        }
        self.known.impossible.insert(r#if, branch);
    }

    fn operation(&mut self, op: Op) {
        let body = self.body;
        let name = body.name(op).strip_prefix("onnx.").unwrap_or(body.name(op));
        let row = table::row_of(body.name(op));
        // a loop's body is inferred several times; the last time counts
        self.known.forget(op);
        let mut node = Node { analyser: self, op };
        let shapes = match row {
            Some(row) => rank::check(&node, row.ranks)
                .and_then(|()| row.shapes.map_or_else(|| Ok(vec![]), |rule| rule(&mut node)))
                .and_then(|shapes| rank::check_elementwise(&node, row, &shapes).map(|()| shapes))
                .and_then(|shapes| node.expect_extents(shapes)),
            None => Ok(vec![]),
        };
        let means_nothing = shapes.is_err();
        let shapes = shapes.unwrap_or_else(|contradiction| {
            let location = body.op(op).location.clone();
            let diagnostic = Diagnostic::input(location, format!("{name}: {contradiction}"));
            self.errors.push(diagnostic.breaks("operator-shapes"));
            vec![]
        });
        let mut shapes = shapes.into_iter();
        for &result in body.op(op).results() {
            let shape = shapes.next().flatten();
            if *body.value_type(result) == Type::None {
                continue;
            }
            if let Some(shape) = &shape {
                self.compare_declared(op, result, shape);
            }
            let shape = shape.or_else(|| self.declared_shape(result)).filter(|shape| {
                let fits = is_addressable(shape, body.value_type(result).element());
                if !fits {
                    let location = body.op(op).location.clone();
                    let diagnostic = Diagnostic::input(location, format!("{name}: the result is too large to address"));
                    self.errors.push(diagnostic.breaks("value-addressable"));
                }
                fits
            });
            self.set_shape(result, shape);
        }
        if let (Some(row), [result]) = (row.filter(|_| !means_nothing), body.op(op).results())
            && let Some(elements) = elements::infer(&Node { analyser: self, op }, row)
        {
            let fact = self.known.facts.get_mut(result).map(std::mem::take).unwrap_or_default();
            self.known.record(*result, Fact { elements: Some(elements), ..fact });
        }
    }

    /// Records a shape, without facts about the elements.
    pub(crate) fn set_shape(&mut self, value: Value, shape: Option<Shape>) {
        let element = self.body.value_type(value).as_tensor().map(|tensor| tensor.element.clone());
        self.known.record(value, Fact { shape, element, elements: None, known: None });
    }

    /// Remarks on a result whose declared shape differs from the inferred one.
    fn compare_declared(&mut self, op: Op, result: Value, found: &[DimExpr]) {
        let Some(declared) = self.body.value_type(result).as_tensor().and_then(|tensor| tensor.shape.as_ref()) else {
            return;
        };
        let differ = |(declared, found): (&Option<i64>, &DimExpr)| {
            declared.zip(found.as_constant()).is_some_and(|(declared, found)| declared != found)
        };
        if declared.len() == found.len() && !declared.iter().zip(found).any(differ) {
            return;
        }
        let extents: Vec<String> = declared.iter().map(|d| d.map_or("?".into(), |extent| extent.to_string())).collect();
        let message = format!("is stated with shape [{}], but has {}", extents.join(", "), list(found));
        self.known.remarks.entry(op).or_default().push(Remark { rule: "value-shape-declared", message });
    }

    /// The declared shape of a result, used if nothing else is known.
    fn declared_shape(&mut self, value: Value) -> Option<Shape> {
        let extents = self.body.value_type(value).as_tensor()?.shape.clone()?;
        let dims = extents.iter().enumerate().map(|(axis, extent)| match extent {
            Some(extent) => DimExpr::Constant(*extent),
            None => self.known.fresh(self.body, value, axis),
        });
        Some(dims.collect())
    }
}

/// Whether a symbolic extent has a name, so that all extents of this name are equal. Some exporters write `?`, `*` or
/// `-1` for every unknown extent.
pub fn is_dimension_name(text: &str) -> bool {
    text.contains(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// `0:batch,1:sequence` by axis; `%` and `,` in names are written `%25` and `%2C`.
pub fn dimension_names(text: &str) -> IndexMap<usize, String> {
    let name = |part: &str| {
        let (axis, name) = part.split_once(':')?;
        Some((axis.parse().ok()?, name.replace("%2C", ",").replace("%25", "%")))
    };
    text.split(',').filter_map(name).filter(|(_, name): &(usize, String)| is_dimension_name(name)).collect()
}

#[cfg(test)]
mod tests;
