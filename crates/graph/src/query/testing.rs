//! Small graphs, written down as text.

use std::collections::HashMap;

use crate::facts::{FileFacts, NameId, ScopeId, Symbol, SymbolIx, flag};
use crate::graph::{BuiltFile, Graph};
use crate::kinds::{EdgeKind, Evidence, SymbolKind};
use crate::resolution::{GlobalSymbol, Miss, Resolution, ResolvedEdge, ResolvedFile};

/// A graph. A line without indentation is a file (`a.py`), an edge (`f > A.g: calls import @3`) or a miss
/// (`f ? save call @4`); an indented line is a symbol of the file before it (`method save 2-4 test exported`), further
/// indented what is inside. Qualified names are the file's stem and the names, with dots.
pub(crate) fn graph(text: &str) -> Graph {
    let mut build = Build::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let depth = (line.len() - line.trim_start().len()) / 2;
        let words: Vec<&str> = line.split_whitespace().collect();
        match (depth, &words[..]) {
            (0, [from, ">", to, kind, evidence, at]) => build.edge(from, to, kind, evidence, at),
            (0, [owner, "?", name, what, at]) => build.miss(owner, name, what, at),
            (0, [path]) => build.file(path),
            (depth, [kind, name, lines, flags @ ..]) => build.symbol(depth, kind, name, lines, flags),
            _ => panic!("`{line}`"),
        }
    }
    build.done()
}

/// The only symbol that a text means.
pub(crate) fn one(graph: &Graph, text: &str) -> u32 {
    let found = super::resolve(graph, text);
    assert_eq!(found.len(), 1, "`{text}`: {:?}", names(graph, &found));
    found[0]
}

/// Qualified names.
pub(crate) fn names(graph: &Graph, symbols: &[u32]) -> Vec<String> {
    symbols.iter().map(|ix| graph.symbol(*ix).qualified.to_owned()).collect()
}

#[derive(Default)]
struct Build {
    files: Vec<(String, FileFacts, ResolvedFile)>,
    /// Symbols by qualified name, `PATH::NAME` and, for top-level code, path.
    known: HashMap<String, GlobalSymbol>,
    /// The symbols around the next one, the file's first.
    around: Vec<SymbolIx>,
}

impl Build {
    fn file(&mut self, path: &str) {
        self.files.push((path.to_owned(), FileFacts::default(), ResolvedFile::default()));
        self.around.clear();
        self.add(SymbolKind::Module, path, (1, 1000), 0, stem(path).to_owned(), stem(path));
    }

    fn symbol(&mut self, depth: usize, kind: &str, name: &str, lines: &str, flags: &[&str]) {
        self.around.truncate(depth);
        let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
        let bits = flags.iter().map(|word| match *word {
            "test" => flag::TEST,
            "exported" => flag::EXPORTED,
            "private" => flag::PRIVATE,
            "entry" => flag::ENTRY,
            "decorated" => flag::DECORATED,
            "override" => flag::OVERRIDE,
            "abstract" => flag::ABSTRACT,
            word => panic!("no flag `{word}`"),
        });
        let bits = bits.fold(0, |all, bit| all | bit);
        let (path, _, resolved) = self.files.last().unwrap();
        let around = &resolved.qualified[self.around.last().unwrap().ix()];
        let qualified = format!("{around}.{name}");
        let key = format!("{path}::{name}");
        let kind = SymbolKind::from_word(kind).unwrap_or_else(|| panic!("no kind `{kind}`"));
        let place = (first.parse().unwrap(), last.parse().unwrap());
        self.add(kind, &key, place, bits, qualified, name);
    }

    fn add(&mut self, kind: SymbolKind, key: &str, lines: (u32, u32), flags: u32, qualified: String, name: &str) {
        let at = self.files.len() - 1;
        let (_, facts, resolved) = &mut self.files[at];
        let ix = SymbolIx(facts.symbols.len() as u32);
        let mut add_name = |name: &str| {
            facts.names.push(name);
            NameId(facts.names.len() as u32 - 1)
        };
        let (name, signature) = (add_name(name), add_name(&format!("{} {name}", kind.as_str())));
        facts.symbols.push(Symbol {
            name,
            kind,
            container: self.around.last().copied().unwrap_or(ix),
            scope: ScopeId::FILE,
            body: None,
            line: lines.0,
            start_line: lines.0,
            end_line: lines.1,
            signature,
            declared: None,
            extension: None,
            arity: (0, 0),
            labels: None,
            flags,
        });
        self.around.push(ix);
        let place = GlobalSymbol { file: at as u32, symbol: ix };
        let short = qualified.split_once('.').map(|(_, rest)| rest.to_owned());
        for key in [Some(qualified.clone()), Some(key.to_owned()), short].into_iter().flatten() {
            self.known.entry(key).or_insert(place);
        }
        resolved.qualified.push(qualified);
    }

    fn place(&self, name: &str) -> GlobalSymbol {
        *self.known.get(name).unwrap_or_else(|| panic!("no symbol `{name}`"))
    }

    fn edge(&mut self, from: &str, to: &str, kind: &str, evidence: &str, at: &str) {
        let (from, to) = (self.place(from), self.place(to.trim_end_matches(':')));
        self.files[from.file as usize].2.edges.push(ResolvedEdge {
            from: from.symbol,
            line: at.trim_start_matches('@').parse().unwrap(),
            to,
            kind: EdgeKind::from_word(kind).unwrap_or_else(|| panic!("no kind `{kind}`")),
            evidence: Evidence::from_word(evidence).unwrap_or_else(|| panic!("no evidence `{evidence}`")),
        });
    }

    fn miss(&mut self, owner: &str, name: &str, what: &str, at: &str) {
        let owner = self.place(owner);
        let (_, facts, resolved) = &mut self.files[owner.file as usize];
        facts.names.push(name);
        resolved.misses.push(Miss {
            owner: owner.symbol,
            line: at.trim_start_matches('@').parse().unwrap(),
            name: NameId(facts.names.len() as u32 - 1),
            call: what != "reference",
            external: what == "external",
        });
    }

    fn done(self) -> Graph {
        let files: Vec<BuiltFile<'_>> = self
            .files
            .iter()
            .map(|(path, facts, _)| BuiltFile { path, language: language(path), lines: 1000, facts })
            .collect();
        let resolution = Resolution { files: self.files.iter().map(|(_, _, resolved)| resolved.clone()).collect() };
        Graph::from_bytes(Graph::build(&files, &resolution)).unwrap()
    }
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap();
    name.split('.').next().unwrap()
}

fn language(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap() {
        "py" => "python",
        "ts" => "typescript",
        "rs" => "rust",
        "go" => "go",
        "cpp" => "cpp",
        other => panic!("no language for `{other}`"),
    }
}
