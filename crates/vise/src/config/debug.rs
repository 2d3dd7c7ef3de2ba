//! `[debug]` of a configuration: which debug adapters there are, and how long sessions may last.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use toml::{Table, Value};
use vise_dap::AdapterConfig;

use super::{known, number, section};

/// `[debug]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DebugConfig {
    pub(crate) adapters: BTreeMap<String, AdapterConfig>,
    pub(crate) lifetime: Duration,
    pub(crate) idle: Duration,
    pub(crate) build: Duration,
    pub(crate) max_sessions: usize,
}

impl Default for DebugConfig {
    fn default() -> DebugConfig {
        DebugConfig {
            adapters: BTreeMap::new(),
            lifetime: Duration::from_secs(300),
            idle: Duration::from_secs(180),
            build: Duration::from_secs(180),
            max_sessions: 4,
        }
    }
}

impl DebugConfig {
    /// Reads `[debug]` over what is known already. Gives back the keys that do not count, because the file comes with a
    /// checkout that nobody trusts.
    pub(super) fn read(&mut self, table: &Table, trusted: bool, presets: &[String]) -> Result<Vec<String>, String> {
        known(table, "debug.", &["adapters", "lifetime_seconds", "idle_seconds", "build_seconds", "max_sessions"])?;
        let times = [
            ("lifetime_seconds", &mut self.lifetime),
            ("idle_seconds", &mut self.idle),
            ("build_seconds", &mut self.build),
        ];
        for (key, time) in times {
            if let Some(seconds) = number(table, "debug.", key)? {
                if seconds > 900 {
                    return Err(format!("`debug.{key}` is at most 900, not `{seconds}`"));
                }
                *time = Duration::from_secs(seconds);
            }
        }
        let mut ignored = Vec::new();
        match number(table, "debug.", "max_sessions")? {
            Some(_) if !trusted => ignored.push("debug.max_sessions".to_owned()),
            Some(most) => self.max_sessions = usize::try_from(most).unwrap_or(usize::MAX),
            None => {}
        }
        for (id, value) in section(table, "adapters")?.into_iter().flatten() {
            let path = format!("debug.adapters.{id}");
            let Value::Table(adapter) = value else { return Err(format!("`{path}` must be a table")) };
            known(adapter, &format!("{path}."), &["command", "env", "enabled"])?;
            if !presets.contains(id) {
                return Err(format!("`{path}` is no adapter; there are: {}", presets.join(" ")));
            }
            let read = AdapterConfig::deserialize(Value::Table(adapter.clone()));
            let mut read = read.map_err(|error| format!("`{path}`: {}", error.message()))?;
            if !trusted {
                // Both say what is run.
                let kept = AdapterConfig { enabled: read.enabled, ..AdapterConfig::default() };
                let dropped = adapter.keys().filter(|key| *key != "enabled").map(|key| format!("{path}.{key}"));
                ignored.extend(dropped);
                read = kept;
            }
            let one = self.adapters.entry(id.clone()).or_default();
            one.command = read.command.or(one.command.take());
            one.enabled = read.enabled.or(one.enabled);
            one.env.extend(read.env);
        }
        Ok(ignored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, trusted: bool) -> (Result<Vec<String>, String>, DebugConfig) {
        let mut config = DebugConfig::default();
        let ignored = config.read(&text.parse().unwrap(), trusted, &["debugpy".to_owned(), "delve".to_owned()]);
        (ignored, config)
    }

    #[test]
    fn a_checkout_says_what_is_run_only_with_trust() {
        let text = "idle_seconds = 9\n[adapters.debugpy]\ncommand = ['x']\nenabled = false\n";
        let (ignored, config) = read(text, false);
        assert_eq!(ignored.unwrap(), ["debug.adapters.debugpy.command"]);
        assert_eq!(config.adapters["debugpy"], AdapterConfig { enabled: Some(false), ..AdapterConfig::default() });
        let (ignored, config) = read(text, true);
        assert!(ignored.unwrap().is_empty());
        assert_eq!(
            (config.adapters["debugpy"].command.as_deref(), config.idle.as_secs()),
            (Some(&["x".to_owned()][..]), 9)
        );
    }

    #[test]
    fn mistakes_are_named() {
        assert!(read("lifetime_seconds = 901", true).0.unwrap_err().contains("at most 900"));
        assert!(read("[adapters.pdb]\ncommand = ['x']", true).0.unwrap_err().contains("there are: debugpy"));
        assert!(read("[adapters.delve]\ncommand = 'x'", true).0.unwrap_err().contains("debug.adapters.delve"));
    }
}
