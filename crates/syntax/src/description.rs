//! What a `language.toml` may say. `docs/languages.md` explains each key with examples.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::adapters::AdapterPreset;
use crate::rules::GraphRules;
use crate::servers::ServerPreset;

/// The contents of `grammars/<language>/language.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The name that `-l` takes and answers show.
    pub name: String,
    /// The grammar: a row of `grammars.rs`, or (in a user's folder) whatever the library is called.
    pub grammar: String,
    /// Other names that `-l` takes.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// File name endings, without the dot.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Whole file names.
    #[serde(default)]
    pub filenames: Vec<String>,
    /// Interpreters named on a `#!` line.
    #[serde(default)]
    pub shebangs: Vec<String>,
    /// Markup and data languages are searched only when asked for by name.
    #[serde(default)]
    pub markup: bool,

    /// Kinds of comment: never compared, never lost silently.
    #[serde(default)]
    pub comments: Vec<String>,
    /// Kinds of literal text (strings, characters, templates, heredocs): never re-indented.
    #[serde(default)]
    pub strings: Vec<String>,
    /// Kinds of string that differ by their quotes alone, where the grammar has several.
    #[serde(default)]
    pub quote_styles: Vec<String>,
    /// Kinds that hold an expression in the place of a statement; seen through when matching.
    #[serde(default)]
    pub expression_statements: Vec<String>,
    /// Kinds whose children are a list of statements, members or items: what `$$$` fills, and what
    /// a run of statements is looked for in.
    #[serde(default)]
    pub containers: Vec<String>,
    /// Kinds of list without delimiters in which a lone `$X` is one element, not the list.
    #[serde(default)]
    pub lists: Vec<String>,
    /// Kinds that stand beside statements but are none: `$$$` never takes them (a `rescue`, an `else`).
    #[serde(default)]
    pub clauses: Vec<String>,
    /// Tokens (or named kinds) between the elements of a list, or after a statement. They are no elements.
    #[serde(default)]
    pub separators: Vec<String>,
    /// Kinds in which the choice of separator has a meaning (`[x; n]` is not `[x, n]`).
    #[serde(default)]
    pub significant_separators: Vec<String>,
    /// The text that ends a statement and may be left out of a pattern; empty where there is none.
    #[serde(default)]
    pub terminator: String,

    /// Fields whose child a pattern need not mention: `field`, or `kind.field`.
    #[serde(default)]
    pub optional_fields: Vec<String>,
    /// Kinds of child that a pattern need not mention: `kind`, or `parent.kind`.
    #[serde(default)]
    pub optional_kinds: Vec<String>,
    /// Unnamed tokens that a pattern need not mention: `token`, or `parent.token`.
    #[serde(default)]
    pub modifiers: Vec<String>,
    /// Unnamed tokens that go with the optional child behind them (`->` of a return type).
    #[serde(default)]
    pub markers: Vec<String>,
    /// Kinds of attribute whose order does not matter, and of which a pattern need not mention all.
    #[serde(default)]
    pub open_attributes: Vec<String>,
    /// Kinds that may be a header though the grammar takes them as complete: a `case X:` whose body may be empty, a
    /// signature without a body.
    #[serde(default)]
    pub header_kinds: Vec<String>,
    /// Words that a header begins with; empty where headers are told by their kind alone.
    #[serde(default)]
    pub header_words: Vec<String>,
    /// What a fragment that is such a header, rather than complete, ends in.
    #[serde(default = "colon")]
    pub header_ends: Vec<String>,
    /// Kinds whose reading goes behind all others: what is allowed, but not what anyone means.
    #[serde(default)]
    pub last_resort: Vec<String>,
    /// Kinds that hold bare tokens that the grammar does not read (a macro's).
    #[serde(default)]
    pub token_lists: Vec<String>,

    /// Words that are never names. Where a keyword is not expected many grammars read it as a name (`if (x)` as a
    /// call), so a reading with such a name in it is none.
    #[serde(default)]
    pub reserved: Vec<String>,
    /// Whether keywords may be written in any case (PHP, SQL), so that their text says nothing.
    #[serde(default)]
    pub any_case_keywords: bool,

    /// How an expression is put into parentheses: text with the hole `§`; empty where there is no way.
    #[serde(default)]
    pub parenthesis: String,
    /// Whether a line break can end a statement only if the next line cannot continue it (JavaScript).
    #[serde(default)]
    pub asi: bool,
    /// Whether indentation has a meaning (Python, YAML).
    #[serde(default)]
    pub significant_indentation: bool,

    /// What stands for a metavariable while a pattern is parsed.
    #[serde(default)]
    pub stand_ins: StandIns,
    /// Text that completes a header into a whole (` {}`, `: pass`).
    #[serde(default)]
    pub completions: Vec<String>,
    /// Text that completes headers of one kind only.
    #[serde(default)]
    pub completions_for: BTreeMap<String, Vec<String>>,
    /// The ladder, in order.
    #[serde(default, rename = "rung")]
    pub rungs: Vec<Rung>,
    /// What the code graph needs to know.
    #[serde(default)]
    pub graph: Option<GraphRules>,
    /// Nodes whose text is read again, as something the grammar knows.
    #[serde(default, rename = "injection")]
    pub injections: Vec<Injection>,
    /// Language servers, in the order in which they are tried.
    #[serde(default, rename = "server")]
    pub servers: Vec<ServerPreset>,
    /// Debug adapters, in the order in which they are tried.
    #[serde(default, rename = "adapter")]
    pub adapters: Vec<AdapterPreset>,
}

