//! Random operators: their distributions, and the effect of a seed.

mod graph;

use driver::Tensor;
use graph::session;

/// The number of samples.
const COUNT: i64 = 100_000;

/// The result of an operation for inputs, as numbers.
fn draw(arguments: &str, inputs: &[Tensor], operation: &str, result: &str) -> Vec<f64> {
    let mut session = session(arguments, "", operation, result);
    let outputs = session.run(inputs).unwrap_or_else(|errors| panic!("{}", errors[0]));
    outputs[0].to_f64().expect("numbers")
}

fn mean_and_deviation(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 0.02
}

#[test]
fn uniform_numbers_fill_their_range_evenly() {
    let draw = |seed: &str| {
        let operation = format!(
            r#""onnx.RandomUniform"() {{shape = [{COUNT}], low = -1.0 : f32, high = 3.0 : f32{seed}}} : () -> tensor<{COUNT}xf32>"#
        );
        draw("", &[], &operation, &format!("tensor<{COUNT}xf32>"))
    };
    let numbers = draw(", seed = 7.0 : f32");
    assert!(numbers.iter().all(|number| (-1.0..3.0).contains(number)));
    let (mean, deviation) = mean_and_deviation(&numbers);
    assert!(near(mean, 1.0) && near(deviation, 4.0 / 12f64.sqrt()), "{mean} {deviation}");
    let quarters: Vec<usize> =
        (-1..3).map(|low| numbers.iter().filter(|number| number.floor() == f64::from(low)).count()).collect();
    assert!(quarters.iter().all(|&count| count.abs_diff(COUNT as usize / 4) < 700), "{quarters:?}");
    assert_eq!(numbers, draw(", seed = 7.0 : f32"), "a seed fixes all");
    assert_ne!(numbers, draw(", seed = 8.0 : f32"));
}

#[test]
fn normal_numbers_have_their_mean_and_deviation() {
    let operation = r#""onnx.RandomNormalLike"(%x) {mean = 2.0 : f32, scale = 0.5 : f32, seed = 3.0 : f32} : (tensor<?xf32>) -> tensor<?xf32>"#;
    let x = Tensor::from_f32(&[COUNT], &vec![0.0; COUNT as usize]).expect("the number of values matches the shape");
    let numbers = draw("%x: tensor<?xf32>", &[x], operation, "tensor<?xf32>");
    let (mean, deviation) = mean_and_deviation(&numbers);
    assert!(near(mean, 2.0) && near(deviation, 0.5), "{mean} {deviation}");
    // of a normal distribution 68.3 % are within one standard deviation, 95.4 % within two
    let within = |reach: f64| {
        numbers.iter().filter(|&&number| (number - 2.0).abs() < reach).count() as f64 / numbers.len() as f64
    };
    assert!(near(within(0.5), 0.683) && near(within(1.0), 0.954));
}

#[test]
fn bernoulli_draws_one_with_the_probability_of_its_operand() {
    let operation = r#""onnx.Bernoulli"(%p) {seed = 1.0 : f32} : (tensor<?xf32>) -> tensor<?xf32>"#;
    for probability in [0.0, 0.2, 0.9, 1.0] {
        let p = Tensor::from_f32(&[COUNT], &vec![probability; COUNT as usize])
            .expect("the number of values matches the shape");
        let numbers = draw("%p: tensor<?xf32>", &[p], operation, "tensor<?xf32>");
        assert!(numbers.iter().all(|&number| number == 0.0 || number == 1.0));
        let (mean, _) = mean_and_deviation(&numbers);
        assert!(near(mean, f64::from(probability)), "{mean} for {probability}");
    }
}

#[test]
fn multinomial_draws_classes_by_their_weights() {
    let operation = format!(
        r#""onnx.Multinomial"(%x) {{sample_size = {COUNT} : i64, seed = 5.0 : f32}} : (tensor<?x3xf32>) -> tensor<?x{COUNT}xi32>"#
    );
    // logarithms of weights 1, 2 and 5, of which only the ratios matter
    let weights = [1.0f32, 2.0, 5.0].map(f32::ln);
    let x = Tensor::from_f32(&[1, 3], &weights).expect("three weights");
    let numbers = draw("%x: tensor<?x3xf32>", &[x], &operation, &format!("tensor<?x{COUNT}xi32>"));
    for (class, share) in [0.125, 0.25, 0.625].into_iter().enumerate() {
        let count = numbers.iter().filter(|&&number| number == class as f64).count();
        assert!(near(count as f64 / COUNT as f64, share), "class {class}: {count}");
    }
}
