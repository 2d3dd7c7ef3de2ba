//! Symbols and edges in the contract's form, borrowed from the graph.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::graph::{Edge, Graph};

/// A symbol as answers carry it.
#[derive(Clone, Copy)]
pub struct SymbolJson<'g> {
    /// The graph.
    pub graph: &'g Graph,
    /// The symbol.
    pub ix: u32,
}

/// An edge as answers carry it, both ends in full.
#[derive(Clone, Copy)]
pub struct EdgeJson<'g> {
    /// The graph.
    pub graph: &'g Graph,
    /// The edge.
    pub edge: Edge,
}

/// A symbol's number as answers spell it.
pub fn id_text(id: u64) -> String {
    format!("{id:016x}")
}

impl SymbolJson<'_> {
    /// Writes the fields of a symbol into an object that has more of them.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn fields<S: SerializeStruct>(&self, object: &mut S) -> Result<(), S::Error> {
        let symbol = self.graph.symbol(self.ix);
        object.serialize_field("id", &id_text(symbol.id))?;
        object.serialize_field("name", symbol.name)?;
        object.serialize_field("qualified", symbol.qualified)?;
        object.serialize_field("kind", symbol.kind.as_str())?;
        object.serialize_field("language", symbol.language)?;
        object.serialize_field("file", symbol.file)?;
        object.serialize_field("line", &symbol.line)?;
        object.serialize_field("end_line", &symbol.end_line)?;
        object.serialize_field("signature", symbol.signature)?;
        object.serialize_field("container", &symbol.container.map(|ix| self.graph.symbol(ix).qualified))
    }
}

impl Serialize for SymbolJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Symbol", 10)?;
        self.fields(&mut object)?;
        object.end()
    }
}

impl Serialize for EdgeJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { graph, edge } = *self;
        let mut object = serializer.serialize_struct("Edge", 6)?;
        object.serialize_field("from", &SymbolJson { graph, ix: edge.from })?;
        object.serialize_field("to", &SymbolJson { graph, ix: edge.to })?;
        object.serialize_field("kind", edge.kind.as_str())?;
        object.serialize_field("evidence", edge.evidence.as_str())?;
        object.serialize_field("file", graph.file(edge.file).path)?;
        object.serialize_field("line", &edge.line)?;
        object.end()
    }
}
