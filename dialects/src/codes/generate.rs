//! Generates the codes from the rows and compares them with the checked-in file.

use std::fmt::Write;
use std::path::Path;

use ir::{Body, Builder, OpDefinition, Type};

use super::{OpCode, OpCodes};
use crate::vector;

const HEADER: &str =
    "// Generated from the rows of the dialects; UPDATE=1 cargo test -p onnxc-dialects regenerates it.\n";

#[test]
fn codes_are_generated() {
    compare("table.rs", &table());
}

#[test]
fn views_of_operands_are_generated() {
    compare("operands.rs", &operands());
}

/// A variadic operand in the middle: `base`, `offsets...`, `indices`, `mask`, `pass_thru`.
#[test]
fn views_read_what_was_created() {
    let mut body = Body::new();
    let block = body.add_block(body.root(), &[const { Type::Index }; 6]);
    let &[base, row, column, indices, mask, pass_thru] = body.arguments(block) else { unreachable!("just made") };
    let gather = vector::Gather { base, offsets: &[row, column], indices, mask, pass_thru };
    let op = Builder::at_end(&mut body, block).create_from(gather, &[], []);
    assert!(body.is(op, vector::GATHER));
    assert_eq!(body.op(op).operands(), body.arguments(block));
    let read = vector::Gather::of(&body, op);
    assert_eq!((read.offsets, read.pass_thru), (&[row, column][..], pass_thru));
}

fn compare(file: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/codes").join(file);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, text).expect("the source tree can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{} differs from the rows of the dialects; UPDATE=1 regenerates it", path.display());
}

#[test]
fn each_name_has_its_code() {
    for code in OpCode::all() {
        assert_eq!(OpCode::of_text(code.name()), Some(code));
        assert_eq!(OpCode::of_name(&ir::OpName::from(code)), Some(code));
    }
    assert_eq!(OpCode::of_text("onnx.NoValue"), None);
}

/// The names of all operations but those of `onnx`: first those whose codes the IR fixes, then the others, sorted.
fn names() -> Vec<&'static str> {
    let fixed: Vec<&str> = ir::op_name::FIXED_NAMES.iter().map(|name| name.text).collect();
    let registry = crate::registry();
    let mut others: Vec<&str> = registry.iter().map(|row| row.name).filter(|name| !name.starts_with("onnx.")).collect();
    others.retain(|name| !fixed.contains(name));
    others.sort_unstable();
    fixed.into_iter().chain(others).collect()
}

fn table() -> String {
    let names = names();
    let mut text = HEADER.to_string();
    text += "use ir::DefinedName;\n\n/// An operation below the graph.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, \
        PartialOrd, Ord, Hash)]\n#[repr(u16)]\npub enum OpCode {\n";
    for name in &names {
        writeln!(text, "    /// `{name}`\n    {},", variant(name)).expect("text grows");
    }
    text += "}\n\n/// A dialect below the graph.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\npub enum \
        Dialect {\n";
    let mut sorted = names.clone();
    sorted.sort_unstable();
    for dialect in sorted.chunk_by(|a, b| dialect(a) == dialect(b)).map(|names| dialect(names[0])) {
        writeln!(text, "    /// `{dialect}`\n    {},", variant(dialect)).expect("text grows");
    }
    writeln!(text, "}}\n\n/// The dialects by code.\npub(super) static DIALECTS: [Dialect; {}] = [", names.len())
        .expect("text grows");
    for name in &names {
        writeln!(text, "    Dialect::{},", variant(dialect(name))).expect("text grows");
    }
    writeln!(text, "];\n\n/// Every code, in order.\npub(super) static CODES: [OpCode; {}] = [", names.len())
        .expect("text grows");
    for name in &names {
        writeln!(text, "    OpCode::{},", variant(name)).expect("text grows");
    }
    writeln!(text, "];\n\n/// The names by code.\npub(super) static NAMES: [DefinedName; {}] = [", names.len())
        .expect("text grows");
    for (code, name) in names.iter().enumerate() {
        writeln!(text, "    DefinedName {{ text: \"{name}\", code: {code} }},").expect("text grows");
    }
    text += "];\n";
    for dialect in sorted.chunk_by(|a, b| dialect(a) == dialect(b)) {
        writeln!(text, "\npub(crate) mod {} {{\n    use super::OpCode;", self::dialect(dialect[0]))
            .expect("text grows");
        for name in dialect {
            writeln!(text, "    /// `{name}`\n    pub const {}: OpCode = OpCode::{};", constant(name), variant(name))
                .expect("text grows");
        }
        text += "}\n";
    }
    text
}

