//! The list of tools.

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It looks.
    Reads,
    /// It prepares a change, which somebody else decides on.
    Proposes,
    /// It changes files.
    Writes,
    /// It starts programs.
    Runs,
}

/// A tool, as agents are told of it.
#[derive(Debug, Clone, Copy)]
pub struct Tool {
    /// Its name; on the command line with dashes.
    pub name: &'static str,
    /// What it does to the world.
    pub effect: Effect,
    /// When to use it, when not, and one example.
    pub page: &'static str,
}

/// Every tool.
pub const TOOLS: &[Tool] = &[
    Tool { name: "graph", effect: Effect::Reads, page: include_str!("graph.md") },
    Tool { name: "ast_grep", effect: Effect::Reads, page: include_str!("ast_grep.md") },
    Tool { name: "ast_edit", effect: Effect::Proposes, page: include_str!("ast_edit.md") },
    Tool { name: "resolve", effect: Effect::Writes, page: include_str!("resolve.md") },
    Tool { name: "write", effect: Effect::Writes, page: include_str!("write.md") },
    Tool { name: "edit", effect: Effect::Writes, page: include_str!("edit.md") },
    Tool { name: "apply_patch", effect: Effect::Writes, page: include_str!("apply_patch.md") },
];
