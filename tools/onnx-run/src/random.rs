//! Random inputs, of extents that the model accepts.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use driver::{
    Blob, DenseElements, ErrorClass, Extent, FloatType, Input, Port, Session, Signature, Tensor, Type, Value,
    encode_float, type_name,
};
use indexmap::IndexMap;

use commandline::{Failure, warn};

use crate::arguments::Arguments;
use crate::hints::{self, Hint};

/// Extents to try for dynamic dimensions: 1 if possible, then sizes that a kernel or a division may require.
const TRIED: &[i64] = &[
    1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 224, 256, 299, 320, 384, 512, 640,
    1024,
];

/// The time limit for trying extents.
const PATIENCE: Duration = Duration::from_secs(2);
/// The elements of a sequence, and the entries of a map.
const ENTRIES: i64 = 2;

/// Runs a model once; missing inputs are an error, or random if the command line asks for that. Returns the inputs and
/// the outputs.
pub(crate) fn run(
    session: &mut Session,
    given: &IndexMap<String, Value>,
    random: Option<Random>,
) -> Result<(Vec<Value>, Vec<Value>), Failure> {
    let signature = session.model().signature.clone();
    let Some(mut random) = random else {
        let inputs = signature.inputs.iter().map(|port| given.get(&port.name).cloned().ok_or_else(|| missing(port)));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let outputs = session.run_values(&inputs)?;
        return Ok((inputs, outputs));
    };
    let open = |port: &&Port| !given.contains_key(&port.name) && !port.shape.iter().all(is_fixed);
    let is_open = signature.inputs.iter().any(|port| open(&port));
    let hints = random.path.as_deref().filter(|_| is_open).map(|path| hints::of_file(path, &signature.inputs));
    let hints = hints.unwrap_or_default();
    let is_quiet = random.is_quiet;
    let begin = Instant::now();
    let (mut first_error, mut empty) = (None, None);
    for choice in choices(&signature, given, is_open, &hints) {
        if begin.elapsed() > PATIENCE {
            break;
        }
        let inputs = signature.inputs.iter().map(|port| match given.get(&port.name) {
            Some(value) => Ok(value.clone()),
            None => random.value(port, &choice),
        });
        let inputs = match inputs.collect::<Result<Vec<_>, _>>() {
            Ok(inputs) => inputs,
            // smaller extents may work
            Err(message) => {
                first_error.get_or_insert(Failure::input(message));
                continue;
            }
        };
        match session.run_values(&inputs) {
            Ok(outputs) if outputs.iter().all(|output| output.element_count() > 0) => {
                if !is_quiet {
                    tell(&signature, &inputs, given, &choice);
                }
                return Ok((inputs, outputs));
            }
            // such a run shows nothing, but some models return nothing else
            Ok(outputs) => {
                empty.get_or_insert((inputs, outputs));
            }
            Err(found) if found.iter().all(|error| error.class == ErrorClass::Input) => {
                first_error.get_or_insert(Failure::from(found));
            }
            Err(found) => return Err(found.into()),
        }
    }
    if let Some((inputs, outputs)) = empty {
        if let Some(extents) = signature.open_extents(&Input::of(&inputs)).filter(|_| !is_quiet) {
            warn(&format!("random inputs: {extents}"));
        }
        return Ok((inputs, outputs));
    }
    let mut failure = first_error.unwrap_or_else(|| Failure::input("no inputs were tried"));
    if is_open {
        failure.lines.push("  note: no other extents were found that the model accepts; --dim NAME=N fixes one".into());
    }
    Err(failure)
}

/// Prints the extents of inputs, and the reasons.
fn tell(signature: &Signature, inputs: &[Value], given: &IndexMap<String, Value>, choice: &Choice) {
    if let Some(extents) = signature.open_extents(&Input::of(inputs)) {
        warn(&format!("random inputs: {extents}"));
        let hints = signature.inputs.iter().filter(|port| !given.contains_key(&port.name));
        for (name, hint) in hints.filter_map(|port| Some((&port.name, choice.hints.get(&port.name)?))) {
            warn(&format!("  note: {}; --dim and --shape fix extents", hint.reason(name)));
        }
    }
}

fn missing(port: &Port) -> String {
    let (name, takes) = (&port.name, port.describe());
    format!("input '{name}': it is missing; the model expects {takes}: --input {name}=FILE, or --random")
}

fn is_fixed(extent: &Extent) -> bool {
    matches!(extent, Extent::Fixed(_))
}

