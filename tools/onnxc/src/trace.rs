//! The trace matrix: from every node to its symbols in the object, and from every byte of the object back.

use std::path::Path;

use commandline::{Drafts, Failure};
use dialects::rt::DETECT_LEVEL;
use driver::{ErrorClass, Operations, Trace, TracedNode};
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags, SymbolKind};
use serde_json::{Map, Value, json};

use crate::page::{escaped, table};

/// The maximum length of padding between functions.
const PADDING: u64 = 64;

/// The range of a symbol in the object.
struct Range {
    name: String,
    section: String,
    offset: u64,
    size: u64,
    /// Whether it is a global symbol.
    is_global: bool,
}

/// A section that is loaded at run time.
struct Section {
    name: String,
    size: u64,
    /// Bytes outside of symbols, except padding.
    unnamed: u64,
}

/// Writes the matrix of an object: as a page if the file's name asks for that, else as JSON.
pub(crate) fn write(path: &Path, object: &[u8], trace: &Trace, drafts: &Drafts) -> Result<(), Failure> {
    let matrix = matrix(object, trace)?;
    let is_page = path.extension().is_some_and(|extension| extension == "html");
    let text = if is_page { page(&matrix) } else { format!("{matrix:#}\n") };
    drafts.file(path)?.write(text.as_bytes())
}

fn matrix(object: &[u8], trace: &Trace) -> Result<Value, Failure> {
    let damaged = |error: object::Error| Failure::new(ErrorClass::Internal, format!("the object: {error}"));
    let file = object::File::parse(object).map_err(damaged)?;
    let mut ranges = Vec::new();
    for symbol in file.symbols() {
        let is_thing = matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Data | SymbolKind::Unknown);
        let (Some(index), true) = (symbol.section_index(), is_thing) else { continue };
        let section = file.section_by_index(index).and_then(|section| section.name().map(str::to_string));
        let name = symbol.name().map_err(damaged)?.to_string();
        if !name.is_empty() {
            ranges.push(Range {
                name,
                section: section.map_err(damaged)?,
                offset: symbol.address(),
                size: symbol.size(),
                is_global: symbol.is_global(),
            });
        }
    }
    ranges.sort_by(|a, b| (&a.section, a.offset, &a.name).cmp(&(&b.section, b.offset, &b.name)));
    let sections: Vec<Section> = file
        .sections()
        .filter(|section| matches!(section.flags(), SectionFlags::Elf { sh_flags, .. } if sh_flags.contains(object::elf::SHF_ALLOC)))
        .filter(|section| section.size() > 0)
        .map(|section| {
            let name = section.name().unwrap_or_default().to_string();
            let unnamed = unnamed(&ranges, &name, section.size());
            Section { name, size: section.size(), unnamed }
        })
        .collect();
    let place = |range: &Range| json!({"symbol": range.name, "section": range.section, "offset": range.offset, "size": range.size});
    let nodes = trace.nodes.iter().map(|(name, node)| {
        let mine = ranges.iter().filter(|range| node.symbols.iter().any(|symbol| symbol == whole(&range.name)));
        node_entry(name, node, mine.map(place).collect())
    });
    let symbols = ranges.iter().map(|range| {
        let known = trace.symbols.get(whole(&range.name));
        let nodes: Vec<&str> = known.iter().flat_map(|symbol| &symbol.nodes).map(|node| &**node).collect();
        let reason = known.map_or_else(|| reason_of_symbol(range), |symbol| symbol.reason);
        let mut entry = place(range);
        entry["nodes"] = json!(nodes);
        entry["reason"] = json!(reason);
        entry
    });
    let sections = sections.iter().map(|section| {
        json!({
            "section": section.name,
            "size": section.size,
            "unnamed": section.unnamed,
            "reason": reason_of_section(section),
        })
    });
    Ok(json!({
        "nodes": nodes.collect::<Vec<_>>(),
        "symbols": symbols.collect::<Vec<_>>(),
        "sections": sections.collect::<Vec<_>>(),
    }))
}

/// The symbol that a symbol is a part or a copy of: the code generator splits read-only data, clones functions for
/// known arguments, and numbers those.
fn whole(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((whole, number)) if !whole.is_empty() && number.chars().all(|c| c.is_ascii_digit()) => {
            whole.strip_suffix(".specialized").unwrap_or(whole)
        }
        _ => name,
    }
}

/// The bytes of a section outside of its symbols, if they are more than padding.
fn unnamed(ranges: &[Range], section: &str, size: u64) -> u64 {
    let (mut end, mut unnamed) = (0, 0);
    let starts = ranges.iter().filter(|range| range.section == section).map(|range| (range.offset, range.size));
    for (start, length) in starts.chain([(size, 0)]) {
        let gap = start.saturating_sub(end);
        unnamed += if gap < PADDING { 0 } else { gap };
        end = end.max(start + length);
    }
    unnamed
}

