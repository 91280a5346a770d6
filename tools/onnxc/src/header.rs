//! The C header of an object or library.

use driver::{Extent, Port, Signature, type_name};
use indexmap::IndexMap;
use ir::{Attribute, Module};

/// The part that is the same for all models.
const TEMPLATE: &str = include_str!("model.h");

/// The header of a model whose symbols begin with `name`.
pub(crate) fn header(module: &Module, signature: &Signature, name: &str, initializes: bool) -> String {
    let ports = || signature.inputs.iter().chain(&signature.outputs);
    let rank = ports().map(|port| port.shape.len()).max().unwrap_or(0).max(1);
    let mut numbers = Numbers::default();
    let inputs: Vec<String> = signature.inputs.iter().map(|port| row(port, &mut numbers)).collect();
    let outputs: Vec<String> = signature.outputs.iter().map(|port| row(port, &mut numbers)).collect();
    let messages = module.attributes.get("rt.messages").and_then(Attribute::as_array).unwrap_or_default();
    let messages: Vec<String> =
        messages.iter().map(|text| format!("        {},", quote(text.as_str().unwrap_or_default()))).collect();
    let strings = module.attributes.get("rt.strings").and_then(Attribute::as_array).unwrap_or_default();
    let has_strings = !strings.is_empty() || ports().any(|port| type_name(&port.element) == "string");
    let strings: Vec<String> =
        strings.iter().map(|text| format!("        {},", quote(text.as_str().unwrap_or_default()))).collect();
    let (declare, call) = match initializes {
        true => (
            format!("extern int64_t {name}_initialize_constants(int64_t *table);"),
            format!(
                "int64_t table[1] = {{(int64_t)(uintptr_t)&session}};\n    status = {name}_initialize_constants(table);"
            ),
        ),
        false => (String::new(), String::new()),
    };
    let guard = format!("{}_H", name.to_uppercase());
    let body = TEMPLATE
        .replace("@INPUT_PORTS@", &inputs.join("\n"))
        .replace("@OUTPUT_PORTS@", &outputs.join("\n"))
        .replace("@INPUTS@", &inputs.len().to_string())
        .replace("@OUTPUTS@", &outputs.len().to_string())
        .replace("@RANK@", &rank.to_string())
        .replace("@MESSAGES@", &messages.join("\n"))
        .replace("@HAS_STRINGS@", if has_strings { "1" } else { "0" })
        .replace("@STRINGS@", &strings.join("\n"))
        .replace("@DECLARE_INITIALIZE@", &declare)
        .replace("@CALL_INITIALIZE@", &call)
        .replace("@NAME@", name);
    let includes = "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>";
    let language = ("#ifdef __cplusplus\nextern \"C\" {\n#endif", "#ifdef __cplusplus\n}\n#endif");
    format!("#ifndef {guard}\n#define {guard}\n\n{includes}\n\n{}\n\n{body}\n{}\n\n#endif\n", language.0, language.1)
}

/// Negative numbers for extents that vary.
#[derive(Default)]
struct Numbers {
    named: IndexMap<String, i64>,
    count: i64,
}

impl Numbers {
    fn of(&mut self, extent: &Extent) -> i64 {
        match extent {
            Extent::Fixed(extent) => *extent,
            Extent::Named(name) => match self.named.get(name) {
                Some(&number) => number,
                None => {
                    let number = self.next();
                    self.named.insert(name.clone(), number);
                    number
                }
            },
            Extent::Any => self.next(),
        }
    }

    fn next(&mut self) -> i64 {
        self.count += 1;
        -self.count
    }
}

fn row(port: &Port, numbers: &mut Numbers) -> String {
    let mut shape: Vec<String> = port.shape.iter().map(|extent| numbers.of(extent).to_string()).collect();
    let rank = shape.len();
    if shape.is_empty() {
        shape.push("0".to_string());
    }
    let is_string = type_name(&port.element) == "string";
    let bytes = if is_string { size_of::<usize>() } else { port.element.byte_width().unwrap_or(0) };
    let (name, r#type) = (quote(&port.name), quote(&type_name(&port.element)));
    format!("    {{{name}, {type}, {bytes}, {rank}, {{{}}}}},", shape.join(", "))
}

/// A C string literal.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => quoted.extend(['\\', byte as char]),
            // octal escapes end after three digits, whatever follows
            0x20..=0x7e if byte != b'?' => quoted.push(byte as char),
            _ => quoted.push_str(&format!("\\{byte:03o}")),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(name: &str, shape: Vec<Extent>) -> Port {
        Port { name: name.to_string(), element: ir::Type::F32, shape }
    }

    #[test]
    fn compilers_accept_it() {
        let named = || Extent::Named("N".to_string());
        let signature = Signature {
            inputs: vec![port("a \"b\"??/", vec![named(), Extent::Fixed(3)]), port("c", vec![named(), Extent::Any])],
            outputs: vec![port("scalar", vec![])],
        };
        let string = ir::Type::dialect("onnx", "String", vec![]);
        let texts = Port { element: string, ..port("texts", vec![Extent::Any]) };
        let with_strings = Signature { inputs: vec![texts.clone()], outputs: vec![texts] };
        for (initializes, signature) in [(false, &signature), (true, &signature), (false, &with_strings)] {
            let text = header(&Module::new(), signature, "tiny", initializes);
            let has_strings = text.contains("#if 1");
            assert!(has_strings || (text.contains("{-1, 3}") && text.contains("{-1, -2}")), "{text}");
            let path =
                std::env::temp_dir().join(format!("onnxc-header-{}-{initializes}-{has_strings}.h", std::process::id()));
            std::fs::write(&path, text).expect("the header is written");
            for language in ["c", "c++"] {
                let arguments =
                    ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-x", language];
                let status = std::process::Command::new("cc").args(arguments).arg(&path).status();
                assert!(status.expect("there is a compiler").success(), "{language}");
            }
            std::fs::remove_file(&path).expect("the header was there");
        }
    }
}
