//! Dominators of a region's blocks, by the iterative algorithm of Cooper, Harvey and Kennedy.

use cranelift_entity::SecondaryMap;

use crate::body::{Block, Body, Region};

/// The dominator tree of one region.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// Position in reverse post order plus one; zero when not reachable.
    order: SecondaryMap<Block, u32>,
    immediate: SecondaryMap<Block, Option<Block>>,
    /// When a walk over the dominator tree enters and leaves a block.
    visits: SecondaryMap<Block, (u32, u32)>,
}

impl Dominators {
    /// Computes the dominators of all blocks reachable from the entry.
    pub fn of_region(body: &Body, region: Region) -> Dominators {
        let mut dominators =
            Dominators { order: SecondaryMap::new(), immediate: SecondaryMap::new(), visits: SecondaryMap::new() };
        let Some(&entry) = body.blocks(region).first() else { return dominators };
        let reverse_post_order = reverse_post_order(body, entry);
        let mut predecessors: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for (at, &block) in reverse_post_order.iter().enumerate() {
            dominators.order[block] = at as u32 + 1;
            for &successor in successors(body, block) {
                predecessors[successor].push(block);
            }
        }
        dominators.immediate[entry] = Some(entry);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &reverse_post_order[1..] {
                let known = predecessors[block].iter().copied().filter(|&p| dominators.immediate[p].is_some());
                let nearest = known.reduce(|a, b| dominators.common(a, b));
                if dominators.immediate[block] != nearest {
                    dominators.immediate[block] = nearest;
                    changed = true;
                }
            }
        }
        dominators.visit(entry, &reverse_post_order[1..]);
        dominators
    }

    fn visit(&mut self, entry: Block, others: &[Block]) {
        let mut children: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for &block in others {
            children[self.immediate[block].expect("reachable blocks have a dominator")].push(block);
        }
        let mut pending = vec![(entry, false)];
        let mut time = 0;
        while let Some((block, done)) = pending.pop() {
            time += 1;
            if done {
                self.visits[block].1 = time;
            } else {
                self.visits[block].0 = time;
                pending.push((block, true));
                pending.extend(children[block].iter().map(|&child| (child, false)));
            }
        }
    }

    /// The nearest block that dominates both.
    fn common(&self, mut a: Block, mut b: Block) -> Block {
        while a != b {
            while self.order[a] > self.order[b] {
                a = self.immediate[a].expect("processed blocks have a dominator");
            }
            while self.order[b] > self.order[a] {
                b = self.immediate[b].expect("processed blocks have a dominator");
            }
        }
        a
    }

    /// Whether the entry reaches `block`.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.order[block] > 0
    }

    /// Whether every path from the entry to `below` passes `above`. True for every `below` that is not reachable.
    pub fn dominates(&self, above: Block, below: Block) -> bool {
        if !self.is_reachable(below) {
            return true;
        }
        let ((enter, leave), inner) = (self.visits[above], self.visits[below]);
        self.is_reachable(above) && enter <= inner.0 && inner.1 <= leave
    }
}

fn successors(body: &Body, block: Block) -> &[Block] {
    body.terminator(block).map_or(&[], |end| body.op(end).successors())
}

fn reverse_post_order(body: &Body, entry: Block) -> Vec<Block> {
    let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut order = Vec::new();
    let mut stack = vec![(entry, 0)];
    seen[entry] = true;
    while let Some((block, next)) = stack.pop() {
        match successors(body, block).get(next) {
            None => order.push(block),
            Some(&successor) => {
                stack.push((block, next + 1));
                if !seen[successor] {
                    seen[successor] = true;
                    stack.push((successor, 0));
                }
            }
        }
    }
    order.reverse();
    order
}
