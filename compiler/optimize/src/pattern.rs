//! Patterns: `Mul(d@Sub(x, _), 0.5)`, `Conv:n(x, w, _)`, `Gelu(x){approximate=tanh}`.
//!
//! A capitalised name is an operator, any other name a variable for a class. `v@P` also names the match of `P`; `Op:n`
//! names the operation itself, for its attributes. A number matches a tensor with this value everywhere; `_` is an
//! omitted operand. Commutative operators match in both orders.

use egg::Id;
use ir::{Attribute, Attributes, Body, IndexSet, Op, Type};

use crate::graph::Graph;
use crate::language::{Fact, Node};

/// One side of an equation.
#[derive(Debug)]
pub(crate) enum Pattern {
    Variable(usize),
    Number(f64),
    Absent,
    Named(usize, Box<Pattern>),
    /// The number of the operator in [`Names`].
    Op {
        operator: usize,
        label: Option<usize>,
        operands: Vec<Pattern>,
        attributes: Vec<(String, Attribute)>,
    },
}

impl Pattern {
    /// The depth in operations.
    pub(crate) fn depth(&self) -> usize {
        match self {
            Pattern::Variable(_) | Pattern::Number(_) | Pattern::Absent => 0,
            Pattern::Named(_, inner) => inner.depth(),
            Pattern::Op { operands, .. } => 1 + operands.iter().map(Pattern::depth).max().unwrap_or(0),
        }
    }

    /// Whether a node of its operator may match, judging by the facts about the operands' classes.
    pub(crate) fn is_plausible(&self, operands: &[&Fact], is_commutative: bool) -> bool {
        let Pattern::Op { operands: patterns, .. } = self else { return false };
        are_plausible(patterns, operands.iter().copied())
            || (is_commutative && are_plausible(patterns, operands.iter().rev().copied()))
    }

    /// Whether a class may match, judging by the facts about it.
    fn may_be(&self, fact: &Fact) -> bool {
        match self {
            Pattern::Absent => fact.is_absent(),
            Pattern::Number(number) => is_number(fact, *number),
            Pattern::Op { operator, .. } => fact.operators.may_have(*operator as u32),
            Pattern::Named(_, inner) => inner.may_be(fact),
            Pattern::Variable(_) => !fact.is_absent(),
        }
    }
}

/// Whether operands may match patterns, judging by the facts about each of them. Missing ones are absent.
fn are_plausible<'f>(patterns: &[Pattern], mut operands: impl Iterator<Item = &'f Fact>) -> bool {
    let fits = |pattern: &Pattern| match operands.next() {
        Some(fact) => pattern.may_be(fact),
        None => matches!(pattern, Pattern::Absent),
    };
    patterns.iter().all(fits) && operands.all(Fact::is_absent)
}

/// Names used in a rule, by number.
#[derive(Debug, Default)]
pub(crate) struct Names {
    variables: Vec<String>,
    labels: Vec<String>,
    pub(crate) operators: IndexSet<String>,
}

impl Names {
    /// No variables and labels yet, but numbered operators.
    pub(crate) fn with_operators(operators: IndexSet<String>) -> Names {
        Names { operators, ..Names::default() }
    }

    pub(crate) fn variable(&self, name: &str) -> usize {
        self.variables.iter().position(|known| known == name).expect("the rule names its variables")
    }

    #[cfg(test)]
    pub(crate) fn variables(&self) -> Vec<&str> {
        self.variables.iter().map(String::as_str).collect()
    }

    pub(crate) fn label(&self, name: &str) -> usize {
        self.labels.iter().position(|known| known == name).expect("the rule names its operations")
    }
}

/// The values of names in a match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bindings {
    pub(crate) variables: Vec<Option<Id>>,
    pub(crate) labels: Vec<Option<Op>>,
    /// Every operation matched, the root first.
    pub(crate) ops: Vec<Op>,
}

// ---- reading

/// Parses patterns; they are part of this crate, so that an error is a panic, which the tests find.
pub(crate) struct Reader<'a> {
    text: &'a str,
    names: &'a mut Names,
}

impl<'a> Reader<'a> {
    /// Reads one side of an equation.
    pub(crate) fn read(text: &'a str, names: &'a mut Names) -> Pattern {
        let mut reader = Reader { text, names };
        let pattern = reader.pattern();
        assert!(reader.text.trim().is_empty(), "rest of a pattern: {}", reader.text);
        pattern
    }

    fn eat(&mut self, token: char) -> bool {
        self.text = self.text.trim_start();
        let rest = self.text.strip_prefix(token);
        self.text = rest.unwrap_or(self.text);
        rest.is_some()
    }

