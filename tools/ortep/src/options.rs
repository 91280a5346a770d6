//! The options of a session.

use std::path::PathBuf;

use driver::{Arithmetic, Backend, Cache, Options};

use crate::status::{Failure, Result};

/// The name of the provider.
pub(crate) const NAME: &str = "OnnxcExecutionProvider";

/// The options of the provider, with the prefix that ONNX Runtime gives them, and how each is set.
const OPTIONS: [(&str, Set); 4] = [("threads", threads), ("cache", cache), ("arithmetic", arithmetic), ("llvm", llvm)];

/// Sets an option to a value.
type Set = fn(&mut Options, &str) -> Result<()>;

/// What a session asks for.
pub(crate) struct Settings {
    /// How to compile.
    pub(crate) options: Options,
    /// How to write an `EPContext` model.
    pub(crate) context: Context,
}

/// How to write an `EPContext` model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    /// Whether it is written.
    pub(crate) is_written: bool,
    /// Whether models of parts are inside, not in files next to it.
    pub(crate) is_embedded: bool,
    /// Its file; by default one next to the model.
    pub(crate) file: Option<PathBuf>,
}

/// Reads the configuration entries of a session: `ep.onnxcexecutionprovider.threads` is the provider's option `threads`, and
/// `onnxc.threads` means the same.
pub(crate) fn read(entries: &[(String, String)]) -> Result<Settings> {
    let mut options = Options { backend: Backend::Cranelift, ties: true, ..Options::default() };
    let mut context = Context::default();
    let prefix = format!("ep.{}.", NAME.to_lowercase());
    for (key, value) in entries {
        if let Some(name) = key.strip_prefix(&prefix) {
            let known = OPTIONS.iter().find(|(known, _)| *known == name);
            known.ok_or_else(|| unknown(name))?.1(&mut options, value)?;
        } else if let Some((_, set)) =
            OPTIONS.iter().find(|(known, _)| key.strip_prefix("onnxc.").is_some_and(|name| name == *known))
        {
            // the provider's own option comes first
            if !entries.iter().any(|(other, _)| *other == format!("{prefix}{}", &key["onnxc.".len()..])) {
                set(&mut options, value)?;
            }
        }
        match key.as_str() {
            "ep.context_enable" => context.is_written = value == "1",
            "ep.context_embed_mode" => context.is_embedded = value == "1",
            "ep.context_file_path" if !value.is_empty() => context.file = Some(PathBuf::from(value)),
            _ => {}
        }
    }
    Ok(Settings { options, context })
}

fn unknown(name: &str) -> Failure {
    let known: Vec<&str> = OPTIONS.iter().map(|(name, _)| *name).collect();
    Failure::invalid(format!("{NAME} has no option '{name}'; its options are {}", known.join(", ")))
}

fn threads(options: &mut Options, value: &str) -> Result<()> {
    let wrong = |_| Failure::invalid(format!("option 'threads' is a number, not '{value}'"));
    options.threads = value.parse().map_err(wrong)?;
    Ok(())
}

fn cache(options: &mut Options, value: &str) -> Result<()> {
    options.cache = (!value.is_empty()).then(|| Cache::at(PathBuf::from(value)));
    Ok(())
}

fn arithmetic(options: &mut Options, value: &str) -> Result<()> {
    options.arithmetic = match value {
        "relaxed" => Arithmetic::Reassociated,
        "strict" => Arithmetic::Strict,
        "fixed" => Arithmetic::Fixed,
        other => {
            return Err(Failure::invalid(format!("option 'arithmetic' is relaxed, strict or fixed, not '{other}'")));
        }
    };
    Ok(())
}

fn llvm(options: &mut Options, value: &str) -> Result<()> {
    options.backend = Backend::Auto;
    options.helper = Some(PathBuf::from(value));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_pairs(pairs: &[(&str, &str)]) -> Result<Settings> {
        read(&pairs.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect::<Vec<_>>())
    }

    #[test]
    fn options_of_the_provider_come_before_those_of_the_session() {
        let pairs = [("onnxc.threads", "5"), ("ep.onnxcexecutionprovider.threads", "3"), ("onnxc.arithmetic", "fixed")];
        let settings = read_pairs(&pairs).expect("they are options");
        assert_eq!((settings.options.threads, settings.options.arithmetic), (3, Arithmetic::Fixed));
    }

    #[test]
    fn wrong_options_are_refused_by_name() {
        let message = |pairs: &[(&str, &str)]| read_pairs(pairs).err().expect("it is wrong").message;
        assert!(message(&[("ep.onnxcexecutionprovider.thread", "3")]).contains("no option 'thread'"));
        assert!(message(&[("onnxc.threads", "many")]).contains("'many'"));
        assert!(message(&[("onnxc.arithmetic", "exact")]).contains("'exact'"));
    }
}
