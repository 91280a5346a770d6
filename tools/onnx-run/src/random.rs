//! Random inputs, of extents that the model accepts.

use std::collections::BTreeMap;

use driver::{Blob, DenseElements, ErrorClass, Extent, Port, Session, Signature, Tensor, Type, Value, type_name};
use indexmap::IndexMap;

use commandline::{Failure, warn};

/// Extents to try where the model leaves them open: 1 if it will do, then what a window or a division may ask for.
const TRIED: &[i64] = &[
    1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 224, 256, 299, 320, 384, 512, 640,
    1024,
];

/// Runs a model once; inputs that are not given are an error, or random where that is asked for. Returns the inputs
/// and the outputs.
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
    let (mut first_error, mut empty) = (None, None);
    for choice in choices(&signature, given, is_open) {
        let inputs = signature.inputs.iter().map(|port| match given.get(&port.name) {
            Some(value) => Ok(value.clone()),
            None => random.value(port, &choice),
        });
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        match session.run_values(&inputs) {
            Ok(outputs) if outputs.iter().all(|output| output.element_count() > 0) => {
                return Ok(chosen(&signature, inputs, outputs));
            }
            // such a run shows nothing, but some models give nothing else
            Ok(outputs) => {
                empty.get_or_insert((inputs, outputs));
            }
            Err(found) if found.iter().all(|error| error.class == ErrorClass::Input) => {
                first_error.get_or_insert(found);
            }
            Err(found) => return Err(found.into()),
        }
    }
    if let Some((inputs, outputs)) = empty {
        return Ok(chosen(&signature, inputs, outputs));
    }
    let mut failure = Failure::from(first_error.unwrap_or_default());
    if is_open {
        failure.lines.push("  note: no other extents were found that the model accepts; --dim NAME=N fixes one".into());
    }
    Err(failure)
}

/// A run, having said which extents it was given.
fn chosen(signature: &Signature, inputs: Vec<Value>, outputs: Vec<Value>) -> (Vec<Value>, Vec<Value>) {
    if let Some(extents) = signature.open_extents(&inputs) {
        warn(&format!("random inputs: {extents}"));
    }
    (inputs, outputs)
}

fn missing(port: &Port) -> String {
    let (name, takes) = (&port.name, port.describe());
    format!("input '{name}': it is missing; the model takes {takes}: --input {name}=FILE, or --random")
}

fn is_fixed(extent: &Extent) -> bool {
    matches!(extent, Extent::Fixed(_))
}

/// Extents for what a model leaves open.
struct Choice {
    /// Of dimensions by name: as the given inputs have them, or as they first appear.
    named: BTreeMap<String, i64>,
    /// Of outermost dimensions, which mostly number independent samples.
    batch: i64,
    /// Of all others.
    other: i64,
}

/// What to try, in order.
fn choices(signature: &Signature, given: &IndexMap<String, Value>, is_open: bool) -> Vec<Choice> {
    let tried = if is_open { TRIED } else { &TRIED[..1] };
    let samples = tried.iter().map(|&other| (1, other));
    let squares = tried.iter().skip(1).map(|&all| (all, all));
    let bound = bound(signature, given);
    samples.chain(squares).map(|(batch, other)| Choice::new(signature, bound.clone(), batch, other)).collect()
}

/// Extents by name that given inputs have.
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

impl Choice {
    fn new(signature: &Signature, named: BTreeMap<String, i64>, batch: i64, other: i64) -> Choice {
        let mut choice = Choice { named, batch, other };
        for (axis, extent) in signature.inputs.iter().flat_map(|port| port.shape.iter().enumerate()) {
            if let Extent::Named(name) = extent
                && !name.contains('+')
            {
                let is_batch = axis == 0 || name.to_lowercase().contains("batch");
                choice.named.entry(name.clone()).or_insert(if is_batch { batch } else { other });
            }
        }
        choice
    }

    fn shape(&self, port: &Port) -> Vec<i64> {
        let extent = |(axis, extent): (usize, &Extent)| match extent {
            Extent::Fixed(extent) => *extent,
            Extent::Named(name) => self.named.get(name).copied().unwrap_or_else(|| self.sum(name)),
            Extent::Any if axis == 0 => self.batch,
            Extent::Any => self.other,
        };
        port.shape.iter().enumerate().map(extent).collect()
    }

    /// The names of some exporters are sums: `past_sequence_length + 1`.
    fn sum(&self, name: &str) -> i64 {
        let term = |term: &str| term.parse().ok().or_else(|| self.named.get(term).copied()).unwrap_or(self.other);
        name.split('+').map(|part| term(part.trim())).sum()
    }
}

/// A source of reproducible random values.
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// A generator that depends on `seed` alone.
    pub(crate) fn new(seed: u64) -> Random {
        Random { state: seed }
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

    /// Floats lie in [0, 1), integers are 0 or 1: valid as indices, masks and lengths alike.
    fn value(&mut self, port: &Port, choice: &Choice) -> Result<Value, String> {
        let shape = choice.shape(port);
        let wrong = |what: &str| format!("input '{}': {} {shape:?} {what}", port.name, type_name(&port.element));
        let width = port.element.byte_width().unwrap_or(size_of::<u64>()) as i64;
        let bytes = shape.iter().fold(width, |bytes, &extent| bytes.saturating_mul(extent));
        // as it is made, and as the run takes it
        limits::ask(2 * bytes as u64).map_err(|shortage| wrong(&format!("is too large: {shortage}")))?;
        let count = bytes / width;
        let element = &port.element;
        if type_name(element) == "string" {
            let texts: Vec<String> = (0..count).map(|_| format!("text {}", self.next() % 10)).collect();
            let elements = DenseElements::from_strings(Type::static_tensor(&shape, element.clone()), &texts);
            return Ok(Value::Tensor(Tensor { element: element.clone(), shape, data: elements.data }));
        }
        let mut bytes = Vec::with_capacity(bytes as usize);
        for _ in 0..count {
            match element {
                element if *element == Type::F32 => bytes.extend((self.unit() as f32).to_le_bytes()),
                element if *element == Type::F64 => bytes.extend(self.unit().to_le_bytes()),
                element if element.is_integer() => {
                    bytes.extend(&(self.next() & 1).to_le_bytes()[..element.byte_width().unwrap_or(1)]);
                }
                element if *element == Type::F16 => bytes.extend(half_bits(self.unit()).to_le_bytes()),
                _ => return Err(wrong("has no random values")),
            }
        }
        let tensor = Tensor::new(element.clone(), shape.clone(), Blob::copy_of(&bytes));
        tensor.map(Value::Tensor).ok_or_else(|| wrong("is too large"))
    }
}

/// The bits of the `f16` at or just below a number in [0, 1); what would be subnormal is 0.
fn half_bits(value: f64) -> u16 {
    let bits = (value as f32).to_bits();
    let exponent = (bits >> 23) as i32 - 127 + 15;
    if exponent <= 0 { 0 } else { ((exponent as u32) << 10 | (bits >> 13 & 0x3ff)) as u16 }
}
