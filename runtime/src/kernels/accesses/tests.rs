//! Runs micro-kernels on memory that has exactly the bytes that they are said to access, between pages that cannot be
//! accessed. What is said is exact: the first and the last element of each operand matter.

mod tiles;

use abi::RowFunction;

use super::*;
use crate::kernels::*;

/// Bytes of a page.
const PAGE: usize = 4096;

/// Memory between pages that cannot be accessed.
struct Guarded {
    start: *mut u8,
    bytes: usize,
}

impl Guarded {
    fn new(bytes: usize) -> Guarded {
        let bytes = bytes.next_multiple_of(PAGE);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a fresh mapping, of which the middle becomes accessible
        let start = unsafe {
            let start = libc::mmap(std::ptr::null_mut(), bytes + 2 * PAGE, libc::PROT_NONE, flags, -1, 0);
            assert!(start != libc::MAP_FAILED, "the system has memory");
            let start = start.cast::<u8>().add(PAGE);
            // QEMU refuses an empty range
            assert!(bytes == 0 || libc::mprotect(start.cast(), bytes, libc::PROT_READ | libc::PROT_WRITE) == 0);
            start
        };
        Guarded { start, bytes }
    }

    /// The address of a buffer of which the bytes of a span exist, at the end or at the beginning of the memory, and those
    /// bytes, which are zero.
    fn place(&mut self, span: Span, at_end: bool) -> (i64, &mut [u8]) {
        let length = (span.end - span.first) as usize;
        assert!(length <= self.bytes, "the memory has room for {length} bytes");
        let from = if at_end { self.bytes - length } else { 0 };
        // SAFETY: inside of the mapping
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.start.add(from), length) };
        bytes.fill(0);
        (bytes.as_mut_ptr().expose_provenance() as i64 - span.first, bytes)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: all of the mapping, which nothing uses any more
        unsafe { libc::munmap(self.start.sub(PAGE).cast(), self.bytes + 2 * PAGE) };
    }
}

/// Operands of a call but for addresses, and bytes of an element of each buffer.
#[derive(Clone, Debug)]
struct Sample {
    symbol: &'static str,
    descriptor: Vec<i64>,
    numbers: Vec<i64>,
    widths: Vec<i64>,
}

/// Calls a micro-kernel: descriptor, numbers and buffers.
type Run<'r> = &'r dyn Fn(*const i64, &[i64], &[i64]);

impl Sample {
    fn kernel(&self) -> (usize, &'static Kernel) {
        Kernel::find(self.symbol).expect("it is described")
    }

    fn spans(&self) -> Vec<Span> {
        let kernel = self.kernel().1;
        let word = |at: usize| self.descriptor[at];
        let buffers = vec![1; kernel.buffers()];
        let call = Call { word: &word, numbers: &self.numbers, buffers: &buffers };
        kernel.accesses(&call)[..kernel.buffers()].to_vec()
    }

    /// Runs the call on memory of exactly these spans, then checks it with memory that lacks a byte.
    fn run(&self, spans: &[Span], run: Run<'_>) {
        for at_end in [true, false] {
            let mut memories: Vec<Guarded> =
                spans.iter().map(|span| Guarded::new((span.end - span.first) as usize)).collect();
            let buffers: Vec<i64> =
                memories.iter_mut().zip(spans).map(|(memory, &span)| memory.place(span, at_end).0).collect();
            run(self.descriptor.as_ptr(), &self.numbers, &buffers);
            let bounds = |at: usize| (buffers[at] + spans[at].first, spans[at].end - spans[at].first);
            assert_eq!(self.check(&buffers, &bounds), None, "{self:?}");
            for short in (0..spans.len()).filter(|&at| bounds(at).1 > 0) {
                let length = bounds(short).1;
                let less = |at: usize| (bounds(at).0, bounds(at).1 - i64::from(at == short));
                assert_eq!(self.check(&buffers, &less), Some([short as i64, 0, length, length - 1]), "{self:?}");
                let later = |at: usize| (bounds(at).0 + i64::from(at == short), bounds(at).1);
                assert_eq!(self.check(&buffers, &later), Some([short as i64, -1, length, length]), "{self:?}");
            }
        }
    }

    /// What is reported for buffers in memory with these addresses and sizes.
    fn check(&self, buffers: &[i64], bounds: &dyn Fn(usize) -> (i64, i64)) -> Option<[i64; FAULT_WORDS]> {
        let (index, kernel) = self.kernel();
        let (mut numbers, mut addresses) = (self.numbers.iter(), buffers.iter());
        let mut words: Vec<i64> = Vec::new();
        words.extend(kernel.operands.iter().map(|operand| match operand {
            Operand::Buffer => *addresses.next().expect("an address for each buffer"),
            Operand::Table => self.descriptor.as_ptr().expose_provenance() as i64,
            Operand::Number => *numbers.next().expect("a number for each operand"),
            Operand::Float => 0,
        }));
        for at in 0..buffers.len() {
            let (start, bytes) = bounds(at);
            words.extend([start, bytes, at as i64]);
        }
        words.resize(kernel.words(), 0);
        // SAFETY: the table has all words, and the memory is there.
        let is_inside = unsafe { rt_check_call(index as i64, words.as_mut_ptr()) };
        (is_inside == 0).then(|| *words.first_chunk().expect("a report fits"))
    }

    /// A row's kernel, whose numbers include its length.
    fn row(symbol: &'static str, numbers: &[i64]) -> Sample {
        Sample { symbol, descriptor: vec![], numbers: numbers.to_vec(), widths: vec![] }
    }

    fn run_row(&self, run: Run<'_>) {
        self.run(&self.spans(), run);
    }
}

