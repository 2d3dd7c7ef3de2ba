//! Names that somebody may have meant.

use vise_text::letters_apart;

use crate::graph::Graph;
use crate::kinds::SymbolKind;

use super::subject::without_type_arguments;

/// Names that are longer than this are not compared letter by letter.
const LONGEST: usize = 64;

/// Symbols whose name is near to a name that nothing has, the nearest first, at most so many.
///
/// Nearer than all others is the same name elsewhere (`A.save` for `B.save`); then a name that differs in capital
/// letters only, one that begins alike, one that holds it, and last one with a few letters wrong.
pub fn suggest(graph: &Graph, text: &str, most: usize) -> Vec<u32> {
    let text = without_type_arguments(text.trim());
    let text = text.split('(').next().unwrap_or_default();
    let is_separator = |c: char| matches!(c, ':' | '.' | '#' | '/' | '\\');
    let wanted = text.rsplit(is_separator).find(|part| !part.is_empty()).unwrap_or_default();
    let wanted: Vec<char> = wanted.chars().flat_map(char::to_lowercase).take(LONGEST).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let spelled: String = wanted.iter().collect();
    let mut near: Vec<((u8, usize), &str)> = graph
        .names()
        .filter(|name| !name.is_empty())
        .filter_map(|name| Some((distance(&wanted, &spelled, name)?, name)))
        .collect();
    near.sort_unstable();
    let symbols = near.iter().flat_map(|(_, name)| graph.named(name));
    symbols.filter(|ix| graph.symbol(*ix).kind != SymbolKind::Module).take(most).collect()
}

/// How near a name is, the smaller the nearer; none where it is too far.
fn distance(wanted: &[char], spelled: &str, name: &str) -> Option<(u8, usize)> {
    let lower = name.to_lowercase();
    let length = lower.chars().count();
    let more = length.abs_diff(wanted.len());
    if lower == *spelled {
        return Some((0, 0));
    }
    if lower.starts_with(spelled) || (length > 2 && spelled.starts_with(&lower)) {
        return Some((1, more));
    }
    if wanted.len() > 2 && lower.contains(spelled) {
        return Some((2, more));
    }
    let allowed = 1 + wanted.len() / 4;
    if more > allowed || length > LONGEST {
        return None;
    }
    let letters = letters_apart(spelled, &lower);
    (letters <= allowed).then_some((3, letters))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{graph, names};
    use super::suggest;

    #[test]
    fn the_nearest_first() {
        let graph = graph(
            "a.go
  function FetchAll 1-2
  function fetch 4-5
  function prefetch 6-7
  function Fetsh 8-9
  function Other 10-11
",
        );
        let near = |text: &str| names(&graph, &suggest(&graph, text, 10));
        assert_eq!(near("Fetch"), ["a.fetch", "a.FetchAll", "a.prefetch", "a.Fetsh"]);
        assert_eq!(near("b.Other"), ["a.Other"]);
        assert_eq!(near("FetchAllOfThem"), ["a.FetchAll", "a.fetch", "a.prefetch"][..2]);
        assert_eq!(near("nothing"), [""; 0]);
        assert_eq!(near("::"), [""; 0]);
        assert_eq!(suggest(&graph, "Fetch", 2).len(), 2);
    }
}
