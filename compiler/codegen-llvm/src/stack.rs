//! An upper bound of the stack that a module's functions take, stated as the value of an absolute symbol of the object.

use std::collections::HashMap;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use dialects::rt::DETECT_LEVEL;
use inkwell::module::Module;
use inkwell::values::{CallSiteValue, FunctionValue, InstructionOpcode};
use ir::{Blob, Diagnostic};
use object::{Object, ObjectSection, ObjectSymbol};

use crate::architecture::is_for_x86;
use crate::emit::internal;
use crate::frames::{Frames, with_frames};

/// What x86-64 adds to the frame of each function: the return address, and the alignment of the frame to a vector.
const X86_CALL: u64 = 8 + 64;

/// What a function of x86-64 that calls none may use below its frame.
const X86_RED_ZONE: u64 = 128;

/// A function of the module.
struct Caller {
    name: String,
    callees: Vec<String>,
    /// Bytes besides the frame.
    overhead: u64,
}

/// Generates code with a symbol for the bound, whose value is 0 until [`state`] sets it; returns the bound. Without
/// one, because functions are recursive or called by address, there is no symbol.
pub(crate) fn with_bound(
    unit: &Module<'_>,
    symbol: &str,
    generate: impl FnOnce() -> Result<(), Diagnostic>,
) -> Result<Option<u64>, Diagnostic> {
    let Some(callers) = callers(unit).filter(|callers| longest(callers, &Frames::new()).is_some()) else {
        return generate().map(|()| None);
    };
    unit.set_inline_assembly(&format!(".globl {symbol}\n.set {symbol}, 0\n"));
    let (generated, frames) = with_frames(unit, generate);
    generated?;
    let leaf = if is_for_x86(unit) { X86_RED_ZONE } else { 0 };
    Ok(longest(&callers, &frames?).map(|bytes| bytes + leaf))
}

/// Sets the value of the symbol in an ELF object.
pub(crate) fn state(path: &Path, symbol: &str, bound: u64) -> Result<(), Diagnostic> {
    let failed = |problem: String| internal(format!("{}: {problem}", path.display()));
    let (offset, width) = place(path, symbol).map_err(failed)?;
    let mut file = std::fs::OpenOptions::new().write(true).open(path).map_err(|error| failed(error.to_string()))?;
    file.seek(SeekFrom::Start(offset))
        .and_then(|_| file.write_all(&bound.to_le_bytes()[..width]))
        .map_err(|error| failed(error.to_string()))
}

/// The offset in the file of a symbol's value, and its width.
fn place(path: &Path, symbol: &str) -> Result<(u64, usize), String> {
    let bytes = Blob::map_file(path).map_err(|error| error.to_string())?;
    let object = object::File::parse(bytes.bytes()).map_err(|error| error.to_string())?;
    let index = object.symbols().find(|found| found.name() == Ok(symbol)).map(|found| found.index().0 as u64);
    let table = object.section_by_name(".symtab").and_then(|table| table.file_range());
    let (Some(index), Some((start, _))) = (index, table) else { return Err(format!("no symbol {symbol}")) };
    // Elf64_Sym and Elf32_Sym
    let (entry, value, width) = if object.is_64() { (24, 8, 8) } else { (16, 4, 4) };
    Ok((start + index * entry + value, width))
}

/// The functions of a module; `None` if one is called by address.
fn callers(unit: &Module<'_>) -> Option<Vec<Caller>> {
    let is_x86 = is_for_x86(unit);
    unit.get_functions().filter(|function| function.count_basic_blocks() > 0).map(|f| caller(f, is_x86)).collect()
}

fn caller(function: FunctionValue<'_>, is_x86: bool) -> Option<Caller> {
    let (mut callees, mut alignment) = (Vec::new(), 0);
    for instruction in function.get_basic_block_iter().flat_map(|block| block.get_instructions()) {
        match instruction.get_opcode() {
            InstructionOpcode::Alloca => alignment = alignment.max(instruction.get_alignment().unwrap_or(0)),
            // its calls are inline assembly
            InstructionOpcode::Call if name(function) == DETECT_LEVEL => {}
            InstructionOpcode::Call => {
                callees.push(name(CallSiteValue::try_from(instruction).ok()?.get_called_fn_value()?))
            }
            InstructionOpcode::Invoke | InstructionOpcode::CallBr => return None,
            _ => {}
        }
    }
    let overhead = if is_x86 { X86_CALL } else { u64::from(alignment) };
    Some(Caller { name: name(function), callees, overhead })
}

fn name(function: FunctionValue<'_>) -> String {
    function.get_name().to_string_lossy().into_owned()
}

/// The largest sum of frames along a chain of calls; `None` for recursive functions. Functions of other objects count 0.
fn longest(callers: &[Caller], frames: &Frames) -> Option<u64> {
    let frames: HashMap<&str, u64> = frames.iter().map(|(name, bytes)| (name.as_str(), *bytes)).collect();
    let mut left: HashMap<&str, &Caller> = callers.iter().map(|caller| (caller.name.as_str(), caller)).collect();
    let mut done: HashMap<&str, u64> = HashMap::new();
    // in each round the functions all of whose callees are done
    while !left.is_empty() {
        let ready = callers.iter().filter(|caller| left.contains_key(&*caller.name));
        let ready = ready.filter(|caller| !caller.callees.iter().any(|callee| left.contains_key(&**callee)));
        let ready: Vec<(&str, u64)> = ready
            .map(|caller| {
                let below = caller.callees.iter().filter_map(|callee| done.get(&**callee)).max();
                let own = caller.overhead + frames.get(&*caller.name).copied().unwrap_or(0);
                (caller.name.as_str(), own + below.copied().unwrap_or(0))
            })
            .collect();
        if ready.is_empty() {
            return None;
        }
        left.retain(|name, _| !ready.iter().any(|(done, _)| done == name));
        done.extend(ready);
    }
    Some(done.into_values().max().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(name: &str, callees: &[&str], overhead: u64) -> Caller {
        Caller { name: name.into(), callees: callees.iter().map(|callee| callee.to_string()).collect(), overhead }
    }

    #[test]
    fn the_longest_chain_counts() {
        let chain = [caller("run", &["a", "b", "memcpy"], 8), caller("a", &["b"], 64), caller("b", &[], 8)];
        let frames = vec![("run".into(), 100), ("b".into(), 1000)];
        assert_eq!(longest(&chain, &frames), Some(108 + 64 + 1008));
        let cycle = [caller("a", &["b"], 8), caller("b", &["a"], 8)];
        assert_eq!(longest(&cycle, &frames), None);
    }
}
