//! Search and graph in a program of your own: `cargo run -p vise-tools --example embed -- FOLDER PATTERN`.
//!
//! A tool is its input struct; `run` gives a report, which is text through `Display` and the contract's JSON through
//! `Serialize`. What a caller decides (where state is kept, what may be cancelled, who hears of progress) is in the session.

use std::path::PathBuf;
use std::sync::Arc;

use vise_tools::{AstGrep, Graph, GraphOp, Input as _, Session, ToolError};

fn main() -> Result<(), ToolError> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| ".".to_owned()));
    let pattern = arguments.next().unwrap_or_else(|| "$F($$$ARGS)".to_owned());
    let root =
        folder.canonicalize().map_err(|error| ToolError::bad_input(format!("`{}`: {error}", folder.display())))?;

    // The graph's index and proposals are kept below these two folders; a program has its own.
    let own = std::env::temp_dir().join("vise-embed");
    let mut session = Session::new(root, own.join("state"), own.join("cache"))?;
    session.progress = Some(Arc::new(|done, of| eprint!("\r{done} of {of} files")));

    let found = AstGrep { pattern, max: Some(10), ..AstGrep::default() }.run(&session)?;
    println!("\n{found}");

    let map = Graph { op: GraphOp::Map, tokens: Some(500), ..Graph::default() }.run(&session)?;
    println!("{map}");
    println!(
        "{}",
        serde_json::to_value(&map).map_or_else(|error| error.to_string(), |json| json["tokens"].to_string())
    );
    Ok(())
}
