//! A SCIP index: definitions and uses with the columns of their names, for whatever reads such indexes.
//!
//! The graph knows the line of a use, and SCIP wants its columns, so the files' texts are asked for and each name is
//! looked for on its line. A name that does not stand there (it is called by an alias that no import tells, or the file
//! changed) has no occurrence, which is counted.

mod symbols;
mod uses;

use std::io::{self, Write};

use protobuf::{Enum, Message};
use scip::types::symbol_information::Kind;
use scip::types::{
    Document, Index, Language, Metadata, Occurrence, PositionEncoding, ProtocolVersion, Relationship, Signature,
    SymbolInformation, SymbolRole, TextEncoding, ToolInfo,
};

use crate::graph::{Edge, FileView, Graph, SymbolView};
use crate::kinds::{EdgeKind, SymbolKind};
use crate::places::Page;
use uses::{Place, Role, named};

/// What an index says of itself.
#[derive(Debug, Clone, Copy)]
pub struct Head<'a> {
    /// The root of the workspace as a URI.
    pub root: &'a str,
    /// Our version.
    pub version: &'a str,
}

/// What has no place in the text, so that the index does not have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unplaced {
    /// Symbols whose name does not stand on their line.
    pub definitions: usize,
    /// Edges whose target's name does not stand on their line.
    pub uses: usize,
    /// Files whose text is not to be had.
    pub files: usize,
}

/// Writes a graph as a SCIP index. `text` gives the text of a file by its path.
///
/// # Errors
/// Those of `out`.
pub fn write_scip(
    graph: &Graph,
    head: Head<'_>,
    text: &dyn Fn(&str) -> Option<Vec<u8>>,
    out: &mut dyn Write,
) -> io::Result<Unplaced> {
    let tool = ToolInfo { name: "vise".to_owned(), version: head.version.to_owned(), ..ToolInfo::default() };
    let metadata = Metadata {
        version: ProtocolVersion::UnspecifiedProtocolVersion.into(),
        tool_info: Some(tool).into(),
        project_root: head.root.to_owned(),
        text_document_encoding: TextEncoding::UTF8.into(),
        ..Metadata::default()
    };
    // Messages that follow each other are one message, so that no more than one document is in memory.
    write_message(&Index { metadata: Some(metadata).into(), ..Index::default() }, out)?;
    let spelled = symbols::spell(graph);
    let mut edges: Vec<Vec<Edge>> = vec![Vec::new(); graph.files() as usize];
    for edge in (0..graph.symbols()).flat_map(|ix| graph.out(ix)) {
        if let Some(of_file) = edges.get_mut(edge.file as usize) {
            of_file.push(edge);
        }
    }
    let mut unplaced = Unplaced::default();
    for (number, edges) in (0..).zip(edges) {
        let file = graph.file(number);
        let Some(text) = text(file.path) else {
            unplaced.files += 1;
            continue;
        };
        let page = Page::new(&text);
        let (named, missed) = named(graph, &file, &edges, &page);
        unplaced.definitions += missed.definitions;
        unplaced.uses += missed.uses;
        let occurrences = named.iter().map(|((place, ix), role)| {
            let mut occurrence = occurrence(*place, *role, &spelled[*ix as usize]);
            if role.definition {
                occurrence.enclosing_range = enclosing(&graph.symbol(*ix), &file, &page);
            }
            occurrence
        });
        let document = Document {
            language: language(file.language),
            relative_path: file.path.to_owned(),
            occurrences: occurrences.collect(),
            symbols: file.symbols.clone().map(|ix| information(graph, ix, &spelled)).collect(),
            position_encoding: PositionEncoding::UTF8CodeUnitOffsetFromLineStart.into(),
            ..Document::default()
        };
        write_message(&Index { documents: vec![document], ..Index::default() }, out)?;
    }
    Ok(unplaced)
}

fn write_message(message: &impl Message, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(&message.write_to_bytes().map_err(io::Error::other)?)
}

