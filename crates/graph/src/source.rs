//! What resolving is given: the facts of every file, and the texts that say how a project is put together.

use vise_syntax::Language;

use crate::facts::FileFacts;

/// A file and what it says.
#[derive(Debug)]
pub struct SourceFile<'r> {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Its language.
    pub language: &'r Language,
    /// What it says.
    pub facts: FileFacts,
}

/// A file that says how imports find files (`Cargo.toml`, `tsconfig.json`, `go.mod`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectFile {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Its text; what is not UTF-8 in it shows as U+FFFD.
    pub text: String,
}
