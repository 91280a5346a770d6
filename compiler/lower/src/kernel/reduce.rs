//! Evaluates a reduction at a point of its parallel loops: the nest over its reduction loops.
//!
//! If the point is one scalar iteration, the last reduction loop is vectorised if the combiner is known to be
//! associative: lanes accumulate separately, starting from the neutral element, and are combined at the end in a fixed
//! order.

use abi::RowFold;
use dialects::{OpCode, OpCodes, arith, vector};
use ir::{AffineExpr, AffineMap, Attribute, Attributes, OpName, Type, Value};

use super::emit::{Emitter, Order};
use super::lane::Lane;
use dialects::linalg::generic::{Generic, Iterator};

/// A combiner that may be applied to lanes separately.
pub(super) struct Combiner {
    /// The operation.
    pub(super) code: OpCode,
    /// Its `vector.kind`.
    kind: &'static str,
    /// The neutral element of the given type.
    neutral: fn(&Type) -> Attribute,
    /// The runtime's row reduction of `f32`, if there is one.
    pub(super) fold: Option<RowFold>,
}

fn float(value: f64) -> impl Fn(&Type) -> Attribute {
    move |r#type| Attribute::float(value, r#type.clone())
}

fn width(r#type: &Type) -> u32 {
    r#type.bit_width().unwrap_or(64)
}

const COMBINERS: &[Combiner] = &[
    Combiner { code: arith::ADDF, kind: "add", neutral: |t| float(0.0)(t), fold: Some(RowFold::Sum) },
    Combiner { code: arith::MULF, kind: "mul", neutral: |t| float(1.0)(t), fold: Some(RowFold::Product) },
    Combiner {
        code: arith::MAXIMUMF,
        kind: "maximumf",
        neutral: |t| float(f64::NEG_INFINITY)(t),
        fold: Some(RowFold::Largest),
    },
    Combiner {
        code: arith::MINIMUMF,
        kind: "minimumf",
        neutral: |t| float(f64::INFINITY)(t),
        fold: Some(RowFold::Smallest),
    },
    Combiner { code: arith::ADDI, kind: "add", neutral: |t| Attribute::Integer(0, t.clone()), fold: None },
    Combiner { code: arith::MULI, kind: "mul", neutral: |t| Attribute::Integer(1, t.clone()), fold: None },
    Combiner { code: arith::ORI, kind: "or", neutral: |t| Attribute::Integer(0, t.clone()), fold: None },
    Combiner {
        code: arith::MAXSI,
        kind: "maxsi",
        neutral: |t| Attribute::Integer(i64::MIN >> (64 - width(t)), t.clone()),
        fold: None,
    },
    Combiner {
        code: arith::MINSI,
        kind: "minsi",
        neutral: |t| Attribute::Integer(i64::MAX >> (64 - width(t)), t.clone()),
        fold: None,
    },
];

/// Independent vector accumulators, enough to hide the latency of a combiner.
const CHAINS: usize = 4;

/// Reduction loops with at most this many iterations in total are unrolled.
const UNROLL_LIMIT: i64 = 9;
/// Longer ones are unrolled with at most this many operations in total.
const UNROLLED_OPS: i64 = 64;

