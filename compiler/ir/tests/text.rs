//! The textual form: printed modules are read back, and errors have a position.

use ir::{DenseElements, PrintOptions, Type, parse_attribute, parse_module, parse_type, print_module};

fn round_trip(text: &str) -> String {
    let options = PrintOptions { print_locations: true, ..PrintOptions::default() };
    let parsed = parse_module(text, "input.mlir", None).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    let printed = print_module(&parsed, &options);
    let again = parse_module(&printed, "other.mlir", None).unwrap_or_else(|errors| panic!("{}\n{printed}", errors[0]));
    assert_eq!(print_module(&again, &options), printed);
    print_module(&parsed, &PrintOptions::default())
}

#[test]
fn types() {
    for text in [
        "none",
        "index",
        "i1",
        "si8",
        "ui64",
        "bf16",
        "f8E4M3FN",
        "complex<f32>",
        "tensor<f32>",
        "tensor<0x4xf32>",
        "tensor<2x?x3xf32>",
        "tensor<*xi8>",
        "tensor<4xf32, #enc.x<[1, 2]>>",
        "memref<?x784xf32>",
        "memref<?x4xf32, strided<[?, 1], offset: ?>>",
        "memref<4xf32, strided<[2]>, 1 : i64>",
        "memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>",
        "vector<16xf32>",
        "vector<i1>",
        "tuple<i32, tuple<>>",
        "(i32) -> f32",
        "() -> ((i32) -> ())",
        "!onnx.String",
        "!onnx.Seq<tensor<*xf32>>",
    ] {
        let parsed = parse_type(text).unwrap_or_else(|errors| panic!("{text}: {}", errors[0]));
        assert_eq!(parsed.to_string(), text);
    }
}

#[test]
fn attributes() {
    for text in [
        "unit",
        "true",
        "-4 : i64",
        "18446744073709551615 : ui64",
        "3 : index",
        "1.000000e+00 : f32",
        "3.14159274 : f32",
        "0x7FC00000 : f32",
        "0xFFF0000000000000 : f64",
        "0x7E : f8E5M2",
        "\"a\\0A\\22b\\C3\\A9\"",
        "[1, 2 : i32, [unit, \"x\"]]",
        "array<i64>",
        "array<i32: 1, -2>",
        "array<i1: true, false>",
        "array<f32: 1.500000e+00>",
        "{a, \"b c\" = 1 : i64}",
        "tensor<?xf32>",
        "(i32) -> ()",
        "affine_map<(d0, d1)[s0] -> (d0 * 4 + d1, d0 floordiv 3, s0 - 1, (d0 + d1) mod 7, d1 ceildiv 2)>",
        "affine_map<(d0, d1) -> (-d0 + d1, d0 - d1, d0 - d1 * 3, -(d0 + d1), d0 - (d1 + 2), d0 mod 2 - d1 floordiv 2 - 1)>",
        "affine_map<() -> ()>",
        // a product that overflows
        "affine_map<() -> (9223372036854775807 * 2)>",
        "dense<[[1, 2], [3, -4]]> : tensor<2x2xi8>",
        "dense<1.000000e+00> : tensor<16xf32>",
        "dense<> : tensor<0x3xf32>",
        "dense<5> : tensor<i64>",
        "dense<[true, false]> : vector<2xi1>",
        "dense<[0x7F800000, 1.000000e-01]> : tensor<2xf32>",
        "dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>",
        "dense<\"0x010000000000000002000000000000000300000000000000040000000000000F\"> : tensor<2xi128>",
        "dense<[\"a\", \"\\22\"]> : tensor<2x!onnx.String>",
        "dense_resource<weights> : tensor<4x4xf32>",
        "dense_resource<\"a/b\"> : tensor<4x4xf32>",
        "@f",
        "@a::@\"b c\"",
        "#linalg.iterator_type<parallel>",
        "#arith.fastmath<none>",
        "#test<i32: 2, 1>",
        "#test<a<b> c<d>>",
        "#test.a.b<c<\">\">>",
    ] {
        let parsed = parse_attribute(text).unwrap_or_else(|errors| panic!("{text}: {}", errors[0]));
        assert_eq!(parsed.to_string(), text);
    }
    let parsed = parse_attribute("255 : i8").expect("fits as unsigned");
    assert_eq!(parsed.to_string(), "-1 : i8");
}

