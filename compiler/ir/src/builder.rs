//! Building operations at an insertion point.

use crate::attributes::{Attribute, Attributes};
use crate::body::{Block, Body, Op, Region, Value};
use crate::location::Location;
use crate::op_name::{self, OpName};
use crate::operands::Operands;
use crate::types::Type;

/// Creates operations at an insertion point of a body, all with one location.
pub struct Builder<'a> {
    /// The body being built.
    pub body: &'a mut Body,
    /// The location given to new operations.
    pub location: Location,
    block: Block,
    /// The operation of the block before which others are inserted; `None` appends.
    next: Option<Op>,
}

impl<'a> Builder<'a> {
    /// Appends to a block.
    pub fn at_end(body: &'a mut Body, block: Block) -> Builder<'a> {
        Builder { body, location: Location::Unknown, block, next: None }
    }

    /// Inserts before an operation and takes its location.
    pub fn before(body: &'a mut Body, op: Op) -> Builder<'a> {
        let block = body.op(op).parent().expect("insertion point is attached");
        let location = body.op(op).location.clone();
        Builder { body, location, block, next: Some(op) }
    }

    /// Inserts after an operation and takes its location.
    pub fn after(body: &'a mut Body, op: Op) -> Builder<'a> {
        let mut builder = Builder::before(body, op);
        builder.next = builder.body.next_node(op);
        builder
    }

    /// Inserts at the beginning of a block.
    pub fn at_start(body: &'a mut Body, block: Block) -> Builder<'a> {
        let next = body.first_op(block);
        Builder { body, location: Location::Unknown, block, next }
    }

    /// The same builder with another location.
    pub fn with_location(mut self, location: Location) -> Self {
        self.location = location;
        self
    }

    /// The block being built.
    pub fn block(&self) -> Block {
        self.block
    }

    /// Continues by appending to another block.
    pub fn set_block(&mut self, block: Block) {
        self.block = block;
        self.next = None;
    }

    /// Creates an operation at the insertion point.
    pub fn create(
        &mut self,
        name: impl Into<OpName>,
        operands: &[Value],
        result_types: &[Type],
        attributes: impl Into<Attributes>,
    ) -> Op {
        let op = self.body.create_op(name, operands, result_types, attributes.into(), self.location.clone());
        match self.next {
            None => self.body.append(self.block, op),
            Some(next) => self.body.insert_before(op, next),
        }
        op
    }

    /// Creates an operation with one result and returns that.
    pub fn value(
        &mut self,
        name: impl Into<OpName>,
        operands: &[Value],
        result_type: Type,
        attributes: impl Into<Attributes>,
    ) -> Value {
        let op = self.create(name, operands, &[result_type], attributes);
        self.body.result(op, 0)
    }

    /// Creates the operation that has these operands at the insertion point.
    pub fn create_from<O: Operands>(
        &mut self,
        operands: O,
        result_types: &[Type],
        attributes: impl Into<Attributes>,
    ) -> Op {
        self.create(O::name(), &operands.list(), result_types, attributes)
    }

    /// Creates the operation that has these operands and one result, and returns that.
    pub fn value_from<O: Operands>(
        &mut self,
        operands: O,
        result_type: Type,
        attributes: impl Into<Attributes>,
    ) -> Value {
        self.value(O::name(), &operands.list(), result_type, attributes)
    }

    /// `arith.constant value : index`
    pub fn constant_index(&mut self, value: i64) -> Value {
        self.value(&op_name::CONSTANT, &[], Type::Index, [("value", Attribute::index(value))])
    }

    /// `arith.constant` of the attribute's type.
    pub fn constant(&mut self, value: Attribute, r#type: Type) -> Value {
        self.value(&op_name::CONSTANT, &[], r#type, [("value", value)])
    }

    /// Runs `build` with the insertion point at the end of `block`, then restores it.
    pub fn within<T>(&mut self, block: Block, build: impl FnOnce(&mut Builder<'_>) -> T) -> T {
        let mut inner = Builder { body: self.body, location: self.location.clone(), block, next: None };
        build(&mut inner)
    }

    /// Adds a region with one block to an operation.
    pub fn region_with_block(&mut self, op: Op, argument_types: &[Type]) -> (Region, Block) {
        let region = self.body.add_region(op);
        let block = self.body.add_block(region, argument_types);
        (region, block)
    }
}
