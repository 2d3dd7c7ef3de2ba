//! The tables by which many repositories are joined, for any engine that reads Parquet: symbols and edges, and what
//! lies at the border of the workspace.
//!
//! A symbol's number follows from its path, names and kind alone, so tables of many repositories lie side by side under
//! `repository=NAME/` and are read as one.

use std::io;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use rustc_hash::FxHashMap;

use crate::graph::Graph;
use crate::kinds::SymbolKind;
use crate::resolution::GlobalSymbol;
use crate::resolve::border::{Border, Package, border};
use crate::source::{ProjectFile, SourceFile};

use super::all_edges;

/// A column and its values.
enum Column {
    Text(Vec<ByteArray>),
    Number(Vec<i32>),
    Long(Vec<i64>),
}

/// The files to write, each with its name. `files` and `projects` are those that the graph was made of.
///
/// # Errors
/// Those of the writer, which writes to memory.
pub fn tables(
    graph: &Graph,
    files: &[SourceFile<'_>],
    projects: &[ProjectFile],
) -> io::Result<Vec<(&'static str, Vec<u8>)>> {
    let Border { packages, mut offers, mut uses } = border(files, projects);
    let numbers = Numbers::new(graph, files);
    // A file that changed since the graph was made may have symbols that the graph has not.
    offers.retain(|offer| numbers.id(offer.symbol).is_some());
    uses.retain(|one| numbers.id(one.from).is_some());
    let id = |symbol: GlobalSymbol| numbers.id(symbol).unwrap_or_default();
    let offers = table(&[
        ("path", Column::Text(offers.iter().map(|offer| text(&offer.path)).collect())),
        ("package", Column::Text(offers.iter().map(|offer| text(&offer.package)).collect())),
        ("symbol_id", Column::Long(offers.iter().map(|offer| id(offer.symbol)).collect())),
    ])?;
    let path = |file: u32| files.get(file as usize).map_or("", |file| file.path.as_str());
    let uses = table(&[
        ("from_id", Column::Long(uses.iter().map(|one| id(one.from)).collect())),
        ("path", Column::Text(uses.iter().map(|one| text(&one.path)).collect())),
        ("module", Column::Text(uses.iter().map(|one| text(&one.module)).collect())),
        ("kind", Column::Text(uses.iter().map(|one| text(one.kind.as_str())).collect())),
        ("evidence", Column::Text(uses.iter().map(|one| text(one.evidence.as_str())).collect())),
        ("file", Column::Text(uses.iter().map(|one| text(path(one.file))).collect())),
        ("line", Column::Number(uses.iter().map(|one| number(one.line)).collect())),
    ])?;
    Ok(vec![
        ("symbols.parquet", symbols(graph)?),
        ("edges.parquet", edges(graph)?),
        ("packages.parquet", packages_table(&packages)?),
        ("offers.parquet", offers),
        ("uses.parquet", uses),
    ])
}

/// The numbers that symbols of facts have in a graph.
struct Numbers<'g> {
    files: &'g [SourceFile<'g>],
    ids: FxHashMap<(&'g str, u32, SymbolKind, &'g str), u64>,
}

