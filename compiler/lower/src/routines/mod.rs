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
use ir::{Module, Registry, Result, Type};
use operators::types::element_type;

use crate::low::declare::define_from;

/// A definition.
struct Definition {
    routine: &'static str,
    text: &'static str,
    /// Whether it is for tensors of these types, of which [`is_plain`] holds.
    is_for: fn(&[Type]) -> bool,
}

const ALL: fn(&[Type]) -> bool = |_| true;

const DEFINITIONS: [Definition; 7] = [
    Definition { routine: "cumulate", text: include_str!("cumulate.mlir"), is_for: ALL },
    Definition { routine: "look_up", text: include_str!("look_up.mlir"), is_for: ALL },
    Definition {
        routine: "scatter_elements",
        text: concat!(include_str!("joined.mlir"), include_str!("scatter_elements.mlir")),
        is_for: ALL,
    },
    Definition {
        routine: "scatter_nd",
        text: concat!(include_str!("joined.mlir"), include_str!("scatter_nd.mlir")),
        is_for: ALL,
    },
    Definition { routine: "top_k", text: include_str!("top_k.mlir"), is_for: ALL },
    Definition { routine: "trees", text: include_str!("trees.mlir"), is_for: are_of_one_float },
    Definition { routine: "write_rows", text: include_str!("write_rows.mlir"), is_for: ALL },
];

/// What definitions share.
const SHARED: &str = include_str!("shared.mlir");

/// Features, weights and results of trees have one type of float.
fn are_of_one_float(types: &[Type]) -> bool {
    let [rows, _, _, _, weights, _, results] = types else { return false };
    matches!(rows, Type::Float(_)) && rows == weights && rows == results
}

/// Whether machines compute with the type: `f32`, `f64`, or an integer of 8 to 64 bits.
fn is_plain(r#type: &Type) -> bool {
    match *r#type {
        Type::F32 | Type::F64 => true,
        Type::Integer(integer) => [8, 16, 32, 64].contains(&integer.width),
        _ => false,
    }
}

/// What words stand for, about an element type.
fn words(element: &Type) -> [(&'static str, String); 12] {
    let kind = element.to_string();
    let r#type = kind.trim_start_matches('u');
    let (is_float, is_unsigned, is_double) = (matches!(element, Type::Float(_)), r#type != kind, *element == Type::F64);
    let operation = |float: OpCode, integer: OpCode| if is_float { float } else { integer }.name().to_string();
    let compare = |float: &str, signed: &str, unsigned: &str| match (is_float, is_unsigned) {
        (true, _) => format!("{} {float}", arith::CMPF.name()),
        (_, false) => format!("{} {signed}", arith::CMPI.name()),
        (_, true) => format!("{} {unsigned}", arith::CMPI.name()),
    };
    let constant = |float: &str, integer: &str| if is_float { float } else { integer }.to_string();
    [
        ("type", r#type.to_string()),
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
        ("kind", kind),
    ]
}

/// The symbol of the function for a routine and the kinds of its tensors; that of the runtime's routine if there is no
/// definition.
pub(crate) fn symbol(routine: &Routine, kinds: &[i64]) -> String {
    let types: Vec<Type> = kinds.iter().filter_map(|&kind| element_type(kind as i32).ok()).filter(is_plain).collect();
    let is_defined = |definition: &Definition| definition.routine == routine.name && (definition.is_for)(&types);
    let mut symbol = routine.symbol();
    if types.len() == kinds.len() && DEFINITIONS.iter().any(is_defined) {
        types.iter().for_each(|r#type| symbol.push_str(&format!(".{type}")));
    }
    symbol
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
    let (routine, types) = symbol.strip_prefix(SYMBOL)?.split_once('.')?;
    let definition = DEFINITIONS.iter().find(|definition| definition.routine == routine)?;
    let types: Vec<Type> =
        types.split('.').map(|text| ir::parse_type(text).ok().filter(is_plain)).collect::<Option<_>>()?;
    let mut text = SHARED.to_string() + definition.text;
    for (at, element) in types.iter().enumerate() {
        for (word, meaning) in words(element) {
            text = text.replace(&format!("${word}{at}"), &meaning);
        }
    }
    Some(text.replace("$name", symbol))
}
