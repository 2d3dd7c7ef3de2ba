//! Which server serves a file. Presets come with the languages, a configuration changes them and adds others; what is
//! on the machine comes in as [`Surroundings`].

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use vise_syntax::Registry;
use vise_syntax::servers::{Packaged, Quirk, ReadyRule, ServerPreset, ServerRole};

use crate::error::Error;

/// A server that may be started.
#[derive(Debug, Clone)]
pub struct ServerSpec {
    /// Its name in configurations and answers.
    pub id: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Endings with their dot, in lower case, each with the language's name in the protocol.
    pub extensions: BTreeMap<String, String>,
    /// What marks a root; the workspace's root serves where there is nothing here.
    pub root_markers: Vec<String>,
    /// What it is asked for.
    pub role: ServerRole,
    /// What it is told of settings, by section.
    pub settings: Value,
    /// What it is told at the start.
    pub init_options: Value,
    /// Added to its environment.
    pub env: BTreeMap<String, String>,
    /// How long it may take to start, in seconds.
    pub start_timeout_seconds: u64,
    /// How long it may take to answer, in seconds.
    pub request_timeout_seconds: u64,
    /// After so many seconds without a question it ends.
    pub idle_seconds: u64,
    /// Whether it may be used at all.
    pub enabled: bool,
    /// Whether a configuration names it.
    pub configured: bool,
    /// How it is installed.
    pub install: String,
    pub(crate) named_by: Vec<String>,
    pub(crate) ready: ReadyRule,
    pub(crate) fatal_logs: Vec<String>,
    pub(crate) check_progress: Option<String>,
    pub(crate) quirks: Vec<Quirk>,
    pub(crate) minimum_major: Option<u32>,
    pub(crate) interpreter_setting: Option<String>,
    pub(crate) packaged: Option<Packaged>,
    pub(crate) disk_checker: Option<String>,
    pub(crate) untrusted_settings: Value,
    pub(crate) untrusted_options: Value,
    pub(crate) refuses_untrusted: bool,
}

/// `[lsp.servers.ID]` of a configuration. What is left out stays as the preset has it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the same fields as those of `ServerSpec`")]
pub struct ServerConfig {
    pub command: Option<Vec<String>>,
    pub extensions: Option<BTreeMap<String, String>>,
    pub root_markers: Option<Vec<String>>,
    pub role: Option<ServerRole>,
    pub settings: Option<Value>,
    pub init_options: Option<Value>,
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    pub start_timeout_seconds: Option<u64>,
    pub request_timeout_seconds: Option<u64>,
    pub idle_seconds: Option<u64>,
    pub enabled: Option<bool>,
}

/// What is on the machine.
pub trait Surroundings {
    /// Whether the folder has a file or folder of this name.
    fn has(&self, folder: &Path, name: &str) -> bool;

    /// Whether the TOML file has a table of this dotted name.
    fn has_table(&self, file: &Path, table: &str) -> bool;

    /// The server's program, if it is there and is the right one; else why not.
    fn program(&self, spec: &ServerSpec, root: &Path) -> Result<PathBuf, String>;
}

/// A server for a file, and the root that it is to work on.
#[derive(Debug, Clone)]
pub struct Choice<'s> {
    /// The server.
    pub server: &'s ServerSpec,
    /// Its root.
    pub root: PathBuf,
    /// Its program.
    pub program: PathBuf,
}

/// The servers for a file.
#[derive(Debug, Clone)]
pub struct Selection<'s> {
    /// Those that can answer, best first; never none. The others are for when it does not start.
    pub candidates: Vec<Choice<'s>>,
    /// Those that add diagnostics.
    pub additional: Vec<Choice<'s>>,
    /// Those that claim the file and cannot be used.
    pub unusable: Vec<Unusable>,
}

/// A server that cannot be used here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// Its name.
    pub server: String,
    /// Why not.
    pub why: String,
    /// How it is installed.
    pub install: String,
}

