//! What must hold for every stream and every way to cut it.

use proptest::prelude::*;
use vise_framing::{Junk, encode};

#[path = "../fuzz/check.rs"]
mod check;

/// Bytes that are mostly pieces of headers and frames.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        "[a-z{}\"é]{0,12}".prop_map(String::into_bytes),
        "(Content-Length|content-length|CONTENT-LENGTH|Content-Type) ?: ?[0-9]{0,4}\r?\n".prop_map(String::into_bytes),
        "(\r\n|\n){1,2}".prop_map(String::into_bytes),
        proptest::collection::vec(any::<u8>(), 0..24).prop_map(|body| encode(&body)),
        proptest::collection::vec(any::<u8>(), 0..24),
        Just(b"Content-Len".to_vec()),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// A line that no header can be made of: it has no `:`.
fn junk_line() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9 é\u{1b}-]{0,40}\r?\n"
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_frames_errors_and_junk(
        stream in stream(),
        cuts in proptest::collection::vec(1u8.., 1..20),
    ) {
        let whole = check::outcome(&stream, &[]);
        prop_assert_eq!(&check::outcome(&stream, &cuts), &whole);
        prop_assert_eq!(&check::outcome(&stream, &[1]), &whole);
    }

    #[test]
    fn what_is_encoded_comes_back_whatever_stands_in_front(
        frames in proptest::collection::vec((junk_line(), proptest::collection::vec(any::<u8>(), 0..512)), 0..6),
        cuts in proptest::collection::vec(1u8.., 1..20),
    ) {
        let stream: Vec<u8> =
            frames.iter().flat_map(|(junk, body)| [junk.as_bytes().to_vec(), encode(body)].concat()).collect();
        let (found, end, junk) = check::outcome(&stream, &cuts);
        prop_assert_eq!(end, Ok(()));
        prop_assert_eq!(found, frames.iter().map(|(_, body)| body.clone()).collect::<Vec<_>>());
        let lines = frames.iter().filter(|(line, _)| !line.trim_ascii().is_empty()).count();
        prop_assert_eq!(junk.lines, lines as u64);
        prop_assert_eq!(junk == Junk::default(), lines == 0);
    }

    #[test]
    fn any_bytes_at_all(data in proptest::collection::vec(any::<u8>(), 0..2048)) {
        check::check(&data);
    }
}
