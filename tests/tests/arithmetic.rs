//! The order of floating point operations: a whole model gives what its nodes give one by one, bit for bit, where its order is
//! to be kept.

use std::sync::Arc;

use driver::{Arithmetic, Blob, Compiler, Options, Part, Session, Tensor, Type};
use ir::{Module, parse_module};

const SHAPE: [i64; 4] = [1, 4, 8, 8];
const VALUE: &str = "tensor<1x4x8x8xf32>";
const GRAPHS: u64 = 60;
const NODES: usize = 14;

/// Operators by what they take besides values, `#` for one: constants are a type and numbers.
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
    ("MatMul {}", &[("#", ""), ("tensor<8x8xf32>", "weights")]),
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

/// Those that add up inside a node.
const WITH_SUMS: &[(&str, &[(&str, &str)])] = &[
    ("Softmax {axis = -1 : si64}", &[("#", "")]),
    ("LayerNormalization {axis = -1 : si64}", &[("#", ""), ("tensor<8xf32>", "weights"), ("tensor<8xf32>", "weights")]),
    ("MatMul {}", &[("#", ""), ("#", "")]),
    ("CumSum {}", &[("#", ""), ("tensor<i64>", "3")]),
    ("AveragePool {kernel_shape = [3, 3], pads = [1, 1, 1, 1]}", &[("#", "")]),
];

/// Numbers as they come.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A float between -1 and 1.
    fn float(&mut self) -> f32 {
        (self.next() % 20_001) as f32 / 10_000.0 - 1.0
    }
}

