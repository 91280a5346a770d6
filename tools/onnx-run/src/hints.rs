//! Guesses the kind of a model's inputs from the operators that read them: pictures, sounds, tokens.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;

use dialects::onnx::OnnxOp;
use driver::{Extent, Port};
use proto::{GraphProto, Model, NodeProto};

/// The kind of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Two spatial axes.
    Picture,
    /// Two spatial axes, for a detector or a generator.
    LargePicture,
    /// Three spatial axes.
    Volume,
    /// One time axis with many samples.
    Sound,
    /// Token indices.
    Tokens,
    /// Time steps of a recurrence.
    Steps,
}

/// What is known about an input.
#[derive(Clone, Debug)]
pub(crate) struct Hint {
    kind: Kind,
    /// The extent of axis 1, if the reader determines it.
    channels: Option<i64>,
    /// The node that reads the input.
    reader: String,
}

impl Hint {
    /// A first guess for the extent of a dynamic axis other than the first.
    pub(crate) fn extent(&self, axis: usize, rank: usize) -> i64 {
        let is_channels = axis == 1 && rank > 2;
        match self.kind {
            Kind::Picture | Kind::LargePicture if is_channels => self.channels.unwrap_or(3),
            Kind::Volume | Kind::Sound if is_channels => self.channels.unwrap_or(1),
            Kind::Picture => 224,
            Kind::LargePicture => 640,
            Kind::Volume => 32,
            Kind::Sound => 16_000,
            Kind::Tokens | Kind::Steps => 128,
        }
    }

    /// The guess and its reason.
    pub(crate) fn reason(&self, input: &str) -> String {
        let what = match self.kind {
            Kind::Picture | Kind::LargePicture => "a picture",
            Kind::Volume => "a volume",
            Kind::Sound => "a sound",
            Kind::Tokens => "tokens",
            Kind::Steps => "a series of steps",
        };
        format!("'{input}' is treated as {what}: {} reads it", self.reader)
    }
}

/// The maximum number of nodes between an input and its reader.
const DEPTH: usize = 12;

/// Hints for the inputs of a model with dynamic extents, by name; none for a model that is not in a file.
pub(crate) fn of_file(path: &Path, ports: &[Port]) -> HashMap<String, Hint> {
    let is_open = |port: &&Port| port.shape.iter().skip(1).any(|extent| !matches!(extent, Extent::Fixed(_)));
    let open: Vec<&Port> = ports.iter().filter(is_open).collect();
    if open.is_empty() || !path.is_file() {
        return HashMap::new();
    }
    let Ok(Model { proto, .. }) = Model::load(path) else { return HashMap::new() };
    let Some(graph) = proto.graph else { return HashMap::new() };
    let mut readers: HashMap<&str, Vec<&NodeProto>> = HashMap::new();
    for node in &graph.node {
        node.input.iter().for_each(|name| readers.entry(name).or_default().push(node));
    }
    let hint = |port: &&Port| Some((port.name.clone(), hint(&graph, &readers, &port.name)?));
    open.iter().filter_map(hint).collect()
}

/// The hint from the first reader, direct or indirect, that gives one.
fn hint<'g>(graph: &'g GraphProto, readers: &HashMap<&str, Vec<&'g NodeProto>>, input: &'g str) -> Option<Hint> {
    let mut seen = HashSet::from([input]);
    let mut queue = VecDeque::from([(input, 0)]);
    while let Some((value, depth)) = queue.pop_front() {
        for node in readers.get(value).into_iter().flatten() {
            if let Some(kind) = kind(graph, node, value) {
                let reader = match node.name.is_empty() {
                    true => node.op_type.clone(),
                    false => format!("{} '{}'", node.op_type, node.name),
                };
                return Some(Hint { kind, channels: channels(graph, node).filter(|_| depth == 0), reader });
            }
            let further = node.output.iter().filter(|_| depth < DEPTH && passes_on(node));
            queue.extend(further.filter(|name| seen.insert(name)).map(|name| (name.as_str(), depth + 1)));
        }
    }
    None
}

