//! Data-dependent sizes, positions and axes, from the contents of small tensors.
//!
//! They become `index` values before the operation that needs them.
//!
//! Invariants
//! - A tensor is read inside its extents: if its length is dynamic, an assertion checks that it is long enough.
//! - If an extent is also known otherwise, an assertion compares it with the data, so that shapes are correct whatever
//!   the data are.

use dialects::arith::CmpIPredicate;
use dialects::{arith, cf, tensor};
use ir::{Attribute, DimExpr, Location, Op, Type, Value};

use super::channel_blocks::loop_index;
use super::reduction::{Combine, Fold, normalize_axis};
use super::scalars::{Comparison, Scalars};
use super::{Lowering, Unsupported};
use crate::shape::{Requirement, Stated, list};

/// Data-dependent extents are below this, so that sums and products of a few of them do not overflow.
pub(crate) const EXTENT_LIMIT: i64 = 1 << 40;

/// The axis for each element of a vector.
#[derive(Clone, Debug)]
pub(crate) enum AxisList {
    /// Element `p` is for axis `[p]`.
    Known(Vec<usize>),
    /// Element `p` is for the axis in element `p` of this vector.
    Named(Value),
    /// Element `p` is for axis `p`; the vector has the number of axes.
    Counted(Value),
}

/// A data-dependent number, limited to the largest extent, so that sums and products of a few do not overflow.
pub(crate) fn within_limit(s: &mut Scalars<'_, '_>, number: Value) -> Value {
    let (least, most) = (s.number(-EXTENT_LIMIT as f64, &Type::Index), s.number(EXTENT_LIMIT as f64, &Type::Index));
    let high = s.min(number, most);
    s.max(high, least)
}

