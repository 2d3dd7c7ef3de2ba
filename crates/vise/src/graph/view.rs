//! `vise graph view`: a drawing, written to a file and shown.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use vise_tools::{Graph, Session, ViewForm};

use super::{Data, cannot_write};
use crate::output::{Failure, Output};
use crate::progress::Progress;
use crate::run::{Exit, answer};

/// Where a drawing goes.
#[derive(Debug, Args)]
pub(super) struct Target {
    /// A page, a picture, or Graphviz
    #[arg(long, value_enum, default_value_t)]
    format: ViewForm,
    /// The file to write, `-` for the standard output; `vise-view-NAME` in the current folder by default
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Show the file once it is written; on a terminal only
    #[arg(long)]
    open: bool,
}

pub(super) fn run(
    input: &Graph,
    target: &Target,
    session: &Session,
    json: bool,
    output: &mut Output,
    progress: &Progress,
) -> Result<Exit, Failure> {
    let drawn = input.draw(session, target.format);
    progress.finish();
    let mut drawn = drawn?;
    for warning in drawn.warnings() {
        output.warn(warning);
    }
    let path = target.out.clone().unwrap_or_else(|| PathBuf::from(&drawn.file_name));
    let to_output = path == Path::new("-");
    if !to_output {
        let mut bytes = Vec::new();
        drawn.write(target.format, &way_to(&session.root, &path), &mut bytes)?;
        std::fs::write(&path, bytes).map_err(|error| cannot_write(&path, &error))?;
        drawn.path = Some(path.display().to_string());
    } else if !json {
        drawn.write(target.format, "", &mut Data(output))?;
        output.words(&drawn.text())?;
        return Ok(Exit::Found);
    }
    answer(output, json, &drawn, |_| drawn.text().into_bytes())?;
    if target.open && !to_output {
        if !output.on_terminal {
            output.warn("`--open` shows nothing where the output is no terminal");
        } else if let Err(error) = show(&path) {
            output.warn(&format!("`{}` was written, and nothing here shows it: {error}", path.display()));
        }
    }
    Ok(Exit::Found)
}

/// From the folder of a file to the root, as links in it go: up to the folder that both are in, and down again. Empty
/// where both are one.
fn way_to(root: &Path, file: &Path) -> String {
    let Ok(file) = std::path::absolute(file) else { return String::new() };
    let folder = file.parent().unwrap_or(Path::new("/"));
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let common = root.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(common).map(|_| "..".to_owned());
    let down = root.components().skip(common).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).map(|part| part + "/").collect()
}

/// Hands a file to whatever shows such files here.
fn show(path: &Path) -> io::Result<()> {
    let program = match std::env::consts::OS {
        "macos" => "open",
        "windows" => "explorer",
        _ => "xdg-open",
    };
    let mut viewer = Command::new(program);
    viewer.arg(std::path::absolute(path)?);
    // What it says belongs to nobody's output, and it may live longer than we do.
    viewer.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    viewer.spawn().map(drop)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::way_to;

    #[test]
    fn links_lead_from_the_page_to_the_root() {
        // Folders that are not there are taken as they are written.
        assert_eq!(way_to(Path::new("/no/such/root"), Path::new("/no/such/root/page.html")), "");
        assert_eq!(way_to(Path::new("/no/such/root"), Path::new("/no/such/root/docs/page.html")), "../");
        assert_eq!(way_to(Path::new("/no/such/root"), Path::new("/no/such/page.html")), "root/");
        assert_eq!(way_to(Path::new("/no/such/root"), Path::new("/no/other/page.html")), "../such/root/");
    }
}