/// Extents for dynamic dimensions.
struct Choice<'h> {
    /// Named dimensions: as in the given inputs, or where they first appear.
    named: BTreeMap<String, i64>,
    /// The outermost dimension, which is usually the batch.
    batch: i64,
    /// All others, unless the operators that read an input suggest an extent.
    other: i64,
    /// Hints for inputs by name; empty if other extents are tried.
    hints: &'h HashMap<String, Hint>,
}

/// Choices to try, in order: the hints of operators, then from small to large.
fn choices<'h>(
    signature: &Signature,
    given: &IndexMap<String, Value>,
    is_open: bool,
    hints: &'h HashMap<String, Hint>,
) -> Vec<Choice<'h>> {
    static NONE: std::sync::LazyLock<HashMap<String, Hint>> = std::sync::LazyLock::new(HashMap::new);
    let tried = if is_open { TRIED } else { &TRIED[..1] };
    let suggested = (!hints.is_empty()).then_some((1, 1, hints));
    let samples = tried.iter().map(|&other| (1, other, &*NONE));
    let squares = tried.iter().skip(1).map(|&all| (all, all, &*NONE));
    let bound = bound(signature, given);
    let all = suggested.into_iter().chain(samples).chain(squares);
    all.map(|(batch, other, hints)| Choice::new(signature, bound.clone(), batch, other, hints)).collect()
}

/// Named extents of given inputs.
fn bound(signature: &Signature, given: &IndexMap<String, Value>) -> BTreeMap<String, i64> {
    let given = |port: &Port| given.get(&port.name).and_then(Value::as_tensor).map(|tensor| tensor.shape.clone());
    let pairs = signature.inputs.iter().flat_map(|port| port.shape.iter().zip(given(port).unwrap_or_default()));
    pairs
        .filter_map(|(extent, actual)| match extent {
            Extent::Named(name) => Some((name.clone(), actual)),
            Extent::Fixed(_) | Extent::Any => None,
        })
        .collect()
}

impl<'h> Choice<'h> {
    fn new(
        signature: &Signature,
        named: BTreeMap<String, i64>,
        batch: i64,
        other: i64,
        hints: &'h HashMap<String, Hint>,
    ) -> Choice<'h> {
        let mut choice = Choice { named, batch, other, hints };
        // a name of several inputs has the extent of the one whose reader gives a hint
        let (known, rest): (Vec<&Port>, Vec<&Port>) =
            signature.inputs.iter().partition(|port| hints.contains_key(&port.name));
        for port in known.into_iter().chain(rest) {
            for (axis, extent) in port.shape.iter().enumerate() {
                if let Extent::Named(name) = extent
                    && !name.contains('+')
                {
                    let is_batch = axis == 0 || name.to_lowercase().contains("batch");
                    let extent = if is_batch { batch } else { choice.inner(port, axis) };
                    choice.named.entry(name.clone()).or_insert(extent);
                }
            }
        }
        choice
    }

    /// The extent of an axis other than the first.
    fn inner(&self, port: &Port, axis: usize) -> i64 {
        self.hints.get(&port.name).map_or(self.other, |hint| hint.extent(axis, port.shape.len()))
    }

    fn shape(&self, port: &Port) -> Vec<i64> {
        let extent = |(axis, extent): (usize, &Extent)| match extent {
            Extent::Fixed(extent) => *extent,
            Extent::Named(name) => self.named.get(name).copied().unwrap_or_else(|| self.sum(name)),
            Extent::Any if axis == 0 => self.batch,
            Extent::Any => self.inner(port, axis),
        };
        port.shape.iter().enumerate().map(extent).collect()
    }

    /// Some exporters name dimensions by sums: `past_sequence_length + 1`.
    fn sum(&self, name: &str) -> i64 {
        let term = |term: &str| term.parse().ok().or_else(|| self.named.get(term).copied()).unwrap_or(self.other);
        name.split('+').map(|part| term(part.trim())).sum()
    }
}

/// A source of reproducible random values.
pub(crate) struct Random {
    state: u64,
    /// The model's file, if it has one.
    path: Option<PathBuf>,
    is_quiet: bool,
}

impl Random {
    /// The options of a command line.
    pub(crate) fn of(arguments: &Arguments, path: &Path) -> Random {
        Random { state: arguments.seed.unwrap_or(0), path: Some(path.to_path_buf()), is_quiet: arguments.quiet }
    }

    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Floats are in [0, 1), integers are 0 or 1: valid as indices, masks and lengths.
    fn value(&mut self, port: &Port, choice: &Choice<'_>) -> Result<Value, String> {
        let found = match &port.element {
            Type::Dialect(_) if port.is_container() => self.of_type(&port.element, choice),
            element => self.tensor(element, choice.shape(port)).map(Value::Tensor),
        };
        found.map_err(|what| format!("input '{}': {what}", port.name))
    }

