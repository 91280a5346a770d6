//! The operator schemas: every operator of ONNX at every version, and those that ONNX Runtime adds, read from tables
//! generated from these packages.

use std::sync::{LazyLock, OnceLock};

use ir::IndexMap;
use memchr::memmem;

/// The tables as text; their form is described in the script that writes them, `tools/generate_schemas.py`.
const TEXTS: [&str; 2] = [include_str!("schemas.txt"), include_str!("schemas_microsoft.txt")];

/// The domain of ONNX Runtime's operators. They have a separate table, together with those of its subdomains, and
/// operators of the default domain that the standard lacks or lacked.
const MICROSOFT: &str = "com.microsoft";

/// Operators that the standard has deprecated without an equivalent replacement: a leaf of these trees may have several
/// weights.
const IRREPLACEABLE: [&str; 2] = ["TreeEnsembleClassifier", "TreeEnsembleRegressor"];

/// How often a parameter occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Exactly once.
    Single,
    /// Once or omitted.
    Optional,
    /// Any number, all of one type.
    Variadic,
    /// Any number of any types.
    Mixed,
}

/// An input or output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in the schema.
    pub name: &'static str,
    /// How often it occurs.
    pub mode: Mode,
    /// A type constraint's name, or a type.
    pub r#type: &'static str,
    /// The least number of values for a variadic parameter.
    pub minimum: u16,
}

/// The type of an ONNX attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are ONNX's")]
pub enum Kind {
    Float,
    Floats,
    Graph,
    Int,
    Ints,
    SparseTensor,
    String,
    Strings,
    Tensor,
    TypeProto,
}

/// An attribute of an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeSchema {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Whether a node is invalid without it.
    pub required: bool,
    /// Its default, lists separated by commas.
    pub default: Option<&'static str>,
    /// The enumeration a text belongs to.
    pub enumeration: Option<&'static str>,
}

/// Integer attributes that are truth values, with the same names in all operators: any number but 0 is true.
const FLAGS: &[&str] = &[
    "across_channels",
    "align_corners",
    "allowzero",
    "antialias",
    "broadcast",
    "ceil_mode",
    "center_point_box",
    "channels_last",
    "count_include_pad",
    "detect_negative",
    "detect_positive",
    "do_rotary",
    "exclude_outside",
    "exclusive",
    "fmod",
    "input_forget",
    "interleaved",
    "inverse",
    "is_bidirectional",
    "is_case_sensitive",
    "is_causal",
    "is_inner_broadcast",
    "is_packed_batching",
    "is_test",
    "isinf_only",
    "isnan_only",
    "keepdims",
    "largest",
    "layout",
    "linear_before_reset",
    "mark",
    "multi_class",
    "new_axis",
    "noop_with_empty_axes",
    "normalize_variance",
    "one_class",
    "onesided",
    "output_sequence",
    "past_present_share_buffer",
    "periodic",
    "reverse",
    "rotary_interleaved",
    "saturate",
    "select_last_index",
    "sliding_window_cache",
    "sorted",
    "spatial",
    "storage_order",
    "training_mode",
    "transA",
    "transB",
    "transBatchA",
    "transBatchB",
    "unidirectional",
    "upper",
    "zeros",
];

/// Integer attributes that are element types; 0 means the type that the operator uses without the attribute.
const ELEMENT_TYPES: &[&str] = &["dtype", "output_dtype", "precision", "softmax_precision", "stash_type"];

impl AttributeSchema {
    /// Whether a value means the same as its absence.
    pub fn is_left_out(&self, number: i64) -> bool {
        number == 0 && self.kind == Kind::Int && ELEMENT_TYPES.contains(&self.name)
    }

    /// Whether it is a truth value, stored as an integer.
    pub fn is_flag(&self) -> bool {
        self.kind == Kind::Int && FLAGS.binary_search(&self.name).is_ok()
    }
}

/// One version of one operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// The domain; `ai.onnx` is the default one.
    pub domain: &'static str,
    /// The operator's name.
    pub name: &'static str,
    /// The first opset with this version.
    pub since: i64,
    /// Whether the operator was removed in this version.
    pub deprecated: bool,
    /// Inputs in order.
    pub inputs: Vec<Parameter>,
    /// Outputs in order.
    pub outputs: Vec<Parameter>,
    /// Attributes, sorted by name.
    pub attributes: Vec<AttributeSchema>,
    /// Type constraints with the types each allows, sorted by name.
    pub constraints: Vec<(&'static str, Vec<&'static str>)>,
}

