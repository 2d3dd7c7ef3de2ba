//! `[[adapter]]` of a `language.toml`: the debug adapters that are known, as plain data. `docs/debugging.md` explains the
//! keys; `vise-dap` is who reads them.

use serde::Deserialize;

/// A debug adapter that can be used where it is installed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdapterPreset {
    /// Its name in configurations and answers.
    pub id: String,
    /// Programs with their arguments; the first that is there is used. None where a configuration has to name it.
    pub commands: Vec<Vec<String>>,
    /// The endings of the programs that it runs, with their dot and in lower case.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// What else it runs.
    #[serde(default)]
    pub runs: Vec<Runs>,
    /// How one talks to it.
    #[serde(default)]
    pub transport: Transport,
    /// In what it differs from the others.
    pub speaks: Dialect,
    /// How it is installed: a command, or where to look.
    pub install: String,
}

/// What an adapter runs besides files of its endings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Runs {
    /// Programs of the machine.
    Executables,
    /// Programs of the machine that Go built, and folders with Go files.
    GoPrograms,
    /// Modules of Python.
    Modules,
}

/// How one talks to an adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// Over its standard streams.
    #[default]
    Stdio,
    /// It dials us: `--client-addr` and an address are appended to its command.
    DialsUs,
    /// It listens on a socket in a folder of ours, whose path is appended to its command.
    Socket,
}

/// Whose words an adapter uses for what the protocol leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the words are the adapters' names")]
pub enum Dialect {
    Debugpy,
    LldbDap,
    Delve,
    JsDebug,
    Gdb,
}
