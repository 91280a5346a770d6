//! Building operations with bodies.

use dialects::onnx::YIELD;
use ir::{Attribute, Attributes, Block, Op, Type, Value};

use super::{Emitter, Problem};
use crate::types::without_shape;

/// The operands of a `Scan`.
pub(crate) struct Scan<'a> {
    /// Initial values of the states.
    pub(crate) states: &'a [Value],
    /// Inputs that are read element by element along axis 0.
    pub(crate) inputs: &'a [Value],
    /// Whether to iterate from the last element to the first.
    pub(crate) backwards: bool,
}

/// A `Scan` whose body is being built.
#[derive(Debug)]
pub(crate) struct OpenScan {
    op: Op,
    /// The block that contains the operation.
    outer: Block,
    backwards: bool,
    /// The states in the body.
    pub(crate) states: Vec<Value>,
    /// An element of each input in the body.
    pub(crate) elements: Vec<Value>,
}

impl Emitter {
    /// A `Scan` along axis 0. `body` receives the states and an element of each input; it returns the next states, then
    /// the values to collect along axis 0. The results are the last states, then the collected values.
    pub(crate) fn scan(
        &mut self,
        scan: &Scan<'_>,
        body: impl FnOnce(&mut Emitter, &[Value], &[Value]) -> (Vec<Value>, Vec<Value>),
    ) -> Vec<Value> {
        let open = self.open_scan(scan);
        let (next, collected) = body(self, &open.states, &open.elements);
        self.close_scan(open, &next, &collected)
    }

    /// Begins a `Scan` along axis 0: operations from now on are in its body.
    pub(crate) fn open_scan(&mut self, scan: &Scan<'_>) -> OpenScan {
        let operands = [scan.states, scan.inputs].concat();
        let count = Attribute::i64(scan.inputs.len() as i64);
        let op = self.create_without_results("onnx.Scan", &operands, [("num_scan_inputs", count)]);
        let outer = self.open_body(op);
        let states = scan.states.iter().map(|&state| self.argument_like(state, 0)).collect();
        let elements = scan.inputs.iter().map(|&input| self.argument_like(input, 1)).collect();
        OpenScan { op, outer, backwards: scan.backwards, states, elements }
    }

    /// Ends the body of a `Scan` with the next states and the values to collect. The results are the last states, then
    /// the collected values.
    pub(crate) fn close_scan(&mut self, open: OpenScan, next: &[Value], collected: &[Value]) -> Vec<Value> {
        let OpenScan { op, outer, backwards, elements, .. } = open;
        for (name, count) in [("scan_input_directions", elements.len()), ("scan_output_directions", collected.len())] {
            let directions = vec![i64::from(backwards); count];
            self.body.op_mut(op).attributes.set(name, Attribute::i64_array(&directions));
        }
        self.close_body(op, outer, &[], &[next, collected].concat())
    }

    /// Ends the body of an operation, which is in `outer`, with its yielded values: some for the operation itself, and
    /// its results, which are returned.
    fn close_body(&mut self, op: Op, outer: Block, own: &[Value], results: &[Value]) -> Vec<Value> {
        self.create(YIELD, &[own, results].concat(), &[], Attributes::new());
        self.block = outer;
        let types: Vec<Type> = results.iter().map(|&value| without_shape(self.body.value_type(value))).collect();
        for r#type in types {
            self.body.add_result(op, r#type);
        }
        self.analyse(op);
        self.body.op(op).results().to_vec()
    }

    /// Begins the body of an operation: operations from now on are in it. Returns the block that contains the
    /// operation.
    fn open_body(&mut self, op: Op) -> Block {
        let region = self.body.add_region(op);
        let block = self.body.add_block(region, &[]);
        std::mem::replace(&mut self.block, block)
    }

    /// A `Loop` of at most `most` iterations. `body` receives the carried values; it returns whether another iteration
    /// follows, and its carried values. The results are the last carried values.
    pub(crate) fn repeat(
        &mut self,
        most: i64,
        states: &[Value],
        body: impl FnOnce(&mut Emitter, &[Value]) -> (Value, Vec<Value>),
    ) -> Vec<Value> {
        let limit = self.integer(most);
        let operands = [&[limit, self.none], states].concat();
        let op = self.create_without_results("onnx.Loop", &operands, []);
        let outer = self.open_body(op);
        for element in [Type::I64, Type::I1] {
            let argument = self.body.add_argument(self.block, Type::static_tensor(&[], element));
            self.assume(argument, Some(vec![]));
        }
        let carried: Vec<Value> = states.iter().map(|&state| self.argument_like(state, 0)).collect();
        let (goes_on, next) = body(self, &carried);
        self.close_body(op, outer, &[goes_on], &next)
    }

    /// An argument of the current block, typed like a value without its first `dropped` axes.
    fn argument_like(&mut self, value: Value, dropped: usize) -> Value {
        let shape = self.shape(value).map(|shape| shape[dropped.min(shape.len())..].to_vec());
        let argument = self.body.add_argument(self.block, without_shape(self.body.value_type(value)));
        self.assume(argument, shape);
        argument
    }

    /// Inlines the region of an operation, whose body has one argument and one result of its type and rank, at the
    /// insertion point; the operation is about to be erased. Without a body the argument is returned.
    pub(crate) fn inline_region(&mut self, op: Op, region: usize, argument: Value) -> Result<Value, Problem> {
        let block =
            self.body.op(op).regions().get(region).and_then(|&region| self.body.blocks(region).first().copied());
        let Some(block) = block else { return Ok(argument) };
        let end = self.body.terminator(block).expect("a region yields");
        let (&[own], &[result]) = (self.body.arguments(block), self.body.op(end).operands()) else {
            return Err(Problem::input("has a graph in an attribute that does not have one input and one output"));
        };
        let inlined = self.body.ops(block).to_vec();
        self.body.replace_all_uses(own, argument);
        // the result may be the argument itself
        let result = if result == own { argument } else { result };
        self.body.move_ops_after(block, None, self.block);
        self.body.erase(end);
        inlined.into_iter().filter(|&op| op != end).for_each(|op| self.analyse(op));
        let [taken, given] =
            [argument, result].map(|value| (self.element(value), self.shape(value).map(|shape| shape.len())));
        match given == taken {
            true => Ok(result),
            false => {
                Err(Problem::input("has a graph in an attribute whose output is not of the type and rank of its input"))
            }
        }
    }
}
