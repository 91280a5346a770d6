//! int8 matrix products and convolutions, compared with plain loops: every sign, every kind of zero point, sizes around
//! those of tiles.

use std::sync::Arc;

use driver::{Blob, Compiler, Options, Session, Tensor, Type};
use ir::parse_module;

/// Random bytes, with extreme values more often than others.
struct Numbers(u64);

impl Numbers {
    fn byte(&mut self) -> u8 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        match self.0 >> 61 {
            0 => 255,
            1 => 128,
            2 => 127,
            _ => (self.0 >> 40) as u8,
        }
    }

    fn tensor(&mut self, sign: Sign, shape: &[i64]) -> Tensor {
        let bytes: Vec<u8> = (0..shape.iter().product::<i64>()).map(|_| self.byte()).collect();
        Tensor::new(sign.element(), shape.to_vec(), Blob::copy_of(&bytes)).expect("a byte an element")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Unsigned,
    Signed,
}

const SIGNS: [Sign; 2] = [Sign::Unsigned, Sign::Signed];

impl Sign {
    fn element(self) -> Type {
        match self {
            Sign::Unsigned => Type::unsigned(8),
            Sign::Signed => Type::I8,
        }
    }

    fn number(self, byte: u8) -> i64 {
        match self {
            Sign::Unsigned => i64::from(byte),
            Sign::Signed => i64::from(byte as i8),
        }
    }
}

/// A function with one node that takes `types` and returns `result`.
fn compile(operator: &str, types: &[String], result: &str) -> Session {
    let names: Vec<String> = (0..types.len()).map(|at| format!("%v{at}")).collect();
    let arguments: Vec<String> = names.iter().zip(types).map(|(name, r#type)| format!("{name}: {type}")).collect();
    let (names, types) = (names.join(", "), types.join(", "));
    let (name, attributes) = operator.split_once(' ').expect("attributes follow the name");
    let text = format!(
        "\"func.func\"() ({{\n^bb0({}):\n%r = \"onnx.{name}\"({names}) {attributes} : ({types}) -> {result}\n\
         \"func.return\"(%r) : ({result}) -> ()\n}}) {{sym_name = \"main_graph\", function_type = ({types}) -> {result}}} : \
         () -> ()",
        arguments.join(", ")
    );
    compile_text(&text)
}

fn compile_text(text: &str) -> Session {
    let module = parse_module(text, "test", None).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    let compiled = Compiler::new(Options { threads: 1, ..Options::default() }).compile_graph(module);
    Session::new(Arc::new(compiled.unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))))
}

fn sums(session: &mut Session, inputs: &[Tensor]) -> Vec<i64> {
    let outputs = session.run(inputs).unwrap_or_else(|errors| panic!("{}", errors[0]));
    outputs[0].to_f64().expect("numbers").into_iter().map(|sum| sum as i64).collect()
}

/// One zero point, or one for each of `count`.
fn zero_point(many: bool, count: i64) -> Vec<i64> {
    if many { vec![count] } else { vec![] }
}

fn check_product(session: &mut Session, signs: [Sign; 2], many: bool, [m, k, n]: [i64; 3]) {
    let mut numbers = Numbers((m * 10_000 + k * 100 + n) as u64);
    let (a, b) = (numbers.tensor(signs[0], &[m, k]), numbers.tensor(signs[1], &[k, n]));
    let a_zero = numbers.tensor(signs[0], &zero_point(many, m));
    let b_zero = numbers.tensor(signs[1], &zero_point(many, n));
    let at = |tensor: &Tensor, sign: Sign, index: i64| sign.number(tensor.data.bytes()[index as usize]);
    let zero = |tensor: &Tensor, sign: Sign, index: i64| at(tensor, sign, if many { index } else { 0 });
    let expected: Vec<i64> = (0..m * n)
        .map(|index| {
            let (row, column) = (index / n, index % n);
            let (row_zero, column_zero) = (zero(&a_zero, signs[0], row), zero(&b_zero, signs[1], column));
            let term = |at_k: i64| {
                (at(&a, signs[0], row * k + at_k) - row_zero) * (at(&b, signs[1], at_k * n + column) - column_zero)
            };
            (0..k).map(term).sum()
        })
        .collect();
    let found = sums(session, &[a, b, a_zero, b_zero]);
    assert!(found == expected, "{m} x {k} x {n}, {signs:?}, a zero point for each row and column: {many}");
}

