//! The nodes of decision trees, which the compiler writes and the routine `trees` reads.

/// The bits of a node's tag that are orders; the others are the number of a leaf.
const ORDERS: u32 = 4;

/// A node of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeNode<T> {
    /// The feature that is compared.
    pub feature: i32,
    /// The first successor, if the comparison of the feature with the value holds; the second one is next to it.
    pub first: i32,
    tag: i32,
    /// The value that the feature is compared with.
    pub value: T,
}

impl<T> TreeNode<T> {
    /// A node that compares. `orders` are those of feature and value for which the comparison holds: 1 for less, 2 for
    /// equal, 4 for greater, 8 for unordered.
    pub fn branch(feature: i32, first: i32, orders: i32, value: T) -> TreeNode<T> {
        TreeNode { feature, first, tag: orders, value }
    }

    /// The orders for which the comparison holds; of a leaf, none.
    #[inline(always)]
    pub fn orders(&self) -> i32 {
        self.tag & ((1 << ORDERS) - 1)
    }

    /// The number of a leaf.
    #[inline(always)]
    pub fn leaf_number(&self) -> u32 {
        (self.tag >> ORDERS) as u32
    }
}

impl TreeNode<f64> {
    /// The number of leaves that can be numbered.
    pub const LEAVES: usize = 1 << (i32::BITS - 1 - ORDERS);

    /// A leaf, with its number and the index of its node. No comparison with NaN holds for the orders of a leaf, so that
    /// its second successor is the leaf itself.
    pub fn leaf(number: i32, index: i32) -> TreeNode<f64> {
        TreeNode { feature: 0, first: index - 1, tag: number << ORDERS, value: f64::NAN }
    }

    /// The node with a value of 32 bits.
    pub fn narrow(self) -> TreeNode<f32> {
        TreeNode { feature: self.feature, first: self.first, tag: self.tag, value: self.value as f32 }
    }

    /// The words of the node.
    pub fn words(self) -> [i32; 5] {
        let bits = self.value.to_bits();
        [self.feature, self.first, self.tag, bits as i32, (bits >> 32) as i32]
    }

    /// The node with these words.
    #[inline(always)]
    pub fn of_words(&[feature, first, tag, low, high]: &[i32; 5]) -> TreeNode<f64> {
        let value = f64::from_bits(u64::from(low as u32) | u64::from(high as u32) << 32);
        TreeNode { feature, first, tag, value }
    }
}

impl TreeNode<f32> {
    /// The words of the node.
    pub fn words(self) -> [i32; 4] {
        [self.feature, self.first, self.tag, self.value.to_bits() as i32]
    }

    /// The node with these words.
    #[inline(always)]
    pub fn of_words(&[feature, first, tag, value]: &[i32; 4]) -> TreeNode<f32> {
        TreeNode { feature, first, tag, value: f32::from_bits(value as u32) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_as_they_were_written() {
        let node = TreeNode::branch(7, 12, 9, -0.1f64);
        assert_eq!(TreeNode::<f64>::of_words(&node.words()), node);
        assert_eq!(TreeNode::<f32>::of_words(&node.narrow().words()), node.narrow());
        assert_eq!((node.narrow().value, node.orders()), (-0.1f32, 9));
        let leaf = TreeNode::<f32>::of_words(&TreeNode::leaf(TreeNode::LEAVES as i32 - 1, 5).narrow().words());
        assert_eq!((leaf.leaf_number() as usize, leaf.first + 1, leaf.orders()), (TreeNode::LEAVES - 1, 5, 0));
        assert!(leaf.value.is_nan());
    }
}
