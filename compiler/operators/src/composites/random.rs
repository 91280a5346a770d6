//! Random numbers that follow from a seed: the sequence of the standard's reference implementation, which is that of
//! the Mersenne Twister MT19937 (Matsumoto and Nishimura 1998) as NumPy's `RandomState` seeds and reads it.

use ir::{Blob, DenseElements, Type, Value};

use crate::graph::Emitter;
use crate::graph::Node;

/// Words of the generator's state.
const STATE: usize = 624;
/// The distance of the words that are combined.
const MIDDLE: usize = 397;
/// Elements up to which random numbers are worth being constants of the model.
const LIMIT: i64 = 1 << 20;

/// Training-mode Dropout of a static shape with a seed: `where(uniform >= ratio, x / (1 - ratio), 0)`, and everything
/// is kept where `training_mode` is false or the ratio is 0. `None` for other forms.
pub(crate) fn seeded_dropout(node: &Node, emit: &mut Emitter) -> Option<[Value; 2]> {
    let seed = u32::try_from(node.attributes.integer("seed")?).ok()?;
    let (data, training) = (node.operands[0], node.given(2, emit)?);
    let shape = emit.body.value_type(data).static_shape()?;
    let count = shape.iter().product::<i64>();
    if count > LIMIT {
        return None;
    }
    let element = emit.element(data);
    let ratio = match node.given(1, emit) {
        Some(ratio) => ratio,
        None => emit.float(0.5, &element)?,
    };
    let mut twister = Twister::new(seed);
    let bytes: Vec<u8> = (0..count).flat_map(|_| twister.uniform().to_le_bytes()).collect();
    let uniform = emit.constant(DenseElements::new(Type::static_tensor(&shape, Type::F64), Blob::copy_of(&bytes)));
    let wide = emit.convert(ratio, &Type::F64);
    let drawn = emit.plain("GreaterOrEqual", &[uniform, wide]);
    let infers = emit.plain("Not", &[training]);
    let kept = emit.plain("Or", &[drawn, infers]);
    let ratio = emit.convert(ratio, &element);
    let (zero, one) = (emit.number_like(0.0, data), emit.number_like(1.0, data));
    let share = emit.plain("Sub", &[one, ratio]);
    let scale = emit.plain("Div", &[one, share]);
    let scale = emit.plain("Where", &[training, scale, one]);
    let scaled = emit.plain("Mul", &[data, scale]);
    Some([emit.plain("Where", &[kept, scaled, zero]), kept])
}

/// The generator.
struct Twister {
    state: [u32; STATE],
    next: usize,
}

impl Twister {
    fn new(seed: u32) -> Twister {
        let mut state = [seed; STATE];
        for index in 1..STATE {
            let last = state[index - 1];
            state[index] = (last ^ (last >> 30)).wrapping_mul(1_812_433_253).wrapping_add(index as u32);
        }
        Twister { state, next: STATE }
    }

    fn refill(&mut self) {
        for index in 0..STATE {
            let joined = (self.state[index] & 0x8000_0000) | (self.state[(index + 1) % STATE] & 0x7fff_ffff);
            let twist = if joined & 1 == 0 { 0 } else { 0x9908_b0df };
            self.state[index] = self.state[(index + MIDDLE) % STATE] ^ (joined >> 1) ^ twist;
        }
        self.next = 0;
    }

    fn word(&mut self) -> u32 {
        if self.next == STATE {
            self.refill();
        }
        let mut word = self.state[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// A number in `[0, 1)` of 53 random bits.
    fn uniform(&mut self) -> f64 {
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * f64::from(1u32 << 26) + f64::from(low)) / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::Twister;

    #[test]
    fn draws_what_the_reference_draws() {
        let mut twister = Twister::new(0);
        let drawn = [twister.uniform(), twister.uniform(), twister.uniform()];
        assert_eq!(drawn, [0.548_813_503_927_324_8, 0.715_189_366_372_419_5, 0.602_763_376_071_643_9]);
    }
}
