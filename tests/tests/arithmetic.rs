//! The order of floating point operations: a whole model gives what its nodes give one by one, bit for bit, where its order is
//! to be kept.

use std::sync::Arc;

use driver::{Arithmetic, Blob, Compiler, Options, Part, Session, Tensor, Type};
use ir::{FloatType, Module, parse_module};

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

/// A function of each element of some vectors, at the structured level.
fn function(name: &str, element: &str, count: usize, operands: usize) -> Module {
    let vector = format!("tensor<{count}x{element}>");
    let list = |one: &dyn Fn(usize) -> String| (0..operands).map(one).collect::<Vec<_>>().join(", ");
    let (arguments, vectors) = (list(&|at| format!("%x{at}")), list(&|_| vector.clone()));
    let (scalars, elements) = (list(&|at| format!("%a{at}")), list(&|_| element.to_string()));
    let typed = |name: &str, r#type: &str| list(&|at| format!("%{name}{at}: {type}"));
    let map = "affine_map<(d0) -> (d0)>";
    let text = format!(
        "\"func.func\"() ({{\n^bb0({}):\n  %e = \"tensor.empty\"() : () -> {vector}\n  %y = \"linalg.generic\"({arguments}, %e) ({{\n  \
         ^bb0({}, %b: {element}):\n    %c = \"{name}\"({scalars}) : ({elements}) -> {element}\n    \"linalg.yield\"(%c) : ({element}) -> ()\n  \
         }}) {{indexing_maps = [{}, {map}], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: \
         {operands}, 1>}} : ({vectors}, {vector}) -> {vector}\n  \"func.return\"(%y) : ({vector}) -> ()\n}}) {{sym_name = \"main_graph\", \
         function_type = ({vectors}) -> {vector}}} : () -> ()",
        typed("x", &vector),
        typed("a", element),
        list(&|_| map.to_string()),
    );
    parse_module(&text, "test", None).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
}

/// What a function is of numbers, in `f32` or `f64`.
fn values(name: &str, element: FloatType, operands: &[&[f32]], arithmetic: Arithmetic) -> Vec<f64> {
    let tensor = |numbers: &&[f32]| {
        let bytes: Vec<u8> = match element {
            FloatType::F64 => numbers.iter().flat_map(|&number| f64::from(number).to_le_bytes()).collect(),
            _ => numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
        };
        vector(element, &bytes)
    };
    of_tensors(name, element, &operands.iter().map(tensor).collect::<Vec<_>>(), arithmetic)
}

fn vector(element: FloatType, bytes: &[u8]) -> Tensor {
    let count = bytes.len() as i64 * 8 / i64::from(element.width());
    Tensor::new(Type::Float(element), vec![count], Blob::copy_of(bytes)).expect("as many as there are")
}

/// What a function is of vectors.
fn of_tensors(name: &str, element: FloatType, inputs: &[Tensor], arithmetic: Arithmetic) -> Vec<f64> {
    let count = inputs[0].element_count();
    let compiler = Compiler::new(Options { arithmetic, ..Options::default() });
    let module = function(name, &Type::Float(element).to_string(), count, inputs.len());
    let compiled = compiler.compile_structured(module).unwrap_or_else(|errors| panic!("{name}: {}", errors[0]));
    let output =
        Session::new(Arc::new(compiled)).run(inputs).unwrap_or_else(|errors| panic!("{}", errors[0])).remove(0);
    output.to_f64().expect("they are floats")
}

/// How far a number is from the true one, in units in the last place of that (of the smallest normal number, where it is
/// smaller); above the largest number, infinity is right.
fn units(exact: f64, found: f64, element: FloatType) -> f64 {
    let (digits, smallest, largest) = match element {
        FloatType::F64 => (53.0, f64::MIN_POSITIVE, f64::MAX),
        _ => (24.0, f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX)),
    };
    let unit = (exact.abs().clamp(smallest, largest).log2().floor() + 1.0 - digits).exp2();
    let fits = exact.is_nan() && found.is_nan()
        || exact == found
        || exact.abs() >= largest + unit / 2.0 && found.is_infinite() && found.signum() == exact.signum();
    if fits { 0.0 } else { (exact - found).abs() / unit }
}