    /// A value of a type: two values in a sequence, two entries in a map.
    fn of_type(&mut self, r#type: &Type, choice: &Choice<'_>) -> Result<Value, String> {
        let parameters = match r#type {
            Type::Dialect(dialect) => Some((&*dialect.name, &*dialect.parameters)),
            _ => None,
        };
        match parameters {
            Some(("Seq", [element])) => {
                Ok(Value::Sequence((0..ENTRIES).map(|_| self.of_type(element, choice)).collect::<Result<_, _>>()?))
            }
            Some(("Opt", [held])) => Ok(Value::Optional(Some(Box::new(self.of_type(held, choice)?)))),
            Some(("Map", [key, value])) => Ok(Value::Map {
                keys: keys(key).ok_or_else(|| format!("keys of type {} have no random values", type_name(key)))?,
                values: self.tensor(value.element(), vec![ENTRIES])?,
            }),
            _ => {
                let shape = r#type.shape().map_or_else(|| vec![None], Vec::from);
                let shape = shape
                    .into_iter()
                    .enumerate()
                    .map(|(axis, extent)| extent.unwrap_or(if axis == 0 { choice.batch } else { choice.other }));
                self.tensor(r#type.element(), shape.collect()).map(Value::Tensor)
            }
        }
    }

    fn tensor(&mut self, element: &Type, shape: Vec<i64>) -> Result<Tensor, String> {
        let wrong = |what: &str| format!("{} {shape:?} {what}", type_name(element));
        let width = element.byte_width().unwrap_or(size_of::<u64>()) as i64;
        let bytes = shape.iter().fold(width, |bytes, &extent| bytes.saturating_mul(extent));
        // once as it is created, and once as the run reads it
        limits::ask(2 * bytes as u64).map_err(|shortage| wrong(&format!("is too large: {shortage}")))?;
        let count = bytes / width;
        let tensor = match element {
            Type::Float(format) => floats(&shape, *format, (0..count).map(|_| self.unit())),
            Type::Complex(format) => {
                let parts = [&shape[..], &[2]].concat();
                let parts = floats(&parts, *format, (0..2 * count).map(|_| self.unit()));
                parts.and_then(|parts| Tensor::new(element.clone(), shape.clone(), parts.data))
            }
            element if element.is_integer() => {
                let width = element.byte_width().unwrap_or(1);
                let bytes: Vec<u8> =
                    (0..count).flat_map(|_| (self.next() & 1).to_le_bytes().into_iter().take(width)).collect();
                Tensor::new(element.clone(), shape.clone(), Blob::copy_of(&bytes))
            }
            element if type_name(element) == "string" => {
                let texts: Vec<String> = (0..count).map(|_| format!("text {}", self.next() % 10)).collect();
                Some(strings(&shape, element, &texts))
            }
            _ => return Err(wrong("has no random values")),
        };
        tensor.ok_or_else(|| wrong("is too large"))
    }
}

fn strings(shape: &[i64], element: &Type, texts: &[String]) -> Tensor {
    let elements = DenseElements::from_strings(Type::static_tensor(shape, element.clone()), texts);
    Tensor { element: element.clone(), shape: shape.to_vec(), data: elements.data }
}

/// The keys of a map: integers from 0 on, or their texts.
fn keys(element: &Type) -> Option<Tensor> {
    match element.is_integer() {
        true => {
            let width = element.byte_width()?;
            let bytes: Vec<u8> = (0..ENTRIES).flat_map(|key| key.to_le_bytes().into_iter().take(width)).collect();
            Tensor::new(element.clone(), vec![ENTRIES], Blob::copy_of(&bytes))
        }
        false => {
            let texts: Vec<String> = (0..ENTRIES).map(|key| key.to_string()).collect();
            (type_name(element) == "string").then(|| strings(&[ENTRIES], element, &texts))
        }
    }
}

/// A tensor of floats of any format; formats narrower than a byte take one byte.
pub(crate) fn floats(shape: &[i64], format: FloatType, numbers: impl Iterator<Item = f64>) -> Option<Tensor> {
    let width = (format.width() as usize).div_ceil(8);
    let bytes: Vec<u8> =
        numbers.flat_map(|number| encode_float(number, format).to_le_bytes().into_iter().take(width)).collect();
    Tensor::new(Type::Float(format), shape.to_vec(), Blob::copy_of(&bytes))
}
