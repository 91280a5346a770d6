//! Transposed convolutions whose phases have unequal numbers of kernel elements, compared with plain sums.

mod graph;

use driver::Tensor;
use graph::session;

/// Output channels: more than a block, and not a multiple of it.
const OUTPUTS: usize = 21;
const INPUTS: usize = 3;

/// Integers, whose sums are exact.
fn numbers(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|at| ((at * 7 + seed) % 11) as f32 - 5.0).collect()
}

/// One image `[3, h, w]` by weights `[3, 21, kh, kw]`, without padding.
fn transposed(
    (image, [h, w]): (&[f32], [usize; 2]),
    (weights, [kh, kw]): (&[f32], [usize; 2]),
    bias: &[f32],
    [sh, sw]: [usize; 2],
) -> Vec<f64> {
    let [height, width] = [(h - 1) * sh + kh, (w - 1) * sw + kw];
    let mut result: Vec<f64> = bias.iter().flat_map(|&bias| vec![f64::from(bias); height * width]).collect();
    for (at, &pixel) in image.iter().enumerate() {
        let [channel, y, x] = [at / (h * w), at / w % h, at % w];
        let of_channel = &weights[channel * OUTPUTS * kh * kw..][..OUTPUTS * kh * kw];
        for (tap, &weight) in of_channel.iter().enumerate() {
            let [output, row, column] = [tap / (kh * kw), y * sh + tap / kw % kh, x * sw + tap % kw];
            result[(output * height + row) * width + column] += f64::from(pixel * weight);
        }
    }
    result
}

#[test]
fn phases_have_their_own_taps() {
    let shapes =
        [([3, 3], [2, 2]), ([5, 3], [3, 2]), ([4, 3], [2, 2]), ([3, 4], [2, 2]), ([1, 5], [2, 4]), ([7, 7], [4, 4])];
    for (kernel, strides) in shapes {
        let ([kh, kw], [sh, sw], [h, w]) = (kernel, strides, [4, 5]);
        let (image, weights) = (numbers(INPUTS * h * w, 1), numbers(INPUTS * OUTPUTS * kh * kw, 2));
        let bias = numbers(OUTPUTS, 3);
        let [x, k, b] =
            ["1x3x?x?", &format!("3x{OUTPUTS}x{kh}x{kw}"), "21"].map(|shape| format!("tensor<{shape}xf32>"));
        let result = "tensor<1x21x?x?xf32>";
        let operation =
            format!(r#""onnx.ConvTranspose"(%x, %k, %b) {{strides = [{sh}, {sw}]}} : ({x}, {k}, {b}) -> {result}"#);
        let mut session = session(&format!("%x: {x}, %k: {k}, %b: {b}"), "", &operation, result);
        let tensor = |shape: [usize; 4], numbers: &[f32]| Tensor::from_f32(&shape.map(|e| e as i64), numbers).unwrap();
        let inputs = [
            tensor([1, INPUTS, h, w], &image),
            tensor([INPUTS, OUTPUTS, kh, kw], &weights),
            Tensor::from_f32(&[OUTPUTS as i64], &bias).unwrap(),
        ];
        let outputs = session.run(&inputs).unwrap_or_else(|errors| panic!("{}", errors[0]));
        let expected = transposed((&image, [h, w]), (&weights, kernel), &bias, strides);
        assert_eq!(outputs[0].to_f64().expect("numbers"), expected, "{kernel:?} by {strides:?}");
    }
}
