//! Small models that random tests found, with their results.

use std::sync::Arc;

use driver::{Compiler, Extent, Options, Session, Tensor};
use tests::scratch;

/// A model's name, the model in ONNX's textual syntax, opset 23, and the shapes of its results. Inputs are floats of static
/// shapes, all 1, and so are all elements of the results.
const CASES: &[(&str, &str, &[&[i64]])] = &[
    (
        "a first part without elements",
        "g (float[1,4] x) => (float[M,4] a, float[N,4] b) <int64[2] sizes = {0, 1}> { a, b = Split <axis = 0> (x, sizes) }",
        &[&[0, 4], &[1, 4]],
    ),
    (
        "an ignored class whose score is minus infinity",
        "g (float[2,1] x) => (float loss) <int64[2] labels = {1, 0}> {
            zero = Sub (x, x)
            infinite = Log (zero)
            negative = Neg (x)
            scores = Concat <axis = 1> (infinite, negative)
            loss = NegativeLogLikelihoodLoss <ignore_index = 0> (scores, labels)
        }",
        &[&[]],
    ),
];

#[test]
fn graphs_have_their_results() {
    for (name, graph, shapes) in CASES {
        let text = format!("<ir_version: 11, opset_import: [\"\": 23]>\n{graph}");
        let path = scratch::folder("graphs").join("model.onnxtxt");
        std::fs::write(&path, text).expect("the folder can be written");
        let compiled = Compiler::new(Options { threads: 1, ..Options::default() }).compile_file(&path);
        let model = Arc::new(compiled.unwrap_or_else(|errors| panic!("{name}: {}", errors[0])));
        let ones = |port: &driver::Port| {
            let extent = |extent: &Extent| match extent {
                Extent::Fixed(extent) => *extent,
                Extent::Named(_) | Extent::Any => panic!("{name}: inputs have static shapes"),
            };
            let shape: Vec<i64> = port.shape.iter().map(extent).collect();
            let count = shape.iter().product::<i64>() as usize;
            Tensor::from_f32(&shape, &vec![1.0; count]).expect("as many elements as the shape has")
        };
        let inputs: Vec<Tensor> = model.signature.inputs.iter().map(ones).collect();
        let outputs = Session::new(model).run(&inputs).unwrap_or_else(|errors| panic!("{name}: {}", errors[0]));
        for (output, shape) in outputs.iter().zip(*shapes) {
            assert_eq!(output.shape, *shape, "{name}");
            assert!(output.to_f64().expect("numbers").iter().all(|&element| element == 1.0), "{name}");
        }
    }
}