/// The largest error of numbers that may be off by `slack` units themselves, and where it is.
fn worst(exact: &[f64], found: &[f64], element: FloatType, slack: f64) -> (usize, f64) {
    let errors = exact.iter().zip(found).map(|(&exact, &found)| units(exact, found, element) - slack);
    errors.enumerate().fold((0, 0.0), |best, one| if one.1 > best.1 || one.1.is_nan() { one } else { best })
}

/// Floats of every sign and exponent, with many fractions each.
fn floats() -> Vec<f32> {
    const STEP: u32 = 16_411;
    (0..u32::MAX / STEP).map(|at| f32::from_bits(at * STEP)).filter(|x| x.is_finite()).collect()
}

#[test]
fn elementary_functions_keep_their_bounds() {
    let numbers = floats();
    for &(name, bound) in driver::ERROR_BOUNDS {
        let exact = values(name, FloatType::F64, &[&numbers], Arithmetic::Ordered);
        for arithmetic in [Arithmetic::Ordered, Arithmetic::Fixed] {
            let rounded = values(name, FloatType::F32, &[&numbers], arithmetic);
            let (at, error) = worst(&exact, &rounded, FloatType::F32, 0.0);
            assert!(error <= bound, "{name} of {:e}: {error} units, under {arithmetic:?}", numbers[at]);
        }
    }
}

/// Numbers whose quarters of a turn only many bits of 1 / 2π tell, or that are near to one, with sine, cosine and tangent as
/// arithmetic of 700 digits has them.
const TURNS: [[f64; 4]; 12] = [
    [1e22, -0.852_200_849_767_188_8, 0.523_214_785_395_139, -1.628_778_225_606_898_8],
    [1.071_508_607_186_267_3e301, -0.159_201_703_086_242_43, 0.987_246_077_598_913_5, -0.161_258_379_950_658_06],
    [f64::MAX, 0.004_961_954_789_184_062, -0.999_987_689_426_559_9, -0.004_962_015_874_444_895],
    [5.319_372_648_326_541e255, 1.0, -4.687_165_924_254_628e-19, -2.133_485_385_753_704e18],
    [355.0, -3.014_435_335_948_845e-5, -0.999_999_999_545_659, 3.014_435_337_318_426_5e-5],
    [11.0, -0.999_990_206_550_703_5, 0.004_425_697_988_050_785, -225.950_846_454_195_13],
    [std::f64::consts::PI, 1.224_646_799_147_353_2e-16, -1.0, -1.224_646_799_147_353_2e-16],
    [std::f64::consts::FRAC_PI_2, 1.0, 6.123_233_995_736_766e-17, 1.633_123_935_319_537e16],
    [123_456_789.125, 0.999_876_385_427_262_9, 0.015_723_036_122_574_08, 63.593_085_815_767_32],
    [0.75, 0.681_638_760_023_334_1, 0.731_688_868_873_820_9, 0.931_596_459_944_072_5],
    [1e300, -0.817_881_912_115_908_5, -0.575_386_111_957_549_1, 1.421_448_823_874_724_5],
    [-5e15, 0.901_711_760_523_585, -0.432_337_716_297_638, -2.085_665_271_689_624_7],
];

#[test]
fn turns_of_doubles_are_counted_exactly() {
    let bytes: Vec<u8> = TURNS.iter().flat_map(|row| row[0].to_le_bytes()).collect();
    for (at, name) in ["math.sin", "math.cos", "math.tan"].into_iter().enumerate() {
        let found = of_tensors(name, FloatType::F64, &[vector(FloatType::F64, &bytes)], Arithmetic::Fixed);
        for (row, found) in TURNS.iter().zip(found) {
            let error = units(row[at + 1], found, FloatType::F64);
            assert!(error <= fixed_bound(name), "{name} of {:e} is {found:e}: {error} units", row[0]);
        }
    }
}

/// The stated bound of a function of `f64`.
fn fixed_bound(name: &str) -> f64 {
    let is_it = |row: &&(&str, FloatType, f64)| row.0 == name && row.1 == FloatType::F64;
    driver::FIXED_ERROR_BOUNDS.iter().find(is_it).expect("it is stated").2
}

