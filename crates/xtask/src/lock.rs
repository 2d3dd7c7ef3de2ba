//! `tools.lock`: the versions of everything fetched, and the tools that tests need from a registry.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Result, create_dir, on_path, output, remove_dir, require, step};

/// The pinned version of `name`.
pub(crate) fn version(name: &str) -> Result<&'static str> {
    pinned(include_str!("../tools.lock"), name)
        .ok_or_else(|| format!("crates/xtask/tools.lock has no line for `{name}`"))
}

fn pinned<'t>(lock: &'t str, name: &str) -> Option<&'t str> {
    lock.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some(name)).then(|| words.next()).flatten()
    })
}

/// ast-grep at the pinned version: the one on PATH if it is that version, else installed into `target/tools`.
///
/// `pip install --target` and not a virtual environment: it needs no `ensurepip` (Debian ships that apart) and
/// it is allowed where the system's Python is marked as externally managed.
pub(crate) fn ast_grep() -> Result<PathBuf> {
    let version = version("ast-grep-cli")?;
    if let Some(found) = on_path("ast-grep")
        && is_version(&found, version)
    {
        return Ok(found);
    }
    let folder = crate::target().join("tools").join(format!("ast-grep-{version}"));
    let binary = folder.join("bin").join("ast-grep");
    if is_version(&binary, version) {
        return Ok(binary);
    }
    let python = require("python3", "the tests install ast-grep with it", "apt-get install python3 python3-pip")?;
    if !has_pip(&python) {
        return Err(format!(
            "`python3 -m pip` does not work here, and there is no ast-grep {version} on PATH. Install either by \
             hand, for example: apt-get install python3-pip, or cargo install ast-grep --version {version} --locked"
        ));
    }
    remove_dir(&folder)?;
    create_dir(&folder)?;
    step(install(&python, &folder).arg("--no-deps").arg(format!("ast-grep-cli=={version}")))?;
    if is_version(&binary, version) {
        Ok(binary)
    } else {
        Err(format!("`{}` was installed but does not answer `--version` with {version}", binary.display()))
    }
}

fn has_pip(python: &Path) -> bool {
    output(Command::new(python).args(["-m", "pip", "--version"])).is_ok()
}

fn install(python: &Path, folder: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"])
        .arg("--target")
        .arg(folder);
    pip
}

/// DuckDB and Spark at the pinned versions, as a folder of Python packages. Spark wants a Java beside it.
pub(crate) fn engines() -> Result<PathBuf> {
    require("java", "Spark runs on it", "apt-get install --no-install-recommends openjdk-17-jre-headless")?;
    let python = require("python3", "DuckDB and Spark are driven by it", "apt-get install python3 python3-pip")?;
    let (duckdb, spark) = (version("duckdb")?, version("pyspark")?);
    let folder = crate::target().join("tools").join(format!("engines-{duckdb}-{spark}"));
    let check =
        format!("import duckdb, pyspark; assert (duckdb.__version__, pyspark.__version__) == ({duckdb:?}, {spark:?})");
    packages(&python, folder, &check, &[format!("duckdb=={duckdb}"), format!("pyspark=={spark}")])
}

/// The official client of the Model Context Protocol at the pinned version, as a folder of Python packages.
pub(crate) fn mcp_client() -> Result<PathBuf> {
    let python = require("python3", "the test of `vise mcp` is a client in it", "apt-get install python3 python3-pip")?;
    let version = version("mcp")?;
    let folder = crate::target().join("tools").join(format!("mcp-{version}"));
    let check = format!("import mcp, importlib.metadata as m; assert m.version('mcp') == {version:?}");
    packages(&python, folder, &check, &[format!("mcp=={version}")])
}

/// A folder of Python packages in which a statement runs; they are installed if it does not.
fn packages(python: &Path, folder: PathBuf, check: &str, wanted: &[String]) -> Result<PathBuf> {
    let works = || output(Command::new(python).env("PYTHONPATH", &folder).args(["-c", check]));
    if works().is_ok() {
        return Ok(folder);
    }
    if !has_pip(python) {
        return Err("`python3 -m pip` does not work here; for example: apt-get install python3-pip".to_owned());
    }
    remove_dir(&folder)?;
    create_dir(&folder)?;
    step(install(python, &folder).args(wanted))?;
    works()?;
    Ok(folder)
}

fn is_version(binary: &Path, version: &str) -> bool {
    binary.is_file()
        && output(Command::new(binary).arg("--version")).is_ok_and(|said| said.split_whitespace().any(|w| w == version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_second_word_of_its_line() {
        let lock = "# NAME VERSION FROM\nfoo-bar 1 x\nfoo 2.0 pypi\n";
        assert_eq!(pinned(lock, "foo"), Some("2.0"));
        assert_eq!(pinned(lock, "bar"), None);
        assert_eq!(pinned(lock, "NAME"), None);
    }

    #[test]
    fn every_fetched_thing_is_pinned() {
        for name in ["ast-grep-cli", "duckdb", "pyspark", "mcp", "ty", "typescript-5", "Flask", "Django", "viem"] {
            assert!(version(name).unwrap().chars().all(|c| c.is_ascii_digit() || c == '.'), "{name}");
        }
    }
}
