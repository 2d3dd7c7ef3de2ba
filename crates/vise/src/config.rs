//! Configuration files: the user's `config.toml`, the project's `vise.toml`.
//!
//! A project's file comes with a checkout, so without trust only keys count that cannot run code.

mod debug;
mod lsp;

use std::fs;
use std::io::ErrorKind as Io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toml::{Table, Value};
use vise_tools::{ErrorKind, GraphOptions, ToolError, nearest};

pub(crate) use debug::DebugConfig;
pub(crate) use lsp::{LspConfig, Settings};

/// What the files say.
#[derive(Debug, Default)]
pub(crate) struct Config {
    pub(crate) languages: Vec<UserLanguage>,
    pub(crate) max_per_answer: Option<usize>,
    pub(crate) max_file_bytes: Option<u64>,
    pub(crate) graph: GraphOptions,
    pub(crate) lsp: LspConfig,
    pub(crate) debug: DebugConfig,
    /// After so long without a question the daemon ends.
    pub(crate) daemon_idle: Option<Duration>,
    /// Globs of checkouts that the user trusts.
    pub(crate) trusted_roots: Vec<String>,
}

/// A user's own grammar.
#[derive(Debug)]
pub(crate) struct UserLanguage {
    pub(crate) name: String,
    /// The shared library.
    pub(crate) library: PathBuf,
    /// The folder with `language.toml`.
    pub(crate) data: PathBuf,
    /// The file that says so.
    pub(crate) file: PathBuf,
}

/// The ids of what is known without any configuration.
#[derive(Debug, Default)]
pub(crate) struct Presets {
    pub(crate) servers: Vec<String>,
    pub(crate) adapters: Vec<String>,
}

impl Presets {
    /// Those of these languages.
    pub(crate) fn of(registry: &vise_tools::Registry) -> Presets {
        let mut adapters: Vec<String> = vise_dap::known(registry);
        adapters.sort();
        Presets { servers: vise_lsp::presets(registry).into_iter().map(|spec| spec.id).collect(), adapters }
    }
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum From {
    /// The user's own, which may say anything.
    User,
    /// One that came with a checkout.
    Checkout {
        /// Whether the user trusts it.
        trusted: bool,
    },
}

/// Reads a file over what is known already. A file that is not there says nothing.
///
/// `presets`: the ids of language servers that need no command, and those of debug adapters.
pub(crate) fn read(
    config: &mut Config,
    file: &Path,
    from: From,
    presets: &Presets,
    warnings: &mut Vec<String>,
) -> Result<(), ToolError> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if matches!(error.kind(), Io::NotFound | Io::NotADirectory) => return Ok(()),
        Err(error) => {
            let message = format!("the configuration `{}` cannot be read: {error}", file.display());
            return Err(ToolError::new(ErrorKind::Unavailable, message));
        }
    };
    let fail = |message: String| ToolError::bad_input(format!("`{}`: {message}", file.display()));
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let place = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        fail(format!("{place}{}", error.message()))
    })?;
    let trusted = from != From::Checkout { trusted: false };
    known(&table, "", &["daemon", "debug", "graph", "languages", "lsp", "search", "trust"]).map_err(fail)?;
    if let Some(search) = section(&table, "search").map_err(fail)? {
        known(search, "search.", &["max_per_answer", "max_file_bytes"]).map_err(fail)?;
        if let Some(number) = number(search, "search.", "max_per_answer").map_err(fail)? {
            config.max_per_answer = Some(usize::try_from(number).unwrap_or(usize::MAX));
        }
        if let Some(number) = number(search, "search.", "max_file_bytes").map_err(fail)? {
            config.max_file_bytes = Some(number);
        }
    }
    if let Some(table) = section(&table, "graph").map_err(fail)? {
        graph(&mut config.graph, table).map_err(fail)?;
    }
    let mut ignored = Vec::new();
    if let Some(table) = section(&table, "lsp").map_err(fail)? {
        ignored.extend(config.lsp.read(table, trusted, &presets.servers).map_err(fail)?);
    }
    if let Some(table) = section(&table, "debug").map_err(fail)? {
        ignored.extend(config.debug.read(table, trusted, &presets.adapters).map_err(fail)?);
    }
    if !ignored.is_empty() {
        warnings.push(format!(
            "`{}` of `{}` is ignored: it can run code, and this checkout is not trusted; `vise trust` changes that",
            ignored.join("`, `"),
            file.display()
        ));
    }
    if let Some(table) = section(&table, "daemon").map_err(fail)? {
        known(table, "daemon.", &["idle_seconds"]).map_err(fail)?;
        let seconds = number(table, "daemon.", "idle_seconds").map_err(fail)?;
        config.daemon_idle = seconds.map(Duration::from_secs).or(config.daemon_idle);
    }
    if let Some(table) = section(&table, "trust").map_err(fail)? {
        known(table, "trust.", &["roots"]).map_err(fail)?;
        if from == From::User {
            config.trusted_roots = strings(table, "trust.", "roots").map_err(fail)?.unwrap_or_default();
        } else {
            warnings.push(format!("`[trust]` of `{}` is ignored: a checkout cannot trust itself", file.display()));
        }
    }
    let Some(languages) = section(&table, "languages").map_err(fail)? else { return Ok(()) };
    if !trusted {
        let names: Vec<_> = languages.keys().map(|name| format!("`{name}`")).collect();
        warnings.push(format!(
            "`[languages]` of `{}` ({}) is ignored: a grammar library is code, and this checkout is not trusted; \
             put it into your own configuration, or `vise trust` it",
            file.display(),
            names.join(", ")
        ));
        return Ok(());
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    for (name, value) in languages {
        let path = format!("languages.{name}.");
        let Value::Table(language) = value else { return Err(fail(format!("`languages.{name}` must be a table"))) };
        known(language, &path, &["library", "data"]).map_err(fail)?;
        let text = |key: &str| match language.get(key) {
            Some(Value::String(text)) => Ok(folder.join(text)),
            Some(_) => Err(fail(format!("`{path}{key}` must be a string"))),
            None => Err(fail(format!("`{path}{key}` is missing"))),
        };
        config.languages.push(UserLanguage {
            name: name.clone(),
            library: text("library")?,
            data: text("data")?,
            file: file.to_owned(),
        });
    }
    Ok(())
}