/// Why no server serves a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoServer {
    /// No server is known for such files.
    Unclaimed(String),
    /// The servers that are known cannot be used.
    NotThere(String, Vec<Unusable>),
    /// Two servers of the configuration want to be the first.
    Conflict(String, String, String),
}

impl fmt::Display for NoServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoServer::Unclaimed(extension) => {
                write!(f, "no language server is known for `{extension}` files; name one under `[lsp.servers]`")
            }
            NoServer::NotThere(extension, tried) => {
                write!(f, "no language server for `{extension}` files can be used here")?;
                for Unusable { server, why, install } in tried {
                    write!(f, "; `{server}`: {why} (install: {install})")?;
                }
                Ok(())
            }
            NoServer::Conflict(extension, one, other) => write!(
                f,
                "`{one}` and `{other}` are both primary for `{extension}` files; give one of them `role = \"additional\"`"
            ),
        }
    }
}

impl std::error::Error for NoServer {}

impl From<NoServer> for Error {
    fn from(none: NoServer) -> Error {
        match none {
            NoServer::Unclaimed(_) => Error::Unsupported(none.to_string()),
            NoServer::NotThere(..) => Error::Unavailable(none.to_string()),
            NoServer::Conflict(..) => Error::Refused(none.to_string()),
        }
    }
}

fn json(table: &toml::Table) -> Value {
    if table.is_empty() {
        return Value::Null;
    }
    // A table of TOML is an object of JSON whatever is in it; dates become text.
    serde_json::to_value(table).unwrap_or_default()
}

impl From<&ServerPreset> for ServerSpec {
    fn from(preset: &ServerPreset) -> ServerSpec {
        ServerSpec {
            id: preset.id.clone(),
            command: preset.command.clone(),
            extensions: preset.extensions.clone(),
            root_markers: preset.root_markers.clone(),
            role: preset.role,
            settings: json(&preset.settings),
            init_options: json(&preset.init_options),
            env: BTreeMap::new(),
            start_timeout_seconds: 60,
            request_timeout_seconds: 30,
            idle_seconds: 600,
            enabled: true,
            configured: false,
            install: preset.install.clone(),
            named_by: preset.named_by.clone(),
            ready: preset.ready.clone(),
            fatal_logs: preset.fatal_logs.clone(),
            check_progress: preset.check_progress.clone(),
            quirks: preset.quirks.clone(),
            minimum_major: preset.minimum_major,
            interpreter_setting: preset.interpreter_setting.clone(),
            packaged: preset.packaged.clone(),
            disk_checker: preset.disk_checker.clone(),
            untrusted_settings: json(&preset.untrusted.settings),
            untrusted_options: json(&preset.untrusted.init_options),
            refuses_untrusted: preset.untrusted.refuse,
        }
    }
}

/// The servers that are known without any configuration, in the order in which they are tried.
pub fn presets(registry: &Registry) -> Vec<ServerSpec> {
    registry.languages().flat_map(|language| &language.description.servers).map(ServerSpec::from).collect()
}

/// Lays a configuration over the presets.
///
/// # Errors
/// When a new server lacks what it needs.
pub fn configure(specs: &mut Vec<ServerSpec>, configs: &BTreeMap<String, ServerConfig>) -> Result<(), String> {
    for (id, config) in configs {
        let spec = match specs.iter_mut().position(|spec| spec.id == *id) {
            Some(at) => &mut specs[at],
            None => {
                if config.command.is_none() || config.extensions.is_none() {
                    return Err(format!(
                        "`[lsp.servers.{id}]` is no preset; a new server needs `command` and `extensions`"
                    ));
                }
                specs.push(ServerSpec::new(id));
                let last = specs.len() - 1;
                &mut specs[last]
            }
        };
        spec.lay_over(config)?;
    }
    Ok(())
}