impl Emitter<'_> {
    /// The results of a reduction at `point`, with open reduction loops.
    pub fn evaluate_reduction(&mut self, generic: &Generic, point: Vec<Option<Lane>>) -> Vec<Lane> {
        if let Some(known) = self.known_point(generic, &point) {
            return known;
        }
        let starts: Vec<Lane> = (0..generic.inits.len()).map(|index| self.start(generic, index, &point)).collect();
        let across = point.iter().flatten().any(Lane::varies);
        let results = match self.vector_combiner(generic, across) {
            Some(combiner) => match self.row_fold(generic, combiner) {
                Some(fold) => vec![self.fold_rows(generic, &point, &starts[0], fold)],
                None => vec![self.reduce_lanes(generic, &point, &starts[0], combiner)],
            },
            None => self.reduce_points(generic, point.clone(), starts, across),
        };
        self.remember_point(generic, point, results.clone());
        results
    }

    /// The initial value of a reduction, at a point of its parallel loops.
    pub(super) fn start(&mut self, generic: &Generic, index: usize, point: &[Option<Lane>]) -> Lane {
        let map = generic.output_map(index).clone();
        let subscripts: Vec<Lane> = map.results.iter().map(|e| self.affine(e, point)).collect();
        self.evaluate(generic.inits[index], &subscripts)
    }

    pub(super) fn reduction_loops(&mut self, generic: &Generic) -> Vec<(usize, Value)> {
        let dims: Vec<usize> = (0..generic.rank()).filter(|&d| generic.iterators[d] == Iterator::Reduction).collect();
        dims.into_iter().map(|dim| (dim, self.loop_extent(generic, dim))).collect()
    }

    /// One iteration at a time; the point itself may cover several lanes.
    fn reduce_points(
        &mut self,
        generic: &Generic,
        point: Vec<Option<Lane>>,
        starts: Vec<Lane>,
        across: bool,
    ) -> Vec<Lane> {
        let starts: Vec<Lane> = match across {
            true => starts.iter().map(|lane| self.spread(lane)).collect(),
            false => starts,
        };
        let loops = self.reduction_loops(generic);
        match self.is_unrolled(generic) {
            true => self.unrolled(generic, point, starts, &loops),
            false => self.nested(generic, point, starts, &loops),
        }
    }

    /// Whether the reduction loops have few iterations in total, so that they are unrolled.
    pub(super) fn is_unrolled(&mut self, generic: &Generic) -> bool {
        let loops = self.reduction_loops(generic);
        let trip =
            loops.iter().try_fold(1, |product: i64, (_, extent)| product.checked_mul(self.constant_value(*extent)?));
        let ops = self.source.ops(generic.block).count() as i64;
        trip.is_some_and(|trip| trip <= UNROLL_LIMIT || trip.saturating_mul(ops) <= UNROLLED_OPS)
    }

    /// A lane that can be carried through a loop: a vector, or one scalar per lane.
    fn spread(&mut self, lane: &Lane) -> Lane {
        match lane {
            Lane::Uniform(value) if !self.vector_legal(&self.body.value_type(*value).clone()) => {
                Lane::Scalars(vec![*value; self.lanes])
            }
            Lane::Iota(_) | Lane::EveryOther(_) => Lane::Scalars(self.scalars_of(lane)),
            Lane::Uniform(_) => Lane::Vector(self.vector_of(lane)),
            Lane::Vector(_) | Lane::Scalars(_) => lane.clone(),
        }
    }

    /// All iterations unrolled; in several chains if they may be combined in any order.
    fn unrolled(
        &mut self,
        generic: &Generic,
        point: Vec<Option<Lane>>,
        starts: Vec<Lane>,
        loops: &[(usize, Value)],
    ) -> Vec<Lane> {
        let points = self.iterations(point, loops);
        let mut chains = vec![starts];
        let combiner = self.combiner(generic).filter(|_| points.len() >= 2 * CHAINS);
        let element = self.source.value_type(generic.inits[0]).element().clone();
        if let Some(combiner) = combiner {
            let neutral = self.constant((combiner.neutral)(&element), element.clone());
            let neutral = self.alike(&Lane::Uniform(neutral), &chains[0][0]);
            chains.resize(CHAINS, vec![neutral]);
        }
        for (number, point) in points.iter().enumerate() {
            let chain = number % chains.len();
            chains[chain] = self.evaluate_body(generic, point, Some(&chains[chain]));
        }
        let Some(combiner) = combiner else { return chains.remove(0) };
        while chains.len() > 1 {
            let half = chains.split_off(chains.len() / 2);
            for (one, other) in chains.iter_mut().zip(half) {
                let pair = [one[0].clone(), other[0].clone()];
                let name = OpName::from(combiner.code);
                *one = vec![self.elementwise(&name, &pair, element.clone(), &Attributes::new())];
            }
        }
        chains.remove(0)
    }

    /// The points of static reduction loops, in order.
    fn iterations(&mut self, point: Vec<Option<Lane>>, loops: &[(usize, Value)]) -> Vec<Vec<Option<Lane>>> {
        let mut points = vec![point];
        for &(dim, extent) in loops {
            let trip = self.constant_value(extent).expect("unrolled loops are static");
            let indices: Vec<Lane> = (0..trip).map(|iteration| Lane::Uniform(self.index(iteration))).collect();
            let at = |point: &Vec<Option<Lane>>, index: &Lane| {
                let mut point = point.clone();
                point[dim] = Some(index.clone());
                point
            };
            points = points.iter().flat_map(|point| indices.iter().map(move |index| at(point, index))).collect();
        }
        points
    }

    fn nested(
        &mut self,
        generic: &Generic,
        mut point: Vec<Option<Lane>>,
        accumulators: Vec<Lane>,
        loops: &[(usize, Value)],
    ) -> Vec<Lane> {
        let Some(((dim, extent), inner)) = loops.split_first() else {
            return self.evaluate_body(generic, &point, Some(&accumulators));
        };
        let carried: Vec<Value> = accumulators.iter().flat_map(lane_values).collect();
        let zero = self.index(0);
        let results = self.for_loop(zero, *extent, 1, &carried, |emitter, iteration, carried| {
            point[*dim] = Some(Lane::Uniform(iteration));
            let accumulators = refill(&accumulators, carried);
            let next = emitter.nested(generic, point, accumulators.clone(), inner);
            next.iter().zip(&accumulators).flat_map(|(lane, like)| lane_values(&emitter.alike(lane, like))).collect()
        });
        refill(&accumulators, &results)
    }

    /// `lane` in the representation of `like`.
    fn alike(&mut self, lane: &Lane, like: &Lane) -> Lane {
        match (like, lane) {
            (Lane::Vector(_), _) => Lane::Vector(self.vector_of(lane)),
            (Lane::Scalars(_), _) => {
                let scalars = self.scalars_of(lane);
                Lane::Scalars((0..self.lanes).map(|l| scalars[l.min(scalars.len() - 1)]).collect())
            }
            (Lane::Uniform(_) | Lane::Iota(_) | Lane::EveryOther(_), _) => lane.clone(),
        }
    }

    /// Whether lanes of the last reduction loop accumulate separately, at a point that is one scalar iteration.
    pub(super) fn combines_lanes(&mut self, generic: &Generic) -> bool {
        self.vector_combiner(generic, false).is_some()
    }

    /// The combiner, if lanes of the last reduction loop can accumulate separately.
    fn vector_combiner(&mut self, generic: &Generic, across: bool) -> Option<&'static Combiner> {
        let combiner = self.combiner(generic).filter(|_| !across && self.lanes > 1)?;
        let element = self.source.value_type(generic.inits[0]).element().clone();
        if !self.vector_legal(&element) {
            return None;
        }
        let last = (0..generic.rank()).rev().find(|&d| generic.iterators[d] == Iterator::Reduction)?;
        let extent = self.loop_extent(generic, last);
        if self.constant_value(extent).is_some_and(|extent| extent < self.lanes as i64) {
            return None;
        }
        // profitable if some operand is contiguous along the loop
        let arguments = self.source.arguments(generic.block);
        let consecutive = generic.maps[..generic.inputs.len()].iter().zip(arguments).any(|(map, &argument)| {
            map.results.last() == Some(&AffineExpr::Dim(last as u32)) && !self.source.uses(argument).is_empty()
        });
        consecutive.then_some(combiner)
    }

    /// The combiner of a reduction with one result, if iterations may be combined in any order.
    pub(super) fn combiner(&self, generic: &Generic) -> Option<&'static Combiner> {
        let source = self.source;
        let &[yielded] = generic.yields(source) else { return None };
        let op = source.defining_op(yielded)?;
        let combiner = COMBINERS.iter().find(|combiner| source.is(op, combiner.code))?;
        if *source.value_type(yielded) == Type::I1 {
            return None;
        }
        let accumulator = source.arguments(generic.block)[generic.inputs.len()];
        let once = source.uses(accumulator).len() == 1 && source.op(op).operands().contains(&accumulator);
        let rounds = matches!(combiner.code, arith::ADDF | arith::MULF);
        (once && !(rounds && self.target.order == Order::Sequence)).then_some(combiner)
    }

    fn reduce_lanes(
        &mut self,
        generic: &Generic,
        point: &[Option<Lane>],
        start: &Lane,
        combiner: &'static Combiner,
    ) -> Lane {
        let source = self.source;
        let element = source.value_type(generic.inits[0]).element().clone();
        let neutral = self.constant((combiner.neutral)(&element), element.clone());
        let neutral = self.vector_of(&Lane::Uniform(neutral));
        let start = start.uniform().expect("a scalar point has a scalar start");
        let loops = self.reduction_loops(generic);
        let chains = self.chain_count(generic, &loops);
        let mut carried = vec![neutral; chains];
        carried.push(start);
        let results = self.lanes_nest(generic, point.to_vec(), &carried, &loops);
        let (scalar, vectors) = results.split_last().expect("a scalar is carried along with the vectors");
        let r#type = self.body.value_type(neutral).clone();
        let vector = vectors
            .iter()
            .copied()
            .reduce(|a, b| self.pure(combiner.code, &[a, b], r#type.clone(), Attributes::new()))
            .expect("there is a vector");
        let kind = Attribute::Dialect("vector".into(), format!("kind<{}>", combiner.kind).into());
        let mut attributes = Attributes::from([("kind", kind)]);
        if matches!(combiner.code, arith::ADDF | arith::MULF) {
            // lanes are as independent as their operands
            attributes.set("fastmath", Attribute::Dialect("arith".into(), "fastmath<reassoc>".into()));
        }
        let folded = self.pure_from(vector::Reduction { vector, acc: &[] }, element.clone(), attributes);
        Lane::Uniform(self.pure(combiner.code, &[*scalar, folded], element, Attributes::new()))
    }

    /// The number of independent accumulators: more than one if elements are only loaded, or are uniform in all
    /// iterations, so that the combiner is the bottleneck.
    fn chain_count(&self, generic: &Generic, loops: &[(usize, Value)]) -> usize {
        let (_, extent) = loops.last().expect("a reduction has a reduction loop");
        let long = self.constant_value(*extent).is_none_or(|extent| extent >= (CHAINS * self.lanes) as i64);
        let is_along =
            |map: &AffineMap| loops.iter().any(|(dim, _)| map.results.iter().any(|e| e.uses_dim(*dim as u32)));
        let is_read =
            |input: Value| self.buffer(input).is_some() || self.source.value_type(input).as_tensor().is_none();
        let mut inputs = generic.inputs.iter().zip(&generic.maps);
        if long && inputs.all(|(&input, map)| is_read(input) || !is_along(map)) { CHAINS } else { 1 }
    }

    /// The reduction loops around independent vector accumulators and, last of `carried`, the scalar accumulator of the
    /// tail.
    fn lanes_nest(
        &mut self,
        generic: &Generic,
        mut point: Vec<Option<Lane>>,
        carried: &[Value],
        loops: &[(usize, Value)],
    ) -> Vec<Value> {
        let zero = self.index(0);
        let ((dim, extent), inner) = loops.split_first().expect("a reduction has a reduction loop");
        if !inner.is_empty() {
            return self.for_loop(zero, *extent, 1, carried, |emitter, iteration, carried| {
                point[*dim] = Some(Lane::Uniform(iteration));
                emitter.lanes_nest(generic, point, carried, inner)
            });
        }
        let (&scalar, vectors) = carried.split_last().expect("a scalar is carried along with the vectors");
        let place = (point, *dim);
        let (mut vectors, mut done) = (vectors.to_vec(), zero);
        let widths: &[usize] = if vectors.len() > 1 { &[vectors.len(), 1] } else { &[1] };
        for &chains in widths {
            let step = (chains * self.lanes) as i64;
            let width = self.index(step);
            let left = self.sub(*extent, done);
            let rest = self.rem(left, width);
            let end = self.sub(*extent, rest);
            if done != end {
                let next = self.vectors_loop(generic, &place, (done, end), &vectors[..chains]);
                vectors[..chains].copy_from_slice(&next);
                done = end;
            }
        }
        if done == *extent {
            vectors.push(scalar);
            return vectors;
        }
        let tail = self.for_loop(done, *extent, 1, &[scalar], |emitter, iteration, carried| {
            let (mut point, dim) = place.clone();
            point[dim] = Some(Lane::Uniform(iteration));
            let next = emitter.evaluate_body(generic, &point, Some(&[Lane::Uniform(carried[0])]));
            vec![next[0].uniform().expect("a scalar point has scalar results")]
        });
        vectors.push(tail[0]);
        vectors
    }

    /// The innermost reduction loop over full vectors, one per accumulator.
    fn vectors_loop(
        &mut self,
        generic: &Generic,
        (point, dim): &(Vec<Option<Lane>>, usize),
        (low, high): (Value, Value),
        vectors: &[Value],
    ) -> Vec<Value> {
        let lanes = self.lanes as i64;
        self.for_loop(low, high, lanes * vectors.len() as i64, vectors, |emitter, iteration, carried| {
            let mut point = point.clone();
            let mut first = iteration;
            let mut next = Vec::new();
            for &vector in carried {
                point[*dim] = Some(Lane::Iota(first));
                let combined = emitter.evaluate_body(generic, &point, Some(&[Lane::Vector(vector)]));
                next.push(emitter.vector_of(&combined[0]));
                let width = emitter.index(lanes);
                first = emitter.add(first, width);
            }
            next
        })
    }
}

fn lane_values(lane: &Lane) -> Vec<Value> {
    match lane {
        Lane::Uniform(value) | Lane::Iota(value) | Lane::EveryOther(value) | Lane::Vector(value) => vec![*value],
        Lane::Scalars(values) => values.clone(),
    }
}

/// Lanes of the same representation as `like`, with `values`.
fn refill(like: &[Lane], values: &[Value]) -> Vec<Lane> {
    let mut values = values.iter().copied();
    let mut next = || values.next().expect("one value per lane");
    like.iter()
        .map(|lane| match lane {
            Lane::Uniform(_) => Lane::Uniform(next()),
            Lane::Iota(_) => Lane::Iota(next()),
            Lane::EveryOther(_) => Lane::EveryOther(next()),
            Lane::Vector(_) => Lane::Vector(next()),
            Lane::Scalars(old) => Lane::Scalars(old.iter().map(|_| next()).collect()),
        })
        .collect()
}