/// The head of a table.
struct Head {
    /// The newest version of each domain.
    opsets: Vec<(&'static str, i64)>,
    /// The texts of each enumeration.
    enumerations: Vec<(&'static str, Vec<&'static str>)>,
    /// Lists of types, by index in the table.
    sets: Vec<&'static str>,
}

/// The beginning of an operator version in a table.
const START: &[u8] = b"\nop ";

/// A table, whose versions are parsed on first use.
struct Table {
    head: &'static Head,
    /// The versions of each operator, oldest first, by domain and name in the order of the text.
    operators: IndexMap<(&'static str, &'static str), Vec<Version>>,
}

/// A version of an operator.
struct Version {
    /// The first opset with it.
    since: i64,
    /// Its text in the table, after the word `op`.
    text: &'static str,
    schema: OnceLock<Schema>,
}

static HEADS: [LazyLock<Head>; 2] = [LazyLock::new(|| Head::read(TEXTS[0])), LazyLock::new(|| Head::read(TEXTS[1]))];

static TABLES: [LazyLock<Table>; 2] =
    [LazyLock::new(|| Table::read(TEXTS[0], &HEADS[0])), LazyLock::new(|| Table::read(TEXTS[1], &HEADS[1]))];

impl Head {
    fn read(text: &'static str) -> Head {
        let mut head = Head { opsets: vec![], enumerations: vec![], sets: vec![] };
        for line in text.lines().take_while(|line| !line.starts_with("op ")) {
            let mut words = line.splitn(3, ' ');
            let (Some(kind), Some(name), Some(rest)) = (words.next(), words.next(), words.next()) else { continue };
            match kind {
                "opset" => head.opsets.push((name, rest.parse().expect("the checked-in table is well-formed"))),
                "enumeration" => head.enumerations.push((name, rest.split(' ').collect())),
                "types" => head.sets.push(rest),
                _ => {}
            }
        }
        head
    }
}

impl Table {
    fn all() -> impl std::iter::Iterator<Item = &'static Table> {
        TABLES.iter().map(|table| &**table)
    }

    /// All versions of an operator in the table, oldest first.
    fn versions(&self, domain: &str, name: &str) -> &[Version] {
        let Some(index) = self.operators.get_index_of(&(canonical(domain), name)) else { return &[] };
        &self.operators[index]
    }

    fn schema<'a>(&'a self, version: &'a Version) -> &'a Schema {
        let read = || parse(version.text, &self.head.sets).expect("the checked-in table is well-formed");
        version.schema.get_or_init(read)
    }

    fn read(text: &'static str, head: &'static Head) -> Table {
        let mut operators: IndexMap<_, Vec<Version>> = IndexMap::default();
        let starts: Vec<usize> = memmem::find_iter(text.as_bytes(), START).map(|at| at + START.len()).collect();
        let ends = starts.iter().skip(1).map(|start| start - START.len()).chain([text.len()]);
        for (&start, end) in starts.iter().zip(ends) {
            let text = &text[start..end];
            let mut words = text.split([' ', '\n']);
            let mut word = || words.next().unwrap_or_default();
            let key = (word(), word());
            let since = word().parse().expect("the checked-in table is well-formed");
            operators.entry(key).or_default().push(Version { since, text, schema: OnceLock::new() });
        }
        Table { head, operators }
    }
}

/// The name of a domain in the tables: the default one has two spellings.
fn canonical(domain: &str) -> &str {
    if domain.is_empty() { "ai.onnx" } else { domain }
}

/// Reads the common part of the tables, before a caller waits for it.
pub fn read_tables() {
    for table in &TABLES {
        LazyLock::force(table);
    }
}

/// All versions of an operator, oldest first; empty if it is unknown. `""` is the default domain.
pub fn versions(domain: &str, name: &str) -> impl DoubleEndedIterator<Item = &'static Schema> {
    let mut known = Table::all().map(|table| (table, table.versions(domain, name)));
    let first = known.find(|(_, versions)| !versions.is_empty());
    first.into_iter().flat_map(|(table, versions)| versions.iter().map(|version| table.schema(version)))
}

/// The version of an operator in opset `opset` of its domain.
pub fn lookup(domain: &str, name: &str, opset: i64) -> Option<&'static Schema> {
    Table::all().find_map(|table| {
        let meant = table.versions(domain, name).iter().rev().find(|version| version.since <= opset)?;
        Some(table.schema(meant))
    })
}

/// The newest version of an operator, unless it was removed.
pub fn newest(domain: &str, name: &str) -> Option<&'static Schema> {
    versions(domain, name).next_back().filter(|schema| !schema.deprecated)
}

/// The schema of an operation of the dialect, by its full name.
pub fn of_operation(name: &str) -> Option<&'static Schema> {
    let name = name.strip_prefix("onnx.")?;
    match name.rsplit_once('.') {
        Some((domain, name)) if has_domain(domain) => newest(domain, name),
        Some((domain, name)) => newest(&format!("ai.onnx.{domain}"), name),
        None => newest("", name),
    }
}

