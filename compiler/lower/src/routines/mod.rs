//! Routines as functions of the module, for code without a runtime: their calls have the same words, and their results
//! the same bits, as those of the runtime (`runtime/src/calls`).
//!
//! A definition is a text of the kernel level for any element types. It has words with `$` for the tensor that is number
//! `N` of the call's operands and results:
//!
//! - `$typeN`, `$kindN`: the type of an element in memory, and its name with its sign (`i8`, `ui8`);
//! - `$addN`, `$mulN`, `$eqN`, `$ltN`, `$leN`, `$nanN`: the operations that add, multiply, compare, and find NaN as the
//!   comparison of an element with itself;
//! - `$zeroN`, `$oneN`, `$not_a_numberN`: constants; `$wordsN`: words of 32 bits of a tree's node with such a value;
//! - `$name`: the symbol of the function.

use dialects::rt::routines::{Routine, SYMBOL};
use dialects::{OpCode, arith};
use ir::{Module, Registry, Result};

use crate::low::declare::define_from;

/// A definition.
struct Definition {
    routine: &'static str,
    text: &'static str,
    /// Whether it is for tensors of these kinds, which [`Element`] has.
    is_for: fn(&[i64]) -> bool,
}

const DEFINITIONS: [Definition; 7] = [
    Definition { routine: "cumulate", text: include_str!("cumulate.mlir"), is_for: |_| true },
    Definition { routine: "look_up", text: include_str!("look_up.mlir"), is_for: |_| true },
    Definition {
        routine: "scatter_elements",
        text: concat!(include_str!("joined.mlir"), include_str!("scatter_elements.mlir")),
        is_for: |_| true,
    },
    Definition {
        routine: "scatter_nd",
        text: concat!(include_str!("joined.mlir"), include_str!("scatter_nd.mlir")),
        is_for: |_| true,
    },
    Definition { routine: "top_k", text: include_str!("top_k.mlir"), is_for: |_| true },
    Definition { routine: "trees", text: include_str!("trees.mlir"), is_for: is_of_one_float },
    Definition { routine: "write_rows", text: include_str!("write_rows.mlir"), is_for: |_| true },
];

/// What definitions share.
const SHARED: &str = include_str!("shared.mlir");

/// Features, weights and results have one type of float.
fn is_of_one_float(kinds: &[i64]) -> bool {
    const F32: i64 = 1;
    const F64: i64 = 11;
    matches!(*kinds, [rows, _, _, _, weights, _, results] if [F32, F64].contains(&rows) && rows == weights && rows == results)
}

/// An element type that definitions are for.
#[derive(Clone, Copy)]
struct Element {
    /// Its number in ONNX.
    number: i64,
    /// Its name, in which unsigned integers have a `u`.
    name: &'static str,
}

const ELEMENTS: [Element; 10] = [
    Element { number: 1, name: "f32" },
    Element { number: 2, name: "ui8" },
    Element { number: 3, name: "i8" },
    Element { number: 4, name: "ui16" },
    Element { number: 5, name: "i16" },
    Element { number: 6, name: "i32" },
    Element { number: 7, name: "i64" },
    Element { number: 11, name: "f64" },
    Element { number: 12, name: "ui32" },
    Element { number: 13, name: "ui64" },
];

impl Element {
    fn numbered(number: i64) -> Option<Element> {
        ELEMENTS.into_iter().find(|element| element.number == number)
    }

    fn named(name: &str) -> Option<Element> {
        ELEMENTS.into_iter().find(|element| element.name == name)
    }

    /// The text for each word about an element.
    fn words(self) -> [(&'static str, String); 12] {
        let r#type = self.name.trim_start_matches('u');
        let (is_float, is_unsigned) = (r#type.starts_with('f'), r#type != self.name);
        let operation = |float: OpCode, integer: OpCode| if is_float { float } else { integer }.name().to_string();
        let compare = |float: &str, signed: &str, unsigned: &str| match (is_float, is_unsigned) {
            (true, _) => format!("{} {float}", arith::CMPF.name()),
            (_, false) => format!("{} {signed}", arith::CMPI.name()),
            (_, true) => format!("{} {unsigned}", arith::CMPI.name()),
        };
        let constant = |float: &str, integer: &str| if is_float { float } else { integer }.to_string();
        let is_double = self.name == "f64";
        [
            ("type", r#type.to_string()),
            ("kind", self.name.to_string()),
            ("add", operation(arith::ADDF, arith::ADDI)),
            ("mul", operation(arith::MULF, arith::MULI)),
            ("eq", compare("oeq", "eq", "eq")),
            ("lt", compare("olt", "slt", "ult")),
            ("le", compare("ole", "sle", "ule")),
            // no integer differs from itself
            ("nan", compare("uno", "ne", "ne")),
            ("zero", constant("0.0", "0")),
            ("one", constant("1.0", "1")),
            ("not_a_number", if is_double { "0x7FF8000000000000" } else { "0x7FC00000" }.to_string()),
            ("words", if is_double { "5" } else { "4" }.to_string()),
        ]
    }
}

/// The symbol of the function for a routine and the kinds of its tensors, if there is a definition.
pub(crate) fn symbol(routine: &Routine, kinds: &[i64]) -> Option<String> {
    let definition = DEFINITIONS.iter().find(|definition| definition.routine == routine.name)?;
    let elements: Option<Vec<Element>> = kinds.iter().map(|&kind| Element::numbered(kind)).collect();
    let suffix: String = elements?.iter().map(|element| format!(".{}", element.name)).collect();
    (definition.is_for)(kinds).then(|| routine.symbol() + &suffix)
}

/// Gives a body to every declared function of a definition, and adds the functions that it calls.
pub(crate) fn define_routines(module: &mut Module, registry: &Registry) -> Result<()> {
    let symbols: Vec<String> = module.functions().map(|function| function.name.to_string()).collect();
    for name in symbols {
        if let Some(text) = text_of(&name) {
            let mut definitions = ir::parse_module(&text, &name, Some(registry))?;
            define_from(module, &mut definitions, name);
        }
    }
    Ok(())
}

/// The definition of a symbol, with everything that it may call.
fn text_of(symbol: &str) -> Option<String> {
    let mut parts = symbol.strip_prefix(SYMBOL)?.split('.');
    let routine = parts.next()?;
    let definition = DEFINITIONS.iter().find(|definition| definition.routine == routine)?;
    let elements: Vec<Element> = parts.map(Element::named).collect::<Option<_>>()?;
    if elements.is_empty() {
        return None;
    }
    let mut text = SHARED.to_string() + definition.text;
    for (at, element) in elements.iter().enumerate() {
        for (word, replacement) in element.words() {
            text = text.replace(&format!("${word}{at}"), &replacement);
        }
    }
    Some(text.replace("$name", symbol))
}
