//! Decision trees as flat arrays, which the runtime's routine `trees` walks.
//!
//! A reference is the index of an inner node, or the complement of the index of a leaf. All references are valid, and
//! no path has a cycle.

use std::sync::Arc;

use abi::TreeNode;
use ir::{DenseElements, Type};
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::constant_arrays::{floats, words};

/// Rows whose sums are kept at the same time.
const ROWS: usize = 64;
/// The maximum number of nodes in the lists, so that leaves and the successors of branches can be numbered.
const NODES: usize = TreeNode::LEAVES;

/// The index of each node in the lists, by tree and number.
type Places = FxHashMap<(i64, i64), usize>;

/// How a node compares its feature with its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    LessOrEqual,
    Less,
    GreaterOrEqual,
    Greater,
    Equal,
    NotEqual,
    /// Member of a set.
    Member,
}

impl Mode {
    /// The mode with that number in `TreeEnsemble`.
    pub(super) fn numbered(number: i64) -> Option<Mode> {
        const MODES: [Mode; 7] = [
            Mode::LessOrEqual,
            Mode::Less,
            Mode::GreaterOrEqual,
            Mode::Greater,
            Mode::Equal,
            Mode::NotEqual,
            Mode::Member,
        ];
        MODES.get(usize::try_from(number).ok()?).copied()
    }

    /// The mode with that name in the older operators; `None` for a leaf.
    pub(super) fn named(name: &str) -> Result<Option<Mode>, String> {
        Ok(Some(match name {
            "BRANCH_LEQ" => Mode::LessOrEqual,
            "BRANCH_LT" => Mode::Less,
            "BRANCH_GTE" => Mode::GreaterOrEqual,
            "BRANCH_GT" => Mode::Greater,
            "BRANCH_EQ" => Mode::Equal,
            "BRANCH_NEQ" => Mode::NotEqual,
            "LEAF" => return Ok(None),
            _ => {
                return Err(format!(
                    "a node has mode \"{name}\", expected LEAF or BRANCH_LEQ, _LT, _GTE, _GT, _EQ, _NEQ"
                ));
            }
        }))
    }
}

/// How the weights of a target are aggregated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregate {
    Average,
    Sum,
    Min,
    Max,
}

impl Aggregate {
    /// The name in the older operators.
    pub(super) fn named(name: &str) -> Option<Aggregate> {
        Some(match name {
            "AVERAGE" => Aggregate::Average,
            "SUM" => Aggregate::Sum,
            "MIN" => Aggregate::Min,
            "MAX" => Aggregate::Max,
            _ => return None,
        })
    }

    /// The number in `TreeEnsemble`.
    pub(super) fn numbered(number: i64) -> Option<Aggregate> {
        const AGGREGATES: [Aggregate; 4] = [Aggregate::Average, Aggregate::Sum, Aggregate::Min, Aggregate::Max];
        AGGREGATES.get(usize::try_from(number).ok()?).copied()
    }
}

/// An inner node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    pub(super) feature: i64,
    pub(super) mode: Mode,
    pub(super) value: f64,
    /// The successors if the comparison holds, and if not.
    pub(super) ways: [i32; 2],
    /// Whether the comparison holds for a missing feature.
    pub(super) missing_holds: bool,
}

impl Branch {
    /// The orders of feature and value for which the comparison holds: 1 for less, 2 for equal, 4 for greater, 8 for
    /// unordered.
    fn orders(&self) -> i32 {
        let ordered = match self.mode {
            Mode::LessOrEqual => 3,
            Mode::Less => 1,
            Mode::GreaterOrEqual => 6,
            Mode::Greater => 4,
            Mode::Equal => 2,
            Mode::NotEqual => 13,
            Mode::Member => unreachable!("sets are compared with one by one"),
        };
        ordered | i32::from(self.missing_holds) << 3
    }
}