impl Lowering<'_> {
    /// Scalar operations at the insertion point.
    pub fn scalars<T>(&mut self, build: impl FnOnce(&mut Scalars<'_, '_>) -> T) -> T {
        let mut builder = self.builder();
        build(&mut Scalars { builder: &mut builder, unsigned: false })
    }

    /// Ends the run with a message unless `truth` holds.
    pub fn check(&mut self, truth: Value, message: impl AsRef<str>) {
        let message = self.blame(message.as_ref());
        self.emit(cf::ASSERT, &[truth], &[], [("msg", Attribute::string(&message))]);
    }

    /// Ends the run with a message unless two sizes are equal.
    pub fn check_equal(&mut self, a: &DimExpr, b: &DimExpr, message: impl AsRef<str>) {
        if a != b {
            let (a, b) = (self.dim(a), self.dim(b));
            let equal = self.scalars(|s| s.compare(Comparison::Equal, a, b));
            self.check(equal, message);
        }
    }

    /// Refuses a result whose extents come from the contents of operands and that is too large, also where fusion would
    /// never store it.
    pub(crate) fn check_size(&mut self, op: Op) -> Result<(), Unsupported> {
        let result = self.source.op(op).results()[0];
        let Some(width) = self.element(result).byte_width() else { return Ok(()) };
        let shape = self.shape(result);
        let mut constants = shape.iter().filter_map(DimExpr::as_constant);
        let known = constants.try_fold(width as i64, |size, extent| size.checked_mul(extent.max(1)));
        let Some(known) = known.filter(|&bytes| bytes <= EXTENT_LIMIT) else {
            return Err(Unsupported::invalid(format!(
                "a tensor of shape {} takes more than {EXTENT_LIMIT} bytes",
                list(&shape)
            )));
        };
        let operands = self.source.op(op).operands().iter();
        let given: Vec<DimExpr> = operands.flat_map(|&operand| self.shape(operand)).collect();
        let open: Vec<&DimExpr> = shape.iter().filter(|dim| dim.as_constant().is_none()).collect();
        if open.iter().all(|dim| given.contains(dim)) {
            return Ok(());
        }
        let extents: Vec<Value> = open.into_iter().map(|dim| self.dim(dim)).collect();
        let fits = self.scalars(|s| {
            let one = s.number(1.0, &Type::Index);
            // products in f64 do not overflow
            let mut product = s.number(known as f64, &Type::F64);
            for extent in extents {
                let counted = s.max(extent, one);
                let counted = s.builder.value(arith::INDEX_CAST, &[counted], Type::I64, []);
                let counted = s.cast(counted, &Type::F64, false, false);
                product = s.mul(product, counted);
            }
            let limit = s.number(EXTENT_LIMIT as f64, &Type::F64);
            s.compare(Comparison::LessOrEqual, product, limit)
        });
        self.check(fits, format!("its result takes more than {EXTENT_LIMIT} bytes"));
        Ok(())
    }

    /// Asserts the conditions on an operation's extents that shape inference could not decide.
    pub(super) fn check_requirements(&mut self, op: Op) {
        for requirement in self.shapes.requirements(op) {
            let condition = &requirement.condition;
            if !self.checked.insert(condition.clone()) {
                continue;
            }
            let early = self.at == self.entry && condition.dims().iter().all(|dim| self.only_inputs(dim));
            let truth = self.holds(condition, early);
            self.place_check(truth, &requirement.message, early);
        }
    }

    /// Asserts a condition of an operator that has been decomposed, at the beginning of the function.
    pub(super) fn check_stated(&mut self, stated: Stated) {
        let Requirement { condition, message } = stated.requirement;
        let is_known = condition.dims().iter().all(|dim| self.only_inputs(dim));
        if !is_known || !self.checked.insert(condition.clone()) {
            return;
        }
        self.location = stated.place.map_or(Location::Unknown, |place| Location::name(&place));
        self.operator = stated.operator;
        let truth = self.holds(&condition, true);
        self.place_check(truth, &message, true);
    }

    /// A message with the node that it is about.
    pub(super) fn blame(&self, message: &str) -> String {
        self.location.statement(&format!("{}: {message}", self.operator))
    }

    /// Ends the run if a non-empty axis has to be filled from an empty one.
    pub(crate) fn check_source(&mut self, from: Value, to: Value) {
        let fits = self.scalars(|s| {
            let zero = s.number(0.0, &Type::Index);
            let (some, none) = (s.compare(Comparison::Greater, from, zero), s.compare(Comparison::Equal, to, zero));
            s.same(arith::ORI, &[some, none])
        });
        self.check(fits, "an axis without elements has nothing to show in its result");
    }

    /// One element of a source vector, or the only one of a scalar.
    pub fn element_at(&mut self, source: Value, position: usize) -> Value {
        let length = self.shape(source).first().cloned();
        let tensor = self.value(source);
        let position = position as i64;
        if let Some(length) =
            length.as_ref().filter(|length| length.as_constant().is_none_or(|count| count <= position))
        {
            let (length, needed) = (self.dim(length), self.index(position));
            let enough = self.scalars(|s| s.compare(Comparison::Greater, length, needed));
            self.check(enough, "an operand has too few elements");
        }
        let element = self.body.value_type(tensor).element().clone();
        let index = length.map(|_| self.index(position));
        self.builder().value_from(tensor::Extract { tensor, indices: index.as_slice() }, element, [])
    }

    /// One element of a source vector of integers as an `index` value.
    pub fn integer(&mut self, source: Value, position: usize) -> Value {
        let known = self.shapes.known_value(source).and_then(|known| known.get(position).cloned());
        if let Some(known) = known {
            return self.dim(&known);
        }
        let loaded = self.element_at(source, position);
        self.builder().value(arith::INDEX_CAST, &[loaded], Type::Index, [])
    }

    /// A symbolic dimension for a computed value.
    pub fn named_dim(&mut self, value: Value) -> DimExpr {
        let symbol = DimExpr::symbol(&format!("%{}", self.dims.len()));
        self.define_dim(&symbol, value);
        symbol
    }

    /// A list of sizes, unless shape inference knows its contents.
    pub(crate) fn unknown_sizes(&self, sizes: Value) -> Option<Value> {
        self.shapes.known_value(sizes).is_none().then_some(sizes)
    }

    /// Whether an extent of a result is only known from its operation.
    pub(crate) fn is_open(&self, result: Value, axis: usize) -> bool {
        self.is_own_symbol(&self.shape(result)[axis], result)
    }

    /// Settles an extent of a result: defines it, or asserts it if it is known already.
    pub fn settle(&mut self, result: Value, axis: usize, extent: Value) {
        let dim = self.shape(result)[axis].clone();
        if self.is_own_symbol(&dim, result) {
            let number = self.body.defining_op(extent).and_then(|op| self.body.attribute(op, "value")?.as_integer());
            if !number.is_some_and(|number| (0..EXTENT_LIMIT).contains(&number)) {
                let limit = self.index(EXTENT_LIMIT);
                let predicate = [CmpIPredicate::Ult.attribute()];
                let sensible = self.builder().value(arith::CMPI, &[extent, limit], Type::I1, predicate);
                self.check(sensible, format!("extent {axis} of its result is negative or beyond all memory"));
            }
            self.define_dim(&dim, extent);
            return;
        }
        let known = self.dim(&dim);
        if known == extent {
            return;
        }
        let equal = self.scalars(|s| s.compare(Comparison::Equal, known, extent));
        self.check(equal, format!("extent {axis} of a result differs from the one computed from its operands"));
    }

    /// Settles the extents of a result: those, in order, that are kept according to an `i1` value.
    pub(crate) fn settle_kept(&mut self, result: Value, kept: &[(Value, Value)]) {
        let (zero, one) = (self.index(0), self.index(1));
        let places = self.shape(result).len();
        let mut next = zero;
        let mut extents = vec![one; places];
        for &(stays, extent) in kept {
            for (place, found) in extents.iter_mut().enumerate() {
                let place = self.index(place as i64);
                *found = self.scalars(|s| {
                    let here = s.compare(Comparison::Equal, next, place);
                    let here = s.same(arith::ANDI, &[here, stays]);
                    s.select(here, extent, *found)
                });
            }
            next = self.scalars(|s| {
                let more = s.add(next, one);
                s.select(stays, more, next)
            });
        }
        let places = self.index(places as i64);
        let fits = self.scalars(|s| s.compare(Comparison::Equal, next, places));
        self.check(fits, "the number of remaining axes differs from the rank of the result");
        for (axis, extent) in extents.into_iter().enumerate() {
            self.settle(result, axis, extent);
        }
    }

    /// The axes for the elements of `vector`: those in `axes`, or one after the other.
    pub(crate) fn axis_list(
        &mut self,
        axes: Option<Value>,
        vector: Value,
        rank: usize,
    ) -> Result<AxisList, Unsupported> {
        let Some(axes) = axes else {
            let count = self.shape(vector).first().and_then(DimExpr::as_constant);
            return Ok(count.map_or(AxisList::Counted(vector), |count| AxisList::Known((0..count as usize).collect())));
        };
        match self.known_integers(axes) {
            Some(known) => {
                let known = known.iter().map(|&axis| normalize_axis(axis, rank)).collect::<Result<_, _>>()?;
                Ok(AxisList::Known(known))
            }
            None => {
                super::gather::assert_bounds(self, axes, &DimExpr::from(rank as i64), "its axes");
                Ok(AxisList::Named(axes))
            }
        }
    }

    /// The number of elements of an axis list.
    pub(crate) fn list_length(&self, list: &AxisList) -> DimExpr {
        match list {
            AxisList::Known(axes) => DimExpr::Constant(axes.len() as i64),
            AxisList::Named(vector) | AxisList::Counted(vector) => {
                self.shape(*vector).first().cloned().unwrap_or(DimExpr::ONE)
            }
        }
    }

    /// Whether an axis is listed, as an `i1` value.
    pub(crate) fn is_listed(&mut self, list: &AxisList, axis: usize, rank: usize) -> Value {
        if let AxisList::Known(axes) = list {
            return self.number(axes.contains(&axis) as i64 as f64, &Type::I1);
        }
        let count = self.sum_about(list, axis, rank, |s, _| s.number(1.0, &Type::Index));
        let zero = self.index(0);
        self.scalars(|s| s.compare(Comparison::Greater, count, zero))
    }

    /// The element of a vector of integers for an axis, counted from `offset`; zero if there is none.
    pub(crate) fn listed(
        &mut self,
        list: &AxisList,
        source: Value,
        offset: &DimExpr,
        axis: usize,
        rank: usize,
    ) -> Value {
        if let (AxisList::Known(axes), Some(offset)) = (list, offset.as_constant()) {
            return match axes.iter().position(|&listed| listed == axis) {
                Some(position) => self.integer(source, position + offset as usize),
                None => self.index(0),
            };
        }
        let tensor = self.value(source);
        let offset = self.dim(offset);
        self.sum_about(list, axis, rank, |s, position| {
            let at = s.add(position, offset);
            let element = s.builder.body.value_type(tensor).element().clone();
            let value = s.builder.value_from(tensor::Extract { tensor, indices: &[at] }, element, []);
            s.builder.value(arith::INDEX_CAST, &[value], Type::Index, [])
        })
    }

    /// The sum of `term` over the positions of a list that are for an axis.
    fn sum_about(
        &mut self,
        list: &AxisList,
        axis: usize,
        rank: usize,
        term: impl FnOnce(&mut Scalars<'_, '_>, Value) -> Value,
    ) -> Value {
        let (vector, named) = match list {
            AxisList::Known(_) => unreachable!("the positions of known axes are known"),
            AxisList::Named(vector) => (*vector, true),
            AxisList::Counted(vector) => (*vector, false),
        };
        let vector = self.shaped(vector);
        let all: Vec<usize> = (0..vector.shape.len()).collect();
        let sum = self.reduce(&vector, &all, false, Fold::new(Combine::Add, Type::I64, false), |s, element| {
            // a scalar is a list of one
            let position = if all.is_empty() { s.number(0.0, &Type::Index) } else { loop_index(s.builder, 0) };
            let about = match named {
                true => is_axis(s, element, axis as i64, rank as i64),
                false => {
                    let axis = s.number(axis as f64, &Type::Index);
                    s.compare(Comparison::Equal, position, axis)
                }
            };
            let value = term(s, position);
            let value = s.builder.value(arith::INDEX_CAST, &[value], Type::I64, []);
            let zero = s.like(0.0, value);
            s.select(about, value, zero)
        });
        let sum = self.builder().value_from(tensor::Extract { tensor: sum.value, indices: &[] }, Type::I64, []);
        self.builder().value(arith::INDEX_CAST, &[sum], Type::Index, [])
    }
}

/// Whether a number is a valid axis; negative ones count from the back.
fn is_axis(s: &mut Scalars<'_, '_>, number: Value, axis: i64, rank: i64) -> Value {
    let (front, back) = (s.like(axis as f64, number), s.like((axis - rank) as f64, number));
    let from_front = s.compare(Comparison::Equal, number, front);
    let from_back = s.compare(Comparison::Equal, number, back);
    s.same(arith::ORI, &[from_front, from_back])
}
