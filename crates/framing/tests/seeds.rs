//! The fuzz target without a fuzzer: its seeds, and a bounded number of small changes to each, the same ones every time.

use std::path::Path;

#[path = "../fuzz/check.rs"]
mod check;

/// Numbers that look random and are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

/// Pieces that decide something in a stream, so that changes reach more than the junk branch.
const PIECES: [&[u8]; 8] = [b"Content-Length:", b"\r\n", b"\n\n", b" ", b"9", b"0", b"-", b"\xff"];

fn changed(seed: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut data = seed.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(data.len() + 1);
        match numbers.below(4) {
            0 => drop(data.splice(at..at, PIECES[numbers.below(PIECES.len())].iter().copied())),
            1 => data.truncate(at.max(1)),
            2 => drop(data.drain(at..(at + numbers.below(8)).min(data.len()))),
            _ => {
                if let Some(byte) = data.get_mut(at) {
                    *byte ^= 1 << numbers.below(8);
                }
            }
        }
    }
    data
}

#[test]
fn seeds_and_what_is_near_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds");
    let mut seeds: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    assert!(seeds.len() >= 10, "the seeds are there: {seeds:?}");
    let (mut framed, mut failed) = (0, 0);
    for path in seeds {
        let seed = std::fs::read(&path).unwrap();
        check::check(&seed);
        let mut numbers = Numbers(seed.len() as u64 + 1);
        for _ in 0..300 {
            let data = changed(&seed, &mut numbers);
            check::check(&data);
            let (frames, end, _) = check::outcome(&data, &[]);
            framed += usize::from(!frames.is_empty());
            failed += usize::from(end.is_err());
        }
    }
    // Were they all junk or all broken, nothing would have been looked at.
    assert!(framed > 500 && failed > 500, "{framed} with frames, {failed} with an error");
}