/// Every operator that has ever existed, by domain and name.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let [standard, own] = [&*TABLES[0], &*TABLES[1]];
    let others = own.operators.keys().filter(|key| !standard.operators.contains_key(*key));
    standard.operators.keys().chain(others).copied()
}

/// The newest version of every operator that still exists.
pub fn all_newest() -> impl Iterator<Item = &'static Schema> {
    all().filter_map(|(domain, name)| newest(domain, name))
}

/// Every version of every operator.
pub fn all_versions() -> impl Iterator<Item = &'static Schema> {
    Table::all().flat_map(|table| table.operators.values().flatten().map(|version| table.schema(version)))
}

/// The newest opset of a domain that the tables cover.
pub fn newest_opset(domain: &str) -> Option<i64> {
    let domain = canonical(domain);
    let head = &HEADS[usize::from(domain.starts_with(MICROSOFT))];
    head.opsets.iter().find(|(known, _)| *known == domain).map(|&(_, version)| version)
}

/// Whether the tables have an operator of the domain.
pub fn has_domain(domain: &str) -> bool {
    newest_opset(domain).is_some()
}

/// The texts of an enumeration.
pub fn choices(enumeration: &str) -> &'static [&'static str] {
    let mut all = HEADS.iter().flat_map(|head| &head.enumerations);
    all.find(|(name, _)| *name == enumeration).map_or(&[], |(_, texts)| texts)
}

impl Schema {
    /// The operation of this operator: `onnx.Add`, `onnx.ml.Scaler`.
    pub fn op_name(&self) -> String {
        op_name(self.domain, self.name)
    }

