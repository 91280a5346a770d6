//! Models of one node: the conversion of old forms, and the errors of invalid ones.

use import::{Options, import_bytes};
use ir::{ErrorClass, PrintOptions, print_module};
use proto::{
    AttributeProto, Bytes, Dimension, DimensionValue, FunctionProto, GraphProto, Message, ModelProto, NodeProto,
    OperatorSetIdProto, TensorShapeProto, TypeProto, TypeTensor, TypeValue, ValueInfoProto,
};

/// The shape that most nodes are tested with.
const IMAGE: Option<&[i64]> = Some(&[1, 3, -1, 8]);

/// A tensor of floats; `-1` is the symbolic dimension `n`.
fn tensor(name: &str, shape: Option<&[i64]>) -> ValueInfoProto {
    let dimension = |&extent: &i64| Dimension {
        value: Some(if extent < 0 { DimensionValue::Param("n".into()) } else { DimensionValue::Value(extent) }),
        ..Default::default()
    };
    let shape = shape.map(|shape| TensorShapeProto { dim: shape.iter().map(dimension).collect() });
    let value = Some(TypeValue::Tensor(TypeTensor { elem_type: 1, shape }));
    ValueInfoProto { name: name.into(), r#type: Some(TypeProto { value, ..Default::default() }), ..Default::default() }
}

fn int(name: &str, value: i64) -> AttributeProto {
    AttributeProto { name: name.into(), i: Some(value), r#type: Some(2), ..Default::default() }
}

fn ints(name: &str, values: &[i64]) -> AttributeProto {
    AttributeProto { name: name.into(), ints: values.into(), r#type: Some(7), ..Default::default() }
}

fn float(name: &str, value: f32) -> AttributeProto {
    AttributeProto { name: name.into(), f: Some(value), r#type: Some(1), ..Default::default() }
}

fn string(name: &str, value: &'static str) -> AttributeProto {
    let s = Some(Bytes::from_static(value.as_bytes()));
    AttributeProto { name: name.into(), s, r#type: Some(3), ..Default::default() }
}

/// A node with inputs `x0`, `x1`, … and outputs `y0`, `y1`, …
fn node(name: &str, inputs: usize, outputs: usize, attribute: Vec<AttributeProto>) -> NodeProto {
    NodeProto {
        op_type: name.into(),
        input: (0..inputs).map(|i| format!("x{i}")).collect(),
        output: (0..outputs).map(|i| format!("y{i}")).collect(),
        attribute,
        ..Default::default()
    }
}

fn model(opset: i64, inputs: &[Option<&[i64]>], node: NodeProto) -> ModelProto {
    let outputs = node.output.iter();
    let graph = GraphProto {
        input: inputs.iter().enumerate().map(|(i, shape)| tensor(&format!("x{i}"), *shape)).collect(),
        output: outputs.map(|name| ValueInfoProto { name: name.clone(), ..Default::default() }).collect(),
        node: vec![node],
        ..Default::default()
    };
    let opset_import = vec![OperatorSetIdProto { domain: String::new(), version: opset }];
    ModelProto { ir_version: 8, opset_import, graph: Some(graph), ..Default::default() }
}

/// The operations of the imported function, one per line.
fn import(model: &ModelProto) -> Result<Vec<String>, Vec<ir::Diagnostic>> {
    let module = import_bytes(&model.encode_to_vec(), None, &Options::default())?;
    let registry = dialects::registry();
    ir::verify(&module, &registry)?;
    let text = print_module(&module, &PrintOptions::default());
    Ok(text.lines().filter(|line| line.contains("\"onnx.")).map(|line| line.trim().to_string()).collect())
}

#[test]
fn old_forms_become_the_newest() {
    type Case<'a> = (i64, &'a [Option<&'a [i64]>], NodeProto, &'a [&'a str]);
    let cases: Vec<Case<'_>> = vec![
        (
            11,
            &[IMAGE],
            node("Squeeze", 1, 1, vec![ints("axes", &[0])]),
            &["dense<0> : tensor<1xi64>", "onnx.Squeeze\"(%arg0, %0)"],
        ),
        (
            11,
            &[IMAGE],
            node("ReduceMean", 1, 1, vec![ints("axes", &[2, 3])]),
            &["dense<[2, 3]>", "onnx.ReduceMean\"(%arg0, %0)"],
        ),
        (
            6,
            &[IMAGE],
            node("Clip", 1, 1, vec![float("max", 6.0)]),
            &["NoValue", "dense<6.000000e+00> : tensor<f32>", "onnx.Clip\"(%arg0, %0, %1)"],
        ),
        (
            6,
            &[IMAGE, Some(&[3])],
            node("Add", 2, 1, vec![int("broadcast", 1), int("axis", 1)]),
            &["dense<[1, 2]>", "onnx.Unsqueeze", "onnx.Add"],
        ),
        (
            6,
            &[None, Some(&[3])],
            node("Add", 2, 1, vec![int("broadcast", 1), int("axis", 1)]),
            &[
                "onnx.Shape",
                "onnx.Shape",
                "onnx.Constant",
                "onnx.Sub",
                "onnx.ConstantOfShape",
                "onnx.Shape",
                "onnx.Concat",
                "onnx.Reshape",
                "onnx.Add",
            ],
        ),
        (6, &[IMAGE, Some(&[3])], node("PRelu", 2, 1, vec![]), &["dense<[1, 2]>", "onnx.Unsqueeze", "onnx.PRelu"]),
        (
            1,
            &[IMAGE],
            node("Cast", 1, 1, vec![string("to", "INT64")]),
            &["{to = 7 : i64} : (tensor<1x3x?x8xf32>) -> tensor<*xi64>"],
        ),
        (9, &[IMAGE], node("Softmax", 1, 1, vec![int("axis", 3)]), &["onnx.Softmax\"(%arg0) {axis = -1 : i64}"]),
        (
            9,
            &[IMAGE],
            node("Softmax", 1, 1, vec![]),
            &[
                "onnx.Flatten\"(%arg0) {axis = 1 : i64}",
                "onnx.Softmax\"(%0) {axis = -1 : i64}",
                "onnx.Shape\"(%arg0)",
                "onnx.Reshape",
            ],
        ),
        (1, &[IMAGE], node("Reshape", 1, 1, vec![ints("shape", &[0, -1])]), &["dense<[0, -1]>", "onnx.Reshape"]),
        (
            1,
            &[IMAGE],
            node("Pad", 1, 1, vec![ints("paddings", &[0; 8]), float("value", 2.0)]),
            &["tensor<8xi64>", "dense<2.0", "onnx.Pad\"(%arg0, %0, %1)"],
        ),
        (
            9,
            &[IMAGE],
            node("Slice", 1, 1, vec![ints("starts", &[1]), ints("ends", &[2])]),
            &["dense<1>", "dense<2>", "onnx.Slice"],
        ),
        (
            11,
            &[IMAGE],
            node("Split", 1, 2, vec![int("axis", 3)]),
            &["onnx.Split\"(%arg0) {axis = 3 : i64, num_outputs = 2 : i64}"],
        ),
        (9, &[IMAGE], node("TopK", 1, 2, vec![int("k", 5)]), &["dense<5>", "onnx.TopK"]),
        (
            7,
            &[IMAGE],
            node(
                "Upsample",
                1,
                1,
                vec![AttributeProto {
                    name: "scales".into(),
                    floats: vec![1.0, 1.0, 2.0, 2.0],
                    r#type: Some(6),
                    ..Default::default()
                }],
            ),
            &[
                "NoValue",
                "onnx.Constant",
                "onnx.Resize\"(%arg0, %0, %1) {coordinate_transformation_mode = \"asymmetric\", nearest_mode = \"floor\"}",
            ],
        ),
        (
            9,
            &[IMAGE, Some(&[3]), Some(&[3]), Some(&[3]), Some(&[3])],
            node("BatchNormalization", 5, 1, vec![]),
            &["onnx.BatchNormalization"],
        ),
        (9, &[IMAGE], node("Dropout", 1, 1, vec![float("ratio", 0.5)]), &[]),
        (13, &[IMAGE], node("Identity", 1, 1, vec![]), &[]),
        (13, &[IMAGE], node("Dropout", 1, 2, vec![]), &["onnx.Shape", "onnx.ConstantOfShape"]),
        (13, &[], node("Constant", 0, 1, vec![ints("value_ints", &[4, 5])]), &["dense<[4, 5]> : tensor<2xi64>"]),
        (16, &[IMAGE, IMAGE], node("GridSample", 2, 1, vec![string("mode", "bilinear")]), &["mode = \"linear\""]),
    ];
    for (opset, inputs, node, expected) in cases {
        let name = format!("{} of opset {opset}", node.op_type);
        let lines = import(&model(opset, inputs, node)).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        assert_eq!(lines.len(), expected.len(), "{name}: {lines:#?}");
        for (line, part) in lines.iter().zip(expected) {
            assert!(line.contains(part), "{name}: expected {part} in\n{}", lines.join("\n"));
        }
    }
}

#[test]
fn wrong_nodes_are_refused() {
    let (input, unsupported) = (ErrorClass::Input, ErrorClass::Unsupported);
    let cases = [
        (model(21, &[IMAGE], node("NoSuchOperator", 1, 1, vec![])), input, "is not an operator of ONNX"),
        (model(13, &[IMAGE], node("Gelu", 1, 1, vec![])), input, "Gelu (opset 13) came with opset 20"),
        (model(13, &[IMAGE], node("Upsample", 1, 1, vec![])), input, "was removed from ONNX in opset 10"),
        (model(99, &[IMAGE], node("Relu", 1, 1, vec![])), unsupported, "opset 99"),
        (model(21, &[IMAGE], node("Relu", 1, 1, vec![int("alpha", 1)])), input, "has no attribute 'alpha'"),
        (model(21, &[IMAGE], node("Concat", 1, 1, vec![])), input, "lacks attribute 'axis'"),
        (model(21, &[IMAGE], node("Concat", 1, 1, vec![float("axis", 1.0)])), input, "it must be Int"),
        (model(21, &[IMAGE], node("Add", 1, 1, vec![])), input, "has 1 inputs, but its operator has 2"),
        (model(21, &[], node("Relu", 1, 1, vec![])), input, "nothing defines 'x0'"),
        (model(8, &[IMAGE], node("Scan", 1, 1, vec![])), input, "lacks attribute 'body'"),
    ];
    for (model, class, message) in cases {
        let errors = import(&model).expect_err(message);
        assert!(errors.iter().any(|e| e.class == class && e.message.contains(message)), "{message}: {errors:?}");
    }
}

#[test]
fn an_output_of_many_has_a_type_without_a_name() {
    let mut one = node("Split", 1, 2, vec![int("axis", 3), int("num_outputs", 2)]);
    one.output[0].clear();
    let mut model = model(21, &[IMAGE], one);
    model.graph.as_mut().expect("just built").output.remove(0);
    let lines = import(&model).expect("it is valid");
    assert!(lines[0].ends_with("-> (tensor<*xf32>, tensor<*xf32>)"), "{lines:?}");
}

/// The node `y{at}` of Relu that reads another name.
fn relu(at: usize, from: &str) -> NodeProto {
    NodeProto { input: vec![from.into()], output: vec![format!("y{at}")], ..node("Relu", 0, 0, vec![]) }
}

#[test]
fn nodes_may_stand_in_any_order() {
    let mut model = model(21, &[IMAGE], relu(0, "y1"));
    model.graph.as_mut().expect("just built").node.push(relu(1, "x0"));
    let module = import_bytes(&model.encode_to_vec(), None, &Options::default()).expect("there is an order");
    let warnings = module.attributes.get(import::WARNINGS).and_then(ir::Attribute::as_array).expect("it warns");
    let [warning] = warnings else { panic!("one line is enough: {warnings:?}") };
    assert!(warning.as_str().is_some_and(|text| text.contains("nodes-in-order (1)")), "{warning:?}");
    assert_eq!(import(&model).expect("there is an order").len(), 2);
}

#[test]
fn a_cycle_is_named() {
    let mut model = model(21, &[IMAGE], relu(0, "y1"));
    model.graph.as_mut().expect("just built").node.push(relu(1, "y0"));
    let errors = import(&model).expect_err("a cycle");
    assert_eq!(errors[0].class, ErrorClass::Input);
    assert_eq!(errors[0].message, "nodes read each other's outputs in a circle: 0, 1");
}

#[test]
fn types_are_those_of_the_schema() {
    let with_integers = |operator: &str| {
        let mut model = model(21, &[IMAGE, IMAGE], node(operator, 2, 1, vec![]));
        let input = &mut model.graph.as_mut().expect("just built").input[1];
        if let Some(TypeValue::Tensor(tensor)) = input.r#type.as_mut().and_then(|r#type| r#type.value.as_mut()) {
            tensor.elem_type = 6;
        }
        import(&model).map_err(|errors| errors[0].message.clone())
    };
    let tied = "Add (opset 21) has operand \"B\" of int32, but \"A\" of float: they must be of one type";
    assert_eq!(with_integers("Add"), Err(tied.into()));
    assert_eq!(with_integers("Pow").map(|lines| lines.len()), Ok(1));
}

#[test]
fn initializers_and_outputs_are_of_their_declared_types() {
    let wrong = |declare: fn(&mut GraphProto, ValueInfoProto), right: &str| {
        let mut model = model(21, &[IMAGE], node("Add", 2, 1, vec![]));
        let graph = model.graph.as_mut().expect("just built");
        let tensor_of = proto::TensorProto { data_type: 7, int64_data: vec![1], ..Default::default() };
        graph.initializer.push(proto::TensorProto { name: "x1".into(), ..tensor_of });
        declare(graph, tensor("x1", Some(&[])));
        let message = import(&model).expect_err("a contradiction")[0].message.clone();
        assert_eq!(message, right);
    };
    wrong(|graph, info| graph.input.push(info), "is of int64, but its input of float");
    wrong(|graph, info| graph.output.push(info), "is of int64, but declared as of float");
}

#[test]
fn branches_give_what_the_node_gives() {
    let branch = |name: &str, outputs: &[&str]| {
        let output =
            outputs.iter().map(|name| ValueInfoProto { name: name.to_string(), ..Default::default() }).collect();
        let graph = GraphProto { output, ..Default::default() };
        AttributeProto { name: name.into(), g: Some(Box::new(graph)), r#type: Some(5), ..Default::default() }
    };
    let branches = vec![branch("then_branch", &["x1"]), branch("else_branch", &["x1", "x1"])];
    let mut one = node("If", 1, 1, branches);
    one.name = "choice".into();
    let mut model = model(21, &[Some(&[]), IMAGE], one);
    let condition = &mut model.graph.as_mut().expect("just built").input[0];
    if let Some(TypeValue::Tensor(tensor)) = condition.r#type.as_mut().and_then(|r#type| r#type.value.as_mut()) {
        tensor.elem_type = 9;
    }
    let errors = import(&model).expect_err("the branches differ");
    assert_eq!(errors[0].to_string(), "error: choice: If expects 1 values from else_branch, found 2 [operator-bodies]");
}

#[test]
fn all_unsupported_operators_are_reported_together() {
    let mut first = node("First", 1, 1, vec![]);
    first.domain = "com.example".into();
    let mut model = model(21, &[Some(&[2])], first);
    model.opset_import.push(OperatorSetIdProto { domain: "com.example".into(), version: 1 });
    let graph = model.graph.as_mut().expect("just built");
    let mut second = node("Second", 1, 1, vec![]);
    (second.name, second.domain, second.output) = ("the second".into(), "com.example".into(), vec!["z".into()]);
    graph.node.push(second);
    let text: Vec<String> = import(&model).expect_err("unsupported").iter().map(ToString::to_string).collect();
    assert_eq!(
        text,
        [
            "error: First_0: com.example.First (opset 1) is not an operator of ONNX, and neither the model nor the operator sets provided have a function of that name",
            "error: the second: com.example.Second (opset 1) is not an operator of ONNX, and neither the model nor the operator sets provided have a function of that name",
        ]
    );
}

#[test]
fn files_that_are_not_models_are_refused() {
    for bytes in [&b""[..], b"hello, world", &[0x08, 0x08], &[0xff; 64]] {
        let errors = import_bytes(bytes, None, &Options::default()).expect_err("not a model");
        assert_eq!(errors[0].class, ErrorClass::Input, "{errors:?}");
    }
    let whole = model(21, &[Some(&[2])], node("Relu", 1, 1, vec![])).encode_to_vec();
    for length in 0..whole.len() {
        // a cut between fields leaves a readable model that may lack its graph, or nothing but metadata
        if let Err(errors) = import_bytes(&whole[..length], None, &Options::default()) {
            assert!(errors[0].class != ErrorClass::Internal, "{errors:?}");
        }
    }
}

#[test]
fn names_and_symbolic_dimensions_are_kept() {
    let model = model(21, &[Some(&[1, -1])], node("Relu", 1, 1, vec![]));
    let text = |options: &Options| {
        let module = import_bytes(&model.encode_to_vec(), None, options).expect("a good model");
        print_module(&module, &PrintOptions::default())
    };
    let symbolic = text(&Options::default());
    assert!(symbolic.contains(r#"arg_attrs = [{onnx.dim_params = "1:n", onnx.name = "x0"}]"#), "{symbolic}");
    assert!(symbolic.contains("res_attrs = [{onnx.name = \"y0\"}]"), "{symbolic}");
    let bound = text(&Options { dimensions: [("n".to_string(), 7)].into_iter().collect(), ..Options::default() });
    assert!(bound.contains("tensor<1x7xf32>") && !bound.contains("dim_params"), "{bound}");
}

#[test]
fn functions_of_the_model_are_inlined() {
    let domain = "com.example";
    let opset = |domain: &str, version| OperatorSetIdProto { domain: domain.into(), version };
    // the attribute of the inner node is the caller's, or the function's default
    let alpha =
        AttributeProto { name: "alpha".into(), ref_attr_name: "slope".into(), r#type: Some(1), ..Default::default() };
    let function = FunctionProto {
        name: "Leaky".into(),
        domain: domain.into(),
        input: vec!["x0".into()],
        output: vec!["y0".into()],
        attribute_proto: vec![float("slope", 0.25)],
        node: vec![node("LeakyRelu", 1, 1, vec![alpha])],
        opset_import: vec![opset("", 16)],
        ..Default::default()
    };
    let call = |attribute| NodeProto { domain: domain.into(), name: "call".into(), ..node("Leaky", 1, 1, attribute) };
    for (attributes, expected) in
        [(vec![], "alpha = 2.500000e-01"), (vec![float("slope", 0.5)], "alpha = 5.000000e-01")]
    {
        let mut model = model(21, &[IMAGE], call(attributes));
        model.opset_import.push(opset(domain, 1));
        model.functions = vec![function.clone()];
        let lines = import(&model).expect("a good model");
        assert!(lines.len() == 1 && lines[0].contains(expected), "{lines:?}");
    }
    let mut endless = model(21, &[IMAGE], call(vec![]));
    endless.functions = vec![FunctionProto { node: vec![call(vec![])], ..function }];
    let errors = import(&endless).expect_err("a function that calls itself");
    assert!(errors[0].message.contains("calls itself"), "{errors:?}");
}

#[test]
fn subgraphs_become_regions_that_capture() {
    let branch = |name: &str, operator: &str| {
        let output = vec![ValueInfoProto { name: name.into(), ..Default::default() }];
        let node = NodeProto {
            op_type: operator.into(),
            input: vec!["x1".into()],
            output: vec![name.into()],
            ..Default::default()
        };
        Box::new(GraphProto { node: vec![node], output, ..Default::default() })
    };
    let graph =
        |name: &str, graph| AttributeProto { name: name.into(), g: Some(graph), r#type: Some(5), ..Default::default() };
    let attributes = vec![graph("else_branch", branch("b", "Neg")), graph("then_branch", branch("a", "Relu"))];
    let mut model =
        model(21, &[Some(&[]), IMAGE], NodeProto { input: vec!["x0".into()], ..node("If", 1, 1, attributes) });
    let condition = model.graph.as_mut().expect("just built").input[0].r#type.as_mut().expect("it has a type");
    condition.value = Some(TypeValue::Tensor(TypeTensor { elem_type: 9, shape: Some(TensorShapeProto::default()) }));
    let lines = import(&model).expect("a good model");
    let operators: Vec<&str> = lines.iter().filter_map(|line| line.split('"').nth(1)).collect();
    assert_eq!(operators, ["onnx.If", "onnx.Relu", "onnx.Yield", "onnx.Neg", "onnx.Yield"]);
    assert!(lines[1].contains("(%arg1)"), "{lines:?}");
}

#[test]
fn the_first_scan_is_one_over_the_batch_around_one_over_the_sequence() {
    let name = |name: &str| ValueInfoProto { name: name.into(), ..Default::default() };
    let step = NodeProto {
        op_type: "Add".into(),
        input: vec!["state".into(), "element".into()],
        output: vec!["sum".into()],
        ..Default::default()
    };
    let body = GraphProto {
        node: vec![step],
        input: vec![tensor("state", Some(&[2])), tensor("element", Some(&[2]))],
        output: vec![name("sum"), name("sum")],
        ..Default::default()
    };
    let body = AttributeProto { name: "body".into(), g: Some(Box::new(body)), r#type: Some(5), ..Default::default() };
    let attributes = vec![body, int("num_scan_inputs", 1), ints("directions", &[1])];
    let batch: &[Option<&[i64]>] = &[Some(&[3]), Some(&[3, 2]), Some(&[3, -1, 2])];
    let mut model = model(8, batch, node("Scan", 3, 2, attributes));
    let lengths = &mut model.graph.as_mut().expect("just built").input[0].r#type.as_mut().expect("it has a type").value;
    let Some(TypeValue::Tensor(lengths)) = lengths else { panic!("lengths are a tensor") };
    lengths.elem_type = 7;
    let lines = import(&model).expect("a good model");
    let operators: Vec<&str> =
        lines.iter().filter_map(|line| line.split("\"onnx.").nth(1)?.split('"').next()).collect();
    let built = operators.iter().filter(|operator| !matches!(**operator, "Constant" | "NoValue"));
    let expected = ["Scan", "Unsqueeze", "Shape", "Slice", "Scan", "Add", "Yield", "Sub", "Concat", "Pad", "Yield"];
    assert!(built.eq(expected.iter()), "{lines:?}");
}
