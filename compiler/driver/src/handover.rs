//! Compiles a model with LLVM in a helper process: `onnxc --successor` reads a request from its standard input,
//! compiles and initializes the model, and writes its cache entry to its standard output, a file that this process
//! maps. The memory of the compilation is never that of the process that runs the model, and prepared weights are
//! loaded when a run reads them.
//!
//! The file is in the folder of the cache, where it becomes the model's entry; without a cache it never has a name.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use check::Profile;
use engine::cache::bytes::{Reader, Writer};
use engine::cache::entry::{Encoded, Entry};
use engine::cache::folder;
use engine::{Objects, worker};
use ir::{Blob, Diagnostic, Location, Result};
use lower::low::VectorRegisters;

use crate::cache_writer::CacheRequest;
use crate::cached_model::CachedModel;
use crate::compiler::Compiler;
use crate::model::CompiledModel;
use crate::options::{Arithmetic, Backend, Options, Processor};
use crate::request::{Origin, Request};
use crate::uncompiled::UncompiledModel;

impl Compiler {
    /// The model, compiled with LLVM by a helper process.
    pub(crate) fn compile_elsewhere(
        &self,
        cache_request: &CacheRequest,
        cancelled: &AtomicBool,
    ) -> Result<CompiledModel> {
        let request = &cache_request.request;
        let unfinished = request.folder.as_ref().and_then(|folder| folder.begin().ok());
        let file = match &unfinished {
            Some(unfinished) => unfinished.file.try_clone(),
            None => tempfile::tempfile(),
        };
        let file = file.map_err(|error| failed(format!("the file for a model could not be created: {error}")))?;
        let output = file.try_clone().map_err(|error| failed(error.to_string()))?;
        let wanted = wanted(cache_request).ok_or_else(|| failed("the model is not in a file".into()))?;
        worker::succeed(request.options.helper.as_deref(), &wanted, output, cancelled)?;
        let made = Blob::map(&file).ok().and_then(|file| folder::unhashed(&file));
        if let (Some(folder), Some(unfinished)) = (&request.folder, unfinished)
            && let Some(name) = request.entry(Backend::Llvm)
        {
            folder.place(unfinished, &name);
        }
        let model = made.and_then(|made| {
            self.load_cached(request, Backend::Llvm, Entry::decode(&made, &request.model, CachedModel::decode)?)
        });
        Ok(model.ok_or_else(|| failed("the model that another process made cannot be read".into()))?.0)
    }
}

/// Compiles the requested model and writes its entry: the implementation of `onnxc --successor`.
pub fn write_successor(input: &mut impl Read, output: &mut impl Write) -> Result<()> {
    let mut words = Vec::new();
    input.read_to_end(&mut words).map_err(|error| failed(error.to_string()))?;
    let cache_request =
        read_wanted(&mut Reader(&words)).ok_or_else(|| failed("the model is not there any more".into()))?;
    let request = &cache_request.request;
    let compiler = Compiler { options: request.options.clone() };
    let (module, signature) = compiler.structured_again(request)?;
    let (mut model, unlinked) =
        compiler.build(&Arc::default(), UncompiledModel { signature, ..UncompiledModel::of(module) })?;
    let (cached, mut globals) = model.cache_parts(&cache_request.warnings);
    let Objects { tier, files, constants } = unlinked.objects()?;
    constants.into_iter().for_each(|(name, bytes)| globals.add_constant(name, bytes));
    let encoded = Encoded::of(&globals, &request.model, |encoder| cached.encode(encoder));
    if !request.is_unchanged() {
        return Err(failed("the model was changed while it was compiled".into()).into());
    }
    let written = folder::write(output, &encoded.pieces(&encoded.start(tier, &files), &files));
    Ok(written.map_err(|error| failed(format!("the model cannot be written: {error}")))?)
}

