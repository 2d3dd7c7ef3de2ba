//! The end of what a program wrote, with cursors that count its bytes.

use std::collections::VecDeque;

use crate::answer::Output;

/// How much is kept.
const LIMIT: usize = 256 * 1024;

/// The last bytes of a program's output.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    bytes: VecDeque<u8>,
    /// How many bytes came in all.
    total: u64,
}

impl Ring {
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.total += chunk.len() as u64;
        let chunk = &chunk[chunk.len().saturating_sub(LIMIT)..];
        let excess = (self.bytes.len() + chunk.len()).saturating_sub(LIMIT);
        self.bytes.drain(..excess);
        self.bytes.extend(chunk);
    }

    /// The cursor behind everything.
    #[cfg(test)]
    fn end(&self) -> u64 {
        self.total
    }

    fn start(&self) -> u64 {
        self.total - self.bytes.len() as u64
    }

    /// What was written from `since` on, as far as its text has at most `most` bytes once escaped for JSON.
    pub(crate) fn read(&self, since: u64, most: usize) -> Output {
        let from = since.clamp(self.start(), self.total);
        let raw: Vec<u8> = self.bytes.iter().skip((from - self.start()) as usize).take(most).copied().collect();
        let raw = &raw[..raw.len() - unfinished(&raw)];
        let (mut text, mut taken, mut escaped) = (String::new(), 0, 0);
        for chunk in raw.utf8_chunks() {
            for character in chunk.valid().chars() {
                let cost = escaped_length(character);
                if escaped + cost > most {
                    return output(text, from, taken, since);
                }
                escaped += cost;
                taken += character.len_utf8() as u64;
                text.push(character);
            }
            if !chunk.invalid().is_empty() {
                if escaped + 3 > most {
                    break;
                }
                escaped += 3;
                taken += chunk.invalid().len() as u64;
                text.push('\u{fffd}');
            }
        }
        output(text, from, taken, since)
    }

    /// The last `most` bytes since `since`, from the beginning of a line where there is one.
    pub(crate) fn tail(&self, since: u64, most: usize) -> Output {
        // From the end, as much as fits once it is escaped.
        let mut room = most;
        let wanted = self.bytes.iter().rev().take_while(|byte| {
            let cost = if byte.is_ascii() { escaped_length(char::from(**byte)) } else { 3 };
            room.checked_sub(cost).inspect(|left| room = *left).is_some()
        });
        let cut = self.total - wanted.count() as u64;
        if since >= cut {
            return self.read(since, most);
        }
        let skip = (cut - self.start()) as usize;
        let line = self.bytes.iter().skip(skip).take(most / 2).position(|byte| *byte == b'\n');
        let mut tail = self.read(cut + line.map_or(0, |at| at as u64 + 1), most);
        tail.dropped = tail.from.saturating_sub(since);
        tail
    }

    /// Everything that is kept, as text.
    pub(crate) fn text(&self) -> String {
        let bytes: Vec<u8> = self.bytes.iter().copied().collect();
        String::from_utf8_lossy(&bytes).replace("\r\n", "\n")
    }
}

fn output(text: String, from: u64, taken: u64, since: u64) -> Output {
    Output { text: text.replace("\r\n", "\n"), from, next: from + taken, dropped: from.saturating_sub(since) }
}

/// How many bytes at the end begin a character, or a line end, that is not there yet.
fn unfinished(bytes: &[u8]) -> usize {
    let Err(error) = std::str::from_utf8(&bytes[bytes.len().saturating_sub(4)..]) else { return 0 };
    match error.error_len() {
        None => bytes.len().min(4) - error.valid_up_to(),
        // The window may have begun inside a character; then the rest of it decides.
        Some(_) => (1..=bytes.len().min(3))
            .find(|n| std::str::from_utf8(&bytes[bytes.len() - n..]).is_err_and(|e| e.error_len().is_none()))
            .unwrap_or(0),
    }
}

fn escaped_length(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => character.len_utf8(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_count_raw_bytes_and_the_pieces_are_the_whole() {
        let mut ring = Ring::default();
        ring.push("one\r\ntwo é".as_bytes());
        ring.push(b"\xff!\n");
        let all = ring.read(0, 8192);
        assert_eq!((all.text.as_str(), all.next, all.dropped), ("one\ntwo é\u{fffd}!\n", 14, 0));
        assert_eq!(ring.read(14, 8192).text, "");
        assert_eq!(ring.read(99, 8192), Output { text: String::new(), from: 14, next: 14, dropped: 0 });
        let (mut text, mut cursor) = (String::new(), 0);
        while cursor < ring.end() {
            let part = ring.read(cursor, 6);
            assert!(part.next > cursor, "{part:?}");
            text.push_str(&part.text);
            cursor = part.next;
        }
        assert_eq!(text.replace('\r', ""), all.text);
    }

    #[test]
    fn a_character_that_is_half_there_waits() {
        let mut ring = Ring::default();
        ring.push(&"é".as_bytes()[..1]);
        assert_eq!(ring.read(0, 100).next, 0);
        ring.push(&"é".as_bytes()[1..]);
        assert_eq!(ring.read(0, 100).text, "é");
    }

    #[test]
    fn what_is_lost_is_counted() {
        let mut ring = Ring::default();
        for number in 0..100_000 {
            ring.push(format!("{number}\n").as_bytes());
        }
        let first = ring.read(0, 8192);
        assert_eq!(first.dropped, ring.end() - LIMIT as u64);
        assert_eq!(first.from, first.dropped);
        let tail = ring.tail(0, 2048);
        assert!(tail.text.ends_with("99999\n") && tail.text.len() <= 2048, "{}", tail.text.len());
        assert_eq!(tail.next, ring.end());
        assert!(tail.text.starts_with('9'), "from the beginning of a line");
    }

    #[test]
    fn escapes_count_as_what_they_become() {
        let mut ring = Ring::default();
        ring.push(&[1; 4096]);
        let part = ring.read(0, 1200);
        assert_eq!(part.next, 200);
        assert!(serde_json::to_string(&part.text).unwrap().len() <= 1202);
        assert_eq!(ring.tail(0, 1200).next, 4096);
    }
}
