//! A language, ready for use: its description with every name turned into the grammar's numbers.

use std::borrow::Cow;
use std::fmt;

use crate::description::{Description, RungName};
use crate::node::{FieldId, KindId};

/// A language: a grammar and what its `language.toml` says.
pub struct Language {
    /// The description as it was read.
    pub description: Description,
    pub(crate) grammar: tree_sitter::Language,
    /// Named kinds of comment.
    pub comments: KindSet,
    /// Named kinds of literal text.
    pub strings: KindSet,
    /// Kinds that hold an expression in the place of a statement.
    pub expression_statements: KindSet,
    /// Kinds whose children are a list.
    pub containers: KindSet,
    /// Kinds of list without delimiters in which a lone `$X` is one element.
    pub lists: KindSet,
    /// Kinds that `$$$` never takes.
    pub clauses: KindSet,
    /// Kinds that separate or terminate, most of them unnamed.
    pub separators: KindSet,
    /// Kinds in which the choice of separator has a meaning.
    pub significant_separators: KindSet,
    /// Kinds of child that may go unmentioned whatever their parent, modifiers included.
    pub optional_kinds: KindSet,
    /// Unnamed kinds that go with the optional child behind them.
    pub markers: KindSet,
    /// Kinds of attribute whose order does not matter.
    pub open_attributes: KindSet,
    /// Kinds that are a header when the pattern ends with them.
    pub header_kinds: KindSet,
    /// Kinds that hold bare tokens.
    pub token_lists: KindSet,
    /// Kinds of string that differ by their quotes alone.
    pub quote_styles: KindSet,
    optional_children: Vec<(KindId, KindId)>,
    optional_fields: Vec<(Option<KindId>, FieldId)>,
    /// Kinds that are read again, each with its scaffolds as (before, after).
    pub injections: Vec<(KindId, Vec<(String, String)>)>,
    /// What the code graph looks for, in the order in which it is read; set by the registry.
    pub queries: Vec<Query>,
}

/// A file of `queries/`, or a part of one that another language takes over.
#[derive(Debug, Clone)]
pub struct Query {
    /// The language and the file, `python/symbols.scm`.
    pub file: String,
    /// Its text.
    pub text: Cow<'static, str>,
    /// Whether it is another language's, so that it may name what this grammar lacks.
    pub inherited: bool,
}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Language").field(&self.description.name).finish()
    }
}

impl Language {
    /// Turns the names of a description into numbers.
    ///
    /// # Errors
    /// Names the first key that says something that the grammar does not know.
    pub fn new(description: Description, grammar: tree_sitter::Language) -> Result<Self, String> {
        let d = &description;
        let look = Lookup { grammar: &grammar, language: &d.name };
        let mut optional_kinds = KindSet::default();
        let mut optional_children = Vec::new();
        for (key, names, named) in [("optional_kinds", &d.optional_kinds, true), ("modifiers", &d.modifiers, false)] {
            for name in names {
                match name.split_once('.').filter(|(parent, child)| !parent.is_empty() && !child.is_empty()) {
                    Some((parent, child)) => {
                        optional_children.push((look.kind(key, parent, true)?, look.kind(key, child, named)?));
                    }
                    None => optional_kinds.insert(look.kind(key, name, named)?),
                }
            }
        }
        let mut optional_fields = Vec::new();
        for name in &d.optional_fields {
            let (kind, field) = match name.split_once('.') {
                Some((kind, field)) => (Some(look.kind("optional_fields", kind, true)?), field),
                None => (None, name.as_str()),
            };
            optional_fields.push((kind, look.field("optional_fields", field)?));
        }
        let mut injections = Vec::new();
        for injection in &d.injections {
            let kind = look.kind("injection", &injection.kind, true)?;
            let mut scaffolds = Vec::new();
            for scaffold in &injection.scaffolds {
                scaffolds.push(look.split("injection", scaffold)?);
            }
            injections.push((kind, scaffolds));
        }
        for name in d.last_resort.iter().chain(d.completions_for.keys()) {
            look.kind("last_resort or completions_for", name, true)?;
        }
        for rung in &d.rungs {
            for scaffold in &rung.scaffolds {
                look.split("rung", scaffold)?;
            }
        }
        Ok(Self {
            comments: look.kinds("comments", &d.comments, true)?,
            strings: look.kinds("strings", &d.strings, true)?,
            expression_statements: look.kinds("expression_statements", &d.expression_statements, true)?,
            containers: look.kinds("containers", &d.containers, true)?,
            separators: look.tokens("separators", &d.separators)?,
            lists: look.kinds("lists", &d.lists, true)?,
            clauses: look.kinds("clauses", &d.clauses, true)?,
            significant_separators: look.kinds("significant_separators", &d.significant_separators, true)?,
            markers: look.kinds("markers", &d.markers, false)?,
            open_attributes: look.kinds("open_attributes", &d.open_attributes, true)?,
            header_kinds: look.kinds("header_kinds", &d.header_kinds, true)?,
            token_lists: look.kinds("token_lists", &d.token_lists, true)?,
            quote_styles: look.kinds("quote_styles", &d.quote_styles, true)?,
            optional_kinds,
            optional_children,
            optional_fields,
            injections,
            queries: Vec::new(),
            grammar,
            description,
        })
    }

    /// The name that `-l` takes and answers show.
    pub fn name(&self) -> &str {
        &self.description.name
    }

