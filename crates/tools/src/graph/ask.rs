//! From a question to its answer: what is asked of the graph, and how much of it there is room for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use vise_graph::index::Opened;
use vise_graph::query::{self, Affected, ChangedFile, ChangedLines, Ranks, TestReach};
use vise_graph::{Edge, Graph as CodeGraph};
use vise_syntax::description::Description;
use vise_text::lossy;
use vise_workspace::{GitLines, ReadOptions, absolute, git_changes, read, shown_path};

use super::answer::{Answer, Context, MapFile, Rows, Way};
use super::budget::Budget;
use super::lines::{Lines, file_of};
use super::mentions::mentioned;
use super::sql::select;
use super::subject::{from_root, not_found, subjects};
use super::{Graph, GraphOp, words};
use crate::{ErrorKind, Session, ToolError};

/// Tokens of a map and of a context unless the question says otherwise: they are made to fit, so they always have a
/// limit.
const MAP_TOKENS: usize = 2000;
const CONTEXT_TOKENS: usize = 4000;
/// How many hubs there are unless the question says otherwise.
const HUBS: usize = 20;
/// Symbols that do not fit into a map any more before nothing is tried any more.
const MAP_MISSES: usize = 30;

/// The answer to a question.
pub(super) fn answer(ask: &Graph, session: &Session, opened: &Opened) -> Result<Answer, ToolError> {
    let asker = Asker { ask, session, graph: &opened.graph };
    let mut budget = Budget::new(ask.tokens, ask.max);
    Ok(match ask.op {
        GraphOp::Status => Answer::Status,
        GraphOp::Index => Answer::Index,
        GraphOp::Find => asker.find(&mut budget)?,
        GraphOp::Outline => asker.outline(&mut budget, opened)?,
        GraphOp::Map => asker.map()?,
        GraphOp::Hubs => {
            let hubs = query::hubs(asker.graph, &Ranks::of(asker.graph), ask.max.unwrap_or(HUBS));
            Answer::Hubs(budget.keep(hubs, |hub| bytes(&asker.lines().hub(hub))))
        }
        GraphOp::Context => asker.context()?,
        GraphOp::Callers => asker.uses(Way::Callers, &mut budget)?,
        GraphOp::Callees => asker.uses(Way::Callees, &mut budget)?,
        GraphOp::References => asker.uses(Way::References, &mut budget)?,
        GraphOp::Impact => asker.impact(&mut budget)?,
        GraphOp::Path => {
            let (from, to) = (asker.subjects()?, asker.symbol_of(ask.to.as_deref(), "to", ask.all)?);
            let edges = query::path(asker.graph, &from, &to);
            Answer::Path { from, to, edges }
        }
        GraphOp::Tests => {
            let subjects = asker.subjects()?;
            let tests = asker.keep_tests(query::tests(asker.graph, &subjects), &mut budget);
            Answer::Tests { subjects, tests }
        }
        GraphOp::Unused => asker.unused(&mut budget)?,
        GraphOp::Cycles => asker.cycles(&mut budget),
        GraphOp::Diff => asker.diff(&mut budget)?,
        GraphOp::Sql => Answer::Sql(select(ask, session, opened, &mut budget)?),
    })
}

struct Asker<'a> {
    ask: &'a Graph,
    session: &'a Session,
    graph: &'a CodeGraph,
}

/// What a line takes, its end included.
fn bytes(line: &str) -> usize {
    line.len() + 1
}