impl ServerSpec {
    /// A server of which nothing is known yet.
    fn new(id: &str) -> ServerSpec {
        ServerSpec {
            id: id.to_owned(),
            command: Vec::new(),
            extensions: BTreeMap::new(),
            root_markers: Vec::new(),
            role: ServerRole::Primary,
            settings: Value::Null,
            init_options: Value::Null,
            env: BTreeMap::new(),
            start_timeout_seconds: 60,
            request_timeout_seconds: 30,
            idle_seconds: 600,
            enabled: true,
            configured: true,
            install: "as your configuration says".to_owned(),
            named_by: Vec::new(),
            ready: ReadyRule::None,
            fatal_logs: Vec::new(),
            check_progress: None,
            quirks: Vec::new(),
            minimum_major: None,
            interpreter_setting: None,
            packaged: None,
            disk_checker: None,
            untrusted_settings: Value::Null,
            untrusted_options: Value::Null,
            refuses_untrusted: false,
        }
    }

    fn lay_over(&mut self, config: &ServerConfig) -> Result<(), String> {
        let id = &self.id;
        if let Some(command) = &config.command {
            if command.first().is_none_or(String::is_empty) {
                return Err(format!("`command` of `[lsp.servers.{id}]` is empty; it is a list, the program first"));
            }
            self.command.clone_from(command);
        }
        if let Some(extensions) = &config.extensions {
            if let Some(bad) = extensions.keys().find(|key| !key.starts_with('.') || **key != key.to_lowercase()) {
                return Err(format!(
                    "`{bad}` in `extensions` of `[lsp.servers.{id}]`: an ending has its dot and is in lower case"
                ));
            }
            self.extensions.clone_from(extensions);
        }
        // To switch a preset off is not to choose it.
        self.configured |= config.enabled != Some(false);
        let take = |to: &mut u64, from: Option<u64>| *to = from.unwrap_or(*to);
        take(&mut self.start_timeout_seconds, config.start_timeout_seconds);
        take(&mut self.request_timeout_seconds, config.request_timeout_seconds);
        take(&mut self.idle_seconds, config.idle_seconds);
        self.enabled = config.enabled.unwrap_or(self.enabled);
        self.role = config.role.unwrap_or(self.role);
        if let Some(markers) = &config.root_markers {
            self.root_markers.clone_from(markers);
        }
        for (value, over) in [(&mut self.settings, &config.settings), (&mut self.init_options, &config.init_options)] {
            if let Some(over) = over {
                merge(value, over);
            }
        }
        self.env.extend(config.env.clone());
        Ok(())
    }

    /// What the server is told of settings and options, with the project's code off where it is not trusted.
    pub(crate) fn told(&self, trusted: bool) -> (Value, Value) {
        let (mut settings, mut options) = (self.settings.clone(), self.init_options.clone());
        if !trusted {
            merge(&mut settings, &self.untrusted_settings);
            merge(&mut options, &self.untrusted_options);
        }
        (settings, options)
    }

    /// Gives the server the interpreter of the project's own environment, unless the user has given it another.
    pub(crate) fn use_interpreter(&mut self, interpreter: &Path) {
        if let Some(setting) = &self.interpreter_setting {
            lay_under(&mut self.settings, setting, interpreter);
        }
    }

    /// Tells the server of the folder that its distribution put elsewhere, unless the user has told it of another.
    pub(crate) fn use_packaged(&mut self, folder: &Path) {
        if let Some(packaged) = &self.packaged {
            lay_under(&mut self.init_options, &packaged.option, folder);
        }
    }

    /// The language's name in the protocol for a file; `None` where the server does not serve it.
    pub fn language_of(&self, path: &Path) -> Option<&str> {
        self.extensions.get(&extension(path)?).map(String::as_str)
    }

