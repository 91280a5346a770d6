//! Compares generated code for tiles of contractions with the runtime's micro-kernels.

#![allow(unsafe_code, reason = "runs the code it compiled")]

use abi::Start;
use ir::pass::{PassManager, PassRegistry, Pipeline, Timings};

/// The runtime's micro-kernels.
const CALLS: &str = "lower-to-low";
/// Generated code for registers of several widths.
const TILES: [&str; 3] = ["registers=32x16", "registers=16x8", "registers=32x4"];

/// One operation on a tile, with its descriptor's words.
#[derive(Clone, Debug)]
struct Case {
    operation: &'static str,
    kind: Option<&'static str>,
    rows: i64,
    columns: i64,
    words: Vec<i64>,
    start: Start,
    padded: bool,
}

impl Case {
    fn product(rows: i64, columns: i64, loops: [[i64; 4]; 3], walk: [i64; 5], rest: [i64; 3]) -> Case {
        let words = loops.concat().into_iter().chain(walk).chain(rest).collect();
        Case { operation: "rt.contract", kind: Some("f32"), rows, columns, words, start: Start::Zero, padded: false }
    }

    fn from(self, start: Start, padded: bool) -> Case {
        Case { start, padded, ..self }
    }

    /// A matrix product of depth 5.
    fn matrix(rows: i64, columns: i64, start: Start, padded: bool) -> Case {
        let width = if padded { (columns + 15) / 16 * 16 } else { columns };
        let loops = [[1, 1, 1, 5], [0, 0, 0, 1], [0, 0, 0, width]];
        Case::product(rows, columns, loops, [rows.max(1), 5, 0, columns, 0], [5, 16, 16]).from(start, padded)
    }

    /// A convolution whose rows are lines of `width` pixels; its last block has three channels.
    fn convolution(rows: i64, columns: i64, width: i64) -> Case {
        let line = (width + 2) * 16;
        let left = [line * 40, line, 16, 1];
        let right = [9 * 16 * columns, 3 * 16 * columns, 16 * columns, columns];
        let walk = [width, 16, line, columns, columns * width];
        Case::product(rows, columns, [[2, 3, 3, 16], left, right], walk, [3, 16, 16]).from(Start::Columns, false)
    }

    /// A product with separate groups of columns.
    fn grouped(columns: i64, start: Start) -> Case {
        let loops = [[1, 1, 1, 6], [0, 0, 0, 1], [0, 0, 0, 16]];
        Case::product(9, columns, loops, [9, 6, 0, 16, 0], [6, 16 * 6, 16 * 9]).from(start, true)
    }

    /// The same for int8 values, which are those of the numbers in the buffers.
    fn of_bytes(self) -> Case {
        Case { kind: Some("u8i8"), ..self }
    }

    fn check_bytes(self) {
        let case = self.of_bytes();
        let bits = |sums: Vec<f32>| sums.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        let expected = bits(case.run(CALLS, true));
        let found = bits(case.run(&format!("tile-contractions{{runtime=false}},{CALLS}"), false));
        assert!(found == expected, "{case:?}");
    }

    fn depthwise(pixels: i64, stride: i64, channels: i64, window: i64) -> Case {
        let width = pixels * stride + window;
        let words =
            vec![window, window, width * channels, channels, stride * channels, window * channels, channels, channels];
        Case {
            operation: "rt.depthwise",
            kind: None,
            rows: pixels,
            columns: channels,
            words,
            start: Start::Columns,
            padded: false,
        }
    }

