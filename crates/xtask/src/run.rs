//! Running other programs: say what is run, fail with what it said.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) type Result<T = ()> = std::result::Result<T, String>;

/// Prints the command as one would type it, runs it with our terminal, and fails if it fails.
pub(crate) fn step(command: &mut Command) -> Result {
    eprintln!("$ {}", shown(command));
    let status = command.status().map_err(|error| format!("cannot start `{}`: {error}", shown(command)))?;
    if status.success() { Ok(()) } else { Err(format!("`{}` failed ({status})", shown(command))) }
}

/// Runs a command quietly and gives its standard output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|error| format!("cannot start `{}`: {error}", shown(command)))?;
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{}` failed ({})\n{}", shown(command), output.status, words.trim_end()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The command as one would type it, without the environment.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Cargo itself, run in the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(crate::root());
    command
}

/// Where `name` is on PATH.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Fails with a sentence that says what to install by hand.
pub(crate) fn require(program: &str, why: &str, install: &str) -> Result<PathBuf> {
    on_path(program)
        .ok_or_else(|| format!("`{program}` is not on PATH; {why}. Install it by hand, for example: {install}"))
}

pub(crate) fn create_dir(folder: &Path) -> Result {
    std::fs::create_dir_all(folder).map_err(|error| format!("cannot create `{}`: {error}", folder.display()))
}

pub(crate) fn write(file: &Path, text: &str) -> Result {
    if let Some(folder) = file.parent() {
        create_dir(folder)?;
    }
    std::fs::write(file, text).map_err(|error| format!("cannot write `{}`: {error}", file.display()))
}

pub(crate) fn remove_dir(folder: &Path) -> Result {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(format!("cannot remove `{}`: {error}", folder.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_a_command_as_it_would_be_typed() {
        let mut command = Command::new("vise");
        command.args(["grep", "$X.unwrap()", "-l", "rust", "it's"]);
        assert_eq!(shown(&command), r"vise grep '$X.unwrap()' -l rust 'it'\''s'");
    }

    #[test]
    fn a_missing_program_says_what_to_install() {
        let message = require("no-such-program-anywhere", "the tests run it", "apt-get install it").unwrap_err();
        assert!(message.contains("`no-such-program-anywhere`") && message.contains("apt-get install it"), "{message}");
    }

    #[test]
    fn a_failing_command_reports_what_it_said() {
        let message = output(Command::new("sh").args(["-c", "echo oh no >&2; exit 3"])).unwrap_err();
        assert!(message.contains("oh no") && message.contains('3'), "{message}");
    }
}
