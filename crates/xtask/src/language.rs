//! `cargo xtask new-language` and `check-language`: a language is three folders, one Cargo line and one registry row.

use std::path::Path;

use crate::run::{Result, cargo, step, write};

#[derive(clap::Args)]
pub(crate) struct NewArguments {
    /// The language's name, as `-l` will take it: lower-case letters and digits
    name: String,
    /// The crate that holds its grammar, for example `tree-sitter-zig`
    #[arg(long, value_name = "CRATE")]
    grammar: String,
}

#[derive(clap::Args)]
pub(crate) struct CheckArguments {
    /// The language's name
    name: String,
}

pub(crate) fn create(arguments: &NewArguments) -> Result {
    let NewArguments { name, grammar } = arguments;
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()) {
        return Err(format!("`{name}` cannot be a language's name: only lower-case letters and digits are"));
    }
    lay_out(&crate::root(), name)?;
    println!("{}", next_steps(name, grammar));
    Ok(())
}

fn lay_out(root: &Path, name: &str) -> Result {
    let data = root.join("grammars").join(name).join("language.toml");
    if data.exists() {
        return Err(format!("there is a language `{name}` already: `{}`", data.display()));
    }
    write(&data, &skeleton(LANGUAGE, name))?;
    // The queries come with the features that need them; git keeps no empty folder.
    write(&root.join("queries").join(name).join(".gitkeep"), "")?;
    write(&root.join("tests").join(name).join("search").join("basics.md"), &skeleton(CORPUS, name))
}

fn skeleton(text: &str, name: &str) -> String {
    text.replace("NAME", name)
}

fn next_steps(name: &str, grammar: &str) -> String {
    let module = grammar.replace('-', "_");
    format!(
        "Laid out grammars/{name}, queries/{name} and tests/{name}/search. What is left:\n\
         1. cargo add --package vise-syntax {grammar}\n\
         2. In crates/syntax/src/grammars.rs, add the row (\"{name}\", {module}::LANGUAGE),\n\
         3. Fill in grammars/{name}/language.toml. `cargo run --release -- dump FILE` shows the kinds the grammar has,\n   \
            `cargo run --release -- dump --pattern 'PATTERN' -l {name}` how a pattern is read on each rung.\n\
         4. Write what must hold into tests/{name}/search/basics.md (docs/testing.md has the format).\n\
         5. cargo xtask check-language {name}"
    )
}

pub(crate) fn check(arguments: &CheckArguments) -> Result {
    let name = &arguments.name;
    let data = crate::root().join("grammars").join(name).join("language.toml");
    if !data.is_file() {
        return Err(format!(
            "there is no `grammars/{name}`; `cargo xtask new-language {name} --grammar CRATE` lays it out"
        ));
    }
    // What the data and the queries say is compiled by the corpus runners: kinds and fields that the grammar lacks fail
    // there, by name.
    for package in ["vise-search", "vise-graph"] {
        step(cargo().args(["test", "--release", "-p", package, "--test", "corpus", "--", name]))?;
    }
    step(cargo().args(["run", "--quiet", "--release", "-p", "vise", "--", "dump", "--pattern", "$X", "-l", name]))
}

const LANGUAGE: &str = r#"name = "NAME"
grammar = "NAME"
aliases = []
extensions = []

# Kinds of node, as `vise dump FILE` shows them.
comments = ["comment"]
strings = ["string"]
containers = []
separators = [","]
terminator = ""

# What a pattern need not mention.
optional_fields = []
modifiers = []

# How an expression is put into parentheses; § is the expression.
parenthesis = "(§)"

# What stands for a metavariable while a pattern is parsed; § becomes a unique word.
[stand_ins]
single = ["§"]
ellipsis = ["§"]

# The ladder: a pattern is put in place of § and read on the first rung that parses. Put the frequent readings first.
[[rung]]
name = "statement"
scaffolds = ["§"]
"#;

const CORPUS: &str = "# Basics of NAME

A heading names a case, prose is free, and the fences are the case. Carets below a line mark what must match there;
a source without carets must not match at all.

## A metavariable stands for one node

```pattern
f($X)
```

```NAME
f(1)
^^^^ X = `1`
f(1, 2)
```
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_three_folders_and_is_never_laid_over_another() {
        let root = std::env::temp_dir().join(format!("xtask-language-{}", std::process::id()));
        lay_out(&root, "klingon").unwrap();
        let text = std::fs::read_to_string(root.join("grammars/klingon/language.toml")).unwrap();
        assert_eq!(text.parse::<toml::Table>().unwrap()["name"].as_str(), Some("klingon"));
        let corpus = std::fs::read_to_string(root.join("tests/klingon/search/basics.md")).unwrap();
        assert!(corpus.contains("```klingon\n"));
        assert!(root.join("queries/klingon/.gitkeep").is_file());
        assert!(lay_out(&root, "klingon").unwrap_err().contains("already"));
        crate::run::remove_dir(&root).unwrap();
    }

    #[test]
    fn a_name_is_a_plain_word() {
        for name in ["", "C++", "../x", "a b"] {
            let arguments = NewArguments { name: name.into(), grammar: "g".into() };
            assert!(create(&arguments).is_err(), "{name}");
        }
    }

    #[test]
    fn the_next_steps_can_be_pasted() {
        let text = next_steps("zig", "tree-sitter-zig");
        assert!(text.contains("(\"zig\", tree_sitter_zig::LANGUAGE)") && text.contains("check-language zig"), "{text}");
    }
}
