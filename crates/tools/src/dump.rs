//! `dump`: the tree of a file, or how a pattern is read on each rung of the ladder.

use std::fmt;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use serde::Serialize;
use vise_search::{Context, DescribedReading, Options, Pattern, PatternError};
use vise_syntax::{FieldId, Language, Node, parse, parse_once};
use vise_text::{lossy, shown};
use vise_workspace::{ReadOptions, read, walk};

use crate::columns::Columns;
use crate::query::named_languages;
use crate::{ErrorKind, Session, ToolError};

/// Show what the parser sees: for those who write patterns and language files.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Dump {
    /// Show the tree of this file
    #[arg(value_name = "FILE", required_unless_present = "pattern", conflicts_with = "pattern")]
    pub file: Option<PathBuf>,
    /// Show how this pattern is read on each rung of the ladder; needs a language
    #[arg(long, value_name = "PATTERN", allow_hyphen_values = true, requires = "lang")]
    pub pattern: Option<String>,
    /// The language; without it the file's name tells
    #[arg(short, long, value_name = "LANG")]
    pub lang: Option<String>,
    /// Show what the code graph takes from the file, for those who write queries
    #[arg(long, conflicts_with = "pattern")]
    pub facts: bool,
    /// Read the pattern for exact matching
    #[arg(long, requires = "pattern")]
    pub exact: bool,
    /// Parse all files below the folder that the code graph would, and show nothing: the floor for benchmarks
    #[arg(long, hide = true, requires = "file")]
    pub parse_only: bool,
}

/// A tree, or the rungs of a ladder.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum DumpReport {
    /// The nodes of a file, each before those below it.
    Tree {
        /// The language.
        language: String,
        /// The nodes.
        nodes: Vec<DumpedNode>,
    },
    /// The rungs of the language's ladder.
    Pattern {
        /// The language.
        language: String,
        /// The rungs, in order.
        rungs: Vec<DumpedRung>,
    },
    /// What the code graph takes from a file.
    Facts {
        /// The language.
        language: String,
        /// The facts as text.
        facts: String,
    },
    /// Files that were parsed, and no more.
    Parsed {
        /// How many.
        files: usize,
        /// Their size.
        bytes: usize,
        /// How many of them have errors.
        with_errors: usize,
    },
}

/// A node of a dumped tree.
#[derive(Debug, Serialize)]
pub struct DumpedNode {
    /// How far below the root.
    pub depth: usize,
    /// Its kind; for an unnamed node its text.
    pub kind: String,
    /// Whether the grammar names it.
    pub named: bool,
    /// The field under which its parent holds it.
    pub field: Option<String>,
    /// Byte offsets.
    pub range: [usize; 2],
    /// Line and column of the start, from 1.
    pub start: [usize; 2],
    /// Line and column of the end, from 1.
    pub end: [usize; 2],
    /// The text of a node without children.
    pub text: Option<String>,
    /// `error` or `missing`.
    pub broken: Option<&'static str>,
}

/// What one rung makes of a pattern.
#[derive(Debug, Serialize)]
pub struct DumpedRung {
    /// The rung.
    pub rung: &'static str,
    /// The readings that it accepts.
    pub readings: Vec<DumpedReading>,
    /// Where and why it does not accept.
    pub rejected: Option<DumpedRejection>,
}

/// A reading of a pattern.
#[derive(Debug, Serialize)]
pub struct DumpedReading {
    /// The kind of node.
    pub reading: String,
    /// Whether only a header was given.
    pub partial: bool,
    /// Where it is looked for.
    pub root: String,
    /// Words that every match contains.
    pub literals: Vec<String>,
    /// The steps of the match, indented.
    pub steps: Vec<String>,
}

/// Why a rung does not accept a pattern.
#[derive(Debug, Serialize)]
pub struct DumpedRejection {
    /// The byte of the pattern.
    pub offset: usize,
    /// Why.
    pub because: String,
}

impl Dump {
    /// Parses the file, or compiles the pattern rung by rung.
    ///
    /// # Errors
    /// When the file cannot be read, the language is unknown or the pattern malformed.
    pub fn run(&self, session: &Session) -> Result<DumpReport, ToolError> {
        let language = match &self.lang {
            Some(name) => named_languages(&session.registry, std::slice::from_ref(name))?.into_iter().next(),
            None => None,
        };
        match (&self.pattern, language) {
            (Some(pattern), Some(language)) => ladder(pattern, &language, self.exact),
            (Some(_), None) => Err(ToolError::bad_input("`--pattern` needs a language").hint("add `-l LANG`")),
            (None, _) if self.parse_only => self.parse_all(session),
            (None, language) => self.tree(session, language),
        }
    }

