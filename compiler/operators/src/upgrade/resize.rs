//! Resize and its predecessor Upsample, GridSample.

use ir::Attribute;

use super::{float_list, floats};
use crate::graph::Emitter;
use crate::graph::{Node, Problem};

/// Two scales for the two spatial axes become one list for all.
pub(super) fn upsample_7(node: &mut Node, _: &mut Emitter) -> Result<(), Problem> {
    let mut scale = |name: &str| node.attributes.remove(name).unwrap_or(Attribute::f32(1.0));
    let (height, width) = (scale("height_scale"), scale("width_scale"));
    let one = Attribute::f32(1.0);
    node.attributes.set("scales", Attribute::Array([one.clone(), one, height, width].into()));
    Ok(())
}

/// The scales become an operand.
pub(super) fn upsample_9(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    if let Some(scales) = node.attributes.remove("scales").and_then(|scales| float_list(&scales)) {
        let scales = emit.constant(floats(&scales));
        node.set_operand(1, scales, emit);
    }
    Ok(())
}

/// Upsample is Resize.
pub(super) fn upsample_10(node: &mut Node, _: &mut Emitter) -> Result<(), Problem> {
    node.name = "Resize".into();
    if node.attributes.str("mode").is_some_and(|mode| mode == "bilinear") {
        node.attributes.set("mode", Attribute::string("linear"));
    }
    Ok(())
}

/// The first Resize maps coordinates by the scale alone. It rounds them down, or up where it makes things smaller.
pub(super) fn resize_11(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let scales = node.operand(1, emit).ok_or_else(|| Problem::input("lacks its scales"))?;
    let known = emit.known(scales).map(|known| (0..known.element_count()).filter_map(|i| known.float(i)).collect());
    let known: Vec<f64> = known.unwrap_or_default();
    let shrinks = known.iter().any(|&scale| scale < 1.0) && known.iter().all(|&scale| scale <= 1.0);
    node.operands = vec![node.operands[0], emit.none, scales];
    node.attributes.set("coordinate_transformation_mode", Attribute::string("asymmetric"));
    node.attributes.set("nearest_mode", Attribute::string(if shrinks { "ceil" } else { "floor" }));
    Ok(())
}

/// `bilinear` and `bicubic` lost their `bi`.
pub(super) fn grid_sample_20(node: &mut Node, _: &mut Emitter) -> Result<(), Problem> {
    if let Some(mode) = node.attributes.str("mode").and_then(|mode| mode.strip_prefix("bi")) {
        let mode = Attribute::string(mode);
        node.attributes.set("mode", mode);
    }
    Ok(())
}
