//! TreeEnsemble, since 5, and its predecessor TreeEnsembleRegressor: sums over the leaves of decision trees.

use std::sync::Arc;

use dialects::onnx::OnnxOp;
use dialects::onnx::views::ml::{TreeEnsemble, TreeEnsembleRegressor};
use dialects::onnx::views::{Enumeration, PostTransform, View};
use ir::{Attribute, Body, DenseElements, DimExpr, Op, Value};

use super::forest::{Aggregate, Branch, Forest, Lists, Mode};
use super::rows;
use super::scores::transformed;
use crate::graph::Emitter;
use crate::operator::Operator;
use crate::shape::{Answer, Node};
use crate::structured::calls::Argument::{Index, Tensor};
use crate::structured::{Lowering, Unsupported};

const POST_TRANSFORM: &str = "post_transform";

pub(crate) const TREE_ENSEMBLE: Operator = Operator {
    shapes: Some(shapes),
    conditions: Some(|node| forest(&TreeEnsemble::read(node)).map(drop)),
    lower: Some(|lowering, op| {
        let ensemble = TreeEnsemble::of(lowering.source, op);
        let forest = forest(&ensemble).map_err(Unsupported::invalid)?;
        lower(lowering, op, ensemble.x, &forest)
    }),
    compose: Some(|emit, op| {
        let transform = numbered_transform(&emit.body, op);
        Ok(vec![Some(transformed_after(emit, op, ("TreeEnsemble", Attribute::i64(0)), transform))])
    }),
    lowers: Some(|body, op| numbered_transform(body, op) == PostTransform::None),
    ..Operator::of(OnnxOp::MlTreeEnsemble)
};

pub(crate) const TREE_ENSEMBLE_REGRESSOR: Operator = Operator {
    shapes: Some(shapes),
    conditions: Some(|node| forest_of_lists(TreeEnsembleRegressor::read(node)).map(drop)),
    lower: Some(|lowering, op| {
        let ensemble = TreeEnsembleRegressor::of(lowering.source, op);
        let x = ensemble.x;
        let forest = forest_of_lists(ensemble).map_err(Unsupported::invalid)?;
        lower(lowering, op, x, &forest)
    }),
    compose: Some(|emit, op| {
        let transform = named_transform(&emit.body, op);
        Ok(vec![Some(transformed_after(emit, op, ("TreeEnsembleRegressor", Attribute::string("NONE")), transform))])
    }),
    lowers: Some(|body, op| named_transform(body, op) == PostTransform::None),
    ..Operator::of(OnnxOp::MlTreeEnsembleRegressor)
};

// Only the attribute with the transform is read, because reading the lists of all nodes takes long. The lowering refuses
// an unknown one.

fn numbered_transform(body: &Body, op: Op) -> PostTransform {
    let number = body.op(op).attributes.integer(POST_TRANSFORM);
    number.and_then(transform).unwrap_or(PostTransform::None)
}

fn named_transform(body: &Body, op: Op) -> PostTransform {
    let name = body.op(op).attributes.str(POST_TRANSFORM);
    name.and_then(PostTransform::parse).unwrap_or(PostTransform::None)
}

/// The scores of the operator with that name, and the attribute of one without a transform, transformed in separate nodes.
fn transformed_after(emit: &mut Emitter, op: Op, (name, none): (&str, Attribute), transform: PostTransform) -> Value {
    let ensemble = emit.body.op(op);
    let (operands, attributes) = (ensemble.operands().to_vec(), ensemble.attributes.clone().with(POST_TRANSFORM, none));
    let scores = emit.ml(name, &operands, attributes);
    transformed(emit, scores, transform)
}

/// Only the attribute with the number of targets is read, because reading the lists of all nodes takes long.
fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let targets = node.attributes().integer("n_targets").unwrap_or(1);
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    Ok(vec![Some(vec![rows(&shape)?, DimExpr::Constant(targets.max(0))])])
}

/// Thresholds and weights are f64 if features are.
fn lower(lowering: &mut Lowering<'_>, op: Op, x: Value, forest: &Forest) -> Result<(), Unsupported> {
    let element = lowering.element(x);
    let mut arguments = vec![Tensor(x)];
    arguments.extend(forest.tables(&element).map(|table| lowering.vector(&table)));
    let (trees, features) = (forest.roots.len() as i64, forest.feature_count());
    let numbers = [trees, features, forest.common_orders(), forest.aggregate as i64];
    arguments.extend(numbers.map(|number| Index(lowering.index(number))));
    lowering.call(op, "trees", &arguments)
}

/// The floats of a tensor, or of a list if there is no tensor.
pub(super) fn numbers(tensor: Option<&Arc<DenseElements>>, list: Option<Vec<f32>>) -> Vec<f64> {
    match tensor {
        Some(tensor) => tensor.floats().unwrap_or_default(),
        None => list.unwrap_or_default().into_iter().map(f64::from).collect(),
    }
}

