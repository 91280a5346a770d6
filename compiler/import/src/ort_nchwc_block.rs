//! The channel block size of a model that ONNX Runtime has converted to a blocked layout (`com.microsoft.nchwc`). It
//! depends on the processor on which the model was written, and the model does not state it.

use dialects::onnx::{OnnxOp, schema};
use indexmap::IndexMap;
use operators::nchwc::{BLOCKS, DOMAIN};
use proto::{GraphProto, NodeProto, TensorProto};

/// The number of channels of a block, and whether it follows from the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) channels: i64,
    pub(crate) is_known: bool,
}

impl Block {
    /// The block of a graph, if it has operators on blocked images.
    pub(crate) fn of(graph: &GraphProto) -> Option<Block> {
        if !graph.node.iter().any(is_blocked) {
            return None;
        }
        let channels = find(graph);
        Some(Block { channels: channels.unwrap_or_else(of_processor), is_known: channels.is_some() })
    }

    /// The warning if the size is assumed.
    pub(crate) fn warning(&self) -> String {
        format!(
            "the model has operators of {DOMAIN} and does not show how many channels their blocks have: {} are assumed, as on this \
             processor; results are wrong if ONNX Runtime wrote the model on one with other vectors",
            self.channels
        )
    }
}

fn is_blocked(node: &NodeProto) -> bool {
    node.domain == DOMAIN
}

/// The size that the extents of a graph's weights and other constants imply; `None` if all are multiples of the larger
/// size.
fn find(graph: &GraphProto) -> Option<i64> {
    let [small, large] = BLOCKS;
    let weights: IndexMap<&str, &TensorProto> =
        graph.initializer.iter().map(|tensor| (&*tensor.name, tensor)).collect();
    // the channels of blocked images, as far as they are known
    let mut images: IndexMap<&str, Option<i64>> = IndexMap::new();
    let order = check::order::schedule(&graph.node).ok()?;
    for node in order.into_iter().map(|index| &graph.node[index]) {
        let image = node.input.iter().find_map(|input| images.get(&**input)).copied();
        let constant = node.input.get(1).and_then(|name| weights.get(&**name)).copied();
        let channels = match OnnxOp::from_name(&schema::op_name(&node.domain, &node.op_type)) {
            Some(OnnxOp::NchwcConv) => {
                let &[outputs, inputs, ..] = &*constant?.dims else { return None };
                let is_in_blocks = node.input.first().is_some_and(|input| images.contains_key(&**input));
                if outputs % large != 0 || inputs >= large && inputs % large != 0 {
                    return Some(small);
                }
                if inputs >= small && inputs < large {
                    return Some(if is_in_blocks { small } else { large });
                }
                Some(outputs)
            }
            Some(OnnxOp::NchwcReorderOutput) => {
                let kept = node.attribute.iter().find(|attribute| attribute.name == "channels").and_then(|kept| kept.i);
                if let (Some(Some(channels)), Some(kept)) = (image, kept) {
                    if channels % large != 0 {
                        return Some(small);
                    }
                    if channels - kept >= small {
                        return Some(large);
                    }
                }
                continue;
            }
            Some(OnnxOp::Reshape) if image.is_some() => {
                if let Some(&[_, _, _, _, size]) = constant.and_then(TensorProto::integers).as_deref() {
                    return BLOCKS.contains(&size).then_some(size);
                }
                None
            }
            Some(OnnxOp::NchwcReorderInput | OnnxOp::Concat) => None,
            _ if is_blocked(node) => image.flatten(),
            _ => match image {
                Some(channels) => channels,
                None => continue,
            },
        };
        if is_blocked(node) || image.is_some() {
            images.extend(node.output.iter().map(|output| (&**output, channels)));
        }
    }
    None
}

/// The block size that ONNX Runtime uses on this processor.
fn of_processor() -> i64 {
    let [small, large] = BLOCKS;
    #[cfg(target_arch = "x86_64")]
    let is_large = std::arch::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    let is_large = true;
    if is_large { large } else { small }
}
