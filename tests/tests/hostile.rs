//! Valid models with hostile inputs: every run returns a correct result or an error that names the node.

use std::sync::Arc;

use driver::{Compiler, ErrorClass, Options, Session};
use proto::AttributeProto;
use tests::node::{Input, int, ints, model, node, string, tensor_type, value_info, write};

/// The expected result of a run.
enum Expected {
    /// An output of this shape.
    Shape(&'static [i64]),
    /// An error, of the run or of the compilation, with this text.
    Error(&'static str),
}
use Expected::{Error, Shape};

type Case = (&'static str, Vec<Input>, Vec<AttributeProto>, Expected);

/// Larger than all memory, and such that products of a few of them overflow.
const HUGE: i64 = 1 << 61;

fn windows() -> Vec<Case> {
    let (x, f) = (|n: i64| Input::floats(&[1, 2, n]), Input::floats);
    let weights = |shape: &[i64]| Input::floats(shape).fixed();
    vec![
        ("Conv", vec![x(9), weights(&[3, 2, 5])], vec![], Shape(&[1, 3, 5])),
        ("Conv", vec![x(4), weights(&[3, 2, 5])], vec![], Error("a window of 5 does not fit into extent x0_2")),
        ("Conv", vec![x(0), weights(&[3, 2, 5])], vec![], Error("does not fit")),
        ("Conv", vec![x(0), weights(&[3, 2, 1])], vec![], Shape(&[1, 3, 0])),
        ("Conv", vec![f(&[1, 3, 9]), weights(&[3, 2, 5])], vec![], Error("channels")),
        ("Conv", vec![x(9), weights(&[3, 2, 5]), f(&[3])], vec![], Shape(&[1, 3, 5])),
        ("Conv", vec![x(9), weights(&[3, 2, 5]), f(&[2])], vec![], Error("the bias has shape [x2_0], not [3]")),
        ("Conv", vec![x(9), weights(&[3, 2, 5]), f(&[2]).fixed()], vec![], Error("the bias has shape [2], not [3]")),
        (
            "Conv",
            vec![x(4), weights(&[3, 2, 3])],
            vec![string("auto_pad", "SAME_UPPER"), ints("strides", &[2])],
            Shape(&[1, 3, 2]),
        ),
        ("Conv", vec![x(4), weights(&[3, 2, 3])], vec![ints("pads", &[-1, 0])], Shape(&[1, 3, 1])),
        ("Conv", vec![x(3), weights(&[3, 2, 3])], vec![ints("pads", &[-1, 0])], Error("does not fit")),
        ("Conv", vec![x(9), weights(&[3, 2, 5])], vec![ints("strides", &[0])], Error("has 0 [stride-positive]")),
        ("Conv", vec![x(9), weights(&[3, 2, 5])], vec![int("group", 0)], Error("has 0 [group-positive]")),
        ("MaxPool", vec![x(1)], vec![ints("kernel_shape", &[2]), ints("strides", &[2])], Shape(&[1, 2, 1])),
        ("MaxPool", vec![x(1)], vec![ints("kernel_shape", &[4]), ints("strides", &[2])], Shape(&[1, 2, 0])),
        (
            "MaxPool",
            vec![x(1)],
            vec![ints("kernel_shape", &[9]), ints("strides", &[2])],
            Error("a window of 9 does not fit into extent x0_2"),
        ),
        (
            "AveragePool",
            vec![x(5)],
            vec![ints("kernel_shape", &[2]), ints("strides", &[2]), int("ceil_mode", 1)],
            Shape(&[1, 2, 3]),
        ),
        ("ConvTranspose", vec![x(3), weights(&[2, 3, 2])], vec![ints("pads", &[2, 2])], Shape(&[1, 3, 0])),
        ("ConvTranspose", vec![x(5), weights(&[2, 3, 2])], vec![ints("pads", &[2, 2])], Shape(&[1, 3, 2])),
        ("ConvTranspose", vec![x(1), weights(&[2, 3, 2])], vec![ints("pads", &[2, 2])], Error("negative")),
        ("ConvTranspose", vec![x(0), weights(&[2, 3, 2])], vec![ints("strides", &[3])], Error("has no elements")),
        ("ConvTranspose", vec![x(3), weights(&[2, 3, 2]), f(&[1])], vec![], Error("the bias")),
        (
            "ConvTranspose",
            vec![x(3), weights(&[2, 3, 2])],
            vec![ints("output_shape", &[7]), ints("strides", &[2])],
            Shape(&[1, 3, 7]),
        ),
    ]
}

fn meetings() -> Vec<Case> {
    let f = Input::floats;
    vec![
        ("Add", vec![f(&[3]), f(&[5])], vec![], Error("does not broadcast")),
        ("Add", vec![f(&[3]), f(&[1])], vec![], Shape(&[3])),
        ("Add", vec![f(&[1, 4]), f(&[3, 1])], vec![], Shape(&[3, 4])),
        ("Sum", vec![f(&[3]), f(&[1]), f(&[4])], vec![], Error("does not broadcast")),
        ("PRelu", vec![f(&[2, 3]), f(&[2])], vec![], Error("the slope")),
        ("PRelu", vec![f(&[1]), f(&[4])], vec![], Error("the slope")),
        ("MatMul", vec![f(&[2, 3]), f(&[4, 5])], vec![], Error("inner extents x0_1 and x1_0 differ")),
        ("MatMul", vec![f(&[2, 2, 3]), f(&[3, 3, 5])], vec![], Error("does not broadcast")),
        ("Gemm", vec![f(&[2, 3]), f(&[4, 5])], vec![], Error("inner extents")),
        ("Gemm", vec![f(&[2, 3]), f(&[3, 5]), f(&[4])], vec![], Error("C of shape")),
        ("Gemm", vec![f(&[2, 3]), f(&[3, 5]), f(&[2, 1])], vec![], Shape(&[2, 5])),
        ("Concat", vec![f(&[2, 3]), f(&[2, 4])], vec![int("axis", 0)], Error("extent")),
        ("Einsum", vec![f(&[2, 3]), f(&[4, 5])], vec![string("equation", "ij,jk->ik")], Error("extent")),
        ("BatchNormalization", vec![f(&[1, 3, 4]), f(&[3]), f(&[3]), f(&[2]), f(&[3])], vec![], Error("the mean")),
        ("LayerNormalization", vec![f(&[2, 7]), f(&[5])], vec![], Error("the scale")),
        ("LayerNormalization", vec![f(&[2, 7]), f(&[7]), f(&[3])], vec![], Error("the bias")),
        ("RMSNormalization", vec![f(&[2, 7]), f(&[5])], vec![], Error("the scale")),
        ("InstanceNormalization", vec![f(&[1, 3, 4]), f(&[2]), f(&[3])], vec![], Error("the scale")),
        (
            "GroupNormalization",
            vec![f(&[1, 4, 3]).fixed(), f(&[2]), f(&[4])],
            vec![int("num_groups", 2)],
            Error("the scale"),
        ),
        ("GatherElements", vec![f(&[2, 2]), Input::indices(&[2, 3], &[0; 6])], vec![], Error("indices")),
        ("ScatterElements", vec![f(&[2, 2]), Input::indices(&[2, 3], &[0; 6]), f(&[2, 3])], vec![], Error("indices")),
        (
            "ScatterElements",
            vec![f(&[2, 2]), Input::indices(&[2, 2], &[0; 4]), f(&[2, 3])],
            vec![],
            Error("the updates"),
        ),
        ("ScatterND", vec![f(&[4, 2]), Input::indices(&[3, 1], &[0; 3]), f(&[2, 2])], vec![], Error("the updates")),
        ("Squeeze", vec![f(&[2, 3]), Input::integers(&[0]).fixed()], vec![], Error("axis 0 is dropped")),
    ]
}

fn sizes() -> Vec<Case> {
    let (f, n, v) = (Input::floats, Input::integer, Input::integers);
    vec![
        ("ConstantOfShape", vec![v(&[2, 3])], vec![], Shape(&[2, 3])),
        ("ConstantOfShape", vec![v(&[2, -3])], vec![], Error("extent 1 of its result")),
        ("ConstantOfShape", vec![v(&[HUGE])], vec![], Error("extent 0 of its result")),
        ("Reshape", vec![f(&[2, 3]), v(&[3, 2])], vec![], Shape(&[3, 2])),
        ("Reshape", vec![f(&[2, 3]), v(&[4, 2])], vec![], Error("another number of elements")),
        ("Reshape", vec![f(&[2, 3]), v(&[-2, -3])], vec![], Error("extent 0 of its result")),
        ("Reshape", vec![f(&[2, 3]), v(&[-1, 4])], vec![], Error("another number of elements")),
        ("Reshape", vec![f(&[2, 3]), v(&[-1, -1])], vec![], Error("")),
        // the only possible extent is inferred, and checked
        ("Reshape", vec![f(&[2]).fixed(), v(&[-1])], vec![], Shape(&[2])),
        ("Reshape", vec![f(&[2]).fixed(), v(&[3])], vec![], Error("extent 0 of a result differs")),
        ("Reshape", vec![f(&[2]).fixed(), v(&[-7])], vec![], Error("extent 0 of a result differs")),
        ("Reshape", vec![f(&[2, 3]).fixed(), v(&[5])], vec![], Error("extent 0 of a result differs")),
        ("Expand", vec![f(&[2]).fixed(), v(&[1])], vec![], Shape(&[2])),
        ("Expand", vec![f(&[2]).fixed(), v(&[3])], vec![], Error("broadcast")),
        ("Squeeze", vec![f(&[1, 1]).fixed(), v(&[-1])], vec![], Shape(&[1])),
        ("Squeeze", vec![f(&[1, 1]).fixed(), v(&[2])], vec![], Error("axes")),
        ("Unsqueeze", vec![f(&[1]).fixed(), v(&[1])], vec![], Shape(&[1, 1])),
        ("Unsqueeze", vec![f(&[1]).fixed(), v(&[2])], vec![], Error("axes")),
        ("Expand", vec![f(&[1, 3]), v(&[2, 1])], vec![], Shape(&[2, 3])),
        ("Expand", vec![f(&[1, 3]), v(&[2, 4])], vec![], Error("broadcast")),
        ("Expand", vec![f(&[1, 3]), v(&[-2, 3])], vec![], Error("extent 0 of its result")),
        ("Expand", vec![f(&[1]), v(&[HUGE])], vec![], Error("extent 0 of its result")),
        ("Tile", vec![f(&[2]), v(&[3])], vec![], Shape(&[6])),
        ("Tile", vec![f(&[2]), v(&[-3])], vec![], Error("extent 0 of its result")),
        ("Tile", vec![f(&[8]), v(&[HUGE])], vec![], Error("extent 0 of its result")),
        ("Tile", vec![f(&[8]), v(&[i64::MIN])], vec![], Error("extent 0 of its result")),
        ("Range", vec![n(0), n(5), n(2)], vec![], Shape(&[3])),
        ("Range", vec![n(5), n(0), n(2)], vec![], Shape(&[0])),
        ("Range", vec![n(0), n(5), n(0)], vec![], Error("step is 0")),
        ("Range", vec![n(0), n(HUGE), n(1)], vec![], Error("extent 0 of its result")),
        ("Range", vec![n(i64::MIN), n(i64::MAX), n(1)], vec![], Error("extent 0 of its result")),
        ("OneHot", vec![v(&[0, 1]), n(3), v(&[0, 1])], vec![], Shape(&[2, 3])),
        ("OneHot", vec![v(&[0, 1]), n(-3), v(&[0, 1])], vec![], Error("extent 1 of its result")),
        ("OneHot", vec![v(&[0, 1]), n(HUGE), v(&[0, 1])], vec![], Error("extent 1 of its result")),
        ("OneHot", vec![v(&[0, 1]), n(3), v(&[0, 1, 2])], vec![], Error("the pair of values")),
        ("Pad", vec![f(&[3]), v(&[1, 1])], vec![], Shape(&[5])),
        ("Pad", vec![f(&[3]), v(&[-2, 0])], vec![], Shape(&[1])),
        ("Pad", vec![f(&[3]), v(&[-2, -2])], vec![], Error("extent 0 of its result")),
        ("Pad", vec![f(&[3]), v(&[HUGE, 0])], vec![], Error("extent 0 of its result")),
        ("Pad", vec![f(&[0]), v(&[1, 1])], vec![string("mode", "edge")], Error("without elements")),
        ("TopK", vec![f(&[3]), v(&[2])], vec![], Shape(&[2])),
        ("TopK", vec![f(&[3]), v(&[4])], vec![], Error("more elements than the axis has")),
        ("TopK", vec![f(&[3]), v(&[-1])], vec![], Error("extent 0 of its result")),
        ("Slice", vec![f(&[5]), v(&[1]), v(&[HUGE])], vec![], Shape(&[4])),
        ("Slice", vec![f(&[5]), v(&[HUGE]), v(&[-HUGE])], vec![], Shape(&[0])),
        ("Slice", vec![f(&[5]), v(&[i64::MAX]), v(&[i64::MIN]), v(&[0]), v(&[-1])], vec![], Shape(&[5])),
        ("Slice", vec![f(&[5]), v(&[0]), v(&[5]), v(&[0]), v(&[0])], vec![], Error("step of Slice is 0")),
        ("Slice", vec![f(&[5]), v(&[0]), v(&[5]), v(&[0]), v(&[i64::MIN])], vec![], Shape(&[0])),
        ("Split", vec![f(&[5]), v(&[6])], vec![], Error("")),
        ("Split", vec![f(&[5]), v(&[-5])], vec![], Error("")),
        ("Gather", vec![f(&[3]), v(&[3])], vec![], Error("out of bounds")),
        ("Gather", vec![f(&[3]), v(&[i64::MIN])], vec![], Error("out of bounds")),
        ("GatherND", vec![f(&[3]), Input::indices(&[1, 1], &[HUGE])], vec![], Error("out of bounds")),
        ("ScatterND", vec![f(&[3]), Input::indices(&[1, 1], &[-4]), f(&[1])], vec![], Error("out of bounds")),
        ("CumSum", vec![f(&[3]), n(HUGE)], vec![], Error("axis does not exist")),
        ("ReduceSum", vec![f(&[3]), v(&[HUGE])], vec![], Error("")),
        ("Trilu", vec![f(&[2, 2]), n(HUGE)], vec![], Shape(&[2, 2])),
        ("GlobalAveragePool", vec![f(&[1, 2, 0])], vec![], Shape(&[1, 2, 1])),
        (
            "Resize",
            vec![f(&[1, 1, 2]), f(&[0]).fixed(), f(&[0]).fixed(), v(&[1, 1, 1_000_000_000_000_000])],
            vec![],
            Error(""),
        ),
        (
            "Resize",
            vec![f(&[1, 1, 2]), f(&[0]).fixed(), f(&[0]).fixed(), v(&[1, 1, -4])],
            vec![],
            Error("extent 2 of its result"),
        ),
        ("Resize", vec![f(&[1, 1, 0]), f(&[0]).fixed(), f(&[0]).fixed(), v(&[1, 1, 4])], vec![], Error("")),
    ]
}

fn outcome(number: usize, (operator, inputs, attributes, _): &Case) -> Result<Vec<i64>, String> {
    let infos: Vec<_> = inputs
        .iter()
        .enumerate()
        .map(|(at, input)| value_info(&format!("x{at}"), Some(tensor_type(input.element, &input.declared))))
        .collect();
    let mut one = node(operator, inputs.len(), if *operator == "TopK" { 2 } else { 1 }, attributes.clone());
    for (name, input) in one.input.iter_mut().zip(inputs) {
        // Resize without regions and scales
        if *operator == "Resize" && input.declared == [Some(0)] {
            name.clear();
        }
    }
    let path = write(&model("", 23, one, &infos), &format!("hostile-{operator}-{number}"));
    let compiled = Compiler::new(Options { threads: 1, ..Options::default() }).compile_file(&path);
    std::fs::remove_file(path).expect("it was just written");
    let told = |errors: Vec<driver::Diagnostic>| {
        assert!(errors.iter().all(|error| error.class != ErrorClass::Internal), "{operator}: {}", errors[0]);
        errors[0].to_string()
    };
    let values: Vec<_> = inputs.iter().map(|input| input.value.clone()).collect();
    let outputs = Session::new(Arc::new(compiled.map_err(told)?)).run(&values).map_err(told)?;
    Ok(outputs[0].shape.clone())
}

fn run(cases: &[Case]) {
    let mut problems = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let (operator, inputs, ..) = case;
        let found = outcome(number, case);
        let shapes: Vec<_> = inputs.iter().map(|input| &input.value.shape).collect();
        match (&case.3, found) {
            (Shape(expected), Ok(shape)) if shape == *expected => {}
            (Error(part), Err(message)) if message.contains(part) && message.contains("node") => {}
            (_, found) => problems.push(format!("{operator} {shapes:?}, case {number}: {found:?}")),
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn windows_fit_or_the_run_says_so() {
    run(&windows());
}

#[test]
fn extents_meet_or_the_run_says_so() {
    run(&meetings());
}

#[test]
fn sizes_are_sensible_or_the_run_says_so() {
    run(&sizes());
}
