//! Extraction: chooses one node per class such that the total cost of everything the roots need is minimal, with shared
//! nodes counted once.
//!
//! The cost of a class is that of the set of classes that its choice needs, computed bottom-up. Then single choices are
//! changed as long as the total becomes cheaper. Choices are only compared by the total cost, so that the result is
//! never more expensive than the original graph.

use std::collections::VecDeque;

use egg::{Id, Language};
use ir::IndexMap;

use crate::Extraction;
use crate::cost;
use crate::graph::Graph;
use crate::language::Node;

/// The effort for trying other choices, in visited classes.
const IMPROVEMENT_STEPS: usize = 4_000_000;

/// One node per class, by index into the class's nodes.
pub(crate) type Choice = Vec<Option<usize>>;

/// The classes of an e-graph in arrays.
pub(crate) struct Extractor {
    /// The index of each canonical class.
    index: IndexMap<Id, usize>,
    /// Nodes of each class: cost and children.
    nodes: Vec<Vec<(f64, Vec<usize>)>>,
    roots: Vec<usize>,
}

impl Extractor {
    /// The classes that are reachable from the roots, with the costs by which one is to be chosen.
    pub(crate) fn new(graph: &Graph<'_>, roots: &[Id], extraction: Extraction) -> Extractor {
        let mut extractor = Extractor { index: IndexMap::default(), nodes: Vec::new(), roots: Vec::new() };
        extractor.roots = roots.iter().map(|&root| extractor.place(graph.egraph.find(root))).collect();
        let mut at = 0;
        while let Some((&class, _)) = extractor.index.get_index(at) {
            let nodes: Vec<(f64, Vec<usize>)> = graph.egraph[class]
                .nodes
                .iter()
                .enumerate()
                .map(|(index, node)| {
                    let children = node.children().iter().map(|&child| extractor.place(graph.egraph.find(child)));
                    (weighed(cost::of(graph, class, node), extraction, (at, index)), children.collect())
                })
                .collect();
            extractor.nodes.push(nodes);
            at += 1;
        }
        extractor
    }

    fn place(&mut self, class: Id) -> usize {
        let next = self.index.len();
        *self.index.entry(class).or_insert(next)
    }

    /// The number of reachable classes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The class with an index.
    pub(crate) fn class(&self, place: usize) -> Id {
        *self.index.get_index(place).expect("places are dense").0
    }

    /// The node chosen for a class.
    pub(crate) fn chosen<'g>(&self, graph: &'g Graph<'_>, choice: &Choice, class: Id) -> &'g Node {
        let place = self.index[&class];
        &graph.egraph[class].nodes[choice[place].expect("the roots' operands are chosen")]
    }

    /// The best choice found, never more expensive than `original`. `None` if there is no valid choice.
    pub(crate) fn best(&self, original: Choice) -> Option<Choice> {
        let mut best = original;
        let mut cost = self.cost(&best).map_or(f64::INFINITY, |(cost, _)| cost);
        let candidate = self.greedy();
        if let Some((found, _)) = self.cost(&candidate)
            && found < cost
        {
            (best, cost) = (candidate.clone(), found);
        }
        // an improvement may need classes that the best choice does not
        best.iter_mut().zip(&candidate).for_each(|(best, found)| *best = best.or(*found));
        cost.is_finite().then(|| self.improve(best))
    }

    /// The classes that the roots need, children before readers, and their cost. `None` if the choice has a cycle or is
    /// incomplete.
    pub(crate) fn cost(&self, choice: &Choice) -> Option<(f64, Vec<usize>)> {
        let mut order = Vec::new();
        let mut total = 0.0;
        // 0 not visited, 1 in progress, 2 done
        let mut state = vec![0u8; self.nodes.len()];
        let mut pending: Vec<(usize, bool)> = self.roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((place, leaving)) = pending.pop() {
            if leaving {
                state[place] = 2;
                order.push(place);
                continue;
            }
            match state[place] {
                0 => {}
                1 => return None,
                _ => continue,
            }
            state[place] = 1;
            let (cost, children) = &self.nodes[place][choice[place]?];
            total += cost;
            pending.push((place, true));
            for &child in children.iter().rev() {
                match state[child] {
                    0 => pending.push((child, false)),
                    1 => return None,
                    _ => {}
                }
            }
        }
        Some((total, order))
    }

