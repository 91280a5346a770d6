//! Divides a graph into parts that are taken, each of which becomes one node.
//!
//! The graph in which each part is one node must have no cycle: no path from a node of a part to another one of it leads through nodes
//! outside of it, nor do two parts depend on each other. The *stage* of a node guarantees that: it is larger than that of any taken node which it depends
//! on through a node that is not taken. Nodes of one stage that are connected form a part.

/// The parts of a graph whose nodes are in topological order, as increasing indices of nodes. `producers` has, for each node, the nodes
/// that its inputs are from; `is_taken` whether it may be in a part.
pub fn parts(producers: &[Vec<usize>], is_taken: &[bool]) -> Vec<Vec<usize>> {
    let stages = stages(producers, is_taken);
    let mut roots: Vec<usize> = (0..producers.len()).collect();
    for (node, inputs) in producers.iter().enumerate() {
        for &input in inputs {
            if is_taken[node] && is_taken[input] && stages[node] == stages[input] {
                let (a, b) = (root(&mut roots, node), root(&mut roots, input));
                roots[a.max(b)] = a.min(b);
            }
        }
    }
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); producers.len()];
    for node in (0..producers.len()).filter(|&node| is_taken[node]) {
        parts[root(&mut roots, node)].push(node);
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// The stage of each node. A node that depends on no taken node has the stage 0 if it is not taken.
fn stages(producers: &[Vec<usize>], is_taken: &[bool]) -> Vec<usize> {
    let mut stages: Vec<usize> = Vec::with_capacity(producers.len());
    for (node, inputs) in producers.iter().enumerate() {
        // a node that is not taken has the last stage it depends on; stages of taken nodes begin with 1
        let after = |&input: &usize| stages[input] + usize::from(is_taken[node] && !is_taken[input]);
        let first = usize::from(is_taken[node]);
        stages.push(inputs.iter().map(after).max().unwrap_or(0).max(first));
    }
    stages
}

/// The representative of a node's set.
fn root(roots: &mut [usize], mut node: usize) -> usize {
    while roots[node] != node {
        roots[node] = roots[roots[node]];
        node = roots[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the graph in which each part is one node has no cycle.
    fn is_acyclic(producers: &[Vec<usize>], parts: &[Vec<usize>]) -> bool {
        let count = producers.len();
        let part_of =
            |node: usize| parts.iter().position(|part| part.contains(&node)).map_or(node, |part| count + part);
        let mut edges: Vec<(usize, usize)> = Vec::new();
        for (node, inputs) in producers.iter().enumerate() {
            edges.extend(inputs.iter().map(|&input| (part_of(input), part_of(node))).filter(|(from, to)| from != to));
        }
        let mut open: Vec<usize> = (0..count).map(part_of).collect();
        loop {
            let is_free = |node: &usize| !edges.iter().any(|(_, to)| to == node);
            let Some(at) = open.iter().position(is_free) else { return open.is_empty() };
            let node = open.swap_remove(at);
            open.retain(|&other| other != node);
            edges.retain(|&(from, _)| from != node);
        }
    }

    #[test]
    fn a_node_that_is_left_out_divides_a_chain() {
        let chain = [vec![], vec![0], vec![1], vec![2]];
        assert_eq!(parts(&chain, &[true, true, false, true]), [vec![0, 1], vec![3]]);
        assert_eq!(parts(&chain, &[true; 4]), [vec![0, 1, 2, 3]]);
    }

    #[test]
    fn a_bypass_of_a_node_that_is_left_out_is_cut() {
        // 0 → 1 → 2 and 0 → 2, where 1 is left out
        let diamond = [vec![], vec![0], vec![0, 1]];
        assert_eq!(parts(&diamond, &[true, false, true]), [vec![0], vec![2]]);
    }

    #[test]
    fn nodes_that_are_left_out_at_the_beginning_divide_nothing() {
        let graph = [vec![], vec![], vec![0], vec![1, 2]];
        assert_eq!(parts(&graph, &[false, true, true, true]), [vec![1, 2, 3]]);
    }

    #[test]
    fn parts_of_random_graphs_form_no_cycle() {
        let mut state = 1u64;
        let mut next = move |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        for _ in 0..2000 {
            let count = 1 + next(14);
            let producers: Vec<Vec<usize>> =
                (0..count).map(|node| (0..next(3)).filter(|_| node > 0).map(|_| next(node.max(1))).collect()).collect();
            let is_taken: Vec<bool> = (0..count).map(|_| next(3) > 0).collect();
            let parts = parts(&producers, &is_taken);
            let mut all: Vec<usize> = parts.concat();
            all.sort_unstable();
            assert_eq!(all, (0..count).filter(|&node| is_taken[node]).collect::<Vec<_>>());
            assert!(is_acyclic(&producers, &parts), "{producers:?} {is_taken:?} {parts:?}");
        }
    }
}