    fn expect(&mut self, token: char) {
        assert!(self.eat(token), "`{token}` expected before `{}`", self.text);
    }

    fn word(&mut self) -> &'a str {
        self.text = self.text.trim_start();
        let end = self.text.find(|c: char| !(c.is_alphanumeric() || "_.-+".contains(c))).unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        word
    }

    fn pattern(&mut self) -> Pattern {
        let word = self.word();
        if word == "_" {
            return Pattern::Absent;
        }
        if let Ok(number) = word.parse() {
            return Pattern::Number(number);
        }
        if word.starts_with(|c: char| c.is_ascii_uppercase()) {
            return self.operation(word);
        }
        let variable = number_of(&mut self.names.variables, word);
        match self.eat('@') {
            true => Pattern::Named(variable, Box::new(self.pattern())),
            false => Pattern::Variable(variable),
        }
    }

    fn operation(&mut self, operator: &str) -> Pattern {
        let label = self.eat(':').then(|| self.word()).map(|word| number_of(&mut self.names.labels, word));
        let mut operands = Vec::new();
        self.expect('(');
        while !self.eat(')') {
            operands.push(self.pattern());
            self.eat(',');
        }
        let mut attributes = Vec::new();
        if self.eat('{') {
            while !self.eat('}') {
                let name = self.word().to_string();
                self.expect('=');
                attributes.push((name, attribute(self.word())));
                self.eat(',');
            }
        }
        let operators = &mut self.names.operators;
        let known = operators.get_index_of(operator);
        let operator = known.unwrap_or_else(|| operators.insert_full(operator.to_string()).0);
        Pattern::Op { operator, label, operands, attributes }
    }
}

fn number_of(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_string());
        names.len() - 1
    })
}

fn attribute(word: &str) -> Attribute {
    match (word.parse::<i64>(), word.parse::<f32>()) {
        (Ok(integer), _) => Attribute::i64(integer),
        (_, Ok(float)) => Attribute::f32(float),
        _ => Attribute::string(word),
    }
}

// ---- matching

/// Classes that remain to be matched with a pattern, the next one first.
struct Goals<'p> {
    pattern: &'p Pattern,
    class: Id,
    rest: Option<&'p Goals<'p>>,
}

/// Receives matches.
type Visitor<'v> = dyn FnMut(&Bindings) + 'v;