    fn tree(&self, session: &Session, language: Option<Arc<Language>>) -> Result<DumpReport, ToolError> {
        let Some(file) = &self.file else {
            return Err(ToolError::bad_input("there is no file to show").hint("`vise dump FILE`"));
        };
        let path = vise_workspace::absolute(&session.folder, file);
        let name = file.display();
        if !path.exists() {
            return Err(ToolError::bad_input(format!("no such path: `{name}`")));
        }
        let options = ReadOptions { max_bytes: session.max_file_bytes, named: true };
        let source = read(&path, &options).map_err(|why| {
            let why = why.as_str().replace('_', " ");
            ToolError::new(ErrorKind::Unavailable, format!("`{name}` cannot be shown: {why}"))
        })?;
        let by_name = || session.registry.by_path(&path).or_else(|| session.registry.by_first_line(&source)).cloned();
        let Some(language) = language.or_else(by_name) else {
            return Err(ToolError::bad_input(format!("no language is known for `{name}`")).hint("add `-l LANG`"));
        };
        if self.facts {
            return facts(session, &language, &source, &path);
        }
        let document = parse(&language, &source).map_err(|_| {
            let message = format!("parsing `{name}` as {} takes too many steps", language.name());
            ToolError::new(ErrorKind::Unsupported, message)
        })?;
        Ok(DumpReport::Tree { language: language.name().to_owned(), nodes: nodes(&language, document.root(), &source) })
    }
}

impl Dump {
    /// Walks, reads and parses as indexing does, with the same threads and allocator.
    fn parse_all(&self, session: &Session) -> Result<DumpReport, ToolError> {
        let paths: Vec<PathBuf> = self.file.iter().cloned().collect();
        let walked = walk(&session.root, &session.paths(&paths), &session.walk, &|| session.stopped())?;
        let parsed = walked.files.par_iter().with_max_len(1).filter_map(|file| {
            let language = session.registry.by_path(&file.path)?;
            language.description.graph.as_ref()?;
            let options = ReadOptions { max_bytes: session.max_file_bytes, named: false };
            let source = read(&file.path, &options).ok()?;
            let broken = parse_once(language, &source, |document| document.root().has_error()).ok()?;
            Some((1, source.len(), usize::from(broken)))
        });
        let (files, bytes, with_errors) = parsed.reduce(|| (0, 0, 0), |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2));
        Ok(DumpReport::Parsed { files, bytes, with_errors })
    }
}

fn facts(session: &Session, language: &Language, source: &[u8], path: &Path) -> Result<DumpReport, ToolError> {
    let name = language.name().to_owned();
    let rules = vise_graph::Rules::compile(language)
        .map_err(ToolError::bad_input)?
        .ok_or_else(|| ToolError::new(ErrorKind::Unsupported, format!("there are no queries for {name}")))?;
    let path = path.strip_prefix(&session.folder).unwrap_or(path).display().to_string().replace('\\', "/");
    let facts = vise_graph::facts_of(language, &rules, source, &path).map_err(|_| {
        ToolError::new(ErrorKind::Unsupported, format!("parsing `{path}` as {name} takes too many steps"))
    })?;
    Ok(DumpReport::Facts { language: name, facts: vise_graph::dump(&facts) })
}

fn nodes(language: &Language, root: Node<'_>, source: &[u8]) -> Vec<DumpedNode> {
    let columns = Columns::new(source);
    let place = |offset| {
        let (line, column) = columns.place(offset);
        [line + 1, column + 1]
    };
    let mut nodes = Vec::new();
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        let leaf = node.child_count() == 0;
        let broken = if node.is_missing() {
            Some("missing")
        } else if node.is_error() {
            Some("error")
        } else {
            None
        };
        nodes.push(DumpedNode {
            depth,
            kind: node.kind().to_owned(),
            named: node.is_named(),
            field: field(language, cursor.field()),
            range: [node.start(), node.end()],
            start: place(node.start()),
            end: place(node.end()),
            text: leaf.then(|| lossy(source.get(node.range()).unwrap_or_default())),
            broken,
        });
        if cursor.first_child() {
            depth += 1;
            continue;
        }
        while !cursor.next_sibling() {
            if !cursor.parent() {
                return nodes;
            }
            depth -= 1;
        }
    }
}

