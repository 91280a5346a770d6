//! The C interface of an object or library: the header, and what the object says of itself.

use codegen_llvm::{Interface, Port};
use driver::{Extent, NO_ADDRESS, PROCESSOR_LEVEL, Signature, type_name};
use indexmap::IndexMap;
use ir::{Attribute, Module};

/// The part that is the same for all models.
const TEMPLATE: &str = include_str!("model.h");
/// The same for models without a runtime.
const STATIC_TEMPLATE: &str = include_str!("static_model.h");

/// The interface of a model whose symbols begin with `name`.
pub(crate) fn interface(module: &Module, signature: &Signature, name: &str, required_level: i64) -> Interface {
    let ports = || signature.inputs.iter().chain(&signature.outputs);
    let texts = |name: &str| {
        let texts = module.attributes.get(name).and_then(Attribute::as_array).unwrap_or_default();
        texts.iter().filter_map(|text| text.as_str().map(str::to_string)).collect()
    };
    let mut numbers = Numbers::default();
    let inputs = signature.inputs.iter().map(|port| describe(port, &mut numbers)).collect();
    let outputs = signature.outputs.iter().map(|port| describe(port, &mut numbers)).collect();
    let initialize = driver::pipeline::INITIALIZE;
    Interface {
        name: name.to_string(),
        inputs,
        outputs,
        max_rank: ports().map(|port| port.shape.len()).max().unwrap_or(0).max(1),
        messages: texts("rt.messages"),
        strings: texts("rt.strings"),
        main: driver::pipeline::MAIN.to_string(),
        initialize: module.symbol(initialize).map(|_| initialize.to_string()),
        required_level,
        level: module.symbol(PROCESSOR_LEVEL).map(|_| PROCESSOR_LEVEL.to_string()),
    }
}

/// The header of an interface.
pub(crate) fn header(interface: &Interface, signature: &Signature) -> String {
    fill(TEMPLATE, interface, signature)
}

/// The header of a model without a runtime.
pub(crate) fn static_header(interface: &Interface, signature: &Signature) -> String {
    let messages = interface.messages.iter().enumerate();
    let rows: Vec<String> =
        messages.map(|(at, message)| format!("     {}: {}", at + 1, in_comment(message.clone()))).collect();
    let template = STATIC_TEMPLATE
        .replace("@MESSAGES@", if rows.is_empty() { "     nothing can be" } else { "@ROWS@" })
        .replace("@ROWS@", &rows.join("\n"))
        .replace("@NO_ADDRESS@", &NO_ADDRESS.to_string());
    fill(&template, interface, signature)
}

/// What a text may hold must not end the comment it stands in.
fn in_comment(text: String) -> String {
    text.replace("*/", "* /").chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn fill(template: &str, interface: &Interface, signature: &Signature) -> String {
    let row = |kind: &str, at: usize, port: &driver::Port| {
        format!("     {kind} {at}: {}", in_comment(format!("{}: {}", port.name, port.describe())))
    };
    let inputs = signature.inputs.iter().enumerate().map(|(at, port)| row("input", at, port));
    let outputs = signature.outputs.iter().enumerate().map(|(at, port)| row("output", at, port));
    let rows: Vec<String> = inputs.chain(outputs).collect();
    let name = &interface.name;
    let body = template
        .replace("@PORTS@", &rows.join("\n"))
        .replace("@INPUTS@", &interface.inputs.len().to_string())
        .replace("@OUTPUTS@", &interface.outputs.len().to_string())
        .replace("@RANK@", &interface.max_rank.to_string())
        .replace("@NAME@", name);
    let guard = format!("{}_H", name.to_uppercase());
    let language = ("#ifdef __cplusplus\nextern \"C\" {\n#endif", "#ifdef __cplusplus\n}\n#endif");
    format!(
        "#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n\n{}\n\n{body}\n{}\n\n#endif\n",
        language.0, language.1
    )
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

fn describe(port: &driver::Port, numbers: &mut Numbers) -> Port {
    let element = type_name(&port.element);
    let is_string = element == "string";
    Port {
        name: port.name.clone(),
        element_bytes: if is_string { size_of::<usize>() } else { port.element.byte_width().unwrap_or(0) },
        element,
        shape: port.shape.iter().map(|extent| numbers.of(extent)).collect(),
        message: format!("input '{}': the model takes {}", port.name, port.describe()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(name: &str, shape: Vec<Extent>) -> driver::Port {
        driver::Port { name: name.to_string(), element: ir::Type::F32, shape, default: None, is_variable: false }
    }

    #[test]
    fn compilers_accept_it() {
        let named = || Extent::Named("N".to_string());
        let inputs =
            vec![port("a \"b\"??/ */", vec![named(), Extent::Fixed(3)]), port("c", vec![named(), Extent::Any])];
        let full =
            Signature { inputs, outputs: vec![port("scalar", vec![]), port("tied", vec![named()])], optional: vec![] };
        for (number, signature) in [full, Signature::default()].iter().enumerate() {
            let interface = interface(&Module::new(), signature, "tiny", 0);
            if let [a, c] = &*interface.inputs {
                assert_eq!((&*a.shape, &*c.shape), (&[-1, 3][..], &[-1, -2][..]));
                assert_eq!(interface.outputs[1].shape, [-1]);
            }
            let path = std::env::temp_dir().join(format!("onnxc-header-{}-{number}.h", std::process::id()));
            std::fs::write(&path, header(&interface, signature)).expect("the header is written");
            for language in [&["c", "-std=c99", "-pedantic"][..], &["c++"]] {
                let arguments = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x"];
                let status = std::process::Command::new("cc").args(arguments).args(language).arg(&path).status();
                assert!(status.expect("there is a compiler").success(), "{language:?}");
            }
            std::fs::remove_file(&path).expect("the header was there");
        }
    }
}
