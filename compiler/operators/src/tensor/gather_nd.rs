//! GatherND: slices selected by tuples of indices. Since 11.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::tensor;
use ir::{DimExpr, Op, Value};

use crate::operator::{Kind, Operator};
use crate::shape::{Answer, Condition, Node};
use crate::structured::channel_blocks::loop_index;
use crate::structured::gather::{assert_component, bounded, component_of};
use crate::structured::scalars::Scalars;
use crate::structured::{Lowering, Unsupported};

pub(crate) const GATHER_ND: Operator =
    Operator { kind: Kind::Movement, shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::GatherND) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let gather: views::GatherND = node.view();
    let (Some(shape), Some(indices)) = (node.shape_of(gather.data), node.shape_of(gather.indices)) else {
        return Ok(vec![]);
    };
    let Some((last, places)) = indices.split_last() else { return Err("the indices have rank 0".to_string()) };
    let batches = usize::try_from(gather.batch_dims).map_err(|_| "its batch_dims is negative".to_string())?;
    if batches > places.len() || batches > shape.len() {
        let ranks = (shape.len(), indices.len());
        return Err(format!("{batches} batch axes for data of rank {} and indices of rank {}", ranks.0, ranks.1));
    }
    let Some(depth) = depth(node, last, places.len() + shape.len() - batches, shape.len() - batches)? else {
        return Ok(vec![]);
    };
    let rest = usize::try_from(depth).ok().and_then(|depth| shape.get(batches + depth..));
    let rest = rest.ok_or_else(|| format!("{depth} indices for rank {}", shape.len()))?;
    for (own, wanted) in places[..batches].iter().zip(&shape) {
        node.expect_equal(own, wanted, "batch extents")?;
    }
    Ok(vec![Some([places, rest].concat())])
}

/// The length of an index tuple. One that is not known is what the rank of the result says, which is `most` less the
/// length, and at most `axes`.
fn depth(node: &mut Node<'_, '_>, last: &DimExpr, most: usize, axes: usize) -> Result<Option<i64>, String> {
    if let Some(depth) = last.as_constant() {
        return Ok(Some(depth));
    }
    let candidates: Vec<usize> = (1..=axes).map(|depth| most - depth).collect();
    let Some(rank) = node.demanded_rank(0, &candidates) else { return Ok(None) };
    let depth = (most - rank) as i64;
    let message = || format!("{last} indices in a tuple, but the rank of the result needs {depth}");
    node.require(Condition::Equal(last.clone(), DimExpr::Constant(depth)), message)?;
    Ok(Some(depth))
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let views::GatherND { data, indices, batch_dims } = View::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let batch = usize::try_from(batch_dims).map_err(|_| Unsupported::invalid("its batch_dims is negative"))?;
    let input = lowering.shaped(data);
    let picks = lowering.shaped(indices);
    let (rank, index_rank) = (input.shape.len(), picks.shape.len());
    let output = lowering.shape(result);
    let element = lowering.element(result);
    let depth = (rank + index_rank - 1).checked_sub(batch + output.len()).filter(|depth| batch + depth <= rank);
    let depth = depth.ok_or_else(|| Unsupported::invalid("the rank of its result fits no length of index tuples"))?;
    for component in 0..depth {
        let part = component_of(lowering, &picks, component);
        assert_component(lowering, &part, &input.shape[batch + component], "GatherND");
    }
    let limits: Vec<Value> = input.shape.iter().map(|dim| lowering.dim(dim)).collect();
    let out_rank = output.len();
    let value = lowering.pointwise(&[], &output, element.clone(), |builder, _| {
        let mut indices: Vec<Value> = (0..batch).map(|d| loop_index(builder, d)).collect();
        for component in 0..depth {
            let mut at: Vec<Value> = (0..index_rank - 1).map(|d| loop_index(builder, d)).collect();
            at.push(builder.constant_index(component as i64));
            let index_element = builder.body.value_type(picks.value).element().clone();
            let extract = tensor::Extract { tensor: picks.value, indices: &at };
            let index = builder.value_from(extract, index_element, []);
            indices.push(bounded(&mut Scalars { builder, unsigned: false }, index, limits[batch + component]));
        }
        let inner = rank - batch - depth;
        indices.extend((out_rank - inner..out_rank).map(|d| loop_index(builder, d)));
        builder.value_from(tensor::Extract { tensor: input.value, indices: &indices }, element, [])
    });
    lowering.bind(result, value);
    Ok(())
}