/// A struct for each operation that has named operands, except for one operand alone and for two sides.
fn operands() -> String {
    let registry = crate::registry();
    let mut rows: Vec<&OpDefinition> = registry.iter().filter(|row| row.dialect() != "onnx").collect();
    let is_short =
        |row: &OpDefinition| matches!(row.named_operands()[..], [] | [(_, false)] | [("lhs", false), ("rhs", false)]);
    rows.retain(|row| !is_short(row));
    rows.sort_unstable_by_key(|row| row.name);
    let mut text = HEADER.to_string();
    for rows in rows.chunk_by(|a, b| a.dialect() == b.dialect()) {
        writeln!(text, "\npub(crate) mod {} {{", rows[0].dialect()).expect("text grows");
        text +=
            "    use ir::{Body, Op, OpName, OperandList, Operands, Value, operands::list};\n\n    use crate::OpCode;\n";
        rows.iter().for_each(|row| text += &view(row));
        text += "}\n";
    }
    text
}

/// The struct of an operation's operands: a view and a builder.
fn view(row: &OpDefinition) -> String {
    let named = row.named_operands();
    let (_, own) = row.name.split_once('.').expect("names have a dialect");
    let name = variant(own);
    let variadic = named.iter().position(|(_, is_variadic)| *is_variadic);
    let (generic, lifetime) = if variadic.is_some() { ("<'b>", "'b ") } else { ("", "") };
    let place = |at: usize| match variadic {
        Some(variadic) if at == variadic && at + 1 == named.len() => format!("&operands[{at}..]"),
        Some(variadic) if at == variadic => format!("&operands[{at}..operands.len() - {}]", named.len() - at - 1),
        Some(variadic) if at > variadic => format!("operands[operands.len() - {}]", named.len() - at),
        _ => format!("operands[{at}]"),
    };
    let fields = named.iter().map(|(name, is_variadic)| {
        let r#type = if *is_variadic { "&'b [Value]" } else { "Value" };
        format!("        /// `{name}`\n        pub {name}: {type},\n")
    });
    let values = named.iter().enumerate().map(|(at, (name, _))| format!("{name}: {}", place(at)));
    let groups = named.chunk_by(|(_, a), (_, b)| !a && !b).map(|group| match group {
        [(name, true)] => format!("self.{name}"),
        names => format!("&[{}]", names.iter().map(|(name, _)| format!("self.{name}")).collect::<Vec<_>>().join(", ")),
    });
    let any_lifetime = if variadic.is_some() { "<'_>" } else { "" };
    format!(
        "    /// The operands of `{0}`.\n    #[derive(Clone, Copy, Debug)]\n    pub struct {name}{generic} {{\n{1}    }}\n    \
         impl{generic} {name}{generic} {{\n        /// Of an operation that verifies.\n        pub fn of(body: &{lifetime}Body, \
         op: Op) -> Self {{\n            let operands = body.op(op).operands();\n            {name} {{ {2} }}\n        }}\n    }}\n    \
         impl Operands for {name}{any_lifetime} {{\n        fn name() -> OpName {{\n            OpCode::{3}.into()\n        }}\n        \
         fn list(&self) -> OperandList {{\n            list(&[{4}])\n        }}\n    }}\n",
        row.name,
        fields.collect::<String>(),
        values.collect::<Vec<_>>().join(", "),
        variant(row.name),
        groups.collect::<Vec<_>>().join(", ")
    )
}

fn dialect(name: &str) -> &str {
    name.split_once('.').map_or(name, |(dialect, _)| dialect)
}

/// `ArithIndexCast` of `arith.index_cast`
fn variant(name: &str) -> String {
    name.split(['.', '_']).map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}

/// `INDEX_CAST` of `arith.index_cast`
fn constant(name: &str) -> String {
    let own = name.split_once('.').map_or(name, |(_, own)| own);
    own.replace('.', "_").to_uppercase()
}