    /// The name of a kind.
    pub fn kind_name(&self, kind: KindId) -> &str {
        self.grammar.node_kind_for_id(kind).unwrap_or("?")
    }

    /// The number of a named kind.
    pub fn kind_id(&self, name: &str) -> Option<KindId> {
        match self.grammar.id_for_node_kind(name, true) {
            0 => None,
            id => Some(id),
        }
    }

    /// The number of an unnamed kind: a token, by its text.
    pub fn token_id(&self, text: &str) -> Option<KindId> {
        match self.grammar.id_for_node_kind(text, false) {
            0 => None,
            id => Some(id),
        }
    }

    /// The number of a field.
    pub fn field_id(&self, name: &str) -> Option<FieldId> {
        self.grammar.field_id_for_name(name).map(std::num::NonZero::get)
    }

    /// All kinds have smaller numbers than this, but for the one of errors.
    pub fn kind_count(&self) -> usize {
        self.grammar.node_kind_count()
    }

    /// The kinds that the grammar takes together under a name (`expression`), if it is such a name. There are none where
    /// the grammar's tables are too old to tell.
    pub fn subtypes(&self, name: &str) -> Option<Vec<KindId>> {
        let id = self.kind_id(name).filter(|id| self.grammar.node_kind_is_supertype(*id))?;
        let mut found = Vec::new();
        let mut left = vec![id];
        let mut seen = left.clone();
        while let Some(group) = left.pop() {
            for kind in self.grammar.subtypes_for_supertype(group) {
                if !self.grammar.node_kind_is_supertype(*kind) {
                    // The number in the table may be that of a twin; nodes carry the one that the name leads to.
                    let named = self.grammar.node_kind_is_named(*kind);
                    let name = self.grammar.node_kind_for_id(*kind).unwrap_or_default();
                    found.push(self.grammar.id_for_node_kind(name, named));
                } else if !seen.contains(kind) {
                    seen.push(*kind);
                    left.push(*kind);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    /// Whether a named kind, rather than a token.
    pub fn is_named(&self, kind: KindId) -> bool {
        self.grammar.node_kind_is_named(kind)
    }

    /// The name of a field.
    pub fn field_name(&self, field: FieldId) -> Option<&str> {
        self.grammar.field_name_for_id(field)
    }

    /// Whether a child may go unmentioned by a pattern that has its parent.
    pub fn is_optional(&self, parent: KindId, child: KindId, field: FieldId) -> bool {
        self.optional_kinds.contains(child)
            || self.optional_children.contains(&(parent, child))
            || (field != 0
                && self
                    .optional_fields
                    .iter()
                    .any(|&(kind, name)| name == field && kind.is_none_or(|kind| kind == parent)))
    }

    /// The rungs of the ladder with their scaffolds as (before, after), in order.
    pub fn rungs(&self) -> impl Iterator<Item = (RungName, impl Iterator<Item = (&str, &str)>)> {
        self.description.rungs.iter().map(|rung| {
            let scaffolds = rung.scaffolds.iter().map(|text| text.split_once('§').unwrap_or((text.as_str(), "")));
            (rung.name, scaffolds)
        })
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KindSet(Vec<u64>);

impl KindSet {
    /// Adds a kind.
    pub fn insert(&mut self, kind: KindId) {
        let word = usize::from(kind) / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (kind % 64);
    }

    /// Whether the kind is in the set.
    pub fn contains(&self, kind: KindId) -> bool {
        self.0.get(usize::from(kind) / 64).is_some_and(|word| word >> (kind % 64) & 1 == 1)
    }

    /// Whether the set has no kind.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }
}

/// Turns names into numbers, with an error that says where the name was found.
struct Lookup<'a> {
    grammar: &'a tree_sitter::Language,
    language: &'a str,
}

impl Lookup<'_> {
    fn kind(&self, key: &str, name: &str, named: bool) -> Result<KindId, String> {
        match self.grammar.id_for_node_kind(name, named) {
            0 => {
                let what = if named { "named kind" } else { "token" };
                Err(format!("{}: {key}: the grammar has no {what} `{name}`", self.language))
            }
            id => Ok(id),
        }
    }

    fn kinds(&self, key: &str, names: &[String], named: bool) -> Result<KindSet, String> {
        let mut set = KindSet::default();
        for name in names {
            set.insert(self.kind(key, name, named)?);
        }
        Ok(set)
    }

    /// Tokens, or where there is none of this name named kinds.
    fn tokens(&self, key: &str, names: &[String]) -> Result<KindSet, String> {
        let mut set = KindSet::default();
        for name in names {
            set.insert(self.kind(key, name, false).or_else(|error| self.kind(key, name, true).map_err(|_| error))?);
        }
        Ok(set)
    }

    fn field(&self, key: &str, name: &str) -> Result<FieldId, String> {
        self.grammar
            .field_id_for_name(name)
            .map(std::num::NonZero::get)
            .ok_or_else(|| format!("{}: {key}: the grammar has no field `{name}`", self.language))
    }

    fn split(&self, key: &str, scaffold: &str) -> Result<(String, String), String> {
        match scaffold.split_once('§') {
            Some((before, after)) if !after.contains('§') => Ok((before.to_owned(), after.to_owned())),
            _ => Err(format!("{}: {key}: `{scaffold}` does not have exactly one hole `§`", self.language)),
        }
    }
}
