//! The arena of one isolated function (or module): operations, blocks, regions, values and their use lists.

use cranelift_entity::entity_impl;
use smallvec::SmallVec;

use crate::arena::Arena;
use crate::attributes::{Attribute, Attributes};
use crate::layout::{Ends, Links};
use crate::location::Location;
use crate::op_name::OpName;
use crate::types::Type;

/// An operation of a [`Body`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Op(u32);
entity_impl!(Op, "op");

/// A block of a [`Body`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block(u32);
entity_impl!(Block, "block");

/// A region of a [`Body`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region(u32);
entity_impl!(Region, "region");

/// A value of a [`Body`]: an operation's result or a block's argument.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u32);
entity_impl!(Value, "value");

/// One operand slot that reads a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// The operation that reads it.
    pub op: Op,
    /// Its operand index.
    pub index: u32,
}

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueDefinition {
    /// Result number `index` of an operation.
    Result {
        /// The defining operation.
        op: Op,
        /// Result number.
        index: u32,
    },
    /// Argument number `index` of a block.
    Argument {
        /// The owning block.
        block: Block,
        /// Argument number.
        index: u32,
    },
}

/// An operation: everything the generic form prints.
#[derive(Clone, Debug)]
pub struct Operation {
    /// `dialect.name`
    pub name: OpName,
    /// Attributes, inherent and discardable alike.
    pub attributes: Attributes,
    /// The location that it came from.
    pub location: Location,
    operands: SmallVec<[Value; 4]>,
    /// For each operand, the index of its use in the value's use list.
    use_positions: SmallVec<[u32; 4]>,
    results: SmallVec<[Value; 4]>,
    structure: Option<Box<Structure>>,
    links: Links,
}

/// The rarely used parts of an operation, in a separate allocation to keep the others small.
#[derive(Clone, Debug, Default)]
struct Structure {
    successors: Vec<Block>,
    regions: Vec<Region>,
    isolated: Option<Body>,
}

impl Operation {
    /// Operands in order.
    pub fn operands(&self) -> &[Value] {
        &self.operands
    }

    /// Results in order.
    pub fn results(&self) -> &[Value] {
        &self.results
    }

    /// Successor blocks in order. Values forwarded to them are operands.
    pub fn successors(&self) -> &[Block] {
        self.structure.as_ref().map_or(&[], |structure| &structure.successors)
    }

    /// Regions in this arena. An isolated operation has none here: see [`Operation::isolated`].
    pub fn regions(&self) -> &[Region] {
        self.structure.as_ref().map_or(&[], |structure| &structure.regions)
    }

    /// The body of an operation that is isolated from above; the operation's only region is that body's root.
    pub fn isolated(&self) -> Option<&Body> {
        self.structure.as_ref()?.isolated.as_ref()
    }

    /// The body of an isolated operation, to change it.
    pub fn isolated_mut(&mut self) -> Option<&mut Body> {
        self.structure.as_mut()?.isolated.as_mut()
    }

    /// The block that contains this operation; `None` once detached or erased.
    pub fn parent(&self) -> Option<Block> {
        self.links.block.expand()
    }

    fn structure(&mut self) -> &mut Structure {
        self.structure.get_or_insert_default()
    }
}

#[derive(Clone, Debug)]
struct BlockData {
    arguments: Vec<Value>,
    ends: Ends,
    region: Option<Region>,
}

#[derive(Clone, Debug)]
struct RegionData {
    blocks: Vec<Block>,
    parent: Option<Op>,
}

#[derive(Clone, Debug)]
struct ValueData {
    r#type: Type,
    definition: ValueDefinition,
    uses: SmallVec<[Use; 2]>,
}

/// An arena of operations, blocks, regions and values with one root region.
#[derive(Clone, Debug)]
pub struct Body {
    ops: Arena<Op, Operation>,
    blocks: Arena<Block, BlockData>,
    regions: Arena<Region, RegionData>,
    values: Arena<Value, ValueData>,
    root: Region,
}

impl Default for Body {
    fn default() -> Self {
        Body::new()
    }
}

impl Body {
    /// An empty body: a root region without blocks.
    pub fn new() -> Body {
        let mut regions = Arena::new();
        let root = regions.push(RegionData { blocks: vec![], parent: None });
        Body { ops: Arena::new(), blocks: Arena::new(), regions, values: Arena::new(), root }
    }