    /// An attribute by name.
    pub fn attribute(&self, name: &str) -> Option<&AttributeSchema> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    /// Its graph attributes, in the order of an operation's regions: `then_branch` is the first of If, as of `scf.if`.
    pub fn regions(&self) -> impl Iterator<Item = &'static str> {
        let graphs = self.attributes.iter().filter(|attribute| attribute.kind == Kind::Graph);
        graphs.rev().map(|attribute| attribute.name)
    }

    /// The schema of input number `index`.
    pub fn input(&self, index: usize) -> Option<&Parameter> {
        parameter(&self.inputs, index)
    }

    /// The schema of output number `index`.
    pub fn output(&self, index: usize) -> Option<&Parameter> {
        parameter(&self.outputs, index)
    }

    /// The types a parameter may have.
    pub fn allowed_types<'a>(&'a self, parameter: &'a Parameter) -> &'a [&'static str] {
        let constraint = self.constraints.iter().find(|(name, _)| *name == parameter.r#type);
        constraint.map_or(std::slice::from_ref(&parameter.r#type), |(_, types)| types)
    }

    /// The minimum and maximum number of inputs of a node.
    pub fn input_count(&self) -> (usize, usize) {
        count(&self.inputs)
    }

    /// The minimum and maximum number of outputs of a node.
    pub fn output_count(&self) -> (usize, usize) {
        count(&self.outputs)
    }
}

/// The operation of an operator: `onnx.` and, for domains other than the default, the domain.
pub fn op_name(domain: &str, name: &str) -> String {
    match domain {
        "" | "ai.onnx" => ["onnx.", name].concat(),
        other => ["onnx.", other.strip_prefix("ai.onnx.").unwrap_or(other), ".", name].concat(),
    }
}

fn parameter(parameters: &[Parameter], index: usize) -> Option<&Parameter> {
    parameters.get(index).or_else(|| parameters.last().filter(|last| last.is_variadic()))
}

impl Parameter {
    /// Whether the parameter takes any number of values.
    pub fn is_variadic(&self) -> bool {
        matches!(self.mode, Mode::Variadic | Mode::Mixed)
    }
}

/// All parameters up to the last required one must be present; a variadic last one takes any number.
fn count(parameters: &[Parameter]) -> (usize, usize) {
    let required = parameters.iter().rposition(|p| match p.mode {
        Mode::Single => true,
        Mode::Optional => false,
        Mode::Variadic | Mode::Mixed => p.minimum > 0,
    });
    let minimum = required.map_or(0, |at| at + parameters[at].minimum.max(1) as usize);
    let variadic = parameters.last().is_some_and(Parameter::is_variadic);
    (minimum, if variadic { usize::MAX } else { parameters.len() })
}

/// Reads one version of one operator: its head, then a line for each of its parts.
fn parse(text: &'static str, sets: &[&'static str]) -> Option<Schema> {
    let mut lines = text.lines().map(|line| line.split(' ').collect::<Vec<&'static str>>());
    let head = lines.next()?;
    let [domain, name, since, flags @ ..] = &head[..] else { return None };
    let mut schema = Schema {
        domain,
        name,
        since: since.parse().ok()?,
        deprecated: !flags.is_empty() && !IRREPLACEABLE.contains(name),
        inputs: vec![],
        outputs: vec![],
        attributes: vec![],
        constraints: vec![],
    };
    for line in lines {
        match &line[..] {
            ["i", fields @ ..] => schema.inputs.push(parse_parameter(fields)?),
            ["o", fields @ ..] => schema.outputs.push(parse_parameter(fields)?),
            ["a", name, kind, value, enumeration @ ..] => schema.attributes.push(AttributeSchema {
                name,
                kind: parse_kind(kind)?,
                required: *value == "required",
                default: value.strip_prefix('='),
                enumeration: enumeration.first().copied(),
            }),
            ["t", name, set] => {
                let types = sets.get(set.parse::<usize>().ok()?)?;
                schema.constraints.push((name, types.split(' ').collect()));
            }
            _ => return None,
        }
    }
    Some(schema)
}

fn parse_parameter(fields: &[&'static str]) -> Option<Parameter> {
    let &[mode, name, r#type, minimum] = fields else { return None };
    let mode = match mode {
        "single" => Mode::Single,
        "optional" => Mode::Optional,
        "variadic" => Mode::Variadic,
        "mixed" => Mode::Mixed,
        _ => return None,
    };
    Some(Parameter { name, mode, r#type, minimum: minimum.parse().ok()? })
}

fn parse_kind(text: &str) -> Option<Kind> {
    Some(match text {
        "float" => Kind::Float,
        "floats" => Kind::Floats,
        "graph" => Kind::Graph,
        "int" => Kind::Int,
        "ints" => Kind::Ints,
        "sparse_tensor" => Kind::SparseTensor,
        "string" => Kind::String,
        "strings" => Kind::Strings,
        "tensor" => Kind::Tensor,
        "type_proto" => Kind::TypeProto,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_version_an_opset_means() {
        let since = |opset| lookup("", "Squeeze", opset).map(|schema| schema.since);
        assert_eq!(
            [since(0), since(1), since(12), since(13), since(99)],
            [None, Some(1), Some(11), Some(13), Some(25)]
        );
        // it was an operator of ONNX Runtime first
        assert_eq!(lookup("", "LayerNormalization", 12).map(|schema| schema.since), Some(1));
        assert!(newest("", "Upsample").is_none());
        assert!(lookup("", "NoSuchOperator", 21).is_none());
    }

    #[test]
    fn reads_modes_defaults_and_types() {
        let clip = newest("", "Clip").expect("Clip exists");
        assert_eq!((clip.input_count(), clip.output_count()), ((1, 3), (1, 1)));
        let concat = newest("ai.onnx", "Concat").expect("Concat exists");
        assert_eq!(concat.input_count(), (1, usize::MAX));
        assert!(concat.attribute("axis").is_some_and(|axis| axis.required));
        let gemm = newest("", "Gemm").expect("Gemm exists");
        assert_eq!(gemm.attribute("alpha").and_then(|alpha| alpha.default), Some("1"));
        assert!(gemm.allowed_types(&gemm.inputs[0]).contains(&"float"));
    }

    #[test]
    fn knows_enumerations_and_other_domains() {
        let direction = newest("", "LSTM").and_then(|lstm| lstm.attribute("direction")).expect("LSTM has a direction");
        assert_eq!(direction.enumeration, Some("Direction"));
        assert_eq!(choices("Direction"), ["forward", "reverse", "bidirectional"]);
        let product = newest(MICROSOFT, "MatMulNBits").expect("ONNX Runtime has it");
        assert_eq!((product.op_name(), product.input_count()), ("onnx.com.microsoft.MatMulNBits".into(), (3, 6)));
        assert!(has_domain("ai.onnx.preview") && !has_domain("com.example"));
    }

    #[test]
    fn tables_are_what_the_script_writes() {
        for (source, text) in ["onnx", "microsoft"].into_iter().zip(TEXTS) {
            check_table(source, text);
        }
    }

    /// Regenerates a table with the Python package, if the version that the table names is installed.
    fn check_table(source: &str, text: &str) {
        let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/generate_schemas.py");
        let output = std::process::Command::new(&python).args([script, source]).output();
        let Some(written) = output.ok().filter(|o| o.status.success()).and_then(|o| String::from_utf8(o.stdout).ok())
        else {
            eprintln!("skipped: `{python} {script} {source}` does not run; set PYTHON to one with the packages");
            return;
        };
        if written.lines().next() != text.lines().next() {
            eprintln!("skipped: the installed package is of another version");
            return;
        }
        assert!(written == text, "the table of {source} differs from the output of generate_schemas.py");
    }
}