pub(super) fn forest_of_lists(ensemble: TreeEnsembleRegressor) -> Result<Forest, String> {
    let base = numbers(ensemble.base_values_as_tensor.as_ref(), ensemble.base_values);
    let aggregate = Aggregate::named(&ensemble.aggregate_function);
    let aggregate = aggregate.ok_or_else(|| format!("\"{}\" is not an aggregate", ensemble.aggregate_function))?;
    let lists = Lists {
        trees: ensemble.nodes_treeids.unwrap_or_default(),
        nodes: ensemble.nodes_nodeids.unwrap_or_default(),
        modes: ensemble.nodes_modes.unwrap_or_default(),
        features: ensemble.nodes_featureids.unwrap_or_default(),
        values: numbers(ensemble.nodes_values_as_tensor.as_ref(), ensemble.nodes_values),
        ways: [ensemble.nodes_truenodeids.unwrap_or_default(), ensemble.nodes_falsenodeids.unwrap_or_default()],
        missing_holds: ensemble.nodes_missing_value_tracks_true.unwrap_or_default(),
        weight_trees: ensemble.target_treeids.unwrap_or_default(),
        weight_nodes: ensemble.target_nodeids.unwrap_or_default(),
        weight_targets: ensemble.target_ids.unwrap_or_default(),
        weights: numbers(ensemble.target_weights_as_tensor.as_ref(), ensemble.target_weights),
    };
    lists.forest(base, ensemble.n_targets.unwrap_or(1), aggregate)
}

fn forest(ensemble: &TreeEnsemble) -> Result<Forest, String> {
    let count = ensemble.nodes_featureids.len();
    let missing_holds = ensemble.nodes_missing_value_tracks_true.as_deref().unwrap_or_default();
    let lengths = [
        ensemble.nodes_modes.element_count(),
        ensemble.nodes_splits.element_count(),
        ensemble.nodes_truenodeids.len(),
        ensemble.nodes_trueleafs.len(),
        ensemble.nodes_falsenodeids.len(),
        ensemble.nodes_falseleafs.len(),
    ];
    let leaf_count = ensemble.leaf_targetids.len();
    if lengths.iter().any(|&length| length != count)
        || ![0, count].contains(&missing_holds.len())
        || ensemble.leaf_weights.element_count() != leaf_count
    {
        return Err("the lists of its nodes, or of its leaves, differ in length".to_string());
    }
    let numbered = |number: i64| i32::try_from(number).ok().filter(|&number| (0..i32::MAX).contains(&number));
    let reference = |number: i64, leaf: i64| {
        let number = numbered(number).ok_or("a node leads to one that does not exist")?;
        Ok::<i32, String>(if leaf != 0 { !number } else { number })
    };
    let branch = |at: usize| {
        let mode = ensemble.nodes_modes.integer(at).and_then(Mode::numbered);
        Ok::<Branch, String>(Branch {
            feature: ensemble.nodes_featureids[at],
            mode: mode.ok_or("a node has an unknown mode")?,
            value: ensemble.nodes_splits.float(at).unwrap_or(0.0),
            ways: [
                reference(ensemble.nodes_truenodeids[at], ensemble.nodes_trueleafs[at])?,
                reference(ensemble.nodes_falsenodeids[at], ensemble.nodes_falseleafs[at])?,
            ],
            missing_holds: missing_holds.get(at).is_some_and(|&holds| holds != 0),
        })
    };
    let aggregate = Aggregate::numbered(ensemble.aggregate_function).ok_or("the aggregate is unknown")?;
    transform(ensemble.post_transform).ok_or("the post transform is unknown")?;
    let mut forest = Forest {
        branches: (0..count).map(branch).collect::<Result<_, _>>()?,
        roots: ensemble.tree_roots.iter().map(|&root| reference(root, 0)).collect::<Result<_, _>>()?,
        leaves: (0..=leaf_count as i32).collect(),
        targets: ensemble.leaf_targetids.clone(),
        weights: numbers(Some(&ensemble.leaf_weights), None),
        base: vec![],
        target_count: ensemble.n_targets.unwrap_or(1),
        aggregate,
    };
    let members = numbers(ensemble.membership_values.as_ref(), None);
    spread_members(&mut forest.branches, &members)?;
    forest.check()?;
    Ok(forest)
}

fn transform(number: i64) -> Option<PostTransform> {
    use PostTransform::{Logistic, None, Probit, Softmax, SoftmaxZero};
    [None, Softmax, Logistic, SoftmaxZero, Probit].get(usize::try_from(number).ok()?).copied()
}

/// A set membership test becomes a chain of equality tests. The sets are in the order of their nodes, each followed by
/// a NaN.
fn spread_members(branches: &mut Vec<Branch>, members: &[f64]) -> Result<(), String> {
    let mut sets = members.split(|member| member.is_nan());
    for at in 0..branches.len() {
        if branches[at].mode != Mode::Member {
            continue;
        }
        let set = sets.next().ok_or("there are fewer sets of members than nodes that test for one")?;
        let Branch { ways: [_, otherwise], .. } = branches[at];
        branches[at].mode = Mode::Equal;
        match set {
            [] => branches[at].ways[0] = otherwise,
            [first, rest @ ..] => {
                branches[at].value = *first;
                let mut last = at;
                for &member in rest {
                    let next = branches.len();
                    branches.push(Branch { value: member, ..branches[last] });
                    branches[last].ways[1] = i32::try_from(next).map_err(|_| "the set has too many members")?;
                    last = next;
                }
            }
        }
    }
    Ok(())
}
