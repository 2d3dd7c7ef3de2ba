//! The end of `docs/cli.md`, every command with its flags, is written from the declarations:
//! `UPDATE=1 cargo test -p vise --bin vise reference`.

use std::fmt::Write as _;
use std::path::Path;

use clap::{Arg, Command, CommandFactory as _};

use super::Cli;

/// From here on the page is written.
const MARK: &str =
    "<!-- From here on this page is written by `UPDATE=1 cargo test -p vise --bin vise reference`. -->\n";

fn reference() -> String {
    let mut command = Cli::command();
    command.build();
    let mut out = format!("{MARK}\n## Every command\n\nEverywhere:\n\n");
    table(&mut out, command.get_arguments().filter(|argument| argument.is_global_set()));
    for inner in command.get_subcommands() {
        section(&mut out, "vise", inner);
    }
    out
}

fn section(out: &mut String, before: &str, command: &Command) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let name = format!("{before} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let aliases: Vec<&str> = command.get_visible_aliases().collect();
    let aliases = if aliases.is_empty() { String::new() } else { format!(" (also `{}`)", aliases.join("`, `")) };
    let _ = write!(out, "\n### `{name}`{aliases}\n\n{about}.\n\n");
    table(out, command.get_arguments().filter(|argument| !argument.is_global_set()));
    for inner in command.get_subcommands() {
        section(out, &name, inner);
    }
}

fn table<'a>(out: &mut String, arguments: impl Iterator<Item = &'a Arg>) {
    let rows: Vec<String> = arguments.filter(|argument| argument.get_id() != "help").map(row).collect();
    if !rows.is_empty() {
        let _ = writeln!(out, "| flag | what it is |\n|---|---|\n{}", rows.join("\n"));
    }
}

fn row(argument: &Arg) -> String {
    let value = || {
        let names = argument.get_value_names().unwrap_or_default();
        names.first().map(|name| name.to_string()).unwrap_or_else(|| argument.get_id().to_string().to_uppercase())
    };
    let takes = argument.get_action().takes_values();
    let long =
        argument.get_long().map(|long| if takes { format!("--{long} {}", value()) } else { format!("--{long}") });
    let short = argument.get_short().map(|short| format!("-{short}"));
    let flag = match (short, long) {
        (None, None) => value(),
        (short, long) => [short, long].into_iter().flatten().collect::<Vec<_>>().join(", "),
    };
    let mut words = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let choices: Vec<String> =
        argument.get_possible_values().iter().map(|choice| format!("`{}`", choice.get_name())).collect();
    if takes && !choices.is_empty() {
        let _ = write!(words, ": {}", choices.join(" "));
    }
    format!("| `{flag}` | {} |", words.replace('|', "\\|").replace('\n', " "))
}

#[test]
fn the_page_ends_with_every_command() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, found) = page.split_once(MARK).unwrap_or((&page, ""));
    let (wanted, found) = (reference(), format!("{MARK}{found}"));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, format!("{}\n\n{wanted}", before.trim_end())).unwrap();
    } else {
        assert!(found == wanted, "docs/cli.md is not what the commands declare; `UPDATE=1` writes it");
    }
}