fn field(language: &Language, field: FieldId) -> Option<String> {
    if field == 0 { None } else { language.field_name(field).map(ToOwned::to_owned) }
}

fn ladder(pattern: &str, language: &Arc<Language>, exact: bool) -> Result<DumpReport, ToolError> {
    let mut rungs: Vec<DumpedRung> = Vec::new();
    for (rung, _) in language.rungs() {
        // A language may give a rung in several parts; the compiler takes them together.
        if rungs.iter().any(|known| known.rung == rung.as_str()) {
            continue;
        }
        let options = Options { context: Context::Rung(rung), exact, conditions: Vec::new() };
        let dumped = match Pattern::compile(language, pattern, &options) {
            Ok(compiled) => DumpedRung {
                rung: rung.as_str(),
                readings: compiled.described().map(DumpedReading::from).collect(),
                rejected: None,
            },
            Err(PatternError::Malformed(why)) => return Err(ToolError::bad_input(why)),
            Err(PatternError::NoReading(why)) => DumpedRung {
                rung: rung.as_str(),
                readings: Vec::new(),
                rejected: Some(DumpedRejection { offset: why.offset, because: why.because }),
            },
        };
        rungs.push(dumped);
    }
    Ok(DumpReport::Pattern { language: language.name().to_owned(), rungs })
}

impl From<DescribedReading> for DumpedReading {
    fn from(described: DescribedReading) -> Self {
        let DescribedReading { name, root, literals, steps } = described;
        Self { reading: name.kind, partial: name.partial, root, literals, steps }
    }
}

impl fmt::Display for DumpReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tree { nodes, .. } => nodes.iter().try_for_each(|node| write_node(f, node)),
            Self::Facts { facts, .. } => f.write_str(facts),
            Self::Pattern { rungs, .. } => rungs.iter().try_for_each(|rung| write_rung(f, rung)),
            Self::Parsed { files, bytes, with_errors } => {
                writeln!(f, "{files} files, {bytes} bytes, {with_errors} with errors")
            }
        }
    }
}

fn write_node(f: &mut fmt::Formatter<'_>, node: &DumpedNode) -> fmt::Result {
    // A tree may be 100,000 deep: past 40 levels the depth is a number, or the output would be quadratic.
    match node.depth {
        depth @ 0..=40 => write!(f, "{:1$}", "", depth * 2)?,
        depth => write!(f, "{:1$}[{depth}] ", "", 82)?,
    }
    if let Some(field) = &node.field {
        write!(f, "{field}: ")?;
    }
    match (node.broken, node.named) {
        (Some("missing"), true) => write!(f, "MISSING {}", node.kind)?,
        (Some("missing"), false) => write!(f, "MISSING {:?}", node.kind)?,
        (_, true) => write!(f, "{}", node.kind)?,
        (_, false) => write!(f, "{:?}", shown(node.kind.as_bytes()))?,
    }
    let ([line, column], [end_line, end_column]) = (node.start, node.end);
    write!(f, " [{line}:{column} - {end_line}:{end_column}]")?;
    if let (Some(text), true) = (&node.text, node.named) {
        let mut words = String::new();
        let mut characters = text.chars();
        characters.by_ref().take(60).try_for_each(|c| words.write_char(c))?;
        let more = if characters.next().is_some() { "…" } else { "" };
        write!(f, " `{}{more}`", shown(words.replace('\n', "⏎").as_bytes()))?;
    }
    writeln!(f)
}

fn write_rung(f: &mut fmt::Formatter<'_>, rung: &DumpedRung) -> fmt::Result {
    if let Some(rejected) = &rung.rejected {
        return writeln!(f, "{}: not accepted: at byte {}, {}", rung.rung, rejected.offset, rejected.because);
    }
    for reading in &rung.readings {
        let partial = if reading.partial { " (a header)" } else { "" };
        writeln!(f, "{}: read as {}{partial}; looked for at {}", rung.rung, reading.reading, reading.root)?;
        if !reading.literals.is_empty() {
            writeln!(f, "  holds: {}", reading.literals.join(" "))?;
        }
        for (number, step) in reading.steps.iter().enumerate() {
            writeln!(f, "  {number:>3}  {step}")?;
        }
    }
    Ok(())
}
