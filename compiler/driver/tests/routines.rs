//! Operators that the runtime's routines compute.

mod graph;

use dialects::rt::routines::ROUTINES;
use driver::Tensor;
use graph::{fails, integers, scalar, session};

#[test]
fn every_routine_has_a_symbol() {
    let symbols = runtime::symbols();
    for routine in ROUTINES {
        assert!(symbols.iter().any(|(name, _)| *name == routine.symbol()), "{}", routine.name);
    }
}

#[test]
fn counted_extents_are_read_on() {
    let operation = r#""onnx.GatherND"(%x, %places) : (tensor<?xi64>, tensor<?x?xi64>) -> tensor<?xi64>"#;
    let before = r#"
    %columns = "onnx.NonZero"(%x) : (tensor<?xi64>) -> tensor<1x?xi64>
    %places = "onnx.Transpose"(%columns) : (tensor<1x?xi64>) -> tensor<?x?xi64>"#;
    let mut session = session("%x: tensor<?xi64>", before, operation, "tensor<?xi64>");
    for (values, expected) in
        [(&[0, 5, 0, -7, 9][..], &[5.0, -7.0, 9.0][..]), (&[0, 0], &[]), (&[], &[]), (&[1], &[1.0])]
    {
        let outputs = session.run(&[integers(values)]).expect("runs");
        assert_eq!(outputs[0].to_f64().expect("integers"), expected);
    }
}

#[test]
fn a_scatter_out_of_bounds_fails_the_run() {
    let operation = r#""onnx.ScatterElements"(%x, %i, %u) {axis = 0 : si64} : (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xi64>"#;
    let arguments = "%x: tensor<?xi64>, %i: tensor<?xi64>, %u: tensor<?xi64>";
    let mut session = session(arguments, "", operation, "tensor<?xi64>");
    let data = integers(&[1, 2, 3]);
    for index in [3, -4, i64::MAX, i64::MIN] {
        fails(&mut session, &[data.clone(), integers(&[0, index]), integers(&[7, 8])], "out of bounds");
    }
    fails(&mut session, &[data.clone(), integers(&[0, 1]), integers(&[7])], "ScatterElements");
    let outputs = session.run(&[data, integers(&[2, -3]), integers(&[7, 8])]).expect("runs");
    assert_eq!(outputs[0].to_f64().expect("integers"), [8.0, 2.0, 7.0]);
}

#[test]
fn top_k_asks_for_no_more_than_there_are() {
    let operation = r#""onnx.TopK"(%x, %k) : (tensor<?xi64>, tensor<1xi64>) -> (tensor<?xi64>, tensor<?xi64>)"#;
    let places = r#""onnx.Identity"(%v#1) : (tensor<?xi64>) -> tensor<?xi64>"#;
    let arguments = "%x: tensor<?xi64>, %k: tensor<1xi64>";
    let mut session = session(arguments, &format!("%v:2 = {operation}"), places, "tensor<?xi64>");
    let data = integers(&[4, 9, 4, 9, 1]);
    for count in [6, -1, i64::MAX] {
        fails(&mut session, &[data.clone(), integers(&[count])], "");
    }
    let outputs = session.run(&[data, integers(&[3])]).expect("runs");
    assert_eq!(outputs[0].to_f64().expect("integers"), [1.0, 3.0, 0.0]);
}

#[test]
fn an_axis_that_data_name_must_exist() {
    let operation = r#""onnx.CumSum"(%x, %axis) : (tensor<?x?xf32>, tensor<i64>) -> tensor<?x?xf32>"#;
    let mut session = session("%x: tensor<?x?xf32>, %axis: tensor<i64>", "", operation, "tensor<?x?xf32>");
    let data = Tensor::from_f32(&[2, 2], &[1.0, 2.0, 3.0, 4.0]).unwrap();
    fails(&mut session, &[data.clone(), scalar(2)], "the axis does not exist");
    for (axis, expected) in [(0, [1.0, 2.0, 4.0, 6.0]), (-1, [1.0, 3.0, 3.0, 7.0])] {
        let outputs = session.run(&[data.clone(), scalar(axis)]).expect("runs");
        assert_eq!(outputs[0].to_f64().expect("floats"), expected);
    }
}

