//! Outlining: each fused group becomes a call of a kernel function; equal kernels are merged.
//!
//! A kernel takes the tensors and sizes that its group reads from outside, then one destination tensor per result, and
//! returns the root's results. For each result the caller passes a `tensor.empty` of its sizes.
//! Scalar constants, one-element integers and `tensor.empty` are copied into the kernel. One-element floats become
//! constants of the kernel only if all its calls agree on them, so that kernels that differ in nothing else are shared.
//!
//! With [`KernelShapes::Shared`] tensors lose their large static extents inside kernels, and the caller casts.

use dialects::rt::attributes::{ARGUMENT, ELEMENTS, KERNEL, ORIGIN};
use dialects::{Dialect, OpCodes, arith, func, rt, tensor};
use ir::pass::Choice;
use ir::{
    AffineExpr, Attribute, Attributes, Block, Body, Builder, FunctionType, IndexMap, IndexSet, Location, Module, Op,
    Type, Value,
};

use crate::collapse::collapse_group;
use crate::concat::split_wide_concat;
use crate::extents::{destination, empty_like};
use crate::fuse::{Fusion, Group, external_operands, fuse_block};
use crate::sink_scalars::sink_scalars;
use dialects::linalg::generic::{Generic, written_maps};
use dialects::linalg::indexing_maps;

use dialects::rt::tile::QUAD;
use ir::clone::{Mapping, clone_op};
use ir::transforms::remove_unread;

/// The estimate of a dynamic extent.
const LIKELY_EXTENT: i64 = 128;
/// Elements of a contraction's result that a micro-kernel computes in the time in which generated code visits one.
const MICRO_KERNEL_LEAD: i64 = 16;

/// How specialised a kernel is to the shapes of its calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KernelShapes {
    /// Static extents are part of the kernel: the fastest code.
    #[default]
    Specialised,
    /// Large extents are arguments, so that operators that only differ in them share a kernel: the least code.
    Shared,
}

impl Choice for KernelShapes {
    const CHOICES: &'static [(&'static str, KernelShapes)] =
        &[("shared", KernelShapes::Shared), ("specialised", KernelShapes::Specialised)];
}

/// Up to this limit, the innermost extent stays part of a shared kernel, for packed int8 the two innermost ones:
/// channel blocks, kernel sizes.
const INNERMOST_LIMIT: i64 = 16;

