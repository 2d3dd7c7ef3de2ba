//! `cargo xtask corpora`: real code from the registries, in `target/corpora`.
//!
//! Each corpus is fetched by its registry's ordinary client at the version in `tools.lock`, made a git checkout with
//! one commit (so that searches see a real checkout and rewrites can be looked at with `git diff`), and closed by a
//! marker file: a corpus without its marker was interrupted and is fetched anew.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::lock;
use crate::run::{Result, cargo, create_dir, output, remove_dir, require, step, write};

/// A body of real code in one language.
pub(crate) struct Corpus {
    pub(crate) name: &'static str,
    pub(crate) language: &'static str,
    /// The line of `tools.lock` that says which version.
    locked: &'static str,
    fetch: fn(name: &str, version: &str, scratch: &Path, into: &Path) -> Result,
}

pub(crate) const CORPORA: [Corpus; 3] = [
    Corpus { name: "django", language: "python", locked: "Django", fetch: fetch_from_pypi },
    Corpus { name: "rust-analyzer", language: "rust", locked: "ra_ap_rust-analyzer", fetch: fetch_rust_analyzer },
    Corpus { name: "viem", language: "typescript", locked: "viem", fetch: fetch_viem },
];

/// Repositories that depend on each other: what the tests of `docs/scale.md` index side by side.
pub(crate) const SIDE_BY_SIDE: [Corpus; 3] = [
    Corpus { name: "click", language: "python", locked: "click", fetch: fetch_from_pypi },
    Corpus { name: "flask", language: "python", locked: "Flask", fetch: fetch_from_pypi },
    Corpus { name: "werkzeug", language: "python", locked: "Werkzeug", fetch: fetch_from_pypi },
];

/// The folder that holds those, fetched as far as they are not there yet.
pub(crate) fn side_by_side() -> Result<PathBuf> {
    for corpus in &SIDE_BY_SIDE {
        corpus.ready()?;
    }
    Ok(crate::target().join("corpora"))
}

pub(crate) fn run() -> Result {
    for corpus in &CORPORA {
        let folder = corpus.ready()?;
        eprintln!("{}: {} code in {}", corpus.name, corpus.language, folder.display());
    }
    Ok(())
}

impl Corpus {
    /// The folder of the corpus, fetched if it is not there yet.
    pub(crate) fn ready(&self) -> Result<PathBuf> {
        let version = lock::version(self.locked)?;
        let corpora = crate::target().join("corpora");
        let folder = corpora.join(self.name);
        let marker = corpora.join(format!("{}.fetched", self.name));
        if std::fs::read_to_string(&marker).is_ok_and(|fetched| fetched.trim() == version) && folder.is_dir() {
            return Ok(folder);
        }
        eprintln!("fetching {} ({} {version})", self.name, self.locked);
        let scratch = corpora.join(format!("{}.scratch", self.name));
        remove_dir(&scratch)?;
        remove_dir(&folder)?;
        create_dir(&scratch)?;
        create_dir(&folder)?;
        (self.fetch)(self.locked, version, &scratch, &folder)?;
        make_checkout(&folder)?;
        remove_dir(&scratch)?;
        write(&marker, &format!("{version}\n"))?;
        Ok(folder)
    }
}

fn fetch_from_pypi(name: &str, version: &str, scratch: &Path, into: &Path) -> Result {
    let python = require("python3", "sources come from PyPI", "apt-get install python3 python3-pip")?;
    step(
        Command::new(python)
            .args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check"])
            .args(["--no-deps", "--no-binary", ":all:", "--dest"])
            .arg(scratch)
            .arg(format!("{name}=={version}")),
    )?;
    unpack(&only_archive(scratch, ".tar.gz")?, into)
}

fn fetch_rust_analyzer(name: &str, version: &str, scratch: &Path, into: &Path) -> Result {
    // The published crates of rust-analyzer are all dependencies of its binary; the rest of the closure is dropped.
    let manifest = format!(
        "[package]\nname = \"scratch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\n{name} = \"={version}\"\n"
    );
    write(&scratch.join("Cargo.toml"), &manifest)?;
    write(&scratch.join("src/lib.rs"), "")?;
    step(cargo().current_dir(scratch).args(["vendor", "--quiet", "vendor"]))?;
    for entry in entries(&scratch.join("vendor"))? {
        if entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ra_ap_")) {
            let new = into.join(entry.file_name().unwrap_or_default());
            std::fs::rename(&entry, &new).map_err(|error| format!("cannot move `{}`: {error}", entry.display()))?;
        }
    }
    Ok(())
}

fn fetch_viem(name: &str, version: &str, scratch: &Path, into: &Path) -> Result {
    let npm = require("npm", "sources come from npm", "apt-get install npm")?;
    step(Command::new(npm).current_dir(scratch).args(["pack", "--silent", &format!("{name}@{version}")]))?;
    unpack(&only_archive(scratch, ".tgz")?, into)
}

fn unpack(archive: &Path, into: &Path) -> Result {
    step(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(into).arg("--strip-components=1"))
}

fn only_archive(folder: &Path, suffix: &str) -> Result<PathBuf> {
    let found = entries(folder)?.into_iter().find(|file| file.to_string_lossy().ends_with(suffix));
    found.ok_or_else(|| format!("nothing that ends in `{suffix}` was downloaded into `{}`", folder.display()))
}

/// The paths in a folder, sorted.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let failed = |error| format!("cannot list `{}`: {error}", folder.display());
    let listing = std::fs::read_dir(folder).map_err(failed)?;
    let mut paths = listing.map(|entry| Ok(entry.map_err(failed)?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// One commit that holds every file, by an author of ours: the user's git settings play no part.
fn make_checkout(folder: &Path) -> Result {
    for words in [
        &["init", "--quiet", "."][..],
        // Forced, since what a package carries is the corpus, whatever its own ignore file says.
        &["add", "--all", "--force", "."],
        &["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--message", "As published"],
    ] {
        output(
            Command::new("git")
                .current_dir(folder)
                .args(["-c", "user.name=xtask", "-c", "user.email=xtask@localhost", "-c", "core.autocrlf=false"])
                .args(words),
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_corpus_has_a_pinned_version() {
        for corpus in CORPORA.iter().chain(&SIDE_BY_SIDE) {
            lock::version(corpus.locked).unwrap();
        }
    }

    #[test]
    fn an_archive_is_found_by_its_suffix() {
        let folder = std::env::temp_dir().join(format!("xtask-archive-{}", std::process::id()));
        create_dir(&folder).unwrap();
        assert!(only_archive(&folder, ".tgz").is_err());
        write(&folder.join("a-1.tgz"), "").unwrap();
        assert_eq!(only_archive(&folder, ".tgz").unwrap(), folder.join("a-1.tgz"));
        remove_dir(&folder).unwrap();
    }
}
