//! Signal transforms.

use ir::DimExpr;

use super::node::{Node, normalize_axis};
use super::{Answer, Rule};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "DFT" => fourier,
        "STFT" => short_time_fourier,
        "MelWeightMatrix" => mel_weights,
        "BlackmanWindow" | "HannWindow" | "HammingWindow" => window,
        _ => return None,
    })
}

/// The first element of an operand, when known.
fn scalar(node: &Node<'_, '_>, index: usize) -> Option<DimExpr> {
    node.known(index)?.into_iter().next()
}

/// Frequencies of a real transform: half of them and the constant one.
fn one_sided(length: &DimExpr) -> DimExpr {
    length.floor_div(&DimExpr::Constant(2)).add(&DimExpr::ONE)
}

fn fourier(node: &mut Node<'_, '_>) -> Answer {
    let Some(mut shape) = node.shape(0) else { return Ok(vec![]) };
    let rank = shape.len();
    let axis = match (node.operand(2), scalar(node, 2)) {
        (None, _) => normalize_axis(node.integer("axis", -2), rank)?,
        (Some(_), Some(DimExpr::Constant(axis))) => normalize_axis(axis, rank)?,
        _ => return Ok(vec![]),
    };
    let length = match (node.operand(1), scalar(node, 1)) {
        (None, _) => shape[axis].clone(),
        (Some(_), Some(length)) => length,
        _ => return Ok(vec![Some((0..rank).map(|axis| node.fresh(0, axis)).collect())]),
    };
    let (one, inverse) = (node.integer("onesided", 0) != 0, node.integer("inverse", 0) != 0);
    shape[axis] = if one && !inverse { one_sided(&length) } else { length };
    shape[rank - 1] = if one && inverse { DimExpr::ONE } else { DimExpr::Constant(2) };
    Ok(vec![Some(shape)])
}

fn short_time_fourier(node: &mut Node<'_, '_>) -> Answer {
    let Some(signal) = node.shape(0) else { return Ok(vec![]) };
    let [batch, samples, ..] = signal.as_slice() else { return Err("the signal must have rank 3".to_string()) };
    let frame = match (scalar(node, 3), node.shape(2).as_deref()) {
        (Some(length), _) => Some(length),
        (None, Some([length])) if node.operand(3).is_none() => Some(length.clone()),
        _ => None,
    };
    let frames = match (&frame, scalar(node, 1)) {
        (Some(frame), Some(step)) => samples.sub(frame).floor_div(&step).add(&DimExpr::ONE),
        _ => node.fresh(0, 1),
    };
    let bins = match &frame {
        Some(frame) if node.integer("onesided", 1) != 0 => one_sided(frame),
        Some(frame) => frame.clone(),
        None => node.fresh(0, 2),
    };
    Ok(vec![Some(vec![batch.clone(), frames, bins, DimExpr::Constant(2)])])
}

fn window(node: &mut Node<'_, '_>) -> Answer {
    Ok(vec![Some(vec![scalar(node, 0).unwrap_or_else(|| node.fresh(0, 0))])])
}

fn mel_weights(node: &mut Node<'_, '_>) -> Answer {
    let bins = scalar(node, 1).map(|length| one_sided(&length)).unwrap_or_else(|| node.fresh(0, 0));
    let bands = scalar(node, 0).unwrap_or_else(|| node.fresh(0, 1));
    Ok(vec![Some(vec![bins, bands])])
}
