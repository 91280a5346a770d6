//! Shapes inferred from textual functions: each case has a body and the expected shapes of its results.

use ir::{DimExpr, IndexMap, parse_module};

use super::{ShapeAnalysis, SymbolSource, analyse, infer_shapes};

/// `%x: tensor<?x?x64xf32>` with dimensions `N` and `S`, and `%y: tensor<?x64x32xf32>` with dimension `N`.
const ARGUMENTS: &str =
    r#"arg_attrs = [{onnx.name = "x", onnx.dim_params = "0:N,1:S"}, {onnx.name = "y", onnx.dim_params = "0:N"}]"#;

fn function(body: &str, returned: &str, types: &str) -> String {
    format!(
        r#""func.func"() ({{
^bb0(%x: tensor<?x?x64xf32>, %y: tensor<?x64x32xf32>):
  %none = "onnx.NoValue"() : () -> none
  {body}
  "func.return"({returned}) : ({types}) -> ()
}}) {{sym_name = "main", function_type = (tensor<?x?x64xf32>, tensor<?x64x32xf32>) -> (), {ARGUMENTS}}} : () -> ()"#
    )
}

/// The analysis, and the shapes of the returned values as text.
fn infer(body: &str, returned: &str, types: &str) -> Result<Vec<String>, String> {
    let text = function(body, returned, types);
    let module = parse_module(&text, "test", None).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    let main = module.function("main").expect("there is a main");
    let analysis =
        analyse(main.body, main.attributes, &IndexMap::default()).map_err(|errors| errors[0].message.clone())?;
    let entry = main.body.entry().expect("main has a body");
    let end = main.body.terminator(entry).expect("main returns");
    Ok(main.body.op(end).operands().iter().map(|&value| describe(&analysis, value)).collect())
}

fn describe(analysis: &ShapeAnalysis, value: ir::Value) -> String {
    let shape = analysis.shape(value).map_or("*".to_string(), super::node::list);
    match analysis.known_value(value) {
        Some(elements) => format!("{shape} = {}", super::node::list(elements)),
        None => shape,
    }
}

