//! The compiled-in languages: every file fits its grammar, and files are told by their names.

use std::path::Path;

use vise_syntax::{Registry, parse};

fn registry() -> Registry {
    Registry::embedded().expect("every language.toml fits its grammar")
}

#[test]
fn every_language_has_a_ladder_and_a_file_ending() {
    let registry = registry();
    assert!(registry.languages().count() >= 40);
    for language in registry.languages() {
        let description = &language.description;
        assert!(!description.rungs.is_empty(), "{} has no rung", language.name());
        assert!(
            !description.extensions.is_empty() || !description.filenames.is_empty(),
            "{} has no files",
            language.name()
        );
    }
}

#[test]
fn no_two_languages_claim_one_name_or_ending() {
    let mut claimed = std::collections::BTreeMap::new();
    for language in registry().languages() {
        let d = &language.description;
        let names = std::iter::once(&d.name).chain(&d.aliases).map(|name| format!("-l {name}"));
        let endings = d.extensions.iter().map(|ending| format!(".{ending}"));
        for key in names.chain(endings).chain(d.filenames.iter().cloned()) {
            let other = claimed.insert(key.clone(), d.name.clone());
            assert!(other.is_none_or(|other| other == d.name), "`{key}` is claimed twice, once by {}", d.name);
        }
    }
}

#[test]
fn the_usual_aliases_are_there() {
    let registry = registry();
    for (alias, name) in [
        ("rs", "rust"),
        ("py", "python"),
        ("js", "javascript"),
        ("ts", "typescript"),
        ("cs", "csharp"),
        ("c++", "cpp"),
        ("rb", "ruby"),
        ("kt", "kotlin"),
        ("sh", "bash"),
        ("yml", "yaml"),
        ("RUST", "rust"),
    ] {
        assert_eq!(registry.by_name(alias).map(|language| language.name()), Some(name), "{alias}");
    }
    assert!(registry.by_name("rusty").is_none());
    assert_eq!(registry.nearest("pyton"), Some("python"));
    assert_eq!(registry.nearest("zzzzzz"), None);
}

#[test]
fn files_are_told_by_name_and_scripts_by_their_first_line() {
    let registry = registry();
    let by_path = |path: &str| registry.by_path(Path::new(path)).map(|language| language.name().to_owned());
    assert_eq!(by_path("src/a.d.ts").as_deref(), Some("typescript"));
    assert_eq!(by_path("a.tsx").as_deref(), Some("tsx"));
    assert_eq!(by_path("Makefile").as_deref(), Some("make"));
    assert_eq!(by_path("noextension"), None);
    let by_line = |line: &str| registry.by_first_line(line.as_bytes()).map(|language| language.name().to_owned());
    assert_eq!(by_line("#!/usr/bin/env python3.11\n").as_deref(), Some("python"));
    assert_eq!(by_line("#!/bin/bash -e\n").as_deref(), Some("bash"));
    assert_eq!(by_line("#!/usr/bin/env -S FOO=1 node\n").as_deref(), Some("javascript"));
    assert_eq!(by_line("print(1)\n"), None);
}

#[test]
fn a_language_file_that_does_not_fit_names_the_language_and_the_key() {
    let mut registry = registry();
    let add = |registry: &mut Registry, text: &str| registry.add_description("x.toml", text).unwrap_err();
    let error = add(&mut registry, "name = 'x'\ngrammar = 'nope'\n");
    assert!(error.contains("`nope`") && error.contains("rust"), "{error}");
    let error = add(&mut registry, "name = 'x'\ngrammar = 'rust'\ncomments = ['comment_line']\n");
    assert!(error.contains("x: comments") && error.contains("`comment_line`"), "{error}");
    let error = add(&mut registry, "name = 'x'\ngrammar = 'rust'\nkinds = []\n");
    assert!(error.contains("x.toml") && error.contains("kinds"), "{error}");
    let error =
        add(&mut registry, "name = 'x'\ngrammar = 'rust'\n[[rung]]\nname = 'statement'\nscaffolds = ['fn f() {}']\n");
    assert!(error.contains("hole"), "{error}");
}

#[test]
fn broken_text_gives_a_tree_with_its_errors() {
    let registry = registry();
    let rust = registry.by_name("rust").expect("Rust is compiled in");
    for text in [&b"fn f( {"[..], b"\xff\xfe\x00", b"", b"}}}}}}"] {
        let document = parse(rust, text).expect("a short text is within the budget");
        assert_eq!(document.root().end().min(text.len()), document.root().end());
    }
    assert!(parse(rust, b"fn f( {").expect("short").error_count() > 0);
    assert_eq!(parse(rust, b"fn f() {}").expect("short").error_count(), 0);
}

#[test]
fn deep_nesting_is_parsed_without_recursion() {
    let registry = registry();
    let python = registry.by_name("python").expect("Python is compiled in");
    let text = format!("x = {}1{}\n", "(".repeat(100_000), ")".repeat(100_000));
    let document = parse(python, text.as_bytes()).expect("within the budget");
    let mut deepest = 0;
    vise_syntax::visit(document.root(), |node| {
        deepest = deepest.max(node.start());
        true
    });
    assert!(deepest > 100_000);
}