    /// The root region.
    pub fn root(&self) -> Region {
        self.root
    }

    /// The first block of the root region.
    pub fn entry(&self) -> Option<Block> {
        self.regions[self.root].blocks.first().copied()
    }

    // ---- reading

    /// An operation.
    pub fn op(&self, op: Op) -> &Operation {
        &self.ops[op]
    }

    /// The id of the next operation; ids only grow.
    pub fn next_op(&self) -> Op {
        self.ops.next_key()
    }

    /// An operation, to change its name, attributes, location or isolated body.
    pub fn op_mut(&mut self, op: Op) -> &mut Operation {
        &mut self.ops[op]
    }

    /// An operation's name as text.
    pub fn name(&self, op: Op) -> &str {
        self.ops[op].name.as_str()
    }

    /// Result `index` of an operation.
    pub fn result(&self, op: Op, index: usize) -> Value {
        self.ops[op].results[index]
    }

    /// Operand `index` of an operation.
    pub fn operand(&self, op: Op, index: usize) -> Value {
        self.ops[op].operands[index]
    }

    /// The number of values created so far.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// A value's type.
    pub fn value_type(&self, value: Value) -> &Type {
        &self.values[value].r#type
    }

    /// Changes a value's type in place.
    pub fn set_value_type(&mut self, value: Value, r#type: Type) {
        self.values[value].r#type = r#type;
    }

    /// Where a value comes from.
    pub fn definition(&self, value: Value) -> ValueDefinition {
        self.values[value].definition
    }

    /// The operation a value is a result of.
    pub fn defining_op(&self, value: Value) -> Option<Op> {
        match self.values[value].definition {
            ValueDefinition::Result { op, .. } => Some(op),
            ValueDefinition::Argument { .. } => None,
        }
    }

    /// All operand slots that read a value, in no particular but deterministic order.
    pub fn uses(&self, value: Value) -> &[Use] {
        &self.values[value].uses
    }

    /// A block's arguments.
    pub fn arguments(&self, block: Block) -> &[Value] {
        &self.blocks[block].arguments
    }

    /// The region that contains a block.
    pub fn block_region(&self, block: Block) -> Option<Region> {
        self.blocks[block].region
    }

    /// A region's blocks, the entry first.
    pub fn blocks(&self, region: Region) -> &[Block] {
        &self.regions[region].blocks
    }

    /// The operation a region belongs to; `None` for the root.
    pub fn region_parent(&self, region: Region) -> Option<Op> {
        self.regions[region].parent
    }

    /// The operation of this body whose region contains `op`.
    pub fn parent_op(&self, op: Op) -> Option<Op> {
        let block = self.ops[op].parent()?;
        self.region_parent(self.blocks[block].region?)
    }

    /// Every attached operation below a region, outer before inner, in textual order. Does not enter isolated bodies.
    pub fn walk(&self, region: Region) -> Vec<Op> {
        let mut order = Vec::with_capacity(if region == self.root { self.ops.len() } else { 0 });
        let mut pending: Vec<Op> = Vec::new();
        let push_region = |region: Region, pending: &mut Vec<Op>| {
            for &block in self.regions[region].blocks.iter().rev() {
                pending.extend(self.ops(block).rev());
            }
        };
        push_region(region, &mut pending);
        while let Some(op) = pending.pop() {
            order.push(op);
            for &inner in self.ops[op].regions().iter().rev() {
                push_region(inner, &mut pending);
            }
        }
        order
    }

    /// Every attached operation of the body.
    pub fn walk_all(&self) -> Vec<Op> {
        self.walk(self.root)
    }

    // ---- building

    /// A new detached operation. Its results get the given types.
    pub fn create_op(
        &mut self,
        name: impl Into<OpName>,
        operands: &[Value],
        result_types: &[Type],
        attributes: Attributes,
        location: Location,
    ) -> Op {
        let op = self.ops.push(Operation {
            name: name.into(),
            attributes,
            location,
            operands: SmallVec::new(),
            use_positions: SmallVec::new(),
            results: SmallVec::new(),
            structure: None,
            links: Links::default(),
        });
        self.add_operands(op, operands);
        for r#type in result_types {
            self.add_result(op, r#type.clone());
        }
        op
    }

