//! `[lsp]` of a configuration: which language servers there are, and what they may take.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::time::Duration;

use serde::Deserialize;
use toml::{Table, Value};
use vise_lsp::{ServerConfig, ServerSpec};

use super::{known, number, section};

/// `[lsp]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LspConfig {
    /// Laid over the presets, the user's first.
    pub(crate) servers: Vec<BTreeMap<String, Server>>,
    pub(crate) ready: Duration,
    pub(crate) diagnostics: Duration,
    pub(crate) max_servers: usize,
    pub(crate) max_memory_percent: u64,
}

/// `[lsp.servers.ID]`, as it stands in the file.
type Server = Table;

/// Everything that a question to a language server or a debugger depends on beside the question.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) servers: Vec<ServerSpec>,
    pub(crate) lsp: LspConfig,
    pub(crate) debug: super::DebugConfig,
    /// Whether code of the project may run.
    pub(crate) trusted: bool,
    /// Where programs are looked for.
    pub(crate) path: OsString,
}

impl Default for LspConfig {
    fn default() -> LspConfig {
        LspConfig {
            servers: Vec::new(),
            ready: Duration::from_secs(15),
            diagnostics: Duration::from_secs(5),
            max_servers: 8,
            max_memory_percent: 40,
        }
    }
}

const KEYS: [&str; 11] = [
    "command",
    "extensions",
    "root_markers",
    "role",
    "settings",
    "init_options",
    "env",
    "start_timeout_seconds",
    "request_timeout_seconds",
    "idle_seconds",
    "enabled",
];
/// What counts without trust: none of it runs code or says what is run.
const HARMLESS: [&str; 4] = ["enabled", "start_timeout_seconds", "request_timeout_seconds", "idle_seconds"];

impl LspConfig {
    /// Reads `[lsp]` over what is known already. `presets`: the ids that need no command. Gives back the keys that do not
    /// count, because the file comes with a checkout that nobody trusts.
    pub(super) fn read(&mut self, table: &Table, trusted: bool, presets: &[String]) -> Result<Vec<String>, String> {
        let numbers = ["ready_timeout_seconds", "diagnostics_timeout_seconds", "max_servers", "max_memory_percent"];
        known(table, "lsp.", &[&numbers[..], &["servers"]].concat())?;
        let mut ignored = Vec::new();
        let get = |key| number(table, "lsp.", key);
        if let Some(seconds) = get("ready_timeout_seconds")? {
            self.ready = Duration::from_secs(seconds);
        }
        if let Some(seconds) = get("diagnostics_timeout_seconds")? {
            self.diagnostics = Duration::from_secs(seconds);
        }
        for key in ["max_servers", "max_memory_percent"] {
            match get(key)? {
                Some(_) if !trusted => ignored.push(format!("lsp.{key}")),
                Some(number) if key == "max_servers" => {
                    self.max_servers = usize::try_from(number).unwrap_or(usize::MAX);
                }
                Some(number) if number <= 100 => self.max_memory_percent = number,
                Some(number) => return Err(format!("`lsp.max_memory_percent` is at most 100, not `{number}`")),
                None => {}
            }
        }
        let mut servers = BTreeMap::new();
        for (id, value) in section(table, "servers")?.into_iter().flatten() {
            let path = format!("lsp.servers.{id}.");
            let Value::Table(server) = value else { return Err(format!("`lsp.servers.{id}` must be a table")) };
            known(server, &path, &KEYS)?;
            let mut server = server.clone();
            if !trusted {
                if !presets.contains(id) {
                    ignored.push(format!("lsp.servers.{id}"));
                    continue;
                }
                ignored
                    .extend(server.keys().filter(|key| !HARMLESS.contains(&&***key)).map(|key| format!("{path}{key}")));
                server.retain(|key, _| HARMLESS.contains(&key));
            }
            // Read here, so that a mistake is said with its file, and again when it is laid over the presets.
            read_server(id, &server)?;
            servers.insert(id.clone(), server);
        }
        if !servers.is_empty() {
            self.servers.push(servers);
        }
        Ok(ignored)
    }

    /// The servers, with the configuration laid over the presets.
    ///
    /// # Errors
    /// When a new server lacks what it needs.
    pub(crate) fn over(&self, mut presets: Vec<ServerSpec>) -> Result<Vec<ServerSpec>, String> {
        for servers in &self.servers {
            let read = |(id, server): (&String, &Server)| Ok((id.clone(), read_server(id, server)?));
            let configs = servers.iter().map(read).collect::<Result<BTreeMap<_, _>, String>>()?;
            vise_lsp::configure(&mut presets, &configs)?;
        }
        Ok(presets)
    }
}

fn read_server(id: &str, server: &Server) -> Result<ServerConfig, String> {
    let read = ServerConfig::deserialize(Value::Table(server.clone()));
    read.map_err(|error| format!("`lsp.servers.{id}`: {}", error.message().trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, trusted: bool) -> Result<(LspConfig, Vec<String>), String> {
        let table: Table = text.parse().unwrap();
        let mut config = LspConfig::default();
        let ignored = config.read(section(&table, "lsp")?.unwrap(), trusted, &["pyright".into()])?;
        Ok((config, ignored))
    }

    #[test]
    fn a_checkout_chooses_and_a_user_commands() {
        let text = "[lsp]\nready_timeout_seconds = 3\nmax_servers = 2\n\
            [lsp.servers.pyright]\ncommand = ['x']\nenabled = false\n[lsp.servers.mine]\ncommand = ['y']\nextensions = { '.q' = 'q' }";
        let (config, ignored) = read(text, false).unwrap();
        assert_eq!(ignored, ["lsp.max_servers", "lsp.servers.mine", "lsp.servers.pyright.command"]);
        assert_eq!((config.ready, config.max_servers), (Duration::from_secs(3), 8));
        let keys: Vec<_> = config.servers[0]["pyright"].keys().collect();
        assert_eq!(keys, ["enabled"]);
        let (config, ignored) = read(text, true).unwrap();
        assert!(ignored.is_empty());
        let specs = config.over(Vec::new()).unwrap_err();
        assert!(specs.contains("`command` and `extensions`"), "{specs}");
    }

    #[test]
    fn mistakes_name_the_key() {
        assert!(read("[lsp]\nmax_server = 1", true).unwrap_err().contains("`lsp.max_servers`?"));
        let wrong = read("[lsp.servers.pyright]\ncomand = ['x']", true).unwrap_err();
        assert!(wrong.contains("`lsp.servers.pyright.command`?"), "{wrong}");
        let wrong = read("[lsp.servers.pyright]\ncommand = 'x'", true).unwrap_err();
        assert!(wrong.contains("lsp.servers.pyright"), "{wrong}");
        assert!(read("[lsp]\nmax_memory_percent = 400", true).unwrap_err().contains("at most 100"));
    }
}
