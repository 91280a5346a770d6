//! ONNX's textual syntax (`onnx/docs/Syntax.md`): a model as people write it in tests and reports.

mod attributes;
mod cursor;
mod graphs;
mod tensors;
mod types;

use crate::messages::{ModelProto, TensorProto};
use cursor::{Cursor, Parsed};

/// Reads a model. The error states the position and what was expected there.
pub fn parse_model(text: &str) -> Result<ModelProto, String> {
    parse(text, graphs::model)
}

/// Reads tensors in the syntax of a graph's initializers: `float[2] a = {1, 2}, int64 b = {3}`.
pub fn parse_tensors(text: &str) -> Result<Vec<TensorProto>, String> {
    parse(text, |cursor| {
        let mut tensors = Vec::new();
        while !cursor.is_at_end() {
            let r#type = types::type_proto(cursor)?;
            let name = cursor.name()?;
            cursor.expect("=")?;
            tensors.push(tensors::tensor(cursor, name, &r#type)?);
            cursor.takes(",");
        }
        Ok(tensors)
    })
}

fn parse<'t, T>(text: &'t str, parse: impl FnOnce(&mut Cursor<'t>) -> Parsed<T>) -> Result<T, String> {
    let mut cursor = Cursor::new(text);
    parse(&mut cursor).map_err(|problem| {
        let (line, column) = cursor.place(problem.at);
        format!("line {line}, column {column}: {}", problem.message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(text: &str, message: &str) {
        match parse_model(text) {
            Err(found) if found.contains(message) => {}
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn mistakes_are_found_where_they_are() {
        fails("", "line 1, column 1: expected a name");
        fails("g (float[2] x) => (float[2] y)\n{ y = Neg x) }", "line 2, column 11: expected '('");
        fails(
            "<ir_version: 8, colour: \"red\"> g () => () {}",
            "line 1, column 17: \"colour\" is not a field of a model",
        );
        fails("g () => () { y = A <a = 1.5.2> () }", "expected '>'");
        fails("g () => () { y = A <a: ints = 3> () }", "is of kind Int, but declared as Ints");
        fails("g () => () { y = A <a = []> () }", "the kind of an empty list is ambiguous");
        fails("g () => () <int8[1] w = {1e3}> {}", "expected a whole number");
        fails("g () => () <int8[1] w = {99999999999}> {}", "is out of range");
        fails("g () => () <float[N] w = {1}> {}", "a tensor's extents are numbers");
        fails("g () => () <string[1] w = {\"open", "the text does not end");
    }

    #[test]
    fn graphs_do_not_nest_without_end() {
        let text = "g () => () { y = A <b = ".repeat(2000);
        fails(&text, "nested more than");
        fails(&format!("g ({}", "seq(".repeat(100_000)), "nested more than");
    }

    #[test]
    fn labels_overloads_and_empty_names_are_read() {
        let model =
            parse_model("g () => () { [\"a b\"] , y = d.e.F : o (x, , \"\", z) <p = @q> }").expect("it is valid");
        let node = &model.graph.expect("a graph").node[0];
        assert_eq!((&*node.name, &*node.domain, &*node.op_type, &*node.overload), ("a b", "d.e", "F", "o"));
        assert_eq!(node.output, ["", "y"]);
        assert_eq!(node.input, ["x", "", "", "z"]);
        assert_eq!(node.attribute[0].ref_attr_name, "q");
    }
}
