//! Loop collapsing: loops of a fused group over contiguous elements become one loop.
//!
//! Axes of extent 1 are dropped, and axes that all members of a group visit nested, in memory order, become one. Rows
//! are then as long as possible, whatever the shapes of the model: an elementwise operation on `1x64x56x56` is one row.
//! Tensors from outside are reshaped before the group and its results after it, at no cost.
//!
//! Only static extents are merged. Groups with contractions, whose axes have roles, are not changed.

use dialects::{OpCodes, linalg, tensor};
use ir::{AffineExpr, AffineMap, Attribute, Body, Builder, DenseElements, IndexMap, IndexSet, Op, Type, Value};

use crate::extents::extent_of;
use crate::fuse::Group;
use dialects::linalg::generic::{Generic, Iterator, written_maps};

/// Rewrites the members of a group, in place, to loops over as few axes as possible.
pub(crate) fn collapse_group(body: &mut Body, group: &Group) {
    if group.has_contraction {
        return;
    }
    let Some(members) = group.ops.iter().map(|&op| Member::of(body, op)).collect::<Option<Vec<_>>>() else { return };
    let axes = merged_axes(body, &members);
    if axes.values().all(|kept| kept.is_whole()) {
        return;
    }
    let made: IndexSet<Value> = group.ops.iter().flat_map(|&op| body.op(op).results()).copied().collect();
    let results = body.op(group.root()).results().to_vec();
    let types: Vec<Type> = results.iter().map(|&result| body.value_type(result).clone()).collect();
    let mut outside: IndexMap<Value, Value> = IndexMap::default();
    for member in &members {
        rewrite(body, member, &axes, |body, value| match made.contains(&value) {
            true => value,
            false => *outside.entry(value).or_insert_with(|| reshaped(body, value, &axes[&value], group.root())),
        });
    }
    for (result, r#type) in results.into_iter().zip(types) {
        restore(body, group.root(), result, r#type, &axes[&result]);
    }
}

/// An operation of a group.
struct Member {
    generic: Generic,
    /// Its maps as written: a modulus marks an axis that is not visited completely.
    maps: Vec<AffineMap>,
    /// Extents of its loops, as far as known.
    extents: Vec<Option<i64>>,
    /// Loops whose index the body reads.
    indexed: IndexSet<usize>,
    /// The results, with the layout of the initial values.
    results: Vec<Value>,
}

impl Member {
    /// `None` for other operations; for a reduction with a single step, which has to be kept; and if a loop with one
    /// iteration is part of a subscript sum: without it, another loop would seem to run over the whole axis.
    fn of(body: &Body, op: Op) -> Option<Member> {
        let generic = Generic::of(body, op)?;
        let extents = generic.extents(body);
        let single = |(extent, kind): (&Option<i64>, &Iterator)| *extent == Some(1) && *kind == Iterator::Reduction;
        if extents.iter().zip(&generic.iterators).any(single) {
            return None;
        }
        let without_units: Vec<AffineExpr> = (0..)
            .zip(&extents)
            .map(|(dim, extent)| if *extent == Some(1) { AffineExpr::Constant(0) } else { AffineExpr::Dim(dim) })
            .collect();
        let is_loop = |e: &AffineExpr| matches!(e, AffineExpr::Dim(_));
        let maps = written_maps(body, op)?;
        if maps.iter().flat_map(|map| &map.results).any(|e| !is_loop(e) && is_loop(&e.substitute(&without_units, &[])))
        {
            return None;
        }
        let results = body.op(op).results().to_vec();
        let indexed = index_ops(body, &generic).into_iter().map(|op| index_dim(body, op)).collect();
        Some(Member { generic, maps, extents, indexed, results })
    }

    fn operands(&self) -> impl std::iter::Iterator<Item = (Value, &AffineMap)> {
        self.generic.inputs.iter().chain(&self.generic.inits).copied().zip(&self.maps)
    }

    /// All operands and results with their maps.
    fn values(&self) -> impl std::iter::Iterator<Item = (Value, &AffineMap)> {
        self.operands().chain(self.results.iter().copied().zip(&self.maps[self.generic.inputs.len()..]))
    }

    /// Whether a loop has a single iteration.
    fn is_unit(&self, dim: usize) -> bool {
        self.extents[dim] == Some(1)
    }

    /// The loop after `dim` with more than one iteration.
    fn next(&self, dim: usize) -> Option<usize> {
        (dim + 1..self.extents.len()).find(|&next| !self.is_unit(next))
    }

    /// Whether this operation allows to merge a loop and the next one: they are of one kind, and every operand has
    /// both, adjacent, or neither.
    fn joins(&self, dim: usize, axes: &IndexMap<Value, Axes>) -> bool {
        let Some(next) = self.next(dim) else { return false };
        let kinds = &self.generic.iterators;
        kinds[dim] == kinds[next]
            && !self.indexed.contains(&dim)
            && !self.indexed.contains(&next)
            && self.values().filter(|(value, _)| axes.contains_key(value)).all(|(value, map)| {
                let kept: Vec<(usize, &AffineExpr)> =
                    axes[&value].long().map(|axis| (axis, &map.results[axis])).collect();
                let users = kept.iter().filter(|(_, e)| e.uses_dim(dim as u32) || e.uses_dim(next as u32)).count();
                let pair = kept.windows(2).any(|pair| {
                    let wanted = [dim, next].map(|dim| AffineExpr::Dim(dim as u32));
                    *pair[0].1 == wanted[0] && *pair[1].1 == wanted[1] && axes[&value].joined[pair[0].0]
                });
                users == 0 || (users == 2 && pair)
            })
    }
}

/// How a tensor's axes are merged.
struct Axes {
    extents: Vec<Option<i64>>,
    /// For each axis of more than one element whether it is merged with the next such one.
    joined: Vec<bool>,
}

impl Axes {
    /// The upper bound of merging: all adjacent axes with static extents.
    fn of(r#type: &Type) -> Axes {
        let extents = Vec::from(r#type.shape().expect("structured tensors are ranked"));
        let mut axes = Axes { joined: vec![false; extents.len()], extents };
        let long: Vec<usize> = axes.long().collect();
        for pair in long.windows(2) {
            axes.joined[pair[0]] = pair.iter().all(|&axis| axes.extents[axis].is_some());
        }
        axes
    }

    /// The axes of more than one element, or of dynamic extent.
    fn long(&self) -> impl std::iter::Iterator<Item = usize> {
        (0..self.extents.len()).filter(|&axis| self.extents[axis] != Some(1))
    }

    /// Whether nothing changes.
    fn is_whole(&self) -> bool {
        self.long().count() == self.extents.len() && !self.joined.contains(&true)
    }

    /// The axes that become one, for each new axis.
    fn groups(&self) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for axis in self.long() {
            match groups.last_mut().filter(|group| group.last().is_some_and(|&last| self.joined[last])) {
                Some(group) => group.push(axis),
                None => groups.push(vec![axis]),
            }
        }
        groups
    }

    fn collapsed(&self, r#type: &Type) -> Type {
        let extent = |group: &Vec<usize>| group.iter().map(|&axis| self.extents[axis]).product::<Option<i64>>();
        Type::tensor(self.groups().iter().map(extent).collect::<Vec<_>>(), r#type.element().clone())
    }
}

/// How the axes of every tensor that members read or write are merged: axes that one member keeps separate stay
/// separate everywhere.
fn merged_axes(body: &Body, members: &[Member]) -> IndexMap<Value, Axes> {
    let mut axes: IndexMap<Value, Axes> = IndexMap::default();
    for member in members {
        for (value, _) in member.values() {
            if matches!(body.value_type(value), Type::Tensor(_)) {
                axes.entry(value).or_insert_with(|| Axes::of(body.value_type(value)));
            }
        }
    }
    let mut changed = true;
    while changed {
        changed = false;
        for member in members {
            let joins: Vec<bool> = (0..member.extents.len()).map(|dim| member.joins(dim, &axes)).collect();
            for (value, map) in member.values() {
                let Some(axes) = axes.get_mut(&value) else { continue };
                for axis in 0..axes.joined.len() {
                    let kept = matches!(map.results[axis], AffineExpr::Dim(dim) if joins[dim as usize]);
                    changed |= axes.joined[axis] && !kept;
                    axes.joined[axis] &= kept;
                }
            }
        }
    }
    axes
}

/// Gives a member its new loops, maps and types. `outside` returns the reshaped operand for a tensor.
fn rewrite(
    body: &mut Body,
    member: &Member,
    axes: &IndexMap<Value, Axes>,
    mut outside: impl FnMut(&mut Body, Value) -> Value,
) {
    let generic = &member.generic;
    let joins: Vec<bool> = (0..generic.rank()).map(|dim| member.joins(dim, axes)).collect();
    // the new loop that a loop is the last part of; loops with one iteration are always at 0
    let (mut numbers, mut count) = (vec![None; generic.rank()], 0);
    for dim in (0..generic.rank()).filter(|&dim| !member.is_unit(dim)) {
        numbers[dim] = (!joins[dim]).then_some(count);
        count += u32::from(!joins[dim]);
    }
    let dims: Vec<AffineExpr> =
        numbers.iter().map(|number| number.map_or(AffineExpr::Constant(0), AffineExpr::Dim)).collect();
    let mut operands = Vec::new();
    let mut maps = Vec::new();
    for (value, map) in member.operands() {
        let Some(axes) = axes.get(&value) else {
            operands.push(value);
            maps.push(AffineMap::new(count, map.results.clone()));
            continue;
        };
        operands.push(outside(body, value));
        let last = axes.groups().into_iter().filter_map(|group| group.last().copied());
        maps.push(AffineMap::new(count, last.map(|axis| map.results[axis].substitute(&dims, &[])).collect()));
    }
    let kept = numbers.iter().zip(&generic.iterators).filter(|(number, _)| number.is_some());
    let iterators = kept.map(|(_, kind)| kind.attribute()).collect();
    renumber_indices(body, generic, &numbers);
    body.set_operands(generic.op, &operands);
    for &result in &member.results {
        let r#type = axes[&result].collapsed(body.value_type(result));
        body.set_value_type(result, r#type);
    }
    let attributes = &mut body.op_mut(generic.op).attributes;
    attributes.set("indexing_maps", Attribute::Array(maps.into_iter().map(Attribute::affine_map).collect()));
    attributes.set("iterator_types", Attribute::Array(iterators));
}

fn index_ops(body: &Body, generic: &Generic) -> Vec<Op> {
    body.ops(generic.block).filter(|&op| body.is(op, linalg::INDEX)).collect()
}

fn index_dim(body: &Body, op: Op) -> usize {
    body.op(op).attributes.integer("dim").expect("linalg.index has a dimension") as usize
}

fn renumber_indices(body: &mut Body, generic: &Generic, numbers: &[Option<u32>]) {
    for op in index_ops(body, generic) {
        match numbers[index_dim(body, op)] {
            Some(number) => body.op_mut(op).attributes.set("dim", Attribute::i64(number.into())),
            None => {
                let zero = Builder::before(body, op).constant_index(0);
                body.replace_all_uses(body.result(op, 0), zero);
                body.erase(op);
            }
        }
    }
}

/// A tensor from outside with merged axes, before `before`.
fn reshaped(body: &mut Body, value: Value, axes: &Axes, before: Op) -> Value {
    if axes.is_whole() {
        return value;
    }
    let r#type = axes.collapsed(body.value_type(value));
    let extents: Vec<Value> = axes
        .groups()
        .iter()
        .zip(r#type.shape().expect("structured tensors are ranked"))
        .map(|(group, extent)| match extent {
            Some(extent) => Builder::before(body, before).constant_index(extent),
            None => extent_of(body, value, group[0], before),
        })
        .collect();
    let mut source = value;
    match body.defining_op(value).map(|op| (op, body.code(op))) {
        Some((op, Some(tensor::EMPTY))) => {
            let sizes = tensor::Empty::of(body, op).sizes.to_vec();
            return Builder::before(body, before).value_from(tensor::Empty { sizes: &sizes }, r#type, []);
        }
        // a reshape of a reshape reads the operand of the first, and is dropped if the extents are provably equal
        Some((op, Some(tensor::RESHAPE))) => source = tensor::Reshape::of(body, op).source,
        _ => {}
    }
    if body.value_type(source).has_same_extents(&r#type) {
        return source;
    }
    let number = ir::constant_value(body, value).and_then(Attribute::as_dense).cloned();
    if let Some(number) = number.filter(|number| number.is_available() && number.element_count() == 1) {
        let value = Attribute::dense(DenseElements::splat(r#type.clone(), number.element_bytes(0)));
        return Builder::before(body, before).constant(value, r#type);
    }
    reshape(&mut Builder::before(body, before), source, &extents, r#type)
}

/// Gives the readers of a result of the group its original axes.
fn restore(body: &mut Body, root: Op, result: Value, r#type: Type, axes: &Axes) {
    if axes.is_whole() || body.uses(result).is_empty() {
        return;
    }
    let groups = axes.groups();
    let extents: Vec<Value> = (0..axes.extents.len())
        .map(|axis| match axes.extents[axis] {
            Some(extent) => Builder::before(body, root).constant_index(extent),
            // a dynamic extent stays a separate axis
            None => {
                let own = groups.iter().position(|group| group[0] == axis).expect("an unknown extent is kept");
                extent_of(body, result, own, root)
            }
        })
        .collect();
    let new = reshape(&mut Builder::after(body, root), result, &extents, r#type);
    body.replace_all_uses(result, new);
    let view = body.defining_op(new).expect("a reshape was built");
    body.set_operand(view, 0, result);
}

fn reshape(builder: &mut Builder<'_>, value: Value, extents: &[Value], r#type: Type) -> Value {
    let shape = Type::static_tensor(&[extents.len() as i64], Type::Index);
    let shape = builder.value(tensor::FROM_ELEMENTS, extents, shape, []);
    builder.value_from(tensor::Reshape { source: value, shape }, r#type, [])
}