/// The kind of an operand that an operator implies.
fn kind(graph: &GraphProto, node: &NodeProto, value: &str) -> Option<Kind> {
    let operand = node.input.iter().position(|name| name == value);
    match operator(node)? {
        OnnxOp::Conv
        | OnnxOp::QLinearConv
        | OnnxOp::ConvInteger
        | OnnxOp::MaxPool
        | OnnxOp::AveragePool
        | OnnxOp::LpPool => match space(graph, node)? {
            1 => Some(Kind::Sound),
            2 if graph.node.iter().any(is_of_large_pictures) => Some(Kind::LargePicture),
            2 => Some(Kind::Picture),
            _ => Some(Kind::Volume),
        },
        OnnxOp::STFT | OnnxOp::DFT => Some(Kind::Sound),
        OnnxOp::Gather if operand == Some(1) => Some(Kind::Tokens),
        OnnxOp::LSTM | OnnxOp::GRU | OnnxOp::RNN if operand == Some(0) => Some(Kind::Steps),
        _ => None,
    }
}

/// The operator of a node, if it is one of ONNX's own.
fn operator(node: &NodeProto) -> Option<OnnxOp> {
    OnnxOp::from_name(&format!("onnx.{}", node.op_type))
}

/// Whether the node is typical for detectors and generators.
fn is_of_large_pictures(node: &NodeProto) -> bool {
    let operator = operator(node);
    operator.is_some_and(|operator| {
        matches!(operator, OnnxOp::NonMaxSuppression | OnnxOp::Resize | OnnxOp::ConvTranspose | OnnxOp::RoiAlign)
    })
}

/// Whether a node's result has the same kind as its operand.
fn passes_on(node: &NodeProto) -> bool {
    const SAME: [OnnxOp; 20] = [
        OnnxOp::Add,
        OnnxOp::BatchNormalization,
        OnnxOp::Cast,
        OnnxOp::Clip,
        OnnxOp::Concat,
        OnnxOp::DequantizeLinear,
        OnnxOp::Div,
        OnnxOp::Identity,
        OnnxOp::Mul,
        OnnxOp::Pad,
        OnnxOp::QuantizeLinear,
        OnnxOp::Relu,
        OnnxOp::Reshape,
        OnnxOp::Resize,
        OnnxOp::Slice,
        OnnxOp::Squeeze,
        OnnxOp::Sub,
        OnnxOp::Transpose,
        OnnxOp::Unsqueeze,
        OnnxOp::Gather,
    ];
    operator(node).is_some_and(|operator| SAME.contains(&operator))
}

/// The number of spatial axes of a kernel.
fn space(graph: &GraphProto, node: &NodeProto) -> Option<usize> {
    let kernel = node.attribute.iter().find(|attribute| attribute.name == "kernel_shape");
    let of_weights = || weights(graph, node)?.len().checked_sub(2);
    kernel.map(|kernel| kernel.ints.len()).filter(|&axes| axes > 0).or_else(of_weights)
}

/// The channels of a convolution's operand.
fn channels(graph: &GraphProto, node: &NodeProto) -> Option<i64> {
    let group = node.attribute.iter().find(|attribute| attribute.name == "group").and_then(|group| group.i);
    Some(weights(graph, node)?.get(1)? * group.unwrap_or(1))
}

/// The shape of a convolution's weights.
fn weights<'g>(graph: &'g GraphProto, node: &NodeProto) -> Option<&'g [i64]> {
    let operand = match operator(node)? {
        OnnxOp::QLinearConv => 3,
        OnnxOp::Conv | OnnxOp::ConvInteger | OnnxOp::ConvTranspose | OnnxOp::DeformConv => 1,
        _ => return None,
    };
    let name = node.input.get(operand)?;
    Some(&graph.initializer.iter().find(|tensor| tensor.name == *name)?.dims)
}
