//! One stream, one outcome: every oddity on the wire by name. `docs/peers.md` has the same table in prose.

use vise_framing::{Decoder, Error, Limits};

/// The frames of a stream that is fed in chunks of `step` bytes, how it ended, and what was skipped.
fn fed(limits: Limits, stream: &[u8], step: usize) -> (Vec<String>, Result<(), Error>, (u64, String)) {
    let mut decoder = Decoder::new(limits);
    let mut frames = Vec::new();
    let mut end = Ok(());
    'stream: for mut chunk in stream.chunks(step) {
        loop {
            match decoder.decode(&mut chunk) {
                Ok(Some(body)) => frames.push(String::from_utf8(body).unwrap()),
                Ok(None) => break,
                Err(error) => {
                    end = Err(error);
                    break 'stream;
                }
            }
        }
        assert!(chunk.is_empty(), "a chunk is used up before the decoder asks for more");
    }
    if end.is_ok() {
        end = decoder.finish();
    }
    (frames, end, (decoder.junk().lines, decoder.junk().latest.clone()))
}

const SMALL: Limits = Limits { header: 64, body: 8 };

/// Decodes the stream whole, byte by byte, and in threes, which must all come to the same.
fn decoded(stream: &str) -> (Vec<String>, Result<(), Error>, (u64, String)) {
    let whole = fed(SMALL, stream.as_bytes(), stream.len().max(1));
    for step in [1, 3] {
        assert_eq!(fed(SMALL, stream.as_bytes(), step), whole, "in chunks of {step}: {stream:?}");
    }
    whole
}

#[track_caller]
fn frames(stream: &str, bodies: &[&str], junk: (u64, &str)) {
    let (found, end, skipped) = decoded(stream);
    assert_eq!(found, bodies);
    assert_eq!(end, Ok(()));
    assert_eq!((skipped.0, skipped.1.as_str()), junk);
}

#[track_caller]
fn fails(stream: &str, bodies: &[&str], error: Error) {
    let (found, end, _) = decoded(stream);
    assert_eq!(found, bodies);
    assert_eq!(end, Err(error));
}

#[test]
fn an_empty_stream_and_one_of_blank_lines_have_no_frames() {
    frames("", &[], (0, ""));
    frames("\r\n\n \n", &[], (0, ""));
}

#[test]
fn several_frames_in_one_chunk() {
    frames("Content-Length: 1\r\n\r\naContent-Length: 0\r\n\r\nContent-Length: 2\r\n\r\nbc", &["a", "", "bc"], (0, ""));
}

#[test]
fn the_length_counts_bytes() {
    frames("Content-Length: 3\r\n\r\né!", &["é!"], (0, ""));
}

#[test]
fn a_body_may_look_like_a_header() {
    frames("Content-Length: 8\n\nContent-", &["Content-"], (0, ""));
}

#[test]
fn headers_in_any_case_order_and_line_end() {
    frames("content-length:1\n\na", &["a"], (0, ""));
    frames("CONTENT-LENGTH : 1 \r\n\na", &["a"], (0, ""));
    frames("Content-Type: x; charset=utf-8\r\nContent-Length: 1\r\n\r\na", &["a"], (0, ""));
    frames("Content-Length: 1\r\nContent-Type: x\r\nX-Other: y\r\n\r\na", &["a"], (0, ""));
    frames("Content-Length: 1\nContent-Length: 01\n\na", &["a"], (0, ""));
}

#[test]
fn junk_before_and_between_frames_is_skipped_and_kept_for_the_message() {
    frames("Info: x\n\ncont\ncontent-length:2 \n\n{}", &["{}"], (2, "cont"));
    frames("Content-Length: 1\n\na\r\n\r\n> log\nContent-Length: 1\n\nb", &["a", "b"], (1, "> log"));
    frames("Content-Length: 1\n\naloading…Content-Length: 1\n\nb\nbye", &["a", "b"], (2, "bye"));
    frames("Content-LenContent-Length: 1\n\na", &["a"], (1, "Content-Len"));
    frames("not found", &[], (1, "not found"));
}

