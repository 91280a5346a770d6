//! Random graphs of a few operators, with all values of one shape.

use std::sync::Arc;

use driver::{Blob, Compiler, Options, Result, Session, Tensor, Type};
use ir::{Module, parse_module};

/// Nodes of a graph.
pub const NODES: usize = 14;

/// Operators with their operands, `#` for a value: constants are a type and numbers.
const NODE_BY_NODE: &[(&str, &[(&str, &str)])] = &[
    ("Add {}", &[("#", ""), ("#", "")]),
    ("Sub {}", &[("#", ""), ("#", "")]),
    ("Mul {}", &[("#", ""), ("#", "")]),
    ("Add {}", &[("#", ""), ("tensor<f32>", "1.0e8")]),
    ("Sub {}", &[("#", ""), ("tensor<f32>", "1.0e8")]),
    ("Add {}", &[("#", ""), ("tensor<f32>", "0.1")]),
    ("Mul {}", &[("#", ""), ("tensor<f32>", "0.3")]),
    ("Div {}", &[("#", ""), ("tensor<f32>", "0.7")]),
    ("Div {}", &[("#", ""), ("#", "")]),
    ("Pow {}", &[("#", ""), ("tensor<f32>", "3.0")]),
    ("Mul {}", &[("#", ""), ("tensor<4x1x1xf32>", "[[[0.1]], [[-3.3]], [[0.7]], [[1.9]]]")]),
    ("Relu {}", &[("#", "")]),
    ("Neg {}", &[("#", "")]),
    ("Sigmoid {}", &[("#", "")]),
    ("Tanh {}", &[("#", "")]),
    ("Erf {}", &[("#", "")]),
    ("Sin {}", &[("#", "")]),
    ("Mul {}", &[("#", ""), ("tensor<f32>", "1000000.0")]),
    ("Clip {}", &[("#", ""), ("tensor<f32>", "-3.0"), ("tensor<f32>", "3.0")]),
    ("Reciprocal {}", &[("#", "")]),
    ("MatMul {}", &[("#", ""), ("tensor<NxNxf32>", "weights")]),
    ("Conv {pads = [1, 1, 1, 1]}", &[("#", ""), ("tensor<4x4x3x3xf32>", "weights")]),
    ("Conv {pads = [0, 0, 0, 0]}", &[("#", ""), ("tensor<4x4x1x1xf32>", "weights"), ("tensor<4xf32>", "weights")]),
    (
        "BatchNormalization {}",
        &[
            ("#", ""),
            ("tensor<4xf32>", "weights"),
            ("tensor<4xf32>", "weights"),
            ("tensor<4xf32>", "weights"),
            ("tensor<4xf32>", "[0.3, 0.2, 1.7, 5.0]"),
        ],
    ),
    ("Transpose {perm = [0, 1, 3, 2]}", &[("#", "")]),
];

/// Operators with sums inside a node.
const WITH_SUMS: &[(&str, &[(&str, &str)])] = &[
    ("Softmax {axis = -1 : si64}", &[("#", "")]),
    ("LayerNormalization {axis = -1 : si64}", &[("#", ""), ("tensor<Nxf32>", "weights"), ("tensor<Nxf32>", "weights")]),
    ("MatMul {}", &[("#", ""), ("#", "")]),
    ("CumSum {}", &[("#", ""), ("tensor<i64>", "3")]),
    ("AveragePool {kernel_shape = [3, 3], pads = [1, 1, 1, 1]}", &[("#", "")]),
];

/// A random number generator.
#[derive(Clone, Debug)]
pub struct Numbers(pub u64);

impl Numbers {
    /// The next number.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.word() % bound as u64) as usize
    }

    /// A float between -1 and 1.
    pub fn float(&mut self) -> f32 {
        (self.word() % 20_001) as f32 / 10_000.0 - 1.0
    }
}

/// A node: its operator, and for each operand either the index of a value or a constant.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name, and its attributes after a space.
    pub operator: &'static str,
    /// Its operands.
    pub operands: Vec<std::result::Result<usize, (String, String)>>,
}

/// The type of values in graphs whose two innermost extents are `extent`.
fn value_type(extent: usize) -> String {
    format!("tensor<1x4x{extent}x{extent}xf32>")
}