    /// Appends a result to an operation.
    pub fn add_result(&mut self, op: Op, r#type: Type) -> Value {
        let index = self.ops[op].results.len() as u32;
        let value = self.values.push(ValueData {
            r#type,
            definition: ValueDefinition::Result { op, index },
            uses: SmallVec::new(),
        });
        self.ops[op].results.push(value);
        value
    }

    /// Appends an empty region to an operation.
    pub fn add_region(&mut self, op: Op) -> Region {
        let region = self.regions.push(RegionData { blocks: vec![], parent: Some(op) });
        self.ops[op].structure().regions.push(region);
        region
    }

    /// Gives an operation a separate body, which makes it isolated from above.
    pub fn set_isolated(&mut self, op: Op, body: Body) {
        self.ops[op].structure().isolated = Some(body);
    }

    /// Takes the body out of an isolated operation.
    pub fn take_isolated(&mut self, op: Op) -> Option<Body> {
        self.ops[op].structure.as_mut()?.isolated.take()
    }

    /// Sets the successor blocks of an operation.
    pub fn set_successors(&mut self, op: Op, successors: &[Block]) {
        self.ops[op].structure().successors = successors.to_vec();
    }

    /// Appends a block with the given argument types to a region.
    pub fn add_block(&mut self, region: Region, argument_types: &[Type]) -> Block {
        let block = self.create_block(argument_types);
        self.blocks[block].region = Some(region);
        self.regions[region].blocks.push(block);
        block
    }

    /// A new block without a region.
    pub fn create_block(&mut self, argument_types: &[Type]) -> Block {
        let block = self.blocks.push(BlockData { arguments: vec![], ends: Ends::default(), region: None });
        for r#type in argument_types {
            self.add_argument(block, r#type.clone());
        }
        block
    }

    /// Puts a detached block at position `at` of a region.
    pub fn insert_block(&mut self, region: Region, at: usize, block: Block) {
        debug_assert!(self.blocks[block].region.is_none(), "block is already attached");
        self.blocks[block].region = Some(region);
        self.regions[region].blocks.insert(at, block);
    }

    /// Puts a detached block after an attached one.
    pub fn insert_block_after(&mut self, previous: Block, block: Block) {
        let region = self.blocks[previous].region.expect("the block is attached");
        let at = self.blocks(region).iter().position(|&b| b == previous).expect("a region lists its blocks");
        self.insert_block(region, at + 1, block);
    }

    /// Takes a block out of its region; its operations stay in it.
    pub fn detach_block(&mut self, block: Block) {
        if let Some(region) = self.blocks[block].region.take() {
            self.regions[region].blocks.retain(|&b| b != block);
        }
    }

    /// Appends an argument to a block.
    pub fn add_argument(&mut self, block: Block, r#type: Type) -> Value {
        let index = self.blocks[block].arguments.len() as u32;
        let value = self.values.push(ValueData {
            r#type,
            definition: ValueDefinition::Argument { block, index },
            uses: SmallVec::new(),
        });
        self.blocks[block].arguments.push(value);
        value
    }

    /// Removes an unused argument; later arguments move up.
    pub fn remove_argument(&mut self, block: Block, index: usize) {
        let value = self.blocks[block].arguments.remove(index);
        assert!(self.values[value].uses.is_empty(), "argument {value} is still used");
        for (at, &argument) in self.blocks[block].arguments.iter().enumerate().skip(index) {
            self.values[argument].definition = ValueDefinition::Argument { block, index: at as u32 };
        }
    }

    /// Moves all blocks of region `from` to the end of region `to`.
    pub fn move_blocks(&mut self, from: Region, to: Region) {
        let moved = std::mem::take(&mut self.regions[from].blocks);
        for &block in &moved {
            self.blocks[block].region = Some(to);
        }
        self.regions[to].blocks.extend(moved);
    }

    // ---- changing

    /// Replaces one operand.
    pub fn set_operand(&mut self, op: Op, index: usize, value: Value) {
        self.drop_use(op, index);
        self.ops[op].operands[index] = value;
        self.ops[op].use_positions[index] = self.add_use(value, op, index);
    }