    /// Bottom-up: the set of classes that each class needs, with costs counted once.
    fn greedy(&self) -> Choice {
        let parents = self.parents();
        let mut set = vec![0; self.nodes.len().div_ceil(64)];
        let mut choice: Choice = vec![None; self.nodes.len()];
        let mut sets: Vec<Option<(f64, Vec<u64>)>> = vec![None; self.nodes.len()];
        let mut own = vec![0.0; self.nodes.len()];
        let mut queue: VecDeque<usize> = (0..self.nodes.len()).rev().collect();
        let mut queued = vec![true; self.nodes.len()];
        // a class changes only if it becomes cheaper; the fuel guards against rounding errors
        let mut fuel = 8 * self.nodes.len() + 64;
        while let Some(place) = queue.pop_front() {
            queued[place] = false;
            fuel = match fuel.checked_sub(1) {
                Some(fuel) => fuel,
                None => break,
            };
            let mut changed = false;
            for (index, (cost, children)) in self.nodes[place].iter().enumerate() {
                let Some(below) = union(children, &sets, &own, &mut set) else { continue };
                if set[place / 64] >> (place % 64) & 1 == 1 {
                    continue;
                }
                let total = cost + below;
                if sets[place].as_ref().is_none_or(|(known, _)| total < known * (1.0 - 1e-9)) {
                    set[place / 64] |= 1 << (place % 64);
                    sets[place] = Some((total, set.clone()));
                    own[place] = *cost;
                    choice[place] = Some(index);
                    changed = true;
                }
            }
            if changed {
                for &parent in &parents[place] {
                    if !std::mem::replace(&mut queued[parent], true) {
                        queue.push_back(parent);
                    }
                }
            }
        }
        choice
    }

    fn parents(&self) -> Vec<Vec<usize>> {
        let mut parents = vec![Vec::new(); self.nodes.len()];
        for (place, nodes) in self.nodes.iter().enumerate() {
            for &child in nodes.iter().flat_map(|(_, children)| children) {
                if parents[child].last() != Some(&place) {
                    parents[child].push(place);
                }
            }
        }
        parents
    }

    /// Changes single choices as long as the total becomes cheaper.
    fn improve(&self, mut choice: Choice) -> Choice {
        let mut steps = IMPROVEMENT_STEPS;
        loop {
            let Some((cost, order)) = self.cost(&choice) else { return choice };
            let mut needs = Needs::of(self, &choice, &order);
            let mut is_better = false;
            // operations before the run are not worth a search
            let costly = |place: &usize| self.nodes[*place].iter().any(|(cost, _)| *cost >= cost::VIEW);
            // readers first: choices of earlier classes in the order do not change before their turn
            for place in order.into_iter().rev().filter(costly) {
                for index in 0..self.nodes[place].len() {
                    let Some(current) = choice[place].filter(|&current| current != index) else { continue };
                    if needs.readers[place] == 0 || !needs.may_choose(&choice, place, index) {
                        continue;
                    }
                    if needs.choose(&mut choice, place, index) < -1e-9 * cost {
                        is_better = true;
                    } else {
                        needs.choose(&mut choice, place, current);
                    }
                    steps = match steps.checked_sub(std::mem::take(&mut needs.visited)) {
                        Some(steps) => steps,
                        None => return choice,
                    };
                }
            }
            if !is_better {
                return choice;
            }
        }
    }
}

/// The cost by which a node, named by its class and its index there, is chosen.
fn weighed(cost: f64, extraction: Extraction, (class, index): (usize, usize)) -> f64 {
    match extraction {
        _ if cost == 0.0 => 0.0,
        Extraction::Cheapest => cost,
        Extraction::Costliest => 1e7 / (1.0 + cost),
        Extraction::Random(seed) => {
            let words = [seed, class as u64, index as u64];
            let mixed = words.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |hash, word| {
                let hash = (hash ^ word).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                hash ^ hash >> 29
            });
            cost::VIEW + (mixed >> 32) as f64 / 1e6
        }
    }
}

/// The classes that the roots need with a choice.
struct Needs<'e> {
    extractor: &'e Extractor,
    /// The number of needed readers of each class.
    readers: Vec<u32>,
    /// The position of needed classes, with children before readers.
    position: Vec<Option<u32>>,
    /// The number of visited classes.
    visited: usize,
}

