//! Classical models with outputs other than tensors, or with iterations: maps, support vectors, categories.

mod graph;

use driver::{Session, Tensor, Value};
use graph::{fails, integers, session};
use ir::{DenseElements, Type};

fn one(session: &mut Session, input: Value) -> Value {
    let outputs = session.run_values(&[input]).unwrap_or_else(|errors| panic!("{}", errors[0]));
    outputs.into_iter().next().expect("one output")
}

fn texts(values: &[&str]) -> Tensor {
    let r#type = Type::static_tensor(&[values.len() as i64], Type::dialect("onnx", "String", vec![]));
    Tensor::from_elements(&DenseElements::from_strings(r#type, values)).expect("its shape is static")
}

fn floats(values: &[f32]) -> Tensor {
    Tensor::from_f32(&[values.len() as i64], values).expect("the number of values matches the shape")
}

fn near(found: &Value, expected: &[f64]) {
    let found = found.as_tensor().and_then(Tensor::to_f64).expect("numbers");
    let close = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-4);
    assert!(found.len() == expected.len() && close, "{found:?} {expected:?}");
}

#[test]
fn each_row_becomes_a_map() {
    let result = "!onnx.Seq<!onnx.Map<!onnx.String, tensor<*xf32>>>";
    let operation =
        format!(r#""onnx.ml.ZipMap"(%x) {{classlabels_strings = ["b", "a"]}} : (tensor<?x?xf32>) -> {result}"#);
    let mut session = session("%x: tensor<?x?xf32>", "", &operation, result);
    let rows = Tensor::from_f32(&[2, 2], &[1.0, 2.0, 3.0, 4.0]).expect("four values");
    let map = |values: &[f32]| Value::Map { keys: texts(&["b", "a"]), values: floats(values) };
    let found = one(&mut session, rows.into());
    assert!(found.is_same(&Value::Sequence(vec![map(&[1.0, 2.0]), map(&[3.0, 4.0])])));
    let wide = Tensor::from_f32(&[1, 3], &[0.0; 3]).expect("three values");
    fails_with(&mut session, wide.into(), "the number of labels differs from the number of columns");
}

fn fails_with(session: &mut Session, input: Value, reason: &str) {
    let errors = session.run_values(&[input]).map(|outputs| outputs.len()).expect_err("the run fails");
    assert!(errors[0].message.contains(reason), "{}", errors[0].message);
}

#[test]
fn the_values_of_a_vocabulary_are_looked_up() {
    let operation = r#""onnx.ml.DictVectorizer"(%x) {string_vocabulary = ["c", "a"]} :
        (!onnx.Map<!onnx.String, tensor<i64>>) -> tensor<1x2xi64>"#;
    let mut session = session("%x: !onnx.Map<!onnx.String, tensor<i64>>", "", operation, "tensor<1x2xi64>");
    let map = Value::Map { keys: texts(&["a", "b"]), values: integers(&[4, 5]) };
    near(&one(&mut session, map), &[0.0, 4.0]);
    let other = Value::Map { keys: texts(&["a", "b"]), values: integers(&[4]) };
    fails_with(&mut session, other, "found a map");
}

#[test]
fn a_map_of_texts_is_cast_in_the_order_of_its_keys() {
    let argument = "%x: !onnx.Map<i64, tensor<!onnx.String>>";
    let given = || Value::Map { keys: integers(&[4, 1]), values: texts(&["1.5", "-2"]) };
    let dense = r#""onnx.ml.CastMap"(%x) {cast_to = "TO_FLOAT", map_form = "DENSE", max_map = 1 : i64} :
        (!onnx.Map<i64, tensor<!onnx.String>>) -> tensor<1x?xf32>"#;
    let mut dense = session(argument, "", dense, "tensor<1x?xf32>");
    near(&one(&mut dense, given()), &[-2.0, 1.5]);
    let sparse = r#""onnx.ml.CastMap"(%x) {cast_to = "TO_FLOAT", map_form = "SPARSE", max_map = 5 : i64} :
        (!onnx.Map<i64, tensor<!onnx.String>>) -> tensor<1x5xf32>"#;
    let mut sparse = session(argument, "", sparse, "tensor<1x5xf32>");
    near(&one(&mut sparse, given()), &[0.0, -2.0, 0.0, 0.0, 1.5]);
    let negative = Value::Map { keys: integers(&[-1]), values: texts(&["0"]) };
    fails_with(&mut sparse, negative, "a key is negative");
    let unreadable = Value::Map { keys: integers(&[0]), values: texts(&["zero"]) };
    fails_with(&mut dense, unreadable, "a string is not a value of the type");
}

#[test]
fn probabilities_of_pairs_are_coupled() {
    let list = |values: &[f32]| values.iter().map(|value| format!("{value:?} : f32")).collect::<Vec<_>>().join(", ");
    let classifier = format!(
        r#"%label, %probabilities = "onnx.ml.SVMClassifier"(%x) {{kernel_type = "RBF", kernel_params = [{}],
        support_vectors = [{}], vectors_per_class = [1, 1, 2], coefficients = [{}], rho = [{}], prob_a = [{}],
        prob_b = [{}], classlabels_ints = [10, 20, 30], post_transform = "NONE"}} :
        (tensor<?x2xf32>) -> (tensor<?xi64>, tensor<?x3xf32>)"#,
        list(&[0.5, 0.0, 3.0]),
        list(&[0.0, 1.0, 1.0, 0.0, -1.0, -1.0, 0.5, 0.5]),
        list(&[1.0, -0.5, 0.25, -0.75, 0.5, 0.5, -1.0, 0.25]),
        list(&[0.1, -0.2, 0.05]),
        list(&[-2.0, -1.5, -1.0]),
        list(&[0.1, 0.0, -0.1])
    );
    let rows = || Value::from(Tensor::from_f32(&[2, 2], &[0.0, 1.0, -1.0, -0.5]).expect("four values"));
    let label = r#""onnx.Identity"(%label) : (tensor<?xi64>) -> tensor<?xi64>"#;
    let mut labels = session("%x: tensor<?x2xf32>", &classifier, label, "tensor<?xi64>");
    near(&one(&mut labels, rows()), &[10.0, 30.0]);
    let probability = r#""onnx.Identity"(%probabilities) : (tensor<?x3xf32>) -> tensor<?x3xf32>"#;
    let mut probabilities = session("%x: tensor<?x2xf32>", &classifier, probability, "tensor<?x3xf32>");
    // ONNX Runtime's
    near(&one(&mut probabilities, rows()), &[0.420450, 0.212311, 0.367239, 0.367073, 0.232040, 0.400887]);
}

