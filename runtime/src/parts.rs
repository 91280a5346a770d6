//! The parts of a convolution by Winograd's algorithm, for the threads of a run.
//!
//! A part is some tiles of an image for some groups of output channels. Many small parts keep all threads busy, but each
//! transforms its tiles again and reads its weights again.

use abi::{FEWEST_TILES, PARTS_RADIX, TILE_STEP};

use crate::pool::threads;

/// The cost of reading a part's weights, in tiles.
const READ: u64 = 2;
/// The cost of a tile's products for a group of output channels, in transforms of a tile.
const TRANSFORMS: u64 = 8;
/// The most parts of an image's tiles, as a multiple of the fewest.
const FINEST: u64 = 4;
/// The tiles of a part are a multiple of this.
const STEP: u64 = TILE_STEP as u64;

/// A convolution.
#[derive(Clone, Copy)]
struct Convolution {
    images: u64,
    /// Tiles of an image.
    tiles: u64,
    /// Groups of output channels.
    groups: u64,
    /// Scalar operations of the products of a tile for a group.
    work: u64,
}

/// The most tiles and groups of a part.
#[derive(Clone, Copy)]
struct Part {
    tiles: u64,
    groups: u64,
}

impl Convolution {
    /// The number of parts.
    fn count(&self, part: Part) -> u64 {
        self.images * self.tiles.div_ceil(part.tiles) * self.groups.div_ceil(part.groups)
    }

    /// The estimated time of `threads` threads, in scalar operations.
    fn time(&self, part: Part, threads: u64) -> u64 {
        let tiles = part.tiles.max(FEWEST_TILES as u64) + READ;
        let products = tiles * (TRANSFORMS * part.groups + 1) / TRANSFORMS;
        self.count(part).div_ceil(threads) * (products * self.work + abi::GRAIN as u64)
    }

    /// The parts that `threads` threads compute in the least time, at most as large as `most`. One thread computes the
    /// largest.
    fn parts(&self, most: Part, threads: u64) -> Part {
        let fewest = self.tiles.div_ceil(most.tiles);
        let tiles_of = |runs: u64| self.tiles.div_ceil(runs).next_multiple_of(STEP);
        let largest = Part { tiles: tiles_of(fewest), groups: most.groups };
        if threads <= 1 {
            return largest;
        }
        let runs = fewest..=(fewest * FINEST).min(self.tiles.div_ceil(STEP));
        let parts = runs.flat_map(|runs| {
            let groups = (1..=most.groups.min(self.groups)).rev();
            groups.map(move |groups| Part { tiles: tiles_of(runs), groups })
        });
        parts.min_by_key(|&part| self.time(part, threads)).unwrap_or(largest)
    }
}

/// The tiles and the groups of output channels of a part, as `tiles * PARTS_RADIX + groups`: at most `most_tiles` and
/// `most_groups`, and at least one each. `work` are the scalar operations of the products of a tile for a group.
#[allow(unsafe_code, reason = "an exported C symbol")]
#[unsafe(no_mangle)]
pub extern "C" fn rt_winograd_parts(
    images: i64,
    tiles: i64,
    groups: i64,
    work: i64,
    most_tiles: i64,
    most_groups: i64,
) -> i64 {
    let [images, tiles, groups, work, most_tiles, most_groups] =
        [images, tiles, groups, work, most_tiles, most_groups].map(|number| number.max(1) as u64);
    let convolution = Convolution { images, tiles, groups, work };
    let part = convolution.parts(Part { tiles: most_tiles, groups: most_groups }, threads() as u64);
    part.tiles as i64 * PARTS_RADIX + part.groups as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::sampled;

    const MOST: Part = Part { tiles: 18, groups: 8 };

    /// The convolutions of ResNet-50: of 56, 28, 14 and 7 rows and columns.
    const RESNET: [Convolution; 4] = [
        Convolution { images: 1, tiles: 196, groups: 4, work: 36 * 64 },
        Convolution { images: 1, tiles: 49, groups: 8, work: 36 * 128 },
        Convolution { images: 1, tiles: 16, groups: 16, work: 36 * 256 },
        Convolution { images: 1, tiles: 4, groups: 32, work: 36 * 512 },
    ];

    #[test]
    fn all_threads_have_work() {
        for (threads, least) in [(2, 1.9), (4, 3.6), (8, 6.8), (16, 13.0), (64, 25.0)] {
            for convolution in RESNET {
                let time = |threads| convolution.time(convolution.parts(MOST, threads), threads);
                let faster = time(1) as f64 / time(threads) as f64;
                assert!(faster > least, "{threads} threads, {} tiles: {faster:.2}", convolution.tiles);
            }
        }
    }

    #[test]
    fn parts_are_within_their_limits() {
        for tiles in sampled(1..60, 11) {
            for groups in 1..20 {
                for threads in [1, 2, 3, 16, 200] {
                    let convolution = Convolution { images: 1, tiles, groups, work: 36 * 16 };
                    let part = convolution.parts(MOST, threads);
                    assert!((1..=MOST.tiles).contains(&part.tiles) && (1..=MOST.groups).contains(&part.groups));
                    assert_eq!(part.tiles % TILE_STEP as u64, 0);
                }
            }
        }
    }
}