/// A set of trees that are aggregated.
#[derive(Clone, Debug)]
pub(super) struct Forest {
    pub(super) branches: Vec<Branch>,
    pub(super) roots: Vec<i32>,
    /// The first weight of each leaf, and after the last leaf the number of weights.
    pub(super) leaves: Vec<i32>,
    /// The target of each weight.
    pub(super) targets: Arc<[i64]>,
    pub(super) weights: Vec<f64>,
    /// The initial value of each target; empty for zeros.
    pub(super) base: Vec<f64>,
    pub(super) target_count: i64,
    pub(super) aggregate: Aggregate,
}

impl Forest {
    /// Checks that each reference is valid, and every path ends.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.target_count < 1 {
            return Err("it has no targets".to_string());
        }
        // a sum for each, for several rows
        let sums = usize::try_from(self.target_count).unwrap_or(usize::MAX);
        limits::ask_for(sums, ROWS * size_of::<f64>())
            .map_err(|shortage| format!("it has {} targets: {shortage}", self.target_count))?;
        let leaf_count = self.leaves.len() - 1;
        let exists = |reference: i32| match usize::try_from(reference) {
            Ok(branch) => branch < self.branches.len(),
            Err(_) => (!reference as usize) < leaf_count,
        };
        let references = self.branches.iter().flat_map(|branch| branch.ways).chain(self.roots.iter().copied());
        if !references.into_iter().all(exists) {
            return Err("a node leads to one that does not exist".to_string());
        }
        if self.branches.iter().any(|branch| !(0..=i64::from(i32::MAX)).contains(&branch.feature)) {
            return Err("a node looks at a feature of negative number".to_string());
        }
        if let Some(target) = self.targets.iter().find(|target| !(0..self.target_count).contains(*target)) {
            return Err(format!("a leaf has a weight for target {target}, expected 0 to {}", self.target_count - 1));
        }
        if ![0, self.target_count].contains(&(self.base.len() as i64)) {
            return Err(format!("there are {} base values for {} targets", self.base.len(), self.target_count));
        }
        self.check_paths()
    }

    /// A depth-first walk from every node, without recursion: a node that is met again on the path to itself is a
    /// cycle. (A tree whose root is in a cycle seems to begin at another node.)
    fn check_paths(&self) -> Result<(), String> {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            New,
            Open,
            Done,
        }
        let mut visits = vec![Visit::New; self.branches.len()];
        let mut stack: Vec<usize> = (0..self.branches.len()).collect();
        while let Some(&branch) = stack.last() {
            if visits[branch] != Visit::New {
                visits[branch] = Visit::Done;
                stack.pop();
                continue;
            }
            visits[branch] = Visit::Open;
            for next in self.branches[branch].ways.into_iter().filter_map(|way| usize::try_from(way).ok()) {
                match visits[next] {
                    Visit::New => stack.push(next),
                    Visit::Open => return Err("a node leads back to itself".to_string()),
                    Visit::Done => {}
                }
            }
        }
        Ok(())
    }

    /// One more than the largest feature index of a node.
    pub(super) fn feature_count(&self) -> i64 {
        self.branches.iter().map(|branch| branch.feature + 1).max().unwrap_or(0)
    }

    /// The orders for which the comparisons of all nodes hold; 0 if they differ.
    pub(super) fn common_orders(&self) -> i64 {
        let mut orders = self.branches.iter().map(Branch::orders);
        let first = orders.next().unwrap_or_default();
        if orders.all(|other| other == first) { first.into() } else { 0 }
    }

    /// The arrays in the order of the routine's operands, with the given float type.
    pub(super) fn tables(&self, element: &Type) -> [DenseElements; 5] {
        let nodes = match *element {
            Type::F64 => words(self.nodes().flat_map(TreeNode::<f64>::words)),
            _ => words(self.nodes().flat_map(|node| node.narrow().words())),
        };
        let list = |entries: &[i32]| words(entries.iter().copied());
        let target_count = self.target_count as usize;
        let base = match self.base.as_slice() {
            [] => vec![0.0; target_count],
            _ => self.base.clone(),
        };
        let targets: Vec<i32> = self.targets.iter().map(|&target| target as i32).collect();
        let has_each = |count: usize| (0..).step_by(count).zip(&self.leaves).all(|(index, &first)| first == index);
        let has_all_in_order =
            || targets.chunks(target_count).all(|targets| (0..).zip(targets).all(|(at, &target)| at == target));
        // regular leaves need no indices
        let (leaves, targets) = match has_each(target_count) && has_all_in_order() {
            true => (&[][..], &[][..]),
            false if has_each(1) => (&[][..], &targets[..]),
            false => (&self.leaves[..], &targets[..]),
        };
        let weights = floats(self.weights.iter().copied(), element);
        [nodes, list(leaves), list(targets), weights, floats(base.into_iter(), element)]
    }

    /// The nodes as the routine has them: the roots, then the successors of each branch, side by side. A node with
    /// several predecessors is there several times.
    fn nodes(&self) -> impl Iterator<Item = TreeNode<f64>> {
        let references = self.roots.iter().copied().chain(self.branches.iter().flat_map(|branch| branch.ways));
        (0..).zip(references).map(|(index, reference)| match usize::try_from(reference) {
            Ok(number) => {
                let branch = &self.branches[number];
                let first = (self.roots.len() + 2 * number) as i32;
                TreeNode::branch(branch.feature as i32, first, branch.orders(), branch.value)
            }
            Err(_) => TreeNode::leaf(!reference, index),
        })
    }
}

