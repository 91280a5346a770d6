//! Functions that strips of the same form share.
//!
//! The form of a strip is all that decides on its code: the height and the width of its tiles, the order of their loops, and
//! constants that remove a loop or an addition, or may be extents of loops that are unrolled. All other values are arguments.

use dialects::linalg::GROUP;
use ir::{Attribute, Attributes, Body, Builder, FunctionType, Location, Module, Type, Value};

use super::VectorRegisters;
use super::code::Code;
use super::registers::STRAIGHT_WINDOW;
use super::strip::Strip;

/// What is known of the values of a strip: constants that decide on its code.
type Form = (Type, Strip<Option<i64>>);

/// The functions of a module.
#[derive(Default)]
pub(super) struct Functions {
    defined: Vec<(Form, Body)>,
}

impl Functions {
    /// Calls the function of a strip's form.
    pub(super) fn call(&mut self, code: &mut Code<'_>, registers: VectorRegisters, strip: &Strip<Value>) {
        let mut arguments = Vec::new();
        let form = strip.map(&mut |value| {
            let constant =
                code.known(value).filter(|&constant| (0..=STRAIGHT_WINDOW).contains(&constant) || constant == GROUP);
            if constant.is_none() {
                arguments.push(value);
            }
            constant
        });
        let form = (code.element().clone(), form);
        let number = self.defined.iter().position(|(own, _)| *own == form).unwrap_or_else(|| {
            let body = function(&form, registers, arguments.len());
            self.defined.push((form, body));
            self.defined.len() - 1
        });
        code.call(&name(number), &arguments);
    }

    /// Adds the functions to their module.
    pub(super) fn define(self, module: &mut Module) {
        for (number, (_, body)) in self.defined.into_iter().enumerate() {
            let entry = body.entry().expect("the function has a body");
            let inputs = vec![Type::Index; body.arguments(entry).len()];
            let attributes = Attributes::from([("sym_visibility", Attribute::string("private"))]);
            module.add_function(
                &name(number),
                FunctionType { inputs, results: vec![] },
                attributes,
                body,
                Location::Unknown,
            );
        }
    }
}

fn name(number: usize) -> String {
    format!("tile_rows_{number}")
}

/// The body of the function of a form, which is passed each value that is not part of it.
fn function((element, form): &Form, registers: VectorRegisters, count: usize) -> Body {
    let mut body = Body::new();
    let entry = body.add_block(body.root(), &vec![Type::Index; count]);
    let mut arguments = body.arguments(entry).to_vec().into_iter();
    let mut code = Code::new(Builder::at_end(&mut body, entry), element.clone(), registers.lanes);
    let strip = form.map(&mut |constant| match constant {
        Some(constant) => code.index(constant),
        None => arguments.next().expect("a value is a constant or an argument"),
    });
    strip.emit(&mut code, registers);
    code.end();
    body
}