/// A node: its operator, and of each operand either the number of a value or a constant.
struct Node {
    operator: &'static str,
    operands: Vec<Result<usize, (&'static str, String)>>,
}

fn graph(numbers: &mut Numbers, with_sums: bool) -> Vec<Node> {
    let sums = if with_sums { WITH_SUMS } else { &[] };
    let kinds: Vec<_> = NODE_BY_NODE.iter().chain(sums).collect();
    (0..NODES)
        .map(|at| {
            let &&(operator, operands) = &kinds[numbers.below(kinds.len())];
            let operand = |&(r#type, text): &(&'static str, &str)| match (r#type, text) {
                // mostly what the node before made
                ("#", _) => Ok(if numbers.below(3) > 0 { at } else { numbers.below(at + 1) }),
                (_, "weights") => Err((r#type, dense(r#type, numbers))),
                _ => Err((r#type, text.to_string())),
            };
            Node { operator, operands: operands.iter().map(operand).collect() }
        })
        .collect()
}

/// Random elements of a type, nested as its shape is.
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

/// A function of some nodes; value 0 and those that none of them makes are arguments, the last node's is the result.
fn module(nodes: &[(usize, &Node)]) -> (Module, Vec<usize>) {
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
                    types.push(VALUE);
                }
                Err((r#type, text)) => {
                    let name = format!("%c{}", lines.len());
                    lines.push(format!(
                        "{name} = \"onnx.Constant\"() {{value = dense<{text}> : {type}}} : () -> {type}"
                    ));
                    names.push(name);
                    types.push(r#type);
                }
            }
        }
        let (operator, attributes) = node.operator.split_once(' ').expect("attributes stand behind the name");
        lines.push(format!(
            "%v{value} = \"onnx.{operator}\"({}) {attributes} : ({}) -> {VALUE}",
            names.join(", "),
            types.join(", ")
        ));
    }
    let last = made.last().expect("there is a node");
    let list = |of: fn(&usize) -> String| arguments.iter().map(of).collect::<Vec<_>>().join(", ");
    let text = format!(
        "\"func.func\"() ({{\n^bb0({}):\n{}\n\"func.return\"(%v{last}) : ({VALUE}) -> ()\n}}) \
         {{sym_name = \"main_graph\", function_type = ({}) -> {VALUE}}} : () -> ()",
        list(|at| format!("%v{at}: {VALUE}")),
        lines.join("\n"),
        list(|_| VALUE.to_string()),
    );
    let module = parse_module(&text, "test", None).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    (module, arguments)
}

fn run(nodes: &[(usize, &Node)], values: &[Tensor], options: &Options) -> Tensor {
    let (module, arguments) = module(nodes);
    let inputs: Vec<Tensor> = arguments.iter().map(|&at| values[at].clone()).collect();
    let compiled =
        Compiler::new(options.clone()).compile_graph(module).unwrap_or_else(|errors| panic!("{}", errors[0]));
    Session::new(Arc::new(compiled)).run(&inputs).unwrap_or_else(|errors| panic!("{}", errors[0])).remove(0)
}

fn input(numbers: &mut Numbers) -> Tensor {
    let bytes: Vec<u8> = (0..SHAPE.iter().product()).flat_map(|_| numbers.float().to_le_bytes()).collect();
    Tensor::new(Type::F32, SHAPE.to_vec(), Blob::copy_of(&bytes)).expect("as many bytes as the shape asks")
}

/// The bits of a tensor, where one NaN is as good as another.
fn bits(tensor: &Tensor) -> Vec<u32> {
    let words =
        tensor.data.bytes().chunks_exact(4).map(|bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    words.map(|bits| if f32::from_bits(bits).is_nan() { f32::NAN.to_bits() } else { bits }).collect()
}

fn check(arithmetic: Arithmetic) {
    let options = Options { arithmetic, ..Options::default() };
    for seed in 0..GRAPHS {
        let mut numbers = Numbers(seed);
        let nodes = graph(&mut numbers, arithmetic == Arithmetic::Fixed);
        let numbered: Vec<(usize, &Node)> = nodes.iter().enumerate().map(|(at, node)| (at + 1, node)).collect();
        let mut values = vec![input(&mut numbers)];
        for node in &numbered {
            let value = run(&[*node], &values, &options);
            values.push(value);
        }
        let last = values.last().expect("there are values");
        if bits(&run(&numbered, &values, &options)) != bits(last) {
            let differs = |&end: &usize| bits(&run(&numbered[..end], &values, &options)) != bits(&values[end]);
            let end = (1..=NODES).find(differs).unwrap_or(NODES);
            let text = |node: &Node| format!("{} of {:?}", node.operator, node.operands);
            let texts: Vec<String> = nodes[..end].iter().map(text).collect();
            panic!("graph {seed} under {arithmetic:?}:\n{}", texts.join("\n"));
        }
        if arithmetic == Arithmetic::Fixed {
            let alone = Options { threads: 1, ..options.clone() };
            assert!(bits(&run(&numbered, &values, &alone)) == bits(last), "graph {seed} on one thread");
        }
    }
}

#[test]
fn strict_arithmetic_is_that_of_the_nodes_one_by_one() {
    check(Arithmetic::Ordered);
}

#[test]
fn fixed_arithmetic_is_that_of_the_nodes_one_by_one_whatever_they_add_up() {
    check(Arithmetic::Fixed);
}

/// A compiler without all that it can do without computes the same.
#[test]
fn what_is_left_out_changes_no_bit() {
    let whole = Options { arithmetic: Arithmetic::Ordered, ..Options::default() };
    let bare = Options { without: Part::ALL.to_vec(), ..whole.clone() };
    for seed in 0..GRAPHS / 4 {
        let mut numbers = Numbers(seed);
        let nodes = graph(&mut numbers, false);
        let numbered: Vec<(usize, &Node)> = nodes.iter().enumerate().map(|(at, node)| (at + 1, node)).collect();
        let x = [input(&mut numbers)];
        assert!(bits(&run(&numbered, &x, &bare)) == bits(&run(&numbered, &x, &whole)), "graph {seed}");
    }
}

/// `(x + 1e8) - 1e8` and `(x w) s`, as they stand.
#[test]
fn what_is_written_is_what_is_computed() {
    let constant = |text: &str| Err(("tensor<f32>", text.to_string()));
    let rounding = [
        Node { operator: "Add {}", operands: vec![Ok(0), constant("1.0e8")] },
        Node { operator: "Sub {}", operands: vec![Ok(1), constant("1.0e8")] },
    ];
    let mut numbers = Numbers(7);
    let x = input(&mut numbers);
    let numbered =
        |nodes: &'static [Node]| nodes.iter().enumerate().map(|(at, node)| (at + 1, node)).collect::<Vec<_>>();
    let rounding: &'static [Node] = Box::leak(Box::new(rounding));
    for arithmetic in [Arithmetic::Reassociated, Arithmetic::Ordered, Arithmetic::Fixed] {
        let options = Options { arithmetic, ..Options::default() };
        let zeros = run(&numbered(rounding), std::slice::from_ref(&x), &options);
        assert!(zeros.to_f64().is_some_and(|numbers| numbers.iter().all(|&number| number == 0.0)), "{arithmetic:?}");
    }
}

/// Elements that are computed side by side do not change one another, even where one takes another way.
#[test]
fn an_element_does_not_depend_on_its_neighbours() {
    let node = Node { operator: "Sin {}", operands: vec![Ok(0)] };
    let mut numbers = Numbers(3);
    let x = input(&mut numbers);
    let scaled: Vec<f32> =
        x.to_f64().expect("they are floats").iter().map(|&number| (number * 40_000.0) as f32).collect();
    let tensor = |numbers: &[f32]| {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        Tensor::new(Type::F32, SHAPE.to_vec(), Blob::copy_of(&bytes)).expect("as many bytes as the shape asks")
    };
    let sine = |numbers: &[f32]| bits(&run(&[(1, &node)], &[tensor(numbers)], &Options::default()));
    let mut disturbed = scaled.clone();
    disturbed.iter_mut().step_by(3).for_each(|number| *number = 1e9);
    let (alone, beside) = (sine(&scaled), sine(&disturbed));
    for (at, (alone, beside)) in alone.iter().zip(&beside).enumerate().filter(|(at, _)| at % 3 != 0) {
        assert_eq!(alone, beside, "element {at}: the sine of {}", scaled[at]);
    }
}