/// The lists of the older operators.
pub(super) struct Lists {
    pub(super) trees: Arc<[i64]>,
    pub(super) nodes: Arc<[i64]>,
    pub(super) modes: Vec<Arc<str>>,
    pub(super) features: Arc<[i64]>,
    pub(super) values: Vec<f64>,
    pub(super) ways: [Arc<[i64]>; 2],
    pub(super) missing_holds: Arc<[i64]>,
    /// Tree, node, and target of each weight.
    pub(super) weight_trees: Arc<[i64]>,
    pub(super) weight_nodes: Arc<[i64]>,
    pub(super) weight_targets: Arc<[i64]>,
    pub(super) weights: Vec<f64>,
}

impl Lists {
    /// The trees, with the operator's options for all of them.
    pub(super) fn forest(self, base: Vec<f64>, target_count: i64, aggregate: Aggregate) -> Result<Forest, String> {
        let count = self.nodes.len();
        let node_lists = [self.trees.len(), self.modes.len(), self.features.len(), self.values.len()];
        let weight_lists = [self.weight_trees.len(), self.weight_nodes.len(), self.weight_targets.len()];
        let ways = [self.ways[0].len(), self.ways[1].len()];
        if node_lists.iter().chain(&ways).any(|&length| length != count)
            || weight_lists.iter().any(|&length| length != self.weights.len())
            || ![0, count].contains(&self.missing_holds.len())
        {
            return Err("the lists of its nodes, or of its weights, differ in length".to_string());
        }
        if count > NODES || self.weights.len() >= i32::MAX as usize {
            return Err("it has more nodes than can be numbered".to_string());
        }
        let (numbers, references) = self.references()?;
        let (leaves, order) = self.leaves(&numbers, &references)?;
        let (branches, is_child) = self.branches(&numbers, &references)?;
        let roots = self.roots(&references, &is_child)?;
        let targets = order.iter().map(|&at| self.weight_targets[at]).collect();
        let weights = order.iter().map(|&at| self.weights[at]).collect();
        let forest = Forest { branches, roots, leaves, targets, weights, base, target_count, aggregate };
        forest.check()?;
        Ok(forest)
    }