#[test]
fn a_category_that_does_not_exist_fails_the_run() {
    let operation = r#""onnx.ml.OneHotEncoder"(%x) {cats_int64s = [1, 2, 3], zeros = 0 : i64} :
        (tensor<?xi64>) -> tensor<?x3xf32>"#;
    let mut session = session("%x: tensor<?xi64>", "", operation, "tensor<?x3xf32>");
    near(&one(&mut session, integers(&[3, 1]).into()), &[0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    fails(&mut session, &[integers(&[1, 4])], "out of bounds");
}

/// One tree that is a leaf, with a weight for each of three targets.
#[test]
fn scores_of_trees_are_transformed() {
    let cases = [
        ("NONE", [0.25, 1.0, -1.0], [0.25, 1.0, -1.0]),
        ("SOFTMAX", [0.0, 0.0, 0.0], [0.333; 3]),
        ("LOGISTIC", [0.0, 30.0, -30.0], [0.5, 1.0, 0.0]),
        ("SOFTMAX_ZERO", [0.0, 1.0, 1.0], [0.0, 0.5, 0.5]),
        ("PROBIT", [0.5, 0.975, 0.025], [0.0, 1.959, -1.959]),
    ];
    for (number, (name, [a, b, c], expected)) in cases.into_iter().enumerate() {
        let regressor = format!(
            r#""onnx.ml.TreeEnsembleRegressor"(%x) {{nodes_treeids = [0], nodes_nodeids = [0], nodes_modes = ["LEAF"],
            nodes_featureids = [0], nodes_values = [0.0 : f32], nodes_truenodeids = [0], nodes_falsenodeids = [0],
            target_treeids = [0, 0, 0], target_nodeids = [0, 0, 0], target_ids = [0, 1, 2],
            target_weights = [{a:?} : f32, {b:?} : f32, {c:?} : f32], n_targets = 3 : si64, post_transform = "{name}"}} :
            (tensor<1x1xf32>) -> tensor<1x3xf32>"#
        );
        // both ways lead to the first leaf; each leaf is for one target
        let ensemble = format!(
            r#""onnx.ml.TreeEnsemble"(%x) {{tree_roots = [0, 1, 2], nodes_featureids = [0, 0, 0],
            nodes_modes = dense<0> : tensor<3xui8>, nodes_splits = dense<0.0> : tensor<3xf32>,
            nodes_truenodeids = [0, 1, 2], nodes_trueleafs = [1, 1, 1], nodes_falsenodeids = [0, 1, 2],
            nodes_falseleafs = [1, 1, 1], leaf_targetids = [0, 1, 2],
            leaf_weights = dense<[{a:?}, {b:?}, {c:?}]> : tensor<3xf32>, n_targets = 3 : si64, aggregate_function = 1 : si64,
            post_transform = {number} : si64}} : (tensor<1x1xf32>) -> tensor<1x3xf32>"#
        );
        for operation in [regressor, ensemble] {
            let mut session = session("%x: tensor<1x1xf32>", "", &operation, "tensor<1x3xf32>");
            let row = Tensor::from_f32(&[1, 1], &[0.0]).expect("one value");
            let found = one(&mut session, row.into());
            let found = found.as_tensor().and_then(Tensor::to_f64).expect("numbers");
            let rounded: Vec<f64> = found.iter().map(|score| (score * 1000.0).round() / 1000.0).collect();
            assert_eq!(rounded, expected, "{operation}");
        }
    }
}