#[test]
fn sums_along_an_axis_leave_out_their_own_element_and_come_from_the_end() {
    let expected = [
        ("", [[1, 2, 4, 6, 9, 12], [1, 3, 3, 7, 5, 11]]),
        ("exclusive = 1 : si64", [[0, 0, 1, 2, 4, 6], [0, 1, 0, 3, 0, 5]]),
        ("reverse = 1 : si64", [[9, 12, 8, 10, 5, 6], [3, 2, 7, 4, 11, 6]]),
        ("exclusive = 1 : si64, reverse = 1 : si64", [[8, 10, 5, 6, 0, 0], [2, 0, 4, 0, 6, 0]]),
    ];
    let data = Tensor::from_f32(&[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    for (attributes, of_axes) in expected {
        let operation =
            format!(r#""onnx.CumSum"(%x, %axis) {{{attributes}}} : (tensor<?x?xf32>, tensor<i64>) -> tensor<?x?xf32>"#);
        let mut session = session("%x: tensor<?x?xf32>, %axis: tensor<i64>", "", &operation, "tensor<?x?xf32>");
        for (axis, expected) in (0..).zip(of_axes) {
            let outputs = session.run(&[data.clone(), scalar(axis)]).expect("runs");
            assert_eq!(outputs[0].to_f64().expect("floats"), expected.map(f64::from), "{attributes} along {axis}");
        }
    }
}

#[test]
fn an_output_takes_the_place_of_an_input() {
    let arguments = "%c: tensor<?x?xi64>, %u: tensor<?x?xi64>, %p: tensor<?xi64>";
    let operation = r#""onnx.TensorScatter"(%c, %u, %p) {axis = 1 : si64, mode = "linear"} : (tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>) -> tensor<?x?xi64>"#;
    let table = |shape: [i64; 2], values: &[i64]| Tensor { shape: shape.to_vec(), ..integers(values) };
    let inputs = || {
        let cache = table([2, 3], &[1, 2, 3, 4, 5, 6]);
        [cache, table([2, 1], &[7, 8]), integers(&[1, 0])]
    };
    let run = |session: &mut driver::Session, inputs: [Tensor; 3]| {
        let values = inputs.into_iter().map(driver::Value::from).collect();
        let driver::Value::Tensor(output) = session.run_in_place(values).expect("runs").remove(0) else { panic!() };
        assert_eq!(output.to_f64().expect("integers"), [1.0, 7.0, 3.0, 8.0, 5.0, 6.0]);
        output
    };
    let mut session = session(arguments, "", operation, "tensor<?x?xi64>");
    let [cache, update, places] = inputs();
    let there = cache.data.bytes().as_ptr();
    let output = run(&mut session, [cache, update, places]);
    assert_eq!(output.data.bytes().as_ptr(), there);
    // the output of a run is passed in again
    let [_, update, places] = inputs();
    assert_eq!(run(&mut session, [output, update, places]).data.bytes().as_ptr(), there);
    // shared memory is not overwritten
    let [cache, update, places] = inputs();
    run(&mut session, [cache.clone(), update, places]);
    assert_eq!(cache.to_f64().expect("integers"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);

    // an input that is read meanwhile
    let operation = r#""onnx.TensorScatter"(%c, %c, %p) {axis = 1 : si64, mode = "circular"} : (tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>) -> tensor<?x?xi64>"#;
    let mut session = graph::session(arguments, "", operation, "tensor<?x?xi64>");
    let values = inputs().into_iter().map(driver::Value::from).collect();
    let driver::Value::Tensor(output) = session.run_in_place(values).expect("runs").remove(0) else { panic!() };
    assert_eq!(output.to_f64().expect("integers"), [3.0, 1.0, 2.0, 4.0, 5.0, 6.0]);
}

#[test]
fn rows_are_written_where_there_is_room() {
    let operation = r#""onnx.TensorScatter"(%c, %u, %p) {axis = 1 : si64, mode = "linear"} : (tensor<?x?xi64>, tensor<?x?xi64>, tensor<?xi64>) -> tensor<?x?xi64>"#;
    let arguments = "%c: tensor<?x?xi64>, %u: tensor<?x?xi64>, %p: tensor<?xi64>";
    let mut session = session(arguments, "", operation, "tensor<?x?xi64>");
    let cache = Tensor { shape: vec![2, 3], ..integers(&[1, 2, 3, 4, 5, 6]) };
    let update = Tensor { shape: vec![2, 2], ..integers(&[7, 8, 9, 10]) };
    let outputs = session.run(&[cache.clone(), update.clone(), integers(&[1, 0])]).expect("runs");
    assert_eq!(outputs[0].to_f64().expect("integers"), [1.0, 7.0, 8.0, 9.0, 10.0, 6.0]);
    for places in [[2, 0], [0, -1], [i64::MAX, 0], [0, i64::MIN]] {
        fails(&mut session, &[cache.clone(), update.clone(), integers(&places)], "outside the cache");
    }
    fails(&mut session, &[cache, update, integers(&[0, 0, 0])], "do not match");
}