impl<'g> Numbers<'g> {
    fn new(graph: &'g Graph, files: &'g [SourceFile<'g>]) -> Self {
        let rows = (0..graph.symbols()).map(|ix| graph.symbol(ix));
        // Of a file's top-level code the name is whatever the graph calls it.
        let name = |kind, name| if kind == SymbolKind::Module { "" } else { name };
        let ids = rows.map(|row| ((row.file, row.line, row.kind, name(row.kind, row.name)), row.id)).collect();
        Self { files, ids }
    }

    fn id(&self, symbol: GlobalSymbol) -> Option<i64> {
        let file = self.files.get(symbol.file as usize)?;
        let row = file.facts.symbols.get(symbol.symbol.ix())?;
        let name = if row.kind == SymbolKind::Module { "" } else { file.facts.name(row.name) };
        self.ids.get(&(file.path.as_str(), row.line, row.kind, name)).map(|id| long(*id))
    }
}

fn packages_table(packages: &[Package]) -> io::Result<Vec<u8>> {
    let texts = |column: fn(&Package) -> &str| Column::Text(packages.iter().map(|row| text(column(row))).collect());
    table(&[
        ("name", texts(|package| &package.name)),
        ("ecosystem", texts(|package| package.ecosystem)),
        ("import", texts(|package| &package.import)),
        ("folder", texts(|package| &package.folder)),
        ("manifest", texts(|package| &package.manifest)),
    ])
}

fn text(text: &str) -> ByteArray {
    ByteArray::from(text)
}

#[expect(clippy::cast_possible_wrap, reason = "Parquet's integers are signed; engines show the bits of the number")]
fn long(id: u64) -> i64 {
    id as i64
}

fn number(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

fn symbols(graph: &Graph) -> io::Result<Vec<u8>> {
    let rows = || (0..graph.symbols()).map(|ix| graph.symbol(ix));
    let container = |around: Option<u32>| around.map_or(0, |ix| long(graph.symbol(ix).id));
    table(&[
        ("id", Column::Long(rows().map(|row| long(row.id)).collect())),
        ("name", Column::Text(rows().map(|row| text(row.name)).collect())),
        ("qualified", Column::Text(rows().map(|row| text(row.qualified)).collect())),
        ("kind", Column::Text(rows().map(|row| text(row.kind.as_str())).collect())),
        ("language", Column::Text(rows().map(|row| text(row.language)).collect())),
        ("file", Column::Text(rows().map(|row| text(row.file)).collect())),
        ("line", Column::Number(rows().map(|row| number(row.line)).collect())),
        ("end_line", Column::Number(rows().map(|row| number(row.end_line)).collect())),
        ("container", Column::Long(rows().map(|row| container(row.container)).collect())),
        ("signature", Column::Text(rows().map(|row| text(row.signature)).collect())),
    ])
}

fn edges(graph: &Graph) -> io::Result<Vec<u8>> {
    let rows = || all_edges(graph);
    let id = |ix: u32| long(graph.symbol(ix).id);
    table(&[
        ("from_id", Column::Long(rows().map(|row| id(row.from)).collect())),
        ("to_id", Column::Long(rows().map(|row| id(row.to)).collect())),
        ("kind", Column::Text(rows().map(|row| text(row.kind.as_str())).collect())),
        ("evidence", Column::Text(rows().map(|row| text(row.evidence.as_str())).collect())),
        ("file", Column::Text(rows().map(|row| text(graph.file(row.file).path)).collect())),
        ("line", Column::Number(rows().map(|row| number(row.line)).collect())),
    ])
}

fn table(columns: &[(&str, Column)]) -> io::Result<Vec<u8>> {
    write_table(columns).map_err(io::Error::other)
}

fn write_table(columns: &[(&str, Column)]) -> Result<Vec<u8>, ParquetError> {
    let fields = columns.iter().map(|(name, column)| match column {
        Column::Text(_) => format!("REQUIRED BYTE_ARRAY {name} (UTF8);"),
        Column::Number(_) => format!("REQUIRED INT32 {name};"),
        Column::Long(_) => format!("REQUIRED INT64 {name};"),
    });
    let schema = parse_message_type(&format!("message vise {{ {} }}", fields.collect::<Vec<_>>().join(" ")))?;
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut out = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut out, Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, values) in columns {
        let Some(mut column) = group.next_column()? else { break };
        match values {
            Column::Text(values) => column.typed::<ByteArrayType>().write_batch(values, None, None)?,
            Column::Number(values) => column.typed::<Int32Type>().write_batch(values, None, None)?,
            Column::Long(values) => column.typed::<Int64Type>().write_batch(values, None, None)?,
        };
        column.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(out)
}
