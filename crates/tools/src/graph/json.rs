//! Answers in the contract's JSON, written from the graph without a copy of it.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};
use vise_graph::index::Opened;
use vise_graph::query::{Affected, EdgeJson, Hub, Outlined, SymbolJson, TestReach, is_test};
use vise_graph::{Edge, Graph as CodeGraph};

use super::answer::{Answer, Context, MapFile, Rows};

pub(super) fn serialize<S: Serializer>(opened: &Opened, answer: &Answer, serializer: S) -> Result<S::Ok, S::Error> {
    let json = Json { graph: &opened.graph };
    match answer {
        Answer::Status => Status::new(opened, None).serialize(serializer),
        Answer::Index => Status::new(opened, Some(opened.report)).serialize(serializer),
        Answer::Find(rows) => Found { symbols: json.symbols(&rows.rows), truncated: rows.cut() }.serialize(serializer),
        Answer::Outline { path, files } => json.outline(path, files, serializer),
        Answer::Map { files, tokens, left_out } => {
            let files = files.iter().map(|file| json.map_file(file)).collect();
            Map { files, tokens: *tokens, truncated: left_out.1 > 0 }.serialize(serializer)
        }
        Answer::Hubs(rows) => {
            let hub =
                |hub: &Hub| HubRow { symbol: json.symbol(hub.symbol), rank: rounded(hub.rank), callers: hub.callers };
            Hubs { hubs: rows.rows.iter().map(hub).collect(), truncated: rows.cut() }.serialize(serializer)
        }
        Answer::Context(context) => json.context(context).serialize(serializer),
        Answer::Uses { subjects, edges, unresolved, external, .. } => Uses {
            subject: json.subject(subjects),
            edges: json.edges(&edges.rows),
            unresolved: *unresolved,
            external: *external,
            truncated: edges.cut(),
        }
        .serialize(serializer),
        Answer::Impact { subjects, affected, unresolved } => Impact {
            subject: json.subject(subjects),
            affected: json.affected(affected),
            unresolved: *unresolved,
            truncated: affected.cut(),
        }
        .serialize(serializer),
        Answer::Path { edges, .. } => Path { path: json.edges(edges) }.serialize(serializer),
        Answer::Tests { subjects, tests } => {
            Tests { subject: json.subject(subjects), tests: json.tests(tests), truncated: tests.cut() }
                .serialize(serializer)
        }
        Answer::Unused { unused, unknown, roots } => Unused {
            unused: json.symbols(&unused.rows),
            unknown: json.symbols(&unknown.rows),
            roots: json.symbols(&roots.rows),
            truncated: unused.cut() || unknown.cut() || roots.cut(),
        }
        .serialize(serializer),
        Answer::Cycles { symbols, cycles } => {
            let member = |ix: &u32| match symbols {
                true => Member::Symbol(json.symbol(*ix)),
                false => Member::File(json.graph.file(*ix).path),
            };
            let rows = cycles.rows.iter().map(|cycle| cycle.members.iter().map(member).collect()).collect();
            Cycles { cycles: rows, truncated: cycles.cut() }.serialize(serializer)
        }
        Answer::Diff { revision, symbols, dependents, tests } => Diff {
            rev: revision,
            symbols: json.symbols(&symbols.rows),
            dependents: json.affected(dependents),
            tests: json.tests(tests),
            truncated: symbols.cut() || dependents.cut() || tests.cut(),
        }
        .serialize(serializer),
        Answer::Sql(selected) => selected.serialize(serializer),
    }
}

/// Makes the parts of an answer.
#[derive(Clone, Copy)]
struct Json<'g> {
    graph: &'g CodeGraph,
}

