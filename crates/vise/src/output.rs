//! Data goes to the standard output, words to the standard error.

use std::io::{self, BufWriter, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use vise_tools::{Paint, Role, ToolError, shown};

use crate::cli::Color;

/// What went wrong: a tool's error, or the output's.
#[derive(Debug)]
pub(crate) enum Failure {
    Tool(ToolError),
    Output(io::Error),
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        Self::Tool(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

fn paint(color: Color, auto: ColorChoice) -> Paint {
    let colour = match color {
        Color::Auto => auto != ColorChoice::Never,
        Color::Always => true,
        Color::Never => false,
    };
    Paint { colour }
}

/// Where a command's answer goes.
pub(crate) struct Output {
    data: BufWriter<io::StdoutLock<'static>>,
    /// Colours of the data.
    pub(crate) paint: Paint,
    /// Colours of the words.
    pub(crate) words_paint: Paint,
    /// Whether data is seen by a person as it comes.
    pub(crate) on_terminal: bool,
    pub(crate) quiet: bool,
    pub(crate) verbose: bool,
}

impl Output {
    pub(crate) fn new(color: Color, quiet: bool, verbose: bool) -> Self {
        let stdout = io::stdout();
        Self {
            paint: paint(color, AutoStream::choice(&stdout)),
            words_paint: Self::words_paint_of(color),
            on_terminal: stdout.is_terminal(),
            data: BufWriter::with_capacity(1 << 16, stdout.lock()),
            quiet,
            verbose,
        }
    }

    /// Colours of words, whoever takes the data.
    pub(crate) fn words_paint_of(color: Color) -> Paint {
        paint(color, AutoStream::choice(&io::stderr()))
    }

    /// Writes data.
    pub(crate) fn data(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.data.write_all(bytes)
    }

    /// Lets the reader have what was written so far.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.data.flush()
    }

    /// Says words, behind all data so far. If the words cannot be said, nobody listens.
    pub(crate) fn words(&mut self, words: &str) -> io::Result<()> {
        self.flush()?;
        if !self.quiet {
            let _ = io::stderr().write_all(words.as_bytes());
        }
        Ok(())
    }

    pub(crate) fn warn(&mut self, warning: &str) {
        if !self.quiet {
            let head = self.words_paint.words(Role::Warning, "warning");
            let _ = writeln!(io::stderr(), "{head}: {}", shown(warning.as_bytes()));
        }
    }
}

/// Shows an error: with JSON one line of data, else words.
pub(crate) fn show_error(error: &ToolError, json: bool, paint: Paint) -> io::Result<()> {
    if json {
        let mut line = serde_json::to_vec(&serde_json::json!({ "error": error })).unwrap_or_default();
        line.push(b'\n');
        let mut stdout = io::stdout().lock();
        stdout.write_all(&line)?;
        return stdout.flush();
    }
    let mut text = format!("{}: {}\n", paint.words(Role::Error, "error"), shown(error.message.as_bytes()));
    if let Some(hint) = &error.hint {
        text.push_str(&shown(hint.as_bytes()));
        text.push('\n');
    }
    let _ = io::stderr().write_all(text.as_bytes());
    Ok(())
}
