//! Objects without a runtime whose dimensions have bounds: for every extent within them the bits are those of a run of
//! `onnx-run`, and their memory is that of the greatest extents.

use std::path::{Path, PathBuf};
use std::process::Command;

use tests::npy::{self, Array};
use tests::worker::onnxc;
use tests::{linked, scratch};

/// A model, the bounds of its dimensions, and for each input its extents: numbers, or the index of a dimension.
struct Case {
    name: &'static str,
    model: &'static str,
    bounds: &'static [(&'static str, usize)],
    inputs: &'static [(&'static str, &'static [Extent])],
    outputs: &'static [&'static str],
}

#[derive(Clone, Copy)]
enum Extent {
    Fixed(usize),
    Of(usize),
}

use Extent::{Fixed, Of};

const CASES: [Case; 6] = [
    Case {
        name: "products",
        model: r#"<ir_version: 10, opset_import: ["": 18]>
g (float[N, 3] x, float[3, 4] w) => (float[N, 4] y, float[M] z) {
  a = MatMul (x, w)
  y = Relu (a)
  both = Concat <axis = 0> (a, y)
  minus = Constant <value_ints = [-1]> ()
  z = Reshape (both, minus)
}
"#,
        bounds: &[("N", 5)],
        inputs: &[("x", &[Of(0), Fixed(3)]), ("w", &[Fixed(3), Fixed(4)])],
        outputs: &["y", "z"],
    },
    Case {
        name: "windows",
        model: r#"<ir_version: 10, opset_import: ["": 18]>
g (float[1, 2, H, W] x, float[3, 2, 3, 3] w) => (float[1, 3, H, V] y, float[1, 3, P, Q] z) {
  c = Conv <pads = [1, 1, 1, 1]> (x, w)
  y = Softmax <axis = -1> (c)
  z = MaxPool <kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1> (c)
}
"#,
        bounds: &[("H", 4), ("W", 3)],
        inputs: &[("x", &[Fixed(1), Fixed(2), Of(0), Of(1)]), ("w", &[Fixed(3), Fixed(2), Fixed(3), Fixed(3)])],
        outputs: &["y", "z"],
    },
    Case {
        name: "sequences",
        model: r#"<ir_version: 10, opset_import: ["": 18]>
g (float[S, 1, 3] x, float[1, 16, 3] w, float[1, 16, 4] r) => (float[S, 1, 1, 4] y, float[1, 1, 4] last) {
  y, last = LSTM <hidden_size = 4> (x, w, r)
}
"#,
        bounds: &[("S", 6)],
        inputs: &[
            ("x", &[Of(0), Fixed(1), Fixed(3)]),
            ("w", &[Fixed(1), Fixed(16), Fixed(3)]),
            ("r", &[Fixed(1), Fixed(16), Fixed(4)]),
        ],
        outputs: &["y", "last"],
    },
    Case {
        name: "branches",
        model: r#"<ir_version: 10, opset_import: ["": 18]>
g (float[N, 4] x, float[1] choice) => (float[A, 4] y) {
  zero = Constant <value_floats = [0.0]> ()
  condition = Greater (choice, zero)
  flag = Squeeze (condition)
  y = If (flag) <
    then_branch = t () => (float[B, 4] p) { p = Concat <axis = 0> (x, x) },
    else_branch = e () => (float[C, 4] q) {
      one = Constant <value_ints = [1]> ()
      many = Constant <value_ints = [100]> ()
      axis = Constant <value_ints = [0]> ()
      part = Slice (x, one, many, axis)
      q = Tanh (part)
    }
  >
}
"#,
        bounds: &[("N", 4)],
        inputs: &[("x", &[Of(0), Fixed(4)]), ("choice", &[Fixed(1)])],
        outputs: &["y"],
    },
    Case {
        name: "stacks",
        model: r#"<ir_version: 10, opset_import: ["": 18]>
g (float[N, 3] x, float[3] first) => (float[A, 3] sums, float[B, 3] squares, float[7, 3] powers) {
  count = Shape <start = 0, end = 1> (x)
  seven = Constant <value_int = 7> ()
  a, sums = Scan <num_scan_inputs = 1, body = s (float[3] t, float[3] row) => (float[3] u, float[3] each) {
    u = Add (t, row)
    each = Neg (u)
  }> (first, x)
  b, squares = Loop (count, , first) <body = l (int64 i, bool c, float[3] v) => (bool d, float[3] w, float[3] square) {
    d = Identity (c)
    one = Gather (x, i)
    w = Add (v, one)
    square = Mul (w, w)
  }>
  e, powers = Loop (seven, , first) <body = k (int64 j, bool f, float[3] p) => (bool h, float[3] q, float[3] power) {
    h = Identity (f)
    q = Add (p, p)
    power = Identity (q)
  }>
}
"#,
        bounds: &[("N", 5)],
        inputs: &[("x", &[Of(0), Fixed(3)]), ("first", &[Fixed(3)])],
        outputs: &["sums", "squares", "powers"],
    },
    Case {
        name: "routines",
        model: r#"<ir_version: 10, opset_import: ["": 18]>
g (float[N, 4] x, float[N, 4] y) => (float[N, 3] best, int32[N, 3] places, float[2, N] least, int32[2, N] ranks,
                                     float[N, 4] sums, float[N, 4] rests, float[N, 4] added, float[4, N] greater) {
  equal = Floor (x)
  three = Constant <value_ints = [3]> ()
  best, at = TopK <axis = 1> (equal, three)
  places = Cast <to = 6> (at)
  turned = Transpose <perm = [1, 0]> (equal)
  two = Constant <value_ints = [2]> ()
  least, rank = TopK <axis = 0, largest = 0> (turned, two)
  ranks = Cast <to = 6> (rank)
  zero = Constant <value_int = 0> ()
  sums = CumSum <reverse = 1> (x, zero)
  rests = Mod <fmod = 1> (x, y)
  column = ArgMax <axis = 1> (x)
  one = Constant <value_ints = [1]> ()
  most = ReduceMax (x, one)
  added = ScatterElements <axis = 1, reduction = "add"> (x, column, most)
  products = MatMul (x, turned)
  greater = ScatterND <reduction = "max"> (turned, column, products)
}
"#,
        bounds: &[("N", 5)],
        inputs: &[("x", &[Of(0), Fixed(4)]), ("y", &[Of(0), Fixed(4)])],
        outputs: &["best", "places", "least", "ranks", "sums", "rests", "added", "greater"],
    },
];

