//! The border of a workspace: what it offers to others, and what it uses from outside, both named by the path that an
//! import of the language would write. Equal paths are how callers across repositories are found.
//!
//! **What it is.** A pure function of facts, as resolving is, but without values in rounds: a use is followed through
//! imports, aliases, declared types and what was assigned in the same file. It is asked for by an export alone, so
//! nothing of it is stored.
//!
//! **What it will never do.** It looks at no other repository, and it names no use whose path the text does not show.

mod offers;
mod packages;
mod uses;

use crate::kinds::{EdgeKind, Evidence};
use crate::resolution::GlobalSymbol;
use crate::source::{ProjectFile, SourceFile};

use super::names::Names;

/// What lies at the border of a workspace. Each list is in a fixed order.
#[derive(Debug, Default)]
pub struct Border {
    /// The packages that the workspace is the source of.
    pub packages: Vec<Package>,
    /// What it offers.
    pub offers: Vec<Offer>,
    /// What it uses from outside.
    pub uses: Vec<Use>,
}

/// A package of which the workspace has the source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    /// The name by which its registry knows it; where no file says one, the name by which it is imported.
    pub name: String,
    /// The registry or tool that the name belongs to: `pypi npm crates go`.
    pub ecosystem: &'static str,
    /// The beginning of every path into it: `flask`, `serde_json`, `@scope/name`, `github.com/x/y`.
    pub import: String,
    /// Its folder or, of a Python module that is one file, that file; relative to the root, with `/`.
    pub folder: String,
    /// The file that says so; empty where none does.
    pub manifest: String,
}

/// A symbol under a path by which others can name it. A symbol may have several: its own, and those of re-exports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Offer {
    /// As an import and what follows it would write it: `flask.Flask.route`, `regex::Regex::new`.
    pub path: String,
    /// The name of its package; empty in languages whose paths say it all (Java, C#).
    pub package: String,
    /// The symbol.
    pub symbol: GlobalSymbol,
}

/// A use of something from outside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// The symbol around it, never an anonymous function.
    pub from: GlobalSymbol,
    /// The file of the use.
    pub file: u32,
    /// Line of the name that is used.
    pub line: u32,
    /// What is used, in the spelling of [`Offer::path`].
    pub path: String,
    /// What the import of it names, as in the text: `requests.adapters`, `regex::Regex`, `zod`.
    pub module: String,
    /// In which way.
    pub kind: EdgeKind,
    /// `import` where imports alone lead to it, `receiver` for a member of what is, by the text, an instance.
    pub evidence: Evidence,
}

/// Looks at the border of a workspace. `files` are sorted by path.
pub fn border(files: &[SourceFile<'_>], projects: &[ProjectFile]) -> Border {
    let (world, hierarchy) = super::looked_up(files, projects);
    let names = Names::new(&world, Some(&hierarchy));
    let packages = packages::packages(&world, projects);
    let offers = offers::offers(names, &hierarchy, &packages, projects);
    let uses = uses::uses(names, &hierarchy);
    Border { packages, offers, uses }
}