fn node_entry(name: &str, node: &TracedNode, symbols: Vec<Value>) -> Value {
    let operations = |operations: &Operations| -> Map<String, Value> {
        operations.iter().map(|(name, count)| (name.clone(), json!(count))).collect()
    };
    json!({
        "node": name,
        "operators": node.operators,
        "graph": operations(&node.graph),
        "rewritten": operations(&node.rewritten),
        "structured": operations(&node.structured),
        "kernel": operations(&node.kernel),
        "rules": node.rules,
        "reason": symbols.is_empty().then(|| node.reason()),
        "symbols": symbols,
    })
}

/// The reason for a symbol that is not in the module.
fn reason_of_symbol(range: &Range) -> &'static str {
    match &*range.name {
        _ if range.is_global => "a function of the C interface: calls the runtime",
        DETECT_LEVEL => "detects the processor's level",
        name if name.starts_with("interface") => "the object's metadata",
        name if name.starts_with('.') || name.starts_with("__") => "a constant that the code generator made",
        _ => "",
    }
}

/// The reason for a section's bytes outside of symbols.
fn reason_of_section(section: &Section) -> &'static str {
    match &*section.name {
        _ if section.unnamed == 0 => "symbols, and padding between them",
        ".eh_frame" => "tables for debuggers to walk the stack with",
        name if name.starts_with(".rodata") => "constants that code generation derived from the functions' code",
        name if name.starts_with(".data.rel.ro") => "the object's metadata",
        _ => "",
    }
}

fn page(matrix: &Value) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => escaped(text),
        Value::Null => String::new(),
        other => escaped(&other.to_string()),
    };
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let operations = |value: &Value| {
        let operations = value.as_object().cloned().unwrap_or_default();
        operations.iter().map(|(name, count)| format!("{} × {count}", escaped(name))).collect::<Vec<_>>().join("<br>")
    };
    let place = |symbol: &Value| {
        format!("{} {} + {}", text(&symbol["section"]), text(&symbol["offset"]), text(&symbol["size"]))
    };
    let mut rows = String::new();
    for node in list(&matrix["nodes"]) {
        let link = |symbol: &Value| {
            let name = text(&symbol["symbol"]);
            format!("<a href=\"#s:{name}\">{name}</a> {}", place(symbol))
        };
        let symbols: Vec<String> = list(&node["symbols"]).iter().map(link).collect();
        let rules: Vec<String> = list(&node["rules"]).iter().map(text).collect();
        let name = text(&node["node"]);
        rows += &format!(
            "<tr id=\"n:{name}\"><td>{name}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}\n",
            list(&node["operators"]).iter().map(text).collect::<Vec<_>>().join("<br>"),
            operations(&node["graph"]),
            operations(&node["rewritten"]),
            operations(&node["structured"]),
            operations(&node["kernel"]),
            rules.join("<br>"),
            symbols.join("<br>"),
            text(&node["reason"]),
        );
    }
    let mut symbols = String::new();
    for symbol in list(&matrix["symbols"]) {
        let link = |node: &Value| format!("<a href=\"#n:{0}\">{0}</a>", text(node));
        let nodes: Vec<String> = list(&symbol["nodes"]).iter().map(link).collect();
        let name = text(&symbol["symbol"]);
        symbols += &format!(
            "<tr id=\"s:{name}\"><td>{name}<td>{}<td>{}<td>{}\n",
            place(&symbol),
            nodes.join("<br>"),
            text(&symbol["reason"])
        );
    }
    let mut sections = String::new();
    for section in list(&matrix["sections"]) {
        let [name, size, reason] = ["section", "size", "reason"].map(|key| text(&section[key]));
        sections += &format!("<tr><td>{name}<td>{size}<td>{reason}\n");
    }
    let nodes = [
        "Node",
        "Operator",
        "Graph",
        "Rewritten",
        "Structured",
        "Host function",
        "Rules",
        "Symbols: section, offset + size",
        "Reason",
    ];
    let body = format!(
        "<h1>Trace matrix</h1>\n<h2>From nodes to the object</h2>\n{}<h2>From the object to nodes</h2>\n{}<h2>Sections</h2>\n{}",
        table(&nodes, &[rows]),
        table(&["Symbol", "Section, offset + size", "Nodes", "Why it is there"], &[symbols]),
        table(&["Section", "Bytes", "What they are"], &[sections]),
    );
    crate::page::page("Trace matrix", &body)
}
