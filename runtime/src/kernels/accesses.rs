//! The check before a call of a micro-kernel, in checked builds.

use abi::accesses::{BUFFER_WORDS, BUFFERS, Call, FAULT_WORDS, KERNELS, Kernel, Operand, Span};

/// The most integers among the operands of a micro-kernel.
const NUMBERS: usize = 12;

/// Returns 1 if a call of the micro-kernel at this index of [`KERNELS`] stays inside of its buffers, otherwise 0. The
/// table has a word for each operand, of which those of floats are not read, then [`BUFFER_WORDS`] for each buffer. If
/// the call does not stay inside, its first words become [`FAULT_WORDS`].
///
/// # Safety
/// The table has [`Kernel::words`] words, the descriptor in it all that the micro-kernel reads, and memory that is
/// stated as a buffer is readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_check_call(kernel: i64, table: *mut i64) -> i64 {
    let kernel = usize::try_from(kernel).ok().and_then(|at| KERNELS.get(at));
    let kernel = kernel.expect("the compiler and the runtime have the same micro-kernels");
    // SAFETY: promised by the caller.
    let (words, fault) = unsafe {
        let words = std::slice::from_raw_parts_mut(table, kernel.words());
        let fault = fault(kernel, words);
        (words, fault)
    };
    if let Some(fault) = fault {
        words[..FAULT_WORDS].copy_from_slice(&fault);
    }
    i64::from(fault.is_none())
}

/// The words of a failed check, if there is one.
///
/// # Safety
/// As for [`rt_check_call`].
unsafe fn fault(kernel: &Kernel, words: &[i64]) -> Option<[i64; FAULT_WORDS]> {
    let (operands, bounds) = words.split_at(kernel.operands.len());
    let (mut numbers, mut buffers) = (Listed::<NUMBERS>::default(), Listed::<BUFFERS>::default());
    let mut descriptor = std::ptr::null::<i64>();
    for (operand, &word) in kernel.operands.iter().zip(operands) {
        match operand {
            Operand::Buffer => buffers.push(word),
            Operand::Number => numbers.push(word),
            Operand::Table => descriptor = std::ptr::with_exposed_provenance(word as usize),
            Operand::Float => {}
        }
    }
    // SAFETY: the descriptor has the words that the micro-kernel reads.
    let word = |at: usize| unsafe { descriptor.add(at).read() };
    let call = Call { word: &word, numbers: numbers.all(), buffers: buffers.all() };
    let mut bounds = buffers.all().iter().zip(bounds.as_chunks::<BUFFER_WORDS>().0);
    let fault =
        bounds.clone().zip(kernel.accesses(&call)).find_map(|((&from, bounds), span)| outside(from, *bounds, span));
    if fault.is_some() || kernel.symbol != LOOK_UP {
        return fault;
    }
    // the entries of the table that the row, which is inside of its buffer, selects
    let (&from, &bounds) = bounds.next()?;
    // SAFETY: checked above.
    outside(from, bounds, unsafe { entries(&call) })
}

/// The micro-kernel that looks up the bytes of a row in a table.
const LOOK_UP: &str = "rt_look_up_row";

/// The entries of a table that are looked up.
///
/// # Safety
/// The row is readable.
unsafe fn entries(call: &Call<'_>) -> Span {
    let (&[width, count], &[_, source, _]) = (call.numbers, call.buffers) else { return Span::NONE };
    let source = std::ptr::with_exposed_provenance::<u8>(source as usize);
    // SAFETY: promised by the caller.
    let row = if count > 0 { unsafe { std::slice::from_raw_parts(source, count as usize) } } else { &[] };
    // compilers vectorise this, but not `Iterator::max`
    let largest = row.iter().fold(0, |largest: u8, &byte| largest.max(byte));
    if row.is_empty() { Span::NONE } else { Span { first: 0, end: (i64::from(largest) + 1) * width } }
}

/// A failed check of an access from an address on, if that is not inside of memory with these [`BUFFER_WORDS`].
fn outside(from: i64, [start, bytes, message]: [i64; BUFFER_WORDS], span: Span) -> Option<[i64; FAULT_WORDS]> {
    let [first, end] = [span.first, span.end].map(|at| from.wrapping_sub(start).saturating_add(at));
    let is_inside = span.first >= span.end || (first >= 0 && end <= bytes);
    (!is_inside).then_some([message, first, span.end.saturating_sub(span.first), bytes])
}

/// Words, at most `N`.
struct Listed<const N: usize> {
    words: [i64; N],
    count: usize,
}

impl<const N: usize> Default for Listed<N> {
    fn default() -> Self {
        Listed { words: [0; N], count: 0 }
    }
}

impl<const N: usize> Listed<N> {
    fn push(&mut self, word: i64) {
        self.words[self.count] = word;
        self.count += 1;
    }

    fn all(&self) -> &[i64] {
        &self.words[..self.count]
    }
}

#[cfg(test)]
mod tests;