impl Asker<'_> {
    fn lines(&self) -> Lines<'_> {
        Lines::plain(self.graph)
    }

    /// The symbols that a question about edges is about.
    fn subjects(&self) -> Result<Vec<u32>, ToolError> {
        let subjects = self.symbol_of(self.ask.symbol.as_deref(), "symbol", self.ask.all)?;
        let known = |ix: &u32| self.description(self.graph.symbol(*ix).language).is_none_or(|d| d.graph.is_some());
        match subjects.first() {
            Some(&first) if !subjects.iter().any(known) => {
                let language = self.graph.symbol(first).language;
                let message = format!("in `{language}` the graph knows what there is, not what uses what");
                let error = ToolError::new(ErrorKind::Unsupported, message);
                Err(error.hint("`find`, `outline` and `context` work; a text search finds where a word stands"))
            }
            _ => Ok(subjects),
        }
    }

    fn description(&self, language: &str) -> Option<&Description> {
        self.session.registry.by_name(language).map(|language| &language.description)
    }

    /// Whether a language is one for programs, in which things are used.
    fn is_code(&self, language: &str) -> bool {
        self.description(language).is_none_or(|d| d.graph.is_some() && !d.markup)
    }

    fn symbol_of(&self, text: Option<&str>, key: &str, all: bool) -> Result<Vec<u32>, ToolError> {
        subjects(self.session, self.graph, self.required(text, key)?, all)
    }

    fn required<'t>(&self, text: Option<&'t str>, key: &str) -> Result<&'t str, ToolError> {
        text.filter(|text| !text.trim().is_empty()).ok_or_else(|| {
            ToolError::bad_input(format!("`{key}` is missing, and this question is about one"))
                .hint("it is a name, the end of a qualified name (`Store.save`), or FILE:LINE")
        })
    }

    fn find(&self, budget: &mut Budget) -> Result<Answer, ToolError> {
        let text = self.required(self.ask.symbol.as_deref(), "symbol")?;
        let found = query::find(self.graph, &from_root(self.session, self.graph, text));
        if found.is_empty() {
            return Err(not_found(self.graph, text));
        }
        Ok(Answer::Find(budget.keep(found, |ix| bytes(&self.lines().symbol(*ix)))))
    }

    /// The path of the question as answers name it, empty for the whole workspace, and the files there.
    fn files(&self, given: Option<&Path>) -> Result<(String, Vec<u32>), ToolError> {
        let path = match given {
            Some(path) => absolute(&self.session.folder, path),
            None => self.session.root.clone(),
        };
        let shown = match shown_path(&self.session.root, &path) {
            whole if whole == "." => String::new(),
            shown => shown,
        };
        let files = query::files_below(self.graph, &shown);
        if files.is_empty() && !path.exists() {
            return Err(vise_workspace::Error::NoSuchPath(path).into());
        }
        Ok((shown, files))
    }

    fn outline(&self, budget: &mut Budget, opened: &Opened) -> Result<Answer, ToolError> {
        let given = self.ask.path.clone().or_else(|| self.ask.symbol.as_ref().map(PathBuf::from));
        let (path, files) = self.files(given.as_deref())?;
        let skipped = opened.skipped.iter().find(|skipped| skipped.file == path);
        if let (true, Some(skipped)) = (files.is_empty(), skipped) {
            let why = skipped.why.as_str().replace('_', " ");
            return Err(ToolError::new(ErrorKind::NotFound, format!("`{path}` is not indexed: {why}")));
        }
        if files.is_empty() && !path.is_empty() {
            let error = ToolError::new(ErrorKind::NotFound, format!("nothing at or below `{path}` is indexed"));
            return Err(error.hint("`status` lists what is left out; ignored files and unknown languages are too"));
        }
        let outlined = files.into_iter().map(|file| (file, query::members(self.graph, file, self.ask.depth)));
        let with_symbols = |(_, symbols): &(u32, Vec<query::Outlined>)| !symbols.is_empty();
        let outlined: Vec<_> = match self.graph.file_named(&path) {
            Some(_) => outlined.collect(),
            None => outlined.filter(with_symbols).collect(),
        };
        let files = budget.keep(outlined, |(file, symbols)| words::outline_bytes(self.graph, *file, symbols));
        Ok(Answer::Outline { path, files })
    }

    fn map(&self) -> Result<Answer, ToolError> {
        let (_, files) = self.files(self.ask.path.as_deref())?;
        let files: FxHashSet<u32> = files.into_iter().collect();
        let graph = self.graph;
        let ranks = Ranks::of(graph);
        let mut budget = Budget::new(self.ask.tokens.or(Some(MAP_TOKENS)), None);
        let mut chosen: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut left_out = 0;
        let mut missed = 0;
        for ix in ranks.sorted(graph) {
            let file = graph.symbol(ix).file_ix;
            if !files.contains(&file) {
                continue;
            }
            let is_new = !chosen.contains_key(&file);
            let full = is_new && self.ask.max.is_some_and(|max| chosen.len() >= max);
            let heading = if is_new { graph.file(file).path.len() + 1 } else { 0 };
            if missed < MAP_MISSES && !full && budget.take(heading + bytes(&self.lines().outlined(ix, 1))) {
                chosen.entry(file).or_default().push(ix);
            } else {
                missed += usize::from(!full);
                left_out += 1;
            }
        }
        let left_out = (files.len() - chosen.len(), left_out);
        let mut files: Vec<MapFile> = chosen
            .into_iter()
            .map(|(file, mut symbols)| {
                symbols.sort_unstable();
                MapFile { file, rank: ranks.file(graph, file), symbols }
            })
            .collect();
        files.sort_by(|a, b| b.rank.total_cmp(&a.rank).then(a.file.cmp(&b.file)));
        Ok(Answer::Map { files, tokens: budget.tokens(), left_out })
    }

    fn uses(&self, way: Way, budget: &mut Budget) -> Result<Answer, ToolError> {
        let subjects = self.subjects()?;
        let uses = match way {
            Way::Callers => query::callers(self.graph, &subjects),
            Way::Callees => query::callees(self.graph, &subjects),
            Way::References => query::references(self.graph, &subjects),
        };
        let edges = self.keep_edges(uses.edges, way, budget);
        Ok(Answer::Uses { way, subjects, edges, unresolved: uses.unresolved, external: uses.external })
    }

    /// The surest edges that there is room for, in the order of their places.
    fn keep_edges(&self, mut edges: Vec<Edge>, way: Way, budget: &mut Budget) -> Rows<Edge> {
        edges.sort_by_key(|edge| (edge.evidence, edge.file, edge.line));
        let mut files = FxHashSet::default();
        let mut kept = budget.keep(edges, |edge| {
            let file = file_of(self.graph, way, edge);
            let heading = if files.insert(file) { self.graph.file(file).path.len() + 1 } else { 0 };
            heading + bytes(&self.lines().edge(way, edge, false))
        });
        kept.rows.sort_by_key(|edge| (edge.file, edge.line, *edge));
        kept
    }

    fn impact(&self, budget: &mut Budget) -> Result<Answer, ToolError> {
        let subjects = self.subjects()?;
        let affected = self.keep_affected(query::impact(self.graph, &subjects, self.ask.depth), budget);
        let unresolved = query::missed_calls(self.graph, &subjects);
        Ok(Answer::Impact { subjects, affected, unresolved })
    }

    fn keep_affected(&self, affected: Vec<Affected>, budget: &mut Budget) -> Rows<Affected> {
        let mut files = FxHashSet::default();
        budget.keep(affected, |one| {
            let symbol = self.graph.symbol(one.symbol);
            let heading = if files.insert((one.depth, symbol.file_ix)) { symbol.file.len() + 3 } else { 0 };
            heading + bytes(&self.lines().affected(one))
        })
    }

    fn keep_tests(&self, tests: Vec<TestReach>, budget: &mut Budget) -> Rows<TestReach> {
        budget.keep(tests, |test| bytes(&self.lines().test(test)))
    }

    fn unused(&self, budget: &mut Budget) -> Result<Answer, ToolError> {
        let (path, files) = self.files(self.ask.path.as_deref())?;
        let mut found =
            query::unused(self.graph, (!path.is_empty()).then_some(&files), &|language| self.is_code(language));
        let name = |ix: &u32| self.graph.symbol(*ix).name;
        let mentioned = mentioned(self.session, self.graph, found.unused.iter().map(name).collect())?;
        let (unknown, unused): (Vec<u32>, Vec<u32>) =
            found.unused.into_iter().partition(|ix| mentioned.contains(name(ix)));
        found.unknown.extend(unknown);
        found.unknown.sort_unstable();
        let row = |ix: &u32| bytes(&self.lines().symbol(*ix));
        let unused = budget.keep(unused, row);
        let unknown = budget.keep(found.unknown, row);
        // As text they are only counted.
        let roots = budget.part(1, 2).keep(found.roots, row);
        Ok(Answer::Unused { unused, unknown, roots })
    }

    fn cycles(&self, budget: &mut Budget) -> Answer {
        let symbols = self.ask.symbols;
        let cycles = if symbols { query::symbol_cycles(self.graph) } else { query::file_cycles(self.graph) };
        let cycles = budget.keep(cycles, |cycle| bytes(&self.lines().cycle(symbols, cycle)));
        Answer::Cycles { symbols, cycles }
    }

    fn context(&self) -> Result<Answer, ToolError> {
        let subjects = self.symbol_of(self.ask.symbol.as_deref(), "symbol", false)?;
        let Some(&symbol) = subjects.first() else { return Err(not_found(self.graph, "")) };
        let mut budget = Budget::new(self.ask.tokens.or(Some(CONTEXT_TOKENS)), self.ask.max);
        let mut part = budget.part(1, 2);
        let (source, lines_left_out) = self.source(symbol, &mut part)?;
        budget.add(&part);
        let callers = query::callers(self.graph, &subjects);
        let callees = query::callees(self.graph, &subjects);
        let mut part = budget.part(1, 2);
        let caller_rows = self.keep_edges(callers.edges, Way::Callers, &mut part);
        budget.add(&part);
        let mut part = budget.part(2, 3);
        let callee_rows = self.keep_edges(callees.edges, Way::Callees, &mut part);
        budget.add(&part);
        let tests = self.keep_tests(query::tests(self.graph, &subjects), &mut budget);
        Ok(Answer::Context(Context {
            symbol,
            source,
            lines_left_out,
            callers: caller_rows,
            callees: callee_rows,
            tests,
            unresolved: (callers.unresolved, callees.unresolved),
            external: callees.external,
            tokens: budget.tokens(),
        }))
    }

    /// The lines of a symbol's definition, as many as there is room for, and how many are left out.
    fn source(&self, ix: u32, budget: &mut Budget) -> Result<(String, usize), ToolError> {
        let symbol = self.graph.symbol(ix);
        let options = ReadOptions { max_bytes: self.session.graph.max_file_bytes, named: true };
        let file = self.session.root.join(symbol.file);
        let text = read(&file, &options).map_err(|why| {
            let why = why.as_str().replace('_', " ");
            ToolError::new(ErrorKind::Stale, format!("`{}` changed while it was asked about: {why}", symbol.file))
        })?;
        let first = symbol.start_line.min(symbol.line).max(1) as usize - 1;
        let count = (symbol.end_line.max(symbol.line) as usize).saturating_sub(first);
        let mut source = String::new();
        let mut given = 0;
        let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').skip(first).take(count).collect();
        for line in &lines {
            // At least the header is given.
            if !budget.take(line.len()) && given > 0 {
                break;
            }
            source.push_str(&lossy(line));
            given += 1;
        }
        Ok((source, lines.len() - given))
    }

    fn diff(&self, budget: &mut Budget) -> Result<Answer, ToolError> {
        let revision = self.ask.rev.as_deref();
        if let Some(range) = revision.filter(|revision| revision.contains("..")) {
            let error =
                ToolError::bad_input(format!("`{range}` is a range, and the graph is that of the files as they are"));
            return Err(error.hint("give one revision (`git merge-base` finds where a branch began)"));
        }
        let changes: Vec<ChangedFile> = git_changes(&self.session.root, revision)?
            .into_iter()
            .map(|change| {
                let lines = match change.lines {
                    GitLines::New => ChangedLines::All,
                    GitLines::Some(stretches) => ChangedLines::Some(stretches),
                };
                ChangedFile { file: change.file, lines }
            })
            .collect();
        let symbols = query::touched(self.graph, &changes);
        let reach = query::reach_of_changed(self.graph, &symbols, self.ask.depth);
        let mut part = budget.part(1, 3);
        let symbols = part.keep(symbols, |ix| bytes(&self.lines().symbol(*ix)));
        budget.add(&part);
        let mut part = budget.part(1, 2);
        let tests = self.keep_tests(reach.tests, &mut part);
        budget.add(&part);
        let dependents = self.keep_affected(reach.affected, budget);
        let revision = revision.unwrap_or("HEAD").to_owned();
        Ok(Answer::Diff { revision, symbols, dependents, tests })
    }
}
