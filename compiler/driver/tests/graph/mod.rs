//! Models of a few operations of the graph level, as text.

#![allow(dead_code, reason = "each test file uses some of it")]

use std::sync::Arc;

use driver::{CompiledModel, Compiler, Options, Session, Tensor};
use ir::{Blob, Type};

/// A session of a model with one operation after the given constants.
pub(crate) fn session(arguments: &str, constants: &str, operation: &str, result: &str) -> Session {
    let model = compiled(arguments, constants, operation, result);
    Session::new(Arc::new(model.unwrap_or_else(|errors| panic!("{}", errors[0]))))
}

/// A model with one operation after the given constants.
pub(crate) fn compiled(arguments: &str, constants: &str, operation: &str, result: &str) -> ir::Result<CompiledModel> {
    let text = format!(
        r#"
"builtin.module"() ({{
  "func.func"() ({{
  ^bb0({arguments}):
    {constants}
    %y = {operation}
    "func.return"(%y) : ({result}) -> ()
  }}) {{sym_name = "main_graph", function_type = ({}) -> {result}}} : () -> ()
}}) : () -> ()
"#,
        arguments.split(": ").skip(1).map(|part| part.split(", %").next().unwrap()).collect::<Vec<_>>().join(", ")
    );
    let module = ir::parse_module(&text, "test.mlir", None).expect("parses");
    Compiler::new(Options { threads: 1, ..Options::default() }).compile_graph(module)
}

pub(crate) fn integers(values: &[i64]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Tensor::new(Type::I64, vec![values.len() as i64], Blob::copy_of(&bytes)).unwrap()
}

pub(crate) fn scalar(value: i64) -> Tensor {
    Tensor { shape: vec![], ..integers(&[value]) }
}

/// The run fails, with a message that contains `reason`.
pub(crate) fn fails(session: &mut Session, inputs: &[Tensor], reason: &str) {
    let errors = session.run(inputs).map(|outputs| outputs[0].shape.clone()).expect_err("the run fails");
    assert!(errors[0].message.contains(reason), "{}", errors[0].message);
}
