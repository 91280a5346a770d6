//! The order of operations in blocks: linked lists with order numbers, so that an operation is inserted, moved or
//! erased in constant time and two operations of a block are compared without a search.

use cranelift_entity::packed_option::PackedOption;

use crate::Type;
use crate::body::{Block, Body, Op};

/// The distance between the order numbers of operations that are appended.
const STRIDE: u64 = 16;

/// The number of operations among which a gap between order numbers is looked for; if there is none, the whole block is
/// numbered anew.
const NEARBY: usize = 64;

/// Where an operation stands.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Links {
    /// The block that contains it; none once detached or erased.
    pub(crate) block: PackedOption<Block>,
    previous: PackedOption<Op>,
    next: PackedOption<Op>,
    /// Grows along the block.
    order: u64,
}

/// The ends of a block's list.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ends {
    first: PackedOption<Op>,
    last: PackedOption<Op>,
}

/// The operations of a block in order.
#[derive(Clone)]
pub struct Ops<'a> {
    body: &'a Body,
    /// The next one from the front and from the back; none if no operation is left.
    ends: Option<(Op, Op)>,
}

impl Ops<'_> {
    /// The last one, and those before it.
    pub fn split_last(mut self) -> Option<(Op, Self)> {
        self.next_back().map(|last| (last, self))
    }

    /// A list of them, which stays as it is while the body changes.
    pub fn to_vec(&self) -> Vec<Op> {
        self.clone().collect()
    }

    /// Whether none is left.
    pub fn is_empty(&self) -> bool {
        self.ends.is_none()
    }
}

impl Iterator for Ops<'_> {
    type Item = Op;

    fn next(&mut self) -> Option<Op> {
        let (first, last) = self.ends?;
        let rest = self.body.next_node(first).filter(|_| first != last);
        self.ends = rest.map(|next| (next, last));
        Some(first)
    }
}

impl DoubleEndedIterator for Ops<'_> {
    fn next_back(&mut self) -> Option<Op> {
        let (first, last) = self.ends?;
        let rest = self.body.previous_node(last).filter(|_| first != last);
        self.ends = rest.map(|previous| (first, previous));
        Some(last)
    }
}