#[test]
fn products_are_exact() {
    for signs in SIGNS.into_iter().flat_map(|a| SIGNS.map(|b| [a, b])) {
        for many in [false, true] {
            let [a, b] = signs.map(|sign| sign.element().to_string());
            let zero = |element: &str| if many { format!("tensor<?x{element}>") } else { format!("tensor<{element}>") };
            let types = [format!("tensor<?x?x{a}>"), format!("tensor<?x?x{b}>"), zero(&a), zero(&b)];
            let mut session = compile("MatMulInteger {}", &types, "tensor<?x?xi32>");
            for size in 1..=70 {
                check_product(&mut session, signs, many, [size, 13, 19]);
                check_product(&mut session, signs, many, [3, size, 33]);
                check_product(&mut session, signs, many, [5, 7, size]);
            }
            check_product(&mut session, signs, many, [130, 515, 129]);
        }
    }
}

/// Channels, groups, outputs, extent, kernel, stride, padding.
const CONVOLUTIONS: [[i64; 7]; 16] = [
    [1, 1, 16, 7, 3, 1, 1],
    [2, 1, 16, 7, 3, 1, 1],
    [4, 1, 16, 7, 3, 1, 1],
    [5, 1, 16, 7, 3, 1, 1],
    [1, 1, 16, 7, 1, 1, 0],
    [3, 1, 16, 7, 1, 2, 0],
    [4, 4, 16, 7, 3, 1, 1],
    [6, 2, 32, 7, 3, 1, 1],
    [3, 1, 16, 9, 3, 2, 1],
    [16, 1, 32, 7, 1, 1, 0],
    [20, 1, 24, 6, 3, 1, 1],
    [5, 1, 7, 8, 5, 1, 2],
    [32, 2, 32, 5, 3, 1, 1],
    [12, 3, 6, 5, 3, 1, 1],
    [24, 24, 24, 6, 3, 1, 1],
    [6, 6, 6, 20, 17, 1, 8],
];

fn check_convolution(case: [i64; 7], signs: [Sign; 2], many: bool) {
    let [channels, groups, outputs, extent, window, stride, pad] = case;
    let (per_group, result) = (channels / groups, (extent + 2 * pad - window) / stride + 1);
    let mut numbers = Numbers(channels as u64);
    let x = numbers.tensor(signs[0], &[1, channels, extent, extent]);
    let w = numbers.tensor(signs[1], &[outputs, per_group, window, window]);
    let (x_zero, w_zero) = (numbers.tensor(signs[0], &[]), numbers.tensor(signs[1], &zero_point(many, outputs)));
    let at = |tensor: &Tensor, sign: Sign, index: i64| sign.number(tensor.data.bytes()[index as usize]);
    let mut expected = vec![];
    for index in 0..outputs * result * result {
        let (output, y, z) = (index / (result * result), index / result % result, index % result);
        let zero = at(&w_zero, signs[1], if many { output } else { 0 });
        let mut sum = 0;
        for tap in 0..per_group * window * window {
            let (channel, i, j) = (tap / (window * window), tap / window % window, tap % window);
            let (row, column) = (y * stride + i - pad, z * stride + j - pad);
            if (0..extent).contains(&row) && (0..extent).contains(&column) {
                let channel = output / (outputs / groups) * per_group + channel;
                let place = (channel * extent + row) * extent + column;
                let weight = at(&w, signs[1], output * per_group * window * window + tap) - zero;
                sum += (at(&x, signs[0], place) - at(&x_zero, signs[0], 0)) * weight;
            }
        }
        expected.push(sum);
    }
    let [a, b] = signs.map(|sign| sign.element().to_string());
    let list = if many { format!("{outputs}x") } else { String::new() };
    let types = [
        format!("tensor<1x{channels}x{extent}x{extent}x{a}>"),
        format!("tensor<{outputs}x{per_group}x{window}x{window}x{b}>"),
        format!("tensor<{a}>"),
        format!("tensor<{list}{b}>"),
    ];
    let operator = format!(
        "ConvInteger {{group = {groups} : si64, strides = [{stride}, {stride}], pads = [{pad}, {pad}, {pad}, {pad}]}}"
    );
    let mut session = compile(&operator, &types, &format!("tensor<1x{outputs}x{result}x{result}xi32>"));
    let found = sums(&mut session, &[x, w, x_zero, w_zero]);
    assert!(found == expected, "{case:?}, {signs:?}, a zero point for each output: {many}");
}

