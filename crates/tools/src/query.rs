//! A pattern with its filters, compiled for each language once.

use std::sync::{Arc, OnceLock};

use vise_search::{Context, Found, Match, NoReading, Options, Pattern, PatternError, ReadingName};
use vise_search::{keep_having, keep_inside};
use vise_syntax::{Document, Language, Registry};

use crate::filters::Filters;
use crate::{ErrorKind, ToolError};

/// A pattern with its filters in one language.
pub(crate) struct Query {
    pub pattern: Pattern,
    /// The readings' names, each with its group.
    pub readings: Arc<[(ReadingName, usize)]>,
    kind: Option<String>,
    inside: Option<Pattern>,
    not_inside: Option<Pattern>,
    has: Option<Pattern>,
    not_has: Option<Pattern>,
}

impl Query {
    fn compile(language: &Arc<Language>, text: &str, filters: &Filters, options: &Options) -> Result<Self, Rejected> {
        let main = |error| Rejected { pattern: text.to_owned(), flag: None, error };
        let pattern = Pattern::compile(language, text, options).map_err(main)?;
        // A filter's own pattern is read in every way there is: it only has to hold somewhere around.
        let beside = Options { context: Context::Any, ..Options::default() };
        let filter = |flag, text: &Option<String>| {
            let compile = |text: &String| {
                let reject = |error| Rejected { pattern: text.clone(), flag: Some(flag), error };
                Pattern::compile(language, text, &beside).map_err(reject)
            };
            text.as_ref().map(compile).transpose()
        };
        Ok(Self {
            readings: pattern.readings().map(|(name, group)| (name.clone(), group)).collect(),
            pattern,
            kind: filters.kind.clone(),
            inside: filter("--inside", &filters.inside)?,
            not_inside: filter("--not-inside", &filters.not_inside)?,
            has: filter("--has", &filters.has)?,
            not_has: filter("--not-has", &filters.not_has)?,
        })
    }

    /// Whether a text can hold a match at all: a look at its bytes.
    pub(crate) fn may_match(&self, text: &[u8]) -> bool {
        [&self.inside, &self.has].into_iter().flatten().chain([&self.pattern]).all(|pattern| pattern.may_match(text))
    }

    /// Every match of every reading that the filters let pass.
    pub(crate) fn find(&self, document: &Document<'_>) -> Found {
        let mut found = self.pattern.find(document);
        for matches in &mut found.readings {
            self.keep(matches, document);
        }
        found
    }

    fn keep(&self, matches: &mut Vec<Match>, document: &Document<'_>) {
        if let Some(kind) = &self.kind {
            matches.retain(|found| document.language.kind_name(found.kind) == kind);
        }
        for (pattern, wanted) in [(&self.inside, true), (&self.not_inside, false)] {
            if let (Some(pattern), false) = (pattern, matches.is_empty()) {
                keep_inside(matches, document, pattern, wanted);
            }
        }
        for (pattern, wanted) in [(&self.has, true), (&self.not_has, false)] {
            if let (Some(pattern), false) = (pattern, matches.is_empty()) {
                keep_having(matches, document, pattern, wanted);
            }
        }
    }
}

/// Why a language does not take a pattern.
#[derive(Debug, Clone)]
pub(crate) struct Rejected {
    pattern: String,
    flag: Option<&'static str>,
    error: PatternError,
}

/// A pattern with its filters in all languages: compiled when the first file of a language comes.
pub(crate) struct Queries<'s> {
    text: &'s str,
    filters: &'s Filters,
    options: Options,
    languages: Vec<Arc<Language>>,
    compiled: Vec<OnceLock<Result<Query, Rejected>>>,
}

/// A language, by its place in [`Queries`].
pub(crate) type LanguageId = usize;

impl<'s> Queries<'s> {
    pub(crate) fn new(registry: &Registry, text: &'s str, filters: &'s Filters) -> Result<Self, ToolError> {
        let options = filters.options(text)?;
        let languages: Vec<_> = registry.languages().cloned().collect();
        if let Some(kind) = &filters.kind
            && !languages.iter().any(|language| language.kind_id(kind).is_some())
        {
            return Err(ToolError::bad_input(format!("no language has a kind of node called `{kind}`"))
                .hint("`vise dump FILE` shows the kinds in a file"));
        }
        let compiled = languages.iter().map(|_| OnceLock::new()).collect();
        Ok(Self { text, filters, options, languages, compiled })
    }

    pub(crate) fn filters(&self) -> &Filters {
        self.filters
    }

    pub(crate) fn language(&self, id: LanguageId) -> &Arc<Language> {
        &self.languages[id]
    }

    pub(crate) fn id(&self, language: &Arc<Language>) -> Option<LanguageId> {
        self.languages.iter().position(|known| Arc::ptr_eq(known, language))
    }

