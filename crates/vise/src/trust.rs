//! Whether code of a checkout may run: its own servers and settings, build scripts, macros. Nobody is trusted before the
//! user says so, and what was trusted is asked about again when the files change that say what is run.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use vise_tools::{ContentHash, ErrorKind, ToolError};

use crate::environment::Around;

/// The files of a checkout that can say what is run.
const TELLING: [&str; 2] = ["vise.toml", "sgconfig.yml"];

/// Roots, each with the hash of what was trusted.
type Known = BTreeMap<PathBuf, String>;

/// Whether the user trusts a checkout. `roots`: globs of the user's configuration.
pub(crate) fn is_trusted(root: &Path, around: &Around, roots: &[String]) -> bool {
    around.trust
        || roots.iter().any(|glob| matches(glob, root, &around.home))
        || read(around).get(root).is_some_and(|hash| *hash == content(root))
}

/// Records that the user trusts a checkout as it is now.
pub(crate) fn trust(root: &Path, around: &Around) -> Result<(), ToolError> {
    record(root, around, content(root))
}

/// How the record of a checkout begins that its user would not trust.
const DECLINED: &str = "declined ";

/// Asks the person at the terminal, once for a checkout as it is: whoever said no is not asked again. Nobody is asked where
/// there is no terminal, or somebody reads JSON.
pub(crate) fn ask_once(root: &Path, around: &Around, roots: &[String]) -> Result<(), ToolError> {
    let now = content(root);
    let answered = read(around).get(root).is_some_and(|known| known.trim_start_matches(DECLINED) == now);
    let talks = io::stdin().is_terminal() && io::stderr().is_terminal();
    if answered || !talks || is_trusted(root, around, roots) {
        return Ok(());
    }
    let shown = vise_tools::shown(root.as_os_str().as_encoded_bytes());
    let mut words = io::stderr().lock();
    let asked = write!(
        words,
        "Language servers can run code of `{shown}`: build scripts, macros, its own programs.\n\
         Trust this checkout? Without it they run with that code off. [y/N] "
    );
    let mut answer = String::new();
    // Who cannot be asked has not said yes.
    if asked.and_then(|()| words.flush()).and_then(|()| io::stdin().read_line(&mut answer)).is_err() {
        return Ok(());
    }
    let yes = matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    record(root, around, if yes { now } else { format!("{DECLINED}{now}") })
}

fn record(root: &Path, around: &Around, what: String) -> Result<(), ToolError> {
    let mut known = read(around);
    known.insert(root.to_owned(), what);
    write(around, &known).map_err(|error| {
        ToolError::new(ErrorKind::Unavailable, format!("`{}` cannot be written: {error}", file(around).display()))
    })
}

fn file(around: &Around) -> PathBuf {
    around.state_home.join("vise/trust.json")
}

/// What is known; a file that cannot be read trusts nobody.
fn read(around: &Around) -> Known {
    let text = fs::read(file(around)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

fn write(around: &Around, known: &Known) -> io::Result<()> {
    let path = file(around);
    let folder = path.parent().unwrap_or(&path);
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let stage = folder.join(format!(".trust-{}", std::process::id()));
    let written = (|| {
        let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&stage)?;
        serde_json::to_writer_pretty(&mut file, known)?;
        file.sync_all()?;
        fs::rename(&stage, &path)
    })();
    if written.is_err() {
        // Its own error says more than that of tidying up.
        let _ = fs::remove_file(&stage);
    }
    written
}

/// The hash of all files that say what is run, with their names; those that are not there count as such.
fn content(root: &Path) -> String {
    let mut all = Vec::new();
    for name in TELLING {
        let hash = fs::read(root.join(name)).map(|bytes| ContentHash::of(&bytes).to_hex());
        all.extend_from_slice(format!("{name} {}\n", hash.unwrap_or_default()).as_bytes());
    }
    ContentHash::of(&all).to_hex()
}

/// Whether a glob of folders matches: `*` is any name, `**` any number of folders, `~` the home folder.
fn matches(glob: &str, root: &Path, home: &Path) -> bool {
    let glob = match glob.strip_prefix("~/") {
        Some(below) => home.join(below),
        None => PathBuf::from(glob),
    };
    let parts: Vec<_> = glob.components().map(|part| part.as_os_str().to_owned()).collect();
    let names: Vec<_> = root.components().map(|part| part.as_os_str().to_owned()).collect();
    fn fits(parts: &[std::ffi::OsString], names: &[std::ffi::OsString]) -> bool {
        match parts.split_first() {
            None => names.is_empty(),
            Some((part, rest)) if part == "**" => (0..=names.len()).any(|skip| fits(rest, &names[skip..])),
            Some((part, rest)) => {
                names.split_first().is_some_and(|(name, more)| (part == "*" || part == name) && fits(rest, more))
            }
        }
    }
    glob.is_absolute() && fits(&parts, &names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_for_a_root_and_for_what_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir(&root).unwrap();
        let around = Around { state_home: folder.path().join("state"), ..Around::default() };
        let trusted = |root: &Path| is_trusted(root, &around, &[]);
        assert!(!trusted(&root));
        trust(&root, &around).unwrap();
        assert!(trusted(&root));
        assert!(!trusted(folder.path()));
        fs::write(root.join("vise.toml"), "[search]").unwrap();
        assert!(!trusted(&root), "a change asks again");
        trust(&root, &around).unwrap();
        assert!(trusted(&root));
        fs::write(file(&around), "{ not json").unwrap();
        assert!(!trusted(&root), "a broken record trusts nobody");
        assert!(is_trusted(&root, &Around { trust: true, ..Around::default() }, &[]));
    }

    #[test]
    fn globs_are_of_folders() {
        let home = Path::new("/home/me");
        let fits = |glob: &str, root: &str| matches(glob, Path::new(root), home);
        assert!(fits("~/src/*", "/home/me/src/a"));
        assert!(!fits("~/src/*", "/home/me/src/a/b"));
        assert!(!fits("~/src/*", "/home/me/src"));
        assert!(fits("~/src/**", "/home/me/src/a/b"));
        assert!(fits("/opt/x", "/opt/x") && !fits("/opt/x", "/opt/xy"));
        assert!(!fits("src/*", "/src/a") && !fits("*", "/a"));
    }
}