/// Cases of one operation on the arguments: its text after `%r = `, and the shape of the result.
fn check(cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let constants = r#"
  %i = "onnx.Shape"(%x) : (tensor<?x?x64xf32>) -> tensor<3xi64>
  %minus = "onnx.Constant"() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %zero = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %one = "onnx.Constant"() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %two = "onnx.Constant"() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %scalar = "onnx.Constant"() {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %far = "onnx.Constant"() {value = dense<9223372036854775807> : tensor<1xi64>} : () -> tensor<1xi64>"#;
        let body = format!("{constants}\n  %r = {text}");
        let (_, r#type) = text.rsplit_once("-> ").expect("cases end with a result type");
        let found = match infer(&body, "%r", r#type) {
            Ok(shapes) => shapes[0].clone(),
            Err(message) => message,
        };
        assert_eq!(found, *expected, "{text}");
    }
}

#[test]
fn elementwise() {
    check(&[
        (r#""onnx.Relu"(%x) : (tensor<?x?x64xf32>) -> tensor<*xf32>"#, "[N, S, 64]"),
        (r#""onnx.Add"(%x, %one) : (tensor<?x?x64xf32>, tensor<1xi64>) -> tensor<*xf32>"#, "[N, S, 64]"),
        (r#""onnx.Mul"(%x, %x) : (tensor<?x?x64xf32>, tensor<?x?x64xf32>) -> tensor<*xf32>"#, "[N, S, 64]"),
        (
            r#""onnx.Add"(%x, %y) : (tensor<?x?x64xf32>, tensor<?x64x32xf32>) -> tensor<*xf32>"#,
            "Add: extent 64 does not broadcast with extent 32",
        ),
    ]);
}

#[test]
fn numbers_are_held_as_their_type_holds_them() {
    let case = |from: &str, a: &str, b: &str, operator: &str| {
        let body = format!(
            r#"%a = "onnx.Constant"() {{value = dense<{a}> : tensor<1x{from}>}} : () -> tensor<1x{from}>
  %b = "onnx.Constant"() {{value = dense<{b}> : tensor<1x{from}>}} : () -> tensor<1x{from}>
  %c = "onnx.{operator}"(%a, %b) : (tensor<1x{from}>, tensor<1x{from}>) -> tensor<*x{from}>
  %r = "onnx.Cast"(%c) {{to = 7 : i64}} : (tensor<*x{from}>) -> tensor<*xi64>"#
        );
        infer(&body, "%r", "tensor<*xi64>").expect("shapes are right")[0].clone()
    };
    assert_eq!(case("ui8", "3", "5", "Sub"), "[1] = [254]");
    assert_eq!(case("i8", "100", "100", "Add"), "[1] = [-56]");
    assert_eq!(case("i32", "2147483647", "1", "Add"), "[1] = [-2147483648]");
    assert_eq!(case("ui64", "3", "5", "Sub"), "[1]");
    assert_eq!(case("i64", "9223372036854775807", "1", "Add"), "[1] = [-9223372036854775808]");
    assert_eq!(case("i64", "-9223372036854775807", "2", "Sub"), "[1] = [9223372036854775807]");
    assert_eq!(case("i64", "-9223372036854775808", "-9223372036854775808", "Mul"), "[1] = [0]");
    // the result of rounding a float is unknown
    assert_eq!(case("f16", "2048.0", "1.0", "Add"), "[1]");
    assert_eq!(case("f16", "2000.0", "1.0", "Add"), "[1] = [2001]");
    assert_eq!(case("bf16", "256.0", "1.0", "Add"), "[1]");
    assert_eq!(case("f32", "16777216.0", "1.0", "Add"), "[1]");
    assert_eq!(case("f64", "16777216.0", "1.0", "Add"), "[1] = [16777217]");
    assert_eq!(case("i64", "3", "5", "Sub"), "[1] = [-2]");
}

/// The run-time assertions of a function that returns `%r`.
fn required(body: &str) -> Vec<String> {
    let text = function(body, "%r", "tensor<*xf32>");
    let module = parse_module(&text, "test", None).expect("parses");
    let main = module.function("main").expect("there is a main");
    let analysis = analyse(main.body, main.attributes, &IndexMap::default()).expect("nothing is contradicted");
    let ops = main.body.ops(main.body.entry().expect("main has a body"));
    let all = ops.flat_map(|op| analysis.requirements(op));
    all.map(|requirement| requirement.message.clone()).collect()
}

#[test]
fn data_dependent_conditions_are_required() {
    let product = r#"%r = "onnx.MatMul"(%y, %x) : (tensor<?x64x32xf32>, tensor<?x?x64xf32>) -> tensor<*xf32>"#;
    assert_eq!(required(product), ["inner extents 32 and S differ"]);
    let sum = r#"%t = "onnx.Transpose"(%x) {perm = [1, 0, 2]} : (tensor<?x?x64xf32>) -> tensor<*xf32>
  %r = "onnx.Add"(%t, %x) : (tensor<*xf32>, tensor<?x?x64xf32>) -> tensor<*xf32>"#;
    assert_eq!(
        required(sum),
        ["extent S does not broadcast with extent N", "extent N does not broadcast with extent S"]
    );
    let pool = r#"%r = "onnx.AveragePool"(%x) {kernel_shape = [5]} : (tensor<?x?x64xf32>) -> tensor<*xf32>"#;
    assert_eq!(required(pool), Vec::<String>::new());
    let relu = r#"%r = "onnx.Relu"(%x) : (tensor<?x?x64xf32>) -> tensor<*xf32>"#;
    assert_eq!(required(relu), Vec::<String>::new());
}

#[test]
fn requirements_settle_broadcast_extents() {
    let sum = r#"%t = "onnx.Transpose"(%x) {perm = [1, 0, 2]} : (tensor<?x?x64xf32>) -> tensor<*xf32>
  %s = "onnx.Add"(%t, %x) : (tensor<*xf32>, tensor<?x?x64xf32>) -> tensor<*xf32>"#;
    let product = r#"%u = "onnx.Transpose"(%s) {perm = [0, 2, 1]} : (tensor<*xf32>) -> tensor<*xf32>
  %r = "onnx.MatMul"(%u, %x) : (tensor<*xf32>, tensor<?x?x64xf32>) -> tensor<*xf32>"#;
    let shapes = |body: &str| infer(body, "%s", "tensor<*xf32>").expect("nothing is contradicted").join("");
    assert_eq!(shapes(sum), "[broadcast(N, S), broadcast(N, S), 64]");
    assert_eq!(shapes(&format!("{sum}\n{product}")), "[S, S, 64]");
    let stretches = ["extent S does not broadcast with extent N", "extent N does not broadcast with extent S"];
    assert_eq!(required(&format!("{sum}\n{product}")), [stretches[0], stretches[1], stretches[0]]);
}

#[test]
fn products() {
    check(&[
        (r#""onnx.MatMul"(%x, %y) : (tensor<?x?x64xf32>, tensor<?x64x32xf32>) -> tensor<*xf32>"#, "[N, S, 32]"),
        (
            r#""onnx.MatMul"(%y, %y) : (tensor<?x64x32xf32>, tensor<?x64x32xf32>) -> tensor<*xf32>"#,
            "MatMul: inner extents 32 and 64 differ",
        ),
        (
            r#""onnx.Einsum"(%x, %y) {equation = "bij,bjk->bki"} : (tensor<?x?x64xf32>, tensor<?x64x32xf32>) -> tensor<*xf32>"#,
            "[N, 32, S]",
        ),
        (r#""onnx.Einsum"(%x) {equation = "...i->i..."} : (tensor<?x?x64xf32>) -> tensor<*xf32>"#, "[64, N, S]"),
    ]);
}

#[test]
fn movement() {
    check(&[
        (r#""onnx.Transpose"(%x) {perm = [2, 0, 1]} : (tensor<?x?x64xf32>) -> tensor<*xf32>"#, "[64, N, S]"),
        (r#""onnx.Flatten"(%x) {axis = 2 : i64} : (tensor<?x?x64xf32>) -> tensor<*xf32>"#, "[N*S, 64]"),
        (r#""onnx.Reshape"(%x, %minus) : (tensor<?x?x64xf32>, tensor<1xi64>) -> tensor<*xf32>"#, "[N*S*64]"),
        (r#""onnx.Unsqueeze"(%x, %minus) : (tensor<?x?x64xf32>, tensor<1xi64>) -> tensor<*xf32>"#, "[N, S, 64, 1]"),
        (
            r#""onnx.Squeeze"(%y, %one) : (tensor<?x64x32xf32>, tensor<1xi64>) -> tensor<*xf32>"#,
            "Squeeze: axis 1 has extent 64, not 1",
        ),
        (
            r#""onnx.Concat"(%x, %x) {axis = 1 : i64} : (tensor<?x?x64xf32>, tensor<?x?x64xf32>) -> tensor<*xf32>"#,
            "[N, S*2, 64]",
        ),
        (
            r#""onnx.Slice"(%x, %one, %far, %one, %one) : (tensor<?x?x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>"#,
            "[N, max(0, S-1), 64]",
        ),
        (
            r#""onnx.Slice"(%x, %zero, %minus, %two, %two) : (tensor<?x?x64xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xf32>"#,
            "[N, S, 32]",
        ),
        (
            r#""onnx.Gather"(%x, %scalar) {axis = 1 : i64} : (tensor<?x?x64xf32>, tensor<i64>) -> tensor<*xf32>"#,
            "[N, 64]",
        ),
        (r#""onnx.ReduceMean"(%x, %minus) : (tensor<?x?x64xf32>, tensor<1xi64>) -> tensor<*xf32>"#, "[N, S, 1]"),
        (r#""onnx.ArgMax"(%x) {axis = 2 : i64, keepdims = 0 : i64} : (tensor<?x?x64xf32>) -> tensor<*xi64>"#, "[N, S]"),
        (r#""onnx.Unheard"(%x) : (tensor<?x?x64xf32>) -> tensor<*xf32>"#, "*"),
        (r#""onnx.NonZero"(%x) : (tensor<?x?x64xf32>) -> tensor<*xi64>"#, "[3, nonzero_0]"),
    ]);
}

#[test]
fn elements() {
    check(&[
        (r#""onnx.Gather"(%i, %one) : (tensor<3xi64>, tensor<1xi64>) -> tensor<*xi64>"#, "[1] = [S]"),
        (
            r#""onnx.Slice"(%i, %minus, %far) : (tensor<3xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xi64>"#,
            "[1] = [64]",
        ),
        (
            r#""onnx.Concat"(%i, %two) {axis = 0 : i64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<*xi64>"#,
            "[4] = [N, S, 64, 2]",
        ),
        (r#""onnx.Mul"(%i, %two) : (tensor<3xi64>, tensor<1xi64>) -> tensor<*xi64>"#, "[3] = [N*2, S*2, 128]"),
        (r#""onnx.ReduceProd"(%i) {keepdims = 0 : i64} : (tensor<3xi64>) -> tensor<*xi64>"#, "[] = [N*S*64]"),
        (
            r#""onnx.ConstantOfShape"(%i) {value = dense<1.0> : tensor<1xf32>} : (tensor<3xi64>) -> tensor<*xf32>"#,
            "[N, S, 64]",
        ),
        (r#""onnx.Equal"(%i, %minus) : (tensor<3xi64>, tensor<1xi64>) -> tensor<*xi1>"#, "[3] = [0, 0, 0]"),
    ]);
}

#[test]
fn no_element_of_an_empty_axis() {
    let body = r#"
  %empty = "onnx.Shape"(%x) {start = 1 : i64, end = 1 : i64} : (tensor<?x?x64xf32>) -> tensor<*xi64>
  %zero = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
  %minus = "onnx.Constant"() {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %back = "onnx.Slice"(%empty, %zero, %minus, %zero, %minus)
    : (tensor<*xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xi64>"#;
    assert_eq!(infer(body, "%back", "tensor<*xi64>").unwrap(), ["[0] = []"]);
}

#[test]
fn expand_as_torch_exports_it() {
    let body = r#"
  %to = "onnx.Shape"(%x) {start = 0 : i64, end = 2 : i64} : (tensor<?x?x64xf32>) -> tensor<*xi64>
  %rank = "onnx.Shape"(%to) : (tensor<*xi64>) -> tensor<*xi64>
  %ones = "onnx.ConstantOfShape"(%rank) {value = dense<1> : tensor<1xi64>} : (tensor<*xi64>) -> tensor<*xi64>
  %minus = "onnx.Constant"() {value = dense<-1> : tensor<i64>} : () -> tensor<i64>
  %keep = "onnx.Mul"(%ones, %minus) : (tensor<*xi64>, tensor<i64>) -> tensor<*xi64>
  %kept = "onnx.Equal"(%to, %keep) : (tensor<*xi64>, tensor<*xi64>) -> tensor<*xi1>
  %shape = "onnx.Where"(%kept, %ones, %to) : (tensor<*xi1>, tensor<*xi64>, tensor<*xi64>) -> tensor<*xi64>
  %one = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
  %wide = "onnx.Expand"(%one, %shape) : (tensor<f32>, tensor<*xi64>) -> tensor<*xf32>"#;
    assert_eq!(infer(body, "%wide", "tensor<*xf32>").unwrap(), ["[N, S]"]);
}

#[test]
fn attention_heads() {
    let body = r#"
  %s = "onnx.Shape"(%x) {start = 0 : i64, end = 2 : i64} : (tensor<?x?x64xf32>) -> tensor<*xi64>
  %heads = "onnx.Constant"() {value = dense<[-1, 16]> : tensor<2xi64>} : () -> tensor<2xi64>
  %to = "onnx.Concat"(%s, %heads) {axis = 0 : i64} : (tensor<*xi64>, tensor<2xi64>) -> tensor<*xi64>
  %split = "onnx.Reshape"(%x, %to) : (tensor<?x?x64xf32>, tensor<*xi64>) -> tensor<*xf32>"#;
    assert_eq!(infer(body, "%split", "tensor<*xf32>").unwrap(), ["[N, S, 4, 16]"]);
}

#[test]
fn sizes_computed_in_floats() {
    let body = r#"
  %s = "onnx.Shape"(%x) {start = 1 : i64, end = 2 : i64} : (tensor<?x?x64xf32>) -> tensor<*xi64>
  %f = "onnx.Cast"(%s) {to = 1 : i64} : (tensor<*xi64>) -> tensor<*xf32>
  %by = "onnx.Constant"() {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %q = "onnx.Div"(%f, %by) : (tensor<*xf32>, tensor<f32>) -> tensor<*xf32>
  %c = "onnx.Ceil"(%q) : (tensor<*xf32>) -> tensor<*xf32>
  %n = "onnx.Cast"(%c) {to = 7 : i64} : (tensor<*xf32>) -> tensor<*xi64>"#;
    assert_eq!(infer(body, "%n", "tensor<*xi64>").unwrap(), ["[1] = [floordiv(S+1, 2)]"]);
}

#[test]
fn convolutions_and_pools() {
    let body = r#"
  %w = "onnx.Constant"() {value = dense<0.0> : tensor<8x64x3xf32>} : () -> tensor<8x64x3xf32>
  %t = "onnx.Transpose"(%x) {perm = [0, 2, 1]} : (tensor<?x?x64xf32>) -> tensor<*xf32>
  %c = "onnx.Conv"(%t, %w, %none) {pads = [1, 1], strides = [2]} : (tensor<*xf32>, tensor<8x64x3xf32>, none) -> tensor<*xf32>
  %p = "onnx.MaxPool"(%y) {kernel_shape = [3], strides = [2], ceil_mode = 1 : i64} : (tensor<?x64x32xf32>) -> tensor<*xf32>
  %g = "onnx.GlobalAveragePool"(%y) : (tensor<?x64x32xf32>) -> tensor<*xf32>
  %wt = "onnx.Constant"() {value = dense<0.0> : tensor<64x8x4xf32>} : () -> tensor<64x8x4xf32>
  %d = "onnx.ConvTranspose"(%t, %wt, %none) {strides = [4]} : (tensor<*xf32>, tensor<64x8x4xf32>, none) -> tensor<*xf32>"#;
    let types = "tensor<*xf32>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>";
    let expected = ["[N, 8, floordiv(S+1, 2)]", "[N, 64, 16]", "[N, 64, 1]", "[N, 8, S*4]"];
    assert_eq!(infer(body, "%c, %p, %g, %d", types).unwrap(), expected);
}

#[test]
fn branches_join() {
    let body = r#"
  %q = "onnx.Greater"(%x, %x) : (tensor<?x?x64xf32>, tensor<?x?x64xf32>) -> tensor<*xi1>
  %r = "onnx.If"(%q) ({
    %a = "onnx.NonZero"(%x) : (tensor<?x?x64xf32>) -> tensor<*xi64>
    "onnx.Yield"(%a) : (tensor<*xi64>) -> ()
  }, {
    %b = "onnx.Shape"(%x) : (tensor<?x?x64xf32>) -> tensor<*xi64>
    %c = "onnx.Constant"() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
    %d = "onnx.Unsqueeze"(%b, %c) : (tensor<*xi64>, tensor<1xi64>) -> tensor<*xi64>
    "onnx.Yield"(%d) : (tensor<*xi64>) -> ()
  }) : (tensor<*xi1>) -> tensor<*xi64>"#;
    assert_eq!(infer(body, "%r", "tensor<*xi64>").unwrap(), ["[3, if_1]"]);
}

#[test]
fn loops_reach_a_fixed_point() {
    let body = r#"
  %n = "onnx.Constant"() {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %r:3 = "onnx.Loop"(%n, %none, %x, %y) ({
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %a: tensor<*xf32>, %b: tensor<*xf32>):
    %c = "onnx.Concat"(%a, %a) {axis = 1 : i64} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
    %d = "onnx.Relu"(%b) : (tensor<*xf32>) -> tensor<*xf32>
    %e = "onnx.Not"(%go) : (tensor<i1>) -> tensor<i1>
    "onnx.Yield"(%go, %c, %d, %d) : (tensor<i1>, tensor<*xf32>, tensor<*xf32>, tensor<*xf32>) -> ()
  }) : (tensor<i64>, none, tensor<?x?x64xf32>, tensor<?x64x32xf32>) -> (tensor<*xf32>, tensor<*xf32>, tensor<*xf32>)"#;
    let types = "tensor<*xf32>, tensor<*xf32>, tensor<*xf32>";
    let shapes = infer(body, "%r#0, %r#1, %r#2", types).unwrap();
    assert_eq!(shapes, ["[N, loop_1, 64]", "[N, 64, 32]", "[5, N, 64, 32]"]);
    // a condition may end it
    let body = &body.replace("Yield\"(%go", "Yield\"(%e");
    let shapes = infer(body, "%r#0, %r#1, %r#2", types).unwrap();
    assert_eq!(shapes, ["[N, loop_1, 64]", "[N, 64, 32]", "[loop_2, N, 64, 32]"]);
}

#[test]
fn symbols_have_sources() {
    let text = function("", "%x", "tensor<?x?x64xf32>");
    let module = parse_module(&text, "test", None).unwrap();
    let main = module.function("main").unwrap();
    let analysis = analyse(main.body, main.attributes, &IndexMap::default()).unwrap();
    assert_eq!(analysis.sources["N"], SymbolSource::Argument { argument: 0, axis: 0 });
    assert_eq!(analysis.sources["S"], SymbolSource::Argument { argument: 0, axis: 1 });
    let bound = analyse(main.body, main.attributes, &IndexMap::from_iter([("S".into(), 7)])).unwrap();
    let argument = main.body.arguments(main.body.entry().unwrap())[0];
    assert_eq!(bound.shape(argument).unwrap(), [DimExpr::symbol("N"), DimExpr::Constant(7), DimExpr::Constant(64)]);
}

#[test]
fn types_are_written_back() {
    let body = r#"%r = "onnx.MatMul"(%x, %y) : (tensor<?x?x64xf32>, tensor<?x64x32xf32>) -> tensor<*xf32>"#;
    let mut module = parse_module(&function(body, "%r", "tensor<*xf32>"), "test", None).unwrap();
    infer_shapes(&mut module, &IndexMap::from_iter([("S".into(), 7)])).unwrap();
    let main = module.function("main").unwrap();
    assert_eq!(main.r#type.inputs[0].to_string(), "tensor<?x7x64xf32>");
    assert_eq!(main.r#type.results[0].to_string(), "tensor<?x7x32xf32>");
}

/// Operators that return sequences, optionals or maps, and training.
const WITHOUT_RULE: &[&str] =
    &["Optional", "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert", "SplitToSequence", "ZipMap"];

/// Whether the operator is always replaced when it is read.
fn is_read_as_others(schema: &dialects::onnx::schema::Schema) -> bool {
    let row = crate::table::row_of(&schema.op_name());
    row.is_some_and(|row| {
        row.normalize.is_some() && row.lower.is_none() && row.compose.is_none() && row.scalar.is_none()
    })
}

#[test]
fn every_operator_has_a_rule() {
    let missing: Vec<&str> = dialects::onnx::schema::all_newest()
        .filter(|schema| schema.domain.starts_with("ai.onnx"))
        .filter(|schema| !is_read_as_others(schema))
        .filter(|schema| crate::table::row_of(&schema.op_name()).and_then(|row| row.shapes).is_none())
        .map(|schema| schema.name)
        .collect();
    assert_eq!(missing, WITHOUT_RULE);
}
