//! Frames to bytes.

/// The frame that holds `body`: one header, and nothing but its length in it.
///
/// There are servers that drop a message with a second header, so there is none, not even `Content-Type`.
pub fn encode(body: &[u8]) -> Vec<u8> {
    let header = format!("Content-Length: {}\r\n\r\n", body.len());
    let mut frame = Vec::with_capacity(header.len() + body.len());
    frame.extend_from_slice(header.as_bytes());
    frame.extend_from_slice(body);
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_counts_bytes_and_stands_alone() {
        assert_eq!(encode("{\"é\":1}".as_bytes()), "Content-Length: 8\r\n\r\n{\"é\":1}".as_bytes());
        assert_eq!(encode(b""), b"Content-Length: 0\r\n\r\n");
    }
}
