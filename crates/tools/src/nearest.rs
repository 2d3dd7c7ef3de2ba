//! The known name that a mistyped one was probably meant to be.

use vise_text::letters_apart;

/// The nearest of some names, if one is near: about one letter in four may be wrong.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    known
        .into_iter()
        .map(|known| (letters_apart(name, known), known))
        .filter(|(distance, known)| *distance <= 1 + known.chars().count() / 4)
        .min()
        .map(|(_, known)| known)
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
