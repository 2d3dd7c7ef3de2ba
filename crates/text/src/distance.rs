//! How far one word is from another.

/// How many letters are to be inserted, deleted or replaced to make one word of the other.
pub fn letters_apart(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::letters_apart;

    #[test]
    fn letters_not_bytes() {
        assert_eq!(letters_apart("", "abc"), 3);
        assert_eq!(letters_apart("save", "save"), 0);
        assert_eq!(letters_apart("kitten", "sitting"), 3);
        assert_eq!(letters_apart("größe", "grosse"), 3);
    }
}
