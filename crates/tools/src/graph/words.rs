//! Answers as people and agents read them: grouped by file, with the evidence and what is not known.

use std::collections::BTreeMap;

use vise_graph::index::Opened;
use vise_graph::query::{Affected, TestReach, is_test};
use vise_graph::tier::ImportedTool;
use vise_graph::{Edge, Graph as CodeGraph};
use vise_text::shown;

use super::answer::{Answer, Context, Rows, Way};
use super::lines::{Lines, file_of};
use super::sql::{self, Selected};
use crate::paint::{Paint, Role};
use crate::text::count;

/// How many names a list of files that are left out shows for each reason.
const SHOWN: usize = 5;

pub(super) fn text(opened: &Opened, answer: &Answer, paint: Paint) -> String {
    let lines = Lines { graph: &opened.graph, paint };
    let mut words = Words { lines, graph: &opened.graph, out: String::new() };
    match answer {
        Answer::Status => words.status(opened),
        Answer::Index => {
            let report = opened.report;
            let parsed = count(report.parsed, "file was parsed", "files were parsed");
            words.line(&format!("{parsed}, {} known, {} gone", report.reused, report.removed));
            words.status(opened);
        }
        Answer::Find(rows) => {
            rows.rows.iter().for_each(|ix| words.line(&lines.symbol(*ix)));
            words.cut(rows, "");
        }
        Answer::Outline { path, files } => words.outline(path, files),
        Answer::Map { files, tokens, left_out } => {
            for file in files {
                words.line(&lines.heading(file.file));
                file.symbols.iter().for_each(|ix| words.line(&lines.outlined(*ix, 1)));
            }
            if files.is_empty() {
                words.line("nothing here defines a symbol");
            }
            if left_out.1 > 0 {
                let (files, symbols) = *left_out;
                let files = count(files, "file", "files");
                words.note(&format!(
                    "about {tokens} tokens; {symbols} symbols and {files} that rank lower are left out (`tokens`)"
                ));
            }
        }
        Answer::Hubs(rows) => {
            rows.rows.iter().for_each(|hub| words.line(&lines.hub(hub)));
            if rows.total == 0 {
                words.line("nothing depends on anything here");
            }
            words.cut(rows, "");
        }
        Answer::Context(context) => words.context(context),
        Answer::Uses { way, subjects, edges, unresolved, external } => {
            words.uses(*way, subjects, edges, *unresolved, *external);
        }
        Answer::Impact { subjects, affected, unresolved } => words.impact(subjects, affected, *unresolved),
        Answer::Path { from, to, edges } => words.path(from, to, edges),
        Answer::Tests { subjects, tests } => {
            let head = format!("tests that reach {}: {}", words.named(subjects), tests.total);
            words.head(&head);
            words.tests(tests);
        }
        Answer::Unused { unused, unknown, roots } => words.unused(unused, unknown, roots),
        Answer::Cycles { symbols, cycles } => {
            let what = if *symbols { "symbols that call each other" } else { "files that import each other" };
            words.head(&format!("circles of {what}: {}", cycles.total));
            cycles.rows.iter().for_each(|cycle| words.line(&lines.cycle(*symbols, cycle)));
            words.cut(cycles, "");
        }
        Answer::Diff { revision, symbols, dependents, tests } => words.diff(revision, symbols, dependents, tests),
        Answer::Sql(selected) => words.selected(selected),
    }
    words.out
}

struct Words<'g> {
    lines: Lines<'g>,
    graph: &'g CodeGraph,
    out: String,
}