impl<'g> Json<'g> {
    fn symbol(self, ix: u32) -> SymbolJson<'g> {
        SymbolJson { graph: self.graph, ix }
    }

    fn symbols(self, all: &[u32]) -> Vec<SymbolJson<'g>> {
        all.iter().map(|ix| self.symbol(*ix)).collect()
    }

    fn edges(self, edges: &[Edge]) -> Vec<EdgeJson<'g>> {
        edges.iter().map(|edge| EdgeJson { graph: self.graph, edge: *edge }).collect()
    }

    /// One subject under `symbol`; of several, where that was asked for, all under `candidates`.
    fn subject(self, subjects: &[u32]) -> Subject<'g> {
        match subjects {
            [one] => Subject { symbol: Some(self.symbol(*one)), candidates: Vec::new() },
            several => Subject { symbol: None, candidates: self.symbols(several) },
        }
    }

    fn affected(self, rows: &Rows<Affected>) -> Vec<AffectedRow<'g>> {
        let row = |one: &Affected| AffectedRow {
            symbol: self.symbol(one.symbol),
            depth: one.depth,
            evidence: one.evidence.as_str(),
            test: is_test(&self.graph.symbol(one.symbol)),
        };
        rows.rows.iter().map(row).collect()
    }

    fn tests(self, rows: &Rows<TestReach>) -> Vec<TestRow<'g>> {
        rows.rows.iter().map(|test| TestRow { symbol: self.symbol(test.symbol), distance: test.distance }).collect()
    }

    fn map_file(self, file: &MapFile) -> MapRow<'g> {
        MapRow { file: self.graph.file(file.file).path, rank: rounded(file.rank), symbols: self.symbols(&file.symbols) }
    }

    fn outline<S: Serializer>(
        self,
        path: &str,
        files: &Rows<(u32, Vec<Outlined>)>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let rows: Vec<OutlineFile<'_>> = files
            .rows
            .iter()
            .map(|(file, symbols)| OutlineFile {
                file: self.graph.file(*file).path,
                symbols: nested(self.graph, symbols),
            })
            .collect();
        match &rows[..] {
            [one] if one.file == path => one.serialize(serializer),
            _ => Outline { path, files: rows, truncated: files.cut() }.serialize(serializer),
        }
    }

    fn context(self, context: &'g Context) -> ContextRow<'g> {
        ContextRow {
            symbol: self.symbol(context.symbol),
            source: &context.source,
            callers: self.edges(&context.callers.rows),
            callees: self.edges(&context.callees.rows),
            tests: self.tests(&context.tests),
            tokens: context.tokens,
            unresolved: context.unresolved.0 + context.unresolved.1,
            external: context.external,
            truncated: context.lines_left_out > 0
                || context.callers.cut()
                || context.callees.cut()
                || context.tests.cut(),
        }
    }
}

/// A rank with as many digits as mean something.
fn rounded(rank: f64) -> f64 {
    (rank * 1e6).round() / 1e6
}

#[derive(Serialize)]
struct Subject<'g> {
    symbol: Option<SymbolJson<'g>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidates: Vec<SymbolJson<'g>>,
}

#[derive(Serialize)]
struct Status<'g> {
    files: u32,
    symbols: u32,
    edges: u32,
    unresolved: u32,
    external: u32,
    generation: u64,
    store_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    parsed: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reused: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<usize>,
    imports: Vec<ImportRow<'g>>,
    skipped: Vec<SkippedRow<'g>>,
}

#[derive(Serialize)]
struct ImportRow<'g> {
    tool: &'g str,
    version: &'g str,
    files: usize,
    matching: usize,
}

#[derive(Serialize)]
struct SkippedRow<'g> {
    file: &'g str,
    why: &'static str,
}

impl<'g> Status<'g> {
    fn new(opened: &'g Opened, report: Option<vise_graph::index::Report>) -> Self {
        let graph = &opened.graph;
        let meta = graph.meta();
        let row =
            |skipped: &'g vise_graph::index::Skipped| SkippedRow { file: &skipped.file, why: skipped.why.as_str() };
        let import = |import: &'g vise_graph::tier::ImportedTool| ImportRow {
            tool: &import.tool,
            version: &import.version,
            files: import.files,
            matching: import.matching,
        };
        Self {
            files: graph.files(),
            symbols: graph.symbols(),
            edges: meta.edges,
            unresolved: meta.unresolved,
            external: meta.external,
            generation: opened.generation,
            store_bytes: opened.store_bytes,
            parsed: report.map(|report| report.parsed),
            reused: report.map(|report| report.reused),
            removed: report.map(|report| report.removed),
            imports: opened.imports.iter().map(import).collect(),
            skipped: opened.skipped.iter().map(row).collect(),
        }
    }
}

