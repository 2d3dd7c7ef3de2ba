//! A progress bar on a terminal, for work that takes long enough to wonder.

use std::io::IsTerminal;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is done sooner shows nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// The bar, once it is there.
#[derive(Clone)]
pub(crate) struct Progress {
    bar: Arc<OnceLock<ProgressBar>>,
    wanted: bool,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { bar: Arc::default(), wanted: !quiet && std::io::stderr().is_terminal() }
    }

    /// What the tools call; none where nobody looks.
    pub(crate) fn callback(&self) -> Option<vise_tools::Progress> {
        if !self.wanted {
            return None;
        }
        let bar = self.bar.clone();
        let start = Instant::now();
        Some(Arc::new(move |done, of| {
            if start.elapsed() > PATIENCE {
                bar.get_or_init(|| new_bar(of)).set_position(done as u64);
            }
        }))
    }

    /// What the tools call to say what is waited for; none where nobody looks.
    pub(crate) fn saying(&self) -> Option<vise_tools::Saying> {
        if !self.wanted {
            return None;
        }
        let bar = self.bar.clone();
        Some(std::sync::Arc::new(move |what| {
            let bar = bar.get_or_init(|| ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10)));
            // The template is ours and fixed; should it ever not parse, the default bar will do.
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
                bar.set_style(style);
            }
            bar.set_message(vise_tools::shown(what.as_bytes()));
            bar.tick();
        }))
    }

    /// Takes the bar away while something is printed.
    pub(crate) fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match self.bar.get() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Takes the bar away for good.
    pub(crate) fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn new_bar(of: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(of as u64), ProgressDrawTarget::stderr_with_hz(10));
    // The template is ours and fixed; should it ever not parse, the default bar will do.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} files  {elapsed}") {
        bar.set_style(style);
    }
    bar
}
