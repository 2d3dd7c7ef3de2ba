// What must hold for any bytes. The fuzz target runs it on what the fuzzer makes up, `tests/seeds.rs` on the seeds and
// on small changes to them; both include this file.

use vise_framing::{Decoder, Error, Limits, encode};

/// Small, so that both limits are met often.
pub(crate) const LIMITS: Limits = Limits { header: 256, body: 512 };

/// What a decoder may hold beyond its limits: room that lines grew into, and the beginning of what stood between bodies.
const SLACK: usize = 1024;

type Outcome = (Vec<Vec<u8>>, Result<(), Error>, vise_framing::Junk);

/// The outcome of a stream that is cut into chunks of these lengths, in turn; zero counts as one.
pub(crate) fn outcome(stream: &[u8], cuts: &[u8]) -> Outcome {
    let mut decoder = Decoder::new(LIMITS);
    let (mut frames, mut rest, mut turn) = (Vec::new(), stream, 0);
    while !rest.is_empty() {
        let cut = cuts.get(turn % cuts.len().max(1)).map_or(rest.len(), |cut| usize::from(*cut).max(1));
        let (mut chunk, behind) = rest.split_at(cut.min(rest.len()));
        (rest, turn) = (behind, turn + 1);
        loop {
            let decoded = decoder.decode(&mut chunk);
            assert!(decoder.held() <= LIMITS.header + LIMITS.body + SLACK, "holds {} bytes", decoder.held());
            match decoded {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(decoder.decode(&mut chunk), Err(error.clone()), "an error is final");
                    return (frames, Err(error), decoder.junk().clone());
                }
            }
        }
        assert!(chunk.is_empty(), "a chunk is used up before the decoder asks for more");
    }
    let end = decoder.finish();
    (frames, end, decoder.junk().clone())
}

/// Panics when something does not hold for `data`: its first byte says how many of the next are the cuts, and the rest
/// is the stream.
pub(crate) fn check(data: &[u8]) {
    let (count, data) = data.split_first().map_or((0, data), |(first, rest)| (usize::from(*first), rest));
    let (cuts, stream) = data.split_at(count.min(data.len()));
    let whole = outcome(stream, &[]);
    assert_eq!(outcome(stream, cuts), whole, "cut by {cuts:?}");
    assert_eq!(outcome(stream, &[1]), whole, "byte by byte");

    let (frames, _, junk) = whole;
    assert!(frames.iter().map(Vec::len).sum::<usize>() + junk.bytes as usize <= stream.len(), "more out than in");
    assert!(frames.iter().all(|frame| frame.len() <= LIMITS.body));
    let again: Vec<u8> = frames.iter().flat_map(|frame| encode(frame)).collect();
    assert_eq!(outcome(&again, cuts), (frames, Ok(()), vise_framing::Junk::default()), "there and back");
}