/// The program: its arguments are the dimensions; it prints the extents of the outputs and then the bits of their
/// elements, or the status.
fn program(case: &Case) -> String {
    let shape = |extents: &[Extent]| -> String {
        let factor = |extent: &Extent| match extent {
            Fixed(extent) => format!("*{extent}"),
            Of(number) => format!("*{}", case.bounds[*number].1),
        };
        extents.iter().map(factor).collect()
    };
    let arrays: String = case
        .inputs
        .iter()
        .map(|(name, extents)| format!("static float in_{name}[1{}];\n", shape(extents)))
        .chain(
            (0..case.outputs.len())
                .map(|at| format!("static uint32_t out_{at}[model_output_{at}_bytes_max / 4 + 1];\n")),
        )
        .collect();
    let fills: String = case
        .inputs
        .iter()
        .map(|(name, _)| {
            format!("    for (size_t i = 0; i < sizeof in_{name} / 4; i++) in_{name}[i] = (float)(i * 7919 % 257) / 64 - 2;\n")
        })
        .collect();
    let inputs: Vec<String> = case.inputs.iter().map(|(name, _)| format!("in_{name}")).collect();
    let outputs: Vec<String> = (0..case.outputs.len()).map(|at| format!("out_{at}")).collect();
    let sizes: Vec<String> = (0..case.outputs.len()).map(|at| format!("sizeof out_{at} / 4")).collect();
    format!(
        r#"#include <stdio.h>
#include <stdlib.h>
#include "model.h"
{arrays}
int main(int count, char **arguments) {{
    int64_t dimensions[{dimensions}], extents[model_output_extent_count];
{fills}    const void *inputs[] = {{{}}};
    void *outputs[] = {{{}}};
    uint32_t *words[] = {{{}}};
    size_t sizes[] = {{{}}};
    for (int i = 1; i < count; i++) dimensions[i - 1] = atoll(arguments[i]);
    for (int at = 0; at < model_output_count; at++) words[at][sizes[at] - 1] = 77;
    model_initialize(0, 0);
    int64_t status = model_run(inputs, outputs, dimensions, extents);
    for (int at = 0; at < model_output_count; at++) if (words[at][sizes[at] - 1] != 77) return 2;
    if (status) {{ printf("status %d\n", (int)status); return 0; }}
    for (int i = 0; i < model_output_extent_count; i++) printf("%d ", (int)extents[i]);
    printf("\n");
    for (int at = 0; at < model_output_count; at++)
        for (size_t i = 0; i + 1 < sizes[at]; i++) printf("%08x ", words[at][i]);
    printf("\n");
    return 0;
}}
"#,
        inputs.join(", "),
        outputs.join(", "),
        outputs.join(", "),
        sizes.join(", "),
        dimensions = case.bounds.len(),
    )
}

