//! The C interface of an object or library: the header, and the description in the object.

use codegen_llvm::{Interface, Port};
use dialects::memref;
use dialects::rt::attributes::{MESSAGES, STRINGS};
use driver::{Extent, PROCESSOR_LEVEL, Signature, type_name};
use indexmap::IndexMap;
use ir::{Attribute, Attributes, Location, Module, Type};

/// The part that is common to all models.
const TEMPLATE: &str = include_str!("model.h");
/// The additional part for models with weights in a separate file.
const WEIGHTS_TEMPLATE: &str = include_str!("weights.h");
/// The additional part for models with training.
const TRAINING_TEMPLATE: &str = include_str!("training.h");

/// The interface of a model whose symbols begin with `name`. Defaults of inputs become data of the module.
pub(crate) fn interface(module: &mut Module, signature: &Signature, name: &str, required_level: i64) -> Interface {
    let initial: Vec<_> = signature.inputs.iter().enumerate().map(|(at, port)| add_default(module, at, port)).collect();
    let module = &*module;
    let ports = || signature.inputs.iter().chain(&signature.outputs);
    let texts = |name: &str| {
        let texts = module.attributes.get(name).and_then(Attribute::as_array).unwrap_or_default();
        texts.iter().filter_map(|text| text.as_str().map(str::to_string)).collect()
    };
    let mut numbers = Numbers::default();
    let inputs = signature.inputs.iter().zip(initial);
    let inputs = inputs.map(|(port, initial)| Port { initial, ..describe(port, &mut numbers) }).collect();
    let outputs = signature.outputs.iter().map(|port| describe(port, &mut numbers)).collect();
    let initialize = driver::INITIALIZE;
    Interface {
        name: name.to_string(),
        inputs,
        outputs,
        max_rank: ports().map(|port| port.shape.len()).max().unwrap_or(0).max(1),
        messages: texts(MESSAGES),
        strings: texts(STRINGS),
        main: driver::MAIN.to_string(),
        initialize: module.symbol(initialize).map(|_| initialize.to_string()),
        required_level,
        level: module.symbol(PROCESSOR_LEVEL).map(|_| PROCESSOR_LEVEL.to_string()),
        variables: signature.inputs.iter().filter(|port| port.is_variable).count(),
        loads_weights: false,
        training: None,
    }
}

/// Adds the default of an input to the module as a constant; returns its name and extents.
fn add_default(module: &mut Module, index: usize, port: &driver::Port) -> Option<(String, Vec<i64>)> {
    let default = port.default.as_ref()?;
    let name = format!("default_{index}");
    let extents = default.shape.iter().copied().map(Some).collect::<Vec<_>>();
    let attributes = [
        ("sym_name", Attribute::string(&name)),
        ("sym_visibility", Attribute::string("private")),
        ("type", Attribute::Type(Type::memref(extents, default.element.clone()))),
        ("constant", Attribute::Unit),
        ("initial_value", Attribute::dense(default.elements())),
    ];
    let global = module.body.create_op(memref::GLOBAL, &[], &[], Attributes::from(attributes), Location::Unknown);
    let block = module.body.entry().expect("a module has one block");
    module.body.append(block, global);
    Some((name, default.shape.clone()))
}

/// The interface of a part of a model that was merged under names with a prefix.
pub(crate) fn merged(interface: Interface, prefix: &str) -> Interface {
    let rename = |name: String| format!("{prefix}{name}");
    let port = |port: Port| Port { initial: port.initial.map(|(name, shape)| (rename(name), shape)), ..port };
    Interface {
        main: rename(interface.main),
        initialize: interface.initialize.map(rename),
        level: interface.level.map(rename),
        inputs: interface.inputs.into_iter().map(port).collect(),
        ..interface
    }
}

