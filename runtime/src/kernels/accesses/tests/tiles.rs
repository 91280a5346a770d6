//! The micro-kernels for tiles.

use abi::{Depthwise, Product, Start, Winograd};

use super::*;

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64 % end
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as i64) as usize]
    }
}

/// A not-a-number, or the largest byte, in an element.
fn mark(element: &mut [u8]) {
    match *element {
        [ref mut byte] => *byte = 127,
        [_, _] => element.copy_from_slice(&0x7fc0u16.to_ne_bytes()),
        [_, _, _, _] => element.copy_from_slice(&f32::NAN.to_ne_bytes()),
        _ => element.copy_from_slice(&f64::NAN.to_ne_bytes()),
    }
}

impl Sample {
    /// Runs the call on memory of exactly the spans, and with an element at an end of an operand that differs from the
    /// others: then so does the result. `is_padded` says whether the last elements of the second operand may not matter.
    fn run_tile(&self, is_padded: bool, run: Run<'_>) {
        let spans = self.spans();
        self.run(&spans, run);
        if spans[3] == Span::NONE {
            return;
        }
        let plain = self.result(None, run);
        let width = self.widths[3] as usize;
        // every result is written
        assert!(plain[..width] != [0xaa; 8][..width], "{self:?}");
        assert!(plain[plain.len() - width..] != [0xaa; 8][..width], "{self:?}");
        for (operand, is_last) in (0..3).flat_map(|operand| [(operand, false), (operand, true)]) {
            let has_any = spans[operand] != Span::NONE && spans[0] != Span::NONE && spans[1] != Span::NONE;
            if has_any && !(operand == 1 && is_last && is_padded) {
                assert!(self.result(Some((operand, is_last)), run) != plain, "{operand} {is_last} {self:?}");
            }
        }
    }

    /// The result of operands that are one, but for an element that is not a number.
    fn result(&self, marked: Option<(usize, bool)>, run: Run<'_>) -> Vec<u8> {
        let spans = self.spans();
        let mut memories: Vec<Vec<u8>> = spans.iter().map(|span| vec![0; (span.end - span.first) as usize]).collect();
        for (memory, &width) in memories.iter_mut().zip(&self.widths).take(3) {
            let one: &[u8] = match width {
                1 => &[1],
                2 => &0x3c00u16.to_ne_bytes(),
                4 => &1f32.to_ne_bytes(),
                _ => &1f64.to_ne_bytes(),
            };
            memory.chunks_exact_mut(width as usize).for_each(|element| element.copy_from_slice(one));
        }
        memories[3].fill(if self.starts_from_values() { 0 } else { 0xaa });
        if let Some((operand, is_last)) = marked {
            let (memory, width) = (&mut memories[operand], self.widths[operand] as usize);
            let from = if is_last { memory.len() - width } else { 0 };
            mark(&mut memory[from..from + width]);
        }
        let address =
            |(memory, span): (&mut Vec<u8>, &Span)| memory.as_mut_ptr().expose_provenance() as i64 - span.first;
        let buffers: Vec<i64> = memories.iter_mut().zip(&spans).map(address).collect();
        run(self.descriptor.as_ptr(), &self.numbers, &buffers);
        memories.swap_remove(3)
    }

    fn starts_from_values(&self) -> bool {
        self.descriptor[self.descriptor.len() - 2] == Start::Values as i64
    }
}