#[derive(Serialize)]
struct Found<'g> {
    symbols: Vec<SymbolJson<'g>>,
    truncated: bool,
}

#[derive(Serialize)]
struct Outline<'g> {
    path: &'g str,
    files: Vec<OutlineFile<'g>>,
    truncated: bool,
}

#[derive(Serialize)]
struct OutlineFile<'g> {
    file: &'g str,
    symbols: Vec<Nested<'g>>,
}

/// A symbol of an outline. It is at most as deep as an outline is, so that writing it needs no deep stack.
struct Nested<'g> {
    symbol: SymbolJson<'g>,
    children: &'g [Outlined],
}

fn nested<'g>(graph: &'g CodeGraph, all: &'g [Outlined]) -> Vec<Nested<'g>> {
    all.iter().map(|one| Nested { symbol: SymbolJson { graph, ix: one.symbol }, children: &one.children }).collect()
}

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Symbol", 11)?;
        self.symbol.fields(&mut object)?;
        object.serialize_field("children", &nested(self.symbol.graph, self.children))?;
        object.end()
    }
}

#[derive(Serialize)]
struct Map<'g> {
    files: Vec<MapRow<'g>>,
    tokens: usize,
    truncated: bool,
}

#[derive(Serialize)]
struct MapRow<'g> {
    file: &'g str,
    rank: f64,
    symbols: Vec<SymbolJson<'g>>,
}

#[derive(Serialize)]
struct Hubs<'g> {
    hubs: Vec<HubRow<'g>>,
    truncated: bool,
}

#[derive(Serialize)]
struct HubRow<'g> {
    symbol: SymbolJson<'g>,
    rank: f64,
    callers: usize,
}

#[derive(Serialize)]
struct ContextRow<'g> {
    symbol: SymbolJson<'g>,
    source: &'g str,
    callers: Vec<EdgeJson<'g>>,
    callees: Vec<EdgeJson<'g>>,
    tests: Vec<TestRow<'g>>,
    tokens: usize,
    unresolved: u32,
    external: u32,
    truncated: bool,
}

#[derive(Serialize)]
struct Uses<'g> {
    #[serde(flatten)]
    subject: Subject<'g>,
    edges: Vec<EdgeJson<'g>>,
    unresolved: u32,
    external: u32,
    truncated: bool,
}

#[derive(Serialize)]
struct Impact<'g> {
    #[serde(flatten)]
    subject: Subject<'g>,
    affected: Vec<AffectedRow<'g>>,
    unresolved: u32,
    truncated: bool,
}

#[derive(Serialize)]
struct AffectedRow<'g> {
    symbol: SymbolJson<'g>,
    depth: u32,
    evidence: &'static str,
    test: bool,
}

#[derive(Serialize)]
struct Path<'g> {
    path: Vec<EdgeJson<'g>>,
}

#[derive(Serialize)]
struct Tests<'g> {
    #[serde(flatten)]
    subject: Subject<'g>,
    tests: Vec<TestRow<'g>>,
    truncated: bool,
}

#[derive(Serialize)]
struct TestRow<'g> {
    symbol: SymbolJson<'g>,
    distance: u32,
}

#[derive(Serialize)]
struct Unused<'g> {
    unused: Vec<SymbolJson<'g>>,
    unknown: Vec<SymbolJson<'g>>,
    roots: Vec<SymbolJson<'g>>,
    truncated: bool,
}

#[derive(Serialize)]
struct Cycles<'g> {
    cycles: Vec<Vec<Member<'g>>>,
    truncated: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Member<'g> {
    File(&'g str),
    Symbol(SymbolJson<'g>),
}

#[derive(Serialize)]
struct Diff<'g> {
    rev: &'g str,
    symbols: Vec<SymbolJson<'g>>,
    dependents: Vec<AffectedRow<'g>>,
    tests: Vec<TestRow<'g>>,
    truncated: bool,
}