#[test]
fn lengths_that_are_none() {
    let bad = |found: &str| Error::BadLength { found: found.to_string() };
    fails("Content-Length: 1\n\naContent-Length: -1\n\nb", &["a"], bad("Content-Length: -1"));
    fails("Content-Length:\r\n\r\n", &[], bad("Content-Length:"));
    fails("Content-Length: 1\r\nContent-Length: 2\r\n\r\na", &[], Error::TwoLengths { first: 1, second: 2 });
}

#[test]
fn bodies_over_the_limit_are_refused_before_they_come() {
    let large = |found: &str| Error::TooLarge { found: found.to_string(), limit: 8 };
    frames("Content-Length: 8\n\n12345678", &["12345678"], (0, ""));
    fails("Content-Length: 9\n", &[], large("9"));
    fails("Content-Length: 99999999999999999999999\n", &[], large("99999999999999999999999"));
}

#[test]
fn junk_and_header_together_stay_within_their_limit() {
    let header = "Content-Length: 1\n\n";
    let fits = "x".repeat(63 - header.len()) + "\n" + header + "a";
    frames(&fits, &["a"], (1, &"x".repeat(63 - header.len())));
    let found = "x".to_string() + &fits[..64].replace('\n', "\\n");
    fails(&("x".to_string() + &fits), &[], Error::NoHeader { found, limit: 64 });
    // The limit holds between any two bodies, not for the whole stream.
    frames(&fits.repeat(3), &["a", "a", "a"], (3, &"x".repeat(63 - header.len())));
}

#[test]
fn streams_that_end_too_early() {
    let header = |found: &str| Error::EndInHeader { found: found.to_string() };
    fails("Content-Le", &[], header("Content-Le"));
    fails("Content-Length: 3", &[], header("Content-Length: 3"));
    fails("Content-Length: 3\r\n", &[], header(""));
    fails("Content-Length: 3\r\nContent-Ty", &[], header("Content-Ty"));
    fails("Content-Length: 3\r\n\r\n", &[], Error::EndInBody { got: 0, length: 3 });
    fails("Content-Length: 0\n\nContent-Length: 3\r\n\r\nab", &[""], Error::EndInBody { got: 2, length: 3 });
}

#[test]
fn an_error_is_final() {
    let mut decoder = Decoder::new(SMALL);
    let error = Error::BadLength { found: "Content-Length: x".to_string() };
    assert_eq!(decoder.decode(&mut &b"Content-Length: x\n"[..]), Err(error.clone()));
    assert_eq!(decoder.decode(&mut &b"Content-Length: 1\n\na"[..]), Err(error.clone()));
    assert_eq!(decoder.finish(), Err(error));
}

#[test]
fn an_announced_length_reserves_no_memory() {
    let mut decoder = Decoder::new(Limits::default());
    assert_eq!(decoder.decode(&mut &b"Content-Length: 268435456\r\n\r\n"[..]), Ok(None));
    assert!(decoder.held() < 1024, "{}", decoder.held());
    assert_eq!(decoder.decode(&mut &[b'x'; 70_000][..]), Ok(None));
    assert!(decoder.held() < 2 * 70_000, "{}", decoder.held());
}

#[test]
fn errors_say_what_was_found_and_what_would_do() {
    let text = |stream: &str| decoded(stream).1.unwrap_err().to_string();
    assert_eq!(
        text("Content-Length: ten\u{1b}\n"),
        "the header `Content-Length: ten\\u{1b}` gives no length; `Content-Length: N` with N in decimal digits would do"
    );
    assert_eq!(text("Content-Length: 9\n"), "a frame of `9` bytes was announced; at most 8 would do");
    assert_eq!(
        text("Content-Length: 3\n\n1"),
        "the stream ended after `1` of a body's 3 bytes; the rest should have followed"
    );
}
