//! Bytes to frames.

use crate::Error;
use crate::header::{Line, classify, may_become_length};

/// A body grows by at least this much at a time, in bytes: an announced length reserves no memory by itself.
const STEP: usize = 64 * 1024;

/// What a decoder accepts, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most that may stand between two bodies: junk and the header together.
    pub header: usize,
    /// The largest body.
    pub body: usize,
}

/// 8 KiB for a header and the junk before it, 256 MiB for a body.
impl Default for Limits {
    fn default() -> Limits {
        Limits { header: 8 * 1024, body: 256 * 1024 * 1024 }
    }
}

/// What stood outside frames and was skipped. Blank lines are skipped too, but are no junk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Junk {
    /// How many bytes in all, line ends and the blanks around lines not counted.
    pub bytes: u64,
    /// How many lines in all, whole or not.
    pub lines: u64,
    /// The latest of them, as [`Error::excerpt`] shows it.
    pub latest: String,
}

impl Junk {
    fn skip(&mut self, line: &[u8]) {
        let line = line.trim_ascii();
        if line.is_empty() {
            return;
        }
        self.bytes += line.len() as u64;
        self.lines += 1;
        self.latest = Error::excerpt(line);
    }
}

/// A state machine that finds the frames in a stream of bytes.
///
/// ```
/// let mut decoder = vise_framing::Decoder::new(vise_framing::Limits::default());
/// let mut chunk: &[u8] = b"hello\nContent-Length: 2\r\n\r\n{}Content-";
/// assert_eq!(decoder.decode(&mut chunk), Ok(Some(b"{}".to_vec())));
/// assert_eq!(decoder.decode(&mut chunk), Ok(None)); // the chunk is used up
/// assert_eq!(decoder.junk().latest, "hello");
/// ```
#[derive(Debug)]
pub struct Decoder {
    limits: Limits,
    /// The unfinished line.
    line: Vec<u8>,
    /// How many bytes stand behind the last body.
    between: usize,
    /// How what stands behind the last body begins.
    gap: Vec<u8>,
    /// What the header says of the body's length.
    length: Option<usize>,
    /// The unfinished body, once its header is whole.
    body: Option<Vec<u8>>,
    junk: Junk,
    failed: Option<Error>,
}

impl Decoder {
    /// A decoder at the beginning of a stream.
    pub fn new(limits: Limits) -> Decoder {
        Decoder {
            limits,
            line: Vec::new(),
            between: 0,
            gap: Vec::new(),
            length: None,
            body: None,
            junk: Junk::default(),
            failed: None,
        }
    }

    /// The next frame's body; `None` when `input` is used up before the frame is whole.
    ///
    /// What was used is cut off the front of `input`, so the call is repeated until it answers `None`. What is behind
    /// a frame stays in `input`, and so the decoder holds no more than one header and one body.
    ///
    /// # Errors
    /// When what came is no frame and not skipped as junk, or larger than the limits. The error is final.
    pub fn decode(&mut self, input: &mut &[u8]) -> Result<Option<Vec<u8>>, Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let decoded = self.advance(input);
        if let Err(error) = &decoded {
            self.failed = Some(error.clone());
        }
        decoded
    }

    fn advance(&mut self, input: &mut &[u8]) -> Result<Option<Vec<u8>>, Error> {
        loop {
            if let (Some(body), Some(length)) = (&mut self.body, self.length) {
                let take = input.len().min(length - body.len());
                grow(body, take, length);
                body.extend_from_slice(&input[..take]);
                *input = &input[take..];
                if body.len() < length {
                    return Ok(None);
                }
                self.length = None;
                self.between = 0;
                self.gap.clear();
                return Ok(self.body.take());
            }
            // One byte over the limit is enough to know, and the same byte however the stream was cut.
            let room = self.limits.header - self.between;
            let seen = &input[..input.len().min(room + 1)];
            let end = seen.iter().position(|byte| *byte == b'\n');
            let take = end.map_or(seen.len(), |end| end + 1);
            let excess = take > room;
            let shown = 201usize.saturating_sub(self.gap.len()).min(take);
            self.gap.extend_from_slice(&input[..shown]);
            if excess {
                return Err(Error::NoHeader { found: Error::excerpt(&self.gap), limit: self.limits.header });
            }
            self.between += take;
            self.line.extend_from_slice(&input[..end.unwrap_or(take)]);
            *input = &input[take..];
            if end.is_none() {
                return Ok(None);
            }
            let line = std::mem::take(&mut self.line);
            self.line_ended(&line)?;
        }
    }

    fn line_ended(&mut self, line: &[u8]) -> Result<(), Error> {
        match (classify(line), self.length) {
            (Line::Blank, None) => {}
            (Line::Blank, Some(_)) => self.body = Some(Vec::new()),
            (Line::Length { digits, junk }, first) => {
                self.junk.skip(junk);
                let second = self.parse(digits)?;
                if let Some(first) = first.filter(|first| *first != second) {
                    return Err(Error::TwoLengths { first, second });
                }
                self.length = Some(second);
            }
            (Line::Bad, _) => return Err(Error::BadLength { found: Error::excerpt(line.trim_ascii()) }),
            // Before the length it may be another header, too; that is known of the usual one only.
            (Line::Other, None) if !line.to_ascii_lowercase().starts_with(b"content-type:") => {
                self.junk.skip(line);
            }
            (Line::Other, _) => {}
        }
        Ok(())
    }

    fn parse(&self, digits: &[u8]) -> Result<usize, Error> {
        // Digits that do not fit into a number are over any limit.
        let value = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
        value
            .filter(|length| *length <= self.limits.body)
            .ok_or_else(|| Error::TooLarge { found: Error::excerpt(digits), limit: self.limits.body })
    }

    /// Says that the stream has ended.
    ///
    /// # Errors
    /// When it ended inside a frame, or in the beginning of one. Junk at the end is no error; see [`Decoder::junk`].
    pub fn finish(&mut self) -> Result<(), Error> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let line = std::mem::take(&mut self.line);
        let error = match (&self.body, self.length) {
            (Some(body), Some(length)) => Error::EndInBody { got: body.len(), length },
            (_, None) if !may_become_length(&line) => {
                self.junk.skip(&line);
                return Ok(());
            }
            _ => Error::EndInHeader { found: Error::excerpt(line.trim_ascii()) },
        };
        self.failed = Some(error.clone());
        Err(error)
    }

    /// What was skipped so far.
    pub fn junk(&self) -> &Junk {
        &self.junk
    }

    /// How many bytes the decoder has room for at this moment: never more than both limits and a little.
    pub fn held(&self) -> usize {
        self.line.capacity() + self.gap.capacity() + self.body.as_ref().map_or(0, Vec::capacity)
    }
}

/// Makes room for `more` bytes: in steps that double, so that copying stays cheap, and never beyond the length.
fn grow(body: &mut Vec<u8>, more: usize, length: usize) {
    let need = body.len() + more;
    if need > body.capacity() {
        let room = need.max(2 * body.capacity()).max(STEP).min(length);
        body.reserve_exact(room - body.len());
    }
}
