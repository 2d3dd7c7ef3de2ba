//! The languages that are there: by name, by file, by first line.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use vise_text::letters_apart;

use crate::description::Description;
use crate::grammars;
use crate::language::{Language, Query};

include!(concat!(env!("OUT_DIR"), "/data.rs"));

/// All languages, in the order of their names.
#[derive(Debug, Default)]
pub struct Registry {
    languages: Vec<Arc<Language>>,
    by_name: FxHashMap<String, usize>,
    by_extension: FxHashMap<String, usize>,
    by_file_name: FxHashMap<String, usize>,
    by_shebang: FxHashMap<String, usize>,
    /// The files of `queries/`, by language and name without ending (`python/symbols`).
    queries: BTreeMap<Cow<'static, str>, Cow<'static, str>>,
}

/// The files of a language's queries, in the order in which they are read; others come behind them.
const QUERY_ORDER: [&str; 4] = ["symbols", "scopes", "imports", "references"];

impl Registry {
    /// The languages that are compiled in.
    ///
    /// # Errors
    /// Names the language and key that do not fit the grammar; a test keeps that from happening.
    pub fn embedded() -> Result<Self, String> {
        let mut registry = Self::default();
        for (folder, text) in LANGUAGES {
            registry.add_description(folder, text)?;
        }
        registry.queries.extend(QUERIES.iter().map(|(key, text)| (Cow::Borrowed(*key), Cow::Borrowed(*text))));
        registry.link_queries()?;
        Ok(registry)
    }

    /// Reads a `language.toml` for a compiled-in grammar and adds it, in place of one of the same name.
    ///
    /// # Errors
    /// Says what in the text is not understood.
    pub fn add_description(&mut self, source: &str, text: &str) -> Result<(), String> {
        let description = read_description(source, text)?;
        let Some(grammar) = grammars::grammar(&description.grammar) else {
            return Err(format!(
                "{source}: no grammar `{}` is compiled in; there are: {}",
                description.grammar,
                grammars::names().collect::<Vec<_>>().join(" ")
            ));
        };
        self.add(Language::new(description, grammar)?);
        Ok(())
    }

    /// Takes files of queries, by language and name without ending, in the place of those of the same name.
    pub(crate) fn add_queries(&mut self, files: impl IntoIterator<Item = (String, String)>) -> Result<(), String> {
        self.queries.extend(files.into_iter().map(|(key, text)| (Cow::Owned(key), Cow::Owned(text))));
        self.link_queries()
    }

    /// Gives every language its queries, those that it inherits behind its own.
    fn link_queries(&mut self) -> Result<(), String> {
        let mut linked = Vec::new();
        for language in &self.languages {
            linked.push(self.queries_of(language.name())?);
        }
        for (language, queries) in self.languages.iter_mut().zip(linked) {
            if let Some(language) = Arc::get_mut(language) {
                language.queries = queries;
            }
        }
        Ok(())
    }

    fn queries_of(&self, language: &str) -> Result<Vec<Query>, String> {
        let prefix = format!("{language}/");
        let place = |file: &str| QUERY_ORDER.iter().position(|known| *known == file).unwrap_or(QUERY_ORDER.len());
        let mut files: Vec<&str> = self
            .queries
            .range::<str, _>((Bound::Included(prefix.as_str()), Bound::Unbounded))
            .map_while(|(key, _)| key.strip_prefix(prefix.as_str()))
            .collect();
        files.sort_by_key(|file| place(file));
        let mut queries = Vec::new();
        for file in files {
            // Languages still to be read for this file, the next one last.
            let mut left = vec![language];
            let mut seen = Vec::new();
            while let Some(from) = left.pop() {
                let name = format!("{from}/{file}.scm");
                let Some(text) = self.queries.get(format!("{from}/{file}").as_str()) else {
                    return Err(format!("{language}/{file}.scm: there is no `{name}` to inherit"));
                };
                if seen.contains(&from) {
                    continue;
                }
                seen.push(from);
                left.extend(inherited(text).rev());
                queries.push(Query { file: name, text: text.clone(), inherited: from != language });
            }
        }
        Ok(queries)
    }

    /// Adds a language, in place of one of the same name.
    pub fn add(&mut self, language: Language) {
        let language = Arc::new(language);
        let index = match self.languages.iter().position(|known| known.name() == language.name()) {
            Some(index) => {
                self.languages[index] = language.clone();
                index
            }
            None => {
                self.languages.push(language.clone());
                self.languages.len() - 1
            }
        };
        let d = &language.description;
        self.by_name.insert(d.name.clone(), index);
        for (map, keys) in [
            (&mut self.by_name, &d.aliases),
            (&mut self.by_extension, &d.extensions),
            (&mut self.by_file_name, &d.filenames),
            (&mut self.by_shebang, &d.shebangs),
        ] {
            for key in keys {
                map.insert(key.clone(), index);
            }
        }
    }

    /// All languages.
    pub fn languages(&self) -> impl Iterator<Item = &Arc<Language>> {
        self.languages.iter()
    }

    /// The language with this name or alias, whatever its case.
    pub fn by_name(&self, name: &str) -> Option<&Arc<Language>> {
        self.by_name.get(&name.to_lowercase()).map(|index| &self.languages[*index])
    }

    /// The language of a file, by its name alone.
    pub fn by_path(&self, path: &Path) -> Option<&Arc<Language>> {
        let name = path.file_name()?.to_str()?;
        let index = self.by_file_name.get(name).or_else(|| {
            // The longest ending first: `d.ts` before `ts`.
            let mut rest = name;
            while let Some((_, ending)) = rest.split_once('.') {
                if let Some(index) = self.by_extension.get(ending) {
                    return Some(index);
                }
                rest = ending;
            }
            None
        })?;
        Some(&self.languages[*index])
    }

    /// The language of a script, by its first line (`#!/usr/bin/env python3`).
    pub fn by_first_line(&self, text: &[u8]) -> Option<&Arc<Language>> {
        let line = text.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
        let line = std::str::from_utf8(line).ok()?;
        let program = line
            .split_whitespace()
            .filter_map(|word| word.rsplit('/').next())
            .find(|word| *word != "env" && !word.starts_with('-') && !word.contains('='))?;
        let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let index = self.by_shebang.get(program).or_else(|| self.by_shebang.get(bare))?;
        Some(&self.languages[*index])
    }

    /// The name or alias that is nearest to a mistyped one, if one is near.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        let name = name.to_lowercase();
        self.by_name
            .keys()
            .map(|known| (letters_apart(&name, known), known))
            .filter(|(distance, known)| *distance <= 1 + known.len() / 4)
            .min()
            .map(|(_, known)| known.as_str())
    }
}

/// The languages that the first line of a file of queries names: `; inherits: javascript`.
fn inherited(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    let line = text.lines().next().unwrap_or_default();
    let names = line.trim_start_matches(';').trim_start().strip_prefix("inherits:").unwrap_or_default();
    names.split(',').map(str::trim).filter(|name| !name.is_empty())
}

pub(crate) fn read_description(source: &str, text: &str) -> Result<Description, String> {
    toml::from_str(text).map_err(|error| format!("{source}: {error}"))
}