fn graph(options: &mut GraphOptions, table: &Table) -> Result<(), String> {
    known(table, "graph.", &["exclude", "max_files", "max_file_bytes", "max_store_bytes"])?;
    let number = |key| number(table, "graph.", key);
    if let Some(exclude) = strings(table, "graph.", "exclude")? {
        options.exclude = exclude;
    }
    if let Some(files) = number("max_files")? {
        options.max_files = usize::try_from(files).unwrap_or(usize::MAX);
    }
    if let Some(bytes) = number("max_file_bytes")? {
        options.max_file_bytes = bytes;
    }
    if let Some(bytes) = number("max_store_bytes")? {
        options.max_store_bytes = bytes;
    }
    Ok(())
}

fn section<'t>(table: &'t Table, key: &str) -> Result<Option<&'t Table>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::Table(section)) => Ok(Some(section)),
        Some(_) => Err(format!("`{key}` must be a table")),
    }
}

fn strings(table: &Table, path: &str, key: &str) -> Result<Option<Vec<String>>, String> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let all = value.as_array().map(|list| list.iter().map(|one| one.as_str().map(ToOwned::to_owned)));
    let all: Option<Vec<String>> = all.and_then(Iterator::collect);
    all.map(Some).ok_or_else(|| format!("`{path}{key}` must be a list of globs, not `{value}`"))
}

fn number(table: &Table, path: &str, key: &str) -> Result<Option<u64>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::Integer(number)) if *number > 0 => Ok(Some(number.unsigned_abs())),
        Some(other) => Err(format!("`{path}{key}` must be a positive number, not `{other}`")),
    }
}

/// Complains about the first key that nobody knows.
fn known(table: &Table, path: &str, keys: &[&str]) -> Result<(), String> {
    let Some(key) = table.keys().find(|key| !keys.contains(&key.as_str())) else { return Ok(()) };
    Err(match nearest(key, keys.iter().copied()) {
        Some(nearest) => format!("unknown key `{path}{key}`; did you mean `{path}{nearest}`?"),
        None => format!("unknown key `{path}{key}`; there are `{}`", keys.join("`, `")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str, trusted: bool) -> (Result<Config, String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("vise.toml");
        fs::write(&file, text).unwrap();
        let (mut config, mut warnings) = (Config::default(), Vec::new());
        let from = From::Checkout { trusted };
        let read = read(&mut config, &file, from, &Presets::default(), &mut warnings).map_err(|error| error.message);
        (read.map(|()| config), warnings)
    }

    #[test]
    fn numbers_are_read() {
        let (config, warnings) = read_text("[search]\nmax_per_answer = 7\nmax_file_bytes = 1000", false);
        let config = config.unwrap();
        assert_eq!((config.max_per_answer, config.max_file_bytes), (Some(7), Some(1000)));
        assert!(warnings.is_empty());
    }

    #[test]
    fn the_graphs_options_are_read() {
        let text = "[graph]\nexclude = ['gen/**', '*.pb.go']\nmax_files = 20\nmax_file_bytes = 5\nmax_store_bytes = 6";
        let graph = read_text(text, false).0.unwrap().graph;
        assert_eq!(graph.exclude, ["gen/**", "*.pb.go"]);
        assert_eq!((graph.max_files, graph.max_file_bytes, graph.max_store_bytes), (20, 5, 6));
        assert!(read_text("[graph]\nexclude = 'x'", true).0.unwrap_err().contains("list of globs"));
        assert!(read_text("[graph]\nmax_file = 1", true).0.unwrap_err().contains("`graph.max_files`?"));
    }

    #[test]
    fn unknown_keys_are_errors_with_the_nearest() {
        assert!(read_text("[search]\nmax_file_byte = 1", true).0.unwrap_err().contains("`search.max_file_bytes`?"));
        assert!(read_text("[serach]", true).0.unwrap_err().contains("`search`?"));
        assert!(read_text("[languages.x]\nlib = 'a'", true).0.unwrap_err().contains("`languages.x.lib`"));
        assert!(read_text("[search]\nmax_file_bytes = -1", true).0.unwrap_err().contains("positive"));
        assert!(read_text("x = [", true).0.unwrap_err().contains("line 1"));
    }

    #[test]
    fn a_checkout_cannot_load_code_without_trust() {
        let text = "[languages.x]\nlibrary = 'a.so'\ndata = 'x'";
        let (config, warnings) = read_text(text, false);
        assert!(config.unwrap().languages.is_empty());
        assert!(warnings[0].contains("not trusted") && warnings[0].contains("`x`"));
        let (config, warnings) = read_text(text, true);
        assert!(config.unwrap().languages[0].library.ends_with("a.so"));
        assert!(warnings.is_empty());
    }
}