    /// The root for a file: of the strongest marker that is anywhere around it, the innermost folder.
    fn root_of(&self, file: &Path, workspace: &Path, around: &dyn Surroundings) -> Option<PathBuf> {
        if self.root_markers.is_empty() || !file.starts_with(workspace) {
            return Some(workspace.to_owned());
        }
        let folders = || file.ancestors().skip(1).take_while(|folder| folder.starts_with(workspace));
        self.root_markers
            .iter()
            .find_map(|marker| folders().find(|folder| around.has(folder, marker)))
            .map(PathBuf::from)
    }

    /// Whether the project asks for this server by a file of its own.
    fn is_named(&self, file: &Path, workspace: &Path, around: &dyn Surroundings) -> bool {
        let folders = || file.ancestors().skip(1).take_while(|folder| folder.starts_with(workspace));
        self.named_by.iter().any(|named| match named.split_once('#') {
            Some((name, table)) => folders().any(|folder| around.has_table(&folder.join(name), table)),
            None => folders().any(|folder| around.has(folder, named)),
        })
    }
}

/// A file's ending in lower case, with its dot.
pub(crate) fn extension(path: &Path) -> Option<String> {
    Some(format!(".{}", path.extension()?.to_str()?.to_lowercase()))
}

/// Lays a value over another: objects member by member, anything else whole.
fn merge(value: &mut Value, over: &Value) {
    match (value, over) {
        (_, Value::Null) => {}
        (Value::Object(value), Value::Object(over)) => {
            for (key, over) in over {
                merge(value.entry(key).or_insert(Value::Null), over);
            }
        }
        (value, over) => value.clone_from(over),
    }
}

/// Sets a dotted key to a path, unless it has a value.
fn lay_under(value: &mut Value, key: &str, path: &Path) {
    let path = Value::String(path.to_string_lossy().into_owned());
    let mut under =
        key.rsplit('.').fold(path, |value, key| Value::Object([(key.to_owned(), value)].into_iter().collect()));
    merge(&mut under, value);
    *value = under;
}

/// The servers for a file. The file's ending decides, never its content.
///
/// # Errors
/// When no server claims such files, none of those that do can be used, or the configuration names two.
pub fn select<'s>(
    specs: &'s [ServerSpec],
    file: &Path,
    workspace: &Path,
    around: &dyn Surroundings,
) -> Result<Selection<'s>, NoServer> {
    let ending = extension(file).unwrap_or_default();
    let claims = |spec: &&ServerSpec| spec.enabled && spec.extensions.contains_key(&ending);
    let (mut primary, additional): (Vec<_>, Vec<_>) =
        specs.iter().filter(claims).partition(|spec| spec.role == ServerRole::Primary);
    if primary.is_empty() {
        return Err(NoServer::Unclaimed(ending));
    }
    let configured: Vec<_> = primary.iter().filter(|spec| spec.configured).collect();
    if let [one, other, ..] = configured[..] {
        return Err(NoServer::Conflict(ending, one.id.clone(), other.id.clone()));
    }
    primary.sort_by_key(|spec| (!spec.configured, !spec.is_named(file, workspace, around)));
    let mut unusable = Vec::new();
    let mut usable = |spec: &'s ServerSpec| {
        let root = spec.root_of(file, workspace, around);
        let root = root.ok_or_else(|| format!("none of {} is here", spec.root_markers.join(", ")));
        match root.and_then(|root| around.program(spec, &root).map(|program| (root, program))) {
            Ok((root, program)) => Some(Choice { server: spec, root, program }),
            Err(why) => {
                unusable.push(Unusable { server: spec.id.clone(), why, install: spec.install.clone() });
                None
            }
        }
    };
    let candidates: Vec<_> = primary.into_iter().filter_map(&mut usable).collect();
    let additional = additional.into_iter().filter_map(&mut usable).collect();
    if candidates.is_empty() {
        return Err(NoServer::NotThere(ending, unusable));
    }
    Ok(Selection { candidates, additional, unusable })
}

#[cfg(test)]
#[path = "preset_tests.rs"]
mod tests;