impl Body {
    /// A block's operations in order.
    pub fn ops(&self, block: Block) -> Ops<'_> {
        self.ops_after(block, None)
    }

    /// The operations of a block after one of them, or all of them.
    pub fn ops_after(&self, block: Block, previous: Option<Op>) -> Ops<'_> {
        let first = previous.map_or(self.first_op(block), |previous| self.next_node(previous));
        Ops { body: self, ends: first.zip(self.terminator(block)) }
    }

    /// The first operation of a block.
    pub fn first_op(&self, block: Block) -> Option<Op> {
        self.ends(block).first.expand()
    }

    /// The last operation of a block.
    pub fn terminator(&self, block: Block) -> Option<Op> {
        self.ends(block).last.expand()
    }

    /// The operation after an operation in its block.
    pub fn next_node(&self, op: Op) -> Option<Op> {
        self.links(op).next.expand()
    }

    /// The operation before an operation in its block.
    pub fn previous_node(&self, op: Op) -> Option<Op> {
        self.links(op).previous.expand()
    }

    /// Whether an operation comes before another one of the same block.
    pub fn is_before_in_block(&self, op: Op, other: Op) -> bool {
        debug_assert_eq!(self.links(op).block, self.links(other).block, "they are in one block");
        self.links(op).order < self.links(other).order
    }

    /// Puts a detached operation at the end of a block.
    pub fn append(&mut self, block: Block, op: Op) {
        let last = self.ends(block).last;
        self.link(block, op, last, None.into());
    }

    /// Puts a detached operation before one that is in a block.
    pub fn insert_before(&mut self, op: Op, next: Op) {
        let Links { block, previous, .. } = *self.links(next);
        self.link(block.expect("the next operation is attached"), op, previous, next.into());
    }

    /// Puts a detached operation after one of the block, or at the block's beginning.
    pub fn insert(&mut self, block: Block, previous: Option<Op>, op: Op) {
        let is_inside = previous.is_none_or(|previous| self.links(previous).block.expand() == Some(block));
        assert!(is_inside, "the previous operation is in the block");
        let next = previous.map_or(self.first_op(block), |previous| self.next_node(previous));
        self.link(block, op, previous.into(), next.into());
    }

    /// Moves an operation before another one, into its block.
    pub fn move_before(&mut self, op: Op, next: Op) {
        self.detach(op);
        self.insert_before(op, next);
    }

    /// Takes an operation out of its block without erasing it.
    pub fn detach(&mut self, op: Op) {
        let Links { block, previous, next, .. } = std::mem::take(self.links_mut(op));
        let Some(block) = block.expand() else { return };
        self.join(block, previous, next);
    }

    /// Moves the operations of block `from` that come after `previous`, or all of them, to the end of block `to`.
    pub fn move_ops_after(&mut self, from: Block, previous: Option<Op>, to: Block) {
        let first = previous.map_or_else(|| self.first_op(from), |previous| self.next_node(previous));
        let Some(first) = first else { return };
        let last = self.ends(from).last;
        self.join(from, previous.into(), None.into());
        let end = self.ends(to).last;
        self.join(to, end, first.into());
        self.ends_mut(to).last = last;
        let mut order = end.expand().map_or(0, |end| self.links(end).order);
        let mut moved = Some(first);
        while let Some(op) = moved {
            order += STRIDE;
            let links = self.links_mut(op);
            (links.block, links.order) = (to.into(), order);
            moved = links.next.expand();
        }
    }

    /// Moves the operations after `op` to a new block, which follows the operation's and has arguments of these types.
    pub fn split_after(&mut self, op: Op, arguments: &[Type]) -> Block {
        let block = self.op(op).parent().expect("the operation is attached");
        let rest = self.create_block(arguments);
        self.insert_block_after(block, rest);
        self.move_ops_after(block, Some(op), rest);
        rest
    }

    /// Makes two operations neighbours; where one is missing, the other is an end of the block.
    fn join(&mut self, block: Block, previous: PackedOption<Op>, next: PackedOption<Op>) {
        match previous.expand() {
            Some(previous) => self.links_mut(previous).next = next,
            None => self.ends_mut(block).first = next,
        }
        match next.expand() {
            Some(next) => self.links_mut(next).previous = previous,
            None => self.ends_mut(block).last = previous,
        }
    }

    /// Puts a detached operation between two neighbours of a block.
    fn link(&mut self, block: Block, op: Op, previous: PackedOption<Op>, next: PackedOption<Op>) {
        debug_assert!(self.links(op).block.is_none(), "operation is already attached");
        self.join(block, previous, op.into());
        self.join(block, op.into(), next);
        let before = previous.expand().map_or(0, |previous| self.links(previous).order);
        let after = next.expand().map_or(before + 2 * STRIDE, |next| self.links(next).order);
        let links = self.links_mut(op);
        (links.block, links.order) = (block.into(), before + (after - before) / 2);
        if links.order == before {
            self.make_room(block, op, before);
        }
    }

    /// Gives larger numbers than `order` to an operation and to those after it, as far as theirs are not.
    fn make_room(&mut self, block: Block, first: Op, mut order: u64) {
        let mut next = Some(first);
        for _ in 0..NEARBY {
            let Some(op) = next.filter(|&op| self.links(op).order <= order) else { return };
            order += 2;
            self.links_mut(op).order = order;
            next = self.next_node(op);
        }
        for (number, op) in (1..).zip(self.ops(block).to_vec()) {
            self.links_mut(op).order = number * STRIDE;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::Attributes;
    use crate::location::Location;

    fn body() -> (Body, Block) {
        let mut body = Body::new();
        let block = body.add_block(body.root(), &[]);
        (body, block)
    }

    fn create(body: &mut Body) -> Op {
        body.create_op("test.op", &[], &[], Attributes::new(), Location::Unknown)
    }

    /// The lists in both directions and the order numbers agree with what is expected.
    fn check(body: &Body, block: Block, expected: &[Op]) {
        assert_eq!(body.ops(block).to_vec(), expected);
        let mut backwards: Vec<Op> = body.ops(block).rev().collect();
        backwards.reverse();
        assert_eq!(backwards, expected);
        assert!(expected.iter().all(|&op| body.op(op).parent() == Some(block)));
        assert!(expected.windows(2).all(|pair| body.is_before_in_block(pair[0], pair[1])));
        assert_eq!(
            (body.first_op(block), body.terminator(block)),
            (expected.first().copied(), expected.last().copied())
        );
    }

    #[test]
    fn operations_stand_where_they_are_put() {
        let (mut body, block) = body();
        let [a, b, c, d] = [(); 4].map(|()| create(&mut body));
        body.append(block, c);
        body.insert(block, None, a);
        body.insert_before(b, c);
        body.insert(block, Some(c), d);
        check(&body, block, &[a, b, c, d]);
        let mut ends = body.ops(block);
        assert_eq!(
            [ends.next(), ends.next_back(), ends.next(), ends.next_back(), ends.next()],
            [Some(a), Some(d), Some(b), Some(c), None]
        );
        assert_eq!(body.ops_after(block, Some(b)).to_vec(), [c, d]);
        assert!(body.ops_after(block, Some(d)).is_empty());
        body.move_before(b, a);
        check(&body, block, &[b, a, c, d]);
        body.detach(b);
        check(&body, block, &[a, c, d]);
        body.detach(a);
        body.detach(d);
        check(&body, block, &[c]);
        body.erase(c);
        check(&body, block, &[]);
    }

    #[test]
    fn the_end_of_a_block_moves_to_another() {
        let (mut body, block) = body();
        let other = body.create_block(&[]);
        let ops: Vec<Op> = (0..6).map(|_| create(&mut body)).collect();
        ops[..5].iter().for_each(|&op| body.append(block, op));
        body.append(other, ops[5]);
        body.move_ops_after(block, Some(ops[2]), other);
        check(&body, block, &ops[..3]);
        check(&body, other, &[ops[5], ops[3], ops[4]]);
        body.move_ops_after(other, None, block);
        check(&body, block, &[ops[0], ops[1], ops[2], ops[5], ops[3], ops[4]]);
        check(&body, other, &[]);
        body.move_ops_after(other, None, block);
    }

    #[test]
    fn a_block_is_split() {
        let (mut body, block) = body();
        let ops = [create(&mut body), create(&mut body)];
        ops.iter().for_each(|&op| body.append(block, op));
        let end = body.split_after(ops[1], &[]);
        let middle = body.split_after(ops[0], &[Type::Index]);
        check(&body, block, &ops[..1]);
        check(&body, middle, &ops[1..]);
        check(&body, end, &[]);
        assert_eq!(body.blocks(body.root()), [block, middle, end]);
        assert_eq!(body.arguments(middle).len(), 1);
    }

    /// Order numbers grow however many operations are inserted at one place.
    #[test]
    fn any_number_of_operations_between_two() {
        let (mut body, block) = body();
        let ends = [create(&mut body), create(&mut body)];
        ends.iter().for_each(|&op| body.append(block, op));
        let (mut before, mut after) = (vec![], vec![]);
        for _ in 0..2_000 {
            let op = create(&mut body);
            body.insert_before(op, ends[1]);
            before.push(op);
            let op = create(&mut body);
            body.insert(block, Some(ends[0]), op);
            after.insert(0, op);
        }
        check(&body, block, &[&ends[..1], &after, &before, &ends[1..]].concat());
    }
}