/// The header of an interface; `step` is the signature of a training step.
pub(crate) fn header(interface: &Interface, signature: &Signature, step: Option<&Signature>) -> String {
    let training = step.map_or(String::new(), |step| fill(TRAINING_TEMPLATE, interface, step));
    let weights = if interface.loads_weights { fill(WEIGHTS_TEMPLATE, interface, signature) } else { String::new() };
    guarded(&interface.name, &(fill(TEMPLATE, interface, signature) + &weights + &training))
}

/// Text must not end the comment that contains it.
pub(crate) fn in_comment(text: String) -> String {
    text.replace("*/", "* /").chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Fills a template with a model's inputs and outputs. Variables are not visible to callers.
pub(crate) fn fill(template: &str, interface: &Interface, signature: &Signature) -> String {
    let count = |ports: &[driver::Port]| ports.iter().filter(|port| port.is_variable).count();
    let row = |kind: &str, at: usize, port: &driver::Port| {
        format!("     {kind} {at}: {}", in_comment(format!("{}: {}", port.name, port.describe())))
    };
    let inputs = signature.inputs.iter().filter(|port| !port.is_variable).enumerate();
    let outputs = signature.outputs.iter().filter(|port| !port.is_variable).enumerate();
    let inputs = inputs.map(|(at, port)| row("input", at, port));
    let rows: Vec<String> = inputs.chain(outputs.map(|(at, port)| row("output", at, port))).collect();
    let name = &interface.name;
    template
        .replace("@PORTS@", &rows.join("\n"))
        .replace("@INPUTS@", &(signature.inputs.len() - count(&signature.inputs)).to_string())
        .replace("@OUTPUTS@", &(signature.outputs.len() - count(&signature.outputs)).to_string())
        .replace("@TYPES@", &element_types(&interface.name))
        .replace("@RANK@", &interface.max_rank.to_string())
        .replace("@NAME@", name)
}

/// ONNX's element type numbers, as constants of C.
fn element_types(name: &str) -> String {
    let rows = driver::type_names().map(|(number, r#type)| format!("    {name}_{type} = {number},"));
    rows.collect::<Vec<_>>().join("\n")
}

/// A header with this body, as C and C++ include it.
pub(crate) fn guarded(name: &str, body: &str) -> String {
    let guard = format!("{}_H", name.to_uppercase());
    let language = ("#ifdef __cplusplus\nextern \"C\" {\n#endif", "#ifdef __cplusplus\n}\n#endif");
    format!(
        "#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n\n{}\n\n{body}\n{}\n\n#endif\n",
        language.0, language.1
    )
}

/// Negative numbers for dynamic extents.
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
        element_type: driver::type_number(&port.element),
        element_bytes: if is_string { size_of::<usize>() } else { port.element.byte_width().unwrap_or(0) },
        element,
        shape: port.shape.iter().map(|extent| numbers.of(extent)).collect(),
        message: format!("input '{}': the model takes {}", port.name, port.describe()),
        initial: None,
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
        let full = Signature {
            inputs,
            outputs: vec![port("scalar", vec![]), port("tied", vec![named()])],
            ..Default::default()
        };
        for (number, signature) in [full, Signature::default()].iter().enumerate() {
            let interface = interface(&mut Module::new(), signature, "tiny", 0);
            if let [a, c] = &*interface.inputs {
                assert_eq!((&*a.shape, &*c.shape), (&[-1, 3][..], &[-1, -2][..]));
                assert_eq!(interface.outputs[1].shape, [-1]);
            }
            let path = std::env::temp_dir().join(format!("onnxc-header-{}-{number}.h", std::process::id()));
            std::fs::write(&path, header(&interface, signature, None)).expect("the header is written");
            for language in [&["c", "-std=c99", "-pedantic"][..], &["c++"]] {
                let arguments = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x"];
                let status = std::process::Command::new("cc").args(arguments).args(language).arg(&path).status();
                assert!(status.expect("there is a compiler").success(), "{language:?}");
            }
            std::fs::remove_file(&path).expect("the header was there");
        }
    }
}
