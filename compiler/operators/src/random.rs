//! Seeded random numbers: the sequence of the standard's reference implementation, which is the Mersenne Twister
//! MT19937 (Matsumoto and Nishimura 1998) with the seeding and output of NumPy's `RandomState`.

/// Words of the generator's state.
const STATE: usize = 624;
/// The distance of the words that are combined.
const MIDDLE: usize = 397;
/// The generator.
pub(crate) struct Twister {
    state: [u32; STATE],
    next: usize,
}

impl Twister {
    pub(crate) fn new(seed: u32) -> Twister {
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

    /// A number in `[0, 1)` with 53 random bits.
    pub(crate) fn uniform(&mut self) -> f64 {
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