/// A graph whose values have two extents of `extent`, of operators with sums inside a node or without.
pub fn graph(numbers: &mut Numbers, extent: usize, with_sums: bool) -> Vec<Node> {
    let sums = if with_sums { WITH_SUMS } else { &[] };
    let kinds: Vec<_> = NODE_BY_NODE.iter().chain(sums).collect();
    (0..NODES)
        .map(|at| {
            let &&(operator, operands) = &kinds[numbers.below(kinds.len())];
            let operand = |&(r#type, text): &(&str, &str)| {
                let r#type = r#type.replace('N', &extent.to_string());
                match (&*r#type, text) {
                    // mostly the result of the previous node
                    ("#", _) => Ok(if numbers.below(3) > 0 { at } else { numbers.below(at + 1) }),
                    (_, "weights") => {
                        let elements = dense(&r#type, numbers);
                        Err((r#type, elements))
                    }
                    _ => Err((r#type, text.to_string())),
                }
            };
            Node { operator, operands: operands.iter().map(operand).collect() }
        })
        .collect()
}

/// Random elements of a type, nested by its shape.
fn dense(r#type: &str, numbers: &mut Numbers) -> String {
    fn level(extents: &[usize], numbers: &mut Numbers) -> String {
        match extents.split_first() {
            None => format!("{:?}", numbers.float()),
            Some((&extent, inner)) => {
                let parts: Vec<String> = (0..extent).map(|_| level(inner, numbers)).collect();
                format!("[{}]", parts.join(", "))
            }
        }
    }
    let inside = r#type.trim_start_matches("tensor<").trim_end_matches('>');
    let extents: Vec<usize> = inside.split('x').filter_map(|part| part.parse().ok()).collect();
    level(&extents, numbers)
}

/// A function of some nodes; value 0 and values that none of them computes are arguments, and the result is that of the
/// last node.
fn module(nodes: &[(usize, &Node)], extent: usize) -> (Module, Vec<usize>) {
    let value_type = value_type(extent);
    let made: Vec<usize> = nodes.iter().map(|(value, _)| *value).collect();
    let mut arguments: Vec<usize> = Vec::new();
    let mut lines = Vec::new();
    for (value, node) in nodes {
        let mut names = Vec::new();
        let mut types = Vec::new();
        for operand in &node.operands {
            match operand {
                Ok(read) => {
                    if !made.contains(read) && !arguments.contains(read) {
                        arguments.push(*read);
                    }
                    names.push(format!("%v{read}"));
                    types.push(value_type.clone());
                }
                Err((r#type, text)) => {
                    let name = format!("%c{}", lines.len());
                    lines.push(format!(
                        "{name} = \"onnx.Constant\"() {{value = dense<{text}> : {type}}} : () -> {type}"
                    ));
                    names.push(name);
                    types.push(r#type.clone());
                }
            }
        }
        let (operator, attributes) = node.operator.split_once(' ').expect("attributes follow the name");
        lines.push(format!(
            "%v{value} = \"onnx.{operator}\"({}) {attributes} : ({}) -> {value_type}",
            names.join(", "),
            types.join(", ")
        ));
    }
    let last = made.last().expect("there is a node");
    let list = |of: &dyn Fn(&usize) -> String| arguments.iter().map(of).collect::<Vec<_>>().join(", ");
    let text = format!(
        "\"func.func\"() ({{\n^bb0({}):\n{}\n\"func.return\"(%v{last}) : ({value_type}) -> ()\n}}) \
         {{sym_name = \"main_graph\", function_type = ({}) -> {value_type}}} : () -> ()",
        list(&|at| format!("%v{at}: {value_type}")),
        lines.join("\n"),
        list(&|_| value_type.clone()),
    );
    let module = parse_module(&text, "test", None).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    (module, arguments)
}

/// The result of the last of some nodes; operands are given by index.
///
/// # Errors
/// If it does not compile or run.
pub fn run(nodes: &[(usize, &Node)], extent: usize, values: &[Tensor], options: &Options) -> Result<Tensor> {
    let (mut session, inputs) = session(nodes, extent, values, options)?;
    Ok(session.run(&inputs)?.remove(0))
}

/// A session that runs some nodes, and its inputs.
///
/// # Errors
/// If they do not compile.
pub fn session(
    nodes: &[(usize, &Node)],
    extent: usize,
    values: &[Tensor],
    options: &Options,
) -> Result<(Session, Vec<Tensor>)> {
    let (module, arguments) = module(nodes, extent);
    let inputs = arguments.iter().map(|&at| values[at].clone()).collect();
    let compiled = Compiler::new(options.clone()).compile_graph(module)?;
    Ok((Session::new(Arc::new(compiled)), inputs))
}

/// A random value.
pub fn input(numbers: &mut Numbers, extent: usize) -> Tensor {
    let shape = [1, 4, extent as i64, extent as i64];
    let bytes: Vec<u8> = (0..shape.iter().product()).flat_map(|_| numbers.float().to_le_bytes()).collect();
    Tensor::new(Type::F32, shape.to_vec(), Blob::copy_of(&bytes)).expect("the number of bytes matches the shape")
}

/// The bits of a tensor, with all NaNs equal.
pub fn bits(tensor: &Tensor) -> Vec<u32> {
    let words =
        tensor.data.bytes().chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    words.map(|bits| if f32::from_bits(bits).is_nan() { f32::NAN.to_bits() } else { bits }).collect()
}