    /// The index of each node in the lists by tree and number, and the reference to it.
    fn references(&self) -> Result<(Places, Vec<i32>), String> {
        let mut numbers = Places::with_capacity_and_hasher(self.nodes.len(), FxBuildHasher);
        let mut references = Vec::with_capacity(self.nodes.len());
        let (mut branches, mut leaves) = (0, 0);
        for (at, mode) in self.modes.iter().enumerate() {
            if numbers.insert((self.trees[at], self.nodes[at]), at).is_some() {
                return Err(format!("node {} of tree {} is there twice", self.nodes[at], self.trees[at]));
            }
            let next = if **mode == *"LEAF" { &mut leaves } else { &mut branches };
            references.push(if **mode == *"LEAF" { !*next } else { *next });
            *next += 1;
        }
        Ok((numbers, references))
    }

    /// The first weight of each leaf, and the weights in the order of their leaves.
    fn leaves(&self, numbers: &Places, references: &[i32]) -> Result<(Vec<i32>, Vec<usize>), String> {
        let leaf_count = references.iter().filter(|&&reference| reference < 0).count();
        let mut owners = Vec::with_capacity(self.weights.len());
        let mut starts = vec![0i32; leaf_count + 1];
        let mut last = None;
        for (&tree, &node) in self.weight_trees.iter().zip(self.weight_nodes.iter()) {
            // the weights of a leaf are usually consecutive
            let known = last.filter(|&(place, _)| place == (tree, node)).map(|(_, owner)| owner);
            let owner = known.or_else(|| numbers.get(&(tree, node)).map(|&at| references[at]));
            let owner =
                owner.ok_or_else(|| format!("a weight is at node {node} of tree {tree}, which does not exist"))?;
            last = Some(((tree, node), owner));
            // weights of an inner node are never reached
            let leaf = (owner < 0).then_some(!owner as usize);
            leaf.into_iter().for_each(|leaf| starts[leaf + 1] += 1);
            owners.push(leaf);
        }
        for leaf in 0..leaf_count {
            starts[leaf + 1] += starts[leaf];
        }
        let mut next = starts.clone();
        let mut order = vec![0; starts[leaf_count] as usize];
        for (at, leaf) in owners.into_iter().enumerate() {
            if let Some(leaf) = leaf {
                order[next[leaf] as usize] = at;
                next[leaf] += 1;
            }
        }
        Ok((starts, order))
    }

    /// The inner nodes, and whether each node is a child.
    fn branches(&self, numbers: &Places, references: &[i32]) -> Result<(Vec<Branch>, Vec<bool>), String> {
        let mut branches = Vec::with_capacity(references.iter().filter(|&&reference| reference >= 0).count());
        let mut is_child = vec![false; self.nodes.len()];
        for at in (0..self.nodes.len()).filter(|&at| references[at] >= 0) {
            let tree = self.trees[at];
            let mut way = |list: &[i64]| {
                let below = numbers.get(&(tree, list[at])).copied();
                let below = below.ok_or_else(|| {
                    format!("node {} of tree {tree} leads to node {}, which does not exist", self.nodes[at], list[at])
                })?;
                is_child[below] = true;
                Ok::<_, String>(references[below])
            };
            branches.push(Branch {
                feature: self.features[at],
                mode: Mode::named(&self.modes[at])?.expect("leaves have other references"),
                value: self.values[at],
                ways: [way(&self.ways[0])?, way(&self.ways[1])?],
                missing_holds: self.missing_holds.get(at).is_some_and(|&holds| holds != 0),
            });
        }
        Ok((branches, is_child))
    }