    /// Replaces all operands.
    pub fn set_operands(&mut self, op: Op, operands: &[Value]) {
        self.drop_operands(op);
        self.add_operands(op, operands);
    }

    /// Makes every reader of `old` read `new`.
    pub fn replace_all_uses(&mut self, old: Value, new: Value) {
        if old == new {
            return;
        }
        for used in std::mem::take(&mut self.values[old].uses) {
            let index = used.index as usize;
            self.ops[used.op].operands[index] = new;
            self.ops[used.op].use_positions[index] = self.add_use(new, used.op, index);
        }
    }

    /// Removes an operation, and everything in its regions, for good. Its results must be unused.
    pub fn erase(&mut self, op: Op) {
        self.detach(op);
        self.forget(&[op]);
    }

    /// Removes operations whose results are only used by operations among them.
    pub fn erase_all(&mut self, ops: &[Op]) {
        ops.iter().for_each(|&op| self.detach(op));
        self.forget(ops);
    }

    /// Removes detached operations, and everything in their regions, from the use lists, and frees their memory.
    fn forget(&mut self, ops: &[Op]) {
        let mut doomed = ops.to_vec();
        for &region in ops.iter().flat_map(|&op| self.ops[op].regions()) {
            doomed.extend(self.walk(region));
        }
        for &op in &doomed {
            self.drop_operands(op);
        }
        for &op in ops {
            let is_unread = self.ops[op].results.iter().all(|&result| self.values[result].uses.is_empty());
            assert!(is_unread, "erasing {} whose result is still used", self.ops[op].name);
        }
        for op in doomed {
            let erased = &mut self.ops[op];
            erased.links = Links::default();
            erased.structure = None;
            erased.attributes = Attributes::new();
        }
    }

    /// Replaces an operation's results by values and erases it.
    pub fn replace(&mut self, op: Op, values: &[Value]) {
        let results = self.ops[op].results.clone();
        assert_eq!(results.len(), values.len(), "one replacement a result");
        for (old, &new) in results.into_iter().zip(values) {
            self.replace_all_uses(old, new);
        }
        self.erase(op);
    }

    fn add_operands(&mut self, op: Op, operands: &[Value]) {
        self.ops[op].use_positions =
            operands.iter().enumerate().map(|(index, &operand)| self.add_use(operand, op, index)).collect();
        self.ops[op].operands = SmallVec::from_slice(operands);
    }

    fn drop_operands(&mut self, op: Op) {
        for index in 0..self.ops[op].operands.len() {
            self.drop_use(op, index);
        }
        self.ops[op].operands.clear();
        self.ops[op].use_positions.clear();
    }

    /// Adds a use of `value`; returns its index in the use list.
    fn add_use(&mut self, value: Value, op: Op, index: usize) -> u32 {
        let uses = &mut self.values[value].uses;
        uses.push(Use { op, index: index as u32 });
        uses.len() as u32 - 1
    }

    /// Removes an operand's use from the list of its value. The last use of the list moves to its index.
    fn drop_use(&mut self, op: Op, index: usize) {
        let Operation { operands, use_positions, .. } = &self.ops[op];
        let (value, at) = (operands[index], use_positions[index]);
        let uses = &mut self.values[value].uses;
        let dropped = uses.swap_remove(at as usize);
        debug_assert_eq!(dropped, Use { op, index: index as u32 }, "use lists mirror operands");
        if let Some(&moved) = uses.get(at as usize) {
            self.ops[moved.op].use_positions[moved.index as usize] = at;
        }
    }

    pub(crate) fn links(&self, op: Op) -> &Links {
        &self.ops[op].links
    }

    pub(crate) fn links_mut(&mut self, op: Op) -> &mut Links {
        &mut self.ops[op].links
    }

    pub(crate) fn ends(&self, block: Block) -> Ends {
        self.blocks[block].ends
    }

    pub(crate) fn ends_mut(&mut self, block: Block) -> &mut Ends {
        &mut self.blocks[block].ends
    }

    /// An attribute of an operation.
    pub fn attribute(&self, op: Op, name: &str) -> Option<&Attribute> {
        self.ops[op].attributes.get(name)
    }
}
