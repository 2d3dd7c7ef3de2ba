//! The state machine as a codec of `tokio_util`.

use crate::{Decoder, Error, Junk, Limits, encode};
use bytes::{Buf, BytesMut};
use std::fmt;
use std::io;

/// Frames for `tokio_util`'s `FramedRead`, `FramedWrite` and `Framed`; an item is a frame's body.
#[derive(Debug)]
pub struct Codec {
    decoder: Decoder,
    limits: Limits,
}

impl Codec {
    /// A codec for one stream; the limit on bodies holds both ways.
    pub fn new(limits: Limits) -> Codec {
        Codec { decoder: Decoder::new(limits), limits }
    }

    /// What was skipped so far on the way in.
    pub fn junk(&self) -> &Junk {
        self.decoder.junk()
    }
}

/// Why a framed stream ended.
#[derive(Debug)]
pub enum CodecError {
    /// What came or should go is no frame.
    Framing(Error),
    /// The stream itself failed.
    Io(io::Error),
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodecError::Framing(error) => error.fmt(f),
            CodecError::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CodecError {}

impl From<io::Error> for CodecError {
    fn from(error: io::Error) -> CodecError {
        CodecError::Io(error)
    }
}

impl From<Error> for CodecError {
    fn from(error: Error) -> CodecError {
        CodecError::Framing(error)
    }
}

impl tokio_util::codec::Decoder for Codec {
    type Item = Vec<u8>;
    type Error = CodecError;

    fn decode(&mut self, source: &mut BytesMut) -> Result<Option<Vec<u8>>, CodecError> {
        let mut input = &source[..];
        let decoded = self.decoder.decode(&mut input);
        let used = source.len() - input.len();
        source.advance(used);
        Ok(decoded?)
    }

    fn decode_eof(&mut self, source: &mut BytesMut) -> Result<Option<Vec<u8>>, CodecError> {
        let decoded = self.decode(source)?;
        if decoded.is_none() {
            self.decoder.finish()?;
        }
        Ok(decoded)
    }
}

impl<B: AsRef<[u8]>> tokio_util::codec::Encoder<B> for Codec {
    type Error = CodecError;

    fn encode(&mut self, body: B, target: &mut BytesMut) -> Result<(), CodecError> {
        let body = body.as_ref();
        if body.len() > self.limits.body {
            return Err(Error::TooLarge { found: body.len().to_string(), limit: self.limits.body }.into());
        }
        target.extend_from_slice(&encode(body));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_util::codec::{Decoder as _, Encoder as _};

    const LIMITS: Limits = Limits { header: 64, body: 4 };

    #[test]
    fn frames_come_out_as_they_went_in_and_nothing_stays_behind() {
        let (mut codec, mut wire) = (Codec::new(LIMITS), BytesMut::from(&b"hi\n"[..]));
        for body in ["", "a", "abcd"] {
            codec.encode(body, &mut wire).unwrap();
        }
        for body in ["", "a", "abcd"] {
            assert_eq!(codec.decode(&mut wire).unwrap(), Some(body.as_bytes().to_vec()));
        }
        assert_eq!(codec.decode(&mut wire).unwrap(), None);
        assert_eq!(codec.decode_eof(&mut wire).unwrap(), None);
        assert!(wire.is_empty());
        assert_eq!(codec.junk().latest, "hi");
    }

    #[test]
    fn the_end_of_the_stream_inside_a_frame_is_an_error() {
        let mut codec = Codec::new(LIMITS);
        let mut wire = BytesMut::from(&b"Content-Length: 1\r\n\r\naContent-Length: 2\r\n\r\nb"[..]);
        assert_eq!(codec.decode_eof(&mut wire).unwrap(), Some(b"a".to_vec()));
        let error = codec.decode_eof(&mut wire).unwrap_err();
        assert!(matches!(error, CodecError::Framing(Error::EndInBody { got: 1, length: 2 })), "{error}");
    }

    #[test]
    fn a_body_over_the_limit_is_not_sent() {
        let mut wire = BytesMut::new();
        let error = Codec::new(LIMITS).encode("abcde", &mut wire).unwrap_err();
        assert_eq!(error.to_string(), "a frame of `5` bytes was announced; at most 4 would do");
        assert!(wire.is_empty());
    }
}