#[test]
fn convolutions_are_exact() {
    for case in CONVOLUTIONS {
        for signs in SIGNS.into_iter().flat_map(|x| SIGNS.map(|w| [x, w])) {
            for many in [false, true] {
                check_convolution(case, signs, many);
            }
        }
    }
}

/// An activation between int8 tensors with rows of 256.
fn activation(rows: i64, sign: Sign) -> Session {
    let (bytes, floats) = (format!("tensor<{rows}x256x{}>", sign.element()), format!("tensor<{rows}x256xf32>"));
    let zero = format!("tensor<{}>", sign.element());
    compile_text(&format!(
        "\"func.func\"() ({{\n^bb0(%x: {bytes}):\n\
         %s = \"onnx.Constant\"() {{value = dense<0.07> : tensor<f32>}} : () -> tensor<f32>\n\
         %z = \"onnx.Constant\"() {{value = dense<100> : {zero}}} : () -> {zero}\n\
         %0 = \"onnx.DequantizeLinear\"(%x, %s, %z) : ({bytes}, tensor<f32>, {zero}) -> {floats}\n\
         %1 = \"onnx.Sigmoid\"(%0) : ({floats}) -> {floats}\n\
         %2 = \"onnx.Mul\"(%0, %1) : ({floats}, {floats}) -> {floats}\n\
         %3 = \"onnx.QuantizeLinear\"(%2, %s, %z) : ({floats}, tensor<f32>, {zero}) -> {bytes}\n\
         \"func.return\"(%3) : ({bytes}) -> ()\n\
         }}) {{sym_name = \"main_graph\", function_type = ({bytes}) -> {bytes}}} : () -> ()"
    ))
}

/// Large int8 tensors use byte lookup tables, small ones are computed.
#[test]
fn tables_have_what_is_computed() {
    for sign in SIGNS {
        let row: Vec<u8> = (0..=255).collect();
        let input = |rows: i64| {
            let bytes = row.repeat(rows as usize);
            Tensor::new(sign.element(), vec![rows, 256], Blob::copy_of(&bytes)).expect("a byte an element")
        };
        let computed = sums(&mut activation(1, sign), &[input(1)]);
        let found = sums(&mut activation(16, sign), &[input(16)]);
        assert!(computed.iter().any(|byte| *byte != computed[0]), "the activation is not constant");
        assert_eq!(found, computed.repeat(16), "{sign:?}");
    }
}

/// Before version 28, ReduceLogSum takes integers: the fraction is truncated.
#[test]
fn logarithms_of_integers_are_cut() {
    let path = std::env::temp_dir().join(format!("onnx-integers-{}.onnxtxt", std::process::id()));
    let text = "
        <ir_version: 8, opset_import: [\"\": 18]>
        g (int32[2, 3] x, int64[1] axes) => (int32[2, 1] sums, int32[2, 1] powers) {
            sums = ReduceLogSum (x, axes)
            powers = ReduceLogSumExp (x, axes)
        }
    ";
    std::fs::write(&path, text).expect("the temporary folder can be written");
    let compiled = Compiler::new(Options::default()).compile_file(&path);
    let _ = std::fs::remove_file(&path);
    let mut session = Session::new(Arc::new(compiled.unwrap_or_else(|errors| panic!("{}", errors[0]))));
    let tensor = |element: Type, shape: &[i64], bytes: Vec<u8>| {
        Tensor::new(element, shape.to_vec(), Blob::copy_of(&bytes)).expect("the number of values matches the shape")
    };
    let x = [1i32, 2, 5, 10, 1000, 90].iter().flat_map(|number| number.to_le_bytes()).collect();
    let inputs = [tensor(Type::I32, &[2, 3], x), tensor(Type::I64, &[1], 1i64.to_le_bytes().to_vec())];
    let outputs = session.run(&inputs).unwrap_or_else(|errors| panic!("{}", errors[0]));
    // ln 8, ln 1100; a little above the largest
    assert_eq!(outputs[0].to_f64(), Some(vec![2.0, 7.0]));
    assert_eq!(outputs[1].to_f64(), Some(vec![5.0, 1000.0]));
}
