//! The part of an input that search and rewrite share: which language, which reading, which matches.

use clap::ValueEnum;
use regex::bytes::Regex;
use schemars::JsonSchema;
use serde::Deserialize;
use vise_search::Context;
use vise_search::metavariable::{names, scan};
use vise_syntax::RungName;

use crate::ToolError;

/// Which matches count.
#[derive(Debug, Clone, Default, clap::Args, Deserialize, JsonSchema)]
pub struct Filters {
    /// Only this language (repeatable); markup only if asked for
    #[arg(short, long, value_name = "LANG")]
    #[serde(default)]
    pub lang: Vec<String>,
    /// How to read the pattern; `any`: all ways
    #[arg(long, value_name = "RUNG")]
    #[serde(default)]
    pub context: Option<Rung>,
    /// Nothing in a match goes unmentioned
    #[arg(long)]
    #[serde(default)]
    pub exact: bool,
    /// `X=REGEX`: metavariable X must match (repeatable)
    #[arg(long = "where", value_name = "X=RE", allow_hyphen_values = true)]
    #[serde(default, rename = "where")]
    pub conditions: Vec<String>,
    /// `X=REGEX`: it must not match (repeatable)
    #[arg(long, value_name = "X=RE", allow_hyphen_values = true)]
    #[serde(default)]
    pub not_where: Vec<String>,
    /// The matched node's kind, as `reading` names it
    #[arg(long, value_name = "KIND")]
    #[serde(default)]
    pub kind: Option<String>,
    /// Pattern around the match
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    #[serde(default)]
    pub inside: Option<String>,
    /// Pattern in the match
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    #[serde(default)]
    pub has: Option<String>,
    /// Pattern not around the match
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    #[serde(default)]
    pub not_inside: Option<String>,
    /// Pattern not in the match
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true)]
    #[serde(default)]
    pub not_has: Option<String>,
}

/// A place in which a fragment of code can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize, JsonSchema)]
#[value(rename_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
#[expect(missing_docs, reason = "the names say it; docs/patterns.md has an example of each")]
pub enum Rung {
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
    /// Every reading at once.
    Any,
}

impl Rung {
    fn context(self) -> Context {
        Context::Rung(match self {
            Self::Statement => RungName::Statement,
            Self::Expression => RungName::Expression,
            Self::Member => RungName::Member,
            Self::TopLevel => RungName::TopLevel,
            Self::Type => RungName::Type,
            Self::Pattern => RungName::Pattern,
            Self::Parameter => RungName::Parameter,
            Self::Argument => RungName::Argument,
            Self::Case => RungName::Case,
            Self::Clause => RungName::Clause,
            Self::Field => RungName::Field,
            Self::Pair => RungName::Pair,
            Self::Attribute => RungName::Attribute,
            Self::Any => return Context::Any,
        })
    }
}

impl Filters {
    /// What the pattern compiler needs to know.
    ///
    /// What is wrong with the pattern in any language, and with the conditions, is said here, before any file is
    /// looked at: on an empty folder too.
    pub(crate) fn options(&self, pattern: &str) -> Result<vise_search::Options, ToolError> {
        let pieces = scan(pattern).map_err(ToolError::bad_input)?;
        let known = names(&pieces);
        let mut conditions = Vec::new();
        let given = self.conditions.iter().map(|text| (text, "--where", true));
        for (text, flag, wanted) in given.chain(self.not_where.iter().map(|text| (text, "--not-where", false))) {
            let (name, regex) = text
                .split_once('=')
                .ok_or_else(|| ToolError::bad_input(format!("`{flag} {text}` has no `=`; it takes `X=REGEX`")))?;
            let name = name.trim_start_matches('$');
            if !known.iter().any(|(known, _)| **known == *name) {
                let list: Vec<_> = known.iter().map(|(name, kind)| format!("`{}{name}`", kind.sigil())).collect();
                let list = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
                let message = format!("`{flag}` names `${name}`, which the pattern does not have; it has {list}");
                return Err(ToolError::bad_input(message));
            }
            let regex = Regex::new(regex).map_err(|error| {
                ToolError::bad_input(format!("`{flag} {text}` is no regular expression: {}", last_line(&error)))
            })?;
            conditions.push((name.to_owned(), regex, wanted));
        }
        Ok(vise_search::Options {
            context: self.context.map_or(Context::First, Rung::context),
            exact: self.exact,
            conditions,
        })
    }
}

/// The regex crate draws a picture of several lines; its last line says what is wrong.
fn last_line(error: &regex::Error) -> String {
    let text = error.to_string();
    let line = text.lines().last().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}
