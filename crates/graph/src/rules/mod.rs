//! The compiled rules of a language: what its queries and its `[graph]` say, by the numbers of its grammar.

mod compile;
mod glob;
mod parse;
mod words;

use std::borrow::Cow;
use std::ops::Range;

use regex::bytes::Regex;
use rustc_hash::{FxHashMap, FxHashSet};
use vise_syntax::rules::{ConstantNames, ExportedNames, GraphRules, SelfParameter};
use vise_syntax::{FieldId, KindId, Language};

pub(crate) use compile::{Alt, Pattern, Piece};
pub(crate) use glob::Globs;
pub(crate) use words::{Part, Role, Settings, set};

/// The compiled rules of one language; see `docs/queries.md`.
#[derive(Debug)]
pub struct Rules {
    /// What there is to know about each kind; errors have the last entry.
    kinds: Vec<Kind>,
    /// The patterns, first ones first.
    pub(crate) patterns: Vec<Pattern>,
    /// The field that grammars hold bodies in.
    pub(crate) body: Option<FieldId>,
    /// The constants of the language.
    pub(crate) words: Words,
    /// What is overwritten with blanks before a file is read.
    blank: Vec<Regex>,
}

/// What the walk must know of a kind.
#[derive(Debug, Default)]
pub(crate) struct Kind {
    /// Patterns that give a node of this kind its role.
    pub own: Vec<u16>,
    /// Patterns that give a role to a node below one of this kind.
    pub outer: Vec<u16>,
    /// Whether the walk may pass it over: comments, and tokens that no pattern names.
    pub skipped: bool,
    /// Whether the grammar names it.
    pub named: bool,
    /// Whether such a node hands a name down to one of its parts.
    pub redirects: bool,
}

/// The constants of `[graph]`, ready for use.
#[derive(Debug, Default)]
pub(crate) struct Words {
    pub path_separators: Vec<String>,
    pub type_scopes_are_open: bool,
    pub declarations: bool,
    pub later_replaces: bool,
    pub first_is_receiver: bool,
    pub upper_is_constant: bool,
    pub private_prefix: String,
    pub capitals_are_exported: bool,
    pub static_is_private: bool,
    pub constructors: FxHashSet<String>,
    pub class_methods: FxHashSet<String>,
    pub implicit_parameters: Vec<String>,
    pub static_without_receiver: bool,
    /// Whether a loop may call members of what it goes over.
    pub loops_call: bool,
    pub builtins: FxHashSet<String>,
    pub static_decorators: FxHashSet<String>,
    pub class_decorators: FxHashSet<String>,
    pub accessor_decorators: FxHashSet<String>,
    pub modifiers: FxHashMap<String, u32>,
    pub test_files: Globs,
    pub test_names: Globs,
    pub test_types: Globs,
    pub test_attributes: FxHashSet<String>,
    pub entry_names: Globs,
    pub entry_attributes: FxHashSet<String>,
    pub entry_decorated: bool,
}

impl Rules {
    /// Compiles a language's queries; none where it has none.
    ///
    /// # Errors
    /// Names the file and line of the first thing that is not understood.
    pub fn compile(language: &Language) -> Result<Option<Self>, String> {
        if language.queries.is_empty() {
            return Ok(None);
        }
        compile::compile(language).map(Some)
    }

    /// The text as it is to be parsed: what the language's rules call noise is overwritten with blanks, so that no offset
    /// changes.
    pub fn prepare<'a>(&self, source: &'a [u8]) -> Cow<'a, [u8]> {
        let mut text = Cow::Borrowed(source);
        for noise in &self.blank {
            let found: Vec<Range<usize>> = noise
                .captures_iter(source)
                .flat_map(|captures| captures.iter().skip(1).flatten().map(|group| group.range()).collect::<Vec<_>>())
                .collect();
            for range in found {
                text.to_mut()[range].iter_mut().filter(|byte| !b"\r\n".contains(byte)).for_each(|byte| *byte = b' ');
            }
        }
        text
    }

    pub(crate) fn kind(&self, kind: KindId) -> &Kind {
        // The last entry is that of errors, whose number is beyond all others.
        let last = self.kinds.len() - 1;
        &self.kinds[usize::from(kind).min(last)]
    }
}

impl Words {
    fn new(rules: Option<&GraphRules>) -> Result<Self, String> {
        let Some(rules) = rules else {
            let path_separators = vec![".".to_owned()];
            return Ok(Self { path_separators, ..Self::default() });
        };
        let set = |list: &[String]| list.iter().cloned().collect::<FxHashSet<String>>();
        let mut modifiers = FxHashMap::default();
        for (flag, words) in &rules.modifiers {
            let bit = words::flag_from_word(flag).ok_or_else(|| format!("[graph.modifiers]: no flag `{flag}`"))?;
            for word in words {
                *modifiers.entry(word.clone()).or_insert(0) |= bit;
            }
        }
        let mut builtins = set(&rules.builtins);
        builtins.extend(rules.builtin_types.iter().cloned());
        Ok(Self {
            path_separators: rules.path_separators.clone(),
            type_scopes_are_open: rules.type_scopes_are_open,
            declarations: rules.declarations,
            later_replaces: rules.later_replaces,
            first_is_receiver: rules.self_parameter == SelfParameter::First,
            upper_is_constant: rules.constants == ConstantNames::Upper,
            private_prefix: rules.private_prefix.clone(),
            capitals_are_exported: rules.exported == ExportedNames::Capitalized,
            static_is_private: rules.static_is_private,
            constructors: set(&rules.constructors),
            class_methods: set(&rules.class_methods),
            implicit_parameters: rules.implicit_parameters.clone(),
            static_without_receiver: rules.static_without_receiver,
            loops_call: !rules.iterating_members.is_empty(),
            builtins,
            static_decorators: set(&rules.static_decorators),
            class_decorators: set(&rules.class_decorators),
            accessor_decorators: set(&rules.accessor_decorators),
            modifiers,
            test_files: Globs::new(&rules.tests.files),
            test_names: Globs::new(&rules.tests.names),
            test_types: Globs::new(&rules.tests.types),
            test_attributes: set(&rules.tests.attributes),
            entry_names: Globs::new(&rules.entries.names),
            entry_attributes: set(&rules.entries.attributes),
            entry_decorated: rules.entries.decorated,
        })
    }
}