#[test]
fn large_constants_are_hexadecimal() {
    let values: Vec<i64> = (0..200).collect();
    let attribute = ir::Attribute::dense(DenseElements::from_i64(&[200], &values));
    let text = attribute.to_string();
    assert!(text.starts_with("dense<\"0x00000000000000000100000000000000"), "{text}");
    assert_eq!(parse_attribute(&text).expect("own text is read"), attribute);
}

#[test]
fn resources_travel_with_the_text() {
    let text = r#"
"memref.global"() {sym_name = "g", value = dense_resource<w> : tensor<2xf32>} : () -> ()
{-# dialect_resources: { builtin: { w: "0x040000000000803F00000040" } } #-}
"#;
    let printed = round_trip(text);
    assert!(printed.contains("w: \"0x400000000000803F00000040\""), "{printed}");
    let module = parse_module(text, "input.mlir", None).expect("parsed");
    let value = module
        .body
        .attribute(module.ops().next().expect("there is one"), "value")
        .and_then(|a| a.as_dense())
        .expect("dense");
    assert_eq!((value.float(0), value.float(1)), (Some(1.0), Some(2.0)));
}

#[test]
fn control_flow_and_names() {
    let text = r#"
#row = affine_map<(i, j) -> (j)>
!t = tensor<?xf32>
"func.func"() <{sym_name = "f", function_type = (index, !t) -> index}> ({
^entry(%a: index, %t: !t loc("arg")):
  %pair:2 = "test.pair"(%a) {map = #row} : (index) -> (index, i1)
  "cf.br"(%pair#0)[^loop] : (index) -> ()
^loop(%i: index):
  "test.nested"() ({
    %pair:2 = "test.pair"(%i) : (index) -> (index, i1)
    %late = "test.late"(%after) : (i1) -> i1
    "test.end"() : () -> ()
  }, {
  }) : () -> ()
  %after = "test.more"(%pair#1) : (i1) -> i1
  "cf.cond_br"(%after, %i)[^loop, ^exit] {operandSegmentSizes = array<i32: 1, 1, 0>} : (i1, index) -> ()
^exit:
  "func.return"(%i) : (index) -> () loc(#here)
}) {rt.kernel} : () -> ()
#here = loc(fused["a", "b"("file.py":3:4), callsite("x" at unknown)])
"#;
    let text = text.replace("    %pair:2 = \"test.pair\"(%i)", "    %inner:2 = \"test.pair\"(%i)");
    let printed = round_trip(&text);
    for line in [
        "^bb0(%arg0: index, %arg1: tensor<?xf32>):",
        "%0:2 = \"test.pair\"(%arg0) {map = affine_map<(d0, d1) -> (d1)>} : (index) -> (index, i1)",
        "^bb1(%1: index):  // 2 preds: ^bb0, ^bb1",
        "%4 = \"test.late\"(%2) : (i1) -> i1",
        "^bb2:  // pred: ^bb1",
        "}) {function_type = (index, tensor<?xf32>) -> index, rt.kernel, sym_name = \"f\"} : () -> ()",
    ] {
        assert!(printed.contains(line), "{line}\nnot in\n{printed}");
    }
    let module = parse_module(&text, "input.mlir", None).expect("parsed");
    let function = module.function("f").expect("declared");
    let blocks = function.body.blocks(function.body.root());
    let end = function.body.terminator(blocks[2]).expect("ends");
    assert_eq!(
        function.body.op(end).location.to_string(),
        "fused[\"a\", \"b\"(\"file.py\":3:4), callsite(\"x\" at unknown)]"
    );
}

#[test]
fn errors_name_the_place() {
    for (text, line, column, message) in [
        ("\n  \"a.b\"(%x) : (i32) -> ()", 2, 9, "undefined value '%x'"),
        ("\"a.b\"() : () -> i33x", 1, 17, "expected a type, found 'i33x'"),
        ("\"a.b\"() : () -> i65", 1, 17, "integer types have 1 to 64 bits, or 128, found 'i65'"),
        ("\"a.b\"() {x = 300 : i8} : () -> ()", 1, 14, "300 does not fit i8"),
        ("\"a.b\"() {x, x} : () -> ()", 1, 13, "attribute 'x' is given twice"),
        (
            "\"a.b\"() {x = dense<[1, 2]> : tensor<3xi8>} : () -> ()",
            1,
            20,
            "expected 3 entries in this dimension, found 2",
        ),
        (
            "\"a.b\"() {x = dense<1> : tensor<?xi8>} : () -> ()",
            1,
            25,
            "a constant has a tensor or vector type of static shape, found tensor<?xi8>",
        ),
        ("%0 = \"a.b\"() : () -> ()", 1, 6, "the operation has 0 results, but 1 are named"),
        ("%0 = \"a.b\"() : () -> i1\n\"a.b\"(%0) : (i2) -> ()", 2, 7, "'%0' has type i1, used as i2"),
        ("%0 = \"a.b\"() : () -> i1\n%0 = \"a.b\"() : () -> i1", 2, 6, "value '%0' is defined twice"),
        ("\"a.b\"()[^x] : () -> ()", 1, 9, "undefined block '^x'"),
        ("func.func @f()", 1, 1, "expected an operation in generic form, \"dialect.name\"(…), found 'func.func'"),
        ("\"a.b\"() {x = #y} : () -> ()", 1, 14, "undefined attribute alias '#y'"),
        ("\"a.b\"() {x = \"abc\n\"} : () -> ()", 1, 14, "expected a string that ends on its line, found \"\\\"\""),
        ("\"a.b\"() : () -> () loc(", 1, 24, "expected a location, found the end of the text"),
        ("\"a.b\"() é", 1, 9, "expected a token, found \"é\""),
    ] {
        let errors = parse_module(text, "f.mlir", None).expect_err(text);
        let expected = format!("error: f.mlir:{line}:{column}: {message}");
        assert_eq!(errors[0].to_string(), expected, "{text}");
    }
}

#[test]
fn nesting_is_limited() {
    let deep = 100_000;
    for text in [
        format!("\"a.b\"() {{x = {}}} : () -> ()", "[".repeat(deep)),
        "\"a.b\"() ({ ".repeat(deep),
        format!("\"a.b\"() : () -> {}", "tuple<".repeat(deep)),
        format!("\"a.b\"() : () -> () loc({}", "\"a\"(".repeat(deep)),
        format!("\"a.b\"() {{x = affine_map<() -> ({}", "(".repeat(deep)),
        format!("\"a.b\"() {{x = affine_map<() -> ({}", "-".repeat(deep)),
    ] {
        let error = parse_module(&text, "f.mlir", None).expect_err("too deep").remove(0);
        assert!(error.message.contains("nested deeper") || error.message.contains("at most"), "{error}");
    }
    let sum = format!("\"a.b\"() {{x = affine_map<(d0) -> (d0{})>}} : () -> ()", " + d0".repeat(deep));
    assert!(parse_module(&sum, "f.mlir", None).is_err());
}

#[test]
fn a_file_without_module_gets_one() {
    let module = parse_module("\"builtin.module\"() ({ }) {a} : () -> ()", "f", None).expect("parsed");
    assert!(module.attributes.get("a").is_some());
    assert_eq!(print_module(&module, &PrintOptions::default()), "\"builtin.module\"() ({\n^bb0:\n}) {a} : () -> ()\n");
    assert_eq!(parse_type("i32").expect("a type"), Type::I32);
}

#[test]
fn names_of_operations_are_escaped() {
    for name in [r"a.\\b", r"a.\22b", r"a.\0A"] {
        let text = format!("\"{name}\"() : () -> ()");
        assert!(round_trip(&text).contains(&text), "{name}");
    }
}
