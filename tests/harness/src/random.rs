//! Pseudorandom numbers, which are the same in every run.

/// A generator of the xorshift family (Marsaglia 2003), seeded by a name.
pub struct Random(u64);

impl Random {
    /// Creates a generator whose sequence depends on the seed only.
    pub fn seeded(seed: &str) -> Random {
        // FNV-1a; the last bit is set, because a state of zero would remain zero.
        let hash = seed.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Random(hash | 1)
    }

    /// Returns the next number.
    pub fn draw(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a number below `limit`, which must not be zero.
    pub fn below(&mut self, limit: usize) -> usize {
        ((self.draw() >> 33) as usize) % limit
    }

    /// Returns `true` with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        ((self.draw() >> 11) as f64) < probability * (1u64 << 53) as f64
    }

    /// Shuffles elements.
    pub fn shuffle<T>(&mut self, elements: &mut [T]) {
        for k in (1..elements.len()).rev() {
            elements.swap(k, self.below(k + 1));
        }
    }
}
