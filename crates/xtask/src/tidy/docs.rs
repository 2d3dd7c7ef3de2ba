//! Checks of the documentation.

use std::collections::BTreeSet;

use super::sources::loser_in;
use super::{Complaint, Tree};

/// The pages a person reads: those at the root and those in docs/.
fn pages(tree: &Tree) -> impl Iterator<Item = (&str, &str)> {
    tree.all().filter(|(path, _)| path.ends_with(".md") && (path.starts_with("docs/") || !path.contains('/')))
}

/// The lines of a page outside its fences, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<&str> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let start = line.trim_start();
        let ticks = &start[..start.len() - start.trim_start_matches('`').len()];
        match fence {
            Some(open) if ticks.len() >= open.len() && start.len() == ticks.len() => fence = None,
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => return Some((index + 1, line)),
            Some(_) => {}
        }
        None
    })
}

fn headings(text: &str) -> impl Iterator<Item = (usize, &str)> {
    prose(text).filter_map(|(number, line)| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len() && title.starts_with(' ')).then(|| (number, title.trim()))
    })
}

pub(super) fn losing_words(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in pages(tree) {
        for (line, title) in headings(text) {
            let words =
                |text: &str| text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect::<Vec<_>>();
            if let Some((loser, winner)) = loser_in(&words(title)) {
                let message = format!("the house's word for `{loser}` is `{winner}` (docs/glossary.md)");
                complaints.push(Complaint::new(path, line, message));
            }
        }
    }
    complaints
}

pub(super) fn links(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in pages(tree) {
        for (line, target) in prose(text).flat_map(|(line, text)| targets(text).into_iter().map(move |t| (line, t))) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { Some(path.to_string()) } else { resolve(path, file) };
            match file.filter(|file| tree.exists(file)) {
                None => complaints.push(Complaint::new(path, line, format!("`{target}` leads nowhere"))),
                Some(file) if !anchor.is_empty() && !anchors(tree.get(&file).unwrap_or_default()).contains(anchor) => {
                    complaints.push(Complaint::new(path, line, format!("`{file}` has no heading `#{anchor}`")));
                }
                Some(_) => {}
            }
        }
    }
    complaints
}

/// The targets of the links in a line; what stands in backticks is no link.
fn targets(line: &str) -> Vec<&str> {
    let spoken: Vec<&str> = line.split('`').collect();
    let mut found = Vec::new();
    // Every second piece stands between backticks, but `[`a`](b)` puts its `](` right after one.
    for piece in spoken.iter().step_by(2) {
        for (at, _) in piece.match_indices("](") {
            let rest = &piece[at + 2..];
            if let Some(end) = rest.find(')') {
                found.push(rest[..end].split_whitespace().next().unwrap_or_default());
            }
        }
    }
    found
}

/// `target` from the folder of `page`, as a path from the root; none where it leaves the root.
fn resolve(page: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The anchors that a page's headings get where it is shown: lower case, dashes for spaces, other signs dropped.
fn anchors(text: &str) -> BTreeSet<String> {
    let slug = |title: &str| -> String {
        let kept = title.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings(text).map(|(_, title)| slug(title)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(check: fn(&Tree) -> Vec<Complaint>, page: &str) -> Vec<String> {
        let tree = Tree::of(&[("docs/a.md", page), ("docs/b.md", "# The `first` rule: x\n"), ("README.md", "")]);
        check(&tree).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn links_resolve_from_their_own_folder() {
        let good = "# Top\n[b](b.md) [r](../README.md) [`c`](b.md#the-first-rule-x) [t](#top) [w](https://x.y/z) [d](../docs)\n\
                    `[code](nowhere)`\n```text\n[fenced](nowhere)\n```\n";
        assert_eq!(check(links, good), Vec::<String>::new());
        let found = check(links, "\n[x](nowhere.md) [y](b.md#no)\n[z](../../out.md)");
        assert_eq!(
            found,
            [
                "docs/a.md:2: `nowhere.md` leads nowhere",
                "docs/a.md:2: `docs/b.md` has no heading `#no`",
                "docs/a.md:3: `../../out.md` leads nowhere",
            ]
        );
    }

    #[test]
    fn headings_use_the_words_that_won() {
        assert_eq!(check(losing_words, "## Patch sets\n\n```sh\n# placeholder\n```\nwildcard\n").len(), 1);
    }

    #[test]
    fn longer_fences_hold_shorter_ones() {
        let lines: Vec<usize> = prose("a\n````markdown\n```pattern\n```\n````\nb").map(|(line, _)| line).collect();
        assert_eq!(lines, [1, 6]);
    }
}