    /// The operation in a function of four buffers and the numbers of rows and columns, which may be constants instead.
    fn module(&self, known: bool) -> String {
        let constant = |name: &str, value: i64| {
            format!("%{name} = \"arith.constant\"() {{value = {value} : index}} : () -> index\n")
        };
        let buffers = ["left", "right", "start", "out"];
        let mut text = String::new();
        let mut names: Vec<String> = Vec::new();
        for buffer in buffers {
            text += &format!("%at_{buffer} = \"rt.address\"(%{buffer}) : (memref<?xf32>) -> index\n");
            names.push(format!("%at_{buffer}"));
        }
        for (name, value) in [("rows", self.rows), ("columns", self.columns)] {
            text += &constant(&format!("known_{name}"), value);
            names.push(if known { format!("%known_{name}") } else { format!("%{name}") });
        }
        for (at, &word) in self.words.iter().enumerate() {
            text += &constant(&format!("word{at}"), word);
            names.push(format!("%word{at}"));
        }
        let start = match self.start {
            Start::Zero => "zero",
            Start::Columns => "columns",
            Start::Values => "values",
        };
        let padded = if self.padded { "right_padded, " } else { "" };
        let kind = self.kind.map_or(String::new(), |kind| format!("kind = \"{kind}\", "));
        let attributes = format!("{kind}{padded}start = \"{start}\"");
        let types = vec!["index"; names.len()].join(", ");
        let memref = "memref<?xf32>";
        format!(
            "\"builtin.module\"() ({{
  \"func.func\"() ({{
  ^bb0(%left: {memref}, %right: {memref}, %start: {memref}, %out: {memref}, %rows: index, %columns: index):
    {text}\"{}\"({}) {{{attributes}}} : ({types}) -> ()
    \"func.return\"() : () -> ()
  }}) {{sym_name = \"main\", function_type = ({memref}, {memref}, {memref}, {memref}, index, index) -> ()}} : () -> ()
}}) : () -> ()",
            self.operation,
            names.join(", ")
        )
    }

    /// The result's buffer after a run.
    fn run(&self, pipeline: &str, known: bool) -> Vec<f32> {
        let mut module =
            ir::parse_module(&self.module(known), "test.mlir", None).unwrap_or_else(|e| panic!("{}", e[0]));
        let mut passes = PassRegistry::default();
        passes.extend(dialects::levels::passes());
        passes.extend(lower::passes::passes());
        lower::passes::pipelines().into_iter().for_each(|pipeline| passes.add_pipeline(pipeline));
        let pipeline = Pipeline::parse(pipeline, &passes).expect("is a pipeline");
        let registry = dialects::registry();
        let manager = PassManager { verify_each: true, ..PassManager::new(&registry) };
        manager.run(&mut module, &pipeline, &mut Timings::default()).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let symbols =
            runtime::symbols().into_iter().map(|(name, at)| (name.to_string(), at.expose_provenance())).collect();
        let options = codegen_cranelift::Options { symbols, threads: 1, ..Default::default() };
        let code = codegen_cranelift::compile(std::slice::from_ref(&module), &options)
            .unwrap_or_else(|errors| panic!("{}", errors[0]));
        let main = code.function("main").expect("is defined");
        // SAFETY: the signature of `@main` above.
        let main: extern "C" fn(*const f32, *const f32, *const f32, *mut f32, i64, i64) =
            unsafe { std::mem::transmute(main) };
        let [left, right, start, mut out] = [1, 2, 3, 4].map(numbers);
        main(left.as_ptr(), right.as_ptr(), start.as_ptr(), out.as_mut_ptr(), self.rows, self.columns);
        out
    }

    fn check(&self) {
        let expected = self.run(CALLS, true);
        for known in [true, false] {
            for tile in TILES {
                let found = self.run(&format!("tile-contractions{{{tile}}},{CALLS}"), known);
                assert!(found == expected, "{self:?} with {tile}, known: {known}");
            }
        }
    }
}

/// Small integers as floats, so that sums are exact in any order; more than any case reads.
fn numbers(seed: u32) -> Vec<f32> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 24) % 9) as f32 - 4.0
    };
    (0..1 << 16).map(|_| next()).collect()
}

#[test]
fn matrix_products() {
    for columns in [1, 16, 20, 33, 48, 63, 64] {
        for rows in [0, 1, 5, 6, 13, 29] {
            let start = [Start::Zero, Start::Columns, Start::Values][(rows + columns) as usize % 3];
            let padded = columns % 2 == 0;
            Case::matrix(rows, columns, start, padded).check();
        }
    }
}

#[test]
fn products_of_bytes() {
    for (columns, depth) in [(1, 5), (16, 8), (37, 3), (64, 1), (20, 16)] {
        for start in [Start::Zero, Start::Columns, Start::Values] {
            let group = (depth + 3) / 4 * 64;
            let loops = [[1, 1, 1, depth], [0, 0, 0, 1], [0, 0, 0, 16]];
            let walk = [9, depth, 0, columns, 0];
            Case::product(9, columns, loops, walk, [depth, group, 16]).from(start, true).check_bytes();
        }
    }
    let loops = [[2, 3, 3, 16], [10 * 160, 160, 16, 1], [9 * 256, 3 * 256, 256, 16]];
    Case::product(14, 32, loops, [7, 16, 160, 32, 224], [3, 18 * 256, 16]).from(Start::Columns, true).check_bytes();
}

#[test]
fn transposed_left_operand() {
    let loops = [[1, 1, 1, 7], [0, 0, 0, 9], [0, 0, 0, 48]];
    Case::product(9, 40, loops, [9, 1, 0, 40, 0], [7, 16, 16]).from(Start::Zero, true).check();
}

#[test]
fn depth_of_zero_leaves_the_start() {
    let loops = [[1, 1, 1, 0], [0, 0, 0, 1], [0, 0, 0, 20]];
    Case::product(4, 20, loops, [4, 5, 0, 20, 0], [0, 16, 16]).from(Start::Columns, false).check();
}

#[test]
fn rows_in_lines() {
    for (rows, columns, width) in [(14, 32, 7), (23, 48, 5), (6, 64, 1), (56, 16, 56), (30, 20, 3)] {
        Case::convolution(rows, columns, width).check();
    }
}

#[test]
fn groups_of_columns_apart() {
    for (columns, start) in [(16, Start::Zero), (20, Start::Values), (48, Start::Columns), (64, Start::Values)] {
        Case::grouped(columns, start).check();
    }
}

#[test]
fn depthwise_sums() {
    for (pixels, stride, channels, window) in
        [(0, 1, 16, 3), (1, 1, 16, 3), (5, 2, 3, 3), (16, 2, 12, 2), (5, 1, 16, 6)]
    {
        Case::depthwise(pixels, stride, channels, window).check();
    }
}