    pub(crate) fn query(&self, id: LanguageId) -> Result<&Query, &Rejected> {
        let compile = || Query::compile(&self.languages[id], self.text, self.filters, &self.options);
        self.compiled[id].get_or_init(compile).as_ref()
    }

    /// Whether all readings count, rather than the first that matches anything.
    pub(crate) fn all_readings(&self) -> bool {
        self.options.context == Context::Any
    }

    /// The languages that took the pattern.
    pub(crate) fn accepted(&self) -> impl Iterator<Item = (LanguageId, &Query)> {
        let tried = self.compiled.iter().enumerate();
        tried.filter_map(|(id, compiled)| Some((id, compiled.get()?.as_ref().ok()?)))
    }

    /// The languages that were tried and did not take the pattern.
    pub(crate) fn rejected(&self) -> impl Iterator<Item = (&Arc<Language>, &Rejected)> {
        self.languages.iter().zip(&self.compiled).filter_map(|(language, compiled)| {
            compiled.get().and_then(|query| query.as_ref().err()).map(|rejected| (language, rejected))
        })
    }

    /// The error to give when some language was tried and none took the pattern.
    pub(crate) fn no_language(&self) -> Option<ToolError> {
        let tried = self.compiled.iter().filter(|query| query.get().is_some()).count();
        let rejected: Vec<_> = self.rejected().collect();
        if tried == 0 || rejected.len() < tried {
            return None;
        }
        // The language in which most of the pattern was read has the most to say.
        let (language, nearest) = rejected.iter().max_by_key(|(_, rejected)| rejected.reach())?;
        let mut error = nearest.explain(language);
        if rejected.len() > 1 {
            let names: Vec<_> = rejected.iter().map(|(language, _)| format!("`{}`", language.name())).collect();
            error.message = format!("no language reads the pattern ({}); {}", names.join(", "), error.message);
        }
        Some(error)
    }
}

impl Rejected {
    fn reach(&self) -> usize {
        match &self.error {
            PatternError::NoReading(nearest) => nearest.offset,
            PatternError::Malformed(_) => usize::MAX,
        }
    }

    /// What is wrong, with a picture.
    pub(crate) fn explain(&self, language: &Language) -> ToolError {
        let flag = self.flag.map(|flag| format!("`{flag}`: ")).unwrap_or_default();
        match &self.error {
            PatternError::Malformed(why) => ToolError::bad_input(format!("{flag}{why}")),
            PatternError::NoReading(nearest) => no_reading(&flag, &self.pattern, language, nearest),
        }
    }
}

fn no_reading(flag: &str, pattern: &str, language: &Language, nearest: &NoReading) -> ToolError {
    let offset = (0..=nearest.offset.min(pattern.len())).rev().find(|at| pattern.is_char_boundary(*at)).unwrap_or(0);
    let before = &pattern[..offset];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let column = pattern[start..offset].chars().count() + 1;
    let place =
        if pattern.contains('\n') { format!("line {line}, column {column}") } else { format!("column {column}") };
    let Some(rung) = nearest.rung else {
        let rungs: Vec<_> = language.rungs().map(|(rung, _)| format!("`{}`", rung.as_str())).collect();
        let message = format!("{flag}{} has no such rung; it has {}", language.name(), rungs.join(", "));
        return ToolError::bad_input(message);
    };
    let message = format!(
        "{flag}`{}` is no pattern of {}: at {place}, {} (nearest reading: {})",
        shorten(pattern),
        language.name(),
        nearest.because,
        rung.as_str()
    );
    let shown = pattern[start..].lines().next().unwrap_or_default();
    let hint = if shown.chars().count() <= 120 {
        let shown = vise_text::shown(shown.replace('\t', " ").as_bytes());
        format!("  {shown}\n  {}^ here", " ".repeat(column - 1))
    } else {
        "make the pattern a whole statement, expression, member or item".to_owned()
    };
    ToolError { kind: ErrorKind::BadInput, ..ToolError::bad_input(message) }.hint(hint).with("offset", offset)
}

/// A text for a message: one line, not too long.
pub(crate) fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// The languages that `-l` names.
pub(crate) fn named_languages(registry: &Registry, names: &[String]) -> Result<Vec<Arc<Language>>, ToolError> {
    let mut languages: Vec<Arc<Language>> = Vec::new();
    for name in names.iter().flat_map(|names| names.split(',')).map(str::trim) {
        let Some(language) = registry.by_name(name) else {
            let all: Vec<_> = registry.languages().map(|language| language.name()).collect();
            let error = ToolError::bad_input(format!("unknown language `{name}`"));
            return Err(match registry.nearest(name) {
                Some(nearest) => error.hint(format!("did you mean `{nearest}`? there are: {}", all.join(" "))),
                None => error.hint(format!("there are: {}", all.join(" "))),
            });
        };
        if !languages.iter().any(|known| Arc::ptr_eq(known, language)) {
            languages.push(language.clone());
        }
    }
    Ok(languages)
}