impl<'e> Needs<'e> {
    fn of(extractor: &'e Extractor, choice: &Choice, order: &[usize]) -> Needs<'e> {
        let count = extractor.nodes.len();
        let mut needs = Needs { extractor, readers: vec![0; count], position: vec![None; count], visited: count };
        extractor.roots.iter().for_each(|&root| needs.readers[root] += 1);
        for (position, &place) in order.iter().enumerate() {
            needs.position[place] = Some(position as u32);
            let (_, children) = needs.chosen(choice, place);
            children.iter().for_each(|&child| needs.readers[child] += 1);
        }
        needs
    }

    fn chosen(&self, choice: &Choice, place: usize) -> &'e (f64, Vec<usize>) {
        &self.extractor.nodes[place][choice[place].expect("needed classes are chosen")]
    }

    /// Whether the classes that a node needs have valid choices without a cycle, either through the node's class or
    /// among classes that were not needed so far, whose choices may come from two different results.
    fn may_choose(&mut self, choice: &Choice, place: usize, index: usize) -> bool {
        let own = self.position[place];
        // whether all classes that a class needs have been visited
        let mut seen: IndexMap<usize, bool> = IndexMap::default();
        let below = |node: &(f64, Vec<usize>)| node.1.iter().map(|&child| (child, false)).collect::<Vec<_>>();
        let mut pending = below(&self.extractor.nodes[place][index]);
        while let Some((at, leaving)) = pending.pop() {
            if leaving {
                seen.insert(at, true);
                continue;
            }
            if at == place || choice[at].is_none() {
                return false;
            }
            // classes at earlier positions do not lead here
            let is_in_front = self.position[at].is_some() && self.position[at] < own;
            match seen.get(&at) {
                _ if is_in_front => continue,
                Some(true) => continue,
                Some(false) => return false,
                None => {}
            }
            seen.insert(at, false);
            self.visited += 1;
            pending.push((at, true));
            pending.extend(below(self.chosen(choice, at)));
        }
        true
    }

    /// Changes the choice of a needed class, and returns the increase of the total cost.
    fn choose(&mut self, choice: &mut Choice, place: usize, index: usize) -> f64 {
        let (old_cost, old) = self.chosen(choice, place);
        choice[place] = Some(index);
        let (new_cost, new) = self.chosen(choice, place);
        let mut change = new_cost - old_cost;
        // newly needed classes first, so that none is dropped in between
        let mut pending = new.clone();
        while let Some(child) = pending.pop() {
            self.visited += 1;
            self.readers[child] += 1;
            if self.readers[child] == 1 {
                let (cost, children) = self.chosen(choice, child);
                change += cost;
                pending.extend(children);
            }
        }
        pending.extend(old);
        while let Some(child) = pending.pop() {
            self.visited += 1;
            self.readers[child] -= 1;
            if self.readers[child] == 0 {
                let (cost, children) = self.chosen(choice, child);
                change -= cost;
                pending.extend(children);
            }
        }
        change
    }
}

/// The cost of everything that some classes need, whose set is stored in `union`: the set of the most expensive one,
/// and the additional classes of the others.
fn union(children: &[usize], sets: &[Option<(f64, Vec<u64>)>], own: &[f64], union: &mut [u64]) -> Option<f64> {
    let needs = || children.iter().map(|&child| sets[child].as_ref());
    if needs().any(|need| need.is_none()) {
        return None;
    }
    let dearest = needs().flatten().max_by(|(a, _), (b, _)| a.total_cmp(b));
    match dearest {
        Some((_, set)) => union.copy_from_slice(set),
        None => union.fill(0),
    }
    let mut total = dearest.map_or(0.0, |&(cost, _)| cost);
    for (_, set) in needs().flatten().filter(|&need| dearest.is_none_or(|dearest| !std::ptr::eq(need, dearest))) {
        for (at, (word, other)) in union.iter_mut().zip(set).enumerate() {
            let new = other & !*word;
            if new != 0 {
                total += bits(new).map(|bit| own[at * 64 + bit]).sum::<f64>();
                *word |= new;
            }
        }
    }
    Some(total)
}

/// The indices of the bits that are set.
fn bits(word: u64) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let bit = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes that are not needed lead to each other, and no other choice is cheaper.
    #[test]
    fn a_cycle_among_what_was_not_needed_is_not_chosen() {
        let nodes = vec![vec![(10.0, vec![]), (1.0, vec![1])], vec![(1.0, vec![2])], vec![(1.0, vec![1])]];
        let index = (0..nodes.len()).map(|place| (Id::from(place), place)).collect();
        let extractor = Extractor { index, nodes, roots: vec![0] };
        let improved = extractor.improve(vec![Some(0); 3]);
        assert_eq!(extractor.cost(&improved), Some((10.0, vec![0])));
    }
}