/// A number as SCIP has it; what is beyond that is beyond any text.
fn number(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn occurrence(place: Place, role: Role, symbol: &str) -> Occurrence {
    let Role { definition, import } = role;
    let roles = [(definition, SymbolRole::Definition), (import, SymbolRole::Import)];
    Occurrence {
        // The older of the two forms: every reader knows it.
        range: vec![number(place.line as usize - 1), number(place.start), number(place.end)],
        symbol: symbol.to_owned(),
        symbol_roles: roles.iter().filter(|(has, _)| *has).map(|(_, role)| role.value()).sum(),
        ..Occurrence::default()
    }
}

/// From the first sign of a definition's first line to the end of its last.
fn enclosing(symbol: &SymbolView<'_>, file: &FileView<'_>, page: &Page<'_>) -> Vec<i32> {
    let (first, last) = match symbol.container {
        None => (1, file.lines.max(1)),
        Some(_) => (symbol.start_line.max(1), symbol.end_line.max(symbol.start_line).max(1)),
    };
    let line = page.line(first);
    let start = if symbol.container.is_none() { 0 } else { line.len() - line.trim_ascii_start().len() };
    let lines = [first, last].map(|line| number(line as usize - 1));
    vec![lines[0], number(start), lines[1], number(page.line(last).len())]
}

fn information(graph: &Graph, ix: u32, spelled: &[String]) -> SymbolInformation {
    let symbol = graph.symbol(ix);
    let mut relationships: Vec<(&str, bool)> = graph
        .out(ix)
        .filter(|edge| matches!(edge.kind, EdgeKind::Extends | EdgeKind::Implements | EdgeKind::Overrides))
        // Who looks for uses of a method wants those of what takes its place too.
        .map(|edge| (&*spelled[edge.to as usize], edge.kind == EdgeKind::Overrides))
        .collect();
    relationships.sort_unstable();
    relationships.dedup();
    let relationship = |(symbol, is_reference): (&str, bool)| Relationship {
        symbol: symbol.to_owned(),
        is_implementation: true,
        is_reference,
        ..Relationship::default()
    };
    let signature =
        Signature { language: language(symbol.language), text: symbol.signature.to_owned(), ..Signature::default() };
    SymbolInformation {
        symbol: spelled[ix as usize].clone(),
        relationships: relationships.into_iter().map(relationship).collect(),
        kind: kind(graph, &symbol).into(),
        display_name: symbol.name.to_owned(),
        signature_documentation: Some(signature).filter(|signature| !signature.text.is_empty()).into(),
        ..SymbolInformation::default()
    }
}

fn kind(graph: &Graph, symbol: &SymbolView<'_>) -> Kind {
    let in_enum = || symbol.container.is_some_and(|around| graph.symbol(around).kind == SymbolKind::Enum);
    match symbol.kind {
        SymbolKind::Module => Kind::Module,
        SymbolKind::Namespace => Kind::Namespace,
        SymbolKind::Class => Kind::Class,
        SymbolKind::Struct => Kind::Struct,
        SymbolKind::Enum => Kind::Enum,
        SymbolKind::Union => Kind::Union,
        SymbolKind::Interface => Kind::Interface,
        SymbolKind::Trait => Kind::Trait,
        SymbolKind::Type => Kind::TypeAlias,
        // A test is called by its runner, as a function is.
        SymbolKind::Function | SymbolKind::Test => Kind::Function,
        SymbolKind::Method => Kind::Method,
        SymbolKind::Constructor => Kind::Constructor,
        SymbolKind::Property => Kind::Property,
        SymbolKind::Field => Kind::Field,
        SymbolKind::Constant if in_enum() => Kind::EnumMember,
        SymbolKind::Constant => Kind::Constant,
        SymbolKind::Variable => Kind::Variable,
        SymbolKind::Macro => Kind::Macro,
    }
}

/// A language by SCIP's name for it, by ours where SCIP has none.
fn language(ours: &str) -> String {
    let theirs = match ours {
        "bash" => "ShellScript",
        "make" => "Makefile",
        "proto" => "Protobuf",
        "starlark" => "Skylark",
        "tsx" => "TypeScriptReact",
        _ => ours,
    };
    let names = Language::VALUES.iter().map(|language| format!("{language:?}"));
    names.into_iter().find(|name| name.eq_ignore_ascii_case(theirs)).unwrap_or_else(|| ours.to_owned())
}
