//! The first version of Scan, with a leading batch axis and a sequence length for each row of the batch: a Scan over
//! the batch with a Scan over the sequence inside.

use ir::{Attribute, Value};

use crate::graph::{Emitter, Node, Problem, Scan};

pub(super) fn scan_9(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let lengths = node.operand(0, emit);
    let scanned = node.attributes.integer("num_scan_inputs").and_then(|count| usize::try_from(count).ok());
    let scanned = scanned.filter(|&count| (1..node.operands.len()).contains(&count));
    let scanned = scanned.ok_or_else(|| Problem::input("has fewer inputs than it scans"))?;
    let mut inputs = node.operands[1..].to_vec();
    let states = inputs.len() - scanned;
    inputs.extend(lengths);
    let open = emit.open_scan(&Scan { states: &[], inputs: &inputs, backwards: false });
    let mut row = open.elements.clone();
    let lengths = lengths.map(|_| {
        let length = row.pop().expect("lengths are the last input");
        let length = emit.unsqueeze(length, &[0]);
        let whole = emit.extent(row[states], 0);
        let start = emit.integers(&[0]);
        for scanned in &mut row[states..] {
            *scanned = emit.slice(*scanned, start, length, 0);
        }
        Lengths { length, whole }
    });
    node.operands = row;
    // they were those of the whole batch
    node.declared.fill(None);
    if let Some(directions) = node.attributes.remove("directions") {
        node.attributes.set("scan_input_directions", directions);
    }
    node.finish = Some(Box::new(move |emit, mut results| {
        if let Some(lengths) = lengths {
            for result in results.iter_mut().skip(states) {
                *result = lengths.pad(emit, *result);
            }
        }
        emit.close_scan(open, &[], &results)
    }));
    Ok(())
}

/// The number of steps of a row of the batch, and the maximum for all rows; lists of one.
struct Lengths {
    length: Value,
    whole: Value,
}

impl Lengths {
    /// Pads collected values with zeros for the steps that were not taken.
    fn pad(&self, emit: &mut Emitter, collected: Value) -> Value {
        let missing = emit.plain("Sub", &[self.whole, self.length]);
        let zero = emit.integers(&[0]);
        let pads = emit.list(&[zero, missing]);
        let none = emit.none;
        emit.op("Pad", &[collected, pads, none, zero], [("mode", Attribute::string("constant"))])
    }
}
