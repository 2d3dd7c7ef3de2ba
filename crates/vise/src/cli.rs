//! What can be typed: the commands with their flags. A tool's own flags come from its input struct.

use std::path::PathBuf;
use std::sync::LazyLock;

use crate::daemon::Daemon;
use crate::graph::Ask;
use crate::mcp::Mcp;
use crate::plain::EditFlags;
use crate::setup::{Completions, Hook, Init, Man};
use crate::tour::Tour;
use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use vise_tools::{
    ApplyPatch, AstEdit, AstGrep, CheckFiles, Dump, FEATURES, Lsp, Proposals, Recover, Resolve, Show, Undo, Write,
};

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// What `--version` says: what this binary was built with decides what it can do.
static VERSION: LazyLock<String> =
    LazyLock::new(|| format!("{}\nfeatures: {}", env!("CARGO_PKG_VERSION"), FEATURES.join(" ")));

/// Find code by name, by shape and by what depends on it, and change it through a reviewed proposal
#[derive(Debug, Parser)]
#[command(name = "vise", version, long_version = VERSION.as_str(), styles = STYLES, max_term_width = 110, infer_subcommands = false)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// Work with so many threads; 0 is as many as there are processors
    #[arg(long, global = true, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub(crate) threads: usize,
    /// Read language files from DIR/grammars too, over those that are built in
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The root of the workspace; the enclosing git root by default
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Whose question this is: what is new is new to a conversation
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) conversation: Option<String>,
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t = Color::Auto, hide_default_value = true)]
    pub(crate) color: Color,
    /// Say less: no counts, no warnings, no progress
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say more
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask the code graph what is here and what depends on it
    Graph(Box<Ask>),
    /// Ask the language server: types, exact references, what is wrong, safe renames
    Lsp(Lsp),
    /// Find code by its shape
    #[command(name = "ast-grep", visible_alias = "grep")]
    AstGrep(Box<Search>),
    /// Prepare a rewrite of every match: a proposal with its diff, nothing is written
    #[command(name = "ast-edit", visible_alias = "rewrite")]
    AstEdit(Box<Edit>),
    /// Make a file of the text on the standard input, or give it this content
    Write(Write),
    /// Replace a text in a file, or change a symbol
    Edit(Box<EditFlags>),
    /// Apply the patch on the standard input
    #[command(name = "apply-patch", visible_alias = "patch")]
    ApplyPatch(ApplyPatch),
    /// List the proposals of this workspace
    Proposals(Proposals),
    /// Show a proposal
    Show(ShowFlags),
    /// Accept or discard a proposal
    Resolve(Resolve),
    /// Take back what was accepted
    Undo(Undo),
    /// Bring a commit to an end that was interrupted; every command does so first
    Recover(Recover),
    /// Ask the language servers what is wrong with files
    Check(CheckFiles),
    /// The workspace's daemon, which keeps language servers for everybody
    Daemon(Daemon),
    /// Show what works here: languages, servers, and why not
    Doctor,
    /// Let servers run code of a checkout, for as long as its configuration stays as it is
    Trust(Trust),
    /// Serve the tools to an agent over the Model Context Protocol
    Mcp(Mcp),
    /// Prepare an agent's entry for `vise mcp`, and its hook, as a proposal
    Init(Init),
    /// Answer an agent's hook
    Hook(Hook),
    /// Print completions for a shell
    Completions(Completions),
    /// Print the manual page of vise or of a command
    Man(Man),
    /// The main job, end to end, on a scratch copy of a real checkout
    Tour(Tour),
    /// Show the syntax tree of a file, or how a pattern is read
    Dump(Dump),
}

#[derive(Debug, Args)]
pub(crate) struct Search {
    #[command(flatten)]
    pub(crate) input: AstGrep,
    #[command(flatten)]
    pub(crate) reach: Reach,
    /// Print the number of matches of each file that has any
    #[arg(long, conflicts_with = "files")]
    pub(crate) count: bool,
    /// Print the names of files with matches
    #[arg(long)]
    pub(crate) files: bool,
    /// Show N lines after a match
    #[arg(short = 'A', long = "after", value_name = "N")]
    pub(crate) after: Option<usize>,
    /// Show N lines before a match
    #[arg(short = 'B', long = "before", value_name = "N")]
    pub(crate) before: Option<usize>,
    /// Show N lines around a match
    #[arg(short = 'C', long = "around", value_name = "N")]
    pub(crate) around: Option<usize>,
    /// Search the text that comes by the standard input; needs -l
    #[arg(long, conflicts_with = "paths")]
    pub(crate) stdin: bool,
}

/// Which files are looked at.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Reach {
    /// Take files that match a glob; `!` in front leaves them out (repeatable, the last that matches counts)
    #[arg(long, value_name = "GLOB")]
    pub(crate) glob: Vec<String>,
    /// Look into ignored files too
    #[arg(long)]
    pub(crate) no_ignore: bool,
    /// Look into hidden files and folders too
    #[arg(long)]
    pub(crate) hidden: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Edit {
    #[command(flatten)]
    pub(crate) input: AstEdit,
    #[command(flatten)]
    pub(crate) reach: Reach,
}

#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// The checkout; the root of the workspace by default
    #[arg(value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowFlags {
    #[command(flatten)]
    pub(crate) input: Show,
    /// As words and a diff in colours, as a patch for `git apply` byte for byte, or as JSON
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Diff)]
    pub(crate) format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Diff,
    Patch,
    Json,
}
