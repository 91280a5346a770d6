//! Numbering of values and blocks, as upstream does it: all values of a region before those of nested regions.

use cranelift_entity::SecondaryMap;

use crate::IndexSet;
use crate::body::{Block, Body, Op, Region, Value};
use crate::registry::{OpDefinition, Registry};

#[derive(Clone, Default)]
enum Name {
    /// Not reachable from the numbered region.
    #[default]
    Unknown,
    /// `%argN`: an argument of an entry block.
    Argument(u32),
    /// `%N`
    Numbered(u32),
    /// `%N#index`
    Member(u32, u32),
    /// By what it is: `%c0`
    Named(String),
}

/// The names of all values and blocks of one body.
pub(super) struct Names {
    values: SecondaryMap<Value, Name>,
    blocks: SecondaryMap<Block, Option<u32>>,
    predecessors: SecondaryMap<Block, Vec<Block>>,
    /// The names in use, innermost region last.
    used: Vec<IndexSet<String>>,
}

/// The first free numbers where a region starts.
#[derive(Clone, Copy, Default)]
struct Next {
    value: u32,
    argument: u32,
    /// What is appended to a name that is in use.
    conflict: u32,
}

/// A region to number.
struct Pending {
    region: Region,
    next: Next,
    /// How many regions are open around it.
    depth: usize,
}

impl Names {
    /// Numbers everything in a region; with a registry, values have the names that their operations give them.
    pub(super) fn of_region(body: &Body, region: Region, registry: Option<&Registry>) -> Names {
        let mut names = Names {
            values: SecondaryMap::new(),
            blocks: SecondaryMap::new(),
            predecessors: SecondaryMap::new(),
            used: vec![],
        };
        let mut pending = vec![Pending { region, next: Next::default(), depth: 0 }];
        while let Some(next) = pending.pop() {
            names.used.truncate(next.depth);
            names.used.push(IndexSet::default());
            names.number_region(body, next, registry, &mut pending);
        }
        names
    }

    fn number_region(
        &mut self,
        body: &Body,
        numbering: Pending,
        registry: Option<&Registry>,
        pending: &mut Vec<Pending>,
    ) {
        let Pending { region, mut next, depth } = numbering;
        let definition = |op: Op| registry.and_then(|registry| registry.get(body.name(op)));
        self.name_arguments(body, region, definition, &mut next);
        for (at, &block) in body.blocks(region).iter().enumerate() {
            self.blocks[block] = Some(at as u32);
            for &argument in body.arguments(block) {
                if !matches!(self.values[argument], Name::Unknown) {
                    continue;
                }
                let (counter, name): (&mut u32, fn(u32) -> Name) =
                    if at == 0 { (&mut next.argument, Name::Argument) } else { (&mut next.value, Name::Numbered) };
                self.values[argument] = name(*counter);
                *counter += 1;
            }
            for op in body.ops(block) {
                self.name_results(body, op, definition(op), &mut next);
                for &successor in body.op(op).successors() {
                    if !self.predecessors[successor].contains(&block) {
                        self.predecessors[successor].push(block);
                    }
                }
            }
        }
        for &block in body.blocks(region) {
            for op in body.ops(block) {
                let inner = body.op(op).regions().iter();
                pending.extend(inner.map(|&region| Pending { region, next, depth: depth + 1 }));
            }
        }
    }

    /// Gives the arguments of a region the names that its operation has for them.
    fn name_arguments<'r>(
        &mut self,
        body: &Body,
        region: Region,
        definition: impl Fn(Op) -> Option<&'r OpDefinition>,
        next: &mut Next,
    ) {
        let Some(op) = body.region_parent(region) else { return };
        let Some(names) = definition(op).and_then(|definition| definition.value_names.arguments) else { return };
        let Some(&entry) = body.blocks(region).first() else { return };
        for (&argument, name) in body.arguments(entry).iter().zip(names(body, op)) {
            self.values[argument] = Name::Named(self.unique(name.to_string(), next));
        }
    }

    fn name_results(&mut self, body: &Body, op: Op, definition: Option<&OpDefinition>, next: &mut Next) {
        let results = body.op(op).results();
        if let Some(names) = definition.and_then(|definition| definition.value_names.results) {
            for (&result, name) in results.iter().zip(names(body, op)) {
                self.values[result] = Name::Named(self.unique(name, next));
            }
            return;
        }
        for (index, &result) in results.iter().enumerate() {
            let single = results.len() == 1;
            self.values[result] =
                if single { Name::Numbered(next.value) } else { Name::Member(next.value, index as u32) };
        }
        next.value += !results.is_empty() as u32;
    }

    /// A name that nothing visible has.
    fn unique(&mut self, name: String, next: &mut Next) -> String {
        let is_used = |name: &str| self.used.iter().any(|scope| scope.contains(name));
        let mut free = name.clone();
        while is_used(&free) {
            free = format!("{name}_{}", next.conflict);
            next.conflict += 1;
        }
        let innermost = self.used.last_mut().expect("a region is open");
        innermost.insert(free.clone());
        free
    }

    /// `%0`, `%0#1` or `%arg0`.
    pub(super) fn value(&self, value: Value) -> String {
        match &self.values[value] {
            Name::Unknown => format!("%<<{value}>>"),
            Name::Argument(number) => format!("%arg{number}"),
            Name::Numbered(number) => format!("%{number}"),
            Name::Member(number, index) => format!("%{number}#{index}"),
            Name::Named(name) => format!("%{name}"),
        }
    }

    /// The name of all results of an operation, from its first.
    pub(super) fn value_group(&self, first: Value) -> String {
        match &self.values[first] {
            Name::Member(number, _) => format!("%{number}"),
            _ => self.value(first),
        }
    }

    /// `^bb0`
    pub(super) fn block(&self, block: Block) -> String {
        match self.blocks[block] {
            Some(number) => format!("^bb{number}"),
            None => format!("^<<{block}>>"),
        }
    }

    /// Whether a block is the first of its region.
    pub(super) fn is_entry(&self, block: Block) -> bool {
        self.blocks[block] == Some(0)
    }

    pub(super) fn predecessors(&self, block: Block) -> &[Block] {
        &self.predecessors[block]
    }
}
