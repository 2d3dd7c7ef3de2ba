//! The flags of an `options` fence, compiled: what the command line would make of them.

use std::sync::Arc;

use regex::bytes::Regex;
use vise_search::{Context, Match, Options, Pattern, PatternError, keep_having, keep_inside};
use vise_syntax::{Document, KindId, Language, RungName};

use super::fences::Fence;
use super::markdown::words;

/// A pattern with everything that narrows what it finds.
pub(crate) struct Search {
    pub(crate) pattern: Pattern,
    pub(crate) context: Context,
    pub(crate) allow_comment_loss: bool,
    kind: Option<KindId>,
    /// (pattern, whether it must hold)
    inside: Vec<(Pattern, bool)>,
    having: Vec<(Pattern, bool)>,
}

impl Search {
    /// Compiles a pattern with its options; what is wrong with either is the message a user would see.
    pub(crate) fn compile(language: &Arc<Language>, pattern: &str, options: Option<&Fence>) -> Result<Search, String> {
        let compile = |text: &str, options: &Options| {
            Pattern::compile(language, text, options).map_err(|error| message(language, error))
        };
        let mut read = Options::default();
        let mut allow_comment_loss = false;
        let mut kind = None;
        let (mut inside, mut having) = (Vec::new(), Vec::new());
        let mut words = words(options.map_or("", |fence| &fence.text))?.into_iter();
        while let Some(flag) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("`{flag}` needs a value"));
            match flag.as_str() {
                "--exact" => read.exact = true,
                "--allow-comment-loss" => allow_comment_loss = true,
                "--context" => read.context = context(&value()?)?,
                "--where" | "--not-where" => {
                    let value = value()?;
                    let (name, regex) = value.split_once('=').ok_or_else(|| format!("`{value}` is not X=REGEX"))?;
                    let regex = Regex::new(regex).map_err(|error| error.to_string())?;
                    read.conditions.push((name.to_string(), regex, flag == "--where"));
                }
                "--inside" | "--not-inside" => {
                    inside.push((compile(&value()?, &Options::default())?, flag == "--inside"));
                }
                "--has" | "--not-has" => having.push((compile(&value()?, &Options::default())?, flag == "--has")),
                "--kind" => {
                    let name = value()?;
                    let id = language.kind_id(&name);
                    kind = Some(id.ok_or_else(|| format!("`{}` has no kind `{name}`", language.name()))?);
                }
                _ => return Err(format!("`{flag}` is no flag of a case; docs/testing.md lists them")),
            }
        }
        let pattern = compile(pattern, &read)?;
        Ok(Search { pattern, context: read.context, allow_comment_loss, kind, inside, having })
    }

    /// The matches of each reading, filtered.
    pub(crate) fn find(&self, document: &Document<'_>) -> Vec<Vec<Match>> {
        let mut readings = self.pattern.find(document).readings;
        for matches in &mut readings {
            matches.retain(|found| self.kind.is_none_or(|kind| found.kind == kind));
            for (pattern, wanted) in &self.inside {
                keep_inside(matches, document, pattern, *wanted);
            }
            for (pattern, wanted) in &self.having {
                keep_having(matches, document, pattern, *wanted);
            }
        }
        readings
    }
}

fn context(name: &str) -> Result<Context, String> {
    if name == "any" {
        return Ok(Context::Any);
    }
    let rung = RungName::ALL.into_iter().find(|rung| rung.as_str() == name);
    rung.map(Context::Rung).ok_or_else(|| format!("there is no rung `{name}`"))
}

fn message(language: &Language, error: PatternError) -> String {
    match error {
        PatternError::Malformed(message) => message,
        PatternError::NoReading(nearest) => {
            let rung = nearest.rung.map_or(String::new(), |rung| format!(" (nearest: rung {})", rung.as_str()));
            format!(
                "no rung of {} accepts the pattern{rung}: at byte {}, {}",
                language.name(),
                nearest.offset,
                nearest.because
            )
        }
    }
}
