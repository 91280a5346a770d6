//! Choosing one node a class, so that everything the roots need costs least, shared parts counted once.
//!
//! Costs of sets: the cost of a class is that of the set of classes its choice needs, found bottom-up. Then single
//! choices are changed as long as the whole becomes cheaper. A choice is only ever compared by the cost of the whole,
//! so what comes out is never dearer than the graph that went in.

use std::collections::VecDeque;

use egg::{Id, Language};
use ir::IndexMap;

use crate::cost;
use crate::graph::Graph;
use crate::language::Node;

/// Work for trying other choices, counted in visited classes.
const IMPROVEMENT_STEPS: usize = 4_000_000;

/// One node a class, by index into the class's nodes.
pub(crate) type Choice = Vec<Option<usize>>;

/// The classes of an e-graph in plain arrays.
pub(crate) struct Extractor {
    /// Place of each canonical class.
    index: IndexMap<Id, usize>,
    /// Nodes of each class: cost and children.
    nodes: Vec<Vec<(f64, Vec<usize>)>>,
    roots: Vec<usize>,
}

impl Extractor {
    /// The classes that can be reached from the roots.
    pub(crate) fn new(graph: &Graph<'_>, roots: &[Id]) -> Extractor {
        let mut extractor = Extractor { index: IndexMap::default(), nodes: Vec::new(), roots: Vec::new() };
        extractor.roots = roots.iter().map(|&root| extractor.place(graph.egraph.find(root))).collect();
        let mut at = 0;
        while let Some((&class, _)) = extractor.index.get_index(at) {
            let nodes: Vec<(f64, Vec<usize>)> = graph.egraph[class]
                .nodes
                .iter()
                .map(|node| {
                    let children = node.children().iter().map(|&child| extractor.place(graph.egraph.find(child)));
                    (cost::of(graph, class, node), children.collect())
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

    /// How many classes can be reached.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The class at a place.
    pub(crate) fn class(&self, place: usize) -> Id {
        *self.index.get_index(place).expect("places are dense").0
    }

    /// The node chosen for a class.
    pub(crate) fn chosen<'g>(&self, graph: &'g Graph<'_>, choice: &Choice, class: Id) -> &'g Node {
        let place = self.index[&class];
        &graph.egraph[class].nodes[choice[place].expect("what the roots need is chosen")]
    }

    /// The best choice found, never dearer than `original`. `None` when there is none at all.
    pub(crate) fn best(&self, original: Choice) -> Option<Choice> {
        let mut best = original;
        let mut cost = self.cost(&best).map_or(f64::INFINITY, |(cost, _)| cost);
        let candidate = self.greedy();
        if let Some((found, _)) = self.cost(&candidate)
            && found < cost
        {
            (best, cost) = (candidate.clone(), found);
        }
        // what the best has no use for may be what an improvement needs
        best.iter_mut().zip(&candidate).for_each(|(best, found)| *best = best.or(*found));
        cost.is_finite().then(|| self.improve(best, cost))
    }

    /// What the roots need, children before readers, and its cost. `None` when the choice has a cycle or a hole.
    pub(crate) fn cost(&self, choice: &Choice) -> Option<(f64, Vec<usize>)> {
        let mut order = Vec::new();
        let mut total = 0.0;
        // 0 unseen, 1 on the way, 2 done
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

    /// Bottom-up: the set of classes each class needs, where costs count once.
    fn greedy(&self) -> Choice {
        let parents = self.parents();
        let words = self.nodes.len().div_ceil(64);
        let mut choice: Choice = vec![None; self.nodes.len()];
        let mut sets: Vec<Option<(f64, Vec<u64>)>> = vec![None; self.nodes.len()];
        let mut own = vec![0.0; self.nodes.len()];
        let mut queue: VecDeque<usize> = (0..self.nodes.len()).rev().collect();
        let mut queued = vec![true; self.nodes.len()];
        // a class changes only when it becomes cheaper; the bound is for what rounding might do to that
        let mut fuel = 8 * self.nodes.len() + 64;
        while let Some(place) = queue.pop_front() {
            queued[place] = false;
            fuel = match fuel.checked_sub(1) {
                Some(fuel) => fuel,
                None => break,
            };
            let mut changed = false;
            for (index, (cost, children)) in self.nodes[place].iter().enumerate() {
                let Some((below, mut set)) = union(children, &sets, &own, words) else { continue };
                if set[place / 64] >> (place % 64) & 1 == 1 {
                    continue;
                }
                let total = cost + below;
                if sets[place].as_ref().is_none_or(|(known, _)| total < known * (1.0 - 1e-9)) {
                    set[place / 64] |= 1 << (place % 64);
                    sets[place] = Some((total, set));
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

    /// Changes single choices as long as the whole becomes cheaper.
    fn improve(&self, mut choice: Choice, mut cost: f64) -> Choice {
        let mut steps = IMPROVEMENT_STEPS;
        loop {
            let before = cost;
            let Some((_, order)) = self.cost(&choice) else { return choice };
            // what is done ahead of the run is not worth a search
            let costly = |place: &usize| self.nodes[*place].iter().any(|(cost, _)| *cost >= cost::VIEW);
            for place in order.into_iter().rev().filter(costly) {
                for index in 0..self.nodes[place].len() {
                    let current = choice[place];
                    let complete = self.nodes[place][index].1.iter().all(|&child| choice[child].is_some());
                    if current == Some(index) || !complete {
                        continue;
                    }
                    choice[place] = Some(index);
                    match self.cost(&choice) {
                        Some((found, _)) if found < cost - 1e-9 * cost => cost = found,
                        _ => choice[place] = current,
                    }
                    steps = match steps.checked_sub(self.nodes.len()) {
                        Some(steps) => steps,
                        None => return choice,
                    };
                }
            }
            if cost >= before {
                return choice;
            }
        }
    }
}

/// The cost of all that some classes need, and its set: what the dearest needs, and what the others need beside it.
fn union(children: &[usize], sets: &[Option<(f64, Vec<u64>)>], own: &[f64], words: usize) -> Option<(f64, Vec<u64>)> {
    let needs: Vec<&(f64, Vec<u64>)> = children.iter().map(|&child| sets[child].as_ref()).collect::<Option<_>>()?;
    let dearest = needs.iter().max_by(|(a, _), (b, _)| a.total_cmp(b));
    let (mut total, mut union) = dearest.map_or_else(|| (0.0, vec![0; words]), |&need| need.clone());
    for (_, set) in needs {
        for (at, (word, other)) in union.iter_mut().zip(set).enumerate() {
            total += bits(other & !*word).map(|bit| own[at * 64 + bit]).sum::<f64>();
            *word |= other;
        }
    }
    Some((total, union))
}

/// The places of the bits that are set.
fn bits(word: u64) -> impl Iterator<Item = usize> {
    let mut rest = word;
    std::iter::from_fn(move || {
        let bit = rest.trailing_zeros() as usize;
        rest &= rest.wrapping_sub(1);
        (bit < 64).then_some(bit)
    })
}