impl Graph<'_> {
    /// Visits every way in which a node of the pattern's operator matches it.
    pub(crate) fn match_node(&self, pattern: &Pattern, node: &Node, visit: &mut Visitor<'_>) {
        self.match_node_then(pattern, node, None, &mut Bindings::default(), visit);
    }

    /// Matches a node of the pattern's operator, then the remaining goals. Bindings are unchanged afterwards.
    fn match_node_then(
        &self,
        pattern: &Pattern,
        node: &Node,
        rest: Option<&Goals<'_>>,
        bindings: &mut Bindings,
        visit: &mut Visitor<'_>,
    ) {
        let Pattern::Op { label, operands, attributes, .. } = pattern else { return };
        let Some(op) = node.op().filter(|&op| has_attributes(self.body, op, attributes)) else { return };
        bindings.ops.push(op);
        let known = label.and_then(|label| replace(&mut bindings.labels, label, Some(op)));
        self.match_operands(operands, &node.children, rest, bindings, visit);
        if self.symbols.is_commutative(node.operator)
            && let [a, b] = node.children[..]
            && self.egraph.find(a) != self.egraph.find(b)
        {
            self.match_operands(operands, &[b, a], rest, bindings, visit);
        }
        if let Some(label) = *label {
            replace(&mut bindings.labels, label, known);
        }
        bindings.ops.pop();
    }

    fn match_operands(
        &self,
        patterns: &[Pattern],
        children: &[Id],
        rest: Option<&Goals<'_>>,
        bindings: &mut Bindings,
        visit: &mut Visitor<'_>,
    ) {
        // facts about single classes are the cheapest to check
        if are_plausible(patterns, children.iter().map(|&child| self.data(child))) {
            let simple = |pattern: &Pattern| matches!(pattern, Pattern::Number(_) | Pattern::Absent);
            let mut open = patterns.iter().zip(children).rev().filter(|(pattern, _)| !simple(pattern));
            self.match_all(&mut open, rest, bindings, visit);
        }
    }

    /// Matches operands, which are in reverse order, then the remaining goals.
    fn match_all<'p>(
        &self,
        operands: &mut dyn Iterator<Item = (&'p Pattern, &'p Id)>,
        rest: Option<&Goals<'_>>,
        bindings: &mut Bindings,
        visit: &mut Visitor<'_>,
    ) {
        match operands.next() {
            Some((pattern, &class)) => {
                let goals = Goals { pattern, class, rest };
                self.match_all(operands, Some(&goals), bindings, visit);
            }
            None => self.match_goals(rest, bindings, visit),
        }
    }

    fn match_goals(&self, goals: Option<&Goals<'_>>, bindings: &mut Bindings, visit: &mut Visitor<'_>) {
        match goals {
            Some(goal) => self.match_class(goal.pattern, goal.class, goal.rest, bindings, visit),
            None => visit(bindings),
        }
    }

    fn match_class(
        &self,
        pattern: &Pattern,
        class: Id,
        rest: Option<&Goals<'_>>,
        bindings: &mut Bindings,
        visit: &mut Visitor<'_>,
    ) {
        let class = self.egraph.find(class);
        match pattern {
            Pattern::Absent if self.is_absent(class) => self.match_goals(rest, bindings, visit),
            Pattern::Number(number) if is_number(self.data(class), *number) => {
                self.match_goals(rest, bindings, visit);
            }
            Pattern::Absent | Pattern::Number(_) => {}
            Pattern::Variable(variable) => self.bind(*variable, class, bindings, |bindings| {
                self.match_goals(rest, bindings, visit);
            }),
            Pattern::Named(variable, inner) => self.bind(*variable, class, bindings, |bindings| {
                self.match_class(inner, class, rest, bindings, visit);
            }),
            Pattern::Op { operator, .. } => {
                let nodes = self.egraph[class].nodes.iter().filter(|node| node.operator as usize == *operator);
                nodes.for_each(|node| self.match_node_then(pattern, node, rest, bindings, visit));
            }
        }
    }

    /// Continues with a variable bound, if possible.
    fn bind(&self, variable: usize, class: Id, bindings: &mut Bindings, next: impl FnOnce(&mut Bindings)) {
        let known = bindings.variables.get(variable).copied().flatten();
        if known.is_some_and(|known| self.egraph.find(known) != class) || self.is_absent(class) {
            return;
        }
        replace(&mut bindings.variables, variable, Some(class));
        next(bindings);
        replace(&mut bindings.variables, variable, known);
    }

    pub(crate) fn is_absent(&self, class: Id) -> bool {
        self.data(class).is_absent()
    }

    // ---- building

    /// Builds the class of a pattern with bound variables. Numbers get the given element type.
    pub(crate) fn build(&mut self, pattern: &Pattern, bindings: &Bindings, element: &ir::Type) -> Option<Id> {
        match pattern {
            Pattern::Absent => self.absent(),
            Pattern::Number(number) => self.splat(*number, &[], element),
            Pattern::Variable(variable) => bindings.variables[*variable],
            Pattern::Named(_, inner) => self.build(inner, bindings, element),
            Pattern::Op { operator, label, operands, attributes } => {
                let mut children = Vec::new();
                for operand in operands {
                    children.push(self.build(operand, bindings, element)?);
                }
                let mut all = match label.and_then(|label| bindings.labels[label]) {
                    Some(op) => self.body.op(op).attributes.clone(),
                    None => Attributes::new(),
                };
                attributes.iter().for_each(|(name, value)| all.set(name.clone(), value.clone()));
                let operator = self.symbols.text(*operator).to_string();
                self.op(&operator, &children, all)
            }
        }
    }
}

/// Sets a slot and returns the old value.
fn replace<T: Clone>(slots: &mut Vec<Option<T>>, at: usize, value: Option<T>) -> Option<T> {
    if slots.len() <= at {
        slots.resize(at + 1, None);
    }
    std::mem::replace(&mut slots[at], value)
}

fn has_attributes(body: &Body, op: Op, wanted: &[(String, Attribute)]) -> bool {
    wanted.iter().all(|(name, value)| body.attribute(op, name) == Some(value))
}

/// Whether a class has the value of a number in a rule. Exporters write `sqrt(2)` with the precision of the element
/// type.
fn is_number(fact: &Fact, meant: f64) -> bool {
    let error = if fact.element == Type::F64 { 4e-16 } else { 2e-7 };
    fact.scalar.is_some_and(|known| match meant.fract() == 0.0 {
        // rules for 0 do not hold for -0
        true => known == meant && known.is_sign_negative() == meant.is_sign_negative(),
        false => (known - meant).abs() <= error * meant.abs(),
    })
}
