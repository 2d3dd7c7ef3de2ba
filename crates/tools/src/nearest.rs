//! The known name that a mistyped one was probably meant to be.

/// The nearest of some names, if one is near: about one letter in four may be wrong.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    known
        .into_iter()
        .map(|known| (distance(name, known), known))
        .filter(|(distance, known)| *distance <= 1 + known.chars().count() / 4)
        .min()
        .map(|(_, known)| known)
}

/// Number of letters to insert, delete or replace to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
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
    use super::nearest;

    #[test]
    fn a_typo_is_near_and_another_word_is_not() {
        let known = ["max_file_bytes", "max_per_answer"];
        assert_eq!(nearest("max_file_byte", known), Some("max_file_bytes"));
        assert_eq!(nearest("languages", known), None);
    }
}