    /// The first node of each tree that is not a child.
    fn roots(&self, references: &[i32], is_child: &[bool]) -> Result<Vec<i32>, String> {
        let mut roots = ir::IndexMap::default();
        for (at, &tree) in self.trees.iter().enumerate() {
            // the nodes of a tree are usually consecutive, and one of them is its root
            if is_child[at] && at > 0 && self.trees[at - 1] == tree {
                continue;
            }
            let root = roots.entry(tree).or_insert(None);
            if root.is_none() && !is_child[at] {
                *root = Some(references[at]);
            }
        }
        let root = |(tree, root): (i64, Option<i32>)| root.ok_or_else(|| format!("tree {tree} has no root"));
        roots.into_iter().map(root).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree: node 0 has the given children, node 1 is a branch with leaves 2 and 3.
    fn lists(first: [i64; 2]) -> Lists {
        let modes = ["BRANCH_LEQ", "BRANCH_LT", "LEAF", "LEAF"];
        Lists {
            trees: [0; 4].into(),
            nodes: [0, 1, 2, 3].into(),
            modes: modes.map(Arc::from).to_vec(),
            features: [0, 1, 0, 0].into(),
            values: vec![0.5; 4],
            ways: [[first[0], 2, 0, 0].into(), [first[1], 3, 0, 0].into()],
            missing_holds: [].into(),
            weight_trees: [0; 3].into(),
            weight_nodes: [3, 2, 3].into(),
            weight_targets: [0, 0, 1].into(),
            weights: vec![1.0, 2.0, 3.0],
        }
    }

    fn forest(lists: Lists) -> Result<Forest, String> {
        lists.forest(vec![], 2, Aggregate::Sum)
    }

    #[test]
    fn weights_stand_in_the_order_of_leaves() {
        let forest = forest(lists([1, 2])).expect("a tree");
        assert_eq!((&*forest.roots, &*forest.leaves), (&[0][..], &[0, 1, 3][..]));
        assert_eq!((&*forest.weights, &*forest.targets), (&[2.0, 1.0, 3.0][..], &[0, 0, 1][..]));
        assert_eq!(forest.branches[0].ways, [1, !0]);
        assert_eq!(forest.feature_count(), 2);
    }

    #[test]
    fn successors_stand_side_by_side_and_leaves_lead_to_themselves() {
        let forest = forest(lists([1, 2])).expect("a tree");
        let first: Vec<i32> = forest.nodes().map(|node| node.first).collect();
        assert_eq!(first, [1, 3, 1, 2, 3]);
        let branches: Vec<[i32; 2]> = forest.nodes().take(2).map(|node| [node.feature, node.orders()]).collect();
        assert_eq!(branches, [[0, 3], [1, 1]]);
        let leaves: Vec<u32> = forest.nodes().skip(2).map(|node| node.leaf_number()).collect();
        assert_eq!(leaves, [0, 0, 1]);
        // a leaf has two weights, so the indices of all are needed
        let counts = |forest: &Forest| forest.tables(&Type::F32).map(|table| table.element_count());
        assert_eq!(counts(&forest), [5 * 4, 3, 3, 3, 2]);
        let one = Forest { leaves: vec![0, 1, 2], ..forest.clone() };
        assert_eq!(counts(&one), [5 * 4, 0, 3, 3, 2]);
        let dense = Forest { leaves: vec![0, 2, 4], targets: [0, 1, 0, 1].into(), weights: vec![0.0; 4], ..forest };
        assert_eq!(counts(&dense), [5 * 4, 0, 0, 4, 2]);
    }

    #[test]
    fn paths_end() {
        let message = |lists: Lists| forest(lists).expect_err("no tree");
        assert_eq!(message(lists([1, 7])), "node 0 of tree 0 leads to node 7, which does not exist");
        let mut circle = lists([1, 2]);
        circle.ways[0] = [1, 1, 0, 0].into();
        assert_eq!(message(circle), "a node leads back to itself");
        assert_eq!(message(lists([0, 2])), "a node leads back to itself");
        assert_eq!(message(Lists { nodes: [0, 1, 2, 2].into(), ..lists([1, 2]) }), "node 2 of tree 0 is there twice");
        assert_eq!(
            message(Lists { weight_targets: [0, 0, 2].into(), ..lists([1, 2]) }),
            "a leaf has a weight for target 2, expected 0 to 1"
        );
    }
}
