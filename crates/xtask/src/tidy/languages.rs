//! A language is three folders; none of them may be missing.

use super::{Complaint, Tree};

pub(super) fn complete(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let languages = tree.folders("grammars");
    for language in &languages {
        let data = format!("grammars/{language}/language.toml");
        match tree.get(&data).map(str::parse::<toml::Table>) {
            None => complaints.push(Complaint::new(&data, 0, "a language's folder holds its language.toml")),
            Some(Err(error)) => complaints.push(Complaint::new(&data, 0, format!("is not TOML: {}", error.message()))),
            Some(Ok(_)) => {}
        }
        let corpus = format!("tests/{language}/search/");
        if !tree.under(&corpus).any(|(path, text)| path.ends_with(".md") && text.contains("```pattern")) {
            let message = format!("no corpus: write {corpus}basics.md (docs/testing.md says how)");
            complaints.push(Complaint::new(&data, 0, message));
        }
    }
    for folder in tree.folders("tests") {
        // `real` holds the tests against real tools, `corpus` what the runners of Markdown cases share.
        if !["real", "corpus"].contains(&folder) && !languages.contains(&folder) {
            let message = format!("there is no language of that name: grammars/{folder} is missing");
            complaints.push(Complaint::new(&format!("tests/{folder}"), 0, message));
        }
    }
    for folder in tree.folders("queries") {
        if !languages.contains(&folder) {
            let message = format!("there is no language of that name: grammars/{folder} is missing");
            complaints.push(Complaint::new(&format!("queries/{folder}"), 0, message));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_has_data_and_a_corpus() {
        let tree = Tree::of(&[
            ("grammars/a/language.toml", "name = \"a\""),
            ("tests/a/search/basics.md", "```pattern\nx\n```\n"),
            ("grammars/b/language.toml", "name ="),
            ("tests/b/search/basics.md", "# Empty\n"),
            ("tests/c/search/basics.md", ""),
            ("tests/real/main.rs", ""),
            ("queries/d/symbols.scm", ""),
        ]);
        let found: Vec<String> = complete(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 4, "{found:?}");
        assert!(found[0].starts_with("grammars/b/language.toml: is not TOML"));
        assert!(found[1].starts_with("grammars/b/language.toml: no corpus: write tests/b/search/basics.md"));
        assert!(found[2].starts_with("tests/c: there is no language of that name"));
        assert!(found[3].starts_with("queries/d: there is no language of that name"));
    }
}