/// Powers as arithmetic of 60 digits has them: what the logarithm loses is multiplied by up to 700.
const POWERS: [[f64; 3]; 14] = [
    [1.000_000_000_000_000_2, 4e18, f64::INFINITY],
    [0.999_999_999_999_999_9, 1e18, 6.076_124_616_751_106e-49],
    [1e-300, -1.0, 9.999_999_999_999_999e299],
    [1.5, 1700.0, 2.265_376_518_968_227_7e299],
    [std::f64::consts::SQRT_2, 2047.0, 1.271_161_006_153_824_2e308],
    [10.0, 308.25, 1.778_279_410_038_922_8e308],
    [10.0, -323.0, 1e-323],
    [0.1, 300.5, 3.162_277_660_168_432e-301],
    [3.0, 1.0 / 3.0, 1.442_249_570_307_408_3],
    [7.123_456_789e200, 1.5, 1.901_236_710_178_734_8e301],
    [5e-324, 0.5, 2.222_758_749_485_077_5e-162],
    [-1.25, 3001.0, -6.713_500_679_000_759e290],
    [std::f64::consts::E, 709.5, 1.354_986_319_314_581_7e308],
    [1.000_000_1, 1e9, 2.688_103_858_214_464_7e43],
];

#[test]
fn powers_of_doubles_keep_their_bound() {
    let column = |at: usize| {
        let bytes: Vec<u8> = POWERS.iter().flat_map(|row| row[at].to_le_bytes()).collect();
        vector(FloatType::F64, &bytes)
    };
    let found = of_tensors("math.powf", FloatType::F64, &[column(0), column(1)], Arithmetic::Fixed);
    for ([x, y, exact], found) in POWERS.into_iter().zip(found) {
        let error = units(exact, found, FloatType::F64);
        assert!(error <= fixed_bound("math.powf"), "{x:e} to the power of {y:e} is {found:e}: {error} units");
    }
}

/// Functions that a module defines itself, against those of the runtime, which are off by less than a unit of `f64`.
#[test]
fn defined_functions_keep_their_bounds() {
    let numbers = floats();
    for &(name, element, bound) in driver::FIXED_ERROR_BOUNDS.iter().filter(|(name, ..)| *name != "math.powf") {
        let exact = values(name, FloatType::F64, &[&numbers], Arithmetic::Ordered);
        let found = values(name, element, &[&numbers], Arithmetic::Fixed);
        let slack = if element == FloatType::F64 { 1.0 } else { 0.0 };
        let (at, error) = worst(&exact, &found, element, slack);
        assert!(error <= bound, "{name} of {:e} in {element:?}: {error} units", numbers[at]);
    }
}

/// Powers of all pairs of some numbers, special ones among them.
#[test]
fn powers_keep_their_bound() {
    let is_single = |row: &&(&str, FloatType, f64)| row.0 == "math.powf" && row.1 == FloatType::F32;
    let (_, element, bound) = driver::FIXED_ERROR_BOUNDS.iter().find(is_single).expect("it has one");
    let special = [0.0, 1.0, f32::INFINITY, f32::NAN, 2.0, 0.5, 3.0, 16_777_217.0, f32::MIN_POSITIVE, 1e-42];
    let ordinary = (0..150).map(|at| f32::from_bits(0x3000_0000 + at * 1_411_237));
    let numbers: Vec<f32> = special.into_iter().chain(ordinary).flat_map(|x| [x, -x]).collect();
    let (x, y): (Vec<f32>, Vec<f32>) = numbers.iter().flat_map(|&x| numbers.iter().map(move |&y| (x, y))).unzip();
    let exact: Vec<f64> = x.iter().zip(&y).map(|(&x, &y)| f64::from(x).powf(f64::from(y))).collect();
    let found = values("math.powf", *element, &[&x, &y], Arithmetic::Fixed);
    let (at, error) = worst(&exact, &found, *element, 0.0);
    assert!(error <= *bound, "{:e} to the power of {:e} is {:e}, not {:e}", x[at], y[at], exact[at], found[at]);
}
