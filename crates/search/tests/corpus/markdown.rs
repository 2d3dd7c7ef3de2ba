//! Markdown into cases: headings name them, prose is free, fences are the case.

use super::fences::{Block, Fence, Problem, blocks, fixme, heading};

/// What there is to ask of a fence of this corpus.
pub(crate) trait Text {
    /// The text without its last line end: a pattern or a template has none.
    fn trimmed(&self) -> &str;

    /// The lines that say something.
    fn lines(&self) -> impl Iterator<Item = &str>;
}

impl Text for Fence {
    fn trimmed(&self) -> &str {
        self.text.strip_suffix('\n').unwrap_or(&self.text)
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines().map(str::trim).filter(|line| !line.is_empty())
    }
}

/// What stands under one heading.
#[derive(Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) title: String,
    /// 1-based line of the heading.
    pub(crate) line: usize,
    /// Why the answer that is asserted is known to be wrong.
    pub(crate) fixme: Option<String>,
    pub(crate) steps: Vec<Step>,
}

/// One pattern and what is said of it.
#[derive(Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) pattern: Fence,
    pub(crate) language: String,
    pub(crate) options: Option<Fence>,
    pub(crate) template: Option<Fence>,
    /// The pattern, the options or the template are refused with these words.
    pub(crate) error: Option<Fence>,
    pub(crate) sources: Vec<Source>,
}

/// A text that is searched or rewritten, and what comes of it.
#[derive(Debug, PartialEq)]
pub(crate) struct Source {
    pub(crate) fence: Fence,
    pub(crate) readings: Option<Fence>,
    pub(crate) after: Option<Fence>,
    pub(crate) refused: Option<Fence>,
}

/// Where the Markdown stands: a corpus is about one language and nothing but cases, a manual shows many and much else.
pub(crate) enum Kind<'k> {
    Corpus { language: &'k str },
    Manual { languages: &'k [String] },
}

/// The cases of a Markdown file, those without a pattern left out.
pub(crate) fn cases(text: &str, kind: &Kind<'_>) -> Result<Vec<Case>, Problem> {
    let mut reader = Reader { kind, cases: Vec::new(), language: None };
    for block in blocks(text)? {
        match block {
            Block::Prose(line, number) => reader.prose(line, number),
            Block::Fence(fence) => reader.fence(fence)?,
        }
    }
    reader.cases.retain(|case| !case.steps.is_empty());
    for step in reader.cases.iter().flat_map(|case| &case.steps) {
        // In a manual a pattern may stand for itself; in a corpus it is there to be tested.
        let says_nothing = step.error.is_none() && step.sources.is_empty();
        if says_nothing && matches!(kind, Kind::Corpus { .. }) {
            return Err(Problem::new(step.pattern.line(), "this pattern has neither a source nor an error"));
        }
        let unused = step.sources.iter().find(|source| source.after.is_some() && step.template.is_none());
        if let Some(source) = unused {
            return Err(Problem::new(
                source.fence.line(),
                "this source has an `after`, but its pattern has no `template`",
            ));
        }
    }
    Ok(reader.cases)
}

struct Reader<'k> {
    kind: &'k Kind<'k>,
    cases: Vec<Case>,
    /// The language of the last source of a manual, for patterns that do not name theirs.
    language: Option<String>,
}

impl Reader<'_> {
    fn prose(&mut self, line: &str, number: usize) {
        if let Some(title) = heading(line) {
            let title = title.to_string();
            self.cases.push(Case { title, line: number, fixme: None, steps: Vec::new() });
        } else if let (Some(reason), Some(case)) = (fixme(line), self.cases.last_mut()) {
            case.fixme = Some(reason.to_string());
        }
    }

    fn fence(&mut self, fence: Fence) -> Result<(), Problem> {
        let at = fence.line();
        let problem = |message: String| Err(Problem::new(at, message));
        if fence.tag == "pattern" {
            let language = match (&fence.language, self.kind) {
                (Some(language), _) => language.clone(),
                (None, Kind::Corpus { language }) => (*language).to_string(),
                // Filled in by the source that follows, or by the one before.
                (None, Kind::Manual { .. }) => self.language.clone().unwrap_or_default(),
            };
            let step =
                Step { pattern: fence, language, options: None, template: None, error: None, sources: Vec::new() };
            let Some(case) = self.cases.last_mut() else {
                return problem("this pattern stands under no heading".to_string());
            };
            case.steps.push(step);
            return Ok(());
        }
        let is_source = match self.kind {
            Kind::Corpus { language } => fence.tag == *language,
            Kind::Manual { languages } => languages.contains(&fence.tag),
        };
        let parts = ["options", "template", "error", "readings", "after", "refused"];
        if !is_source && !parts.contains(&fence.tag.as_str()) {
            return match self.kind {
                Kind::Manual { .. } => Ok(()),
                Kind::Corpus { language } => problem(format!(
                    "a fence here is tagged `pattern`, `{}` or `{language}`, not `{}`",
                    parts.join("`, `"),
                    fence.tag
                )),
            };
        }
        let step = self.cases.last_mut().and_then(|case| case.steps.last_mut());
        let Some(step) = step else {
            return match self.kind {
                // A manual may show code that is no case.
                Kind::Manual { .. } if is_source => Ok(()),
                _ => problem(format!("this `{}` has no `pattern` before it", fence.tag)),
            };
        };
        if is_source {
            if let Kind::Manual { .. } = self.kind {
                self.language = Some(fence.tag.clone());
                if step.pattern.language.is_none() && step.sources.is_empty() {
                    step.language = fence.tag.clone();
                }
                if step.language != fence.tag {
                    return Ok(());
                }
            }
            step.sources.push(Source { fence, readings: None, after: None, refused: None });
            return Ok(());
        }
        let tag = fence.tag.clone();
        let source = step.sources.last_mut();
        let slot = match (tag.as_str(), source) {
            ("options", _) => &mut step.options,
            ("template", _) => &mut step.template,
            ("error", _) => &mut step.error,
            (_, None) => return problem(format!("this `{tag}` has no source before it")),
            ("readings", Some(source)) => &mut source.readings,
            ("after", Some(source)) => &mut source.after,
            (_, Some(source)) => &mut source.refused,
        };
        match slot.replace(fence) {
            None => Ok(()),
            Some(_) => problem(format!("a second `{tag}`; repeat the `pattern` to start anew")),
        }
    }
}

/// The words of an `options` fence, quoted as in a shell.
pub(crate) fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut signs = text.chars();
    while let Some(sign) = signs.next() {
        match (quote, sign) {
            (Some(open), _) if sign == open => quote = None,
            (Some('"') | None, '\\') => {
                // As in a shell, `"\d"` keeps its backslash.
                let next = signs.next().ok_or("a backslash at the end")?;
                let kept = quote.is_some() && !"\"\\$`".contains(next);
                word.get_or_insert_default().extend(kept.then_some('\\').into_iter().chain([next]));
            }
            (Some(_), _) => word.get_or_insert_default().push(sign),
            (None, '\'' | '"') => {
                quote = Some(sign);
                word.get_or_insert_default();
            }
            (None, _) if sign.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    match quote {
        Some(quote) => Err(format!("the {quote} is not closed")),
        None => Ok(words),
    }
}
