//! `[[server]]` of a `language.toml`: the language servers that are known, as plain data. `docs/language-servers.md`
//! explains the keys; `vise-lsp` is who reads them.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A language server that can be used where it is installed.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServerPreset {
    /// Its name in configurations and answers.
    pub id: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The endings of the files that it serves, with their dot and in lower case, each with the language's name in the
    /// protocol.
    pub extensions: BTreeMap<String, String>,
    /// Files and folders that mark a root, the strongest first. A root is the innermost folder with the strongest.
    #[serde(default)]
    pub root_markers: Vec<String>,
    /// Files of a project that ask for this very server: a name, or `FILE#TABLE` for a table in a TOML file.
    #[serde(default)]
    pub named_by: Vec<String>,
    /// What it is asked for.
    #[serde(default)]
    pub role: ServerRole,
    /// How it says that its index is complete.
    #[serde(default)]
    pub ready: ReadyRule,
    /// What it is told of the user's settings, by section.
    #[serde(default)]
    pub settings: toml::Table,
    /// Its `initializationOptions`.
    #[serde(default)]
    pub init_options: toml::Table,
    /// The setting, dotted, that takes the interpreter of a project's own environment.
    #[serde(default)]
    pub interpreter_setting: Option<String>,
    /// What it is told where a distribution packaged it.
    #[serde(default)]
    pub packaged: Option<Packaged>,
    /// The program behind it that reads the disk, and is off where the project is not trusted.
    #[serde(default)]
    pub disk_checker: Option<String>,
    /// What is laid over both where the project is not trusted, so that none of the project's code runs.
    #[serde(default)]
    pub untrusted: Untrusted,
    /// The program is another one below this major version.
    #[serde(default)]
    pub minimum_major: Option<u32>,
    /// How the tokens of progress begin that belong to a checker which reads the saved files, where it runs one.
    #[serde(default)]
    pub check_progress: Option<String>,
    /// Errors in its log that mean that the program behind it is gone.
    #[serde(default)]
    pub fatal_logs: Vec<String>,
    /// In what it differs from what the protocol lets one expect.
    #[serde(default)]
    pub quirks: Vec<Quirk>,
    /// How it is installed: a command, or where to look.
    pub install: String,
}

/// A folder that a server does not find by itself, because a distribution's packages put it elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packaged {
    /// Programs below this folder are the distribution's.
    pub program: String,
    /// The folder; one part of the path may have a `*`, and then the last by name is taken.
    pub folder: String,
    /// The option, dotted, that takes it.
    pub option: String,
}

/// What a server is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerRole {
    /// Everything; a file has one such server.
    #[default]
    Primary,
    /// Diagnostics, beside another server.
    Additional,
}

/// How a server says that its answers are complete.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", tag = "signal")]
pub enum ReadyRule {
    /// It says nothing, and at first its answers may lack other files.
    #[default]
    None,
    /// It answers completely from the first request on.
    Immediate,
    /// A field of a notification that goes from false to true. True from the beginning says nothing.
    Rising {
        /// The notification's method.
        method: String,
        /// The field.
        field: String,
    },
    /// A notification whose field has one of these values.
    Value {
        /// The notification's method.
        method: String,
        /// The field.
        field: String,
        /// The values.
        values: Vec<String>,
    },
    /// The end of all work whose title or token begins with one of these.
    Progress {
        /// The beginnings.
        starts: Vec<String>,
        /// How long it may take until the first of them, in milliseconds; after that nothing is waited for.
        grace_ms: u64,
    },
    /// A line of its log that begins so; its first answers may still lack other files.
    Log {
        /// The beginning.
        starts: String,
    },
}

/// What makes a server safe in a project that is not trusted.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Untrusted {
    /// Over its settings.
    #[serde(default)]
    pub settings: toml::Table,
    /// Over its options.
    #[serde(default)]
    pub init_options: toml::Table,
    /// It runs the project's code whatever it is told, so that it does not start there.
    #[serde(default)]
    pub refuse: bool,
}

/// In what a server differs from what the protocol lets one expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quirk {
    /// It does not see files that were made after it started.
    NewFilesUnseen,
    /// It sees a change on disk only when the file is opened.
    ReadsOnOpen,
    /// It knows no symbols of the workspace until one of its files is open.
    NeedsOpenFile,
    /// It says nothing of a file where nothing is wrong; the program behind it answers when it is asked.
    AsksTsserver,
}