/// All combinations of extents from 0 to the bounds.
fn combinations(bounds: &[(&str, usize)]) -> Vec<Vec<usize>> {
    bounds.iter().fold(vec![vec![]], |all, (_, greatest)| {
        all.iter().flat_map(|one| (0..=*greatest).map(|extent| [&one[..], &[extent]].concat())).collect()
    })
}

/// The outputs of a run of `onnx-run`: shapes, then the bits; `None` if the run refuses these extents.
fn expected(folder: &Path, model: &Path, case: &Case, extents: &[usize]) -> Option<(Vec<usize>, Vec<String>)> {
    let mut here = Command::new(onnxc(Path::new(env!("CARGO_BIN_EXE_models"))).with_file_name("onnx-run"));
    here.arg(model).args(["--fixed-fp", "--quiet", "--no-cache"]);
    for (name, shape) in case.inputs {
        let shape: Vec<usize> = shape
            .iter()
            .map(|extent| match extent {
                Fixed(extent) => *extent,
                Of(number) => extents[*number],
            })
            .collect();
        let values: Vec<f32> =
            (0..shape.iter().product::<usize>()).map(|i| (i * 7919 % 257) as f32 / 64.0 - 2.0).collect();
        let path = folder.join(format!("{name}.npy"));
        std::fs::write(&path, npy::floats(&shape, &values)).expect("the folder takes files");
        here.arg("--input").arg(format!("{name}={}", path.display()));
    }
    let results = folder.join("results");
    let status = here.arg("--save").arg(&results).output().expect("onnx-run starts").status;
    if status.code() == Some(1) {
        return None;
    }
    assert!(status.success(), "{here:?}: {status}");
    let (mut shapes, mut words) = (vec![], vec![]);
    for name in case.outputs {
        let output = Array::read(&results.join(format!("{name}.npy")));
        shapes.extend_from_slice(&output.shape);
        words.extend(output.words().map(|word| format!("{word:08x}")));
    }
    Some((shapes, words))
}

/// The words of each output that a run writes, of all that the program prints.
fn written(case: &Case, header: &str, shapes: &[usize], ranks: &[usize], all: &[&str]) -> Vec<String> {
    let (mut words, mut at, mut axis) = (vec![], 0, 0);
    for (number, rank) in ranks.iter().enumerate() {
        let count: usize = shapes[axis..axis + rank].iter().product();
        words.extend(all[at..at + count].iter().map(|word| word.to_string()));
        at += stated(header, &format!("output_{number}_bytes_max")) / 4;
        axis += rank;
    }
    assert_eq!(axis, shapes.len(), "{}: all extents", case.name);
    words
}

