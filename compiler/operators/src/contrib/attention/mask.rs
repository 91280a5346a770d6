//! Masks of keys: by lengths, or by a value for each key.

use ir::{Type, Value};

use crate::graph::{Emitter, Problem};

/// The default term that is added to the scores of hidden keys.
const FILTER: f64 = -10000.0;

/// The valid keys, in the form of an operand.
pub(super) struct Padding {
    /// The end of each sequence `[batch]`; ends, then starts `[2 * batch]`; or positive values for valid keys: `[batch,
    /// keys]` or `[batch, queries, keys]`.
    pub(super) mask: Value,
    /// The term that is added instead of the default.
    pub(super) filter: Option<f64>,
    /// The number of sequences, a list of one.
    pub(super) batch: Value,
    /// The number of keys, a list of one.
    pub(super) keys: Value,
}

impl Padding {
    /// The term that is added to the scores, in their type.
    pub(super) fn bias(self, emit: &mut Emitter, like: Value) -> Result<Value, Problem> {
        let hidden = match emit.known_rank(self.mask)? {
            1 => self.outside(emit),
            2 => {
                let mask = emit.unsqueeze(self.mask, &[1, 2]);
                not_positive(emit, mask)
            }
            3 => {
                let mask = emit.unsqueeze(self.mask, &[1]);
                not_positive(emit, mask)
            }
            rank => return Err(Problem::unsupported(format!("has a mask of rank {rank}"))),
        };
        let filter = emit.number_like(self.filter.unwrap_or(FILTER), like);
        let zero = emit.number_like(0.0, like);
        Ok(emit.plain("Where", &[hidden, filter, zero]))
    }

    /// The keys that are not between start and end, `[batch, 1, 1, keys]`. Missing starts are zero.
    fn outside(&self, emit: &mut Emitter) -> Value {
        let bounds = emit.convert(self.mask, &Type::I64);
        let zero = emit.integer(0);
        let zeros = emit.plain("Expand", &[zero, self.batch]);
        let bounds = emit.list(&[bounds, zeros]);
        let (first, two) = (emit.integers(&[0]), emit.integers(&[2]));
        let twice = emit.plain("Mul", &[self.batch, two]);
        let (ends, starts) = (emit.slice(bounds, first, self.batch, 0), emit.slice(bounds, self.batch, twice, 0));
        let column = emit.count_up(self.keys);
        let (ends, starts) = (emit.unsqueeze(ends, &[1, 2, 3]), emit.unsqueeze(starts, &[1, 2, 3]));
        let after = emit.plain("GreaterOrEqual", &[column, ends]);
        let before = emit.plain("Less", &[column, starts]);
        emit.plain("Or", &[after, before])
    }
}

fn not_positive(emit: &mut Emitter, mask: Value) -> Value {
    let zero = emit.number_like(0.0, mask);
    emit.plain("LessOrEqual", &[mask, zero])
}
