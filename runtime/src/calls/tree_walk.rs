//! Walks through decision trees.
//!
//! Nodes are the roots, then the two successors of each branch, side by side. A leaf has itself as second successor, and
//! its comparison never holds, so that a walk goes on without a test until it no longer moves.
//!
//! Nodes and features are read without a comparison with their bounds: there is one of each in every step, which is a
//! handful of instructions. The compiler has checked the tables ([`Trees::new`] states what), and a walk checks the rows.

use abi::TreeNode;

use super::trees::Number;

/// Walks that advance together, of rows through one tree or of one row through several trees, to hide the latency of
/// loading nodes.
pub(super) const LANES: usize = 16;
/// Steps of a walk between tests whether it still moves.
const STEPS: usize = 2;
/// A floating-point type of thresholds.
pub(super) trait Threshold: Number {
    /// The words of a node.
    type Words: Sync;

    fn nodes(words: &[i32]) -> &[Self::Words];
    fn node(words: &Self::Words) -> TreeNode<Self>;
}

impl Threshold for f32 {
    type Words = [i32; 4];

    fn nodes(words: &[i32]) -> &[[i32; 4]] {
        words.as_chunks().0
    }

    #[inline(always)]
    fn node(words: &[i32; 4]) -> TreeNode<f32> {
        TreeNode::<f32>::of_words(words)
    }
}

impl Threshold for f64 {
    type Words = [i32; 5];

    fn nodes(words: &[i32]) -> &[[i32; 5]] {
        words.as_chunks().0
    }

    #[inline(always)]
    fn node(words: &[i32; 5]) -> TreeNode<f64> {
        TreeNode::<f64>::of_words(words)
    }
}

/// The nodes of trees.
pub(super) struct Trees<'t, T: Threshold> {
    nodes: &'t [T::Words],
    /// The orders of all branches; 0 if they differ.
    orders: i64,
    /// One more than the largest feature of a node.
    features: usize,
}

impl<'t, T: Threshold> Trees<'t, T> {
    /// # Safety
    ///
    /// The features of all nodes are less than `features`. The first successor of a node and the one next to it exist;
    /// of a leaf, only the second one. No path has a cycle but that of a leaf to itself.
    pub(super) unsafe fn new(nodes: &'t [T::Words], orders: i64, features: usize) -> Trees<'t, T> {
        Trees { nodes, orders, features }
    }

    /// The size of the nodes in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.nodes)
    }

    /// The numbers of the leaves that lanes end in, each from a root. The row of a lane begins at that multiple of the
    /// stride, which is 0 if all lanes have one row.
    pub(super) fn leaves(&self, roots: [i32; LANES], rows: &[T], stride: usize) -> [usize; LANES] {
        assert!((LANES - 1) * stride + self.features <= rows.len(), "rows have all features");
        assert!(roots.iter().all(|&root| (root as usize) < self.nodes.len()), "roots are nodes");
        match self.orders {
            1 => self.leaves_where(roots, rows, stride, |_, feature, value| feature < value),
            3 => self.leaves_where(roots, rows, stride, |_, feature, value| feature <= value),
            _ => self.leaves_where(roots, rows, stride, holds),
        }
    }

    /// Steps are branch-free, because the branches are unpredictable.
    #[inline(always)]
    fn leaves_where(
        &self,
        roots: [i32; LANES],
        rows: &[T],
        stride: usize,
        holds: impl Fn(i32, T, T) -> bool,
    ) -> [usize; LANES] {
        // SAFETY: a walk begins at nodes and goes on to successors, which exist.
        let node = |at: i32| T::node(unsafe { self.nodes.get_unchecked(at as u32 as usize) });
        // SAFETY: features are less than the number that each lane's row has.
        let feature =
            |lane: usize, feature: i32| unsafe { *rows.get_unchecked(lane * stride + feature as u32 as usize) };
        let mut at = roots;
        loop {
            let mut moved = 0;
            for _ in 0..STEPS {
                moved = 0;
                for (lane, at) in at.iter_mut().enumerate() {
                    let node = node(*at);
                    let next = node.first + i32::from(!holds(node.orders(), feature(lane, node.feature), node.value));
                    moved |= *at ^ next;
                    *at = next;
                }
            }
            if moved == 0 {
                break;
            }
        }
        let mut leaves = [0; LANES];
        for (leaf, at) in leaves.iter_mut().zip(at) {
            *leaf = node(at).leaf_number() as usize;
        }
        leaves
    }
}

/// Whether the order of two numbers is in a set of orders.
fn holds<T: Number>(orders: i32, feature: T, value: T) -> bool {
    let (less, greater, unordered) = (feature < value, feature > value, feature.is_nan() | value.is_nan());
    let order = 1 - i32::from(less) + i32::from(greater) + 2 * i32::from(unordered);
    (orders >> order) & 1 != 0
}
