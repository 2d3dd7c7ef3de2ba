//! Names through packages and namespaces: Java, C#, PHP and Go.

use smallvec::smallvec;

use crate::facts::{Imported, ScopeId};
use crate::kinds::Evidence;

use super::modules::Place;
use super::names::{Denotation, Denoted, Names, found};
use super::paths::split;

impl Names<'_, '_> {
    /// A qualified name of PHP, which is one word: absolute, of the namespace around, or of what its first part means.
    pub(crate) fn php_path(&self, number: u32, scope: ScopeId, text: &str, hops: u32) -> Denotation {
        let Some(hops) = hops.checked_sub(1) else { return Denotation::new() };
        if let Some(absolute) = text.strip_prefix('\\') {
            return self.package_path(number, absolute, hops);
        }
        let file = self.world.file(number);
        let around = file.outwards(scope).find_map(|at| self.world.package_of(number, at));
        let (head, rest) = text.split_once('\\').unwrap_or((text, ""));
        let relative = head.eq_ignore_ascii_case("namespace");
        let mut here: Denotation = match (self.world.atoms.get(head), around) {
            (Some(name), _) if !relative => self.lookup_within(number, scope, name, hops),
            _ => Denotation::new(),
        };
        let parts = split(rest, &file.rules.path_separators);
        if here.is_empty() {
            // Namespaces are known by their full names, whose parts need not be names of anything.
            let below = if relative { rest } else { text };
            let name = around.and_then(|package| self.world.package_list.get(package as usize));
            let full = name.map_or_else(|| below.to_owned(), |package| format!("{}\\{below}", package.name));
            return self.package_path(number, &full, hops);
        }
        for part in parts {
            let Some(name) = self.world.atoms.get(part) else { return Denotation::new() };
            here = here.iter().flat_map(|one| self.member_within(one.what, name, hops)).collect();
        }
        here
    }

    /// `a.b.C.m`: the longest package, then members of it.
    pub(crate) fn package_path(&self, number: u32, source: &str, hops: u32) -> Denotation {
        let file = self.world.file(number);
        let parts = split(source, &file.rules.path_separators);
        for taken in (0..=parts.len()).rev() {
            let name = parts[..taken].join(&file.rules.separator);
            let Some(package) = self.world.package(file.family, &name) else { continue };
            let mut here: Denotation = smallvec![found(Denoted::Package(package), Evidence::Import)];
            for part in &parts[taken..] {
                // What no file names is none of the project's; a shorter package may have the rest.
                here = match self.world.atoms.get(part) {
                    Some(name) => here.iter().flat_map(|one| self.member_within(one.what, name, hops)).collect(),
                    None => Denotation::new(),
                };
            }
            if !here.is_empty() {
                return here;
            }
        }
        smallvec![found(Denoted::External, Evidence::Import)]
    }

    /// An imported package of this name, which need not be the last part of its path.
    pub(crate) fn go_package(&self, number: u32, name: &str) -> Option<u32> {
        let file = self.world.file(number);
        file.facts.imports.iter().filter(|import| import.what == Imported::Module).find_map(|import| {
            let Place::Package(package) = self.world.modules.find(self.world, number, file.facts.name(import.source))
            else {
                return None;
            };
            let (other, _) = self.world.package_list.get(package as usize)?.scopes.first()?;
            let other = self.world.file(*other);
            let declared = other.facts.package.map(|package| other.facts.name(package));
            (declared == Some(name)).then_some(package)
        })
    }
}