/// Texts that stand for a metavariable. `§` becomes a unique word in lower case, `¶` one with a capital.
///
/// The first that lets the pattern parse is taken, place by place.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandIns {
    /// For `$X`.
    #[serde(default = "plain")]
    pub single: Vec<String>,
    /// For `$$$X`.
    #[serde(default = "plain")]
    pub ellipsis: Vec<String>,
    /// For `$$OP`: trial operators and keywords. All that parse to different kinds are searched for.
    #[serde(default)]
    pub token: Vec<String>,
}

fn colon() -> Vec<String> {
    vec![":".to_owned()]
}

fn plain() -> Vec<String> {
    vec!["§".to_owned()]
}

impl Default for StandIns {
    fn default() -> Self {
        Self { single: plain(), ellipsis: plain(), token: Vec::new() }
    }
}

/// One way to read a fragment: texts in which it takes the place of `§`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rung {
    /// The name that `--context` takes.
    pub name: RungName,
    /// Scaffolds, tried in order; the first that accepts wins.
    pub scaffolds: Vec<String>,
    /// Words with which a fragment begins that is not meant for this rung, whatever the grammar allows.
    #[serde(default)]
    pub unless: Vec<String>,
}

/// The closed set of rung names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it; docs/patterns.md has an example of each")]
pub enum RungName {
    Statement,
    Expression,
    Member,
    TopLevel,
    Type,
    Pattern,
    Parameter,
    Argument,
    Case,
    Clause,
    Field,
    Pair,
    Attribute,
}

impl RungName {
    /// Every rung, in the order of the contract.
    pub const ALL: [Self; 13] = [
        Self::Statement,
        Self::Expression,
        Self::Member,
        Self::TopLevel,
        Self::Type,
        Self::Pattern,
        Self::Parameter,
        Self::Argument,
        Self::Case,
        Self::Clause,
        Self::Field,
        Self::Pair,
        Self::Attribute,
    ];

    /// The name as users type it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Statement => "statement",
            Self::Expression => "expression",
            Self::Member => "member",
            Self::TopLevel => "top-level",
            Self::Type => "type",
            Self::Pattern => "pattern",
            Self::Parameter => "parameter",
            Self::Argument => "argument",
            Self::Case => "case",
            Self::Clause => "clause",
            Self::Field => "field",
            Self::Pair => "pair",
            Self::Attribute => "attribute",
        }
    }
}

/// A kind whose text is read again inside a scaffold (a Rust macro's arguments).
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Injection {
    /// The kind of node.
    pub kind: String,
    /// Scaffolds for the text between the node's first and last token, tried in order. The text before `§`
    /// must not be longer than what precedes such a node in any file.
    pub scaffolds: Vec<String>,
}