/// An address as a pointer.
fn at<T>(address: i64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

const COUNTS: [i64; 9] = [0, 1, 3, 15, 16, 17, 63, 64, 133];

#[test]
fn functions_of_rows() {
    for (count, function) in COUNTS.into_iter().flat_map(|count| (0..RowFunction::ALL.len()).map(move |f| (count, f))) {
        // SAFETY: here and below, the memory has what the kernel accesses, or the process ends.
        Sample::row("rt_map_row", &[function as i64, count]).run_row(&|_, numbers, buffers| unsafe {
            rt_map_row(numbers[0], at(buffers[0]), at(buffers[1]), numbers[1], 1.0, 1.0, 1.0, 1.0);
        });
    }
}

#[test]
fn rows_of_bytes() {
    for count in COUNTS {
        Sample::row("rt_add_bytes_row", &[0, 1, count]).run_row(&|_, n, b| unsafe {
            rt_add_bytes_row(n[0], n[1], at(b[0]), at(b[1]), at(b[2]), n[2], 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, -9.0, 9.0);
        });
        for is_float in [0, 1] {
            Sample::row("rt_requantize_row", &[is_float, count]).run_row(&|_, n, b| unsafe {
                // addends and factors are aligned
                let (addends, factors) = ([0i32; 16], [1f32; 16]);
                let (addends, factors) = (addends.as_ptr(), factors.as_ptr());
                rt_requantize_row(n[0], at(b[0]), at(b[1]), n[1], addends, factors, 1.0, 0.0, -9.0, 9.0);
            });
        }
        Sample::row("rt_copy_row", &[count]).run_row(&|_, n, b| unsafe {
            rt_copy_row(at(b[0]), at(b[1]), n[0]);
        });
        Sample::row("rt_fold_row", &[0, count]).run_row(&|_, n, b| unsafe {
            rt_fold_row(n[0], at(b[0]), n[1]);
        });
        Sample::row("rt_prepare_places", &[count]).run_row(&|_, n, b| unsafe {
            rt_prepare_places(at(b[0]), n[0]);
        });
        Sample::row("rt_gather_row", &[count, 20]).run_row(&|_, n, b| unsafe {
            rt_gather_row(at(b[0]), at(b[1]), at(b[2]), n[0], n[1]);
        });
    }
}

#[test]
fn tables_have_an_entry_for_the_largest_byte() {
    for (width, largest) in [1, 2, 4, 8].into_iter().flat_map(|width| [0, 5, 200, 255].map(|byte| (width, byte))) {
        let row: [u8; 3] = [3.min(largest), largest, 0];
        let table = vec![0u64; 256];
        let mut found = vec![0u64; 3];
        let sample = Sample::row("rt_look_up_row", &[width, 3]);
        let buffers = [
            table.as_ptr().expose_provenance() as i64,
            row.as_ptr().expose_provenance() as i64,
            found.as_mut_ptr().expose_provenance() as i64,
        ];
        let bytes = (i64::from(largest) + 1) * width;
        let bounds = |entries: i64| move |at: usize| (buffers[at], [entries, 3, 3 * width][at]);
        assert_eq!(sample.check(&buffers, &bounds(bytes)), None);
        assert_eq!(sample.check(&buffers, &bounds(bytes - 1)), Some([0, 0, bytes, bytes - 1]));
    }
}

#[test]
fn windows() {
    for (count, step, columns) in COUNTS.into_iter().flat_map(|count| [(count, 1, 3), (count, 2, 3), (count, 3, 2)]) {
        for (lines, rows) in [(1, 1), (4, 2), (0, 2)] {
            let line = (count.max(1) - 1) * step + columns + 5;
            let numbers = [0, lines, 2 * line, count, count, step, 1, 0, rows, line, columns, 1];
            Sample::row("rt_fold_windows", &numbers).run_row(&|_, n, b| unsafe {
                let &[fold, lines, source, line, count, step, planes, plane, rows, row, columns, column] = n else {
                    unreachable!("all numbers are passed")
                };
                rt_fold_windows(
                    fold,
                    0.0,
                    at(b[0]),
                    at(b[1]),
                    lines,
                    source,
                    line,
                    count,
                    step,
                    planes,
                    plane,
                    rows,
                    row,
                    columns,
                    column,
                );
            });
        }
    }
}

#[test]
fn moved_and_padded() {
    let axes: [&[[i64; 3]]; 6] = [
        &[[33, 1, 40], [40, 33, 1]],
        &[[5, 6, 9], [6, 1, 1]],
        &[[40, -1, 1]],
        &[[4, -3, 3], [3, 1, 1]],
        &[[7, 0, 5], [5, 1, 1]],
        &[[0, 1, 1]],
    ];
    for (axes, width) in axes.into_iter().flat_map(|axes| [1, 2, 4, 8].map(|width| (axes, width))) {
        let descriptor = [&[width, axes.len() as i64], axes.as_flattened()].concat();
        let moved = Sample { symbol: "rt_move", descriptor, numbers: vec![], widths: vec![] };
        moved.run_row(&|d, _, b| unsafe { rt_move(d, at(b[0]), at(b[1])) });
        let axes: Vec<i64> = axes.iter().flat_map(|&[extent, ..]| [1, extent, extent + 3]).collect();
        let descriptor = [&[width, 0, axes.len() as i64 / 3], &axes[..]].concat();
        let padded = Sample { symbol: "rt_pad", descriptor, numbers: vec![], widths: vec![] };
        padded.run_row(&|d, _, b| unsafe { rt_pad(d, at(b[0])) });
    }
}

#[test]
fn symbols_exist() {
    let symbols = crate::symbols();
    assert!(KERNELS.iter().all(|kernel| symbols.iter().any(|(name, _)| *name == kernel.symbol)));
}