impl Words<'_> {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn head(&mut self, line: &str) {
        let line = self.lines.paint.words(Role::Strong, line);
        self.line(&line);
    }

    fn note(&mut self, line: &str) {
        let line = self.lines.paint.words(Role::Faint, line);
        self.line(&line);
    }

    /// Says how much of a list is given, where it is not all.
    fn cut<T>(&mut self, rows: &Rows<T>, indent: &str) {
        if rows.cut() {
            let (given, total) = (rows.rows.len(), rows.total);
            self.note(&format!("{indent}{given} of {total} shown; raise `tokens` or `max`, or ask for less"));
        }
    }

    /// The subjects in a heading.
    fn named(&self, subjects: &[u32]) -> String {
        match subjects {
            [one] => format!("{} ({})", self.lines.name(*one), self.lines.place_of(*one)),
            several => {
                let first = several.first().map(|ix| self.lines.name(*ix)).unwrap_or_default();
                format!("{} symbols like {first}", several.len())
            }
        }
    }

    fn status(&mut self, opened: &Opened) {
        let graph = &opened.graph;
        let meta = graph.meta();
        let mut languages: BTreeMap<&str, usize> = BTreeMap::new();
        for file in 0..graph.files() {
            *languages.entry(graph.file(file).language).or_default() += 1;
        }
        let mut languages: Vec<(&str, usize)> = languages.into_iter().collect();
        languages.sort_by_key(|(_, files)| std::cmp::Reverse(*files));
        let languages: Vec<String> = languages.iter().map(|(name, files)| format!("{name} {files}")).collect();
        self.line(&format!("files       {}  {}", graph.files(), languages.join(", ")));
        self.line(&format!("symbols     {}", graph.symbols()));
        self.line(&format!("edges       {}", meta.edges));
        self.line(&format!("unresolved  {} calls, and {} that lead outside", meta.unresolved, meta.external));
        let kept = match opened.generation {
            0 => "not kept".to_owned(),
            generation => format!("generation {generation}, {} kB", opened.store_bytes.div_ceil(1024)),
        };
        self.line(&format!("store       {kept}"));
        for ImportedTool { tool, version, files, matching } in &opened.imports {
            let (tool, version) = (shown(tool.as_bytes()), shown(version.as_bytes()));
            self.line(&format!("compiler    {tool} {version}: {matching} of {files} files are what they were"));
        }
        let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for skipped in &opened.skipped {
            reasons.entry(skipped.why.as_str()).or_default().push(&skipped.file);
        }
        for (why, files) in reasons {
            let mut names: Vec<String> = files.iter().take(SHOWN).map(|file| shown(file.as_bytes())).collect();
            if files.len() > SHOWN {
                names.push("…".to_owned());
            }
            self.line(&format!("left out    {} {}: {}", files.len(), why.replace('_', " "), names.join(", ")));
        }
    }

    fn outline(&mut self, path: &str, files: &Rows<(u32, Vec<vise_graph::query::Outlined>)>) {
        for (file, symbols) in &files.rows {
            self.line(&self.lines.heading(*file));
            self.lines.outline(symbols).iter().for_each(|line| self.line(line));
        }
        if files.rows.iter().all(|(_, symbols)| symbols.is_empty()) {
            let place = if path.is_empty() { "here" } else { path };
            self.line(&format!("nothing in {} defines a symbol", shown(place.as_bytes())));
        }
        self.cut(files, "");
    }

    fn uses(&mut self, way: Way, subjects: &[u32], edges: &Rows<Edge>, unresolved: u32, external: u32) {
        let what = match way {
            Way::Callers => "callers",
            Way::Callees => "callees",
            Way::References => "references",
        };
        let rest = match way {
            Way::Callees => format!("{unresolved} calls in it unresolved, {external} lead outside"),
            _ if external > 0 => format!("{}, {external} lead outside", unresolved_by_name(unresolved)),
            _ => unresolved_by_name(unresolved),
        };
        let head = format!("{what} of {}: {}; {rest}", self.named(subjects), edges.total);
        self.head(&head);
        self.edges(way, edges, subjects.len() > 1, "");
    }

    fn edges(&mut self, way: Way, edges: &Rows<Edge>, several: bool, indent: &str) {
        let mut files: BTreeMap<u32, Vec<&Edge>> = BTreeMap::new();
        for edge in &edges.rows {
            files.entry(file_of(self.graph, way, edge)).or_default().push(edge);
        }
        for (file, mut edges) in files {
            self.line(&format!("{indent}{}", self.lines.heading(file)));
            if way == Way::Callees {
                edges.sort_by_key(|edge| (edge.to, edge.line));
            }
            for edge in edges {
                self.line(&format!("{indent}{}", self.lines.edge(way, edge, several)));
            }
        }
        self.cut(edges, indent);
    }

    fn impact(&mut self, subjects: &[u32], affected: &Rows<Affected>, unresolved: u32) {
        let tests = affected.rows.iter().filter(|one| is_test(&self.graph.symbol(one.symbol))).count();
        let head = format!(
            "depend on {}: {}, of these {}; {}",
            self.named(subjects),
            count(affected.total, "symbol", "symbols"),
            count(tests, "test", "tests"),
            unresolved_by_name(unresolved)
        );
        self.head(&head);
        self.affected(affected);
    }

    fn affected(&mut self, affected: &Rows<Affected>) {
        let (mut depth, mut file) = (0, None);
        for one in &affected.rows {
            if one.depth != depth {
                (depth, file) = (one.depth, None);
                self.line(&format!("depth {depth}"));
            }
            let of = self.graph.symbol(one.symbol).file_ix;
            if file != Some(of) {
                file = Some(of);
                self.line(&format!("  {}", self.lines.heading(of)));
            }
            self.line(&self.lines.affected(one));
        }
        self.cut(affected, "");
    }

    fn path(&mut self, from: &[u32], to: &[u32], edges: &[Edge]) {
        let Some(first) = edges.first() else {
            let line = format!("no way leads from {} to {}", self.named(from), self.named(to));
            self.line(&line);
            return;
        };
        self.head(&format!("{}  {}", self.lines.place_of(first.from), self.lines.name(first.from)));
        edges.iter().for_each(|edge| self.line(&self.lines.step(edge)));
    }

    fn tests(&mut self, tests: &Rows<TestReach>) {
        tests.rows.iter().for_each(|test| self.line(&self.lines.test(test)));
        self.cut(tests, "");
    }

    fn unused(&mut self, unused: &Rows<u32>, unknown: &Rows<u32>, roots: &Rows<u32>) {
        self.head(&format!("nothing here uses: {}", unused.total));
        self.symbols(unused);
        if unknown.total > 0 {
            self.head(&format!(
                "may be used, by a call that is not resolved or a base that is not here: {}",
                unknown.total
            ));
            self.symbols(unknown);
        }
        self.note(&format!(
            "{} more are used from outside: entry points, tests, hooks, what a package offers",
            roots.total
        ));
    }

    fn selected(&mut self, selected: &Selected) {
        let mut lines = sql::lines(selected).into_iter();
        lines.next().iter().for_each(|heading| self.head(heading));
        lines.for_each(|line| self.line(&line));
        let given = selected.rows.rows.len();
        if selected.more {
            self.note(&format!("{given} rows shown, and there are more; raise `max`, or ask for less"));
        } else {
            self.cut(&selected.rows, "");
        }
    }

    fn symbols(&mut self, rows: &Rows<u32>) {
        rows.rows.iter().for_each(|ix| self.line(&self.lines.symbol(*ix)));
        self.cut(rows, "");
    }

    fn context(&mut self, context: &Context) {
        let symbol = self.graph.symbol(context.symbol);
        self.line(&self.lines.symbol(context.symbol));
        let first = symbol.start_line.min(symbol.line).max(1);
        let last = (first as usize + context.source.lines().count()).saturating_sub(1);
        let width = last.to_string().len();
        for (number, line) in (first..).zip(context.source.lines()) {
            let number = self.lines.paint.words(Role::Number, &format!("{number:>width$}"));
            self.line(&format!("{number}  {}", shown(line.as_bytes())));
        }
        if context.lines_left_out > 0 {
            self.note(&format!("… {} more", count(context.lines_left_out, "line", "lines")));
        }
        let head = format!("callers: {}; {}", context.callers.total, unresolved_by_name(context.unresolved.0));
        self.head(&head);
        self.edges(Way::Callers, &context.callers, false, "");
        let (unresolved, external) = (context.unresolved.1, context.external);
        let head =
            format!("callees: {}; {unresolved} calls unresolved, {external} lead outside", context.callees.total);
        self.head(&head);
        self.edges(Way::Callees, &context.callees, false, "");
        self.head(&format!("tests: {}", context.tests.total));
        self.tests(&context.tests);
    }

    fn diff(&mut self, revision: &str, symbols: &Rows<u32>, dependents: &Rows<Affected>, tests: &Rows<TestReach>) {
        self.head(&format!(
            "changed since {}: {}",
            shown(revision.as_bytes()),
            count(symbols.total, "symbol", "symbols")
        ));
        self.symbols(symbols);
        self.head(&format!("tests that reach them: {}", tests.total));
        self.tests(tests);
        self.head(&format!("depend on them: {}", dependents.total));
        self.affected(dependents);
    }
}

fn unresolved_by_name(unresolved: u32) -> String {
    format!("{} by that name unresolved", count(unresolved as usize, "call", "calls"))
}

/// The lines of a file's outline, measured.
pub(super) fn outline_bytes(graph: &CodeGraph, file: u32, symbols: &[vise_graph::query::Outlined]) -> usize {
    let lines = Lines::plain(graph).outline(symbols);
    graph.file(file).path.len() + 1 + lines.iter().map(|line| line.len() + 1).sum::<usize>()
}