/// The value of a macro of the header.
fn stated(header: &str, name: &str) -> usize {
    let start = format!("#define model_{name} ");
    let value = header.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_else(|| panic!("{name}"));
    value.parse().expect("a number")
}

/// The program of a case, and its model, in folders of one test.
fn build(case: &Case, test: &str) -> (PathBuf, PathBuf) {
    let model = scratch::folder(&format!("bounded-{test}-{}-model", case.name)).join("m.onnxtxt");
    std::fs::write(&model, case.model).expect("the folder takes files");
    let bounds: Vec<String> = case.bounds.iter().map(|(name, greatest)| format!("--dim={name}<={greatest}")).collect();
    let arguments: Vec<&str> =
        ["--freestanding", "--fixed-fp"].into_iter().chain(bounds.iter().map(|s| &**s)).collect();
    let onnxc = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
    (linked::build(onnxc, &model, &arguments, &program(case), &format!("bounded-{test}-{}", case.name)), model)
}

#[test]
fn every_extent_gives_the_bits_of_a_run() {
    for case in &CASES {
        let (program, model) = build(case, "bits");
        let folder = program.parent().expect("it is in a folder");
        let header = std::fs::read_to_string(folder.join("model.h")).expect("it was written");
        for extents in combinations(case.bounds) {
            let printed = linked::run(Command::new(&program).args(extents.iter().map(usize::to_string)));
            let printed = String::from_utf8(printed).expect("text");
            let Some((shapes, words)) = expected(folder, &model, case, &extents) else {
                assert!(printed.starts_with("status "), "{} {extents:?}: {printed}", case.name);
                continue;
            };
            let mut lines = printed.lines();
            let found: Vec<usize> = lines
                .next()
                .expect("extents")
                .split_whitespace()
                .map(|extent| extent.parse().unwrap_or_else(|_| panic!("{} {extents:?}: {printed}", case.name)))
                .collect();
            assert_eq!(found, shapes, "{} {extents:?}", case.name);
            let all: Vec<&str> = lines.next().expect("words").split_whitespace().collect();
            let ranks = ranks(&header, case);
            assert_eq!(written(case, &header, &shapes, &ranks, &all), words, "{} {extents:?}", case.name);
        }
    }
}

/// The ranks of the outputs, from the header's list of them.
fn ranks(header: &str, case: &Case) -> Vec<usize> {
    let rank = |name: &&str| {
        let line = header.lines().find(|line| line.contains("output ") && line.contains(&format!(": {name}: ")));
        line.expect("the header lists it").matches(',').count() + 1
    };
    case.outputs.iter().map(rank).collect()
}

#[test]
fn other_extents_are_refused() {
    let (program, _) = build(&CASES[1], "refused");
    for extents in [["5", "1"], ["1", "4"], ["-1", "1"], ["9223372036854775807", "1"], ["1", "-9223372036854775808"]] {
        let printed = linked::run(Command::new(&program).args(extents));
        assert_eq!(String::from_utf8_lossy(&printed), "status -11\n", "{extents:?}");
    }
}

#[test]
fn memory_is_that_of_the_greatest_extents() {
    let case = &CASES[1];
    let (program, model) = build(case, "memory");
    let header = std::fs::read_to_string(program.with_file_name("model.h")).expect("it was written");
    let mut command = Command::new(onnxc(Path::new(env!("CARGO_BIN_EXE_models"))));
    command.arg(&model).args(["--freestanding", "--fixed-fp", "--name", "model", "--emit", "header"]);
    let fixed = case.bounds.iter().map(|(name, greatest)| format!("--dim={name}={greatest}"));
    let fixed = String::from_utf8(linked::run(command.args(fixed))).expect("text");
    let [bounded, fixed] = [&header, &fixed].map(|header| stated(header, "ram_bytes"));
    assert!(bounded <= fixed + fixed / 8, "{bounded} bytes instead of {fixed}");
}