/// Encodes a request for a file. Options that are not encoded have their defaults.
fn wanted(cache_request: &CacheRequest) -> Option<Vec<u8>> {
    let Request { origin: Origin::File { path, stamp }, options, .. } = &*cache_request.request else { return None };
    let Options { processor, threads, workers, dims, shapes, arithmetic, refuse_violations, rules, .. } = options;
    let mut writer = Writer::default();
    writer.list(path.as_os_str().as_bytes(), |writer, byte| writer.0.push(*byte));
    writer.text(stamp);
    writer.texts(&cache_request.warnings);
    match processor {
        Processor::Unknown => writer.word(0),
        Processor::AnyX86 => writer.word(1),
        Processor::Vectors(VectorRegisters { count, lanes, loads_first, takes_lanes }) => {
            let flags = [loads_first, takes_lanes].map(|&flag| u64::from(flag));
            [2, *count as u64, *lanes as u64].into_iter().chain(flags).for_each(|word| writer.word(word));
        }
    }
    for word in [*threads as u64, *workers as u64, *arithmetic as u64, u64::from(*refuse_violations), *rules as u64] {
        writer.word(word);
    }
    writer.word(dims.len() as u64);
    for (name, extent) in dims {
        writer.text(name);
        writer.word(*extent as u64);
    }
    writer.word(shapes.len() as u64);
    for (name, shape) in shapes {
        writer.text(name);
        writer.list(shape, |writer, extent| writer.word(*extent as u64));
    }
    Some(writer.0)
}

/// Decodes the request that [`wanted`] wrote, unless the model's file has changed.
fn read_wanted(reader: &mut Reader) -> Option<CacheRequest> {
    let path = reader.size().and_then(|length| reader.bytes(length))?;
    let (stamp, warnings) = (reader.text()?, reader.texts()?);
    let processor = match reader.word()? {
        0 => Processor::Unknown,
        1 => Processor::AnyX86,
        _ => Processor::Vectors(VectorRegisters {
            count: reader.word()? as i64,
            lanes: reader.word()? as i64,
            loads_first: reader.word()? == 1,
            takes_lanes: reader.word()? == 1,
        }),
    };
    let (threads, workers) = (reader.size()?, reader.size()?);
    let arithmetics = [Arithmetic::Reassociated, Arithmetic::Strict, Arithmetic::Fixed];
    let arithmetic = *arithmetics.get(reader.size()?)?;
    let refuse_violations = reader.word()? == 1;
    let rules = *[Profile::Onnx, Profile::SonnxWithCaptures, Profile::Sonnx].get(reader.size()?)?;
    let dims = reader.list(|reader| Some((reader.text()?, reader.word()? as i64)))?.into_iter().collect();
    let shapes = reader.list(|reader| Some((reader.text()?, reader.list(|reader| Some(reader.word()? as i64))?)))?;
    let shapes = shapes.into_iter().collect();
    let usual = Options { backend: Backend::Llvm, ..Options::default() };
    let options = Options { processor, threads, workers, dims, shapes, arithmetic, refuse_violations, rules, ..usual };
    let request = Request::new(&options, Path::new(OsStr::from_bytes(path)), &import::Options::default())?;
    let is_same = matches!(&request.origin, Origin::File { stamp: own, .. } if *own == stamp);
    is_same.then(|| CacheRequest { request: Arc::new(request), warnings })
}

fn failed(message: String) -> Diagnostic {
    Diagnostic::internal(Location::Unknown, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_comes_across() {
        let path = std::env::temp_dir().join(format!("onnx-wanted-{}", std::process::id()));
        std::fs::write(&path, b"a model").expect("the temporary folder takes files");
        std::thread::sleep(std::time::Duration::from_millis(150));
        let options = Options {
            backend: Backend::Llvm,
            processor: Processor::Vectors(VectorRegisters { count: 7, lanes: 3, loads_first: true, takes_lanes: true }),
            threads: 3,
            workers: 5,
            dims: [("N".to_string(), 4)].into(),
            shapes: [("x".to_string(), vec![2, 3]), ("y".to_string(), vec![])].into(),
            arithmetic: Arithmetic::Fixed,
            refuse_violations: true,
            rules: Profile::Sonnx,
            ..Options::default()
        };
        let request = || Request::new(&options, &path, &import::Options::default()).expect("a plain model in a file");
        let cache_request = CacheRequest { request: Arc::new(request()), warnings: vec!["one".into(), "two".into()] };
        let words = wanted(&cache_request).expect("it is a file");
        let read = read_wanted(&mut Reader(&words)).expect("it was written so");
        assert_eq!(format!("{:?}", read.request), format!("{:?}", cache_request.request));
        assert_eq!(read.warnings, cache_request.warnings);
        std::fs::write(&path, b"another model").expect("it is the test's own");
        assert!(read_wanted(&mut Reader(&words)).is_none());
        std::fs::remove_file(&path).expect("it is the test's own");
    }
}
