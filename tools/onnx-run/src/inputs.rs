//! Where the inputs of a run come from.

use std::collections::BTreeMap;
use std::path::Path;

use driver::{Blob, Extent, Port, Signature, Tensor, Type, type_name};
use indexmap::IndexMap;

use crate::files::{extension, read_archive, read_proto, read_tensor};

/// Reads named inputs from `NAME=FILE` arguments and from a `.npz` file or a folder of tensors.
pub(crate) fn read(named: &[(String, String)], all: Option<&Path>) -> Result<IndexMap<String, Tensor>, String> {
    let mut inputs = IndexMap::new();
    if let Some(path) = all {
        inputs.extend(if path.is_dir() { read_folder(path)? } else { read_archive(path)? });
    }
    for (name, file) in named {
        inputs.insert(name.clone(), read_tensor(Path::new(file))?);
    }
    Ok(inputs)
}

/// Each file of a folder under its own name, or the name it holds.
fn read_folder(folder: &Path) -> Result<Vec<(String, Tensor)>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    let mut tensors = Vec::new();
    for path in paths {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_string();
        match extension(&path) {
            "npy" => tensors.push((stem, read_tensor(&path)?)),
            "pb" if !stem.starts_with("output_") => {
                let (name, tensor) = read_proto(&path)?;
                tensors.push((if name.is_empty() { stem } else { name }, tensor));
            }
            _ => {}
        }
    }
    Ok(tensors)
}

/// The inputs in the order of the signature; what is missing is an error, or random where that is asked for.
pub(crate) fn arrange(
    signature: &Signature,
    mut given: IndexMap<String, Tensor>,
    random: Option<&mut Random>,
) -> Result<Vec<Tensor>, String> {
    let mut random = random;
    let mut inputs = Vec::new();
    for port in &signature.inputs {
        match (given.shift_remove(&port.name), &mut random) {
            (Some(tensor), _) => inputs.push(tensor),
            (None, Some(random)) => inputs.push(random.tensor(port)?),
            (None, None) => {
                return Err(format!(
                    "input '{}' ({}) is missing; give it with --input {}=FILE, or use --random",
                    port.name,
                    port.describe(),
                    port.name
                ));
            }
        }
    }
    match given.keys().next() {
        Some(unknown) => {
            let names: Vec<&str> = signature.inputs.iter().map(|port| port.name.as_str()).collect();
            Err(format!("the model has no input '{unknown}'; it has {}", names.join(", ")))
        }
        None => Ok(inputs),
    }
}

/// Reproducible random inputs.
pub(crate) struct Random {
    state: u64,
    /// Extents of named dimensions; others are 1.
    pub(crate) dims: BTreeMap<String, i64>,
}

impl Random {
    /// A generator that depends on `seed` alone.
    pub(crate) fn new(seed: u64, dims: BTreeMap<String, i64>) -> Random {
        Random { state: seed, dims }
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
    fn tensor(&mut self, port: &Port) -> Result<Tensor, String> {
        let shape: Vec<i64> = port
            .shape
            .iter()
            .map(|extent| match extent {
                Extent::Fixed(extent) => *extent,
                Extent::Named(name) => self.dims.get(name).copied().unwrap_or(1),
                Extent::Any => 1,
            })
            .collect();
        let count = shape.iter().product::<i64>() as usize;
        let mut bytes = Vec::new();
        for _ in 0..count {
            match &port.element {
                element if *element == Type::F32 => bytes.extend((self.unit() as f32).to_le_bytes()),
                element if *element == Type::F64 => bytes.extend(self.unit().to_le_bytes()),
                element if element.is_integer() => {
                    bytes.extend(&(self.next() & 1).to_le_bytes()[..element.byte_width().unwrap_or(1)]);
                }
                element if *element == Type::F16 => bytes.extend(half_bits(self.unit()).to_le_bytes()),
                element => {
                    return Err(format!("input '{}' is {}, which has no random values", port.name, type_name(element)));
                }
            }
        }
        Tensor::new(port.element.clone(), shape, Blob::copy_of(&bytes)).ok_or_else(|| "the shape is too large".into())
    }
}

/// The bits of the `f16` at or just below a number in [0, 1); what would be subnormal is 0.
fn half_bits(value: f64) -> u16 {
    let bits = (value as f32).to_bits();
    let exponent = (bits >> 23) as i32 - 127 + 15;
    if exponent <= 0 { 0 } else { ((exponent as u32) << 10 | (bits >> 13 & 0x3ff)) as u16 }
}