impl KernelShapes {
    /// The type of a tensor inside a kernel.
    fn inside(self, r#type: &Type) -> Type {
        let (KernelShapes::Shared, Some(shape)) = (self, r#type.as_tensor().and_then(|tensor| tensor.shape.as_ref()))
        else {
            return r#type.clone();
        };
        let packed = shape.last() == Some(&Some(QUAD));
        let inner = shape.len().saturating_sub(1 + usize::from(packed));
        let known = |(axis, extent): (usize, &Option<i64>)| {
            extent.filter(|&extent| extent == 1 || (axis >= inner && extent <= INNERMOST_LIMIT))
        };
        Type::tensor(shape.iter().enumerate().map(known).collect::<Vec<_>>(), r#type.element().clone())
    }
}

/// Fuses and outlines all compute operations of the function `name`.
pub fn outline_kernels(module: &mut Module, name: &str, shapes: KernelShapes, fusion: Fusion) {
    let Some((host, mut body)) = module.take_function(name) else { return };
    let mut kernels = Kernels::default();
    let blocks: Vec<Block> = all_blocks(&body);
    for block in blocks {
        for op in body.ops(block).to_vec() {
            split_wide_concat(&mut body, op);
        }
        for group in fuse_block(&body, block, fusion) {
            collapse_group(&mut body, &group);
            outline_group(&mut body, &group, &mut kernels, shapes);
        }
    }
    for kernel in &mut kernels.all {
        sink_scalars(&mut body, kernel);
    }
    for block in all_blocks(&body) {
        remove_dead(&mut body, block);
    }
    module.body.set_isolated(host, body);
    for kernel in kernels.all {
        let attributes = Attributes::from([
            (KERNEL, Attribute::Unit),
            (ELEMENTS, Attribute::i64(kernel.elements)),
            ("sym_visibility", Attribute::string("private")),
        ]);
        module.add_function(&kernel.name, kernel.r#type, attributes, kernel.body, Location::Unknown);
    }
}

#[derive(Default)]
struct Kernels {
    all: Vec<Kernel>,
    /// Kernels by the hash of their structure.
    by_hash: IndexMap<u64, Vec<usize>>,
    /// The number of kernels with each name stem.
    names: IndexMap<String, usize>,
}

impl Kernels {
    /// The kernel with this body, created if it is new.
    fn find_or_add(&mut self, body: Body, r#type: &FunctionType, stem: impl FnOnce() -> String) -> &mut Kernel {
        let alike = self.by_hash.entry(ir::structural_hash(&body)).or_default();
        let known = alike.iter().copied().find(|&index| ir::structurally_equal(&self.all[index].body, &body));
        let index = known.unwrap_or_else(|| {
            let stem = stem();
            let count = self.names.entry(stem.clone()).or_insert(0);
            let name = format!("{stem}_{count}");
            *count += 1;
            alike.push(self.all.len());
            self.all.push(Kernel { name, r#type: r#type.clone(), body, elements: 0, calls: Vec::new() });
            self.all.len() - 1
        });
        &mut self.all[index]
    }
}

/// A kernel and the operations that call it.
pub(crate) struct Kernel {
    name: String,
    pub(crate) r#type: FunctionType,
    pub(crate) body: Body,
    elements: i64,
    pub(crate) calls: Vec<Op>,
}

/// Every block of a body except those of compute operations' own regions.
pub fn all_blocks(body: &Body) -> Vec<Block> {
    let mut blocks: Vec<Block> = body.blocks(body.root()).to_vec();
    let mut next = 0;
    while next < blocks.len() {
        let block = blocks[next];
        next += 1;
        for op in body.ops(block) {
            if !crate::fuse::is_compute(body, op) {
                for &region in body.op(op).regions() {
                    blocks.extend(body.blocks(region));
                }
            }
        }
    }
    blocks
}

fn outline_group(body: &mut Body, group: &Group, kernels: &mut Kernels, shapes: KernelShapes) {
    let destinations = destinations(body, group);
    let copies = Copies { shapes, alike: destinations.iter().map(|&d| (d, empty_extents(body, d))).collect() };
    let operands = external_operands(body, group);
    let mut reads = Reads::default();
    for &value in operands.iter().filter(|value| !destinations.contains(value)) {
        copies.collect(body, value, &mut reads);
    }
    let parameters: Vec<Value> = reads.arguments.iter().chain(&destinations).copied().collect();
    let (kernel, r#type) = build_kernel(body, group, &copies, &operands, &reads, &destinations);
    let elements = visited_elements(body, group, &parameters);
    let kernel = kernels.find_or_add(kernel, &r#type, || kernel_stem(body, group));
    kernel.elements = kernel.elements.saturating_add(elements);
    let call = call_kernel(body, group, &kernel.name, &r#type, &reads, &destinations);
    kernel.calls.push(call);
}

/// The approximate number of elements that the generated code of a group visits: those of its largest tensor.
fn visited_elements(body: &Body, group: &Group, parameters: &[Value]) -> i64 {
    let elements = |value: &Value| {
        let shape = body.value_type(*value).shape().unwrap_or_default();
        // the first dimension is usually the batch
        let extents = shape.iter().enumerate().map(|(axis, extent)| match (axis, extent) {
            (_, Some(extent)) => *extent,
            (0, None) => 1,
            (_, None) => LIKELY_EXTENT,
        });
        extents.fold(1, i64::saturating_mul)
    };
    match group.has_contraction {
        true => elements(&body.result(group.root(), 0)) / MICRO_KERNEL_LEAD,
        false => parameters.iter().map(elements).max().unwrap_or(0),
    }
}

/// Replaces a group by a call.
fn call_kernel(
    body: &mut Body,
    group: &Group,
    name: &str,
    r#type: &FunctionType,
    reads: &Reads,
    destinations: &[Value],
) -> Op {
    let root = group.root();
    let results = body.op(root).results().to_vec();
    let location = Location::fuse(group.ops.iter().map(|&op| body.op(op).location.clone()));
    let mut builder = Builder::before(body, root).with_location(location);
    let mut operands: Vec<Value> = reads.arguments.iter().copied().collect();
    operands.extend(reads.sizes().map(|size| builder.constant_index(size)));
    operands.extend(destinations);
    for (operand, expected) in operands.iter_mut().zip(&r#type.inputs) {
        if builder.body.value_type(*operand) != expected {
            *operand = builder.value(tensor::CAST, &[*operand], expected.clone(), []);
        }
    }
    let call = builder.create(func::CALL, &operands, &r#type.results, [("callee", Attribute::symbol(name))]);
    for (index, &old) in results.iter().enumerate() {
        let mut new = builder.body.result(call, index);
        let expected = builder.body.value_type(old).clone();
        if *builder.body.value_type(new) != expected {
            new = builder.value(tensor::CAST, &[new], expected, []);
        }
        builder.body.replace_all_uses(old, new);
    }
    for &op in group.ops.iter().rev() {
        body.erase(op);
    }
    call
}

/// Static extents and dynamic sizes of a `tensor.empty`.
fn empty_extents(body: &Body, value: Value) -> (Type, Vec<Value>) {
    let sizes = body.defining_op(value).map(|op| body.op(op).operands().to_vec()).unwrap_or_default();
    (body.value_type(value).clone(), sizes)
}

/// Definitions outside of a group that its kernel duplicates instead of taking an argument.
struct Copies {
    shapes: KernelShapes,
    /// The destinations with their extents: a `tensor.empty` with the same extents is never read, so that a destination
    /// replaces it.
    alike: Vec<(Value, (Type, Vec<Value>))>,
}

impl Copies {
    /// The destination that replaces a `tensor.empty`.
    fn stand_in(&self, body: &Body, value: Value) -> Option<Value> {
        body.defining_op(value).filter(|&op| body.is(op, tensor::EMPTY))?;
        let extents = empty_extents(body, value);
        self.alike.iter().find(|(_, known)| *known == extents).map(|(destination, _)| *destination)
    }

    /// The values that a kernel takes for an operand: the operand, or those that its copied definition needs.
    fn collect(&self, body: &Body, value: Value, reads: &mut Reads) {
        if reads.arguments.contains(&value) || self.stand_in(body, value).is_some() {
            return;
        }
        let Some(op) = self.copied_definition(body, value) else {
            reads.arguments.insert(value);
            return;
        };
        for &operand in body.op(op).operands() {
            self.collect(body, operand, reads);
        }
        if body.is(op, tensor::EMPTY) {
            reads.erased.insert(self.erased_extents(body, value));
        }
    }

    /// The operation that defines `value`, if kernels copy it instead of taking an argument.
    fn copied_definition(&self, body: &Body, value: Value) -> Option<Op> {
        let op = body.defining_op(value)?;
        let r#type = body.value_type(value);
        let copied = match body.code(op) {
            Some(tensor::EMPTY) => true,
            // an extent of an argument is available in the kernel
            Some(tensor::DIM) => {
                self.shapes == KernelShapes::Shared
                    && body.value_type(tensor::Dim::of(body, op).source).static_shape().is_some()
            }
            Some(arith::CONSTANT) => match r#type {
                Type::Tensor(_) => false,
                _ if body.op(op).attributes.get(ARGUMENT).is_some() => false,
                Type::Index if self.shapes == KernelShapes::Shared => body
                    .op(op)
                    .attributes
                    .integer("value")
                    .is_some_and(|number| number.unsigned_abs() <= INNERMOST_LIMIT.unsigned_abs()),
                _ => true,
            },
            _ => false,
        };
        copied.then_some(op)
    }

    /// The maps of a generic operation inside of the kernel, if they differ: without moduli that are redundant for the
    /// static extents outside, which the kernel does not know.
    fn maps(&self, body: &Body, op: Op) -> Option<Attribute> {
        let is_modulo = |e: &AffineExpr| matches!(e, AffineExpr::Mod(..));
        if !indexing_maps(body, op)?.iter().any(|map| map.results.iter().any(is_modulo)) {
            return None;
        }
        let generic = Generic::of(body, op)?;
        let maps = written_maps(body, op)?.into_iter().enumerate().map(|(operand, mut map)| {
            let inside = self.shapes.inside(body.value_type(generic.operand(operand))).shape().unwrap_or_default();
            for (axis, result) in map.results.iter_mut().enumerate().filter(|(axis, _)| inside[*axis].is_none()) {
                *result = generic.maps[operand].results[axis].clone();
            }
            Attribute::affine_map(map)
        });
        Some(Attribute::Array(maps.collect()))
    }

    /// For each dimension that is dynamic inside of a kernel its extent, if it is static outside.
    fn erased_extents(&self, body: &Body, value: Value) -> Vec<Option<i64>> {
        let outside = body.value_type(value).shape().unwrap_or_default();
        let inside = self.shapes.inside(body.value_type(value)).shape().unwrap_or_default();
        outside.into_iter().zip(inside).filter(|(_, inside)| inside.is_none()).map(|(outside, _)| outside).collect()
    }
}

/// The values that a kernel takes from outside.
#[derive(Default)]
struct Reads {
    /// Tensors and sizes that it takes.
    arguments: IndexSet<Value>,
    /// The extents of copied `tensor.empty`s that are erased in the kernel: equal ones share the sizes.
    erased: IndexSet<Vec<Option<i64>>>,
}

impl Reads {
    /// The sizes that it takes after the arguments.
    fn sizes(&self) -> impl Iterator<Item = i64> + '_ {
        self.erased.iter().flatten().copied().flatten()
    }
}

/// Whether a tensor has one element, whatever its rank.
pub(crate) fn is_one_element(r#type: &Type) -> bool {
    r#type.static_shape().is_some_and(|shape| shape.iter().product::<i64>() == 1)
}

/// One `tensor.empty` per result of the root, inserted before it if it has none.
fn destinations(body: &mut Body, group: &Group) -> Vec<Value> {
    let root = group.root();
    let generic = Generic::of(body, root);
    (0..body.op(root).results().len())
        .map(|index| {
            let own = match &generic {
                Some(generic) => underlying_empty(body, generic.inits[index]),
                None => destination(body, root, index),
            };
            own.unwrap_or_else(|| empty_like(body, body.result(root, index), root))
        })
        .collect()
}

fn underlying_empty(body: &Body, value: Value) -> Option<Value> {
    let op = body.defining_op(value)?;
    match body.code(op) {
        Some(tensor::EMPTY) => Some(value),
        _ => underlying_empty(body, *Generic::of(body, op)?.inits.first()?),
    }
}

/// The kernel's body: it takes the arguments and sizes that its group reads from outside, then the destinations.
fn build_kernel(
    body: &Body,
    group: &Group,
    copies: &Copies,
    operands: &[Value],
    reads: &Reads,
    destinations: &[Value],
) -> (Body, FunctionType) {
    let mut kernel = Body::new();
    let inside = |value: &Value| copies.shapes.inside(body.value_type(*value));
    let mut types: Vec<Type> = reads.arguments.iter().map(inside).collect();
    types.extend(reads.sizes().map(|_| Type::Index));
    types.extend(destinations.iter().map(inside));
    let entry = kernel.add_block(kernel.root(), &types);
    let mut values = kernel.arguments(entry).to_vec().into_iter();
    let mut mapping: Mapping = reads.arguments.iter().copied().zip(values.by_ref()).collect();
    let mut sizes: IndexMap<&Vec<Option<i64>>, Vec<Value>> = IndexMap::default();
    for erased in &reads.erased {
        sizes.insert(erased, values.by_ref().take(erased.iter().flatten().count()).collect());
    }
    mapping.extend(destinations.iter().copied().zip(values));
    let mut copier = Copier { body, copies, kernel: &mut kernel, entry, prologue_end: None, sizes };
    for &value in operands {
        copier.copy(value, &mut mapping);
    }
    for &op in &group.ops {
        let mut outside = |_: &mut Body, _: Value| -> Value { unreachable!("external operands are mapped") };
        let new = clone_op(body, op, &mut kernel, entry, &mut mapping, &mut outside);
        if let Some(maps) = copies.maps(body, op) {
            kernel.op_mut(new).attributes.set("indexing_maps", maps);
        }
    }
    for op in kernel.ops(entry).to_vec() {
        for result in kernel.op(op).results().to_vec() {
            let r#type = copies.shapes.inside(kernel.value_type(result));
            kernel.set_value_type(result, r#type);
        }
    }
    let results: Vec<Value> = body.op(group.root()).results().iter().map(|r| mapping[r]).collect();
    let result_types: Vec<Type> = results.iter().map(|&r| kernel.value_type(r).clone()).collect();
    let end = kernel.create_op(func::RETURN, &results, &[], Attributes::new(), Location::Unknown);
    kernel.append(entry, end);
    for op in kernel.walk_all() {
        kernel.op_mut(op).location = Location::Unknown;
    }
    (kernel, FunctionType { inputs: types, results: result_types })
}

/// Copies definitions to the beginning of a kernel.
struct Copier<'k> {
    body: &'k Body,
    copies: &'k Copies,
    kernel: &'k mut Body,
    entry: Block,
    prologue_end: Option<Op>,
    /// The values of erased extents.
    sizes: IndexMap<&'k Vec<Option<i64>>, Vec<Value>>,
}

impl Copier<'_> {
    fn copy(&mut self, value: Value, mapping: &mut Mapping) {
        if mapping.contains_key(&value) {
            return;
        }
        if let Some(destination) = self.copies.stand_in(self.body, value) {
            mapping.insert(value, mapping[&destination]);
            return;
        }
        let op = self.copies.copied_definition(self.body, value).expect("everything else is an argument");
        for &operand in self.body.op(op).operands() {
            self.copy(operand, mapping);
        }
        let operation = self.body.op(op);
        let mut operands: Vec<Value> = operation.operands().iter().map(|operand| mapping[operand]).collect();
        if operation.name == tensor::EMPTY {
            let mut dynamic = operands.into_iter();
            let erased = self.copies.erased_extents(self.body, value);
            let mut sizes = self.sizes[&erased].iter();
            let size = |extent: &Option<i64>| match extent {
                Some(_) => *sizes.next().expect("one size an erased extent"),
                None => dynamic.next().expect("one operand a dynamic extent"),
            };
            operands = erased.iter().map(size).collect();
        }
        let types = [self.copies.shapes.inside(self.body.value_type(value))];
        let new = self.kernel.create_op(
            operation.name.clone(),
            &operands,
            &types,
            operation.attributes.clone(),
            Location::Unknown,
        );
        self.kernel.insert(self.entry, self.prologue_end.replace(new), new);
        mapping.insert(value, self.kernel.result(new, 0));
    }
}

/// A readable name from the root's location, or `kernel`.
fn kernel_stem(body: &Body, group: &Group) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for &op in &group.ops {
        if let Some(kind) = body.op(op).attributes.str(ORIGIN)
            && kinds.last() != Some(&kind)
        {
            kinds.push(kind);
        }
    }
    kinds.truncate(4);
    match kinds.is_empty() {
        true => "kernel".to_string(),
        false => kinds.join("_"),
    }
}

/// Erases unused pure operations of a block, from the last to the first.
pub fn remove_dead(body: &mut Body, block: Block) {
    remove_unread(body, block, |body, op| {
        let is_pure = body.code(op).is_some_and(|code| match code.dialect() {
            Dialect::Arith | Dialect::Tensor | Dialect::Linalg | Dialect::Math => true,
            _ => code == rt::CALL,
        });
        is_pure && !body.op(op).results().is_empty()
    });
}