/// A random contraction whose elements do not overlap in the result.
fn product(random: &mut Random, kind: &str) -> Sample {
    let extent = |random: &mut Random| 1 + random.below(3);
    let [e0, e1, e2] = [(); 3].map(|()| extent(random));
    let depth = random.of(&[1, 2, 5, 8, 37, 300]);
    let rows = random.of(&[0, 1, 3, 8, 9, 17, 40]);
    let columns = random.of(&[0, 1, 7, 16, 17, 33, 48, 64, 80]);
    let inner = random.of(&[1, 2, 5, rows.max(1)]);
    let quad = if kind == "u8_i8" { (depth + 3) / 4 * 4 } else { depth };
    let near = [e1 * e2 * depth, e2 * depth, depth, 1];
    let right_near = match kind {
        "f32_transposed" => near,
        // per step of a group
        _ => [e1 * e2 * quad * 16, e2 * quad * 16, quad * 16, 16],
    };
    let (steps, gap) = (e0 * near[0], random.below(3));
    let right_group = match kind {
        "f32_transposed" => 16 * (steps + gap),
        _ => e0 * right_near[0] + 16 * gap,
    };
    let line = (columns + 15) / 16 * 16 + gap;
    let right_padded = random.below(2);
    let start = random.of(&[Start::Zero, Start::Columns, Start::Values]);
    let walk = Product {
        reduction: [e0, e1, e2, depth],
        left: near,
        right: right_near,
        row_inner: inner,
        left_rows: [steps + gap, (steps + gap) * inner],
        out_rows: [line, line * inner + gap],
        last_block: 1 + random.below(depth),
        right_group,
        out_group: 16,
    };
    let descriptor = [&walk.words()[..], &[start as i64, right_padded]].concat();
    let (symbol, widths) = match kind {
        "f32" => ("rt_contract_f32", [4, 4, 4, 4]),
        "f64" => ("rt_contract_f64", [8, 8, 8, 8]),
        "f32_transposed" => ("rt_contract_f32_transposed", [4, 4, 4, 4]),
        "f32_f16" => ("rt_contract_f32_f16", [4, 2, 4, 4]),
        "f32_bf16" => ("rt_contract_f32_bf16", [4, 2, 4, 4]),
        _ => ("rt_contract_u8_i8", [1, 1, 4, 4]),
    };
    Sample { symbol, descriptor, numbers: vec![rows, columns], widths: widths.to_vec() }
}

fn check(kind: &str, run: Run<'_>) {
    let mut random = Random(7);
    for _ in 0..300 {
        let sample = product(&mut random, kind);
        let is_padded = match kind {
            "f32" | "f64" => sample.descriptor.ends_with(&[1]),
            "f32_transposed" => false,
            _ => true,
        };
        sample.run_tile(is_padded, run);
    }
}

/// Calls a micro-kernel for tiles.
macro_rules! tile {
    ($kernel:ident) => {
        // SAFETY: the memory has what the kernel accesses, or the process ends.
        &|d, n, b| unsafe { $kernel(d, at(b[0]), at(b[1]), at(b[2]), at(b[3]), n[0], n[1]) }
    };
}

#[test]
fn contractions() {
    check("f32", tile!(rt_contract_f32));
    check("f64", tile!(rt_contract_f64));
}

#[test]
fn contractions_with_converted_operands() {
    check("f32_transposed", tile!(rt_contract_f32_transposed));
    check("f32_f16", tile!(rt_contract_f32_f16));
    check("f32_bf16", tile!(rt_contract_f32_bf16));
}

#[test]
fn contractions_of_bytes() {
    check("u8_i8", tile!(rt_contract_u8_i8));
}

#[test]
fn depthwise_convolutions() {
    let mut random = Random(9);
    for _ in 0..300 {
        let [height, width] = [1 + random.below(3), 1 + random.below(3)];
        let (pixels, channels) = (random.of(&[0, 1, 2, 7, 8, 23]), random.of(&[0, 1, 5, 8, 13, 16]));
        let step = 16 * (1 + random.below(2));
        let walk = Depthwise {
            window: [height, width],
            left: [16 * 60, 16],
            left_pixel: step,
            right: [16 * width, 16],
            out_pixel: 16,
        };
        let start = random.of(&[Start::Zero, Start::Columns, Start::Values]);
        let descriptor = [&walk.words()[..], &[start as i64, 0]].concat();
        let numbers = vec![pixels, channels];
        Sample { symbol: "rt_depthwise_f32", descriptor, numbers, widths: vec![4; 4] }
            .run_tile(false, tile!(rt_depthwise_f32));
    }
}

#[test]
fn winograd_convolutions() {
    let mut random = Random(11);
    for _ in 0..200 {
        let [size, blocks] = [random.of(&[2, 4]), 1 + random.below(2)];
        let [out_height, out_width] = [1 + random.below(13), 1 + random.below(13)];
        let [top, left] = [random.below(2), random.below(2)];
        let [height, width] = [out_height + 2 - 2 * top, out_width + 2 - 2 * left];
        let tiles = [out_height, out_width].map(|extent| (extent + size - 1) / size).iter().product::<i64>();
        let first = random.below(tiles);
        let count = random.below(tiles - first + 1);
        let out_groups = 1 + random.below(3);
        let columns = 16 * (1 + random.below(out_groups));
        let walk = Winograd { size, height, width, top, left, blocks, out_height, out_width, out_groups, first };
        let start = random.of(&[Start::Zero, Start::Columns]);
        let descriptor = [&walk.words()[..], &[start as i64, 0]].concat();
        Sample { symbol: "rt_winograd_f32", descriptor, numbers: vec![count, columns], widths: vec![4; 4] }
            .run_tile(false, tile!(rt_winograd_f32));
    }
}
